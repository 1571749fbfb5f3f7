/* Buffered text writer, see out.h.
 * Threads: the owner of the writer; signal safe. May not: allocate, use stdio or locale. */
#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

void wi_out_fd(struct wi_out *out, int fd, char *buf, size_t cap)
{
    *out = (struct wi_out){.buf = buf, .cap = cap, .fd = fd};
}

WI_AT_LOAD void wi_out_mem(struct wi_out *out, char *buf, size_t cap)
{
    *out = (struct wi_out){.buf = buf, .cap = cap ? cap - 1 : 0, .fd = -1};
}

static void flush(struct wi_out *out)
{
    size_t done = 0;
    while (done < out->len && !out->err) {
        ssize_t n = write(out->fd, out->buf + done, out->len - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            out->err = WI_ERR_IO;
    }
    out->len = 0;
}

WI_AT_LOAD int wi_out_finish(struct wi_out *out)
{
    if (out->fd >= 0)
        flush(out);
    else if (out->buf)
        out->buf[out->len] = 0;
    return out->err;
}

WI_AT_LOAD void wi_out_bytes(struct wi_out *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (out->len == out->cap && out->fd >= 0)
            flush(out);
        if (out->len == out->cap && !out->err)
            out->err = WI_ERR_RANGE;
        if (out->err)
            return;
        out->buf[out->len++] = text[i];
        if (text[i] == '\n')
            out->col = 0;
        else
            out->col += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
}

WI_AT_LOAD void wi_out_str(struct wi_out *out, const char *text)
{
    if (text)
        wi_out_bytes(out, text, strlen(text));
}

WI_AT_LOAD void wi_out_char(struct wi_out *out, char c)
{
    wi_out_bytes(out, &c, 1);
}

void wi_out_pad(struct wi_out *out, char c, int times)
{
    while (times-- > 0)
        wi_out_char(out, c);
}

/* Writes the digits of value backwards from end; returns the first one. */
WI_AT_LOAD static char *digits(char *end, uint64_t value, unsigned base)
{
    do {
        unsigned digit = (unsigned)(value % base);
        *--end = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value /= base;
    } while (value);
    return end;
}

WI_AT_LOAD void wi_out_u64(struct wi_out *out, uint64_t value)
{
    char text[24];
    char *first = digits(text + sizeof(text), value, 10);
    wi_out_bytes(out, first, (size_t)(text + sizeof(text) - first));
}

WI_AT_LOAD void wi_out_i64(struct wi_out *out, int64_t value)
{
    if (value < 0)
        wi_out_char(out, '-');
    wi_out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_fixed(struct wi_out *out, double value, int decimals, const char *none)
{
    uint64_t scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    double size = value < 0 ? -value : value;
    if (!(size * (double)scale < 9e18)) {
        wi_out_str(out, none);
        return;
    }
    uint64_t whole = (uint64_t)(size * (double)scale + 0.5);
    if (value < 0 && whole)
        wi_out_char(out, '-');
    wi_out_u64(out, whole / scale);
    if (decimals > 0) {
        char text[24];
        char *first = digits(text + sizeof(text), whole % scale, 10);
        int len = (int)(text + sizeof(text) - first);
        wi_out_char(out, '.');
        wi_out_pad(out, '0', decimals - len);
        wi_out_bytes(out, first, (size_t)len);
    }
}

void wi_out_fixed(struct wi_out *out, double value, int decimals)
{
    put_fixed(out, value, decimals, "-");
}

void wi_out_json_fixed(struct wi_out *out, double value, int decimals)
{
    put_fixed(out, value, decimals, "null");
}

struct spec {
    int left, zero, width, longs;
};

static const char *parse_spec(const char *at, struct spec *spec)
{
    *spec = (struct spec){0};
    for (; *at == '-' || *at == '0'; at++) {
        spec->left |= *at == '-';
        spec->zero |= *at == '0';
    }
    for (; *at >= '0' && *at <= '9'; at++)
        spec->width = spec->width * 10 + (*at - '0');
    for (; *at == 'l' || *at == 'z'; at++)
        spec->longs++;
    return at;
}

static void padded(struct wi_out *out, const struct spec *spec, const char *text, size_t len)
{
    size_t shown = 0;
    for (size_t i = 0; i < len; i++)
        shown += ((unsigned char)text[i] & 0xc0) != 0x80;
    int pad = spec->width - (int)shown;
    if (!spec->left)
        wi_out_pad(out, spec->zero ? '0' : ' ', pad);
    wi_out_bytes(out, text, len);
    if (spec->left)
        wi_out_pad(out, ' ', pad);
}

static void number(struct wi_out *out, const struct spec *spec, uint64_t value, int negative,
                   unsigned base)
{
    char text[32];
    char *first = digits(text + sizeof(text), value, base);
    if (negative)
        *--first = '-';
    padded(out, spec, first, (size_t)(text + sizeof(text) - first));
}

void wi_out_f(struct wi_out *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    wi_out_vf(out, fmt, args);
    va_end(args);
}

/* Formats one directive at `at` (behind the '%'); returns its last character. */
static const char *directive(struct wi_out *out, const char *at, va_list *args)
{
    struct spec spec;
    char one;
    const char *text;
    int64_t n;
    at = parse_spec(at, &spec);
    switch (*at) {
    case 's':
        text = va_arg(*args, const char *);
        text = text ? text : "-";
        padded(out, &spec, text, strlen(text));
        break;
    case 'c':
        one = (char)va_arg(*args, int);
        padded(out, &spec, &one, 1);
        break;
    case 'd':
    case 'i':
        n = spec.longs ? va_arg(*args, long) : va_arg(*args, int);
        number(out, &spec, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, n < 0, 10);
        break;
    case 'u':
    case 'x':
        number(out, &spec, spec.longs ? va_arg(*args, unsigned long) : va_arg(*args, unsigned), 0,
               *at == 'x' ? 16 : 10);
        break;
    default:
        wi_out_char(out, '%');
        break;
    }
    return at;
}

void wi_out_vf(struct wi_out *out, const char *fmt, va_list outer)
{
    va_list args;
    va_copy(args, outer);
    for (const char *at = fmt; *at; at++) {
        if (*at != '%') {
            wi_out_char(out, *at);
            continue;
        }
        at = directive(out, at + 1, &args);
        if (!*at)
            break;
    }
    va_end(args);
}

/* Length of the valid UTF-8 sequence at text, 0 if invalid or a control character. */
static int clean_len(const unsigned char *text)
{
    if (text[0] < 0x80)
        return text[0] >= 0x20 && text[0] != 0x7f;
    int len = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc2 ? 2 : 0;
    if (text[0] > 0xf4)
        return 0;
    for (int i = 1; i < len; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if (len == 2 && text[0] == 0xc2 && text[1] < 0xa0) /* C1 controls */
        return 0;
    if (len == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)))
        return 0;
    if (len == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)))
        return 0;
    return len;
}

