/* The part of NVTX's public injection interface that is used, as a tool sees it. A program's NVTX
 * (header or library) loads the file that NVTX_INJECTION64_PATH names, calls its
 * InitializeInjectionNvtx2 with a function that hands out tables, and from then on calls what the
 * tool has put into them. Each library of a process that has the header in it does so by itself.
 * Threads: plain declarations. Vendor facts; tests/preload/abi_real.c compares them. */
#ifndef WI_CUDA_NVTX_ABI_H
#define WI_CUDA_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum { WI_NVTX_TABLE_CALLBACKS = 1 };                                    /* export table ids */
enum { WI_NVTX_CORE = 1, WI_NVTX_CORE2 = 5 };                            /* modules */
enum { WI_NVTX_ASCII = 1, WI_NVTX_UNICODE = 2, WI_NVTX_REGISTERED = 3 }; /* message types */
#define WI_NVTX_NO_TRACKING (-2) /* what push and pop answer where no tool is */

typedef void (*wi_nvtx_fn)(void);
typedef const void *(*wi_nvtx_export)(uint32_t table_id);

struct wi_nvtx_callbacks {
    size_t size;
    /* An array of pointers to function pointers, index 0 unused; 0 = no such module. */
    int (*table)(int module, wi_nvtx_fn ***table, unsigned *count);
};

struct wi_nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const void *registered;
    } message;
};
_Static_assert(offsetof(struct wi_nvtx_attributes, message_type) == 32,
               "as the vendor lays it out");
_Static_assert(offsetof(struct wi_nvtx_attributes, message) == 40, "as the vendor lays it out");
_Static_assert(sizeof(struct wi_nvtx_attributes) == 48, "as the vendor lays it out");

#endif
