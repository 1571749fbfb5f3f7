/* Figures for people, see human.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/human.h"

#include "base/attr.h"
#include "model/event.h"

struct unit {
    double size;
    const char *name;
};

static const struct unit TIME_UNITS[] = {
    {1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"},
};
/* Seconds are kept up to 1000 s and minutes up to 100 min, so that runs stay comparable. */
static const double TIME_LIMITS[] = {999.5, 999.5, 999.5, 999.5, 99.95};

static const struct unit BYTE_UNITS[] = {
    {1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"},
};

/* At most three digits, without trailing zeros behind the point. */
static void three_digits(struct wi_out *out, double value)
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    int64_t scaled = (int64_t)(value * (decimals == 2 ? 100 : decimals == 1 ? 10 : 1) + 0.5);
    while (decimals > 0 && scaled % 10 == 0) {
        scaled /= 10;
        decimals--;
    }
    wi_out_fixed(out, value, decimals);
}

static void with_unit(struct wi_out *out, double value, const struct unit *unit)
{
    three_digits(out, value / unit->size);
    wi_out_char(out, ' ');
    wi_out_str(out, unit->name);
}

static const struct unit *time_unit(int64_t ns)
{
    size_t i = 0;
    while (i + 1 < WI_ARRAY_LEN(TIME_UNITS) && (double)ns / TIME_UNITS[i].size >= TIME_LIMITS[i])
        i++;
    return &TIME_UNITS[i];
}

void wi_human_ns(struct wi_out *out, int64_t ns)
{
    if (ns < 0)
        wi_out_char(out, '-');
    else
        with_unit(out, (double)ns, time_unit(ns));
}

void wi_human_part(struct wi_out *out, int64_t ns, int64_t whole)
{
    if (ns < 0 || whole < 0)
        wi_out_char(out, '-');
    else
        three_digits(out, (double)ns / time_unit(whole)->size);
}

void wi_human_change(struct wi_out *out, int64_t before_ns, int64_t after_ns)
{
    wi_human_part(out, before_ns, before_ns);
    wi_out_str(out, "\u00a0->\u00a0");
    wi_human_part(out, after_ns, before_ns);
    if (before_ns >= 0)
        wi_out_f(out, "\u00a0%s", time_unit(before_ns)->name);
}

/* The unit in which value has at most three digits before the point. */
static const struct unit *byte_unit(double value)
{
    size_t i = 0;
    while (i + 1 < WI_ARRAY_LEN(BYTE_UNITS) && value / BYTE_UNITS[i].size >= 999.5)
        i++;
    return &BYTE_UNITS[i];
}

void wi_human_bytes(struct wi_out *out, int64_t bytes)
{
    if (bytes < 0)
        wi_out_char(out, '-');
    else
        with_unit(out, (double)bytes, byte_unit((double)bytes));
}

void wi_human_rate(struct wi_out *out, int64_t bytes, int64_t ns)
{
    if (bytes < 0 || ns <= 0) {
        wi_out_char(out, '-');
        return;
    }
    double rate = (double)bytes * 1e9 / (double)ns;
    with_unit(out, rate, byte_unit(rate));
    wi_out_str(out, "/s");
}

void wi_human_share(struct wi_out *out, int64_t part, int64_t whole, int decimals)
{
    if (part < 0 || whole <= 0) {
        wi_out_char(out, '-');
        return;
    }
    wi_out_fixed(out, (double)part * 100.0 / (double)whole, decimals);
    wi_out_str(out, " %");
}

void wi_human_count(struct wi_out *out, int64_t count)
{
    if (count == WI_UNKNOWN)
        wi_out_char(out, '-');
    else
        wi_out_i64(out, count);
}
