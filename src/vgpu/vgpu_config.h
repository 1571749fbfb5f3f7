/* The model's numbers, read once from the environment over the defaults of vgpu_model.def.
 * Threads: any. May not: change after the first read. */
#ifndef VGPU_CONFIG_H
#define VGPU_CONFIG_H

#include <stdint.h>

struct vg_config {
#define MODEL(id, name, def, low, high, unit, sentence) int64_t id;
#include "vgpu_model.def"
#undef MODEL
};

const struct vg_config *vg_config(void);

/* The devices this process sees, by CUDA_VISIBLE_DEVICES: how many, and which one of the machine
 * `device` is (-1: there is no such device). */
int vg_device_count(void);
int vg_machine_device(int device);

/* The duration of a kernel by the profile file (VGPU_PROFILE), else by the built-in rules.
 * first_argument may be NULL; it is read only where a rule says that it is the duration. */
uint64_t vg_kernel_duration_ns(const char *kernel, const void *first_argument);

#endif
