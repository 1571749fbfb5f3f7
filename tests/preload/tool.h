/* What the test's own CUPTI tools share: the few functions they call, found by the linker as a
 * profiler linked to libcupti finds them, or, with TOOL_DLSYM, by dlsym as those do that must run
 * without it. Each tool exports tool_begin, tool_end and tool_print; a job calls them by name.
 * Threads: any. */
#ifndef WI_TESTS_PRELOAD_TOOL_H
#define WI_TESTS_PRELOAD_TOOL_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { TOOL_MEMCPY = 1, TOOL_KERNEL = 10, TOOL_RUNTIME_DOMAIN = 2, TOOL_LAUNCH = 211 };
enum { TOOL_ZEROED = 5, TOOL_PER_THREAD = 9 };

typedef void (*tool_callback)(void *user, int domain, uint32_t cbid, const void *data);
typedef void (*tool_requested)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (*tool_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                               size_t valid);

int cuptiSubscribe(void **subscriber, tool_callback callback, void *user);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t on, void *subscriber, int domain, uint32_t cbid);
int cuptiActivityRegisterCallbacks(tool_requested requested, tool_completed completed);
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiActivityGetAttribute(int attribute, size_t *size, void *value);
int cuptiFinalize(void);

#ifdef TOOL_DLSYM
static inline void *tool_function(const char *name)
{
    static __thread void *found; /* ISO C has no cast from an object's address to a function's */
    found = dlsym(dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL), name);
    return &found;
}
#define CUPTI(name) (**(__typeof__(&name) *)tool_function(#name))
#else
#define CUPTI(name) name
#endif

#define TOOL_API __attribute__((visibility("default")))
TOOL_API int tool_begin(void);
TOOL_API int tool_end(void);
TOOL_API int tool_print(void);

#endif
