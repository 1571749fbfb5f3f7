/* The parts of call sites that need no interpreter: line tables, the self-description of 3.13 and
 * later, whose code a file is, the budget.
 * Line tables are written by hand from the formats' definitions (Objects/lnotab_notes.txt and
 * Objects/locations.md of CPython). */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "collect/map_list.h"
#include "collect/peek.h"
#include "collect/py_codes.h"
#include "collect/py_lines.h"
#include "collect/py_version.h"
#include "collect/sites.h"
#include "collect/symbol_names.h"
#include "model/event.h"

static void lnotab(void **unused)
{
    /* line 10 up to byte 6, +1 from 6, +300 from 50 in three parts, -5 from 60 */
    static const uint8_t TABLE[] = {6, 1, 44, 127, 0, 127, 0, 46, 10, 251};
    static const struct {
        uint32_t instr;
        int32_t line;
    } WANTED[] = {{0, 10}, {4, 10}, {6, 11}, {48, 11}, {50, 311}, {58, 311}, {60, 306}, {900, 306}};
    (void)unused;
    for (size_t i = 0; i < WI_ARRAY_LEN(WANTED); i++)
        assert_int_equal(wi_py_line(WI_PY_LNOTAB, TABLE, sizeof(TABLE), 10, WANTED[i].instr),
                         WANTED[i].line);
    assert_int_equal(wi_py_line(WI_PY_LNOTAB, TABLE, 0, 10, 4), 10);
}

static void linetable(void **unused)
{
    /* [0,4) line 10, [4,10) 11, [10,12) none, [12,20) 8 */
    static const uint8_t TABLE[] = {4, 0, 6, 1, 2, 128, 8, 253};
    (void)unused;
    assert_int_equal(wi_py_line(WI_PY_LINETABLE, TABLE, sizeof(TABLE), 10, 0), 10);
    assert_int_equal(wi_py_line(WI_PY_LINETABLE, TABLE, sizeof(TABLE), 10, 4), 11);
    assert_int_equal(wi_py_line(WI_PY_LINETABLE, TABLE, sizeof(TABLE), 10, 8), 11);
    assert_int_equal(wi_py_line(WI_PY_LINETABLE, TABLE, sizeof(TABLE), 10, 10), 10);
    assert_int_equal(wi_py_line(WI_PY_LINETABLE, TABLE, sizeof(TABLE), 10, 12), 8);
}

static void locations(void **unused)
{
    static const uint8_t TABLE[] = {
        0xF0, 3,        0,    /* long, 1 unit: line -1 (odd: negative), end +0, ... */
        1,    1,              /* its two columns */
        0xD9, 0x02,           /* one line: kind 11, 2 units: +1; two columns */
        0x03,                 /* */
        0x80, 0x15,           /* short, kind 0, 1 unit: same line; one column byte */
        0xF8,                 /* none, 1 unit */
        0xE9, 0x40 | 8, 0x03, /* no columns, 2 units: 8 + (3 << 6) = 200: +100 */
    };
    (void)unused;
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 0), 19);
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 2), 20);
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 5), 20);
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 6), 20);
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 8), 20); /* no line */
    assert_int_equal(wi_py_line(WI_PY_LOCATIONS, TABLE, sizeof(TABLE), 20, 10), 120);
    for (size_t len = 0; len < sizeof(TABLE); len++) /* cut anywhere: no read past the end */
        wi_py_line(WI_PY_LOCATIONS, TABLE, len, 20, 10);
}

/* The description that a 3.14 puts at the start of _PyRuntime, with the sizes of its sections. */
static size_t describe_3_14(uint64_t *words)
{
    static const uint64_t BODY[] = {
        /* runtime */ 1000,
        24,
        32,
        /* interpreter */ 90000,
        1,
        2,
        3,
        4,
        7000,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        /* thread */ 800,
        0,
        8,
        16,
        72,
        152,
        160,
        200,
        40,
        /* frame */ 88,
        8,
        0,
        56,
        80,
        74,
        64,
        72,
        /* code */ 208,
        112,
        120,
        128,
        136,
        68,
        52,
        96,
        104,
        200,
        144,
        /* object */ 16,
        8,
        /* type */ 400,
        24,
        88,
        168,
        /* tuple, list, set, dict, float, long */
        32,
        32,
        16,
        40,
        24,
        16,
        200,
        24,
        40,
        32,
        48,
        32,
        40,
        24,
        16,
        32,
        16,
        24,
        /* bytes */ 40,
        16,
        32,
        /* text */ 64,
        32,
        16,
        40,
        /* collector */ 200,
        196,
    };
    memcpy(words, "xdebugpy", 8);
    words[1] = 0x030E00F0;
    words[2] = 0;
    memcpy(words + 3, BODY, sizeof(BODY));
    return 3 + WI_ARRAY_LEN(BODY);
}

