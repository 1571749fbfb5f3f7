/* Receives the job's NVTX ranges and marks: the entry that NVTX calls once for each library that
 * has it, and the functions it then calls. They are the hot path (hot.h): a record for the ring of
 * the calling thread, nothing else. Threads that call no CUDA are not recorded; neither is what
 * comes before the process's first CUDA call. What they answer is what NVTX answers without a tool,
 * but for the numbers of start/end ranges.
 * Threads: any of the job. May not: lock, wait, allocate, call the system. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "collect/collect.h"
#include "collect/hot.h"
#include "collect/range_names.h"
#include "cuda/nvtx_abi.h"

/* Handles of domains are addresses in here; the last one is that of all which are not recorded. */
static char domain_handles[WI_RANGE_DOMAINS + 1];
static _Atomic uint32_t domain_names[WI_RANGE_DOMAINS]; /* 0, the default domain, has none */
static _Atomic uint64_t dropped, next_id = 1;

uint64_t wi_nvtx_dropped(void)
{
    return atomic_load_explicit(&dropped, memory_order_relaxed) + wi_range_names_refused();
}

static struct wi_thread *recorded(void)
{
    struct wi_thread *t = wi_self;
    int live = atomic_load_explicit(&wi_live, memory_order_relaxed);
    if (live < WI_LIVE_WRAPPERS || !t || t->shared)
        return NULL;
    return t;
}

static void put(struct wi_thread *t, const struct wi_range_entry *entry)
{
    struct wi_range_entry *slot =
        wi_ring_half_free(&t->ring) ? wi_ring_claim(&t->ring) : NULL; /* calls go before */
    if (!slot) {
        atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&t->fold, WI_FOLD_CLOSED, memory_order_relaxed);
    *slot = *entry;
    wi_ring_commit(&t->ring);
}

static void put_one(enum wi_range_kind kind, uint64_t id, uint32_t name)
{
    struct wi_thread *t = recorded();
    if (t)
        put(t, &(struct wi_range_entry){
                   .at_ns = wi_now_ns(), .id = id, .name = name, .call = (uint16_t)kind});
}

/* The number of a domain; -1 if its ranges are not recorded. */
static int domain_of(const void *handle)
{
    if (!handle)
        return 0;
    uintptr_t at = (uintptr_t)handle - (uintptr_t)domain_handles;
    return at < WI_RANGE_DOMAINS ? (int)at : -1;
}

static uint32_t name_of(const struct wi_nvtx_attributes *given)
{
    if (!given || given->size < sizeof(*given))
        return 0;
    switch (given->message_type) {
    case WI_NVTX_ASCII:
        return wi_range_name(given->message.ascii);
    case WI_NVTX_UNICODE:
        return wi_range_name_wide(given->message.wide);
    case WI_NVTX_REGISTERED: /* the handle is the id, see on_DomainRegisterStringA */
        return (uint32_t)(uintptr_t)given->message.registered;
    default:
        return 0;
    }
}

static int push(int domain, uint32_t name)
{
    struct wi_thread *t = recorded();
    if (!t || domain < 0)
        return WI_NVTX_NO_TRACKING;
    uint8_t level = t->range_levels[domain];
    t->range_levels[domain] = level < UINT8_MAX ? level + 1 : level;
    put(t, &(struct wi_range_entry){.at_ns = wi_now_ns(),
                                    .name = name,
                                    .domain = (uint8_t)domain,
                                    .level = t->range_levels[domain],
                                    .call = WI_RANGE_PUSH});
    return WI_NVTX_NO_TRACKING;
}

static int pop(int domain)
{
    struct wi_thread *t = recorded();
    if (!t || domain < 0 || !t->range_levels[domain]) /* begun before recording did */
        return WI_NVTX_NO_TRACKING;
    t->range_levels[domain]--;
    put(t, &(struct wi_range_entry){.at_ns = wi_now_ns(),
                                    .domain = (uint8_t)domain,
                                    .level = t->range_levels[domain],
                                    .call = WI_RANGE_POP});
    return WI_NVTX_NO_TRACKING;
}

static uint64_t start(int domain, uint32_t name)
{
    if (!recorded() || domain < 0)
        return 0;
    uint64_t id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    put_one(WI_RANGE_START, id, name);
    return id;
}

static void end(uint64_t id)
{
    if (id)
        put_one(WI_RANGE_END, id, 0);
}

static void mark(int domain, uint32_t name)
{
    if (domain >= 0)
        put_one(WI_RANGE_MARK, 0, name);
}

/* The names below are the vendor's, from nvtx_slots.def; a name is read only where it is used. */
static void on_MarkEx(const struct wi_nvtx_attributes *given)
{
    if (recorded())
        mark(0, name_of(given));
}

static void on_MarkA(const char *text)
{
    if (recorded())
        mark(0, wi_range_name(text));
}

