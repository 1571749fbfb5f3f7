/* Records of the vendor's newest structures, walked by the vendor's own libcupti (which needs no
 * driver for that), must decode to what was put into them: the measured strides and the prefixes
 * are right for this version. Built only where the vendor's headers are installed.
 *   decode_real LIBCUPTI
 * Threads: one. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cuda.h>
#include <cupti.h>

#include "cuda/decode.h"

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
    EQUAL(stride >= size, 1); /* a newer library appends fields */
    memcpy(buffer.bytes + buffer.used, record, size);
    buffer.used += stride;
}

static void fill(const struct wi_cupti *cupti, uint64_t now)
{
    CUpti_ActivityKernel10 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
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
    CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                  .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                                  .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                  .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                                  .bytes = 4096,
                                  .start = now,
                                  .end = now + 20,
                                  .streamId = 8,
                                  .correlationId = 1235,
                                  .graphNodeId = 5};
    CUpti_ActivityMemcpyPtoP4 peer = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                      .bytes = 64,
                                      .start = now,
                                      .end = now + 1,
                                      .srcDeviceId = 0,
                                      .dstDeviceId = 1,
                                      .correlationId = 1236};
    CUpti_ActivityMemset4 set = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                 .bytes = 77,
                                 .start = 0,
                                 .end = 0,
                                 .correlationId = 1237};
    CUpti_ActivityGraphTrace2 graph = {.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                       .correlationId = 1238,
                                       .start = now,
                                       .end = now + 9,
                                       .deviceId = 1};
    CUpti_ActivityDevice5 device = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                                    .id = 2,
                                    .numMultiprocessors = 132,
                                    .maxWarpsPerMultiprocessor = 64,
                                    .numThreadsPerWarp = 32,
                                    .maxBlocksPerMultiprocessor = 32,
                                    .globalMemorySize = 123456789,
                                    .name = "a device"};
    CUpti_ActivityOverhead3 own = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
                                   .overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                                   .start = now,
                                   .end = now + 42};
    CUpti_ActivityContext3 context = {
        .kind = CUPTI_ACTIVITY_KIND_CONTEXT, .contextId = 6, .deviceId = 2};
    put(&kernel, sizeof(kernel), cupti->stride[WI_KIND_CONCURRENT_KERNEL]);
    put(&copy, sizeof(copy), cupti->stride[WI_KIND_MEMCPY]);
    put(&peer, sizeof(peer), cupti->stride[WI_KIND_MEMCPY2]);
    put(&set, sizeof(set), cupti->stride[WI_KIND_MEMSET]);
    put(&graph, sizeof(graph), cupti->stride[WI_KIND_GRAPH_TRACE]);
    put(&device, sizeof(device), cupti->stride[WI_KIND_DEVICE]);
    put(&own, sizeof(own), cupti->stride[WI_KIND_OVERHEAD]);
    put(&context, sizeof(context), cupti->stride[WI_KIND_CONTEXT]);
}

static void check(const struct wi_names *names, uint64_t now)
{
    const struct wi_record *r = taken.records;
    EQUAL(taken.count, 8);
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
    EQUAL(r[3].op.kind, WI_OP_MEMSET);
    EQUAL(r[3].op.flags, WI_OP_BAD_TIMES);
    EQUAL(r[3].op.start_ns, WI_UNKNOWN);
    EQUAL(r[4].op.kind, WI_OP_GRAPH);
    EQUAL(r[4].op.corr, 1238);
    EQUAL(r[5].kind, WI_RECORD_DEVICE);
    EQUAL(r[5].device.device, 2);
    EQUAL(r[5].device.sms, 132);
    EQUAL(r[5].device.threads_per_sm, 2048);
    EQUAL(r[5].device.memory_bytes, 123456789);
    EQUAL(r[6].kind, WI_RECORD_OWN_COST);
    EQUAL(r[6].own_ns, 42);
    EQUAL(r[7].kind, WI_RECORD_CONTEXT);
    EQUAL(r[7].context, 6);
    EQUAL(r[7].device.device, 2);
}

int main(int argc, char **argv)
{
    struct timespec ts;
    struct wi_cupti cupti;
    struct wi_names *names = wi_names_create(1 << 20);
    clock_gettime(CLOCK_REALTIME, &ts);
    uint64_t now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    if (!names || wi_cupti_open(&cupti, argc > 1 ? argv[1] : NULL) != 0)
        return 2;
    struct wi_decoder decoder = {
        .cupti = &cupti, .names = names, .earliest_ns = (int64_t)now - 1000000000, .give = take};
    fill(&cupti, now);
    wi_decode(&decoder, buffer.bytes, buffer.used);
    check(names, now);
    return failed;
}
