/* Exact decimals, see decimal.h.
 * Threads: any. May not: allocate. */
#include "import/decimal.h"

#include "base/err.h"

#define LIMIT        ((int64_t)1 << 62)
#define EXPONENT_CAP 100000 /* far beyond anything in range, far below overflow of an int */

/* The parts of a number: all its digits, and where the point stands among them. */
struct decimal {
    int negative;
    const char *digits; /* may hold one '.' */
    const char *end;
    int whole; /* digits before the point, after the exponent was applied */
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* [sign] digits, capped; moves *at behind them. */
static int read_exponent(const char **at, const char *end, int *exponent)
{
    const char *p = *at;
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !is_digit(*p))
        return WI_ERR_FORMAT;
    int value = 0;
    for (; p < end && is_digit(*p); p++)
        value = value < EXPONENT_CAP ? value * 10 + (*p - '0') : value;
    *exponent = negative ? -value : value;
    *at = p;
    return 0;
}

static int split(const char *text, size_t len, struct decimal *out)
{
    const char *p = text, *end = text + len;
    while (p < end && is_space(*p))
        p++;
    while (end > p && is_space(end[-1]))
        end--;
    out->negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    out->digits = p;
    int count = 0, exponent = 0;
    for (; p < end && is_digit(*p); p++)
        count++;
    out->whole = count;
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++)
            count++;
    out->end = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        int err = read_exponent(&p, end, &exponent);
        if (err)
            return err;
    }
    out->whole += exponent;
    return count && p == end ? 0 : WI_ERR_FORMAT;
}

/* The first `whole` digits as a number, zeros added where there are fewer, rounded by the next. */
static int compose(const struct decimal *in, int round, int64_t *value)
{
    int64_t sum = 0;
    int taken = 0;
    const char *p = in->digits;
    for (; p < in->end && taken < in->whole; p++) {
        if (*p == '.')
            continue;
        sum = sum * 10 + (*p - '0');
        taken++;
        if (sum > LIMIT / 10 && taken < in->whole)
            return WI_ERR_RANGE;
    }
    for (; taken < in->whole && sum; taken++) {
        if (sum > LIMIT / 10)
            return WI_ERR_RANGE;
        sum *= 10;
    }
    p += p < in->end && *p == '.';
    sum += round && in->whole >= 0 && p < in->end && *p >= '5';
    if (sum > LIMIT)
        return WI_ERR_RANGE;
    *value = in->negative ? -sum : sum;
    return 0;
}

int wi_decimal_round(const char *text, size_t len, int shift, int64_t *value)
{
    struct decimal parts;
    int err = len > INT32_MAX / 2 ? WI_ERR_RANGE : split(text, len, &parts);
    if (err)
        return err;
    parts.whole += shift;
    return compose(&parts, 1, value);
}

/* Digits and nothing else, as nearly all integers are: the same answer with less to look at. */
static int read_digits(const char *text, size_t len, int64_t *value)
{
    int64_t sum = 0;
    if (!len || len > 18) /* 10^18 is below the limit */
        return WI_ERR_FORMAT;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(text[i]))
            return WI_ERR_FORMAT;
        sum = sum * 10 + (text[i] - '0');
    }
    *value = sum;
    return 0;
}

int wi_decimal_cut(const char *text, size_t len, int64_t *value)
{
    struct decimal parts;
    if (read_digits(text, len, value) == 0)
        return 0;
    int err = len > INT32_MAX / 2 ? WI_ERR_RANGE : split(text, len, &parts);
    return err ? err : compose(&parts, 0, value);
}
