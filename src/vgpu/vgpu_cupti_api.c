/* CUPTI calls around the two APIs: version, clock, names of results, ids of objects.
 * Threads: any. May not: need a driver where the real library does not. */
#include "vgpu_cupti.h"

#include <string.h>

VGPU_API int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
    static const uint32_t versions[] = {18, 22, 130001};
    if (version == NULL) {
        return CT_INVALID_PARAMETER;
    }
    *version = versions[VGPU_MAJOR - 11];
    return CT_SUCCESS;
}

VGPU_API int cuptiGetTimestamp(uint64_t *timestamp);
int cuptiGetTimestamp(uint64_t *timestamp)
{
    if (timestamp == NULL) {
        return CT_INVALID_PARAMETER;
    }
    *timestamp = ct_now();
    return CT_SUCCESS;
}

VGPU_API int cuptiGetResultString(int result, const char **text);
int cuptiGetResultString(int result, const char **text)
{
    static const struct {
        int code;
        const char *name;
    } results[] = {
#define RESULT(code, name) {code, name},
#include "vgpu_cupti_results.def"
#undef RESULT
    };
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]) && text != NULL; i++) {
        if (results[i].code == result) {
            *text = results[i].name;
            return CT_SUCCESS;
        }
    }
    return CT_INVALID_PARAMETER;
}

VGPU_API int cuptiGetDeviceId(void *context, uint32_t *device);
int cuptiGetDeviceId(void *context, uint32_t *device)
{
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        void *own = context != NULL ? context : ct_core()->current_context();
        result = own != NULL && device != NULL ? CT_SUCCESS : CT_INVALID_CONTEXT;
        if (result == CT_SUCCESS) {
            *device = (uint32_t)ct_core()->context_device(own);
        }
    }
    return ct_leave(result);
}

VGPU_API int cuptiGetContextId(void *context, uint32_t *id);
int cuptiGetContextId(void *context, uint32_t *id)
{
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        *id = ct_core()->context_id(context);
        result = *id != 0 ? CT_SUCCESS : CT_INVALID_CONTEXT;
    }
    return ct_leave(result);
}

static int stream_id(void *context, void *stream, bool per_thread, uint32_t *id)
{
    ct_enter();
    int result = ct_ready();
    if (result == CT_SUCCESS) {
        *id = ct_core()->stream_id(context, stream, per_thread);
        result = *id != UINT32_MAX ? CT_SUCCESS : CT_INVALID_STREAM;
    }
    return ct_leave(result);
}

VGPU_API int cuptiGetStreamId(void *context, void *stream, uint32_t *id);
int cuptiGetStreamId(void *context, void *stream, uint32_t *id)
{
    return stream_id(context, stream, false, id);
}

VGPU_API int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id);
int cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
    return stream_id(context, stream, per_thread != 0, id);
}

VGPU_API int cuptiActivityEnableLatencyTimestamps(uint8_t on);
int cuptiActivityEnableLatencyTimestamps(uint8_t on)
{
    (void)on; /* the fields stay 0, as with hardware tracing */
    ct_enter();
    return ct_leave(ct_ready());
}
