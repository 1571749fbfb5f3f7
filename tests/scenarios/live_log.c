/* The live player's record of itself: one array, filled without a system call.
 * Threads: the launching thread only. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live_log.h"
#include "timeline_sim.h"

static struct {
    const struct tl_line *program;
    struct live_record *records;
    int64_t count, cap, zero_ns;
} played;

static void count_call(void *ctx, int rank, const struct tl_line *line, int64_t enter, int64_t exit,
                       int64_t op_start, int64_t op_end)
{
    (void)rank, (void)line, (void)enter, (void)exit, (void)op_start, (void)op_end;
    ++*(int64_t *)ctx;
}

static void count_silence(void *ctx, int rank, const struct tl_line *line, int64_t a, int64_t b)
{
    (void)rank, (void)line, (void)a, (void)b;
    ++*(int64_t *)ctx;
}

int live_log_start(const struct tl_block *block, int64_t loops)
{
    struct tl_sink count = {.call = count_call, .silence = count_silence, .ctx = &played.cap};

    played.program = block->rank[0].program;
    if (tl_play(block, loops, &count) < 0)
        return -1;
    size_t bytes = (size_t)played.cap * sizeof(*played.records);
    played.records = malloc(bytes ? bytes : 1);
    if (!played.records)
        return -1;
    /* Touched now, so that no page fault falls into the run. */
    memset(played.records, 0, bytes);
    return 0;
}

void live_log_zero(int64_t now_ns)
{
    played.zero_ns = now_ns;
}

void live_log_silence(const struct tl_line *line, int64_t enter_ns, int64_t exit_ns,
                      int64_t runnable_ns)
{
    if (played.count < played.cap)
        played.records[played.count++] =
            (struct live_record){line - played.program, enter_ns - played.zero_ns,
                                 exit_ns - played.zero_ns, runnable_ns};
}

void live_log(const struct tl_line *line, int64_t enter_ns, int64_t exit_ns)
{
    live_log_silence(line, enter_ns, exit_ns, 0);
}

int64_t live_run_queue_ns(void)
{
    static int fd = -1;
    char text[96] = "";
    long long run, waited = 0;

    if (fd < 0)
        fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, text, sizeof(text) - 1, 0) <= 0 ||
        sscanf(text, "%lld %lld", &run, &waited) != 2)
        return 0;
    return waited;
}

int live_log_write(const char *path)
{
    FILE *out = fopen(path, "wb");
    size_t count = (size_t)played.count;

    if (!out)
        return -1;
    size_t done = fwrite(played.records, sizeof(*played.records), count, out);
    return fclose(out) || done != count ? -1 : 0;
}
