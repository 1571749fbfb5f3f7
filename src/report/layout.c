/* Lines of a text report, see layout.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/layout.h"

#include <string.h>

#define LEAST_WIDTH 40
#define MOST_WIDTH  100

/* A whole number, 0 for anything else. */
static int number_of(const char *text)
{
    int number = 0;
    for (; text && *text; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        number = number > MOST_WIDTH ? number : number * 10 + (*text - '0');
    }
    return number;
}

int wi_layout_width(int asked, const char *columns, int terminal)
{
    int said = number_of(columns);
    int width = asked > 0 ? asked : said > 0 ? said : terminal > 0 ? terminal : MOST_WIDTH;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
}

void wi_layout_style(struct wi_layout *layout, enum wi_style style)
{
    static const char *const CODES[] = {"\033[0m", "\033[1m", "\033[2m", "\033[1;31m",
                                        "\033[1;32m"};
    size_t col = layout->out->col;
    if (!layout->color)
        return;
    wi_out_str(layout->out, CODES[style]);
    layout->out->col = col;
}

static int is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Characters of text[0..len). */
static int columns_of(const char *text, size_t len)
{
    int columns = 0;
    for (size_t i = 0; i < len; i++)
        columns += !is_continuation(text[i]);
    return columns;
}

/* Bytes of the longest beginning of text[0..len) with at most `columns` characters. */
static size_t bytes_of(const char *text, size_t len, int columns)
{
    size_t i = 0;
    for (; i < len; i++)
        if (!is_continuation(text[i]) && columns-- == 0)
            break;
    return i;
}

static void break_line(struct wi_out *out, int indent)
{
    wi_out_char(out, '\n');
    wi_out_pad(out, ' ', indent);
}

/* Bytes of a word; a no-break space, which has kept it together, becomes a blank. */
static void put_part(struct wi_out *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        int no_break = i + 1 < len && !memcmp(text + i, "\xc2\xa0", 2);
        wi_out_char(out, no_break ? ' ' : text[i]);
        i += (size_t)no_break;
    }
}

/* One word, on a new line if it does not fit on this one. */
static void put_word(struct wi_layout *layout, const char *word, size_t len, int indent)
{
    struct wi_out *out = layout->out;
    int used = (int)out->col, blank = used > indent;
    if (used + blank + columns_of(word, len) > layout->width && used > indent) {
        break_line(out, indent);
        blank = 0;
    }
    if (blank)
        wi_out_char(out, ' ');
    while (len > 0) {
        int room = layout->width - (int)out->col;
        if (room <= 0) {
            break_line(out, indent);
            room = layout->width - indent;
        }
        size_t part = bytes_of(word, len, room > 0 ? room : 1);
        put_part(out, word, part);
        word += part;
        len -= part;
    }
}

/* Length of the word at text; a number keeps the unit behind it. */
static size_t word_len(const char *text)
{
    static const char *const UNITS[] = {"%",  "ns", "us", "ms", "s",    "min",  "h",    "B",   "kB",
                                        "MB", "GB", "TB", "PB", "MB/s", "GB/s", "TB/s", "kB/s"};
    size_t len = strcspn(text, " ");
    if (!len || text[len] != ' ' || text[len - 1] < '0' || text[len - 1] > '9')
        return len;
    const char *next = text + len + 1;
    size_t next_len = strcspn(next, " "), unit_len = strcspn(next, " .,;:)");
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
        if (strlen(UNITS[i]) == unit_len && !memcmp(UNITS[i], next, unit_len))
            return len + 1 + next_len;
    return len;
}

void wi_layout_wrap(struct wi_layout *layout, const char *text, int indent)
{
    if (indent > layout->width / 2)
        indent = layout->width / 2;
    while (*text) {
        size_t len = word_len(text);
        if (len > 0)
            put_word(layout, text, len, indent);
        text += len;
        text += strspn(text, " ");
    }
}

void wi_layout_line(struct wi_layout *layout, const char *label, const char *text)
{
    int heading = label[0] != ' ' && label[0] != 0;
    wi_layout_style(layout, heading ? WI_STYLE_STRONG : WI_STYLE_DIM);
    wi_out_str(layout->out, label);
    wi_layout_style(layout, WI_STYLE_PLAIN);
    wi_out_pad(layout->out, ' ', WI_LABEL_COLUMNS - (int)layout->out->col);
    if (strlen(label) >= WI_LABEL_COLUMNS)
        wi_out_str(layout->out, "  ");
    wi_layout_wrap(layout, text, WI_LABEL_COLUMNS);
    wi_out_char(layout->out, '\n');
}

void wi_layout_cut(struct wi_out *out, const char *text, int columns)
{
    struct wi_phrase phrase;
    wi_out_str(wi_phrase_begin(&phrase), text);
    const char *clean = wi_phrase_end(&phrase);
    size_t len = strlen(clean);
    if (columns_of(clean, len) <= columns) {
        wi_out_str(out, clean);
        return;
    }
    wi_out_bytes(out, clean, bytes_of(clean, len, columns - 1));
    wi_out_str(out, "…");
}

struct wi_out *wi_phrase_begin(struct wi_phrase *phrase)
{
    wi_out_mem(&phrase->out, phrase->text, sizeof(phrase->text));
    return &phrase->out;
}

/* Cleans in place: wi_out_clean never writes more bytes than it has read. */
const char *wi_phrase_end(struct wi_phrase *phrase)
{
    struct wi_out clean;
    wi_out_finish(&phrase->out);
    wi_out_mem(&clean, phrase->text, sizeof(phrase->text));
    wi_out_clean(&clean, phrase->text);
    wi_out_finish(&clean);
    return phrase->text;
}
