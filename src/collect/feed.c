/* Entries and records -> events, see feed.h.
 * Threads: the helper, or the thread that ends the process. May not: allocate after init. */
#include "collect/feed.h"

#include <string.h>

#include "base/err.h"
#include "collect/blind.h"
#include "collect/collect.h"
#include "collect/join.h"
#include "collect/site_names.h"
#include "collect/stack_watch.h"
#include "collect/streams.h"
#include "collect/thread.h"
#include "collect/tool_clock.h"
#include "collect/tracefile.h"
#include "collect/watch_waits.h"
#include "cuda/driver.h"
#include "model/collective.h"

/* Of the 64 MiB for everything: 32 engine, 14 activity buffers, 10.3 rings, 4 a result, the rest
 * here and in tables. */
#define ENGINE_BYTES       ((size_t)48 << 20)
#define LEAST_RECORD_BYTES 80
#define NAME_BYTES         ((size_t)2 << 20)
#define CONTEXTS           256
#define DEVICES            64
#define LOOKED             64 /* kernel names */
#define OPS_AT_ONCE        64 /* gaps are charged along the calls kept since: short lists are fast */

static struct {
    struct wi_engine *engine;
    struct wi_names *names;
    uint32_t api_names[WI_CALL_IDS];
    int16_t context_device[CONTEXTS]; /* device + 1, 0 = unknown */
    struct wi_device_info devices[DEVICES];
    uint8_t device_known[DEVICES];
    struct {
        uint32_t name; /* WI_NO_NAME, which is none, is no collective either */
        int collective;
    } looked[LOOKED];
    int64_t own_ns;
    int64_t horizon_ns; /* last promised */
    unsigned ops;       /* since the engine last accounted */
    int any;
} state;

int wi_feed_init(int host_only)
{
    struct wi_engine_config config = {.host_only = host_only, .budget_bytes = ENGINE_BYTES};
    state.names = wi_names_create(NAME_BYTES);
    config.names = state.names;
    state.engine = state.names ? wi_engine_create(&config) : NULL;
    if (!state.engine)
        return WI_ERR_NOMEM;
    wi_trace_open(state.names);
    return 0;
}

struct wi_engine *wi_feed_engine(void)
{
    return state.engine;
}

int wi_feed_any(void)
{
    return state.any;
}

struct wi_names *wi_feed_names(void)
{
    return state.names;
}

/* "__cudaLaunchKernel_ptsz" is cudaLaunchKernel to a person; the driver's _v2 likewise. */
static uint32_t api_name(int call)
{
    static const char *const ENDS[] = {"_ptsz", "_ptds", "_v2"};
    if (state.api_names[call])
        return state.api_names[call];
    const char *name = wi_call_name(call);
    name += name[0] == '_' ? 2 : 0;
    size_t len = strlen(name);
    for (size_t i = 0; i < WI_ARRAY_LEN(ENDS); i++) {
        size_t end = strlen(ENDS[i]);
        if (len > end && !memcmp(name + len - end, ENDS[i], end))
            len -= end;
    }
    state.api_names[call] = wi_names_intern(state.names, name, len);
    return state.api_names[call];
}

static int32_t device_of(const struct wi_entry *entry)
{
    if (!(entry->flags & WI_ENTRY_CONTEXT))
        return entry->device;
    int known = entry->device > 0 && entry->device < CONTEXTS;
    return known ? state.context_device[entry->device] - 1 : WI_NO_DEVICE;
}

/* Does a device record follow from this call? */
static int owes(const struct wi_entry *entry, const struct wi_call_info *row, uint64_t stream)
{
    int memory = row->api_class == WI_API_COPY || row->api_class == WI_API_MEMSET;
    int launch = row->api_class == WI_API_LAUNCH || row->api_class == WI_API_GRAPH_LAUNCH;
    if (!wi_process.activity || (!memory && !launch) || (row->flags & WI_ROW_NO_RECORD) ||
        (entry->flags & WI_ENTRY_FAILED))
        return 0;
    if (memory && !entry->arg && !(entry->flags & WI_ENTRY_BYTES_UNKNOWN))
        return 0; /* copies of nothing */
    if (entry->direction == WI_COPY_H2H || wi_capture_holds(stream) || wi_blind_call(entry))
        return 0;
    return entry->corr || wi_process.join_api_records;
}

static void note_stream(const struct wi_entry *entry, const struct wi_call_info *row,
                        uint64_t stream)
{
    if (entry->flags & WI_ENTRY_FAILED)
        return;
    if (row->api_class == WI_API_STREAM_CREATE)
        wi_stream_created(entry->arg, entry->flags & WI_ENTRY_NONBLOCKING);
    else if (row->flags & WI_ROW_STREAM_DESTROY)
        wi_stream_destroyed(stream);
    else if (row->flags & WI_ROW_CAPTURE_BEGIN)
        wi_capture_begin(stream);
    else if (row->flags & WI_ROW_CAPTURE_END)
        wi_capture_end(stream);
    else if (row->api_class == WI_API_EVENT_RECORD)
        wi_capture_record(stream, entry->arg);
    else if (row->api_class == WI_API_STREAM_WAIT)
        wi_capture_wait(stream, entry->arg);
}

