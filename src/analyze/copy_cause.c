/* Why a copy costs time, from its own record: the table copy_causes.def.
 * Threads: the engine's. May not: allocate. */
#include "analyze/charge.h"
#include "analyze/limits.h"

enum wi_subcause wi_copy_cause(const struct wi_copy_facts *f)
{
#define COPY_CAUSE(subcause, condition, sentence)                                                  \
    if (condition)                                                                                 \
        return WI_SUB_##subcause;
#include "analyze/copy_causes.def"
#undef COPY_CAUSE
}

double wi_copy_link_rate(const struct wi_host_sample *sample)
{
    /* Payload gigabytes a second of one PCIe lane, by generation (8b/10b coding to 2.0, 128b/130b
     * then). */
    static const double LANE[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
    if (!sample || sample->link_generation < 1 || sample->link_generation > 6 ||
        sample->link_width < 1)
        return 0;
    return LANE[sample->link_generation] * (double)sample->link_width;
}

double wi_copy_link_share(const struct wi_host_sample *sample, int64_t bytes, int64_t ns)
{
    double link = wi_copy_link_rate(sample);
    return link > 0 && ns > 0 ? (double)bytes / (double)ns / link : -1;
}

int wi_call_blocked(const struct wi_call_slot *slot)
{
    if (slot->call.flags & WI_CALL_BLOCKING)
        return 1;
    return slot->call.api_class == WI_API_COPY && slot->op_end_ns != WI_UNKNOWN &&
           slot->call.exit_ns >= slot->op_end_ns - WI_LIMIT_CLOCK_ERROR_NS;
}

struct wi_copy_facts wi_copy_facts_of(const struct wi_calls *calls, const struct wi_call_slot *slot)
{
    const struct wi_host_call *call = &slot->call;
    const struct wi_run *run = wi_clock_run(calls, slot->copy_run);
    struct wi_copy_facts facts = {
        .bytes = (int64_t)call->bytes,
        .run_copies = run ? run->calls : 1,
        .direction = call->direction,
        .pageable = call->src_mem == WI_MEM_PAGEABLE || call->dst_mem == WI_MEM_PAGEABLE,
        .managed = call->src_mem == WI_MEM_MANAGED || call->dst_mem == WI_MEM_MANAGED ||
                   call->direction == WI_COPY_MANAGED_H2D || call->direction == WI_COPY_MANAGED_D2H,
        .blocking = wi_call_blocked(slot),
        .repeated = slot->repeated,
        .link_share = -1};
    return facts;
}