static void description(void **unused)
{
    uint64_t words[200] = {0};
    struct wi_py py = {.runtime = (uintptr_t)words};
    (void)unused;
    describe_3_14(words);
    assert_int_equal(wi_py_layout_of(&py, "3.14.0 (main, Oct  7 2025)"), 0);
    assert_int_equal(py.minor, 14);
    assert_int_equal(py.free_threaded, 0);
    assert_int_equal(py.at.tstate_frame, 72);
    assert_int_equal(py.at.cframe_frame, WI_PY_NONE);
    assert_int_equal(py.at.frame_owner, 74);
    assert_int_equal(py.at.frame_instr, 56);
    assert_int_equal(py.at.code_qualname, 128);
    assert_int_equal(py.at.code_first, 68);
    assert_int_equal(py.at.code_bytecode, 200);
    assert_int_equal(py.at.text_length, 16);
    assert_int_equal(py.at.text_ascii, 40);
    assert_int_equal(py.at.text_state_shift, 16);
    assert_int_equal(py.at.bytes_data, 32);
    assert_int_equal(py.at.gc_collecting, 7000 + 196);
    words[0]++; /* the cookie */
    assert_int_equal(wi_py_layout_of(&py, "3.14.0"), WI_ERR_UNSUPPORTED);
    describe_3_14(words);
    words[1] = 0x030D00F0; /* says that it is another release */
    assert_int_equal(wi_py_layout_of(&py, "3.14.0"), WI_ERR_UNSUPPORTED);
    describe_3_14(words);
    words[3 + 3 + 16 + 4] = 4000; /* an offset beyond the thread state */
    assert_int_equal(wi_py_layout_of(&py, "3.14.0"), WI_ERR_UNSUPPORTED);
    static const char *const UNKNOWN[] = {
        "3.7.16 (default)", "3.15.0a1", "2.7.18", "4.0", "", "3."};
    for (size_t i = 0; i < WI_ARRAY_LEN(UNKNOWN); i++)
        assert_int_equal(wi_py_layout_of(&py, UNKNOWN[i]), WI_ERR_UNSUPPORTED);
}

static void whose_code(void **unused)
{
    (void)unused;
    assert_int_equal(wi_code_kind_of("/opt/venv/lib/python3.9/site-packages/torch/nn/m.py"),
                     WI_CODE_RUNTIME);
    assert_int_equal(wi_code_kind_of("/opt/venv/lib/python3.9/site-packages/torchvision/x.py"),
                     WI_CODE_LIBRARY);
    assert_int_equal(wi_code_kind_of("train.py"), WI_CODE_OWN);
    unsigned fact = wi_code_fact_of("/x/site-packages/torch/utils/data/dataloader.py",
                                    "_MultiProcessingDataLoaderIter._get_data");
    assert_true(fact > 0);
    assert_int_equal(wi_py_fact_span(fact), WI_SPAN_INPUT_WAIT);
    assert_int_equal(
        wi_code_fact_of("/x/site-packages/torch/utils/data/dataloader.py", "my_get_data"), 0);
    assert_int_equal(wi_code_fact_of("train.py", "step"), 0);
}

static void budget(void **unused)
{
    int64_t now = INT64_C(1700000000000000000), granted = 0;
    (void)unused;
    /* 20 000 askings in a second: 500 and what may come at once */
    for (int i = 0; i < 20000; i++)
        granted += wi_site_budget(now + i * INT64_C(50000));
    assert_in_range(granted, 500, 602);
    now += INT64_C(1000000000);
    granted = 0;
    for (int i = 0; i < 20000; i++)
        granted += wi_site_budget(now + i * INT64_C(50000));
    assert_in_range(granted, 490, 510);
    /* a clock that is set back by an hour does not end it */
    granted = 0;
    for (int i = 0; i < 20000; i++)
        granted += wi_site_budget(now - INT64_C(3600000000000) + i * INT64_C(50000));
    assert_in_range(granted, 490, 610);
}

static void when(void **unused)
{
    struct wi_site_thread thread = {.looked_ns = 1000};
    (void)unused;
    atomic_store(&wi_sites_on, 0);
    assert_int_equal(wi_site_due(&thread, 2000, INT64_C(2000000), 0), 0); /* not opened yet */
    atomic_store(&wi_sites_on, 1);
    assert_int_equal(wi_site_due(&thread, 2000, INT64_C(2000000), 0), 1); /* a long silence */
    assert_int_equal(wi_site_due(&thread, 2000, 5000, 0), 0);             /* just looked */
    atomic_store(&wi_sites_on, 0);
}

