/* When things happen: the driver's injection call, fork, the ways a process ends. (Loading: load.c.)
 * Threads: the driver's caller, whoever ends the process.
 * May not: do anything in a process that never touches CUDA. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/glibc.h"
#include "base/log.h"
#include "collect/collect.h"
#include "collect/hot.h"
#include "collect/publish.h"

#define QUICK_STOP_MS                                                                              \
    200 /* _exit means now: no flush, and about this long for the helper to park */

/* Two images of this library in one process (a copy of the file injected beside a preloaded one)
 * would both record: the second finds the first by this symbol. */
WI_EXPORT int whyidle_singleton_v1;

static char own_image;

int wi_is_first_image(void)
{
    /* the symbol's own address would not do: a second image's reference binds to the first's */
    void *first = dlsym(RTLD_DEFAULT, "whyidle_singleton_v1");
    Dl_info theirs, own;
    return !first || !dladdr(first, &theirs) || !dladdr(&own_image, &own) ||
           theirs.dli_fbase == own.dli_fbase;
}

/* Called by the driver inside cuInit because of CUDA_INJECTION64_PATH. 1 = success. */
WI_EXPORT int InitializeInjection(void);
WI_EXPORT int InitializeInjection(void)
{
    if (!wi_is_first_image())
        atomic_store(&wi_live, WI_LIVE_NONE);
    wi_arm(0, 0);
    return 1;
}

int wi_is_owner(void)
{
    /* a vforked child shares our memory and its flags, but not the number */
    return atomic_load(&wi_process.armed) && wi_process.pid == (int)syscall(SYS_getpid);
}

static void finish(int status, int flush)
{
    static atomic_int taken;
    int saved = errno;
    if (!wi_is_owner() || atomic_exchange(&taken, 1))
        return;
    atomic_store(&wi_live, WI_LIVE_NONE);
    int64_t ms = flush ? wi_process.settings.exit_ms : 0;
    wi_publish_final(status, ms > 0, ms > QUICK_STOP_MS ? ms : QUICK_STOP_MS);
    errno = saved;
}

static void at_exit(int status, void *unused)
{
    (void)unused;
    finish(status, 1);
}

/* Handlers run in the opposite order of registration, and ours has to run before the driver's: so
 * it is registered when the driver is known to have registered its own. finish() runs once. */
void wi_register_exit(void)
{
    static atomic_int registered, said;
    if (!atomic_load(&wi_process.armed))
        return;
    if (on_exit(at_exit, NULL) == 0)
        atomic_store(&registered, 1);
    else if (!atomic_load(&registered) && !atomic_exchange(&said, 1))
        wi_log(WI_LOG_FAULT, "no memory to be told of the job's end: the last report may miss it");
}

WI_EXPORT void _exit(int status)
{
    finish(status, 0);
    for (;;)
        syscall(SYS_exit_group, status);
}

WI_EXPORT void _Exit(int status)
{
    _exit(status);
}

WI_EXPORT void quick_exit(int status)
{
    void (*real)(int) __attribute__((noreturn));
    finish(status, 0);
    *(void **)&real = dlsym(RTLD_NEXT, "quick_exit");
    if (real)
        real(status);
    _exit(status);
}
