/* The readers of /proc text, with hostile and cut input.
 * Threads: one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "collect/procfs.h"
#include "collect/watch_look.h"
#include "model/event.h"

static void numbers(void **unused)
{
    const char *text = "  12 x 99999999999999999999999 7", *at = text;
    (void)unused;
    assert_int_equal(wi_take_number(&at), 12);
    assert_int_equal(wi_take_number(&at), WI_UNKNOWN);
    at = wi_skip_words(at, 1);
    assert_true(wi_take_number(&at) > INT64_MAX / 100); /* stays at the top, does not wrap */
    assert_int_equal(wi_take_number(&at), 7);
    assert_int_equal(wi_take_number(&at), WI_UNKNOWN);
    at = "-1";
    assert_int_equal(wi_take_number(&at), WI_UNKNOWN);
    at = " 0x1F90 1f";
    assert_int_equal(wi_take_hex(&at), 0x1f90);
    assert_int_equal(wi_take_hex(&at), 0x1f);
    assert_int_equal(wi_take_hex(&at), WI_UNKNOWN);
    at = "0x";
    assert_int_equal(wi_take_hex(&at), WI_UNKNOWN);
    assert_string_equal(wi_skip_words("a  b", 5), "");
}

static void numbers_of_lines(void **unused)
{
    (void)unused;
    assert_int_equal(wi_number_of("a 1\nxa 2\nb: 3\n", "b:"), 3);
    assert_int_equal(wi_number_of("xa 2\na 5", "a "), 5);
    assert_int_equal(wi_number_of("xa 2", "a "), WI_UNKNOWN);
    assert_int_equal(wi_number_of("a ", "a "), WI_UNKNOWN);
    assert_int_equal(wi_number_of("", "a "), WI_UNKNOWN);
}

static void stat_line(void **unused)
{
    static const char LINE[] = "812 (%s) D 1 2 3 0 -1 4194368 11 12 13 14 150 16 17 18 20 0 2 0 "
                               "546386 1 2 3\n";
    static const char *const NAMES[] = {"job", "a) R 1 2 (b", "))))", "", " ", "x\ny) Z"};
    (void)unused;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        struct wi_proc_stat stat;
        char text[256] = "812 (";
        strcat(text, NAMES[i]);
        strcat(text, strchr(LINE, ')'));
        assert_int_equal(wi_parse_stat(text, &stat), 0);
        assert_int_equal(stat.id, 812);
        assert_int_equal(stat.state, 'D');
        assert_int_equal(stat.minor_faults, 11);
        assert_int_equal(stat.major_faults, 13);
        assert_int_equal(stat.user_ns, 1500000000); /* ticks of 10 ms */
        assert_int_equal(stat.kernel_ns, 160000000);
        assert_int_equal(stat.start_ticks, 546386);
    }
}

static void cut_stat_lines(void **unused)
{
    static const char LINE[] = "812 (job) S 1 2 3 0 -1 0 11 12 13 14 15 16 17 18 20 0 2 0 546386";
    (void)unused;
    for (size_t len = 0; len < sizeof(LINE); len++) {
        struct wi_proc_stat stat;
        char *text = strndup(LINE, len); /* of its own size: a sanitizer sees reads beyond */
        if (wi_parse_stat(text, &stat) == 0) {
            assert_int_equal(stat.state, 'S');
            assert_true(stat.kernel_ns == WI_UNKNOWN || stat.kernel_ns <= 160000000);
        } else {
            assert_true(len < 11);
        }
        free(text);
    }
}

static void syscall_line(void **unused)
{
    struct wi_syscall call;
    (void)unused;
    assert_int_equal(wi_parse_syscall("running\n", &call), 0);
    assert_true(call.running);
    assert_int_equal(wi_parse_syscall("-1 0x7ffc65bb9b68 0x7f10c971c2ad\n", &call), 0);
    assert_false(call.running);
    assert_int_equal(call.number, -1);
    assert_int_equal(wi_parse_syscall("202 0x7f1 0x189 0x0 0x0 0x0 0xffffffff 0x1 0x2\n", &call),
                     0);
    assert_int_equal(call.number, 202);
    assert_int_equal(call.arg[1], 0x189);
    assert_int_equal(call.arg[5], 0xffffffff);
    /* what another file under the same number might hold */
    static const char *const OTHERS[] = {"", "7", "7 0x1 0x2", "12 34 56", "import os\n", "run"};
    for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
        assert_int_equal(wi_parse_syscall(OTHERS[i], &call), WI_ERR_FORMAT);
}

static void files(void **unused)
{
    char text[8];
    (void)unused;
    assert_int_equal(wi_read_file("/proc/no-such-file", text, sizeof(text)), WI_ERR_NOT_FOUND);
    assert_int_equal(wi_read_file("/proc/self", text, sizeof(text)), 0);
    assert_int_equal(wi_read_file("/proc/self/status", text, sizeof(text)), 7); /* cut */
    assert_string_equal(text, "Name:\tt");
    char path[700] = "/";
    memset(path + 1, 'x', sizeof(path) - 2);
    assert_int_equal(wi_read_at(text, sizeof(text), "%s", path), WI_ERR_RANGE);
}

/* The job closes what it does not know and opens something else under the number. */
static void kept_descriptors(void **unused)
{
    char text[256];
    (void)unused;
    int fd = wi_keep_open("/proc/self/stat"), ends[2];
    assert_true(fd >= 0);
    assert_true(wi_read_kept(&fd, text, sizeof(text)) > 0);
    assert_true(wi_read_kept(&fd, text, sizeof(text)) > 0);
    int ours = fd;
    close(fd);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], ours), ours);
    assert_int_equal(wi_read_kept(&fd, text, sizeof(text)), WI_ERR_IO);
    assert_int_equal(fd, -1);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(read(ours, text, 1), 1); /* the job's own is untouched and open */
    assert_int_equal(wi_keep_open("/proc/no-such-file"), -1);
}

static int open_count(void)
{
    int count = 0;
    for (int fd = 0; fd < 2048; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* A sandbox lets files be opened that then say nothing: the job keeps its numbers. */
static void files_that_never_answer(void **unused)
{
    char text[16];
    (void)unused;
    int before = open_count();
    for (int i = 0; i < 500; i++) {
        int fd = wi_keep_open("/dev/null");
        assert_int_equal(wi_read_kept(&fd, text, sizeof(text)), WI_ERR_IO);
    }
    assert_in_range(open_count() - before, 1, 20);
}

static void count_name(void *user, const char *name)
{
    *(int *)user += name[0] >= '0' && name[0] <= '9';
}

static void numbered_entries(void **unused)
{
    int count = 0;
    (void)unused;
    assert_int_equal(wi_each_number("/proc/self/task", &count, count_name), 0);
    assert_int_equal(count, 1);
    assert_int_equal(wi_each_number("/proc/no-such-folder", &count, count_name), WI_ERR_IO);
    count = 0;
    assert_int_equal(wi_each_number("/proc/self/net", &count, count_name), 0);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_of_lines),
        cmocka_unit_test(stat_line),
        cmocka_unit_test(cut_stat_lines),
        cmocka_unit_test(syscall_line),
        cmocka_unit_test(files),
        cmocka_unit_test(kept_descriptors),
        cmocka_unit_test(numbered_entries),
        cmocka_unit_test(files_that_never_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
