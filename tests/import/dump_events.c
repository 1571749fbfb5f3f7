/* Prints what an import gives, one event a line, for the tests to compare with what they worked
 * out themselves: dump_events [--partial] [--count] FILE. Exit 2 and one line on stderr if refused.
 * Also checks what every import promises: order, and that nothing lies before an ADVANCE.
 * Threads: one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "import/import.h"

struct dump {
    const struct wi_names *names;
    int quiet;
    int64_t last_ns, advanced_ns;
    uint64_t events, since;
    int broken;
};

static void check_order(struct dump *dump, const struct wi_event *event)
{
    int64_t at_ns = wi_event_time(event);
    dump->broken |= at_ns < dump->last_ns;
    if (at_ns == INT64_MIN)
        return;
    if (event->kind == WI_EVENT_ADVANCE) {
        dump->advanced_ns = at_ns;
        dump->since = 0;
    } else {
        dump->events++;
        dump->since++;
        int first = dump->advanced_ns == INT64_MIN;
        dump->broken |= !first && at_ns - dump->advanced_ns > 1000000;
        if (first)
            dump->advanced_ns = at_ns;
    }
    dump->last_ns = at_ns;
}

static void print_call(const struct wi_names *names, const struct wi_host_call *call)
{
    printf("call %" PRId64 " %" PRId64 " thread=%u class=%s flags=%u corr=%" PRIu64
           " bytes=%" PRIu64 " %s\n",
           call->enter_ns, call->exit_ns, call->thread, wi_api_class_word(call->api_class),
           call->flags, call->corr, call->bytes, wi_names_text(names, call->api));
}

static void print_op(const struct wi_names *names, const struct wi_device_op *op)
{
    static const char *const KINDS[] = {"kernel", "copy", "memset", "graph"};
    printf("op %" PRId64 " %" PRId64 " %s device=%d stream=%" PRIu64 " corr=%" PRIu64
           " flags=%u bytes=%" PRIu64 " %s %s>%s grid=%u,%u,%u block=%u,%u,%u regs=%u shared=%u"
           " %s\n",
           op->start_ns, op->end_ns, KINDS[op->kind], op->device, op->stream, op->corr, op->flags,
           op->bytes, wi_copy_direction_word(op->direction), wi_memory_kind_word(op->src_mem),
           wi_memory_kind_word(op->dst_mem), op->grid[0], op->grid[1], op->grid[2], op->block[0],
           op->block[1], op->block[2], op->registers, op->shared_bytes,
           wi_names_text(names, op->name));
}

static void print_event(const struct wi_names *names, const struct wi_event *event)
{
    const struct wi_device_info *device = &event->u.device;
    switch (event->kind) {
    case WI_EVENT_CALL:
        print_call(names, &event->u.call);
        break;
    case WI_EVENT_OP:
        print_op(names, &event->u.op);
        break;
    case WI_EVENT_SPAN:
        printf("span %" PRId64 " %" PRId64 " thread=%u %s %s\n", event->u.span.start_ns,
               event->u.span.end_ns, event->u.span.thread, wi_span_kind_word(event->u.span.kind),
               wi_names_text(names, event->u.span.name));
        break;
    case WI_EVENT_DEVICE:
        printf("device %d sms=%u threads=%u registers=%u shared=%u memory=%" PRIu64 " %s\n",
               device->device, device->sms, device->threads_per_sm, device->registers_per_sm,
               device->shared_bytes_per_sm, device->memory_bytes,
               wi_names_text(names, device->name));
        break;
    case WI_EVENT_LOSS:
        printf("loss %s count=%" PRIu64 " %s\n", wi_loss_kind_word(event->u.loss.kind),
               event->u.loss.count, wi_names_text(names, event->u.loss.reason));
        break;
    case WI_EVENT_SAMPLE:
        printf("sample %" PRId64 "\n", event->u.sample.at_ns);
        break;
    case WI_EVENT_PLACE:
        printf("place %s %s %s %" PRIx64 "\n", wi_names_text(names, event->u.place.site),
               wi_names_text(names, event->u.place.path),
               wi_names_text(names, event->u.place.build_id), event->u.place.address);
        break;
    case WI_EVENT_ADVANCE:
        break;
    }
}

static int take(void *user, const struct wi_event *event)
{
    struct dump *dump = user;
    check_order(dump, event);
    if (!dump->quiet)
        print_event(dump->names, event);
    return 0;
}

static void print_figure(const char *name, int64_t value)
{
    if (value == WI_UNKNOWN)
        printf(" %s=-", name);
    else
        printf(" %s=%" PRId64, name, value);
}

static void print_info(const struct wi_import_info *info)
{
    const struct wi_job *job = &info->job;
    printf("info format=%s partial=%d pid=%" PRId64, info->format, info->partial, job->pid);
    print_figure("rank", job->rank);
    print_figure("world", job->world);
    print_figure("start", job->start_ns);
    print_figure("end", job->end_ns);
    printf(" cuda=%s\n", job->cuda ? job->cuda : "-");
}

int main(int argc, char **argv)
{
    struct wi_import_options options = {0};
    struct dump dump = {.last_ns = INT64_MIN, .advanced_ns = INT64_MIN};
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        options.partial |= !strcmp(argv[i], "--partial");
        dump.quiet |= !strcmp(argv[i], "--count");
        path = argv[i];
    }
    struct wi_names *names = wi_names_create(16 << 20);
    struct wi_import_info info;
    struct wi_import_error error;
    struct rusage usage;
    dump.names = names;
    if (!names || !path)
        return 64;
    int err = wi_import_file(path, &options, names, take, &dump, &info, &error);
    if (err) {
        fprintf(stderr, "error %d at %" PRId64 ": %s\n", err, error.offset, error.text);
        return 2;
    }
    print_info(&info);
    getrusage(RUSAGE_SELF, &usage);
    if (dump.quiet)
        printf("events=%" PRIu64 " peak_kib=%ld\n", dump.events, usage.ru_maxrss);
    if (dump.broken)
        fprintf(stderr, "events out of order or too far from an advance\n");
    wi_names_free(names);
    return dump.broken ? 3 : 0;
}
