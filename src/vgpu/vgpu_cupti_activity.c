/* The activity API: enabled kinds, buffers and their delivery. A buffer is complete when the last
 * operation recorded in it has ended.
 * Threads: records and requests in the application's threads; delivery in one own thread, or in
 * the application's. May not: deliver a buffer with an unfinished record unless forced. */
#include "vgpu_cupti.h"

#include "vgpu_clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*request_function)(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void (*complete_function)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                  size_t valid_bytes);

struct record {
    uint32_t offset, kind;
    uint64_t start_ns, end_ns; /* driver times, whatever the record says */
};

struct buffer {
    uint8_t *data;
    size_t bytes, used, max_records, count, room;
    struct record *records;
    uint64_t complete_ns; /* when its last operation ends */
    pthread_t owner;      /* with one buffer a thread */
    bool full;
    struct buffer *next;
};

static struct {
    request_function request;
    complete_function complete;
    bool enabled[CT_KINDS];
    bool worker;
    struct buffer *buffers; /* oldest first */
    size_t dropped;
    uint64_t count; /* device records, for the drop fault */
    pthread_cond_t wake;
} state = {.wake = PTHREAD_COND_INITIALIZER};

/* Column of the kinds table: the library's own version unless VGPU_CUPTI_STRIDES names another. */
static int version_column(void)
{
    static int column = -1;
    if (column < 0) {
        const char *text = getenv("VGPU_CUPTI_STRIDES");
        text = text != NULL ? text : "";
        column = strcmp(text, "11.8") == 0   ? 0
                 : strcmp(text, "12.4") == 0 ? 1
                 : strcmp(text, "13.0") == 0 ? 2
                                             : VGPU_MAJOR - 11;
    }
    return column;
}

size_t ct_stride(uint32_t kind)
{
    static const uint16_t strides[CT_KINDS][3] = {
#define KIND(number, name, v11, v12, v13) [number] = {v11, v12, v13},
#include "vgpu_cupti_kinds.def"
#undef KIND
    };
    return kind < CT_KINDS ? strides[kind][version_column()] : 0;
}

bool ct_kind_enabled(uint32_t kind)
{
    return state.request != NULL && kind < CT_KINDS && state.enabled[kind];
}

bool ct_any_kind(void)
{
    bool any = false;
    for (int kind = 0; kind < CT_KINDS; kind++) {
        any = any || state.enabled[kind];
    }
    return any;
}

/* What nobody flushed is lost; its buffers are never given back. */
void ct_forget_activities(void)
{
    memset(state.enabled, 0, sizeof(state.enabled));
    ct_forget_attributes();
    while (state.buffers != NULL) {
        struct buffer *buffer = state.buffers;
        state.buffers = buffer->next;
        free(buffer->records);
        free(buffer);
    }
    state.request = NULL;
    state.complete = NULL;
    state.dropped = 0;
}

static void unlink_buffer(struct buffer *buffer)
{
    struct buffer **link = &state.buffers;
    while (*link != buffer) {
        link = &(*link)->next;
    }
    *link = buffer->next;
}

/* Rewrites the records of operations that have not ended, as a forced flush returns them. The
 * times are the first two 64-bit words after the head of each record. */
static void mark_unfinished(struct buffer *buffer, uint64_t now_ns)
{
    for (size_t i = 0; i < buffer->count; i++) {
        const struct record *record = &buffer->records[i];
        size_t at = record->kind == CT_MEMCPY || record->kind == CT_MEMCPY2 ||
                            record->kind == CT_MEMSET || record->kind == CT_KERNEL ||
                            record->kind == CT_CONCURRENT_KERNEL
                        ? 16
                        : 8;
        uint8_t *times = buffer->data + record->offset + at;
        if (record->end_ns > now_ns) {
            memset(times + 8, 0, 8);
        }
        if (record->start_ns > now_ns) {
            memset(times, 0, 8);
        }
    }
}

static void reverse(struct buffer *buffer)
{
    uint8_t *copy = malloc(buffer->used);
    size_t at = 0;
    if (copy == NULL) {
        return;
    }
    for (size_t i = buffer->count; i-- > 0;) {
        size_t bytes = ct_stride(buffer->records[i].kind);
        memcpy(copy + at, buffer->data + buffer->records[i].offset, bytes);
        at += bytes;
    }
    memcpy(buffer->data, copy, at);
    free(copy);
}

