/* Call sites, see sites.h.
 * Threads: as there. May not: allocate after init, lock. */
#include "collect/sites.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/log.h"
#include "collect/libraries.h"
#include "collect/native_stack.h"
#include "collect/peek.h"
#include "collect/py_codes.h"
#include "collect/py_frames.h"
#include "collect/symbol_names.h"

#define PROBES       32
#define PYTHON_TRIES 32 /* looks for an interpreter that was not there at first */

enum { EMPTY, WRITING, READY };
enum python { PYTHON_NONE, PYTHON_FOUND, PYTHON_TESTING, PYTHON_ON, PYTHON_OFF };
enum kind { KIND_PYTHON, KIND_NATIVE, KIND_OTHER_THREAD };

struct site {
    _Atomic uint32_t state;
    uint32_t kind;
    uint64_t key;
    union {
        struct {
            int32_t code;
            uint32_t instr;
        } python;
        struct {
            uint32_t count;
            uintptr_t frames[WI_NATIVE_FRAMES];
        } native;
        uint32_t other; /* the site that another thread was last seen at */
    } u;
};

_Atomic int wi_sites_on;

static struct {
    struct site *sites;
    _Atomic int python; /* enum python */
    struct wi_py py;
    struct wi_libraries libraries; /* at the last try */
    int tries;
    int told_python, told_native; /* what the log says */
    _Atomic int64_t next_ns;      /* of the budget */
    _Atomic uint32_t newest;      /* Python site that any thread was last seen at */
    _Atomic uint32_t count;
    _Atomic uint64_t lost;
} state;

int wi_sites_init(void)
{
    void *memory = mmap(NULL, WI_SITES * sizeof(struct site), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || wi_py_codes_init() != 0)
        return WI_ERR_NOMEM;
    state.sites = memory; /* the last: without it nothing is looked at */
    return 0;
}

static void log_changes(void)
{
    char text[100];
    struct wi_out out;
    int python = atomic_load(&state.python), native = (int)wi_native_how();
    if (state.told_native == native && state.told_python == python)
        return;
    state.told_native = native;
    state.told_python = python;
    wi_out_mem(&out, text, sizeof(text));
    wi_sites_words(&out);
    wi_out_finish(&out);
    wi_log(WI_LOG_LIFE, "stacks are read with %s", text);
}

void wi_sites_open(const char *which)
{
    if (!state.sites || !strcmp(which, "off"))
        return;
    if (!wi_sites_on) {
        wi_peek_init();
        if (strcmp(which, "python") != 0)
            wi_native_open(WI_UNWIND_LIBUNWIND);
    }
    wi_native_check();
    if (atomic_load(&state.python) == PYTHON_NONE && wi_libraries_changed(&state.libraries) &&
        state.tries++ < PYTHON_TRIES) {
        int found = wi_py_find(&state.py);
        if (found != WI_ERR_NOT_FOUND)
            atomic_store_explicit(&state.python, found == 0 ? PYTHON_FOUND : PYTHON_OFF,
                                  memory_order_release);
    }
    atomic_store_explicit(&wi_sites_on, 1, memory_order_release);
    log_changes();
}

const struct wi_py *wi_sites_python(void)
{
    return atomic_load_explicit(&state.python, memory_order_acquire) == PYTHON_ON ? &state.py
                                                                                  : NULL;
}

