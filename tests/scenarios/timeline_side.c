/* Figures from the prose of `side` lines, by one table of patterns.
 * Threads: one. May not: refuse anything; what it does not understand stays unknown. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_side.h"

#define NUMBER INT64_MIN /* the field gets the number at '%' instead of a constant */

/* A pattern is looked for anywhere in a part (between semicolons), or at its start after '^'.
 * '*' is any text, '#' a number, '%' the number that is taken. A field keeps its first value. */
static const struct side_word {
    const char *pattern;
    size_t field;
    int64_t value;
} words[] = {
#define FIELD(name) offsetof(struct tl_side, name)
    {"^workers*n=%", FIELD(workers), NUMBER},
    {"^workers*cpu=%", FIELD(worker_cpu_percent), NUMBER},
    {"workers idle", FIELD(worker_cpu_percent), 0},
    {"^workers*state=D", FIELD(worker_disk_wait), 1},
    {"^workers*state=", FIELD(worker_disk_wait), 0},
    {"iowait high", FIELD(worker_disk_wait), 1},
    {"^workers*spawned again in each % s gap", FIELD(respawn_gap_s), NUMBER},
    {"machine % cores", FIELD(cores), NUMBER},
    {"machine # cores, % idle", FIELD(cores_idle), NUMBER},
    {"# of % cores idle", FIELD(cores), NUMBER},
    {"% of # cores idle", FIELD(cores_idle), NUMBER},
    {"host*cores=%", FIELD(cores), NUMBER},
    {"host*us=%", FIELD(user_percent), NUMBER},
    {"host*sy=%", FIELD(system_percent), NUMBER},
    {"launch thread*cpu=% in ", FIELD(launch_partly), 1},
    {"launch thread*cpu=% during ", FIELD(launch_partly), 1},
    {"launch thread*cpu=%", FIELD(launch_run_percent), NUMBER},
    {"launch thread oncpu % percent", FIELD(launch_run_percent), NUMBER},
    {"run-queue wait %", FIELD(launch_runnable_percent), NUMBER},
    {"^process threads*n=%", FIELD(threads), NUMBER},
    {"^process threads*cpu=%", FIELD(thread_cpu_percent), NUMBER},
    {"^process threads*during the gap", FIELD(threads_in_gap), 1},
    {"^thread *cpu=%", FIELD(thread_cpu_percent), NUMBER},
    {"^thread *in munmap", FIELD(thread_cpu_percent), 100},
    {"^thread *n=%", FIELD(threads), NUMBER},
    {"^thread ", FIELD(threads), 1},
    {"no other thread of the process busy", FIELD(thread_cpu_percent), 0},
    {"accept queue", FIELD(serves), 1},
    {"inbox", FIELD(serves), 1},
    {"stack:*collector", FIELD(collector), 1},
    {"sms=%", FIELD(sms), NUMBER},
#undef FIELD
};

void tl_side_clear(struct tl_side *side)
{
    memset(side, 0, sizeof(*side));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        *(int64_t *)((char *)side + words[i].field) = TL_NOT_GIVEN;
}

/* 1 if text begins with the pattern; *number gets what stands at '%'. */
static int matches(const char *text, const char *pattern, int64_t *number)
{
    for (; *pattern; pattern++) {
        if (*pattern == '*') {
            for (; *text; text++)
                if (matches(text, pattern + 1, number))
                    return 1;
            return 0;
        }
        if (*pattern == '%' || *pattern == '#') {
            char *end;
            double value = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

            if (value < 0 || value > 1e9)
                return 0;
            if (*pattern == '%')
                *number = llround(value);
            text = end;
        } else if (*text++ != *pattern) {
            return 0;
        }
    }
    return 1;
}

static int found(const char *part, const char *pattern, int64_t *number)
{
    if (*pattern == '^')
        return matches(part, pattern + 1, number);
    for (; *part; part++) {
        /* Not inside a longer number. */
        if (matches(part, pattern, number))
            return 1;
        while (isdigit((unsigned char)*part) && isdigit((unsigned char)part[1]))
            part++;
    }
    return 0;
}

static void take_thread_name(struct tl_side *side, const char *part)
{
    size_t len = strcspn(part, " ");

    if (*side->thread_name || len >= sizeof(side->thread_name))
        return;
    memcpy(side->thread_name, part, len);
    side->thread_name[len] = 0;
}

void tl_parse_side(struct tl_side *side, char *text)
{
    for (char *save, *part = strtok_r(text, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        while (isspace((unsigned char)*part))
            part++;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            int64_t *field = (int64_t *)((char *)side + words[i].field), number = 0;

            if (*field == TL_NOT_GIVEN && found(part, words[i].pattern, &number))
                *field = words[i].value == NUMBER ? number : words[i].value;
        }
        if (!strncmp(part, "thread ", 7))
            take_thread_name(side, part + 7);
    }
}
