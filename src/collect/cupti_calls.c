/* The functions of libcupti that take it from us when another tool calls them: exported, so that
 * calls through the dynamic linker pass here on their way. Our own calls do not (cupti_lib.c).
 * Threads: any of the job. May not: change an argument but the buffer callback, or a result. */
#include "base/attr.h"
#include "collect/arbiter.h"
#include "collect/tool_clock.h"
#include "cuda/real.h"

/* REAL(parameters): the caller's own library's function; leaves where there is none. */
#define REAL(parameters)                                                                           \
    int(*real) parameters;                                                                         \
    *(void **)&real = wi_real_of(__func__, __builtin_return_address(0));                           \
    if (!real)                                                                                     \
        return WI_CUPTI_NOT_INITIALIZED;                                                           \
    wi_arbiter_tool_calls()

WI_EXPORT int cuptiSubscribe(void **subscriber, wi_cupti_callback callback, void *user);
WI_EXPORT int cuptiSubscribe(void **subscriber, wi_cupti_callback callback, void *user)
{
    REAL((void **, wi_cupti_callback, void *));
    int result = real(subscriber, callback, user);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_subscribed(1);
    return result;
}

WI_EXPORT int cuptiSubscribe_v2(void **subscriber, wi_cupti_callback callback, void *user,
                                void *parameters);
WI_EXPORT int cuptiSubscribe_v2(void **subscriber, wi_cupti_callback callback, void *user,
                                void *parameters)
{
    REAL((void **, wi_cupti_callback, void *, void *));
    int result = real(subscriber, callback, user, parameters);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_subscribed(1);
    return result;
}

WI_EXPORT int cuptiUnsubscribe(void *subscriber);
WI_EXPORT int cuptiUnsubscribe(void *subscriber)
{
    REAL((void *));
    int result = real(subscriber);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_subscribed(-1);
    return result;
}

WI_EXPORT int cuptiActivityRegisterCallbacks(wi_cupti_requested requested,
                                             wi_cupti_completed completed);
WI_EXPORT int cuptiActivityRegisterCallbacks(wi_cupti_requested requested,
                                             wi_cupti_completed completed)
{
    REAL((wi_cupti_requested, wi_cupti_completed));
    if (!requested || !completed)
        return real(requested, completed);
    wi_arbiter_tool_buffers(requested, completed, real);
    return real(requested, wi_arbiter_completed);
}

WI_EXPORT int cuptiActivityEnable(int kind);
WI_EXPORT int cuptiActivityEnable(int kind)
{
    REAL((int));
    int result = real(kind);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_enabled((uint32_t)kind, 1);
    return result;
}

WI_EXPORT int cuptiActivityEnableAndDump(int kind);
WI_EXPORT int cuptiActivityEnableAndDump(int kind)
{
    REAL((int));
    int result = real(kind);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_enabled((uint32_t)kind, 1);
    return result;
}

WI_EXPORT int cuptiActivityEnableContext(void *context, int kind);
WI_EXPORT int cuptiActivityEnableContext(void *context, int kind)
{
    REAL((void *, int));
    int result = real(context, kind);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_enabled((uint32_t)kind, 1);
    return result;
}

WI_EXPORT int cuptiActivityDisable(int kind);
WI_EXPORT int cuptiActivityDisable(int kind)
{
    REAL((int));
    int result = real(kind);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_enabled((uint32_t)kind, 0);
    return result;
}

WI_EXPORT int cuptiActivityDisableContext(void *context, int kind);
WI_EXPORT int cuptiActivityDisableContext(void *context, int kind)
{
    REAL((void *, int));
    int result = real(context, kind);
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_enabled((uint32_t)kind, 0);
    return result;
}

WI_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
WI_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
    REAL((uint64_t(*)(void)));
    int result = real(clock);
    if (result == WI_CUPTI_SUCCESS)
        wi_tool_clock_set(clock);
    return result;
}

WI_EXPORT int cuptiFinalize(void);
WI_EXPORT int cuptiFinalize(void)
{
    REAL((void));
    int result = real();
    if (result == WI_CUPTI_SUCCESS)
        wi_arbiter_tool_finalized();
    return result;
}
