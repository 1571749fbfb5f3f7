/* Words and properties of the event tables, see event.h.
 * Threads: any. May not: allocate. */
#include "model/event.h"

#include "base/attr.h"

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

#define FIGURE_LIMIT ((int64_t)1 << 57) /* four years of ns: sums of a few cannot overflow */

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

void wi_figure_settle(int64_t *figure)
{
    if (*figure < 0 || *figure > FIGURE_LIMIT)
        *figure = WI_UNKNOWN;
}

void wi_host_sample_settle(struct wi_host_sample *sample)
{
    for (int64_t *figure = &sample->interval_ns; figure <= &sample->link_width; figure++)
        wi_figure_settle(figure);
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
