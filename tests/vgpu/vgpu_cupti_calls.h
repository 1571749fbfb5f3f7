/* Prototypes of the stand-in CUPTI for its tests, and a tool's buffers.
 * Threads: any. May not: be used outside the tests of the virtual GPU. */
#ifndef VGPU_CUPTI_CALLS_H
#define VGPU_CUPTI_CALLS_H

#include "vgpu_calls.h"
#include "vgpu_cupti_records.h"

struct callback_data {
    uint32_t site;
    const char *function_name;
    const void *function_params;
    int *function_return;
    const char *symbol_name;
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t correlation_id;
};

struct subscriber_params {
    size_t struct_bytes;
    const char *name;
    char *old_name;
    size_t old_name_bytes;
};

typedef void (*tool_callback)(void *user, uint32_t domain, uint32_t cbid, const void *data);

int cuptiSubscribe(void **handle, tool_callback callback, void *user);
int cuptiSubscribe_v2(void **handle, tool_callback callback, void *user,
                      struct subscriber_params *params);
int cuptiUnsubscribe(void *handle);
int cuptiEnableCallback(uint32_t on, void *handle, uint32_t domain, uint32_t cbid);
int cuptiEnableDomain(uint32_t on, void *handle, uint32_t domain);
int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
int cuptiActivityRegisterCallbacks(void (*request)(uint8_t **, size_t *, size_t *),
                                   void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnableAndDump(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiActivityGetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiActivityRegisterTimestampCallback(uint64_t (*read)(void));
int cuptiGetTimestamp(uint64_t *time);
int cuptiGetVersion(uint32_t *version);
int cuptiGetResultString(int result, const char **text);
int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id);
int cuptiFinalize(void);

#endif
