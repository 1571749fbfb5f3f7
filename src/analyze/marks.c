/* Steps from the job's own ranges, see marks.h.
 * Threads: the engine's. May not: allocate. */
#include "analyze/marks.h"

#include <stddef.h>
#include <string.h>

#include "analyze/limits.h"
#include "base/attr.h"

#define WORD_BYTES 16 /* longer words are none of ours */

static int is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static int is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Adds a letter to the word that is being read. */
static void put_letter(char *word, size_t *len, char c)
{
    if (*len < WORD_BYTES - 1)
        word[*len] = (char)(c | 0x20);
    (*len)++;
    word[*len < WORD_BYTES ? *len : WORD_BYTES - 1] = 0;
}

/* The last word of letters, in lower case; words end at other bytes and before a capital that
 * follows a small letter. */
static void last_word(const char *text, char word[WORD_BYTES])
{
    size_t len = 0;
    int open = 0;
    word[0] = 0;
    for (char before = 0; *text; before = *text++) {
        int letter = is_lower(*text) || is_upper(*text);
        if (letter && (!open || (is_lower(before) && is_upper(*text))))
            len = 0;
        if (letter)
            put_letter(word, &len, *text);
        open = letter;
    }
    if (len >= WORD_BYTES)
        word[0] = 0;
}

int wi_mark_names_step(const char *text)
{
    static const char *const WORDS[] = {
#define STEP_WORD(word) word,
#include "analyze/step_words.def"
#undef STEP_WORD
    };
    char word[WORD_BYTES];
    last_word(text, word);
    for (size_t i = 0; i < WI_ARRAY_LEN(WORDS); i++)
        if (!strcmp(word, WORDS[i]))
            return 1;
    return 0;
}

static struct wi_mark *mark_of(struct wi_marks *marks, const struct wi_host_span *span,
                               const char *text)
{
    for (uint32_t i = 0; i < marks->count; i++)
        if (marks->slots[i].name == span->name && marks->slots[i].thread == span->thread)
            return &marks->slots[i];
    if (marks->count == WI_MARK_SLOTS)
        return NULL;
    struct wi_mark *mark = &marks->slots[marks->count++];
    mark->name = span->name;
    mark->thread = span->thread;
    mark->named = (uint8_t)wi_mark_names_step(text);
    return mark;
}

void wi_marks_add(struct wi_marks *marks, const struct wi_host_span *span, const char *text)
{
    struct wi_mark *mark = mark_of(marks, span, text);
    if (!mark || (mark->seen.count && span->start_ns < mark->seen.last_ns))
        return;
    mark->inside_ns += span->end_ns - span->start_ns;
    wi_recurrence_note(&mark->seen, span->start_ns, 1, 0);
}

/* Ranges of a loop come at a pace; those of its parts come in groups. */
static int even(const struct wi_recurrence *seen)
{
    int64_t median = wi_hist_quantile(&seen->periods, 500);
    return seen->count >= (uint64_t)WI_LIMIT_STEADY_COUNT &&
           wi_hist_quantile(&seen->periods, 50) * WI_LIMIT_MARK_EVEN_FACTOR >= median &&
           wi_hist_quantile(&seen->periods, 950) <= median * WI_LIMIT_MARK_EVEN_FACTOR;
}

const struct wi_recurrence *wi_marks_step(const struct wi_marks *marks, int named,
                                          int64_t window_ns,
                                          int (*issues)(const void *user, uint32_t thread),
                                          const void *user)
{
    const struct wi_mark *best = NULL;
    for (uint32_t i = 0; i < marks->count; i++) {
        const struct wi_mark *mark = &marks->slots[i];
        if (mark->named != named || !wi_recurrence_covers(&mark->seen, window_ns) ||
            (!named && !even(&mark->seen)) || !issues(user, mark->thread))
            continue;
        if (!best || mark->inside_ns > best->inside_ns ||
            (mark->inside_ns == best->inside_ns && mark->seen.count > best->seen.count))
            best = mark;
    }
    return best ? &best->seen : NULL;
}
