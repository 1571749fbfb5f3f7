/* Records of the vendor's newest structures, walked by the vendor's own libcupti (which needs no
 * driver for that), must decode to what was put into them: the measured strides and the prefixes
 * are right for this version. Built against the headers of that version: REAL_Kernel and the like
 * name its newest structures (scripts/abi_matrix.sh), by default those of CUDA 13.0.
 *   decode_real LIBCUPTI     prints the strides; the status says whether all agrees, 3 that this
 *                            version walks nothing without a driver
 *   decode_real -            the layouts alone: records as far apart as the structures are long
 * Threads: one. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cuda.h>
#include <cupti_activity.h>

#include "cuda/call_table.h"
#include "cuda/decode.h"

#ifndef REAL_Kernel
#define REAL_Kernel     CUpti_ActivityKernel10
#define REAL_Memcpy     CUpti_ActivityMemcpy6
#define REAL_MemcpyPtoP CUpti_ActivityMemcpyPtoP4
#define REAL_Memset     CUpti_ActivityMemset4
#define REAL_GraphTrace CUpti_ActivityGraphTrace2
#define REAL_Device     CUpti_ActivityDevice5
#define REAL_Overhead   CUpti_ActivityOverhead3
#define REAL_Context    CUpti_ActivityContext3
#endif

#ifdef REAL_GraphTrace
#define GRAPHS 1
#else
#define GRAPHS 0
#endif

static int failed;

#define EQUAL(got, wanted)                                                                         \
    do {                                                                                           \
        if ((long long)(got) != (long long)(wanted)) {                                             \
            printf("%s is %lld, wanted %lld\n", #got, (long long)(got), (long long)(wanted));      \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)

static struct {
    struct wi_record records[16];
    int count;
} taken;

static void take(void *user, const struct wi_record *record)
{
    (void)user;
    if (taken.count < 16)
        taken.records[taken.count++] = *record;
}

static struct {
    _Alignas(8) uint8_t bytes[4096];
    size_t used;
} buffer;

static void put(const void *record, size_t size, size_t stride)
{
    EQUAL(stride, size); /* the library knows its own structures */
    memcpy(buffer.bytes + buffer.used, record, size);
    buffer.used += stride;
}

/* Versions before 11.7 record no graphs as a whole. */
static void put_graph(const struct wi_cupti *cupti, uint64_t now)
{
#ifdef REAL_GraphTrace
    REAL_GraphTrace graph = {.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                             .correlationId = 1238,
                             .start = now,
                             .end = now + 9,
                             .deviceId = 1};
    put(&graph, sizeof(graph), cupti->stride[WI_KIND_GRAPH_TRACE]);
#else
    (void)cupti;
    (void)now;
#endif
}

static void fill(const struct wi_cupti *cupti, uint64_t now)
{
    REAL_Kernel kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                          .start = now,
                          .end = now + 500,
                          .deviceId = 3,
                          .streamId = 7,
                          .gridX = 11,
                          .gridY = 12,
                          .gridZ = 13,
                          .blockX = 14,
                          .blockY = 15,
                          .blockZ = 16,
                          .registersPerThread = 99,
                          .staticSharedMemory = 100,
                          .dynamicSharedMemory = 28,
                          .correlationId = 1234,
                          .name = "a_kernel"};
    REAL_Memcpy copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                        .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                        .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                        .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                        .bytes = 4096,
                        .start = now,
                        .end = now + 20,
                        .streamId = 8,
                        .correlationId = 1235,
                        .graphNodeId = 5};
    REAL_MemcpyPtoP peer = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                            .bytes = 64,
                            .start = now,
                            .end = now + 1,
                            .srcDeviceId = 0,
                            .dstDeviceId = 1,
                            .correlationId = 1236};
    REAL_Memset set = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                       .bytes = 77,
                       .start = 0,
                       .end = 0,
                       .correlationId = 1237};
    REAL_Device device = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                          .id = 2,
                          .numMultiprocessors = 132,
                          .maxWarpsPerMultiprocessor = 64,
                          .numThreadsPerWarp = 32,
                          .maxBlocksPerMultiprocessor = 32,
                          .globalMemorySize = 123456789,
                          .name = "a device"};
    REAL_Overhead own = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
                         .overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                         .start = now,
                         .end = now + 42};
    REAL_Overhead load = own, compile = own, other = own; /* older headers lack the names */
    load.overheadKind = (CUpti_ActivityOverheadKind)(5 << 16);
    load.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    load.objectId.pt.processId = 4711;
    load.objectId.pt.threadId = 4712;
    load.end = now + 43;
    compile.overheadKind = CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER;
    compile.objectKind = CUPTI_ACTIVITY_OBJECT_PROCESS;
    other.overheadKind = (CUpti_ActivityOverheadKind)(8 << 16);
    REAL_Context context = {.kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = 6, .deviceId = 2};
    put(&kernel, sizeof(kernel), cupti->stride[WI_KIND_CONCURRENT_KERNEL]);
    put(&copy, sizeof(copy), cupti->stride[WI_KIND_MEMCPY]);
    put(&peer, sizeof(peer), cupti->stride[WI_KIND_MEMCPY2]);
    put(&set, sizeof(set), cupti->stride[WI_KIND_MEMSET]);
    put_graph(cupti, now);
    put(&device, sizeof(device), cupti->stride[WI_KIND_DEVICE]);
    put(&own, sizeof(own), cupti->stride[WI_KIND_OVERHEAD]);
    put(&load, sizeof(load), cupti->stride[WI_KIND_OVERHEAD]);
    put(&compile, sizeof(compile), cupti->stride[WI_KIND_OVERHEAD]);
    put(&other, sizeof(other), cupti->stride[WI_KIND_OVERHEAD]);
    put(&context, sizeof(context), cupti->stride[WI_KIND_CONTEXT]);
}

