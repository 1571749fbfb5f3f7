/* Records of any version: how far apart they lie is measured, and one that is shorter than what is
 * read of it is left alone. The stand-in walks a buffer as CUPTI does.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/err.h"
#include "cuda/decode.h"

static int stride, walks; /* of the stand-in; whether it walks at all */
static int given;

static int next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + stride : buffer;
    if (!walks || next < buffer || next + sizeof(uint32_t) > buffer + valid_bytes)
        return WI_CUPTI_UNKNOWN;
    *record = next;
    return WI_CUPTI_SUCCESS;
}

static struct wi_cupti measured(int bytes, int works, int wanted)
{
    struct wi_cupti cupti = {.next_record = next_record};
    stride = bytes;
    walks = works;
    assert_int_equal(wi_cupti_measure(&cupti), wanted);
    return cupti;
}

static void measures_what_lies_between(void **state)
{
    (void)state;
    for (int bytes = 40; bytes < 400; bytes += 8) {
        struct wi_cupti cupti = measured(bytes, 1, 0);
        assert_int_equal(cupti.stride[WI_KIND_CONCURRENT_KERNEL], bytes);
        assert_true(wi_cupti_has(&cupti, WI_KIND_MEMCPY, (size_t)bytes));
        assert_false(wi_cupti_has(&cupti, WI_KIND_MEMCPY, (size_t)bytes + 1));
        assert_false(wi_cupti_has(&cupti, WI_STRIDE_KINDS, 1));
    }
}

static void nothing_that_cannot_be_a_distance(void **state)
{
    const int wrong[] = {0, -8, 2048, 4096};
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(wrong); i++)
        measured(wrong[i], 1, WI_ERR_UNSUPPORTED);
    measured(208, 0, WI_ERR_UNSUPPORTED);
}

static void take(void *user, const struct wi_record *record)
{
    (void)user;
    (void)record;
    given++;
}

/* How many records are given of a buffer that holds one of the kind, of so many bytes. */
static int decoded(uint32_t kind, int bytes)
{
    struct wi_cupti cupti = measured(bytes, 1, 0);
    struct wi_decoder decoder = {.cupti = &cupti, .give = take};
    _Alignas(8) uint8_t buffer[512] = {0};
    uint64_t now = (uint64_t)wi_clock_ns(CLOCK_REALTIME);
    struct wi_rec_overhead overhead = {
        .kind = kind, .overhead = WI_OVERHEAD_COMPILER, .start = now - 1000, .end = now};
    given = 0;
    if (kind == WI_KIND_OVERHEAD) /* one without times is none */
        memcpy(buffer, &overhead, sizeof(overhead));
    memcpy(buffer, &kind, sizeof(kind));
    wi_decode(&decoder, buffer, (size_t)bytes);
    return given;
}

static void leaves_short_records_alone(void **state)
{
    const struct {
        uint32_t kind;
        size_t bytes;
    } reads[] = {{WI_KIND_MEMCPY, sizeof(struct wi_rec_copy)},
                 {WI_KIND_MEMSET, sizeof(struct wi_rec_memset)},
                 {WI_KIND_GRAPH_TRACE, sizeof(struct wi_rec_graph)},
                 {WI_KIND_CONTEXT, sizeof(struct wi_rec_context)},
                 {WI_KIND_OVERHEAD, sizeof(struct wi_rec_overhead)},
                 {WI_KIND_RUNTIME, sizeof(struct wi_rec_api)},
                 {WI_KIND_DRIVER, sizeof(struct wi_rec_api)}};
    (void)state;
    for (size_t i = 0; i < WI_ARRAY_LEN(reads); i++) {
        assert_int_equal(decoded(reads[i].kind, (int)reads[i].bytes), 1);
        assert_int_equal(decoded(reads[i].kind, (int)reads[i].bytes - 8), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_what_lies_between),
        cmocka_unit_test(nothing_that_cannot_be_a_distance),
        cmocka_unit_test(leaves_short_records_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