static void deliver(struct buffer *buffer, uint64_t now_ns)
{
    unlink_buffer(buffer);
    mark_unfinished(buffer, now_ns);
    if (vg_faults()->out_of_order) {
        reverse(buffer);
    }
    state.complete(NULL, 0, buffer->data, buffer->bytes, buffer->used);
    free(buffer->records);
    free(buffer);
}

/* Delivers what is ready. Returns the time at which the next full buffer will be, 0 for none. */
static uint64_t deliver_ready(bool only_full, bool forced)
{
    uint64_t now_ns = vg_now_ns(), next_ns = 0;
    struct buffer *buffer = state.buffers;
    while (buffer != NULL && !vg_faults()->never_deliver) {
        struct buffer *next = buffer->next;
        bool asked = buffer->full || !only_full;
        if (asked && (forced || buffer->complete_ns <= now_ns)) {
            deliver(buffer, now_ns);
        } else if (buffer->full && (next_ns == 0 || buffer->complete_ns < next_ns)) {
            next_ns = buffer->complete_ns;
        }
        buffer = next;
    }
    return next_ns;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&ct_lock);
    for (;;) {
        uint64_t next_ns = deliver_ready(true, false);
        if (next_ns == 0) {
            pthread_cond_wait(&state.wake, &ct_lock);
        } else {
            struct timespec due = {(time_t)(next_ns / 1000000000u), (long)(next_ns % 1000000000u)};
            pthread_cond_timedwait(&state.wake, &ct_lock, &due);
        }
    }
    return NULL;
}

static void start_worker(void)
{
    sigset_t all, before;
    pthread_t thread;
    if (state.worker || vg_faults()->deliver_caller) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    state.worker = pthread_create(&thread, NULL, work, NULL) == 0;
    if (state.worker) {
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ct_deliver_full(void)
{
    if (vg_faults()->deliver_caller && state.complete != NULL) {
        deliver_ready(true, false);
    }
}

static struct buffer *current(void)
{
    struct buffer *buffer = state.buffers;
    while (buffer != NULL && (buffer->full || (ct_attribute(CT_PER_THREAD) != 0 &&
                                               !pthread_equal(buffer->owner, pthread_self())))) {
        buffer = buffer->next;
    }
    return buffer;
}

static struct buffer *request(void)
{
    struct buffer *buffer = calloc(1, sizeof(*buffer)), **link = &state.buffers;
    if (buffer == NULL) {
        return NULL;
    }
    state.request(&buffer->data, &buffer->bytes, &buffer->max_records);
    if (buffer->data == NULL && vg_faults()->null_buffer_aborts) {
        abort();
    }
    if (buffer->data == NULL || buffer->bytes == 0) {
        free(buffer);
        return NULL;
    }
    if (ct_attribute(CT_ZEROED) == 0) {
        memset(buffer->data, 0, buffer->bytes);
    }
    buffer->owner = pthread_self();
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = buffer;
    return buffer;
}

static bool fits(const struct buffer *buffer, size_t bytes)
{
    return buffer->used + bytes <= buffer->bytes &&
           (buffer->max_records == 0 || buffer->count < buffer->max_records);
}

/* A buffer with room for the record; the one it does not fit in is closed. */
static struct buffer *buffer_for(size_t bytes)
{
    struct buffer *buffer = current();
    if (buffer != NULL && !fits(buffer, bytes)) {
        buffer->full = true;
        buffer = NULL;
        start_worker();
        pthread_cond_signal(&state.wake);
    }
    buffer = buffer != NULL ? buffer : request();
    return buffer != NULL && fits(buffer, bytes) ? buffer : NULL;
}

static bool dropped_by_fault(uint32_t kind)
{
    uint64_t every = vg_faults()->drop;
    bool device = kind == CT_MEMCPY || kind == CT_MEMSET || kind == CT_CONCURRENT_KERNEL ||
                  kind == CT_KERNEL || kind == CT_MEMCPY2 || kind == CT_GRAPH_TRACE;
    return every != 0 && device && ++state.count % every == 0;
}

void ct_append(uint32_t kind, const void *record, uint64_t start_ns, uint64_t end_ns)
{
    size_t bytes = ct_stride(kind);
    struct buffer *buffer = dropped_by_fault(kind) ? NULL : buffer_for(bytes);
    if (buffer != NULL && buffer->count == buffer->room) {
        size_t room = buffer->room == 0 ? 256 : buffer->room * 2;
        struct record *grown = realloc(buffer->records, room * sizeof(*grown));
        buffer->room = grown != NULL ? room : buffer->room;
        buffer->records = grown != NULL ? grown : buffer->records;
        buffer = grown != NULL ? buffer : NULL;
    }
    if (buffer == NULL) {
        state.dropped++;
        return;
    }
    buffer->records[buffer->count++] =
        (struct record){(uint32_t)buffer->used, kind, start_ns, end_ns};
    memcpy(buffer->data + buffer->used, record, bytes);
    buffer->used += bytes;
    buffer->complete_ns = end_ns > buffer->complete_ns ? end_ns : buffer->complete_ns;
}

VGPU_API int cuptiActivityRegisterCallbacks(request_function request, complete_function complete);
int cuptiActivityRegisterCallbacks(request_function request, complete_function complete)
{
    ct_enter();
    bool fine = request != NULL && complete != NULL;
    if (fine) {
        state.request = request;
        state.complete = complete;
    }
    return ct_leave(fine ? CT_SUCCESS : CT_INVALID_PARAMETER);
}

VGPU_API int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnable(uint32_t kind)
{
    ct_enter();
    int result = ct_stride(kind) == 0 ? CT_INVALID_KIND : ct_attach();
    if (result == CT_SUCCESS) {
        state.enabled[kind] = true;
    }
    return ct_leave(result);
}

VGPU_API int cuptiActivityDisable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind)
{
    ct_enter();
    int result = ct_stride(kind) == 0 ? CT_INVALID_KIND : ct_ready();
    if (result == CT_SUCCESS) {
        state.enabled[kind] = false;
        ct_detach_if_idle();
    }
    return ct_leave(result);
}

enum { FLUSH_FORCED = 1 };

VGPU_API int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityFlushAll(uint32_t flags)
{
    while (vg_faults()->flush_hang) {
        pause();
    }
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS && state.complete != NULL) {
        deliver_ready(false, (flags & FLUSH_FORCED) != 0);
    }
    return ct_leave(result);
}

