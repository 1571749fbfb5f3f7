/* Copies and kernels of the live player.
 * Threads: the launching thread only. The virtual GPU is told how long a copy takes; a real one
 * gets as many bytes as it copies in that time, so that the timeline's durations hold there too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "live_cores.h"
#include "live_device.h"
#include "live_log.h"
#include "pace.h"

#define MAX_STREAMS      16
#define MAX_BUFFER       (256u << 20)
#define OFFSETS          (1u << 20) /* of host memory behind it: places where a copy may begin */
#define PROBE_BYTES      (4u << 20)
#define PROBE_ROUNDS     2
#define FIXED_COPY_NS    20000 /* below, the size decides nothing on a real GPU */
#define DEFAULT_BLOCK    256
#define ALLOCATION_BYTES (1u << 20)

static struct {
    void *device;
    char *host[2]; /* pageable, pinned */
    size_t bytes;
    double bytes_per_ns[2][2]; /* by pinned and to-host; real GPUs only */
    void *stream[MAX_STREAMS];
    int64_t launch_ns, copy_ns; /* what an own call costs, smoothed */
    void **allocated;           /* a stack */
    int64_t allocations;
    int run_percent; /* of a core that the launching thread gets */
} gpu;

const char *live_device_problem(const struct tl_line *line)
{
    if (line->op == TL_COLL || line->op == TL_GRAPH)
        return "graphs and collectives are played in virtual time only";
    if (line->gap_ns || line->blocking)
        return "device-side gaps and blocking launches are played in virtual time only";
    return NULL;
}

static void measure_copies(void)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        for (int to_host = 0; to_host < 2; to_host++) {
            int64_t start = 0;

            /* The first round pays for what only happens once. */
            for (int round = 0; round <= PROBE_ROUNDS; round++) {
                if (round == 1)
                    start = pace_now();
                if (to_host)
                    gpu_download(gpu.host[pinned], gpu.device, PROBE_BYTES);
                else
                    gpu_upload(gpu.device, gpu.host[pinned], PROBE_BYTES);
            }
            gpu.bytes_per_ns[pinned][to_host] =
                (double)PROBE_BYTES * PROBE_ROUNDS / (double)(pace_now() - start);
        }
    }
}

/* What a call of this kind takes, 0 if the program has none. */
static int64_t cost_of(const struct tl_rank *rank, enum tl_op op)
{
    for (int i = 0; i < rank->lines; i++)
        if (rank->program[i].op == op)
            return rank->program[i].ns;
    return 0;
}

/* The virtual GPU is told what allocations cost; on a real one they cost what they cost. */
static void set_costs(const struct tl_rank *rank)
{
    static const struct {
        const char *setting;
        enum tl_op op;
    } costs[] = {{"VGPU_ALLOC_NS", TL_MALLOC},
                 {"VGPU_FREE_NS", TL_FREE},
                 {"VGPU_PIN_NS_PER_MIB", TL_HOSTALLOC}};
    char text[32];

    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        if (!cost_of(rank, costs[i].op))
            continue;
        snprintf(text, sizeof(text), "%lld", (long long)cost_of(rank, costs[i].op));
        setenv(costs[i].setting, text, 1);
    }
}

/* So that the first line that frees has something to free. */
static int allocate_ahead(const struct tl_rank *rank)
{
    int64_t most = 0;

    for (int i = 0; i < rank->lines; i++)
        if (rank->program[i].op == TL_FREE || rank->program[i].op == TL_MALLOC)
            most += rank->program[i].count;
    gpu.allocated = calloc((size_t)most * 2 + 1, sizeof(*gpu.allocated));
    if (!gpu.allocated)
        return -1;
    for (int i = 0; i < rank->lines; i++)
        for (int64_t n = 0; rank->program[i].op == TL_FREE && n < rank->program[i].count; n++)
            gpu.allocated[gpu.allocations++] = gpu_alloc(ALLOCATION_BYTES);
    return 0;
}

int live_device_start(const struct tl_block *block)
{
    const struct tl_rank *rank = &block->rank[0];

    set_costs(rank);
    gpu.run_percent = live_cores_shared() ? (int)block->side.launch_run_percent : 100;
    if (gpu_init() || allocate_ahead(rank))
        return -1;
    gpu.bytes = PROBE_BYTES;
    for (int i = 0; i < rank->lines; i++) {
        const struct tl_line *line = &rank->program[i];

        if ((size_t)line->bytes > gpu.bytes)
            gpu.bytes = (size_t)line->bytes;
        if (line->stream && !gpu.stream[line->stream % MAX_STREAMS])
            gpu.stream[line->stream % MAX_STREAMS] = gpu_stream();
    }
    if (gpu.bytes > MAX_BUFFER)
        gpu.bytes = MAX_BUFFER;
    gpu.device = gpu_alloc(gpu.bytes);
    gpu.host[0] = malloc(gpu.bytes + OFFSETS);
    gpu.host[1] = gpu_host_alloc(gpu.bytes + OFFSETS);
    if (!gpu.host[0])
        return -1;
    for (int i = 0; i < 2; i++)
        memset(gpu.host[i], 1, gpu.bytes + OFFSETS);
    if (!gpu_is_virtual())
        measure_copies();
    gpu_sync();
    return 0;
}

