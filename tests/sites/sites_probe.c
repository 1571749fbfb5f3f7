/* The stack readers as a library that a test can call, from C or, by ctypes, from Python: without
 * the preload, without a GPU.
 * Threads: as the functions it calls. */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/out.h"
#include "collect/native_stack.h"
#include "collect/peek.h"
#include "collect/py_codes.h"
#include "collect/py_frames.h"
#include "collect/sites.h"
#include "collect/stack_look.h"
#include "model/event.h"

static struct wi_site_thread self;

WI_EXPORT int probe_open(void)
{
    int failed = wi_sites_init();
    if (!failed)
        wi_sites_open("auto");
    return failed;
}

WI_EXPORT unsigned probe_capture(void)
{
    return wi_site_capture(&self, 1);
}

/* 1 if Python stacks are on, 0 if not. */
WI_EXPORT int probe_python(void)
{
    return wi_sites_python() != NULL;
}

WI_EXPORT void probe_text(unsigned site, char *text, size_t cap)
{
    struct wi_out out;
    wi_out_mem(&out, text, cap);
    wi_site_text(site, &out);
    wi_out_finish(&out);
}

WI_EXPORT void probe_words(char *text, size_t cap)
{
    struct wi_out out;
    wi_out_mem(&out, text, cap);
    wi_sites_words(&out);
    wi_out_finish(&out);
}

static int walk(struct wi_peek *peek, struct wi_py_frame *frames)
{
    const struct wi_py *py = wi_sites_python();
    return py ? wi_py_walk(py, peek, (uintptr_t)py->own_state(), frames, WI_PY_FRAMES, NULL) : -1;
}

/* "file|line|function" a line, innermost first: every frame that is seen. */
WI_EXPORT int probe_stack(char *text, size_t cap)
{
    struct wi_py_frame frames[WI_PY_FRAMES];
    struct wi_out out;
    int count = walk(NULL, frames);
    wi_out_mem(&out, text, cap);
    for (int i = 0; i < count; i++) {
        const struct wi_py *py = wi_sites_python();
        int index = wi_py_code_of(py, NULL, frames[i].code);
        const struct wi_py_code *code = index < 0 ? NULL : wi_py_code_at(index);
        if (!code)
            return -2;
        wi_out_f(&out, "%s|%d|%s\n", code->file, wi_py_code_line(code, frames[i].instr),
                 code->function);
    }
    wi_out_finish(&out);
    return count;
}

/* The layout that is in force, to be held against the headers: name value, a line each. */
WI_EXPORT int probe_layout(char *text, size_t cap)
{
    struct wi_py py;
    struct wi_out out;
    int failed = wi_py_find(&py);
    wi_out_mem(&out, text, cap);
#define FIELD(name) wi_out_f(&out, #name " %d\n", (int)py.at.name);
    FIELD(tstate_frame)
    FIELD(cframe_frame)
    FIELD(tstate_interp)
    FIELD(tstate_thread)
    FIELD(frame_prev)
    FIELD(frame_code)
    FIELD(frame_instr)
    FIELD(frame_owner)
    FIELD(code_file)
    FIELD(code_function)
    FIELD(code_qualname)
    FIELD(code_first)
    FIELD(code_table)
    FIELD(code_bytecode)
    FIELD(object_type)
    FIELD(var_size)
    FIELD(bytes_size)
    FIELD(bytes_data)
    FIELD(text_length)
    FIELD(text_state)
    FIELD(text_ascii)
    FIELD(text_wide)
    FIELD(finalizing)
    FIELD(gc_collecting)
#undef FIELD
    wi_out_finish(&out);
    return failed;
}

/* Pretends that one field of the layout (by its place) is off by delta. 0: the self-test found it
 * out; 1: what is seen is right all the same; 2: something else is seen; -1: no such field. */
WI_EXPORT int probe_wrong_offset(int field, int delta)
{
    struct wi_py_frame right[WI_PY_FRAMES], wrong[WI_PY_FRAMES];
    static struct wi_peek peek;
    struct wi_py py = *wi_sites_python();
    uint32_t *offsets = (uint32_t *)&py.at;
    uintptr_t tstate = (uintptr_t)py.own_state();
    int count = walk(NULL, right);
    if ((size_t)field * sizeof(*offsets) >= offsetof(struct wi_py_layout, instr))
        return -1;
    offsets[field] += (uint32_t)delta;
    if (wi_py_self_test(&py, tstate) != 0)
        return 0;
    wi_peek_reset(&peek);
    if (wi_py_walk(&py, &peek, tstate, wrong, WI_PY_FRAMES, NULL) != count)
        return 2;
    for (int i = 0; i < count; i++)
        if (right[i].code != wrong[i].code)
            return 2;
    return 1;
}

