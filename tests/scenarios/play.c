/* Plays timeline files in virtual time.
 *   play list FILE                             one line a block: case, block name, ranks,
 *                                              SMs of the device (0 = not said); a broken block has
 *                                              0 ranks
 *   play truth FILE [--cut CUT]            one JSON line a block and rank: shares by tag
 *   play report FILE [--cut CUT]           one JSON line a block and rank: its truth and what
 *                                              whyidle reports of it
 *   play trace FILE CASE NAME DIR [--cut CUT]
 *                                              writes DIR/rank<R>.wit, binary event traces
 *   play played FILE CASE NAME LOG             the truth of a live run as play_live recorded it
 *   play whatif FILE CASE NAME SPEC... [--cut CUT]
 *                                              one JSON line a rank and SPEC: what whyidle says
 *                                              the change would bring
 *   play dump FILE CASE NAME                   the events as text, to look at
 * NAME is the word after ```timeline, "-" if there is none; CUT is LOOPS[:INNER[:LONGEST_MS]]. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live_log.h"
#include "model/trace_io.h"
#include "timeline_cut.h"
#include "timeline_events.h"
#include "timeline_report.h"
#include "timeline_truth.h"
#include "timeline_whatif.h"

#define NAMES_BYTES (4u << 20)

struct trace_file {
    struct wi_out out;
    struct wi_trace_writer writer;
    char buf[65536];
};

static int list(const struct tl_file *file)
{
    for (int b = 0; b < file->blocks; b++) {
        const struct tl_block *block = &file->block[b];

        printf("%s %s %d %lld\n", block->case_id, *block->name ? block->name : "-", block->ranks,
               block->side.sms < 0 ? 0 : (long long)block->side.sms);
    }
    return 0;
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* launches < 0: not counted */
static void print_rank(const struct tl_block *block, int rank, const struct tl_truth *truth,
                       int64_t launches)
{
    printf("{\"case\":\"%s\",\"block\":\"%s\",\"rank\":%d,\"length_ns\":%lld,", block->case_id,
           *block->name ? block->name : "-", block->rank[rank].id, (long long)truth->length_ns);
    if (truth->thin_tag) {
        printf("\"thin_tag\":");
        print_string(truth->thin_tag);
        putchar(',');
    }
    if (launches >= 0)
        printf("\"launches\":%lld,", (long long)launches);
    printf("\"shares\":{");
    for (int i = 0; i < truth->shares; i++) {
        if (i)
            putchar(',');
        print_string(truth->share[i].tag);
        printf(":%lld", (long long)truth->share[i].ns);
    }
    printf("}}");
}

static int print_truth(const struct tl_file *file, int64_t max_loops)
{
    struct tl_truth *truth = calloc(TL_MAX_RANKS, sizeof(*truth));

    for (int b = 0; truth && b < file->blocks; b++)
        if (!tl_truth(&file->block[b], max_loops, truth))
            for (int r = 0; r < file->block[b].ranks; r++) {
                print_rank(&file->block[b], r, &truth[r], -1);
                putchar('\n');
            }
    free(truth);
    return 0;
}

/* A block that cannot be played has no line. */
static int print_reports(const struct tl_file *file, int64_t max_loops)
{
    struct tl_truth *truth = calloc(TL_MAX_RANKS, sizeof(*truth));
    char *json[TL_MAX_RANKS];

    for (int b = 0; truth && b < file->blocks; b++) {
        const struct tl_block *block = &file->block[b];

        if (!block->ranks || tl_truth(block, max_loops, truth) ||
            tl_reports(block, max_loops, json))
            continue;
        for (int r = 0; r < block->ranks; r++) {
            printf("{\"truth\":");
            print_rank(block, r, &truth[r], -1);
            printf(",\"report\":%s}\n", json[r]);
            free(json[r]);
        }
        fflush(stdout);
    }
    free(truth);
    return 0;
}

static int print_played(const struct tl_block *block, const char *path)
{
    struct tl_truth truth;
    struct live_record record, *records = NULL;
    int64_t count = 0, launches = 0;
    int cap = 0;
    FILE *in = fopen(path, "rb");

    if (!in) {
        perror(path);
        return -1;
    }
    while (fread(&record, sizeof(record), 1, in) == 1) {
        if (count == cap) {
            cap = cap ? cap * 2 : 4096;
            records = realloc(records, (size_t)cap * sizeof(*records));
            if (!records)
                abort();
        }
        records[count++] = record;
    }
    fclose(in);
    int rc = tl_truth_played(block, records, count, &truth);
    for (int64_t i = 0; !rc && i < count; i++)
        launches += block->rank[0].program[records[i].line].op == TL_KERN;
    if (!rc) {
        print_rank(block, 0, &truth, launches);
        putchar('\n');
    }
    free(records);
    return rc;
}

static void to_trace(void *ctx, int rank, const struct wi_event *event)
{
    struct trace_file *const *files = ctx;

    wi_trace_write(&files[rank]->writer, event);
}

static int write_traces(const struct tl_block *block, const char *dir, int64_t max_loops)
{
    struct trace_file *files[TL_MAX_RANKS] = {NULL};
    struct wi_names *names = wi_names_create(NAMES_BYTES);
    int rc = names ? 0 : -1;

    for (int r = 0; !rc && r < block->ranks; r++) {
        char path[4096];
        struct trace_file *file = files[r] = calloc(1, sizeof(*file));

        snprintf(path, sizeof(path), "%s/rank%d.wit", dir, block->rank[r].id);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (!file || fd < 0) {
            perror(path);
            rc = -1;
            break;
        }
        wi_out_fd(&file->out, fd, file->buf, sizeof(file->buf));
        wi_trace_begin(&file->writer, &file->out, names);
    }
    if (!rc)
        rc = tl_events(block, max_loops, names, to_trace, files);
    for (int r = 0; r < block->ranks && files[r]; r++) {
        if (wi_out_finish(&files[r]->out))
            rc = -1;
        close(files[r]->out.fd);
        free(files[r]);
    }
    wi_names_free(names);
    return rc;
}