static int has_target(unsigned api_class)
{
    return api_class == WI_API_SYNC || api_class == WI_API_QUERY ||
           api_class == WI_API_EVENT_RECORD || api_class == WI_API_STREAM_WAIT ||
           api_class == WI_API_STREAM_CREATE;
}

static int64_t figure(float value)
{
    return value < 0 ? WI_UNKNOWN : (int64_t)value;
}

/* What the call is about besides bytes: an event, a stream, or the host memory that a copy reads.
 */
static uint64_t target_of(const struct wi_entry *entry, unsigned api_class)
{
    int host = entry->direction == WI_COPY_H2D || entry->direction == WI_COPY_UNKNOWN;
    if (api_class == WI_API_COPY)
        return host ? entry->from : 0;
    return has_target(api_class) ? entry->arg : 0;
}

void wi_feed_entry(uint32_t thread, const struct wi_entry *entry,
                   const struct wi_range_call *ranges)
{
    const struct wi_call_info *row = &wi_call_rows[entry->call];
    if (!entry->enter_ns || !entry->exit_ns) { /* the clock could not be read */
        state.any = 1;
        wi_feed_loss(WI_LOSS_BAD_CLOCK, 1, WI_UNKNOWN, WI_UNKNOWN);
        return;
    }
    uint64_t stream = wi_stream_number(entry->stream, row->flags & WI_ROW_PER_THREAD, thread);
    struct wi_host_call call = {
        .enter_ns = entry->enter_ns,
        .exit_ns = entry->exit_ns,
        .run_ns = figure(entry->run_ns),
        .runnable_ns = figure(entry->runnable_ns),
        .held_ns = figure(entry->held_ns),
        .corr = entry->corr,
        .stream = stream,
        .target = target_of(entry, row->api_class),
        .bytes = has_target(row->api_class) ? 0 : entry->arg,
        .thread = thread,
        .api = api_name(entry->call),
        .site = wi_site_name(state.names, thread, entry->enter_ns, entry->site),
        .repeat = entry->repeat,
        .range = ranges ? ranges->range : WI_NO_NAME,
        .quiet_range = ranges ? ranges->quiet_range : WI_NO_NAME,
        .quiet_from_ns = ranges ? ranges->quiet_from_ns : WI_UNKNOWN,
        .quiet_to_ns = ranges ? ranges->quiet_to_ns : WI_UNKNOWN,
        .device = device_of(entry),
        .api_class = row->api_class,
        .direction = entry->direction,
    };
    call.flags = (uint8_t)(((row->flags & WI_ROW_BLOCKING) ? WI_CALL_BLOCKING : 0) |
                           ((entry->flags & WI_ENTRY_FAILED) ? WI_CALL_FAILED : 0) |
                           (wi_stream_nonblocking(stream) ? WI_CALL_NONBLOCKING_STREAM : 0) |
                           (owes(entry, row, stream) ? WI_CALL_OWES : 0));
    state.any = 1;
    wi_stack_watch_call(thread, entry->enter_ns);
    wi_watch_call(thread, entry->enter_ns, entry->exit_ns);
    note_stream(entry, row, stream);
    if (entry->corr)
        wi_stream_call(entry->corr, stream, entry->exit_ns);
    if (wi_process.join_api_records)
        wi_join_call(&call);
    else
        wi_feed_call(&call);
}

static void give_op(const struct wi_device_op *op)
{
    wi_engine_op(state.engine, op);
    if (wi_trace_on())
        wi_trace_event(&(struct wi_event){.kind = WI_EVENT_OP, .u.op = *op});
}

/* Few names take turns: each is looked at once while it does. */
static int is_collective(uint32_t name)
{
    uint32_t slot = name % WI_ARRAY_LEN(state.looked);
    if (state.looked[slot].name != name) {
        state.looked[slot].name = name;
        state.looked[slot].collective = wi_name_is_collective(wi_names_text(state.names, name));
    }
    return state.looked[slot].collective;
}

