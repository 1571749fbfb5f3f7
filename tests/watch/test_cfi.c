/* Frames by unwind tables, held against the C library's own unwinder.
 * Threads: one. */
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include <cmocka.h>

#include "collect/cfi.h"
#include "collect/peek.h"

#define DEEP       12
#define MOST       40
#define COPY_BYTES 16384

static struct {
    unsigned char stack[COPY_BYTES];
    size_t bytes;
    uintptr_t frames[MOST];
    void *expected[MOST];
    int count, expected_count;
    struct wi_cfi_regs regs;
} seen;

static struct wi_cfi_regs regs_of(const ucontext_t *at)
{
#if defined(__aarch64__)
    return (struct wi_cfi_regs){.ip = at->uc_mcontext.pc,
                                .sp = at->uc_mcontext.sp,
                                .fp = at->uc_mcontext.regs[29],
                                .lr = at->uc_mcontext.regs[30]};
#else
    return (struct wi_cfi_regs){.ip = (uintptr_t)at->uc_mcontext.gregs[REG_RIP],
                                .sp = (uintptr_t)at->uc_mcontext.gregs[REG_RSP],
                                .fp = (uintptr_t)at->uc_mcontext.gregs[REG_RBP]};
#endif
}

#ifdef __SANITIZE_ADDRESS__
#define OWN 1 /* frame of the sanitizer's backtrace() */
#else
#define OWN 0
#endif

/* Both walks begin in this function; their innermost addresses are different calls in it. */
__attribute__((noinline)) static void look(void)
{
    ucontext_t at;
    getcontext(&at);
    seen.regs = regs_of(&at);
    seen.bytes = wi_peek_some(seen.regs.sp, seen.stack, sizeof(seen.stack));
    seen.count = wi_cfi_walk(&seen.regs, seen.stack, seen.bytes, seen.frames, MOST);
    seen.expected_count = backtrace(seen.expected, MOST);
}

static void same_frames(int least)
{
    /* What is called from beyond the copy is not found; backtrace goes to the program's start. */
    assert_true(seen.count >= least);
    assert_true(seen.count + OWN <= seen.expected_count);
    for (int i = 1; i < seen.count; i++)
        assert_int_equal(seen.frames[i], (uintptr_t)seen.expected[i + OWN]);
}

__attribute__((noinline)) static int deep(int level)
{
    volatile char room[100] = {0};
    room[level] = 1;
    if (level == 0)
        look();
    else
        room[0] = (char)deep(level - 1);
    return room[level];
}

/* A frame of a size that only the frame pointer knows. */
__attribute__((noinline)) static int of_any_size(size_t size, int level)
{
    volatile char *room = __builtin_alloca(size);
    room[0] = 1;
    return level ? of_any_size(size + 16, level - 1) + room[0] : deep(2) + room[0];
}

static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 3 || *(const int *)b == 3)
        deep(3);
    return *(const int *)a - *(const int *)b;
}

static void follows_frames(void **state)
{
    (void)state;
    deep(DEEP);
    same_frames(DEEP + 2);
}

static void follows_frames_of_any_size(void **state)
{
    (void)state;
    of_any_size(64, 4);
    same_frames(3 + 5 + 2);
}

static void goes_through_other_files(void **state)
{
    int list[] = {5, 3, 4, 1};
    (void)state;
    qsort(list, 4, sizeof(*list), compare);
    same_frames(4 + 3);
}

/* The kernel's own code in the process: where it lies, and where a thread was in it. */
static uintptr_t vdso;
static volatile sig_atomic_t interrupted;

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    struct wi_cfi_regs regs = regs_of(context);
    if (interrupted || regs.ip - vdso >= 8192)
        return;
    seen.regs = regs;
    seen.bytes = wi_peek_some(regs.sp, seen.stack, sizeof(seen.stack));
    interrupted = 1;
}

/* Its return address, once it was interrupted where it asks for the time; 0: that never happened.
 */
__attribute__((noinline)) static uintptr_t ask_the_time(void)
{
    struct timespec now = {0, 0};
    time_t end = time(NULL) + 10;
    while (!interrupted && now.tv_sec < end)
        clock_gettime(CLOCK_REALTIME, &now);
    return interrupted ? (uintptr_t)__builtin_return_address(0) : 0;
}

static void begins_in_the_kernels_code(void **state)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval each = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};
    int found = 0;
    (void)state;
    vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso)
        skip();
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
    uintptr_t caller = ask_the_time();
    assert_int_equal(setitimer(ITIMER_REAL, &none, NULL), 0);
    if (!caller) /* where the clock cannot be read without a system call */
        skip();
    seen.count = wi_cfi_walk(&seen.regs, seen.stack, seen.bytes, seen.frames, MOST);
    for (int i = 0; i < seen.count; i++)
        found += seen.frames[i] == caller;
    assert_int_equal(found, 1);
}

static void ends_with_the_copy(void **state)
{
    (void)state;
    deep(DEEP);
    int all = wi_cfi_walk(&seen.regs, seen.stack, seen.bytes, seen.frames, MOST);
    int cut = wi_cfi_walk(&seen.regs, seen.stack, 600, seen.frames, MOST);
    assert_true(cut >= 1 && cut < all);
    assert_int_equal(wi_cfi_walk(&seen.regs, seen.stack, 0, seen.frames, MOST), 1);
}

/* Nothing may crash, and no more is written than there is room for. */
static void takes_any_stack(void **state)
{
    (void)state;
    deep(DEEP);
    unsigned seed = 1;
    uintptr_t begin = seen.frames[0];
    for (int round = 0; round < 20000; round++) {
        struct wi_cfi_regs regs = {.ip = begin + (uintptr_t)(rand_r(&seed) % 100000) - 50000,
                                   .sp = seen.regs.sp + (uintptr_t)(rand_r(&seed) % 64),
                                   .fp = (uintptr_t)rand_r(&seed)};
        for (int i = 0; i < 8; i++)
            seen.stack[(unsigned)rand_r(&seed) % sizeof(seen.stack)] = (unsigned char)rand_r(&seed);
        int count = wi_cfi_walk(&regs, seen.stack, sizeof(seen.stack), seen.frames, 8);
        assert_true(count >= 1 && count <= 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_frames),
        cmocka_unit_test(follows_frames_of_any_size),
        cmocka_unit_test(goes_through_other_files),
        cmocka_unit_test(ends_with_the_copy),
        cmocka_unit_test(begins_in_the_kernels_code),
        cmocka_unit_test(takes_any_stack),
    };
    wi_peek_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