VGPU_API int cuptiActivityFlushPeriod(uint32_t milliseconds);
int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    (void)milliseconds; /* full buffers are delivered at once anyway */
    ct_enter();
    return ct_leave(ct_ready());
}

VGPU_API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context;
    (void)stream;
    if (dropped == NULL) {
        return CT_INVALID_PARAMETER;
    }
    ct_enter();
    *dropped = state.dropped;
    state.dropped = 0;
    return ct_leave(CT_SUCCESS);
}

VGPU_API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes, void **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes, void **record)
{
    uint32_t kind;
    if (buffer == NULL || record == NULL) {
        return CT_INVALID_PARAMETER;
    }
    uint8_t *at = *record;
    if (at != NULL) {
        memcpy(&kind, at, sizeof(kind));
        at += ct_stride(kind);
    } else {
        at = buffer;
    }
    size_t left = at <= buffer + valid_bytes ? (size_t)(buffer + valid_bytes - at) : 0;
    if (left < sizeof(kind)) {
        return CT_MAX_LIMIT_REACHED;
    }
    memcpy(&kind, at, sizeof(kind));
    if (ct_stride(kind) == 0) {
        return CT_INVALID_KIND;
    }
    if (left < ct_stride(kind)) {
        return CT_MAX_LIMIT_REACHED;
    }
    *record = at;
    return CT_SUCCESS;
}

/* One context a device: the calls for one context are those for all. */
VGPU_API int cuptiActivityEnableContext(void *context, uint32_t kind);
int cuptiActivityEnableContext(void *context, uint32_t kind)
{
    return context != NULL ? cuptiActivityEnable(kind) : CT_INVALID_CONTEXT;
}

VGPU_API int cuptiActivityDisableContext(void *context, uint32_t kind);
int cuptiActivityDisableContext(void *context, uint32_t kind)
{
    return context != NULL ? cuptiActivityDisable(kind) : CT_INVALID_CONTEXT;
}
