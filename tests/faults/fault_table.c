/* The fault table: linked into a test build of the preload, where the linker sends every call of
 * system_calls.def through a function here (--wrap), each of which can be told to fail once.
 *   WI_FAULT=name:n[:way[:count]]   the n-th call of `name` in the whole job fails, and the
 *       count-1 after it (0: all after it). way: an error by name or number, "short", "eof".
 *   WI_FAULT=name@path:n...         the same among the calls that came that way through the library
 *       (hexadecimal, as WI_FAULT_PATHS has it)
 *   WI_FAULT=clock_step:n:ms        from the n-th reading of the wall clock on it is ms ahead
 *   Several, separated by commas, hold at the same time.
 *   WI_FAULT_FILE=path              counters in the order of the list: calls of each row, readings
 *       of the clock, for each fault how often it was injected, for each the calls that came its
 *       way; shared by all processes of the job
 *   WI_FAULT_PATHS=path             for each row the ways its first PATHS calls came, 32 bits each
 * Threads: any. May not: call anything but through __real_ names; touch the job. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum row {
#define CALL(type, name, ...)  ROW_##name,
#define TRANSFER(name, ...)    ROW_##name,
#define CLOCK(name, ...)       ROW_##name,
#define SYSTEM_CALL(name, ...) ROW_##name,
#include "system_calls.def"
    ROW_clock_step,
    ROWS
};

static const char *const NAMES[] = {
#define CALL(type, name, ...)  #name,
#define TRANSFER(name, ...)    #name,
#define CLOCK(name, ...)       #name,
#define SYSTEM_CALL(name, ...) #name,
#include "system_calls.def"
    "clock_step"};

static const struct {
    const char *name;
    int code;
} ERRORS[] = {
#define ERROR(name)                                                                                \
    {                                                                                              \
#name, name                                                                                \
    }
    ERROR(EACCES), ERROR(EAGAIN), ERROR(EBADF),  ERROR(EFAULT),    ERROR(EFBIG),  ERROR(EINTR),
    ERROR(EINVAL), ERROR(EIO),    ERROR(EMFILE), ERROR(ENOBUFS),   ERROR(ENOENT), ERROR(ENOMEM),
    ERROR(ENOSPC), ERROR(ENOSYS), ERROR(ENOTTY), ERROR(ENOTDIR),   ERROR(EPERM),  ERROR(EROFS),
    ERROR(ESRCH),  ERROR(EEXIST), ERROR(EDQUOT), ERROR(ETIMEDOUT),
};

enum { SHORT = -1, END_OF_FILE = -2 };

#define DECLARE(type, name, parameters)                                                            \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;
#define CALL(type, name, parameters, ...) DECLARE(type, name, parameters)
#define TRANSFER(name, parameters, ...)   DECLARE(ssize_t, name, parameters)
#define CLOCK(name, ...)                  DECLARE(int, name, (clockid_t clock, struct timespec * to))
#include "system_calls.def"
long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

enum {
    FAULTS = 8,
    FIRED = ROWS,
    CAME = FIRED + FAULTS,
    COUNTERS = CAME + FAULTS,
    PATHS = 8192,
    DEPTH = 24
};

static _Atomic uint64_t own_counters[COUNTERS];
struct fault {
    int row, code;
    uint32_t path;         /* 0: any */
    uint64_t first, count; /* count 0: to the end */
    int64_t step_ms;
};

static struct {
    _Atomic int ready;
    int faults;
    struct fault fault[FAULTS];
    _Atomic uint64_t *counters;
    uint32_t (*paths)[PATHS];
} plan = {.counters = own_counters};

static int same(const char *a, const char *b, size_t len)
{
    return strlen(b) == len && !memcmp(a, b, len);
}

static int code_of(const char *text, size_t len)
{
    if (same(text, "short", len))
        return SHORT;
    if (same(text, "eof", len))
        return END_OF_FILE;
    for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++)
        if (same(text, ERRORS[i].name, len))
            return ERRORS[i].code;
    return atoi(text);
}

/* Takes one fault; what is behind it. */
static const char *parse(const char *text, struct fault *fault)
{
    size_t len = strcspn(text, "@:,");
    *fault = (struct fault){.row = -1, .code = EIO, .first = 1, .count = 1};
    for (int i = 0; i < ROWS; i++)
        if (same(text, NAMES[i], len))
            fault->row = i;
    if (fault->row < 0)
        abort(); /* a test that names what is not in the list */
    text += len;
    if (*text == '@')
        fault->path = (uint32_t)strtoul(text + 1, (char **)&text, 16);
    for (int field = 0; *text == ':'; field++) {
        len = strcspn(++text, ":,");
        if (field == 0)
            fault->first = (uint64_t)atoll(text);
        else if (field == 2)
            fault->count = (uint64_t)atoll(text);
        else if (fault->row == ROW_clock_step)
            fault->step_ms = atoll(text);
        else
            fault->code = code_of(text, len);
        text += len;
    }
    return text;
}

