/* What copies and memsets do to the bytes. They are carried out in order, but late: when somebody
 * waits for or asks about the device, so that the call itself costs no host time.
 * Threads: any; a lock of its own. May not: be late for pageable sources, which the caller may
 * change at once. */
#ifndef VGPU_EFFECTS_H
#define VGPU_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of `width` bytes; a plain copy has one. Without a source the value is set, in elements of
 * 1 or 4 bytes. */
struct vg_effect {
    void *target;
    const void *source;
    size_t target_pitch, source_pitch, width, height;
    uint32_t value, element_bytes;
};

void vg_effect_add(const struct vg_effect *effect);
/* Carries out everything added so far. */
void vg_effects_settle(void);

#endif
