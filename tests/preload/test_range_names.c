/* The table of range names: what is kept of a name, how numbers fold, many threads, and no room.
 * Threads: as many as said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "collect/range_names.h"

static const char *text_of(uint32_t id)
{
    static char text[WI_RANGE_NAME_BYTES + 1];
    const char *bytes = NULL;
    size_t len = wi_range_name_text(id, &bytes);
    memcpy(text, bytes ? bytes : "", len);
    text[len] = 0;
    return text;
}

static void test_kept(void **state)
{
    (void)state;
    char longest[100], text[] = "forward";
    memset(longest, 'a', sizeof(longest) - 1);
    longest[99] = 0;
    uint32_t forward = wi_range_name(text);
    assert_true(forward > 0);
    memset(text, 'x', 7); /* the job's string is gone */
    assert_string_equal(text_of(forward), "forward");
    assert_int_equal(wi_range_name("forward"), forward);
    assert_int_not_equal(wi_range_name("forwarD"), forward);
    assert_int_equal(strlen(text_of(wi_range_name(longest))), WI_RANGE_NAME_BYTES);
    assert_int_equal(wi_range_name(NULL), 0);
    assert_int_equal(wi_range_name(""), 0);
    assert_string_equal(text_of(0), "");
    assert_string_equal(text_of(WI_RANGE_NAMES + 1), "");
    assert_int_equal(wi_range_name_wide(L"forward"), forward);
    assert_string_equal(text_of(wi_range_name_wide(L"w\u00e9\u20ac\U0001f600")),
                        "w\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_int_equal(wi_range_name_wide(NULL), 0);
    assert_string_equal(text_of(wi_range_name_wide(L"a\x7fffffff")), "a");
}

static void test_numbers(void **state)
{
    (void)state;
    char name[64];
    uint32_t ids[1000];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "step %d of 1000", i);
        ids[i] = wi_range_name(name);
    }
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof(name), "step %d of 1000", i);
        assert_string_equal(text_of(ids[i]), name);
    }
    for (int i = 8; i < 1000; i++)
        assert_string_equal(text_of(ids[i]), "step # of #");
    char folded[WI_RANGE_NAME_BYTES];
    assert_int_equal(wi_range_name_fold("a12b3", 5, folded), 4);
    assert_memory_equal(folded, "a#b#", 4);
}

static void *body(void *result)
{
    uint32_t *ids = result;
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "shared %c%c", 'a' + i / 20, 'a' + i % 20);
        ids[i] = wi_range_name(name);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static uint32_t ids[8][200];
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, ids[i]), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    char name[32];
    for (int t = 0; t < 8; t++)
        for (int i = 0; i < 200; i++) { /* ids may differ, what they say may not */
            snprintf(name, sizeof(name), "shared %c%c", 'a' + i / 20, 'a' + i % 20);
            assert_string_equal(text_of(ids[t][i]), name);
        }
}

/* Last: fills the table. What was in it stays, what finds no room is counted. */
static void test_full(void **state)
{
    (void)state;
    uint32_t before = wi_range_name("forward"), kept = 0, none = 0;
    char name[32];
    for (int i = 0; i < 26 * 26 * 26; i++) {
        snprintf(name, sizeof(name), "full %c%c%c", 'a' + i / 676, 'a' + i / 26 % 26, 'a' + i % 26);
        uint32_t id = wi_range_name(name);
        if (id)
            assert_string_equal(text_of(id), name);
        kept += id != 0;
        none += id == 0;
    }
    assert_true(kept > WI_RANGE_NAMES / 2 && kept < WI_RANGE_NAMES);
    assert_int_equal(wi_range_names_refused(), none);
    assert_int_equal(wi_range_name("forward"), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