/* One try and no loop: a look that loses the race to another thread's is not missed. */
int wi_site_budget(int64_t now_ns)
{
    int64_t next = atomic_load_explicit(&state.next_ns, memory_order_relaxed);
    if (next - now_ns > WI_SITE_BURST_NS)
        return next - now_ns > 2 * WI_SITE_BURST_NS /* the clock was set back */
               && atomic_compare_exchange_strong(&state.next_ns, &next, now_ns);
    int64_t from = next > now_ns ? next : now_ns;
    return atomic_compare_exchange_strong(&state.next_ns, &next, from + WI_SITE_STEP_NS);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* The number of a site: that of an equal one, or of the slot it now fills. */
static uint16_t intern(const struct site *site, size_t bytes)
{
    for (unsigned i = 0; i < PROBES; i++) {
        unsigned index = (unsigned)((site->key >> 20) + i) % WI_SITES;
        struct site *slot = &state.sites[index];
        uint32_t now = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (now == READY && slot->key == site->key && slot->kind == site->kind)
            return (uint16_t)(index + 1);
        if (now != EMPTY || !atomic_compare_exchange_strong(&slot->state, &now, WRITING))
            continue;
        slot->kind = site->kind;
        slot->key = site->key;
        memcpy(&slot->u, &site->u, bytes);
        atomic_fetch_add_explicit(&state.count, 1, memory_order_relaxed);
        atomic_store_explicit(&slot->state, READY, memory_order_release);
        return (uint16_t)(index + 1);
    }
    atomic_fetch_add_explicit(&state.lost, 1, memory_order_relaxed);
    return WI_SITE_NOWHERE;
}

/* A thread of the framework that works for another one, as autograd's do. */
static uint16_t other_thread(void)
{
    struct site site = {.kind = KIND_OTHER_THREAD};
    uint32_t newest = atomic_load_explicit(&state.newest, memory_order_relaxed);
    if (!newest)
        return WI_SITE_NOWHERE;
    site.key = mix(mix(3, newest), 0);
    site.u.other = newest;
    return intern(&site, sizeof(site.u.other));
}

/* Innermost frame of the job's own code; else of a library; else of the framework. */
static uint16_t python_site(const struct wi_py_frame *frames, int count)
{
    struct site site = {.kind = KIND_PYTHON};
    int best = WI_CODE_RUNTIME + 1;
    for (int i = 0; i < count && best != WI_CODE_OWN; i++) {
        int code = wi_py_code_of(&state.py, NULL, frames[i].code);
        int kind = code < 0 ? (int)wi_py_kind_of(&state.py, NULL, frames[i].code)
                            : (int)wi_py_code_at(code)->kind;
        if (kind >= best)
            continue;
        if (code < 0) { /* a line further out would be a wrong answer */
            atomic_fetch_add_explicit(&state.lost, 1, memory_order_relaxed);
            return WI_SITE_NOWHERE;
        }
        best = kind;
        site.u.python.code = code;
        site.u.python.instr = frames[i].instr;
    }
    if (best > WI_CODE_RUNTIME)
        return WI_SITE_NOWHERE;
    site.key = mix(mix(1, (uint64_t)site.u.python.code), site.u.python.instr);
    uint16_t number = intern(&site, sizeof(site.u.python));
    if (number != WI_SITE_NOWHERE)
        atomic_store_explicit(&state.newest, number, memory_order_relaxed);
    return number;
}

/* The first thread that comes tries on its own stack whether this interpreter is understood. */
static WI_COLD int test_python(uintptr_t tstate)
{
    int found = PYTHON_FOUND;
    if (!atomic_compare_exchange_strong(&state.python, &found, PYTHON_TESTING))
        return found == PYTHON_ON;
    int result = wi_py_self_test(&state.py, tstate);
    int now = result == 0 ? PYTHON_ON : result == WI_ERR_NOT_FOUND ? PYTHON_FOUND : PYTHON_OFF;
    atomic_store_explicit(&state.python, now, memory_order_release);
    return now == PYTHON_ON;
}

/* WI_SITE_UNSEEN if this is no thread of Python. */
static uint16_t try_python(struct wi_site_thread *self)
{
    struct wi_py_frame frames[WI_PY_FRAMES];
    int python = atomic_load_explicit(&state.python, memory_order_acquire);
    if (python != PYTHON_ON && python != PYTHON_FOUND)
        return WI_SITE_UNSEEN;
    uintptr_t tstate = wi_py_finalizing(&state.py) ? 0 : (uintptr_t)state.py.own_state();
    atomic_store_explicit(&self->pthread, (uintptr_t)pthread_self(), memory_order_relaxed);
    atomic_store_explicit(&self->py_state, tstate, memory_order_release);
    if (!tstate || (python == PYTHON_FOUND && !test_python(tstate)))
        return WI_SITE_UNSEEN;
    int count = wi_py_walk(&state.py, NULL, tstate, frames, WI_PY_FRAMES, NULL);
    if (count < 0)
        return WI_SITE_UNSEEN;
    return count ? python_site(frames, count) : other_thread();
}

static uint16_t try_native(void)
{
    struct site site = {.kind = KIND_NATIVE, .key = 2};
    int count = wi_native_walk(site.u.native.frames, WI_NATIVE_FRAMES);
    if (count <= 0)
        return WI_SITE_NOWHERE;
    site.u.native.count = (uint32_t)count;
    for (int i = 0; i < count; i++)
        site.key = mix(site.key, site.u.native.frames[i]);
    return intern(&site, sizeof(site.u.native));
}

uint16_t wi_site_capture(struct wi_site_thread *self, int64_t now_ns)
{
    int saved = errno;
    self->looked_ns = now_ns;
    uint16_t site = try_python(self);
    if (site == WI_SITE_UNSEEN)
        site = try_native();
    errno = saved;
    return site;
}

static const struct site *known(unsigned number)
{
    if (!number || number > WI_SITES || !state.sites)
        return NULL;
    const struct site *site = &state.sites[number - 1];
    return atomic_load_explicit(&site->state, memory_order_acquire) == READY ? site : NULL;
}

/* The innermost frame that is none of the system's or a framework's, named; 0 if there is one. */
static int native_symbol(const struct site *site, struct wi_symbol *symbol)
{
    for (uint32_t i = 0; i < site->u.native.count; i++) {
        /* a return address may be the first one after the function */
        if (wi_symbol_file(site->u.native.frames[i] - 1, symbol) != 0)
            break;
        if (wi_symbol_is_runtime(symbol))
            continue;
        wi_symbol_name(symbol);
        return 0;
    }
    return WI_ERR_NOT_FOUND;
}

static void native_text(const struct site *site, struct wi_out *out)
{
    struct wi_symbol symbol;
    if (native_symbol(site, &symbol) == 0)
        wi_place_text(out, &symbol.place, symbol.file, symbol.address);
}

int wi_site_unresolved(unsigned number, struct wi_symbol *symbol)
{
    const struct site *site = known(number);
    return site && site->kind == KIND_NATIVE && native_symbol(site, symbol) == 0 &&
           !symbol->place.source[0] && symbol->build_id[0];
}

static void python_text(const struct site *site, struct wi_out *out)
{
    wi_py_code_place(wi_py_code_at(site->u.python.code), site->u.python.instr, out);
}

void wi_site_text(unsigned number, struct wi_out *out)
{
    const struct site *site = known(number);
    if (!site)
        return;
    if (site->kind == KIND_PYTHON) {
        python_text(site, out);
    } else if (site->kind == KIND_NATIVE) {
        native_text(site, out);
    } else {
        const struct site *other = known(site->u.other);
        size_t before = out->len;
        if (other && other->kind == KIND_PYTHON)
            python_text(other, out);
        if (out->len != before)
            wi_out_str(out, ", by another thread");
    }
}

void wi_sites_words(struct wi_out *out)
{
    int python = atomic_load(&state.python);
    if (python == PYTHON_ON)
        wi_out_f(out, "Python 3.%d%s, ", state.py.minor,
                 state.py.free_threaded ? " free-threaded" : "");
    else if (python == PYTHON_OFF)
        wi_out_f(out, "Python 3.%d not understood, ", state.py.minor);
    if (wi_sites_on)
        wi_out_str(out, wi_native_words(wi_native_how()));
    uint64_t lost = atomic_load(&state.lost);
    if (lost)
        wi_out_f(out, ", %llu sites without room", (unsigned long long)lost);
}

int64_t wi_sites_bytes(void)
{
    int64_t sites = (int64_t)atomic_load(&state.count) * 4096; /* a page each, at worst */
    int64_t most = (int64_t)(WI_SITES * sizeof(struct site));
    return (sites < most ? sites : most) + wi_py_codes_bytes();
}
