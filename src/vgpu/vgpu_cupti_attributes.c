/* The attributes of the activity API.
 * Threads: any. May not: act on one; the activity API reads them. */
#include "vgpu_cupti.h"

#include <string.h>

enum { ATTRIBUTES = 10 };

/* In the order of CUpti_ActivityAttribute. */
#define INITIAL                                                                                    \
    {                                                                                              \
        3200000, 8388608, 250, 65536, 64, 0, 3, 3, 0, VGPU_MAJOR >= 13                             \
    }

static const uint64_t initial[ATTRIBUTES] = INITIAL;
static const size_t bytes_of[ATTRIBUTES] = {8, 8, 8, 8, 8, 1, 8, 8, 1, 1};
static uint64_t values[ATTRIBUTES] = INITIAL;

uint64_t ct_attribute(enum ct_attribute attribute)
{
    return values[attribute];
}

void ct_forget_attributes(void)
{
    memcpy(values, initial, sizeof(values));
}

static bool valid(uint32_t attribute, const size_t *bytes, const void *value)
{
    return attribute < ATTRIBUTES && bytes != NULL && value != NULL &&
           *bytes >= bytes_of[attribute];
}

VGPU_API int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value)
{
    if (!valid(attribute, bytes, value)) {
        return CT_INVALID_PARAMETER;
    }
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        values[attribute] = 0;
        memcpy(&values[attribute], value, bytes_of[attribute]);
    }
    return ct_leave(result);
}

VGPU_API int cuptiActivityGetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiActivityGetAttribute(uint32_t attribute, size_t *bytes, void *value)
{
    if (!valid(attribute, bytes, value)) {
        return CT_INVALID_PARAMETER;
    }
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        memcpy(value, &values[attribute], bytes_of[attribute]);
        *bytes = bytes_of[attribute];
    }
    return ct_leave(result);
}
