/* The table of intercepted functions, expanded from calls.def and driver_calls.def.
 * Threads: any. May not: allocate, call CUDA. */
#include "cuda/call_table.h"

#include "cuda/cupti_abi.h"

const struct wi_call_info wi_call_rows[] = {
#define CALL(id, class_id, shape, row_flags, versions, number)                                     \
    {.cbid = number,                                                                               \
     .layout = WI_SHAPE_OF_##shape,                                                                \
     .domain = WI_CUPTI_RUNTIME,                                                                   \
     .api_class = WI_API_##class_id,                                                               \
     .flags = row_flags},
#include "cuda/calls.def"
#undef CALL
#define DRIVER(id, class_id, shape, row_flags, number)                                             \
    {.cbid = number,                                                                               \
     .layout = WI_SHAPE_OF_##shape,                                                                \
     .domain = WI_CUPTI_DRIVER,                                                                    \
     .api_class = WI_API_##class_id,                                                               \
     .flags = row_flags},
#include "cuda/driver_calls.def"
#undef DRIVER
};

/* cbid -> id + 1, 0 = not in the tables; rows without a cbid lie behind the limit. */
#define CBID_LIMIT 1024
static const uint16_t RUNTIME_IDS[CBID_LIMIT + WI_RUNTIME_CALLS] = {
#define CALL(id, class_id, shape, row_flags, versions, number)                                     \
    [(number) ? (number) : CBID_LIMIT + WI_ID_##id##_##versions] = WI_ID_##id##_##versions + 1,
#include "cuda/calls.def"
#undef CALL
};
static const uint16_t DRIVER_IDS[CBID_LIMIT] = {
#define DRIVER(id, class_id, shape, row_flags, number) [number] = WI_ID_D_##id + 1,
#include "cuda/driver_calls.def"
#undef DRIVER
};

/* Words and code by switch, as in every table of the preload that is large: an array of addresses
 * is relocated in every process that has the library. */
const char *wi_call_name(int id)
{
    switch (id) {
#define CALL(id, class_id, shape, flags, versions, number)                                         \
    case WI_ID_##id##_##versions:                                                                  \
        return #id;
#include "cuda/calls.def"
#undef CALL
#define DRIVER(id, class_id, shape, flags, number)                                                 \
    case WI_ID_D_##id:                                                                             \
        return #id;
#include "cuda/driver_calls.def"
#undef DRIVER
    default:
        return "unknown";
    }
}

void wi_call_fill(int id, const void *params, int ok, struct wi_call_args *out)
{
    switch (wi_call_rows[id].layout) {
#define FILL(name)                                                                                 \
    case WI_SHAPE_OF_##name:                                                                       \
        wi_fill_##name(params, ok, out);                                                           \
        break;
        WI_SHAPES(FILL)
#undef FILL
    default:
        break;
    }
}

int wi_call_find(int domain, uint32_t cbid)
{
    if (cbid >= CBID_LIMIT)
        return -1;
    if (domain == WI_CUPTI_RUNTIME)
        return (int)RUNTIME_IDS[cbid] - 1;
    return domain == WI_CUPTI_DRIVER ? (int)DRIVER_IDS[cbid] - 1 : -1;
}