/* peer: the other device of a copy between two, whose time it takes as well; or WI_NO_DEVICE. */
static void op(struct wi_device_op *op, int32_t peer)
{
    int64_t exit_ns;
    uint32_t cupti_stream = (uint32_t)op->stream;
    int node = op->flags & WI_OP_GRAPH_NODE; /* its stream is not that of the graph's launch */
    op->stream = wi_stream_of_op(node ? 0 : (uint32_t)op->corr, op->device, cupti_stream, &exit_ns);
    if (op->flags & WI_OP_BAD_TIMES) {
        if (exit_ns == WI_UNKNOWN) { /* nothing says when: only the count is left */
            wi_feed_loss(WI_LOSS_BAD_CLOCK, 1, WI_UNKNOWN, WI_UNKNOWN);
            return;
        }
        op->start_ns = op->end_ns = exit_ns;
    }
    wi_blind_op(op->start_ns);
    if (op->kind == WI_OP_KERNEL && is_collective(op->name))
        op->flags |= WI_OP_COLLECTIVE;
    give_op(op);
    if (peer != WI_NO_DEVICE) {
        op->device = peer;
        op->flags |= WI_OP_PEER;
        give_op(op);
    }
    if (++state.ops % OPS_AT_ONCE == 0)
        wi_engine_advance(state.engine, state.horizon_ns);
}

static void device(const struct wi_device_info *info)
{
    if (info->device < 0 || info->device >= DEVICES)
        return;
    state.devices[info->device] = *info;
    state.device_known[info->device] = 1;
    wi_feed_event(&(struct wi_event){.kind = WI_EVENT_DEVICE, .u.device = *info});
}

static void span(const struct wi_host_span *told)
{
    struct wi_event event = {.kind = WI_EVENT_SPAN, .u.span = *told};
    event.u.span.thread = wi_thread_named(told->thread);
    wi_feed_event(&event);
}

static void give_record(void *user, const struct wi_record *record)
{
    (void)user;
    struct wi_device_op copy;
    switch (record->kind) {
    case WI_RECORD_OP:
        copy = record->op;
        op(&copy, record->peer);
        break;
    case WI_RECORD_DEVICE:
        device(&record->device);
        break;
    case WI_RECORD_CONTEXT:
        if (record->context < CONTEXTS)
            state.context_device[record->context] = (int16_t)(record->device.device + 1);
        break;
    case WI_RECORD_API:
        wi_join_record(record->api.thread, record->api.start_ns, record->api.end_ns,
                       record->api.corr);
        break;
    case WI_RECORD_SPAN:
        span(&record->span);
        break;
    case WI_RECORD_OWN_COST:
        state.own_ns += record->own_ns;
        break;
    }
}

void wi_feed_buffer(uint8_t *buffer, size_t valid)
{
    if (wi_cupti_measure(&wi_process.cupti) != 0) { /* not understood: no reason to guess */
        wi_feed_loss(WI_LOSS_DEVICE_RECORDS, valid / LEAST_RECORD_BYTES + 1, WI_UNKNOWN,
                     WI_UNKNOWN);
        return;
    }
    wi_tool_clock_sample();
    struct wi_decoder decoder = {.cupti = &wi_process.cupti,
                                 .names = state.names,
                                 .earliest_ns = wi_process.start_ns - INT64_C(1000000000),
                                 .clock = wi_tool_clock(),
                                 .give = give_record};
    wi_decode(&decoder, buffer, valid);
}

void wi_feed_call(const struct wi_host_call *call)
{
    wi_engine_call(state.engine, call);
    if (wi_trace_on())
        wi_trace_event(&(struct wi_event){.kind = WI_EVENT_CALL, .u.call = *call});
}

void wi_feed_event(const struct wi_event *event)
{
    wi_engine_push(state.engine, event);
    wi_trace_event(event);
}

void wi_feed_loss(enum wi_loss_kind kind, uint64_t count, int64_t start_ns, int64_t end_ns)
{
    struct wi_event event = {.kind = WI_EVENT_LOSS};
    event.u.loss = (struct wi_loss){
        .start_ns = start_ns, .end_ns = end_ns, .count = count, .kind = (uint8_t)kind};
    wi_feed_event(&event);
}

void wi_feed_advance(int64_t horizon_ns, int64_t now_ns)
{
    if (wi_process.join_api_records)
        horizon_ns = wi_join_release(horizon_ns, now_ns);
    state.horizon_ns = horizon_ns;
    wi_engine_advance(state.engine, horizon_ns);
    wi_trace_advance(wi_engine_watermark(state.engine));
}

void wi_feed_finish(void)
{
    if (wi_process.join_api_records)
        wi_join_release(INT64_MAX, INT64_MAX);
    wi_blind_tell(wi_now_ns(), 1);
    wi_engine_finish(state.engine);
}

void wi_feed_ask_devices(void)
{
    struct wi_device_info info;
    for (int n = 0; n < DEVICES && wi_driver_device(n, state.names, &info) == 0; n++)
        device(&info);
}

const struct wi_device_info *wi_feed_device(int n)
{
    return n >= 0 && n < DEVICES && state.device_known[n] ? &state.devices[n] : NULL;
}

int64_t wi_feed_own_ns(void)
{
    return state.own_ns;
}
