/* Samples threads that compute, see core_looks.h.
 * Threads: the helper. May not: allocate.
 *
 * An event of the kernel's on the thread's own CPU time writes registers and the top of the stack
 * to a ring that only the helper reads. Of each stack the innermost function of the job's own whose
 * name says something (analyze/frames.def) is told, else the innermost one of the job's own. */
#include "collect/core_looks.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analyze/frames.h"
#include "base/out.h"
#include "collect/cfi.h"
#include "collect/feed.h"
#include "collect/native_stack.h"
#include "collect/symbol_names.h"
#include "collect/thread.h"

#define SAMPLED      4 /* threads: with more the rings of a user could exceed what the kernel lets */
#define PERIOD_NS    INT64_C(4000000) /* of CPU time: 250 a second, 5 us each */
#define STACK_BYTES  8192u
#define RECORD_BYTES (STACK_BYTES + 256)
#define RING_BYTES   ((size_t)64 << 10)
#define PAGE_BYTES   ((size_t)4096)
#define TAIL_NS      INT64_C(100000000) /* what one sample may stand for at most, before it */
#define FRAMES       24
#define OWN_FRAMES   6 /* functions further out do more than this stretch */
#define NAMED        256
#define NEW_NAMES    4 /* a look: a symbol table of a large file takes ms to read */

#if defined(__aarch64__)
#define REGISTERS                                                                                  \
    (UINT64_C(1) << PERF_REG_ARM64_X29 | UINT64_C(1) << PERF_REG_ARM64_LR |                        \
     UINT64_C(1) << PERF_REG_ARM64_SP | UINT64_C(1) << PERF_REG_ARM64_PC)
enum { AT_FP, AT_LR, AT_SP, AT_IP, REGISTER_COUNT };
#else
#define REGISTERS                                                                                  \
    (UINT64_C(1) << PERF_REG_X86_BP | UINT64_C(1) << PERF_REG_X86_SP |                             \
     UINT64_C(1) << PERF_REG_X86_IP)
enum { AT_FP, AT_SP, AT_IP, REGISTER_COUNT };
#endif

struct sampled {
    uint32_t tid; /* 0 = free */
    int fd, on;
    char *ring;      /* one page of the kernel's, then the records */
    int64_t exit_ns; /* the silence it was last asked for */
    int64_t told_ns;
};

static struct {
    struct sampled sampled[SAMPLED];
    int refused;
    struct named {
        uintptr_t address;
        uint32_t name;
        int8_t own, kind;
    } named[NAMED];
    int new_names;
    unsigned char record[RECORD_BYTES];
} state;

/* ---- the kernel's side ---- */

static int open_event(uint32_t tid)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.sample_period = PERIOD_NS;
    attr.sample_type =
        PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = REGISTERS;
    attr.sample_stack_user = STACK_BYTES;
    attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_REALTIME;
    int low = (int)syscall(SYS_perf_event_open, &attr, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
    if (high < 0)
        return low;
    close(low);
    return high;
}

static int begin(struct sampled *s, uint32_t tid)
{
    int fd = open_event(tid);
    if (fd < 0) {
        state.refused = errno != ESRCH; /* the thread may just have ended */
        return 0;
    }
    char *ring = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED) {
        close(fd);
        state.refused = 1;
        return 0;
    }
    *s = (struct sampled){.tid = tid, .fd = fd, .ring = ring};
    return 1;
}

static struct sampled *find(uint32_t tid)
{
    for (int i = 0; i < SAMPLED; i++)
        if (state.sampled[i].tid == tid)
            return &state.sampled[i];
    return NULL;
}

/* A slot that is free, or whose thread has ended. */
static struct sampled *find_or_begin(uint32_t tid)
{
    struct sampled *s = find(tid);
    if (s || state.refused || sysconf(_SC_PAGESIZE) != (long)PAGE_BYTES)
        return s;
    for (int i = 0; i < SAMPLED; i++) {
        s = &state.sampled[i];
        if (s->tid && syscall(SYS_tgkill, getpid(), s->tid, 0) != 0) {
            munmap(s->ring, PAGE_BYTES + RING_BYTES);
            close(s->fd);
            s->tid = 0;
        }
        if (!s->tid)
            return begin(s, tid) ? s : NULL;
    }
    return NULL;
}

static void turn(struct sampled *s, int on)
{
    if (s->on != on)
        ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    s->on = on;
}

/* Records go round the end of the ring. */
static void copy_out(const char *records, uint64_t at, void *to, size_t size)
{
    size_t from = at % RING_BYTES, first = RING_BYTES - from < size ? RING_BYTES - from : size;
    memcpy(to, records + from, first);
    memcpy((char *)to + first, records, size - first);
}

/* ---- from a stack to a name ---- */

