/* Figures from the prose of `side` lines.
 * Threads: one. May not: refuse anything; what it does not understand stays unknown. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline_side.h"

const struct tl_side tl_side_unknown = {TL_NOT_GIVEN, TL_NOT_GIVEN, TL_NOT_GIVEN,
                                        TL_NOT_GIVEN, TL_NOT_GIVEN, TL_NOT_GIVEN};

/* The number right after `word` in text, or TL_NOT_GIVEN. */
static int64_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    if (!at || !isdigit((unsigned char)at[strlen(word)]))
        return TL_NOT_GIVEN;
    return strtoll(at + strlen(word), NULL, 10);
}

/* "machine 16 cores, 12 idle", "9 of 12 cores idle", "host cores=64". */
static void parse_machine(struct tl_side *side, const char *part)
{
    long long cores, idle;
    const char *at = strstr(part, "machine ");

    if (at && sscanf(at, "machine %lld cores, %lld idle", &cores, &idle) == 2) {
        side->cores = cores;
        side->cores_idle = idle;
        return;
    }
    for (at = part; *at; at++) {
        if (sscanf(at, "%lld of %lld cores idle", &idle, &cores) == 2) {
            side->cores = cores;
            side->cores_idle = idle;
            return;
        }
    }
    if (number_after(part, "cores=") >= 0)
        side->cores = number_after(part, "cores=");
}

void tl_parse_side(struct tl_side *side, char *text)
{
    for (char *save, *part = strtok_r(text, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        const char *workers = strstr(part, "workers ");

        if (workers && number_after(workers, "n=") >= 0) {
            const char *state = strstr(workers, "state=");

            side->workers = number_after(workers, "n=");
            side->worker_cpu_percent = number_after(workers, "cpu=");
            if (state)
                side->worker_disk_wait = state[6] == 'D';
        }
        if (number_after(part, "sms=") >= 0)
            side->sms = number_after(part, "sms=");
        parse_machine(side, part);
    }
}