static void check(const struct wi_names *names, uint64_t now)
{
    const struct wi_record *r = taken.records;
    EQUAL(taken.count, 9 + GRAPHS);
    EQUAL(r[0].op.start_ns, now);
    EQUAL(r[0].op.end_ns, now + 500);
    EQUAL(r[0].op.device, 3);
    EQUAL(r[0].op.stream, 7);
    EQUAL(r[0].op.grid[2], 13);
    EQUAL(r[0].op.block[0], 14);
    EQUAL(r[0].op.registers, 99);
    EQUAL(r[0].op.shared_bytes, 128);
    EQUAL(r[0].op.corr, 1234);
    EQUAL(strcmp(wi_names_text(names, r[0].op.name), "a_kernel"), 0);
    EQUAL(r[1].op.direction, WI_COPY_D2H);
    EQUAL(r[1].op.src_mem, WI_MEM_DEVICE);
    EQUAL(r[1].op.dst_mem, WI_MEM_PINNED);
    EQUAL(r[1].op.bytes, 4096);
    EQUAL(r[1].op.flags, WI_OP_GRAPH_NODE);
    EQUAL(r[2].op.direction, WI_COPY_P2P);
    EQUAL(r[2].op.corr, 1236);
    EQUAL(r[2].op.device, 0);
    EQUAL(r[2].peer, 1);
    EQUAL(r[1].peer, WI_NO_DEVICE);
    EQUAL(r[3].op.kind, WI_OP_MEMSET);
    EQUAL(r[3].op.flags, WI_OP_BAD_TIMES);
    EQUAL(r[3].op.start_ns, WI_UNKNOWN);
    if (GRAPHS) {
        EQUAL(r[4].op.kind, WI_OP_GRAPH);
        EQUAL(r[4].op.corr, 1238);
    }
    r += 4 + GRAPHS;
    EQUAL(r[0].kind, WI_RECORD_DEVICE);
    EQUAL(r[0].device.device, 2);
    EQUAL(r[0].device.sms, 132);
    EQUAL(r[0].device.threads_per_sm, 2048);
    EQUAL(r[0].device.memory_bytes, 123456789);
    EQUAL(r[1].kind, WI_RECORD_OWN_COST);
    EQUAL(r[1].own_ns, 42);
    EQUAL(r[2].kind, WI_RECORD_SPAN);
    EQUAL(r[2].span.kind, WI_SPAN_LOADING);
    EQUAL(r[2].span.thread, 4712);
    EQUAL(r[2].span.start_ns, now);
    EQUAL(r[2].span.end_ns, now + 43);
    EQUAL(r[3].span.kind, WI_SPAN_COMPILING);
    EQUAL(r[3].span.thread, 0);
    EQUAL(r[4].kind, WI_RECORD_CONTEXT);
    EQUAL(r[4].context, 6);
    EQUAL(r[4].device.device, 2);
}

/* The vendor's name is ours and the version it appeared in (cudaMalloc_v3020); a call that replaced
 * an older one of the same name may carry _v2 until the next major, and numbers are reserved ahead
 * of their calls (cuda444). */