/* Spins so that the call, which itself takes about *cost_ns, ends host_ns from now. */
static int64_t pace_call(int64_t host_ns, int64_t cost_ns)
{
    if (gpu.run_percent >= 100) {
        pace_burn_until(pace_now() + host_ns - cost_ns);
        return pace_now();
    }
    /* The rest of the time others take it away. */
    for (int64_t stop = live_cpu_now() + host_ns * gpu.run_percent / 100; live_cpu_now() < stop;)
        ;
    return pace_now();
}

static void learn_cost(int64_t *cost_ns, int64_t cost, int64_t host_ns)
{
    /* A call that waits (full queue, preemption) says nothing about its own cost. */
    if (cost < host_ns)
        *cost_ns += (cost - *cost_ns) / 8;
}

static void play_kernels(const struct tl_line *line)
{
    unsigned block = line->block ? line->block : DEFAULT_BLOCK;
    unsigned grid = line->grid ? line->grid : line->underfilled ? 1 : gpu_full_grid();
    enum gpu_kernel kernel = line->underfilled ? GPU_SPIN_THIN : GPU_SPIN;

    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = pace_call(line->host_ns, gpu.launch_ns);

        gpu_spin(kernel, line->dev_ns, grid, block, gpu.stream[line->stream % MAX_STREAMS]);
        int64_t exit = pace_now();
        learn_cost(&gpu.launch_ns, exit - enter, line->host_ns);
        live_log(line, enter, exit);
    }
}

static size_t copy_bytes(const struct tl_line *line)
{
    size_t bytes = (size_t)line->bytes;

    if (!gpu_is_virtual() && line->dev_ns >= FIXED_COPY_NS)
        bytes = (size_t)((double)line->dev_ns * gpu.bytes_per_ns[line->pinned][line->op == TL_D2H]);
    return bytes > gpu.bytes ? gpu.bytes : bytes;
}

/* Where the next copy begins: other data than the one before, unless the line says the same. */
static char *next_host(const struct tl_line *line)
{
    static size_t copies;

    return gpu.host[line->pinned] + (line->same ? 0 : ++copies * 64 % OFFSETS);
}

static void copy_once(const struct tl_line *line, size_t bytes)
{
    void *stream = gpu.stream[line->stream % MAX_STREAMS], *host = next_host(line);
    int plain = line->sync && !stream;

    gpu_next_copy_ns(line->dev_ns);
    if (line->op == TL_H2D && plain)
        gpu_upload(gpu.device, host, bytes);
    else if (line->op == TL_H2D)
        gpu_upload_async(gpu.device, host, bytes, stream);
    else if (plain)
        gpu_download(host, gpu.device, bytes);
    else
        gpu_download_async(host, gpu.device, bytes, stream);
}

static void play_copies(const struct tl_line *line)
{
    size_t bytes = copy_bytes(line);

    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = pace_call(line->host_ns, line->sync ? 0 : gpu.copy_ns);

        copy_once(line, bytes);
        int64_t exit = pace_now();
        if (!line->sync)
            learn_cost(&gpu.copy_ns, exit - enter, line->host_ns);
        live_log(line, enter, exit);
    }
}

static void play_sync(const struct tl_line *line)
{
    int64_t enter = pace_now();

    gpu_sync();
    live_log(line, enter, pace_now());
}

static void play_allocations(const struct tl_line *line)
{
    for (int64_t i = 0; i < line->count; i++) {
        int64_t enter = pace_now();

        if (line->op == TL_MALLOC)
            gpu.allocated[gpu.allocations++] = gpu_alloc(ALLOCATION_BYTES);
        else if (line->op == TL_HOSTALLOC)
            gpu_host_alloc(ALLOCATION_BYTES); /* kept: the timeline never gives it back */
        else if (gpu.allocations)
            gpu_free(gpu.allocated[--gpu.allocations]);
        live_log(line, enter, pace_now());
    }
}

void live_device_play(const struct tl_line *line)
{
    switch (line->op) {
    case TL_KERN:
        play_kernels(line);
        break;
    case TL_H2D:
    case TL_D2H:
        play_copies(line);
        break;
    case TL_MALLOC:
    case TL_FREE:
    case TL_HOSTALLOC:
        play_allocations(line);
        break;
    default:
        play_sync(line);
        break;
    }
}