static void print_sample(const struct wi_names *names, const struct wi_host_sample *sample)
{
    const struct {
        const char *word;
        int64_t value;
    } figures[] = {
        {"children", sample->children},
        {"cpu", sample->child_cpu_permille},
        {"disk", sample->child_disk_permille},
        {"starts", sample->child_starts},
        {"exits", sample->child_exits},
        {"cores", sample->cores_allowed},
        {"idle", sample->cores_idle_permille},
        {"runnable", sample->runnable},
        {"threads-busy", sample->threads_busy},
        {"busiest", sample->busiest_permille},
        {"issuer-run", sample->issuer_run_permille},
        {"issuer-runnable", sample->issuer_runnable_permille},
        {"throttled", sample->throttled_ns},
    };

    printf("sample");
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (figures[i].value != WI_UNKNOWN)
            printf(" %s %lld", figures[i].word, (long long)figures[i].value);
    printf(" %s\n", wi_names_text(names, sample->busiest_name));
}

static void print_event(void *ctx, int rank, const struct wi_event *event)
{
    const struct wi_names *names = ctx;
    const struct wi_host_call *call = &event->u.call;
    const struct wi_device_op *op = &event->u.op;
    const struct wi_host_sample *sample = &event->u.sample;

    printf("%d %lld ", rank, (long long)wi_event_time(event));
    switch (event->kind) {
    case WI_EVENT_CALL:
        printf("call %s %s %lld corr %llu flags %d run %lld runnable %lld\n",
               wi_api_class_word(call->api_class), wi_names_text(names, call->api),
               (long long)(call->exit_ns - call->enter_ns), (unsigned long long)call->corr,
               call->flags, (long long)call->run_ns, (long long)call->runnable_ns);
        break;
    case WI_EVENT_OP:
        printf("op %s %lld corr %llu stream %llu grid %u bytes %llu\n",
               op->kind == WI_OP_KERNEL ? wi_names_text(names, op->name)
                                        : wi_copy_direction_word(op->direction),
               (long long)(op->end_ns - op->start_ns), (unsigned long long)op->corr,
               (unsigned long long)op->stream, op->grid[0], (unsigned long long)op->bytes);
        break;
    case WI_EVENT_SPAN:
        printf("span %s %lld %s\n", wi_span_kind_word(event->u.span.kind),
               (long long)(event->u.span.end_ns - event->u.span.start_ns),
               wi_names_text(names, event->u.span.name));
        break;
    case WI_EVENT_SAMPLE:
        print_sample(names, sample);
        break;
    default:
        printf("device sms %u\n", event->u.device.sms);
        break;
    }
}

static int dump(const struct tl_block *block, int64_t max_loops)
{
    struct wi_names *names = wi_names_create(NAMES_BYTES);
    int rc = names ? tl_events(block, max_loops, names, print_event, names) : -1;

    wi_names_free(names);
    return rc;
}

static int usage(void)
{
    fputs("usage: play list|truth|report FILE [--cut CUT]\n"
          "       play dump FILE CASE NAME [--cut CUT]\n"
          "       play trace FILE CASE NAME DIR [--cut CUT]\n"
          "       play whatif FILE CASE NAME SPEC... [--cut CUT]\n"
          "       play played FILE CASE NAME LOG\n",
          stderr);
    return 2;
}

static int run(const struct tl_file *file, int argc, char **argv, const struct tl_cut *cut)
{
    int64_t max_loops = cut->loops;

    if (!strcmp(argv[1], "list") && argc == 3)
        return list(file);
    if (!strcmp(argv[1], "truth") && argc == 3)
        return print_truth(file, max_loops);
    if (!strcmp(argv[1], "report") && argc == 3)
        return print_reports(file, max_loops);
    if (argc < 5)
        return usage();
    const struct tl_block *block = tl_find(file, argv[3], strcmp(argv[4], "-") ? argv[4] : "");
    if (!block) {
        fprintf(stderr, "%s: no case %s %s\n", argv[2], argv[3], argv[4]);
        return 2;
    }
    if (!block->ranks)
        return 2;
    if (!strcmp(argv[1], "dump") && argc == 5)
        return dump(block, max_loops) ? 1 : 0;
    if (!strcmp(argv[1], "played") && argc == 6)
        return print_played(block, argv[5]) ? 1 : 0;
    if (!strcmp(argv[1], "trace") && argc == 6)
        return write_traces(block, argv[5], max_loops) ? 1 : 0;
    if (!strcmp(argv[1], "whatif") && argc > 5)
        return tl_whatif(block, max_loops, argv + 5, argc - 5) ? 1 : 0;
    return usage();
}

int main(int argc, char **argv)
{
    struct tl_file file;
    struct tl_cut cut = {0, 0, 0};

    if (argc > 2 && !strcmp(argv[argc - 2], "--cut")) {
        if (tl_read_cut(&cut, argv[argc - 1]))
            return usage();
        argc -= 2;
    }
    if (argc < 3)
        return usage();
    if (tl_read(&file, argv[2]))
        return 2;
    for (int b = 0; b < file.blocks; b++)
        tl_cut(&file.block[b], &cut);
    int rc = run(&file, argc, argv, &cut);
    tl_free(&file);
    return rc;
}
