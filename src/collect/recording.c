/* Starts and stops recording through CUPTI, see collect.h.
 * Threads: the one that arms; later the helper (start) or a thread of the job (stop), in turns
 * (arbiter.h). May not: leave anything behind that another tool would notice. */
#include <string.h>

#include "base/attr.h"
#include "collect/arbiter.h"
#include "collect/collect.h"
#include "collect/hot.h"

#define KINDS 64

static struct {
    uint8_t on[KINDS]; /* kinds we enabled */
    uint8_t per_thread, per_thread_known;
} state;

static int enable(int kind, int dump)
{
    struct wi_cupti *cupti = &wi_process.cupti;
    int code = dump && cupti->enable_and_dump ? cupti->enable_and_dump(kind) : cupti->enable(kind);
    state.on[kind] |= code == WI_CUPTI_SUCCESS;
    return code;
}

/* One buffer for all threads; the value before is another tool's to have back. Zeroed buffers are
 * not promised: a tool that takes over without our knowledge would get its own records unzeroed. */
static void share_buffers(void)
{
    struct wi_cupti *cupti = &wi_process.cupti;
    uint8_t shared = 0;
    size_t size = 1;
    state.per_thread_known =
        cupti->get_attribute && cupti->set_attribute &&
        cupti->get_attribute(WI_CUPTI_ATTR_PER_THREAD_BUFFER, &size, &state.per_thread) == 0;
    size = 1;
    if (cupti->set_attribute)
        cupti->set_attribute(WI_CUPTI_ATTR_PER_THREAD_BUFFER, &size, &shared);
}

/* The attribute first: it must be set before the buffer callbacks are registered. */
static int start_activity(int late)
{
    struct wi_cupti *cupti = &wi_process.cupti;
    share_buffers();
    if (wi_process.join_api_records && cupti->set_thread_id_type)
        cupti->set_thread_id_type(WI_CUPTI_THREAD_ID_SYSTEM);
    int code = wi_buffers_init() != 0
                   ? WI_CUPTI_UNKNOWN
                   : cupti->register_callbacks(wi_buffer_requested, wi_arbiter_completed);
    if (code != WI_CUPTI_SUCCESS)
        return code;
    enable(WI_KIND_DEVICE, late); /* late: their moment has passed, so ask for what exists */
    enable(WI_KIND_CONTEXT, late);
    if (!strcmp(wi_process.settings.graph, "graph") && wi_cupti_has(cupti, WI_KIND_GRAPH_TRACE, 40))
        enable(WI_KIND_GRAPH_TRACE, 0);
    enable(WI_KIND_OVERHEAD, 0);
    enable(WI_KIND_MEMCPY2, 0);
    enable(WI_KIND_MEMSET, 0);
    if (wi_process.join_api_records) {
        enable(WI_KIND_RUNTIME, 0);
        enable(WI_KIND_DRIVER, 0);
    }
    code = enable(WI_KIND_MEMCPY, 0);
    return code != WI_CUPTI_SUCCESS ? code : enable(WI_KIND_CONCURRENT_KERNEL, 0);
}

static void enable_callbacks(void)
{
    for (int id = 0; id < WI_CALL_IDS; id++) {
        const struct wi_call_info *row = &wi_call_rows[id];
        if (row->cbid && !(row->flags & WI_ROW_NO_CALLBACK)) /* an old library refuses new ones */
            wi_process.cupti.enable_callback(1, wi_process.subscriber, row->domain, row->cbid);
    }
}

int wi_recording_start(int late)
{
    struct wi_cupti *cupti = &wi_process.cupti;
    int code = cupti->subscribe(&wi_process.subscriber, wi_callback, NULL);
    if (code != WI_CUPTI_SUCCESS)
        return code;
    wi_cupti_measure(cupti); /* where that is too early, the first buffer asks again */
    code = start_activity(late);
    if (code != WI_CUPTI_SUCCESS)
        wi_recording_stop();
    else if (!wi_process.join_api_records)
        enable_callbacks();
    return code;
}

/* The forced flush brings every buffer of ours home: the next callbacks would get them. */
void wi_recording_stop(void)
{
    struct wi_cupti *cupti = &wi_process.cupti;
    size_t size = 1;
    cupti->unsubscribe(wi_process.subscriber);
    for (int kind = 0; kind < KINDS; kind++) {
        if (state.on[kind])
            cupti->disable(kind);
        state.on[kind] = 0;
    }
    if (wi_buffers_ever_requested()) /* before that it deadlocks some versions */
        cupti->flush_all(WI_CUPTI_FLUSH_FORCED);
    if (state.per_thread_known)
        cupti->set_attribute(WI_CUPTI_ATTR_PER_THREAD_BUFFER, &size, &state.per_thread);
}
