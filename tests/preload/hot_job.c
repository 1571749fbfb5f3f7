/* Makes the same CUDA calls many times and tells how many allocations and system calls came in
 * between: allocations through alloc_count.so, system calls by a seccomp filter that turns each of
 * them into a signal, which is counted.
 *   hot_job allocations N | hot_job system-calls N
 * Threads: one. */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "job_cuda.h"

static volatile sig_atomic_t counted;

static void count_call(int signal)
{
    (void)signal;
    counted++;
}

/* Only this thread's filter: the helper goes on as it likes. Returning from the handler is allowed
 * as a call, too. */
static int count_system_calls(void)
{
    signal(SIGSYS, count_call);
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Calls that the runtime under test answers without a system call of its own. */
static void calls(int times)
{
    for (int i = 0; i < times; i++) {
        cudaSetDevice(0);
        cudaStreamQuery(NULL);
    }
}

int main(int argc, char **argv)
{
    long (*counter)(void);
    int times = argc > 2 ? atoi(argv[2]) : 1000;
    void *ptr = NULL;
    if (cudaMalloc(&ptr, 4096) != 0)
        return 3;
    calls(10);
    usleep(300000); /* the helper has opened what call sites need, ... */
    calls(10);      /* ... and arming and the thread's own memory are behind us */
    if (argc > 1 && !strcmp(argv[1], "allocations")) {
        *(void **)&counter = dlsym(RTLD_DEFAULT, "alloc_count");
        if (!counter)
            return 77;
        long before = counter();
        calls(times);
        printf("%ld\n", counter() - before);
        return 0;
    }
    if (count_system_calls() != 0)
        return 77;
    calls(times);
    char text[16];
    int len = snprintf(text, sizeof(text), "%d\n", (int)counted);
    if (write(1, text, (size_t)len) < 0)
        return 4;
    syscall(SYS_exit_group, 0);
    return 0;
}
