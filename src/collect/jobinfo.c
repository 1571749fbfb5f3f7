/* Describes the job, see jobinfo.h.
 * Threads: one at a time. May not: allocate; copy the environment; keep secrets of the arguments.
 */
#include "collect/jobinfo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/out.h"
#include "collect/collect.h"
#include "collect/procfs.h"
#include "cuda/driver.h"
#include "model/event.h"

#define CLOCK_TICK_NS INT64_C(10000000) /* 1 / USER_HZ */

static struct {
    int ready;
    struct wi_job job;
    char arguments[4096]; /* as the kernel has them: NUL between words */
    char command[4096], program[256], cuda[96];
    struct utsname host;
} state;

static const char *const RANKS[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
static const char *const WORLDS[] = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
                                     "PMI_SIZE"};

static int64_t number_from(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        int64_t value = text ? wi_take_number(&text) : WI_UNKNOWN;
        if (value != WI_UNKNOWN && !*text)
            return value;
    }
    return WI_UNKNOWN;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *next_word(const char *word)
{
    word += strlen(word) + 1;
    return word < state.arguments + sizeof(state.arguments) - 1 && *word ? word : NULL;
}

/* An interpreter is no answer to "which program": its script or module is. */
static const char *program_word(void)
{
    const char *word = state.arguments;
    if (strncmp(base_name(word), "python", 6) != 0)
        return base_name(word);
    for (const char *next = next_word(word); next; next = next_word(next)) {
        if (!strcmp(next, "-m"))
            return next_word(next) ? next_word(next) : base_name(word);
        if (!strcmp(next, "-c"))
            return base_name(word);
        if (next[0] != '-')
            return base_name(next);
    }
    return base_name(word);
}

static int is_secret(const char *word, size_t len)
{
    static const char *const SECRETS[] = {"key", "token", "secret", "password", "passwd"};
    for (size_t at = 0; at < len; at++)
        for (size_t i = 0; i < WI_ARRAY_LEN(SECRETS); i++)
            if (!strncasecmp(word + at, SECRETS[i], strlen(SECRETS[i])))
                return 1;
    return 0;
}

/* Joins the words; "--token=x" and "--token x" lose the x. */
static void join_arguments(void)
{
    struct wi_out out;
    int hide = 0;
    wi_out_mem(&out, state.command, sizeof(state.command));
    for (const char *word = state.arguments; word; word = next_word(word)) {
        const char *equals = strchr(word, '=');
        size_t len = equals ? (size_t)(equals - word) : strlen(word);
        if (word != state.arguments)
            wi_out_char(&out, ' ');
        if (hide && word[0] != '-') {
            wi_out_str(&out, "***");
        } else if (equals && is_secret(word, len)) {
            wi_out_bytes(&out, word, len + 1);
            wi_out_str(&out, "***");
        } else {
            wi_out_str(&out, word);
        }
        hide = !equals && word[0] == '-' && is_secret(word, len);
    }
    wi_out_finish(&out);
}

/* When the process began, from its age; arming's time if /proc does not tell. */
static int64_t process_start_ns(void)
{
    char text[1024];
    if (wi_read_file("/proc/self/stat", text, sizeof(text)) <= 0)
        return wi_process.start_ns;
    const char *at = strrchr(text, ')');
    at = at ? wi_skip_words(at + 1, 19) : "";
    int64_t ticks = wi_take_number(&at);
    int64_t age = wi_clock_ns(CLOCK_BOOTTIME) - ticks * CLOCK_TICK_NS;
    int64_t start = wi_clock_ns(CLOCK_REALTIME) - age;
    return ticks == WI_UNKNOWN || start > wi_process.start_ns ? wi_process.start_ns : start;
}

/* "driver 13.0, CUPTI 13.0.1"; CUPTI counted its API before it took the release's number. */
static void put_versions(void)
{
    uint32_t cupti = wi_process.cupti.api_version;
    int driver = wi_driver_version();
    struct wi_out out;
    wi_out_mem(&out, state.cuda, sizeof(state.cuda));
    if (driver)
        wi_out_f(&out, "driver %d.%d", driver / 1000, driver % 1000 / 10);
    if (cupti)
        wi_out_str(&out, driver ? ", CUPTI " : "CUPTI ");
    if (cupti >= 1000)
        wi_out_f(&out, "%u.%u.%u", cupti / 10000, cupti / 100 % 100, cupti % 100);
    else if (cupti)
        wi_out_f(&out, "API %u", cupti);
    wi_out_finish(&out);
}

const struct wi_job *wi_job_base(void)
{
    struct wi_job *job = &state.job;
    struct wi_out out;
    if (state.ready)
        return job;
    int has_host = uname(&state.host) == 0 && state.host.nodename[0];
    wi_read_file("/proc/self/cmdline", state.arguments, sizeof(state.arguments) - 1);
    wi_out_mem(&out, state.program, sizeof(state.program));
    wi_out_str(&out, program_word());
    wi_out_finish(&out);
    if (wi_process.settings.argv)
        join_arguments();
    *job = (struct wi_job){
        .program = state.program,
        .command = wi_process.settings.argv ? state.command : NULL,
        .host = has_host ? state.host.nodename : NULL,
        .pid = wi_process.pid,
        .rank = number_from(RANKS, WI_ARRAY_LEN(RANKS)),
        .world = number_from(WORLDS, WI_ARRAY_LEN(WORLDS)),
        .start_ns = process_start_ns(),
        .end = WI_JOB_RUNNING,
        .status = WI_UNKNOWN_STATUS,
        .helper_cpu_ns = WI_UNKNOWN,
        .memory_bytes = WI_UNKNOWN,
        .flush_ns = WI_UNKNOWN,
    };
    put_versions();
    job->cuda = state.cuda[0] ? state.cuda : NULL;
    state.ready = 1;
    return job;
}
