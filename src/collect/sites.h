/* Call sites: from which line of the job a CUDA call came.
 *
 * At a call that is worth it the thread looks at its own stack, finds the innermost frame that is
 * the job's own, and gets a number for it: one hash of the place, one slot of a fixed table. The
 * helper turns numbers into text.
 *
 * Threads: wi_site_due and wi_site_capture on the job's threads (hot path: rules in hot.h), init
 * while arming, everything else on the helper.
 * May not: allocate, lock or wait; a table that is full gives no site. */
#ifndef WI_COLLECT_SITES_H
#define WI_COLLECT_SITES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/out.h"
#include "collect/py_version.h"
#include "collect/symbol_names.h"

#define WI_SITES        4096
#define WI_SITE_UNSEEN  0u      /* nobody looked */
#define WI_SITE_NOWHERE 0xFFFFu /* looked: nothing of the job is on this stack */
#define WI_SITE_ALWAYS_NS                                                                          \
    INT64_C(1000000) /* after a silence as long the stack is always looked at */
#define WI_SITE_STALE_NS INT64_C(1000000)   /* and, in the budget, when the last look is this old */
#define WI_SITE_STEP_NS  INT64_C(2000000)   /* the budget: 500 looks a second for the process... */
#define WI_SITE_BURST_NS INT64_C(200000000) /* ...and up to 100 at once */

/* What a thread of the job keeps between its calls. */
struct wi_site_thread {
    _Atomic uintptr_t py_state; /* the interpreter's state of this thread, 0 if it has none */
    _Atomic uintptr_t pthread;  /* whose it is: states are freed, and the memory used again */
    int64_t looked_ns;          /* last capture */
};

extern _Atomic int wi_sites_on;

/* Maps the tables; once, while arming. Returns 0 or a negative code: then there are no sites. */
int wi_sites_init(void);
/* Helper: finds unwinder and interpreter and starts captures; again later, to find an interpreter
 * that came after. which: a word of the setting WHYIDLE_STACKS. */
void wi_sites_open(const char *which);
/* The interpreter of this process once stacks of it can be read, or NULL. */
const struct wi_py *wi_sites_python(void);
/* How stacks are read, in words: "Python 3.11, libunwind", and how many sites found no room. */
void wi_sites_words(struct wi_out *out);

int wi_site_budget(int64_t now_ns);
/* The number of the calling thread's site, or WI_SITE_NOWHERE. Keeps errno. */
uint16_t wi_site_capture(struct wi_site_thread *self, int64_t now_ns);

/* Is this call worth a look? silence_ns: since the thread's last call. */
static inline int wi_site_due(const struct wi_site_thread *self, int64_t now_ns, int64_t silence_ns,
                              int blocking)
{
    if (WI_LIKELY(silence_ns <= WI_SITE_ALWAYS_NS && !blocking &&
                  now_ns - self->looked_ns < WI_SITE_STALE_NS))
        return 0;
    if (!atomic_load_explicit(&wi_sites_on, memory_order_acquire))
        return 0;
    return silence_ns > WI_SITE_ALWAYS_NS || wi_site_budget(now_ns);
}

/* Helper: "train.py:58 in main", "train.cu:58 in train_step" with debug information, else
 * "train_step+0x1f (libfoo.so)"; nothing if the site is not known. */
void wi_site_text(unsigned site, struct wi_out *out);
/* 1 if the site is native code whose line is not known here and could be found out later, from the
 * file with this build id or its debug information: fills *symbol. */
int wi_site_unresolved(unsigned site, struct wi_symbol *symbol);
int64_t wi_sites_bytes(void);

#endif