/* Walks own stack `times` times; returns how many walks gave other frames than the first. */
WI_EXPORT int probe_stress(int times)
{
    struct wi_py_frame first[WI_PY_FRAMES], again[WI_PY_FRAMES];
    memset(first, 0, sizeof(first)); /* the padding is compared too */
    memset(again, 0, sizeof(again));
    int count = walk(NULL, first), different = 0;
    for (int i = 0; i < times; i++) {
        int now = walk(NULL, again);
        different += now != count || memcmp(first, again, sizeof(*first) * (size_t)count) != 0;
    }
    return count < 1 ? -1 : different;
}

WI_EXPORT void *probe_state(void)
{
    const struct wi_py *py = wi_sites_python();
    return py ? py->own_state() : NULL;
}

WI_EXPORT void *probe_thread(void)
{
    return (void *)pthread_self();
}

/* Looks at another thread's stack. "span name", or "" if nothing was seen. */
WI_EXPORT int probe_look(void *tstate, void *owner, char *text, size_t cap)
{
    struct wi_look look;
    struct wi_out out;
    const struct wi_py *py = wi_sites_python();
    int result = py ? wi_look_at(py, (uintptr_t)tstate, (uintptr_t)owner, &look) : -1;
    wi_out_mem(&out, text, cap);
    if (result == 0) {
        wi_out_f(&out, "%s ", wi_span_kind_word((unsigned)look.span));
        wi_look_name(look.code, &out);
        if (look.collecting)
            wi_out_str(&out, " collecting");
    }
    wi_out_finish(&out);
    return result;
}

/* The same from a thread that is none of Python's: the calling thread keeps what lock it has. */
struct looker {
    void *tstate, *owner;
    char *text;
    size_t cap;
    int result;
};

static void *look_from_outside(void *argument)
{
    struct looker *looker = argument;
    looker->result = probe_look(looker->tstate, looker->owner, looker->text, looker->cap);
    return NULL;
}

WI_EXPORT int probe_look_outside(void *tstate, void *owner, char *text, size_t cap)
{
    pthread_t thread;
    struct looker looker = {tstate, owner, text, cap, -1};
    if (pthread_create(&thread, NULL, look_from_outside, &looker) == 0)
        pthread_join(thread, NULL);
    return looker.result;
}

WI_EXPORT int probe_kind(const char *file)
{
    return (int)wi_code_kind_of(file);
}

static volatile sig_atomic_t system_calls;

static void count_call(int number)
{
    (void)number;
    system_calls++;
}

/* How many system calls `times` captures make; negative if they cannot be counted. The process can
 * do nothing afterwards but end. */
WI_EXPORT int probe_system_calls(int times)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    signal(SIGSYS, count_call);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return -1;
    for (int i = 0; i < times; i++)
        wi_site_capture(&self, 1);
    int counted = (int)system_calls;
    getpid(); /* the counter counts */
    return system_calls == counted + 1 ? counted : -1;
}

/* Nanoseconds a capture takes, by the median of many; the caller's stack is the measured one. */
WI_EXPORT int64_t probe_cost_ns(int times)
{
    struct timespec a, b;
    int64_t best = INT64_MAX;
    for (int i = 0; i < times; i++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        wi_site_capture(&self, 1);
        clock_gettime(CLOCK_MONOTONIC, &b);
        int64_t ns = (b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec;
        best = ns < best ? ns : best;
    }
    return best;
}

/* What a framework's own thread is: it has a state of the interpreter and no frames. Call it
 * without the lock. Returns its site. */
static void *frameless(void *site)
{
    int (*ensure)(void);
    void (*release)(int);
    void *(*save)(void);
    void (*restore)(void *);
    struct wi_site_thread thread = {.looked_ns = 0};
    *(void **)&ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    *(void **)&release = dlsym(RTLD_DEFAULT, "PyGILState_Release");
    *(void **)&save = dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    *(void **)&restore = dlsym(RTLD_DEFAULT, "PyEval_RestoreThread");
    int gil = ensure();
    void *state = save();
    *(unsigned *)site = wi_site_capture(&thread, 1);
    restore(state);
    release(gil);
    return NULL;
}

WI_EXPORT unsigned probe_frameless(void)
{
    pthread_t thread;
    unsigned site = 0;
    if (pthread_create(&thread, NULL, frameless, &site) == 0)
        pthread_join(thread, NULL);
    return site;
}

/* The unwinder that is used from now on, not better than best; 0: looks whether it must change. */
WI_EXPORT const char *probe_unwinder(int best)
{
    if (best)
        wi_native_open((enum wi_unwinder)best);
    else
        wi_native_check();
    return wi_native_words(wi_native_how());
}
