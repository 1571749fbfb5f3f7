/* Words and properties of the event tables, see event.h.
 * Threads: any. May not: allocate. */
#include "model/event.h"

#include "base/attr.h"
#include "base/err.h"

static const char *const API_WORDS[] = {
#define API_CLASS(id, word, issues, sentence) word,
#include "model/api_classes.def"
#undef API_CLASS
};
static const char *const MEMORY_WORDS[] = {
#define MEMORY_KIND(id, word) word,
#include "model/memory_kinds.def"
#undef MEMORY_KIND
};
static const char *const DIRECTION_WORDS[] = {
#define COPY_DIRECTION(id, word, crosses) word,
#include "model/copy_directions.def"
#undef COPY_DIRECTION
};
static const unsigned char DIRECTION_CROSSES[] = {
#define COPY_DIRECTION(id, word, crosses) crosses,
#include "model/copy_directions.def"
#undef COPY_DIRECTION
};
static const char *const SPAN_WORDS[] = {
#define SPAN_KIND(id, word, sentence) word,
#include "model/span_kinds.def"
#undef SPAN_KIND
};
static const char *const LOSS_WORDS[] = {
#define LOSS_KIND(id, word, sentence) word,
#include "model/loss_kinds.def"
#undef LOSS_KIND
};

#define FIGURE_LIMIT ((int64_t)1 << 57)  /* four years of ns: sums of a few cannot overflow */
#define COUNT_LIMIT  ((int64_t)1 << 30)  /* of threads, permilles: products of two are numbers */
#define BYTES_LIMIT  ((uint64_t)1 << 46) /* no machine has more: sums of 100 000 cannot overflow */

int64_t wi_event_time(const struct wi_event *event)
{
    switch (event->kind) {
    case WI_EVENT_CALL:
        return event->u.call.enter_ns;
    case WI_EVENT_OP:
        return event->u.op.start_ns;
    case WI_EVENT_SPAN:
        return event->u.span.start_ns;
    case WI_EVENT_SAMPLE:
        return event->u.sample.at_ns;
    case WI_EVENT_ADVANCE:
        return event->u.at_ns;
    case WI_EVENT_DEVICE:
    case WI_EVENT_LOSS:
    case WI_EVENT_PLACE:
        break;
    }
    return INT64_MIN;
}

void wi_host_sample_clear(struct wi_host_sample *sample)
{
    *sample = (struct wi_host_sample){0};
    for (int64_t *at = &sample->at_ns; at <= &sample->link_width; at++)
        *at = WI_UNKNOWN;
}

static void settle_within(int64_t *figure, int64_t most)
{
    if (*figure < 0 || *figure > most)
        *figure = WI_UNKNOWN;
}

void wi_figure_settle(int64_t *figure)
{
    settle_within(figure, FIGURE_LIMIT);
}

static int is_amount(const struct wi_host_sample *sample, const int64_t *figure)
{
    return figure == &sample->interval_ns || figure == &sample->throttled_ns ||
           figure == &sample->read_bytes || figure == &sample->gpu_memory_free_bytes;
}

void wi_host_sample_settle(struct wi_host_sample *sample)
{
    for (int64_t *figure = &sample->interval_ns; figure <= &sample->link_width; figure++)
        settle_within(figure, is_amount(sample, figure) ? FIGURE_LIMIT : COUNT_LIMIT);
}

static void settle_bytes(uint64_t *bytes)
{
    if (*bytes > BYTES_LIMIT)
        *bytes = 0;
}

static int bad_time(int64_t time_ns)
{
    return time_ns > WI_TIME_LIMIT_NS || time_ns < -WI_TIME_LIMIT_NS;
}

/* The only times that may be unknown. */
static int settle_loss(const struct wi_loss *loss)
{
    if ((loss->start_ns != WI_UNKNOWN && bad_time(loss->start_ns)) ||
        (loss->end_ns != WI_UNKNOWN && bad_time(loss->end_ns)))
        return WI_ERR_RANGE;
    return loss->kind < WI_LOSS_COUNT;
}

int wi_event_settle(struct wi_event *event)
{
    struct wi_host_call *call = &event->u.call;
    struct wi_device_op *op = &event->u.op;
    switch (event->kind) {
    case WI_EVENT_CALL:
        call->api_class = call->api_class < WI_API_COUNT ? call->api_class : WI_API_OTHER;
        call->direction = call->direction < WI_COPY_COUNT ? call->direction : WI_COPY_UNKNOWN;
        call->src_mem = call->src_mem < WI_MEM_COUNT ? call->src_mem : WI_MEM_UNKNOWN;
        call->dst_mem = call->dst_mem < WI_MEM_COUNT ? call->dst_mem : WI_MEM_UNKNOWN;
        wi_figure_settle(&call->run_ns);
        wi_figure_settle(&call->runnable_ns);
        wi_figure_settle(&call->held_ns);
        settle_bytes(&call->bytes);
        return bad_time(call->enter_ns) || bad_time(call->exit_ns) ? WI_ERR_RANGE : 1;
    case WI_EVENT_OP:
        op->direction = op->direction < WI_COPY_COUNT ? op->direction : WI_COPY_UNKNOWN;
        op->src_mem = op->src_mem < WI_MEM_COUNT ? op->src_mem : WI_MEM_UNKNOWN;
        op->dst_mem = op->dst_mem < WI_MEM_COUNT ? op->dst_mem : WI_MEM_UNKNOWN;
        settle_bytes(&op->bytes);
        if (bad_time(op->start_ns) || bad_time(op->end_ns))
            return WI_ERR_RANGE;
        return op->kind <= WI_OP_GRAPH;
    case WI_EVENT_SPAN:
        if (bad_time(event->u.span.start_ns) || bad_time(event->u.span.end_ns))
            return WI_ERR_RANGE;
        return event->u.span.kind < WI_SPAN_COUNT;
    case WI_EVENT_SAMPLE:
        wi_host_sample_settle(&event->u.sample);
        return bad_time(event->u.sample.at_ns) ? WI_ERR_RANGE : 1;
    case WI_EVENT_LOSS:
        return settle_loss(&event->u.loss);
    case WI_EVENT_ADVANCE:
        return bad_time(event->u.at_ns) ? WI_ERR_RANGE : 1;
    case WI_EVENT_PLACE:
        return event->u.place.site != WI_NO_NAME && event->u.place.path != WI_NO_NAME &&
               event->u.place.build_id != WI_NO_NAME;
    case WI_EVENT_DEVICE:
        settle_bytes(&event->u.device.memory_bytes);
        break;
    }
    return 1;
}

static const char *word(const char *const *words, size_t count, unsigned value)
{
    return value < count ? words[value] : "unknown";
}

const char *wi_api_class_word(unsigned value)
{
    return word(API_WORDS, WI_ARRAY_LEN(API_WORDS), value);
}

const char *wi_memory_kind_word(unsigned value)
{
    return word(MEMORY_WORDS, WI_ARRAY_LEN(MEMORY_WORDS), value);
}

const char *wi_copy_direction_word(unsigned value)
{
    return word(DIRECTION_WORDS, WI_ARRAY_LEN(DIRECTION_WORDS), value);
}

const char *wi_span_kind_word(unsigned value)
{
    return word(SPAN_WORDS, WI_ARRAY_LEN(SPAN_WORDS), value);
}

const char *wi_loss_kind_word(unsigned value)
{
    return word(LOSS_WORDS, WI_ARRAY_LEN(LOSS_WORDS), value);
}

int wi_copy_crosses(unsigned direction)
{
    return direction >= WI_COPY_COUNT || DIRECTION_CROSSES[direction];
}
