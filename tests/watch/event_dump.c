/* Prints what the watch said in a trace, one JSON object a line: every span and every sample.
 * Threads: one. */
#include <stdio.h>
#include <stdlib.h>

#include "model/event.h"
#include "model/names.h"
#include "model/trace_io.h"

#define MOST_BYTES ((size_t)64 << 20)
#define NAME_BYTES ((size_t)4 << 20)

static void figure(const char *name, long long value)
{
    if (value == WI_UNKNOWN)
        printf(", \"%s\": null", name);
    else
        printf(", \"%s\": %lld", name, value);
}

static void print_sample(const struct wi_host_sample *s, const struct wi_names *names)
{
    printf("{\"event\": \"sample\"");
#define FIGURE(member) figure(#member, s->member);
    FIGURE(interval_ns)
    FIGURE(children)
    FIGURE(child_cpu_permille)
    FIGURE(child_disk_permille)
    FIGURE(cores_allowed)
    FIGURE(cores_idle_permille)
    FIGURE(gpu_util_permille)
    FIGURE(throttled_ns)
    FIGURE(child_starts)
    FIGURE(child_exits)
    FIGURE(threads_busy)
    FIGURE(busiest_permille)
    FIGURE(issuer_run_permille)
    FIGURE(issuer_runnable_permille)
    FIGURE(serving_permille)
    FIGURE(runnable)
    FIGURE(cores_machine)
    FIGURE(others_permille)
    FIGURE(major_faults)
    FIGURE(read_bytes)
    FIGURE(gpu_memory_free_bytes)
    FIGURE(gpu_throttled)
    FIGURE(gpu_clock_mhz)
    FIGURE(link_generation)
    FIGURE(link_width)
#undef FIGURE
    printf(", \"busiest_name\": \"%s\"}\n",
           s->busiest_name ? wi_names_text(names, s->busiest_name) : "");
}

int main(int argc, char **argv)
{
    unsigned char *data = malloc(MOST_BYTES);
    FILE *file = argc > 1 && data ? fopen(argv[1], "rb") : NULL;
    struct wi_names *names = wi_names_create(NAME_BYTES);
    if (!file || !names)
        return 2;
    size_t len = fread(data, 1, MOST_BYTES, file), at = 0;
    fclose(file);
    struct wi_trace_reader reader;
    struct wi_event event;
    wi_trace_reader_init(&reader, names);
    while (at < len) {
        int have = 0;
        long used = wi_trace_read(&reader, data + at, len - at, &event, &have);
        if (used <= 0)
            return 3;
        at += (size_t)used;
        const struct wi_host_span *span = &event.u.span;
        if (have && event.kind == WI_EVENT_SPAN)
            printf("{\"event\": \"span\", \"kind\": \"%s\", \"start_ns\": %lld, \"end_ns\": %lld, "
                   "\"thread\": %u}\n",
                   wi_span_kind_word(span->kind), (long long)span->start_ns,
                   (long long)span->end_ns, span->thread);
        else if (have && event.kind == WI_EVENT_SAMPLE)
            print_sample(&event.u.sample, names);
    }
    wi_trace_reader_free(&reader);
    free(data);
    return 0;
}