/* A file that the processes of the job share; NULL where there is none. */
static void *shared(const char *path, size_t bytes)
{
    int fd = path ? __real_open(path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (fd < 0)
        return NULL;
    void *map = __real_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    __real_close(fd);
    return map == MAP_FAILED ? NULL : map;
}

/* The first call comes from the library's constructor, before there are threads. */
static void prepare(void)
{
    const char *fault = getenv("WI_FAULT");
    atomic_store(&plan.ready, 1);
    void *counters = shared(getenv("WI_FAULT_FILE"), sizeof(own_counters));
    if (counters)
        plan.counters = counters;
    plan.paths = shared(getenv("WI_FAULT_PATHS"), sizeof(uint32_t[ROWS][PATHS]));
    for (; fault && *fault && plan.faults < FAULTS; fault += *fault == ',')
        fault = parse(fault, &plan.fault[plan.faults++]);
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* The return addresses from a frame up to where the library was entered, as one number. All of the
 * library keeps frame pointers, and no frame outside it is read. */
static uint32_t path_from(const void *frame_address)
{
    const uintptr_t *frame = frame_address;
    uint32_t path = 2166136261u;
    for (int depth = 0; depth < DEPTH; depth++) {
        uintptr_t back = frame[1] - (uintptr_t)__ehdr_start;
        if (back >= (uintptr_t)(etext - __ehdr_start))
            break;
        path = (path ^ (uint32_t)back) * 16777619u;
        frame = (const uintptr_t *)frame[0];
    }
    return path ? path : 1;
}

/* Which call among those that a fault is about this one is; 0: it is not about it. */
static uint64_t number_for(int i, enum row row, uint64_t n, uint32_t path)
{
    const struct fault *fault = &plan.fault[i];
    if ((int)row != fault->row)
        return 0;
    if (!fault->path)
        return n;
    return fault->path == path ? atomic_fetch_add(&plan.counters[CAME + i], 1) + 1 : 0;
}

/* 0, or the code the call has to fail with. */
static int fires(enum row row, const void *frame)
{
    if (!atomic_load(&plan.ready))
        prepare();
    uint64_t n = atomic_fetch_add(&plan.counters[row], 1) + 1;
    uint32_t path = path_from(frame);
    if (plan.paths && n <= PATHS)
        plan.paths[row][n - 1] = path;
    int code = 0;
    for (int i = 0; i < plan.faults; i++) {
        const struct fault *fault = &plan.fault[i];
        uint64_t number = number_for(i, row, n, path);
        if (code || number < fault->first ||
            (fault->count && number >= fault->first + fault->count))
            continue;
        atomic_fetch_add(&plan.counters[FIRED + i], 1);
        code = fault->code;
    }
    if (code > 0)
        errno = code;
    return code;
}

/* How far the n-th reading of the wall clock is ahead. */
static int64_t step_ms(void)
{
    uint64_t n = atomic_fetch_add(&plan.counters[ROW_clock_step], 1) + 1;
    for (int i = 0; i < plan.faults; i++) {
        const struct fault *fault = &plan.fault[i];
        if (fault->row == ROW_clock_step && n >= fault->first) {
            if (n == fault->first)
                atomic_fetch_add(&plan.counters[FIRED + i], 1);
            return fault->step_ms;
        }
    }
    return 0;
}

/* The errno of a call that works stays as it was. */
#define CALL(type, name, parameters, arguments, failed, ways)                                      \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        int code = fires(ROW_##name, __builtin_frame_address(0));                                  \
        return code ? failed : __real_##name arguments;                                            \
    }
#define TRANSFER(name, parameters, arguments, ways)                                                \
    ssize_t __wrap_##name parameters                                                               \
    {                                                                                              \
        int code = fires(ROW_##name, __builtin_frame_address(0));                                  \
        if (code == SHORT && size > 1)                                                             \
            size /= 2;                                                                             \
        return code == END_OF_FILE ? 0 : code > 0 ? -1 : __real_##name arguments;                  \
    }
#include "system_calls.def"

/* Leaves errno: it is the one call whose failure no caller on the hot path makes good. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *to)
{
    int saved = errno;
    if (fires(ROW_clock_gettime, __builtin_frame_address(0))) {
        errno = saved;
        return -1;
    }
    int result = __real_clock_gettime(clock, to);
    if (clock == CLOCK_REALTIME) {
        int64_t ns = to->tv_nsec + step_ms() * 1000000;
        to->tv_nsec = (ns % 1000000000 + 1000000000) % 1000000000;
        to->tv_sec += (ns - to->tv_nsec) / 1000000000;
    }
    return result;
}

static int row_of(long number)
{
    switch (number) {
#define CLOCK(name, ways)                                                                          \
    case SYS_##name:                                                                               \
        return ROW_##name;
#define SYSTEM_CALL(name, ways)                                                                    \
    case SYS_##name:                                                                               \
        return ROW_##name;
#include "system_calls.def"
    default:
        return -1;
    }
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    int row = row_of(number);
    int code = row < 0 ? 0 : fires((enum row)row, __builtin_frame_address(0));
    return code == END_OF_FILE ? 0 : code ? -1 : __real_syscall(number, a, b, c, d, e, f);
}
