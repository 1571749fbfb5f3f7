/* The table of signatures, see ledger.h.
 * Threads: the engine's. May not: allocate after creation. */
#include "analyze/ledger.h"

#include <string.h>

#include "base/attr.h"

struct wi_ledger *wi_ledger_create(struct wi_arena *arena)
{
    return wi_arena_alloc(arena, sizeof(struct wi_ledger));
}

static uint32_t hash_key(const struct wi_sig_key *key)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint32_t hash = 2166136261u; /* FNV-1a; the struct has no padding */
    for (size_t i = 0; i < sizeof(*key); i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ (hash >> 15);
}

_Static_assert(sizeof(struct wi_sig_key) == 32, "the key is hashed bytewise: no padding");

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
    struct wi_signature *sig = find_or_add(ledger, key, &ledger->count, 0, WI_SIG_SLOTS);
    if (sig)
        return sig;
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

void wi_ledger_add(struct wi_signature *sig, uint64_t occurrence, enum wi_portion portion,
                   int64_t ns)
{
    if (sig->occurrence != occurrence) {
        end_occurrence(sig);
        sig->occurrence = occurrence;
    }
    sig->open_ns += ns;
    sig->portion_ns[portion] += ns;
}

void wi_ledger_sample(struct wi_signature *sig, const struct wi_host_sample *sample, int64_t ns)
{
    if (!sample || sample->children == WI_UNKNOWN)
        return;
    double weight = (double)ns;
    sig->sample_weight += weight;
    sig->children += weight * (double)sample->children;
    sig->child_cpu +=
        sample->child_cpu_permille == WI_UNKNOWN ? 0 : weight * (double)sample->child_cpu_permille;
    sig->child_disk += sample->child_disk_permille == WI_UNKNOWN
                           ? 0
                           : weight * (double)sample->child_disk_permille;
    sig->cores_idle += sample->cores_idle_permille == WI_UNKNOWN
                           ? 0
                           : weight * (double)sample->cores_idle_permille;
    sig->cores_allowed +=
        sample->cores_allowed == WI_UNKNOWN ? 0 : weight * (double)sample->cores_allowed;
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
