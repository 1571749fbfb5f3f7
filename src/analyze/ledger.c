/* The table of signatures, see ledger.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/ledger.h"

#include <string.h>

#include "base/attr.h"

struct wi_ledger *wi_ledger_create(struct wi_arena *arena)
{
    return wi_arena_alloc(arena, sizeof(struct wi_ledger));
}

void wi_ledger_copy(struct wi_ledger *into, const struct wi_ledger *from)
{
    memcpy(into, from, offsetof(struct wi_ledger, slots));
    memcpy(into->slots, from->slots, from->count * sizeof(*into->slots));
    memcpy(&into->slots[WI_SIG_SLOTS], &from->slots[WI_SIG_SLOTS],
           from->others * sizeof(*into->slots));
}

static uint32_t hash_key(const struct wi_sig_key *key)
{
    uint64_t words[4], hash = 0;
    memcpy(words, key, sizeof(words)); /* the struct has no padding */
    for (int i = 0; i < 4; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

_Static_assert(sizeof(struct wi_sig_key) == 32, "the key is hashed bytewise: no padding");

/* Field by field: the key was just written so, and a wide load of narrow stores has to wait. */
static int same(const struct wi_sig_key *a, const struct wi_sig_key *b)
{
    return a->site_after == b->site_after && a->api_after == b->api_after &&
           a->site_before == b->site_before && a->api_before == b->api_before &&
           a->thread == b->thread && a->device == b->device && a->subcause == b->subcause &&
           a->exposed_by == b->exposed_by && a->decade == b->decade && a->flags == b->flags &&
           a->reserved == b->reserved;
}

static struct wi_signature *find_or_add(struct wi_ledger *ledger, const struct wi_sig_key *key,
                                        uint32_t *used, uint32_t first, uint32_t limit)
{
    const uint32_t mask = WI_ARRAY_LEN(ledger->index) - 1;
    uint32_t at = hash_key(key) & mask;
    for (; ledger->index[at]; at = (at + 1) & mask) {
        struct wi_signature *sig = &ledger->slots[ledger->index[at] - 1];
        if (!memcmp(&sig->key, key, sizeof(*key)))
            return sig;
    }
    if (*used == limit)
        return NULL;
    uint32_t slot = first + (*used)++;
    ledger->index[at] = slot + 1;
    ledger->slots[slot].key = *key;
    return &ledger->slots[slot];
}

struct wi_signature *wi_ledger_get(struct wi_ledger *ledger, const struct wi_sig_key *key)
{
    if (ledger->latest && same(&ledger->slots[ledger->latest - 1].key, key))
        return &ledger->slots[ledger->latest - 1];
    struct wi_signature *sig = find_or_add(ledger, key, &ledger->count, 0, WI_SIG_SLOTS);
    if (sig) {
        ledger->latest = (uint32_t)(sig - ledger->slots) + 1;
        return sig;
    }
    struct wi_sig_key other = {
        .device = key->device, .subcause = key->subcause, .exposed_by = -1, .flags = key->flags};
    return find_or_add(ledger, &other, &ledger->others, WI_SIG_SLOTS, WI_SIG_OTHERS);
}

static void end_occurrence(struct wi_signature *sig)
{
    if (sig->occurrence)
        wi_hist_add(&sig->hist, sig->open_ns);
    sig->open_ns = 0;
    sig->occurrence = 0;
}

/* Welford's running variance of the time from one occurrence to the next. */
static void note_period(struct wi_signature *sig, int64_t at_ns)
{
    if (sig->started_ns) {
        double period = (double)(at_ns - sig->started_ns), before = sig->period_mean_ns;
        sig->period_mean_ns += (period - before) / (double)++sig->periods;
        sig->period_m2 += (period - before) * (period - sig->period_mean_ns);
    }
    sig->started_ns = at_ns;
}

void wi_ledger_add(struct wi_signature *sig, uint64_t occurrence, enum wi_portion portion,
                   int64_t at_ns, int64_t ns)
{
    if (occurrence == WI_UNCOUNTED) {
        sig->portion_ns[portion] += ns;
        return;
    }
    if (sig->occurrence != occurrence) {
        end_occurrence(sig);
        sig->occurrence = occurrence;
        note_period(sig, at_ns);
    }
    sig->open_ns += ns;
    sig->portion_ns[portion] += ns;
}

/* A vote by time: what is left to the one ahead is at most its time less that of all others. */
void wi_ledger_range(struct wi_signature *sig, uint32_t range, int64_t ns)
{
    if (range == sig->range) {
        sig->range_ns += ns;
    } else if (sig->range_ns >= ns) {
        sig->range_ns -= ns;
    } else {
        sig->range = range;
        sig->range_ns = ns - sig->range_ns;
    }
}

uint32_t wi_ledger_main_range(const struct wi_signature *sig)
{
    return sig->range_ns * 2 >= wi_ledger_total(sig) ? sig->range : WI_NO_NAME;
}

static double weight_of(const struct wi_sampled *sampled, int field)
{
    int holds = sampled->held_weight > 0 && sampled->held[field] != WI_UNKNOWN;
    return sampled->weight[field] + (holds ? sampled->held_weight : 0);
}

static double sum_of(const struct wi_sampled *sampled, int field)
{
    int holds = sampled->held_weight > 0 && sampled->held[field] != WI_UNKNOWN;
    return sampled->sum[field] + (holds ? sampled->held_weight * (double)sampled->held[field] : 0);
}

/* Of one sample two views differ in what happened during the gap (account.c). */
static int holds(const struct wi_sampled *sampled, const struct wi_host_sample *sample)
{
    return sampled->held_weight > 0 && sampled->held_at_ns == sample->at_ns &&
           sampled->held[WI_SAMPLED_CHILD_STARTS] == sample->child_starts &&
           sampled->held[WI_SAMPLED_CHILD_EXITS] == sample->child_exits;
}

void wi_sampled_add(struct wi_sampled *sampled, const struct wi_host_sample *sample, double weight)
{
    if (!sample)
        return;
    if (holds(sampled, sample)) {
        sampled->held_weight += weight;
        return;
    }
    for (int i = 0; i < WI_SAMPLED_COUNT; i++) {
        double sum = sum_of(sampled, i);
        sampled->weight[i] = weight_of(sampled, i);
        sampled->sum[i] = sum;
    }
    sampled->held_weight = weight;
    sampled->held_at_ns = sample->at_ns;
#define SAMPLED(id, member, scale) sampled->held[WI_SAMPLED_##id] = sample->member;
#include "analyze/sampled.def"
#undef SAMPLED
}

void wi_sampled_merge(struct wi_sampled *into, const struct wi_sampled *from)
{
    for (int i = 0; i < WI_SAMPLED_COUNT; i++) {
        into->weight[i] += weight_of(from, i);
        into->sum[i] += sum_of(from, i);
    }
}

double wi_sampled_mean(const struct wi_sampled *sampled, enum wi_sampled_field field,
                       double unknown)
{
    static const double SCALES[] = {
#define SAMPLED(id, member, scale) scale,
#include "analyze/sampled.def"
#undef SAMPLED
    };
    double weight = weight_of(sampled, field);
    return weight > 0 ? sum_of(sampled, field) / weight / SCALES[field] : unknown;
}

int64_t wi_ledger_total(const struct wi_signature *sig)
{
    int64_t total = 0;
    for (int i = 0; i < WI_PORTION_COUNT; i++)
        total += sig->portion_ns[i];
    return total;
}

void wi_ledger_settle(struct wi_ledger *ledger)
{
    struct wi_signature *sig;
    for (uint32_t i = 0; (sig = wi_ledger_at(ledger, i)); i++)
        end_occurrence(sig);
}

struct wi_signature *wi_ledger_at(struct wi_ledger *ledger, uint32_t i)
{
    if (i < ledger->count)
        return &ledger->slots[i];
    i -= ledger->count;
    return i < ledger->others ? &ledger->slots[WI_SIG_SLOTS + i] : NULL;
}
