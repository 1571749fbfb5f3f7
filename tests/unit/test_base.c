/* The base layer: arena, writer, settings, names, histogram.
 * Threads: one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine_fixture.h"

#include "analyze/hist.h"
#include "base/err.h"
#include "base/out.h"
#include "base/settings.h"

static void test_arena_keeps_its_budget(void **state)
{
    (void)state;
    struct wi_arena arena;
    wi_arena_init(&arena, (size_t)1 << 20);
    char *first = wi_arena_alloc(&arena, 100);
    assert_non_null(first);
    for (int i = 0; i < 100; i++)
        assert_int_equal(first[i], 0);
    assert_int_equal((uintptr_t)first % 16, 0);
    int got = 0;
    while (wi_arena_alloc(&arena, 10000))
        got++;
    assert_in_range(got, 60, 104); /* 1 MiB less one header a chunk */
    assert_true(arena.mapped_bytes <= arena.budget_bytes);
    assert_null(wi_arena_alloc(&arena, SIZE_MAX - 8));
    wi_arena_free(&arena);
    assert_int_equal(arena.mapped_bytes, 0);
    assert_non_null(wi_arena_alloc(&arena, 10000));
    wi_arena_free(&arena);
}

static const char *formatted(char *text, size_t cap, double value, int decimals)
{
    struct wi_out out;
    wi_out_mem(&out, text, cap);
    wi_out_fixed(&out, value, decimals);
    wi_out_finish(&out);
    return text;
}

static void test_numbers(void **state)
{
    (void)state;
    char text[100];
    assert_string_equal(formatted(text, sizeof(text), 1.05, 1), "1.1");
    assert_string_equal(formatted(text, sizeof(text), -0.04, 1), "0.0");
    assert_string_equal(formatted(text, sizeof(text), -2.5, 0), "-3");
    assert_string_equal(formatted(text, sizeof(text), 7.002, 3), "7.002");
    assert_string_equal(formatted(text, sizeof(text), 0.0 / 0.0, 1), "-");
    assert_string_equal(formatted(text, sizeof(text), 1e300, 1), "-");
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_out_json_fixed(&out, 1e13, 6);
    wi_out_json_fixed(&out, 0.0 / 0.0, 6);
    wi_out_json_fixed(&out, -1.5, 1);
    wi_out_finish(&out);
    assert_string_equal(text, "nullnull-1.5");
    wi_out_mem(&out, text, sizeof(text));
    const char *volatile none = NULL;
    wi_out_f(&out, "%5d|%-5u|%05x|%s|%c|%ld|%%|%-4s|", -42, 7u, 255u, none, 'x', INT64_MIN + 1,
             "é");
    wi_out_finish(&out);
    assert_string_equal(text, "  -42|7    |000ff|-|x|-9223372036854775807|%|é   |");
}

static void test_names_on_a_terminal(void **state)
{
    (void)state;
    char text[200];
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_out_clean(&out, "a\x1b[31mb\x7f\xc2\x9b"
                       "c\xff\xed\xa0\x80 é€𝄞");
    wi_out_finish(&out);
    assert_string_equal(text, "a?[31mb???c???? é€𝄞");
    wi_out_mem(&out, text, sizeof(text));
    wi_out_json(&out, "q\"\\\n\x01\xff€");
    wi_out_finish(&out);
    assert_string_equal(text, "\"q\\\"\\\\\\u000a\\u0001\\ufffd€\"");
}

static void test_writer_faults(void **state)
{
    (void)state;
    char text[8];
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_out_str(&out, "123456789");
    assert_int_equal(wi_out_finish(&out), WI_ERR_RANGE);
    assert_string_equal(text, "1234567");
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    wi_out_fd(&out, full, text, sizeof(text));
    wi_out_str(&out, "123456789");
    assert_int_equal(wi_out_finish(&out), WI_ERR_IO);
    close(full);
}

static int warnings;
static char told[8][200];

static void count_warning(const char *name, const char *problem)
{
    assert_non_null(name);
    assert_non_null(problem);
    snprintf(told[warnings++ % 8], sizeof(told[0]), "%s %s", name, problem);
}

static void test_settings(void **state)
{
    (void)state;
    char *plain[] = {(char *)"PATH=/bin", NULL};
    char *set[] = {(char *)"WHYIDLE=0", (char *)"WHYIDLE_PRINT=all", (char *)"WHYIDLE_EXIT_MS=500",
                   (char *)"WHYIDLE_OUT=/tmp/x=y", NULL};
    char *wrong[] = {(char *)"WHYIDLE_PRINT=al",       (char *)"WHYIDLE_EXIT_MS=99999999",
                     (char *)"WHYIDLE_LOG=2x",         (char *)"WHYIDLE_NO_SUCH=1",
                     (char *)"WHYIDLE_CHECKPOINT_S=s", NULL};
    struct wi_settings s;
    warnings = 0;
    wi_settings_parse(&s, plain, count_warning);
    assert_int_equal(s.enabled, 1);
    assert_null(s.out);
    assert_string_equal(s.print, "rank0");
    assert_string_equal(s.cupti, "auto");
    wi_settings_parse(&s, set, count_warning);
    assert_int_equal(warnings, 0);
    assert_int_equal(s.enabled, 0);
    assert_string_equal(s.print, "all");
    assert_int_equal(s.exit_ms, 500);
    assert_string_equal(s.out, "/tmp/x=y");
    wi_settings_parse(&s, wrong, count_warning);
    assert_int_equal(warnings, 5);
    assert_string_equal(told[0], "WHYIDLE_PRINT is none of rank0, all, none; the default is used");
    assert_string_equal(told[1],
                        "WHYIDLE_EXIT_MS is outside of 0 to 60000; the nearest of these is used");
    assert_string_equal(told[2], "WHYIDLE_LOG is not a whole number, 0 to 3; the default is used");
    assert_non_null(strstr(told[3], "is no setting of whyidle"));
    assert_string_equal(s.print, "rank0");
    assert_int_equal(s.exit_ms, 60000);
    assert_int_equal(s.log, 0);
    assert_int_equal(s.checkpoint_s, 30);
}

