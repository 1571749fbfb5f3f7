/* Arms the library at the first CUDA call: finds out which level works and starts it.
 * Threads: the thread of that call, once; possibly inside cuInit. May not: call CUDA; fail the
 * job: whatever goes wrong ends in a lower level with its reason. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/glibc.h"
#include "base/log.h"
#include "base/out.h"
#include "collect/arbiter.h"
#include "collect/collect.h"
#include "collect/feed.h"
#include "collect/hot.h"
#include "collect/sites.h"
#include "collect/thread.h"
#include "collect/wall_clock.h"
#include "cuda/driver.h"

extern char **environ;

struct wi_process wi_process;

static void set_level(char level, const char *why, int code)
{
    struct wi_out out;
    wi_process.level = level;
    wi_out_mem(&out, wi_process.reason, sizeof(wi_process.reason));
    wi_out_str(&out, why);
    if (code)
        wi_out_f(&out, " (code %d)", code);
    wi_out_finish(&out);
}

static void warn_setting(const char *name, const char *problem)
{
    size_t len = strcspn(name, "=");
    char word[64];
    len = len < sizeof(word) - 1 ? len : sizeof(word) - 1;
    memcpy(word, name, len);
    word[len] = 0;
    wi_log(WI_LOG_FAULT, "%s %s", word, problem);
}

static int is(const char *setting, const char *word)
{
    return !strcmp(setting, word);
}

static const char *subscribe_problem(int code)
{
    switch (code) {
    case WI_CUPTI_MULTIPLE_SUBSCRIBERS:
    case WI_CUPTI_MAX_LIMIT:
        return "another tool (nsys, ncu, a framework's profiler, compute-sanitizer) already "
               "records this process, and CUPTI serves one at a time";
    case WI_CUPTI_NOT_COMPATIBLE:
        return "another tool records this process through CUPTI's subscriber-scoped calls, which "
               "do not mix with others";
    case WI_CUPTI_PRIVILEGES:
        return "the driver allows profiling to administrators only "
               "(NVreg_RestrictProfilingToAdminUsers=0 or CAP_SYS_ADMIN lifts it)";
    case WI_CUPTI_CONFIDENTIAL:
        return "CUPTI does not record in confidential-computing mode";
    case WI_CUPTI_NOT_INITIALIZED:
        return "CUPTI does not fit this driver; a libcupti that is not newer than the driver would";
    default:
        return "CUPTI could not be started";
    }
}

/* With hardware tracing on (asked for by the user's own variable), flushing beside the job's calls
 * corrupts memory in every CUPTI before 13.4.1. */
static int flush_is_unsafe(void)
{
    const char *hardware = secure_getenv("CUPTI_ENABLE_HW_TRACE");
    return hardware && strcmp(hardware, "0") != 0 && wi_process.cupti.api_version < 130401;
}

/* Level A or B, or C with the reason. */
static void choose_with_cupti(int late)
{
    struct wi_process *p = &wi_process;
    int code = wi_cupti_open(&p->cupti, p->settings.libcupti);
    if (code != 0) {
        set_level('C',
                  code == WI_ERR_NOT_FOUND ? "libcupti was not found (WHYIDLE_LIBCUPTI names it)"
                                           : "this libcupti lacks functions that are needed",
                  0);
        return;
    }
    if (late && !wi_driver_is_up()) { /* CUPTI of CUDA 13.2 crashes then */
        set_level('C', "the CUDA driver is not up", 0);
        return;
    }
    if (wi_arbiter_is_taken()) {
        set_level('C', subscribe_problem(WI_CUPTI_MULTIPLE_SUBSCRIBERS), 0);
        return;
    }
    p->join_api_records = is(p->settings.cupti, "activity");
    code = wi_recording_start(late);
    if (code != WI_CUPTI_SUCCESS) {
        set_level('C', subscribe_problem(code), code);
        return;
    }
    p->activity = 1;
    p->flush_at_end_only = flush_is_unsafe();
    if (p->join_api_records)
        set_level('B', "asked for (WHYIDLE_CUPTI=activity)", 0);
    else
        set_level('A', "", 0);
}

