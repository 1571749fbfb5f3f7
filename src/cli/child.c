/* Starts a program and waits for it, see child.h.
 * Threads: main only; the handlers run on it. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attr.h"
#include "cli/options.h"

/* Signals that somebody may send to end or steer the job. */
static const int PASSED_ON[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
#define SIGNALS (WI_ARRAY_LEN(PASSED_ON) + 1) /* those, and SIGCHLD */

static struct {
    volatile pid_t pid; /* 0 before the start and after the end */
    volatile sig_atomic_t got;
} state;

/* What a terminal sends goes to its whole process group, so the job has it already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    state.got = number;
    if (state.pid > 0 && info->si_code <= 0)
        kill(state.pid, number);
    errno = saved;
}

/* Handlers for the signals that were not ignored (nohup ignores SIGHUP for a reason). */
static void install(struct sigaction old[])
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < WI_ARRAY_LEN(PASSED_ON); i++) {
        sigaction(PASSED_ON[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(PASSED_ON[i], &action, NULL);
    }
    /* Where it is ignored, as some daemons leave it, the job's status would be lost. */
    struct sigaction normal = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &normal, &old[SIGNALS - 1]);
}

static void restore(const struct sigaction old[])
{
    for (size_t i = 0; i < WI_ARRAY_LEN(PASSED_ON); i++)
        sigaction(PASSED_ON[i], &old[i], NULL);
    sigaction(SIGCHLD, &old[SIGNALS - 1], NULL);
}

static _Noreturn void become(struct wi_child *child, const sigset_t *mask, int report)
{
    for (const char *const *env = child->env; env && *env; env += 2)
        setenv(env[0], env[1], 1);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(child->argv[0], child->argv);
    int error = errno;
    if (write(report, &error, sizeof(error)) != sizeof(error))
        error = 0; /* nobody is left to tell */
    _exit(127);
}

/* Waits through every interruption. */
static void reap(struct wi_child *child, pid_t pid)
{
    while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    state.pid = 0;
}

static int start(struct wi_child *child, const struct sigaction old[])
{
    int report[2];
    sigset_t blocked, mask;
    if (pipe2(report, O_CLOEXEC) != 0) {
        child->start_error = errno;
        return -1;
    }
    /* No signal may come between the fork and the moment its pid is known. */
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    pid_t pid = fork();
    if (pid == 0) {
        restore(old);
        become(child, &mask, report[1]);
    }
    child->start_error = pid < 0 ? errno : 0;
    state.pid = pid > 0 ? pid : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[1]);
    if (pid > 0) {
        int error = 0;
        ssize_t got;
        while ((got = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR)
            ;
        child->start_error = got == sizeof(error) ? error : 0;
        child->pid = (int)pid;
        reap(child, pid);
    }
    close(report[0]);
    return child->start_error ? -1 : 0;
}

int wi_child_run(struct wi_child *child)
{
    struct sigaction old[SIGNALS];
    state.got = 0;
    fflush(NULL);
    install(old);
    int err = start(child, old);
    restore(old);
    child->signaled_us = state.got;
    return err;
}

int wi_child_exit(const struct wi_child *child)
{
    return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : WEXITSTATUS(child->status);
}

_Noreturn void wi_child_end_like(const struct wi_child *child)
{
    fflush(NULL);
    if (WIFSIGNALED(child->status)) {
        /* The job has left its core dump; ours would overwrite it. */
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(child->status), SIG_DFL);
        raise(WTERMSIG(child->status));
    }
    exit(wi_child_exit(child));
}

int wi_child_start_failure(const struct wi_child *child)
{
    int missing = child->start_error == ENOENT || child->start_error == ENOTDIR;
    fprintf(stderr, "whyidle: %s: %s\n", child->argv[0],
            missing ? "no such program" : strerror(child->start_error));
    return missing ? WI_EXIT_NOT_FOUND : WI_EXIT_NO_EXEC;
}