/* A variable that is set to nothing, as `NAME= command` does, is one that is not set. */
static void test_empty_settings(void **state)
{
    (void)state;
    char text[40][64], *all[41] = {NULL}, *none[] = {NULL};
    struct wi_settings empty, unset;
    int count = 0;
    const struct wi_setting_row *rows = wi_settings_rows(&count);
    assert_in_range(count, 1, 40);
    for (int i = 0; i < count; i++) {
        struct wi_out out;
        wi_out_mem(&out, all[i] = text[i], sizeof(text[i]));
        wi_out_f(&out, "%s=", rows[i].name);
        assert_int_equal(wi_out_finish(&out), 0);
    }
    warnings = 0;
    wi_settings_parse(&unset, none, count_warning);
    wi_settings_parse(&empty, all, count_warning);
    assert_int_equal(warnings, 0);
    assert_memory_equal(&empty, &unset, sizeof(empty));
}

/* What the command alone reads is no mistake in a job's environment. */
static void test_settings_of_the_command(void **state)
{
    (void)state;
    char *set[] = {(char *)"WHYIDLE_LIB=/opt/libwhyidle.so", NULL};
    struct wi_settings s;
    warnings = 0;
    wi_settings_parse(&s, set, count_warning);
    assert_int_equal(warnings, 0);
}

static void test_names(void **state)
{
    (void)state;
    struct wi_names *names = wi_names_create((size_t)2 << 20);
    assert_int_equal(wi_names_str(names, NULL), WI_NO_NAME);
    assert_int_equal(wi_names_str(names, ""), WI_NO_NAME);
    uint32_t first = wi_names_str(names, "alpha");
    char text[2000];
    for (int i = 0; i < 5000; i++) {
        struct wi_out out;
        wi_out_mem(&out, text, sizeof(text));
        wi_out_f(&out, "kernel %d", i);
        wi_out_finish(&out);
        uint32_t id = wi_names_str(names, text);
        assert_string_equal(wi_names_text(names, id), text);
        assert_int_equal(wi_names_str(names, text), id);
    }
    assert_int_equal(wi_names_str(names, "alpha"), first);
    assert_int_equal(wi_names_intern(names, "alphabet", 5), first);
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    assert_int_equal(strlen(wi_names_text(names, wi_names_str(names, text))), 1000);
    assert_string_equal(wi_names_text(names, 1u << 30), "");
    for (int i = 0; i < 100000; i++) { /* beyond the budget */
        struct wi_out out;
        wi_out_mem(&out, text, sizeof(text));
        wi_out_f(&out, "a much longer kernel name number %d", i);
        wi_out_finish(&out);
        wi_names_str(names, text);
    }
    assert_string_equal(wi_names_text(names, wi_names_str(names, "one more")), "(name table full)");
    assert_int_equal(wi_names_str(names, "alpha"), first);
    wi_names_free(names);
}

/* Quantiles lie within one bucket (9 %) of the exact ones. */
static void test_histogram(void **state)
{
    (void)state;
    struct wi_hist hist = {0};
    assert_int_equal(wi_hist_quantile(&hist, 500), WI_UNKNOWN);
    for (int i = 1; i <= 1000; i++)
        wi_hist_add(&hist, (int64_t)i * 1000);
    assert_in_range(wi_hist_quantile(&hist, 500), 455000, 545000);
    assert_in_range(wi_hist_quantile(&hist, 950), 864000, 1000000);
    assert_int_equal(hist.longest_ns, 1000000);
    struct wi_hist one = {0};
    wi_hist_add(&one, 5);
    assert_int_equal(wi_hist_quantile(&one, 500), 5);
}

static void test_errors_have_sentences(void **state)
{
    (void)state;
    for (int code = -10; code <= 0; code++)
        assert_string_not_equal(wi_err_str(code), "unknown error");
    assert_string_equal(wi_err_str(-11), "unknown error");
}

/* What was used comes back zeroed; nothing more is mapped for the same again, and what is spare
 * makes way for what does not fit into it. */
static void arena_serves_again_after_a_reset(void **state)
{
    (void)state;
    const size_t MIB = 1 << 20;
    struct wi_arena arena;
    wi_arena_init(&arena, 4 * MIB);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 16; size <= MIB; size *= 4) {
            unsigned char *memory = wi_arena_alloc(&arena, size);
            assert_non_null(memory);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[i], 0);
            memset(memory, 0xaa, size);
        }
        size_t mapped = arena.mapped_bytes;
        wi_arena_reset(&arena);
        assert_int_equal(arena.mapped_bytes, mapped);
        assert_true(mapped < 2 * MIB);
    }
    assert_non_null(wi_arena_alloc(&arena, 3 * MIB));
    assert_true(arena.mapped_bytes < 4 * MIB);
    assert_null(wi_arena_alloc(&arena, MIB));
    wi_arena_free(&arena);
    assert_int_equal(arena.mapped_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_keeps_its_budget),
        cmocka_unit_test(arena_serves_again_after_a_reset),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names_on_a_terminal),
        cmocka_unit_test(test_writer_faults),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_empty_settings),
        cmocka_unit_test(test_settings_of_the_command),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_errors_have_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