static int no_driver(int result)
{
    return result == WI_CUDA_INIT_ERROR || result == WI_CUDA_STUB_LIBRARY ||
           result == WI_CUDA_INSUFFICIENT_DRIVER || result == WI_CUDA_NO_DEVICE ||
           result == WI_CUDA_UNKNOWN;
}

static const char *no_driver_text(int result)
{
    switch (result) {
    case WI_CUDA_INSUFFICIENT_DRIVER:
        return "no usable CUDA driver: it is missing or older than the CUDA runtime";
    case WI_CUDA_NO_DEVICE:
        return "CUDA finds no device";
    case WI_CUDA_STUB_LIBRARY:
        return "the CUDA driver library is a stub";
    default:
        return "the CUDA driver does not start";
    }
}

static void in_child(void)
{
    /* nothing but this: the parent's helper, CUPTI's worker and their locks do not exist here */
    atomic_store_explicit(&wi_live, WI_LIVE_NONE, memory_order_relaxed);
}

/* Memory, settings, fork: what every level needs. */
static int prepare(void)
{
    wi_process.pid = (int)getpid();
    wi_process.start_ns = wi_now_ns();
    wi_wall_clock_look();
    int64_t none = 0; /* armed by the driver, and not inside a wrapper */
    atomic_compare_exchange_strong(&wi_process.first_enter_ns, &none, wi_process.start_ns);
    wi_settings_parse(&wi_process.settings, environ, warn_setting);
    wi_log_set_level((int)wi_process.settings.log);
    if (pthread_atfork(NULL, NULL, in_child) != 0)
        return WI_ERR_NOMEM;
    wi_sites_init(); /* where that fails there are no call sites */
    return wi_threads_init();
}

/* What CUPTI has begun must not stay: another tool's records would go to nobody. */
static void stay_passive(const char *lack)
{
    if (wi_process.activity)
        wi_recording_stop();
    wi_process.activity = 0;
    wi_log(WI_LOG_FAULT, "no %s to record with; the job runs unrecorded", lack);
    atomic_store(&wi_live, WI_LIVE_NONE);
}

static void arm(int late, int first_result)
{
    int live = WI_LIVE_NONE;
    if (!wi_clock_ns(CLOCK_MONOTONIC) || !wi_clock_ns(CLOCK_REALTIME)) {
        stay_passive("clock");
        return;
    }
    if (prepare() != 0) {
        stay_passive("memory");
        return;
    }
    if (late && no_driver(first_result))
        set_level('D', no_driver_text(first_result), first_result);
    else if (is(wi_process.settings.cupti, "off"))
        set_level('C', "asked for (WHYIDLE_CUPTI=off)", 0);
    else {
        int turn = wi_arbiter_take();
        choose_with_cupti(late);
        if (turn)
            wi_arbiter_give();
    }
    if (wi_process.level != 'D')
        live = wi_process.level == 'A' ? WI_LIVE_CALLBACKS : WI_LIVE_WRAPPERS;
    if (wi_feed_init(wi_process.level == 'C' || wi_process.level == 'D') != 0 ||
        wi_helper_start() != 0) {
        stay_passive("memory or no thread");
        return;
    }
    atomic_store(&wi_process.armed, 1);
    atomic_store(&wi_live, live);
    wi_register_exit();
    wi_log(WI_LOG_LIFE, "armed at level %c%s%s", wi_process.level, wi_process.reason[0] ? ": " : "",
           wi_process.reason);
}

void wi_arm(int late, int first_result)
{
    static atomic_int taken;
    int saved = errno;
    if (atomic_load(&wi_live) == WI_LIVE_UNARMED && !atomic_exchange(&taken, 1))
        arm(late, first_result);
    errno = saved;
}

void wi_arm_no_driver(int first_result)
{
    if (!no_driver(first_result) || wi_process.level == 'D' || !atomic_load(&wi_process.armed))
        return;
    set_level('D', no_driver_text(first_result), first_result);
    atomic_store(&wi_live, WI_LIVE_NONE);
}
