/* Shortens C++ names, see short_name.h.
 * Threads: the owner of the writer. Pure. */
#include "report/short_name.h"

#include <stddef.h>
#include <string.h>

#include "report/layout.h"

#define MOST_BYTES 1024 /* names are kept up to 1000 bytes */

struct piece {
    const char *text;
    size_t len;
};

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int is_operator(const struct piece *name, size_t at)
{
    static const char WORD[] = "operator";
    size_t from = at;
    while (from > 0 && strchr("<>=-", name->text[from - 1]) && at - from < 3)
        from--;
    return from >= sizeof(WORD) - 1 &&
           !memcmp(name->text + from - (sizeof(WORD) - 1), WORD, sizeof(WORD) - 1);
}

/* How the character changes the depth of brackets: +1, -1 or 0. */
static int step_of(const struct piece *name, size_t at)
{
    char c = name->text[at];
    if (c == '(' || c == '{' || c == '[')
        return 1;
    if (c == ')' || c == '}' || c == ']')
        return -1;
    if ((c != '<' && c != '>') || is_operator(name, at))
        return 0;
    if (c == '<')
        return at > 0 && (is_word(name->text[at - 1]) || name->text[at - 1] == '>' ||
                          name->text[at - 1] == ')')
                   ? 1
                   : 0;
    return at > 0 && name->text[at - 1] == '-' ? 0 : -1;
}

/* The end of what opens at `at`, behind its closing bracket; len if it is not closed. */
static size_t end_of(const struct piece *name, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < name->len; i++) {
        depth += step_of(name, i);
        if (depth <= 0)
            return i + 1;
    }
    return name->len;
}

/* Without "(float*)" at the end, and without "void " at the beginning. */
static struct piece bare(struct piece name)
{
    size_t from = 0, end = name.len;
    for (size_t i = 0; i < name.len; i++) {
        if (name.text[i] == ' ' && !is_operator(&name, i) && i + 1 < name.len &&
            name.text[i + 1] != '[')
            from = i + 1;
        if (step_of(&name, i) <= 0)
            continue;
        size_t behind = end_of(&name, i);
        if (name.text[i] == '(' && i > from && !is_operator(&name, i) &&
            (behind == name.len || name.text[behind] == ' ')) {
            end = i;
            break;
        }
        i = behind - 1;
    }
    return (struct piece){name.text + from, end - from};
}

/* What stands inside more than `depth` template brackets becomes "...". */
static void put_collapsed(struct wi_out *out, const struct piece *name, int depth)
{
    int inside = 0;
    for (size_t i = 0; i < name->len; i++) {
        int step = step_of(name, i);
        if (step > 0 && name->text[i] == '<' && inside == depth) {
            wi_out_str(out, "<...>");
            i = end_of(name, i) - 1;
            continue;
        }
        inside += step;
        wi_out_bytes(out, name->text + i, 1);
    }
}

/* The last part of a qualified name. */
static struct piece unqualified(struct piece name)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < name.len; i++) {
        if (step_of(&name, i) > 0)
            i = end_of(&name, i) - 1;
        else if (name.text[i] == ':' && name.text[i + 1] == ':')
            from = i + 2;
    }
    return (struct piece){name.text + from, name.len - from};
}

/* "_ZN2at6native6kernelILi4E..." holds its own name in clear: lengths and words. 0 if it is none.
 */
static int put_encoded(struct wi_out *out, const char *text)
{
    int parts = 0, nested = !strncmp(text, "_ZN", 3);
    if (strncmp(text, "_Z", 2) != 0)
        return 0;
    for (text += nested ? 3 : 2; *text >= '1' && *text <= '9'; parts++) {
        size_t len = 0;
        while (*text >= '0' && *text <= '9' && len < MOST_BYTES)
            len = len * 10 + (size_t)(*text++ - '0');
        if (strnlen(text, len) < len)
            break;
        int hidden = len >= 10 && !memcmp(text, "_GLOBAL__N", 10);
        if (parts)
            wi_out_str(out, "::");
        wi_out_bytes(out, hidden ? "(anonymous namespace)" : text, hidden ? 21 : len);
        text += len;
        if (!nested) {
            parts++;
            break;
        }
    }
    if (parts && *text == 'I')
        wi_out_str(out, "<...>");
    return parts > 0;
}

static int fits(struct wi_phrase *phrase, int columns)
{
    return !phrase->out.err && (int)phrase->out.col <= columns;
}

static int try_short(struct wi_phrase *phrase, struct piece name, int columns)
{
    for (int depth = 2; depth >= 0; depth--) {
        put_collapsed(wi_phrase_begin(phrase), &name, depth);
        if (fits(phrase, columns))
            return 1;
    }
    return 0;
}

void wi_put_short_name(struct wi_out *out, const char *text, int columns)
{
    struct wi_phrase phrase;
    struct piece name = {text, strnlen(text, MOST_BYTES)};
    wi_out_bytes(wi_phrase_begin(&phrase), text, name.len);
    if (put_encoded(wi_phrase_begin(&phrase), text)) {
        wi_layout_cut(out, wi_phrase_end(&phrase), columns);
        return;
    }
    wi_out_bytes(wi_phrase_begin(&phrase), text, name.len);
    if (!fits(&phrase, columns)) {
        name = bare(name);
        wi_out_bytes(wi_phrase_begin(&phrase), name.text, name.len);
    }
    if (!fits(&phrase, columns) && !try_short(&phrase, name, columns))
        try_short(&phrase, unqualified(name), columns);
    wi_layout_cut(out, wi_phrase_end(&phrase), columns);
}

void wi_put_bare_name(struct wi_out *out, const char *text)
{
    struct piece name = bare((struct piece){text, strnlen(text, MOST_BYTES)});
    wi_out_bytes(out, name.text, name.len);
}