static int same_call(const char *ours, const char *theirs)
{
    size_t base = strcspn(ours, "_"), at = base;
    if (ours[0] == '_') /* __cudaLaunchKernel */
        base = at = 2 + strcspn(ours + 2, "_");
    if (!strncmp(theirs, "cuda", 4) && theirs[4] >= '0' && theirs[4] <= '9')
        return 1;
    if (strncmp(ours, theirs, base) != 0)
        return 0;
    if (!strncmp(theirs + at, "_v2", 3) && strncmp(ours + base, "_v2", 3) != 0)
        at += 3;
    size_t rest = strlen(ours + base);
    return !strncmp(ours + base, theirs + at, rest) &&
           (!theirs[at + rest] || !strncmp(theirs + at + rest, "_v", 2));
}

/* cbid and name belong together in this version too; it may not know all of them. */
static void check_names(const char *path)
{
    int (*get)(int, uint32_t, const char **) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&get = dlsym(library, "cuptiGetCallbackName");
    EQUAL(get != NULL, 1);
    for (int id = 0; get && id < WI_CALL_IDS; id++) {
        const struct wi_call_info *row = &wi_call_rows[id];
        const char *name = NULL;
        if (!row->cbid || get(row->domain, row->cbid, &name) != 0)
            continue;
        int same = same_call(wi_call_name(id), name);
        if (!same) {
            printf("%s has the number of %s\n", wi_call_name(id), name);
            failed = 1;
        }
    }
}

#ifdef REAL_GraphTrace
#define GRAPH_STRIDE(F) F("graph", WI_KIND_GRAPH_TRACE, REAL_GraphTrace)
#else
#define GRAPH_STRIDE(F)
#endif

#define STRIDES(F)                                                                                 \
    F("kernel", WI_KIND_CONCURRENT_KERNEL, REAL_Kernel)                                            \
    F("copy", WI_KIND_MEMCPY, REAL_Memcpy)                                                         \
    F("peer", WI_KIND_MEMCPY2, REAL_MemcpyPtoP)                                                    \
    F("memset", WI_KIND_MEMSET, REAL_Memset)                                                       \
    GRAPH_STRIDE(F)                                                                                \
    F("device", WI_KIND_DEVICE, REAL_Device)                                                       \
    F("overhead", WI_KIND_OVERHEAD, REAL_Overhead)                                                 \
    F("context", WI_KIND_CONTEXT, REAL_Context)                                                    \
    F("call", WI_KIND_RUNTIME, CUpti_ActivityAPI)

/* Stands in for a library that does not walk. */
static int walk(uint8_t *bytes, size_t valid, void **record)
{
    static const uint16_t sizes[WI_STRIDE_KINDS] = {
#define SIZE(name, kind, type) [kind] = sizeof(type),
        STRIDES(SIZE)
#undef SIZE
    };
    uint32_t kind;
    uint8_t *at = *record;
    if (at) {
        memcpy(&kind, at, sizeof(kind));
        at += sizes[kind];
    } else {
        at = bytes;
    }
    if (at + sizeof(kind) > bytes + valid)
        return WI_CUPTI_MAX_LIMIT;
    memcpy(&kind, at, sizeof(kind));
    if (kind >= WI_STRIDE_KINDS || !sizes[kind] || at + sizes[kind] > bytes + valid)
        return WI_CUPTI_MAX_LIMIT;
    *record = at;
    return WI_CUPTI_SUCCESS;
}

static void print_strides(const struct wi_cupti *cupti)
{
    printf("api %u", cupti->api_version);
#define PRINT(name, kind, type) printf(" %s %u", name, cupti->stride[kind]);
    STRIDES(PRINT)
#undef PRINT
    printf("\n");
}

int main(int argc, char **argv)
{
    struct timespec ts;
    struct wi_cupti cupti;
    struct wi_names *names = wi_names_create(1 << 20);
    clock_gettime(CLOCK_REALTIME, &ts);
    uint64_t now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    if (argc < 2 || !names)
        return 2;
    memset(&cupti, 0, sizeof(cupti));
    int alone = !strcmp(argv[1], "-");
    if (alone)
        cupti.next_record = walk;
    else if (wi_cupti_open(&cupti, argv[1]) != 0)
        return 2;
    if (wi_cupti_measure(&cupti) != 0)
        return 3;
    print_strides(&cupti);
    if (!alone)
        check_names(argv[1]);
    struct wi_decoder decoder = {
        .cupti = &cupti, .names = names, .earliest_ns = (int64_t)now - 1000000000, .give = take};
    fill(&cupti, now);
    wi_decode(&decoder, buffer.bytes, buffer.used);
    check(names, now);
    return failed;
}
