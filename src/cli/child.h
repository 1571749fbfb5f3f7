/* Starts a program and waits for it, as transparently as a wrapper can: signals that are sent to
 * the wrapper reach the program, the wrapper outlives them and tells how the program ended.
 * Threads: main only; one child at a time. */
#ifndef WI_CLI_CHILD_H
#define WI_CLI_CHILD_H

struct wi_child {
    /* To be filled in. */
    char **argv;            /* NULL-terminated; argv[0] is looked up in PATH */
    const char *const *env; /* NAME, VALUE, NAME, VALUE, ..., NULL: set in the child only */
    /* The outcome. */
    int start_error; /* errno of a program that could not be started, else 0 */
    int status;      /* as from waitpid, if it was started */
    int pid;         /* of the program that was started */
    int signaled_us; /* the last signal that the wrapper got meanwhile, 0 = none */
};

/* Runs it. Returns 0 if it was started and has ended, else -1. */
int wi_child_run(struct wi_child *child);
/* The exit status a shell would show: 128+n for signals. */
int wi_child_exit(const struct wi_child *child);
/* Ends this process as the child ended: the same signal, or the same exit status. */
_Noreturn void wi_child_end_like(const struct wi_child *child);
/* Says on stderr why the program could not be started; returns 126 or 127 as a shell does. */
int wi_child_start_failure(const struct wi_child *child);

#endif
