/* A job under the preload, see job_run.h.
 * Threads: main. */
#include "cli/job_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "cli/options.h"
#include "cli/places.h"

#define EXTRA_PAIRS 2

static int refuse(const char *what, const char *detail)
{
    fprintf(stderr, "whyidle: %s%s\n", what, detail);
    return WI_EXIT_OWN;
}

/* LD_PRELOAD with the library at its end, where allocators before it keep their place. */
static int make_preload(struct wi_job_run *run)
{
    const char *before = getenv("LD_PRELOAD");
    if (wi_find_library(run->library) != 0)
        return refuse("libwhyidle.so was not found beside the command; set WHYIDLE_LIB to its path",
                      "");
    if (strpbrk(run->library, ": "))
        return refuse(
            "the dynamic linker cannot preload from a path with a blank or colon; copy the "
            "library elsewhere and set WHYIDLE_LIB: ",
            run->library);
    int len;
    if (!before || !before[0])
        len = snprintf(run->preload, sizeof(run->preload), "%s", run->library);
    else if (strstr(before, run->library))
        len = snprintf(run->preload, sizeof(run->preload), "%s", before);
    else
        len = snprintf(run->preload, sizeof(run->preload), "%s:%s", before, run->library);
    if (len >= (int)sizeof(run->preload))
        return refuse("LD_PRELOAD is too long", "");
    return 0;
}

/* Where this job's folder goes: WHYIDLE_OUT, else whyidle-out, else below TMPDIR with one line. */
static void choose_parent(struct wi_job_run *run, char out[PATH_MAX])
{
    char spare[PATH_MAX];
    const char *why;
    if (wi_out_folder(out) != 0) /* the current folder has been removed */
        snprintf(out, PATH_MAX, "the current folder");
    else if (wi_writable(out))
        return;
    why = strerror(errno);
    if (wi_spare_folder(spare) == 0 && wi_writable(spare)) {
        fprintf(stderr, "whyidle: %s cannot be written to (%s); the report goes to %s\n", out, why,
                spare);
        memcpy(out, spare, sizeof(spare));
        run->elsewhere = 1;
        return;
    }
    /* The job is more important than its report. */
    run->nowhere = 1;
    fprintf(stderr,
            "whyidle: neither %s (%s) nor %s can be written to: there will be no report; set "
            "WHYIDLE_OUT to a folder that can\n",
            out, why, spare);
    if (out[0] != '/')
        memcpy(out, spare, sizeof(spare));
}

/* <job id or start time>-<pid of the launcher>: names no folder that exists. */
static int make_folder(struct wi_job_run *run)
{
    char out[PATH_MAX], start[32];
    const char *id = getenv("SLURM_JOB_ID");
    time_t now = time(NULL);
    struct tm utc;
    choose_parent(run, out);
    strftime(start, sizeof(start), "%Y%m%d-%H%M%S", gmtime_r(&now, &utc));
    if (!id || !id[0] || strchr(id, '/') || strlen(id) > 64)
        id = start;
    int len = snprintf(run->folder, sizeof(run->folder), "%s/%s-%d", out, id, (int)getpid());
    for (int i = 2; len < (int)sizeof(run->folder) && access(run->folder, F_OK) == 0; i++)
        len = snprintf(run->folder, sizeof(run->folder), "%s/%s-%d.%d", out, id, (int)getpid(), i);
    return len < (int)sizeof(run->folder) ? 0 : refuse("the path is too long: ", out);
}

static void make_env(struct wi_job_run *run, const char *const *extra)
{
    int at = 0;
    snprintf(run->wrapper, sizeof(run->wrapper), "%d", (int)getpid());
    const char *const pairs[] = {"LD_PRELOAD", run->preload,          "WHYIDLE_JOB_DIR",
                                 run->folder,  "WHYIDLE_WRAPPER_PID", run->wrapper};
    for (size_t i = 0; i < WI_ARRAY_LEN(pairs); i++)
        run->env[at++] = pairs[i];
    for (int i = 0; extra && extra[i] && i < 2 * EXTRA_PAIRS; i++)
        run->env[at++] = extra[i];
    run->env[at] = NULL;
    run->child.env = run->env;
}

/* Where the job's folder could not be made after all, its processes went to the spare one. */
static void load_reports(struct wi_job_run *run)
{
    char there[PATH_MAX];
    if (wi_job_reports_load(&run->reports, run->folder) > 0 || run->reports.damaged > 0 ||
        wi_spare_of_job(strrchr(run->folder, '/') + 1, there) != 0 || !strcmp(there, run->folder))
        return;
    wi_job_reports_free(&run->reports);
    if (wi_job_reports_load(&run->reports, there) == 0)
        return;
    fprintf(stderr, "whyidle: %s could not be written to; the report is in %s\n", run->folder,
            there);
    memcpy(run->folder, there, sizeof(there));
    run->elsewhere = 1;
}

int wi_job_run(struct wi_job_run *run, char **argv, const char *const *extra_env)
{
    struct timespec now;
    memset(run, 0, sizeof(*run));
    int err = make_preload(run);
    if (!err)
        err = make_folder(run);
    if (err)
        return err;
    make_env(run, extra_env);
    run->child.argv = argv;
    if (wi_child_run(&run->child) != 0)
        return wi_child_start_failure(&run->child);
    clock_gettime(CLOCK_REALTIME, &now);
    run->ended_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    load_reports(run);
    return 0;
}

int wi_job_interrupted(const struct wi_job_run *run)
{
    int by = WIFSIGNALED(run->child.status) ? WTERMSIG(run->child.status) : 0;
    return by == SIGKILL || by == SIGTERM || by == SIGINT || by == SIGHUP || by == SIGQUIT ||
           by == SIGXCPU || (run->child.signaled_us && wi_child_exit(&run->child) != 0);
}

int wi_job_failed(const struct wi_job_run *run)
{
    return wi_child_exit(&run->child) != 0 && !wi_job_interrupted(run);
}

/* The folder is there, so one of its processes used CUDA. Which one, and how that one ended, is not
 * known here; how the first one ended is. */
static void tell_lost(const struct wi_job_run *run)
{
    int by = WIFSIGNALED(run->child.status);
    fprintf(stderr,
            "whyidle: the job used CUDA but left no report; it ended %s %d. A process reports when "
            "it ends, and from one second after its first CUDA calls on while it runs: what a "
            "signal or an exec ended before then left none, nor what cannot write to %s\n",
            by ? "by signal" : "with status",
            by ? WTERMSIG(run->child.status) : WEXITSTATUS(run->child.status), run->folder);
}

void wi_job_no_cuda(const struct wi_job_run *run)
{
    const char *off = getenv("WHYIDLE");
    if (off && !strcmp(off, "0"))
        fprintf(stderr, "whyidle: WHYIDLE=0 switches everything off; unset it for a report\n");
    else if (run->reports.damaged > 0)
        wi_job_reports_complain(&run->reports);
    else if (run->nowhere)
        fprintf(stderr,
                "whyidle: no report, and so no word on whether the job used CUDA: %s could not be "
                "written to; set WHYIDLE_OUT to a folder that can\n",
                run->folder);
    else if (access(run->folder, F_OK) == 0)
        tell_lost(run);
    else
        fprintf(stderr,
                "whyidle: no process of this job was seen to use CUDA; if one should have, a "
                "container, sudo or "
                "launcher may have dropped LD_PRELOAD: whyidle doctor -- %s\n",
                run->child.argv[0]);
}

void wi_job_free(struct wi_job_run *run)
{
    wi_job_reports_free(&run->reports);
}