/* NULL: not looked up yet, and no more of that now. */
static const struct named *name_of(uintptr_t address)
{
    struct named *named = &state.named[(address ^ address >> 8) % NAMED];
    struct wi_symbol symbol;
    if (named->address == address)
        return named;
    if (state.new_names >= NEW_NAMES)
        return NULL;
    state.new_names++;
    *named = (struct named){.address = address, .name = WI_NO_NAME, .kind = -1};
    if (wi_symbol_file(address, &symbol) != 0 || symbol.path[0] != '/' ||
        wi_symbol_is_runtime(&symbol))
        return named;
    wi_symbol_name(&symbol);
    if (!symbol.place.name[0])
        return named;
    char clean[300];
    struct wi_out out;
    wi_out_mem(&out, clean, sizeof(clean));
    wi_out_clean(&out, symbol.place.name);
    if (wi_out_finish(&out) != 0)
        return named;
    named->own = 1;
    named->kind = (int8_t)wi_frame_kind_of(clean);
    named->name = wi_names_str(wi_feed_names(), clean);
    return named;
}

/* WI_NO_NAME: the stack says nothing. */
static uint32_t name_of_stack(const uintptr_t *frames, int count)
{
    uint32_t name = WI_NO_NAME;
    for (int i = 0, own = 0; i < count && own < OWN_FRAMES; i++) {
        const struct named *named = name_of(i ? frames[i] - 1 : frames[i]);
        if (!named)
            return WI_NO_NAME;
        if (!named->own)
            continue;
        if (named->kind >= 0)
            return named->name;
        name = own++ ? name : named->name;
    }
    return name;
}

/* The record behind its header: address, time, kind of registers, registers, size of the stack's
 * copy, copy, size that is valid. */
static void tell(struct sampled *s, const unsigned char *record, size_t size, int64_t end_ns)
{
    uint64_t word[4 + REGISTER_COUNT], valid;
    uintptr_t frames[FRAMES];
    if (size < sizeof(word) + STACK_BYTES + sizeof(valid))
        return;
    memcpy(word, record, sizeof(word));
    int64_t at = (int64_t)word[1], from = at - TAIL_NS;
    const uint64_t *regs = &word[3];
    if (word[2] != PERF_SAMPLE_REGS_ABI_64 || word[3 + REGISTER_COUNT] != STACK_BYTES)
        return;
    memcpy(&valid, record + sizeof(word) + STACK_BYTES, sizeof(valid));
    struct wi_cfi_regs start = {.ip = regs[AT_IP], .sp = regs[AT_SP], .fp = regs[AT_FP]};
#if defined(__aarch64__)
    start.lr = regs[AT_LR];
#endif
    from = from > s->told_ns ? from : s->told_ns;
    if (at <= from || at > end_ns)
        return;
    int count = wi_cfi_walk(&start, record + sizeof(word),
                            valid < STACK_BYTES ? (size_t)valid : STACK_BYTES, frames, FRAMES);
    struct wi_event event = {.kind = WI_EVENT_SPAN};
    event.u.span = (struct wi_host_span){.start_ns = from,
                                         .end_ns = at,
                                         .thread = s->tid,
                                         .name = name_of_stack(frames, count),
                                         .kind = WI_SPAN_FRAME};
    s->told_ns = at;
    if (event.u.span.name != WI_NO_NAME)
        wi_feed_event(&event);
}

/* Of the samples since the last look the newest that lies before end_ns: looks are as far apart as
 * those at what threads wait for, and a stack costs some 20 us. */
static void take(struct sampled *s, int64_t end_ns)
{
    struct perf_event_mmap_page *page = (void *)s->ring;
    uint64_t head = page->data_head, at = page->data_tail;
    size_t newest = 0;
    atomic_thread_fence(memory_order_acquire); /* the records before head are written */
    state.new_names = 0;
    while (at < head) {
        struct perf_event_header header;
        uint64_t start[2];
        copy_out(s->ring + PAGE_BYTES, at, &header, sizeof(header));
        if (header.size < sizeof(header) || header.size > head - at)
            break;
        size_t size = header.size - sizeof(header);
        if (header.type == PERF_RECORD_SAMPLE && size >= sizeof(start) &&
            size <= sizeof(state.record)) {
            copy_out(s->ring + PAGE_BYTES, at + sizeof(header), start, sizeof(start));
            if ((int64_t)start[1] <= end_ns) {
                copy_out(s->ring + PAGE_BYTES, at + sizeof(header), state.record, size);
                newest = size;
            }
        }
        at += header.size;
    }
    atomic_thread_fence(memory_order_release);
    page->data_tail = head; /* what is over is forgotten: the next look sees newer ones */
    if (newest)
        tell(s, state.record, newest, end_ns);
}

void wi_core_look(uint32_t tid, int64_t exit_ns)
{
    if (wi_native_how() == WI_UNWIND_NONE)
        return;
    struct sampled *s = find_or_begin(tid);
    if (!s)
        return;
    if (s->exit_ns != exit_ns) /* what is in the ring is of another silence */
        s->exit_ns = s->told_ns = exit_ns;
    take(s, INT64_MAX);
    turn(s, 1);
}

void wi_core_look_end(uint32_t tid, int64_t exit_ns, int64_t enter_ns)
{
    struct sampled *s = find(tid);
    if (!s || !s->on)
        return;
    turn(s, 0);
    if (s->exit_ns == exit_ns)
        take(s, enter_ns);
}
