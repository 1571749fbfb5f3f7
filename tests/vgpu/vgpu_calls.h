/* Prototypes of the modelled runtime functions for tests, from the table of calls, and helpers.
 * Threads: none. May not: be used outside the tests of the virtual GPU. */
#ifndef VGPU_CALLS_H
#define VGPU_CALLS_H

#include "vgpu_runtime.h"

#define RT1(impl, symbol, count, list, name, cbid, version) int name(VG_PARAMS(count, list));
#define RT2(impl, symbol, count, list, name, cbid, version, name2, cbid2, version2)                \
    int name(VG_PARAMS(count, list));                                                              \
    int name2(VG_PARAMS(count, list));
#include "vgpu_runtime_calls.def"
#undef RT1
#undef RT2

/* Kernels are PTX text: the model needs no more than their names. */
#define VGPU_TEST_PTX                                                                              \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                              \
    ".visible .entry spin_ns(.param .u64 ns)\n{\n  ret;\n}\n"                                      \
    ".entry plain()\n{\n  ret;\n}\n"

int cudaGetLastError(void);

enum { UP = 1, DOWN = 2, BLOCKING = 0, NON_BLOCKING = 1 };

#endif
