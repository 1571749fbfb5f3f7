/* Blocks and rings of the job's threads, see thread.h.
 * Threads: the new thread itself (cold, once), the helper. May not: lock; use malloc. */
#include "collect/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/glibc.h"
#include "base/out.h"
#include "collect/collect.h"

/* 8 rings may grow: 8 x 256 KiB beside the 128 x 64 KiB of the first parts. */
#define GROWTHS 8

_Atomic int wi_live;
WI_TLS_IE struct wi_thread *wi_self;
struct wi_thread wi_thread_dead = {.depth = 1, .shared = 1};

static struct {
    struct wi_thread *blocks;
    _Atomic int count;
    _Atomic int rings, growths_left, unrecorded, main_ended;
    struct wi_shared_ring shared;
    pthread_key_t key;
} state;

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* At thread exit: later destructors of the job may still call CUDA, unrecorded. */
static void thread_ends(void *block)
{
    struct wi_thread *t = block;
    int saved = errno;
    wi_self = &wi_thread_dead;
    if ((int)t->tid == wi_process.pid)
        atomic_store(&state.main_ended, 1);
    atomic_store_explicit(&t->enter_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&t->state, WI_THREAD_EXITED, memory_order_release);
    errno = saved;
}

/* The first high descriptor makes the kernel enlarge the process's table, which in a process of
 * several threads waits for all cores (12 ms and more): now, before the helper is one of them. */
static void reserve_high_fd(void)
{
    int low = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
    if (high >= 0)
        close(high);
    if (low >= 0)
        close(low);
}

int wi_threads_init(void)
{
    reserve_high_fd();
    state.blocks = map(WI_MAX_THREADS * sizeof(struct wi_thread));
    void *shared = map(WI_SHARED_BYTES);
    if (!state.blocks || !shared || pthread_key_create(&state.key, thread_ends) != 0)
        return WI_ERR_NOMEM;
    atomic_store(&state.growths_left, GROWTHS);
    wi_shared_init(&state.shared, shared);
    return 0;
}

static struct wi_thread *take_block(void)
{
    int count = atomic_load(&state.count);
    for (int i = 0; i < count; i++) {
        int free_state = WI_THREAD_FREE;
        if (atomic_compare_exchange_strong(&state.blocks[i].state, &free_state, WI_THREAD_NEW))
            return &state.blocks[i];
    }
    while (count < WI_MAX_THREADS) {
        if (!atomic_compare_exchange_weak(&state.count, &count, count + 1))
            continue;
        int free_state = WI_THREAD_FREE; /* a racing searcher may take it first: go on then */
        if (atomic_compare_exchange_strong(&state.blocks[count].state, &free_state, WI_THREAD_NEW))
            return &state.blocks[count];
        count = atomic_load(&state.count);
    }
    return NULL;
}

static void take_ring(struct wi_thread *t)
{
    if (t->ring.slots)
        return; /* a recycled block keeps its memory */
    void *slots = NULL;
    if (atomic_fetch_add(&state.rings, 1) < WI_MAX_RINGS)
        slots = map(WI_RING_BYTES);
    t->shared = !slots;
    if (slots)
        wi_ring_init(&t->ring, slots, &state.growths_left);
}

static int open_schedstat(uint32_t tid)
{
    char path[64];
    struct wi_out out;
    wi_out_mem(&out, path, sizeof(path));
    wi_out_f(&out, "/proc/self/task/%u/schedstat", tid);
    wi_out_finish(&out);
    int low = open(path, O_RDONLY | O_CLOEXEC);
    if (low < 0)
        return -1;
    int high = fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
    if (high < 0)
        return low;
    close(low);
    return high;
}

