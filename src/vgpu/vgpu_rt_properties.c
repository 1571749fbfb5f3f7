/* The device properties in the layouts of CUDA 11, 12 and 13.
 * Threads: any. May not: know values; they are the driver's attributes. */
#include "vgpu_runtime.h"

#include <stdio.h>
#include <string.h>

struct vg_uuid {
    uint8_t bytes[16];
};

#define FIELD_ANY(type, name, elements) type name[elements];
#if VGPU_MAJOR >= 13
#define FIELD_OLD(type, name, elements)
#define FIELD_NEW(type, name, elements) type name[elements];
#else
#define FIELD_OLD(type, name, elements) type name[elements];
#define FIELD_NEW(type, name, elements)
#endif

struct properties {
#define PROPERTY(when, type, name, elements, attributes) FIELD_##when(type, name, elements)
#include "vgpu_properties.def"
#undef PROPERTY
};

/* Where the struct ended up to CUDA 11. */
enum { OLD_BYTES = 728 };

_Static_assert(sizeof(struct properties) == (VGPU_MAJOR >= 13 ? 1008 : 1032), "properties");

struct field {
    size_t offset, element_bytes;
    int attributes[3];
};

#define UNPACK(a, b, c)                                                                            \
    {                                                                                              \
        a, b, c                                                                                    \
    }
#define ROW_ANY(type, name, list) {offsetof(struct properties, name), sizeof(type), UNPACK list},
#if VGPU_MAJOR >= 13
#define ROW_OLD(type, name, list)
#define ROW_NEW(type, name, list) ROW_ANY(type, name, list)
#else
#define ROW_OLD(type, name, list) ROW_ANY(type, name, list)
#define ROW_NEW(type, name, list)
#endif

static const struct field fields[] = {
#define PROPERTY(when, type, name, elements, attributes) ROW_##when(type, name, attributes)
#include "vgpu_properties.def"
#undef PROPERTY
};

static int fill(struct properties *p, int device)
{
    const struct rt_driver *d = NULL;
    int error = rt_load(&d);
    size_t memory_bytes = 0;
    error = error != RT_SUCCESS ? error : d->device_name(p->name, sizeof(p->name), device);
    if (error != RT_SUCCESS) {
        return error;
    }
    d->device_uuid(p->uuid, device);
    d->device_memory(&memory_bytes, device);
    p->totalGlobalMem[0] = memory_bytes;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        for (int e = 0; e < 3 && fields[i].attributes[e] != 0; e++) {
            int value = 0;
            d->device_attribute(&value, fields[i].attributes[e], device);
            size_t wide = (size_t)value;
            char *at = (char *)p + fields[i].offset + (size_t)e * fields[i].element_bytes;
            memcpy(at, fields[i].element_bytes == 8 ? (void *)&wide : (void *)&value,
                   fields[i].element_bytes);
        }
    }
    return RT_SUCCESS;
}

#if VGPU_MAJOR >= 12
int rt_do_device_properties(const struct rt_a_device_properties *a, bool per_thread)
{
    struct properties properties = {.name = ""};
    (void)per_thread;
    int error = fill(&properties, a->device);
    if (error == RT_SUCCESS) {
        memcpy(a->properties, &properties, sizeof(properties));
    }
    return error;
}
#endif

#if VGPU_MAJOR <= 12
int rt_do_device_properties_old(const struct rt_a_device_properties_old *a, bool per_thread)
{
    struct properties properties = {.name = ""};
    (void)per_thread;
    int error = fill(&properties, a->device);
    if (error == RT_SUCCESS) {
        memcpy(a->properties, &properties, OLD_BYTES);
    }
    return error;
}
#endif
