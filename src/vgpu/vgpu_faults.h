/* The faults that VGPU_FAULT asks for, read once.
 * Threads: any. May not: change after the first read. */
#ifndef VGPU_FAULTS_H
#define VGPU_FAULTS_H

#include <stdint.h>

struct vg_faults {
#define FAULT(id, word, sentence) uint64_t id;
#include "vgpu_faults.def"
#undef FAULT
};

const struct vg_faults *vg_faults(void);

#endif