WI_COLD struct wi_thread *wi_thread_new(void)
{
    int saved = errno;
    struct wi_thread *t = state.blocks ? take_block() : NULL;
    if (!t) {
        atomic_fetch_add(&state.unrecorded, 1);
        wi_self = &wi_thread_dead;
        errno = saved;
        return &wi_thread_dead;
    }
    take_ring(t);
    t->tid = (uint32_t)syscall(SYS_gettid);
    atomic_store_explicit(&t->names, ((uint64_t)(uintptr_t)pthread_self() << 32) | t->tid,
                          memory_order_relaxed);
    atomic_store(&t->live, atomic_load(&wi_live));
    t->depth = 0;
    t->first = 0;
    t->device = 0;
    t->base_wall_ns = 0;
    t->blocked_ns = 0;
    t->site.looked_ns = 0;
    memset(t->range_levels, 0, sizeof(t->range_levels));
    atomic_store(&t->site.py_state, 0);
    t->schedstat_fd = t->shared ? -1 : open_schedstat(t->tid);
    atomic_store(&t->fold, WI_FOLD_CLOSED);
    atomic_store(&t->last_exit_ns, wi_now_ns());
    pthread_setspecific(state.key, t);
    atomic_store_explicit(&t->state, WI_THREAD_USED, memory_order_release); /* all is set */
    wi_self = t;
    wi_helper_wake();
    errno = saved;
    return t;
}

/* The end of a call entered under another source is not seen, or is seen by the wrong one. */
WI_COLD void wi_thread_turn(struct wi_thread *t, int live)
{
    if (t->first || t == &wi_thread_dead)
        return;
    t->depth = 0;
    atomic_store_explicit(&t->enter_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&t->live, live, memory_order_release);
}

WI_COLD void wi_push_shared(const struct wi_entry *entry)
{
    wi_shared_push(&state.shared, entry);
}

int wi_thread_count(void)
{
    return atomic_load_explicit(&state.count, memory_order_acquire);
}

struct wi_thread *wi_thread_at(int index)
{
    return &state.blocks[index];
}

/* CUPTI numbers threads by the low half of pthread_self(). It stands with the system's id in one
 * word, so that a block that is just given to another thread shows both of the one or of the other;
 * those of a thread that has ended stay until then. */
uint32_t wi_thread_named(uint32_t id)
{
    uint32_t found = 0;
    for (int i = 0; id && i < wi_thread_count(); i++) {
        uint64_t names = atomic_load_explicit(&state.blocks[i].names, memory_order_relaxed);
        uint32_t self = (uint32_t)(names >> 32), tid = (uint32_t)names;
        if (self == id || tid == id)
            found = tid; /* the latest: a number may have been another's before */
    }
    return found;
}

struct wi_shared_ring *wi_thread_shared_ring(void)
{
    return &state.shared;
}

int wi_thread_unrecorded(void)
{
    return atomic_load_explicit(&state.unrecorded, memory_order_relaxed);
}

void wi_thread_recycle(struct wi_thread *t)
{
    char byte;
    /* the job may have closed it and opened a file of its own under the number; only the file of
     * an ended thread answers ESRCH */
    if (t->schedstat_fd >= 0 && pread(t->schedstat_fd, &byte, 1, 0) < 0 && errno == ESRCH)
        close(t->schedstat_fd);
    t->schedstat_fd = -1;
    wi_ranges_reset(&t->ranges);
    atomic_store_explicit(&t->state, WI_THREAD_FREE, memory_order_release);
}

int wi_threads_main_ended(void)
{
    return atomic_load(&state.main_ended);
}

int64_t wi_thread_bytes(void)
{
    int rings = atomic_load(&state.rings);
    int grown = GROWTHS - atomic_load(&state.growths_left);
    int64_t shared = rings > WI_MAX_RINGS ? (int64_t)WI_SHARED_BYTES : 0;
    rings = rings < WI_MAX_RINGS ? rings : WI_MAX_RINGS;
    return shared + (int64_t)wi_thread_count() * (int64_t)sizeof(struct wi_thread) +
           (int64_t)rings * WI_RING_FIRST * WI_RING_ENTRY_BYTES +
           (int64_t)grown * WI_RING_GROWN * WI_RING_ENTRY_BYTES;
}