static void guarded(void **unused)
{
    static struct wi_peek peek;
    static const char TEXT[] = "some bytes that are there";
    char copy[sizeof(TEXT)];
    (void)unused;
    wi_peek_init();
    wi_peek_reset(&peek);
    assert_int_equal(wi_peek_read(&peek, (uintptr_t)TEXT, copy, sizeof(copy)), 0);
    assert_string_equal(copy, TEXT);
    static const uintptr_t NOWHERE[] = {0, 8, 4096, UINTPTR_MAX - 8, UINTPTR_MAX / 2, 1ull << 46};
    for (size_t i = 0; i < WI_ARRAY_LEN(NOWHERE); i++)
        assert_int_not_equal(wi_peek_read(&peek, NOWHERE[i], copy, 8), 0);
    uint32_t calls = peek.calls;
    assert_int_equal(wi_peek_read(&peek, (uintptr_t)TEXT, copy, sizeof(copy)), 0);
    assert_int_equal(peek.calls, calls); /* the page was kept */
}

/* In a child in which the kernel refuses the call, as container runtimes do: 0 if all is read. */
static int read_refused(void)
{
    static struct wi_peek peek;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {WI_ARRAY_LEN(code), code};
    uint64_t value = 77, copy = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 0; /* cannot be tried here */
    wi_peek_reset(&peek);
    if (wi_peek_read(&peek, (uintptr_t)&value, &copy, sizeof(copy)) == 0)
        return 1; /* the filter does not work */
    wi_peek_init();
    wi_peek_reset(&peek);
    if (wi_peek_read(&peek, (uintptr_t)&value, &copy, sizeof(copy)) != 0 || copy != value)
        return 2;
    return wi_peek_read(&peek, 4096, &copy, sizeof(copy)) == 0 ? 3 : 0;
}

static void refused(void **unused)
{
    int status = 0;
    pid_t child = fork();
    (void)unused;
    if (child == 0)
        _exit(read_refused());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int is_ours(void *user, const struct wi_map *map)
{
    uintptr_t address = (uintptr_t)user;
    return address >= map->start && address < map->end && map->executable &&
           strstr(map->path, "test_sites") != NULL;
}

static void mappings(void **unused)
{
    char path[200];
    (void)unused;
    assert_int_equal(wi_map_each(is_ours, (void *)(uintptr_t)mappings), 1);
    assert_int_equal(wi_map_path_with("/test_sites", path, sizeof(path)), 1);
    assert_int_equal(wi_map_path_with("/no such file", path, sizeof(path)), 0);
}

/* Our own program with bytes changed at random: whatever a file says, reading it ends and stays
 * within bounds (the sanitizer build sees that). */
static void damaged(void **unused)
{
    static char bytes[4 << 20];
    char path[] = "/tmp/test_sites_XXXXXX";
    struct wi_symbol good, symbol;
    uint64_t random = 12345;
    int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
    ssize_t size = read(from, bytes, sizeof(bytes));
    (void)unused;
    close(from);
    assert_true(to >= 0 && size > 0 && size < (ssize_t)sizeof(bytes));
    assert_int_equal(pwrite(to, bytes, (size_t)size, 0), size);
    assert_int_equal(wi_symbol_file((uintptr_t)damaged + 8, &good), 0);
    good.path = path;
    symbol = good;
    wi_symbol_name(&symbol);
    assert_string_equal(symbol.place.name, "damaged");
    assert_string_equal(symbol.place.source, "test_sites.c");
    for (int round = 0; round < 400; round++) {
        off_t at[8];
        for (int i = 0; i < 8; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            /* half of them in the headers, where it hurts */
            at[i] = (off_t)((random >> 33) % (uint64_t)(i % 2 ? size : 1024));
            if (i % 4 == 0) /* the section headers lie at the end */
                at[i] = size - 1 - at[i];
            uint8_t value = (uint8_t)(random >> 24);
            pwrite(to, &value, 1, at[i]);
        }
        symbol = good;
        wi_symbol_name(&symbol);
        assert_true(memchr(symbol.place.name, 0, sizeof(symbol.place.name)) != NULL);
        for (int i = 0; i < 8; i++)
            pwrite(to, bytes + at[i], 1, at[i]);
    }
    close(to);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lnotab),      cmocka_unit_test(linetable),  cmocka_unit_test(locations),
        cmocka_unit_test(description), cmocka_unit_test(whose_code), cmocka_unit_test(budget),
        cmocka_unit_test(when),        cmocka_unit_test(guarded),    cmocka_unit_test(mappings),
        cmocka_unit_test(damaged),     cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
