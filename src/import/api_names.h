/* What a CUDA or HIP call does, by its name (api_calls.def).
 * Threads: any. May not: allocate. */
#ifndef WI_IMPORT_API_NAMES_H
#define WI_IMPORT_API_NAMES_H

#include "model/event.h"

struct wi_api_kind {
    enum wi_api_class api_class;
    int blocking; /* by its name it waits for the device */
};

/* "cudaMemcpy", "cuMemcpyHtoD_v2", "hipLaunchKernel"; any other name is WI_API_OTHER. */
struct wi_api_kind wi_api_kind(const char *name);

#endif
