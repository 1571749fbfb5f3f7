/* Follows the frames of another thread from its registers and a copy of its stack, by the unwind
 * tables (.eh_frame) of the loaded files. No function of the system's unwinders is called and no
 * lock of the loader taken.
 * Threads: the helper. May not: allocate; trust a table: all reading is guarded and bounded. */
#ifndef WI_COLLECT_CFI_H
#define WI_COLLECT_CFI_H

#include <stddef.h>
#include <stdint.h>

struct wi_cfi_regs {
    uintptr_t ip, sp, fp, lr; /* lr: 0 where return addresses are always on the stack */
};

/* Fills frames with the instruction and the return addresses, innermost first; stack is a copy of
 * `bytes` bytes at regs->sp. Ends where the copy or the tables do; returns how many. */
int wi_cfi_walk(const struct wi_cfi_regs *regs, const void *stack, size_t bytes, uintptr_t *frames,
                int most);

#endif