static void on_MarkW(const wchar_t *text)
{
    if (recorded())
        mark(0, wi_range_name_wide(text));
}

static uint64_t on_RangeStartEx(const struct wi_nvtx_attributes *given)
{
    return recorded() ? start(0, name_of(given)) : 0;
}

static uint64_t on_RangeStartA(const char *text)
{
    return recorded() ? start(0, wi_range_name(text)) : 0;
}

static uint64_t on_RangeStartW(const wchar_t *text)
{
    return recorded() ? start(0, wi_range_name_wide(text)) : 0;
}

static void on_RangeEnd(uint64_t id)
{
    end(id);
}

static int on_RangePushEx(const struct wi_nvtx_attributes *given)
{
    return push(0, recorded() ? name_of(given) : 0);
}

static int on_RangePushA(const char *text)
{
    return push(0, recorded() ? wi_range_name(text) : 0);
}

static int on_RangePushW(const wchar_t *text)
{
    return push(0, recorded() ? wi_range_name_wide(text) : 0);
}

static int on_RangePop(void)
{
    return pop(0);
}

static void on_DomainMarkEx(const void *domain, const struct wi_nvtx_attributes *given)
{
    if (recorded() && domain_of(domain) >= 0)
        mark(domain_of(domain), name_of(given));
}

static uint64_t on_DomainRangeStartEx(const void *domain, const struct wi_nvtx_attributes *given)
{
    return recorded() && domain_of(domain) >= 0 ? start(domain_of(domain), name_of(given)) : 0;
}

static void on_DomainRangeEnd(const void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}

static int on_DomainRangePushEx(const void *domain, const struct wi_nvtx_attributes *given)
{
    return push(domain_of(domain), recorded() && domain_of(domain) >= 0 ? name_of(given) : 0);
}

static int on_DomainRangePop(const void *domain)
{
    return pop(domain_of(domain));
}

static const void *on_DomainRegisterStringA(const void *domain, const char *text)
{
    (void)domain;
    return (const void *)(uintptr_t)wi_range_name(text);
}

static const void *on_DomainRegisterStringW(const void *domain, const wchar_t *text)
{
    (void)domain;
    return (const void *)(uintptr_t)wi_range_name_wide(text);
}

static int of_a_library(uint32_t name)
{
    static const char *const LIBRARIES[] = {
#define NVTX_DOMAIN(name) name,
#include "cuda/nvtx_domains.def"
#undef NVTX_DOMAIN
    };
    for (size_t i = 0; i < WI_ARRAY_LEN(LIBRARIES); i++)
        if (name == wi_range_name(LIBRARIES[i]))
            return 1;
    return 0;
}

/* One handle per name: libraries create the same domain more than once. */
static const void *domain_handle(uint32_t name)
{
    for (int i = 1; i < WI_RANGE_DOMAINS && name && !of_a_library(name); i++) {
        uint32_t have = 0;
        if (atomic_compare_exchange_strong(&domain_names[i], &have, name) || have == name)
            return &domain_handles[i];
    }
    return &domain_handles[WI_RANGE_DOMAINS];
}

static const void *on_DomainCreateA(const char *text)
{
    return domain_handle(wi_range_name(text));
}

static const void *on_DomainCreateW(const wchar_t *text)
{
    return domain_handle(wi_range_name_wide(text));
}

static const struct slot {
    int module;
    unsigned index;
    wi_nvtx_fn ours;
} SLOTS[] = {
#define NVTX_SLOT(module, index, name) {WI_NVTX_##module, index, (wi_nvtx_fn)on_##name},
#include "cuda/nvtx_slots.def"
#undef NVTX_SLOT
};

static int take_over(const struct wi_nvtx_callbacks *callbacks)
{
    int taken = 0;
    for (size_t i = 0; i < WI_ARRAY_LEN(SLOTS); i++) {
        wi_nvtx_fn **table = NULL;
        unsigned count = 0;
        if (!callbacks->table(SLOTS[i].module, &table, &count) || !table ||
            SLOTS[i].index >= count || !table[SLOTS[i].index])
            continue;
        *table[SLOTS[i].index] = SLOTS[i].ours;
        taken = 1;
    }
    return taken;
}

/* 1 = taken over; 0: NVTX goes on without a tool. */
WI_EXPORT int InitializeInjectionNvtx2(wi_nvtx_export get);
WI_EXPORT int InitializeInjectionNvtx2(wi_nvtx_export get)
{
    const char *wanted = getenv("WHYIDLE_NVTX");
    if (atomic_load(&wi_live) == WI_LIVE_NONE || !wi_is_first_image() ||
        (wanted && !strcmp(wanted, "off")))
        return 0;
    const struct wi_nvtx_callbacks *callbacks = get ? get(WI_NVTX_TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof(*callbacks) || !callbacks->table)
        return 0;
    return take_over(callbacks);
}