void wi_out_clean(struct wi_out *out, const char *text)
{
    while (text && *text) {
        int len = clean_len((const unsigned char *)text);
        if (len)
            wi_out_bytes(out, text, (size_t)len);
        else
            wi_out_char(out, '?');
        text += len ? len : 1;
    }
}

WI_AT_LOAD void wi_out_name(struct wi_out *out, const char *text)
{
    for (int i = 0; i < 64 && text[i]; i++) {
        char c = text[i];
        int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    (c == '.' && i > 0) || c == '_' || c == '-';
        wi_out_char(out, plain ? c : '_');
    }
}

void wi_out_json(struct wi_out *out, const char *text)
{
    if (!text) {
        wi_out_str(out, "null");
        return;
    }
    wi_out_char(out, '"');
    while (*text) {
        unsigned char c = (unsigned char)*text;
        int len = clean_len((const unsigned char *)text);
        if (c == '"' || c == '\\') {
            wi_out_char(out, '\\');
            wi_out_char(out, (char)c);
        } else if (len) {
            wi_out_bytes(out, text, (size_t)len);
        } else if (c < 0x80) {
            wi_out_str(out, "\\u00");
            wi_out_char(out, "0123456789abcdef"[c >> 4]);
            wi_out_char(out, "0123456789abcdef"[c & 15]);
        } else {
            wi_out_str(out, "\\ufffd");
        }
        text += len ? len : 1;
    }
    wi_out_char(out, '"');
}
