/* The fault table: linked into a test build of the preload, where the linker sends every call of
 * system_calls.def through a function here (--wrap), each of which can be told to fail once.
 *   WI_FAULT=name:n[:way[:count]]   the n-th call of `name` in the whole job fails, and the
 *       count-1 after it (0: all after it). way: an error by name or number, "short", "eof".
 *   WI_FAULT=clock_step:n:ms        from the n-th reading of the wall clock on it is ms ahead
 *   Several, separated by commas, hold at the same time.
 *   WI_FAULT_FILE=path              counters in the order of the list: calls of each row, then
 *       how many faults were injected; shared by all processes of the job
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
    ROWS,
    ROW_FIRED = ROWS,
    ROW_clock_step
};

static const char *const NAMES[] = {
#define CALL(type, name, ...)  #name,
#define TRANSFER(name, ...)    #name,
#define CLOCK(name, ...)       #name,
#define SYSTEM_CALL(name, ...) #name,
#include "system_calls.def"
    "fired", "clock_step"};

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

static _Atomic uint64_t own_counters[ROWS + 2];
struct fault {
    int row, code;
    uint64_t first, count; /* count 0: to the end */
    int64_t step_ms;
};

static struct {
    _Atomic int ready;
    int faults;
    struct fault fault[8];
    _Atomic uint64_t *counters;
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
    size_t len = strcspn(text, ":,");
    *fault = (struct fault){.row = -1, .code = EIO, .first = 1, .count = 1};
    for (int i = 0; i <= ROW_clock_step; i++)
        if (same(text, NAMES[i], len))
            fault->row = i;
    if (fault->row < 0)
        abort(); /* a test that names what is not in the list */
    text += len;
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

/* The first call comes from the library's constructor, before there are threads. */
static void prepare(void)
{
    const char *path = getenv("WI_FAULT_FILE"), *fault = getenv("WI_FAULT");
    atomic_store(&plan.ready, 1);
    int fd = path ? __real_open(path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        void *map =
            __real_mmap(NULL, sizeof(own_counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED)
            plan.counters = map;
        __real_close(fd);
    }
    for (; fault && *fault && plan.faults < 8; fault += *fault == ',')
        fault = parse(fault, &plan.fault[plan.faults++]);
}

/* 0, or the code the call has to fail with. */
static int fires(enum row row)
{
    if (!atomic_load(&plan.ready))
        prepare();
    uint64_t n = atomic_fetch_add(&plan.counters[row], 1) + 1;
    for (int i = 0; i < plan.faults; i++) {
        const struct fault *fault = &plan.fault[i];
        if ((int)row != fault->row || n < fault->first ||
            (fault->count && n >= fault->first + fault->count))
            continue;
        atomic_fetch_add(&plan.counters[ROW_FIRED], 1);
        if (fault->code > 0)
            errno = fault->code;
        return fault->code;
    }
    return 0;
}

/* How far the n-th reading of the wall clock is ahead. */
static int64_t step_ms(void)
{
    uint64_t n = atomic_fetch_add(&plan.counters[ROW_clock_step], 1) + 1;
    for (int i = 0; i < plan.faults; i++) {
        const struct fault *fault = &plan.fault[i];
        if (fault->row == ROW_clock_step && n >= fault->first) {
            if (n == fault->first)
                atomic_fetch_add(&plan.counters[ROW_FIRED], 1);
            return fault->step_ms;
        }
    }
    return 0;
}

/* The errno of a call that works stays as it was. */
#define CALL(type, name, parameters, arguments, failed, ways)                                      \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        int code = fires(ROW_##name);                                                              \
        return code ? failed : __real_##name arguments;                                            \
    }
#define TRANSFER(name, parameters, arguments, ways)                                                \
    ssize_t __wrap_##name parameters                                                               \
    {                                                                                              \
        int code = fires(ROW_##name);                                                              \
        if (code == SHORT && size > 1)                                                             \
            size /= 2;                                                                             \
        return code == END_OF_FILE ? 0 : code > 0 ? -1 : __real_##name arguments;                  \
    }
#include "system_calls.def"

/* Leaves errno: it is the one call whose failure no caller on the hot path makes good. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *to)
{
    int saved = errno;
    if (fires(ROW_clock_gettime)) {
        errno = saved;
        return -1;
    }
    int result = __real_clock_gettime(clock, to);
    if (clock == CLOCK_REALTIME)
        to->tv_sec += step_ms() / 1000;
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
    int code = row < 0 ? 0 : fires((enum row)row);
    return code == END_OF_FILE ? 0 : code ? -1 : __real_syscall(number, a, b, c, d, e, f);
}
