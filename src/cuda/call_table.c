/* The table of intercepted functions, expanded from calls.def and driver_calls.def.
 * Threads: any. May not: allocate, call CUDA. */
#include "cuda/call_table.h"

#include "cuda/cupti_abi.h"

#define FILL(name)                                                                                 \
    static void fill_##name(const void *params_of_call, int ok, struct wi_call_args *out)          \
    {                                                                                              \
        wi_fill_##name(params_of_call, ok, out);                                                   \
    }
WI_SHAPES(FILL)
#undef FILL

const struct wi_call_info wi_call_rows[] = {
#define CALL(id, class_id, shape, row_flags, versions, number)                                     \
    {.name = #id,                                                                                  \
     .fill = fill_##shape,                                                                         \
     .cbid = number,                                                                               \
     .domain = WI_CUPTI_RUNTIME,                                                                   \
     .api_class = WI_API_##class_id,                                                               \
     .flags = row_flags},
#include "cuda/calls.def"
#undef CALL
#define DRIVER(id, class_id, shape, row_flags, number)                                             \
    {.name = #id,                                                                                  \
     .fill = fill_##shape,                                                                         \
     .cbid = number,                                                                               \
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

int wi_call_find(int domain, uint32_t cbid)
{
    if (cbid >= CBID_LIMIT)
        return -1;
    if (domain == WI_CUPTI_RUNTIME)
        return (int)RUNTIME_IDS[cbid] - 1;
    return domain == WI_CUPTI_DRIVER ? (int)DRIVER_IDS[cbid] - 1 : -1;
}
