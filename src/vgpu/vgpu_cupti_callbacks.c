/* The callback API: one subscriber, which callbacks it wants, and the calls it gets.
 * Threads: any, the library's lock held. May not: know calls beyond the tables. */
#include "vgpu_cupti.h"

#include "vgpu_args.h"

#include <stdio.h>
#include <string.h>

enum { DOMAINS = 7, CBIDS = 1024, ENTER_SITE = 0, EXIT_SITE = 1 };

/* CUpti_CallbackData. */
struct callback_data {
    uint32_t site;
    const char *function_name;
    const void *function_params;
    void *function_return;
    const char *symbol_name;
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t correlation_id;
};

/* CUpti_ResourceData. */
struct resource_data {
    void *context, *handle, *descriptor;
};

/* CUpti_ModuleResourceData. */
struct module_data {
    uint32_t module_id;
    size_t cubin_bytes;
    const char *cubin;
};

/* CUpti_SubscriberParams. */
struct subscriber_params {
    size_t struct_bytes;
    const char *name;
    char *old_name;
    size_t old_name_bytes;
};

typedef void (*callback_function)(void *user, uint32_t domain, uint32_t cbid, const void *data);

static struct {
    callback_function function;
    void *user;
    char name[64];
    bool enabled[DOMAINS][CBIDS];
} subscriber;

static const struct name {
    uint32_t domain, cbid;
    const char *name;
} names[] = {
#define DRV1(impl, symbol, count, list, name, cbid) {VGPU_DOMAIN_DRIVER, cbid, #name},
#define DRV2(impl, symbol, count, list, name, cbid, name2, cbid2)                                  \
    {VGPU_DOMAIN_DRIVER, cbid, #name}, {VGPU_DOMAIN_DRIVER, cbid2, #name2},
#include "vgpu_driver_calls.def"
#undef DRV1
#undef DRV2
#define RT1(impl, symbol, count, list, name, cbid, version)                                        \
    {VGPU_DOMAIN_RUNTIME, cbid, #name "_v" #version},
#define RT2(impl, symbol, count, list, name, cbid, version, name2, cbid2, version2)                \
    {VGPU_DOMAIN_RUNTIME, cbid, #name "_v" #version},                                              \
        {VGPU_DOMAIN_RUNTIME, cbid2, #name2 "_v" #version2},
#include "vgpu_runtime_calls.def"
#undef RT1
#undef RT2
};

void ct_forget_subscriber(void)
{
    memset(&subscriber, 0, sizeof(subscriber));
}

bool ct_any_subscriber(void)
{
    return subscriber.function != NULL;
}

static bool wanted(uint32_t domain, uint32_t cbid)
{
    return subscriber.function != NULL && domain < DOMAINS && cbid < CBIDS && cbid != 0 &&
           subscriber.enabled[domain][cbid];
}

void ct_callback(struct vgpu_call *call, bool exit)
{
    if (!wanted((uint32_t)call->domain, call->cbid)) {
        return;
    }
    const struct callback_data data = {.site = exit ? EXIT_SITE : ENTER_SITE,
                                       .function_name = call->name,
                                       .function_params = call->params,
                                       .function_return = exit ? &call->result : NULL,
                                       .symbol_name = call->symbol,
                                       .context = call->context,
                                       .context_uid = call->context_id,
                                       .correlation_data = &call->data,
                                       .correlation_id = call->correlation};
    subscriber.function(subscriber.user, (uint32_t)call->domain, call->cbid, &data);
}

void ct_callback_resource(const struct vgpu_resource *resource)
{
    if (!wanted(VGPU_DOMAIN_RESOURCE, resource->cbid)) {
        return;
    }
    struct module_data module = {.module_id = resource->module_id};
    const struct resource_data data = {resource->context, resource->stream,
                                       resource->module_id != 0 ? &module : NULL};
    subscriber.function(subscriber.user, VGPU_DOMAIN_RESOURCE, resource->cbid, &data);
}

static int subscribe(void **handle, callback_function function, void *user)
{
    int result = function == NULL || handle == NULL ? CT_INVALID_PARAMETER : ct_attach();
    if (result == CT_SUCCESS && subscriber.function != NULL) {
        result = CT_MULTIPLE_SUBSCRIBERS;
    }
    if (result == CT_SUCCESS) {
        ct_forget_subscriber();
        subscriber.function = function;
        subscriber.user = user;
        *handle = &subscriber;
    }
    return result;
}

VGPU_API int cuptiSubscribe(void **handle, callback_function function, void *user);
int cuptiSubscribe(void **handle, callback_function function, void *user)
{
    ct_enter();
    return ct_leave(subscribe(handle, function, user));
}

#if VGPU_MAJOR >= 13
VGPU_API int cuptiSubscribe_v2(void **handle, callback_function function, void *user,
                               struct subscriber_params *params);
int cuptiSubscribe_v2(void **handle, callback_function function, void *user,
                      struct subscriber_params *params)
{
    ct_enter();
    int result = subscribe(handle, function, user);
    if (result == CT_MULTIPLE_SUBSCRIBERS && params != NULL && params->old_name != NULL) {
        const char *owner = vg_faults()->subscribe != 0 ? "another tool" : subscriber.name;
        snprintf(params->old_name, params->old_name_bytes, "CUPTI for %s", owner);
    } else if (result == CT_SUCCESS && params != NULL && params->name != NULL) {
        snprintf(subscriber.name, sizeof(subscriber.name), "%s", params->name);
    }
    return ct_leave(result);
}
#endif

VGPU_API int cuptiUnsubscribe(void *handle);
int cuptiUnsubscribe(void *handle)
{
    ct_enter();
    bool mine = handle == &subscriber && subscriber.function != NULL;
    if (mine) {
        ct_forget_subscriber();
        ct_detach_if_idle();
    }
    return ct_leave(mine ? CT_SUCCESS : CT_INVALID_PARAMETER);
}

static int enable(uint32_t on, const void *handle, uint32_t domain, uint32_t first, uint32_t last)
{
    if (handle != &subscriber || subscriber.function == NULL || domain == 0 || domain >= DOMAINS ||
        first == 0 || last >= CBIDS) {
        return CT_INVALID_PARAMETER;
    }
    for (uint32_t cbid = first; cbid <= last; cbid++) {
        subscriber.enabled[domain][cbid] = on != 0;
    }
    return CT_SUCCESS;
}

/* The first id this version does not know; calls with larger ones fail, as on old libraries. */
static uint32_t end_of_domain(uint32_t domain)
{
#if VGPU_MAJOR >= 13
    static const uint32_t ends[DOMAINS] = {0, 807, 523, 24, 3, 1000, 4};
#elif VGPU_MAJOR == 12
    static const uint32_t ends[DOMAINS] = {0, 743, 468, 22, 3, 1000, 4};
#else
    static const uint32_t ends[DOMAINS] = {0, 678, 436, 21, 3, 1000, 0};
#endif
    return domain < DOMAINS ? ends[domain] : 0;
}

VGPU_API int cuptiEnableCallback(uint32_t on, void *handle, uint32_t domain, uint32_t cbid);
int cuptiEnableCallback(uint32_t on, void *handle, uint32_t domain, uint32_t cbid)
{
    ct_enter();
    int result = cbid >= end_of_domain(domain) ? CT_INVALID_PARAMETER
                                               : enable(on, handle, domain, cbid, cbid);
    return ct_leave(result);
}

VGPU_API int cuptiEnableDomain(uint32_t on, void *handle, uint32_t domain);
int cuptiEnableDomain(uint32_t on, void *handle, uint32_t domain)
{
    ct_enter();
    return ct_leave(enable(on, handle, domain, 1, CBIDS - 1));
}

VGPU_API int cuptiEnableAllDomains(uint32_t on, void *handle);
int cuptiEnableAllDomains(uint32_t on, void *handle)
{
    ct_enter();
    int result = CT_SUCCESS;
    for (uint32_t domain = 1; domain < DOMAINS && result == CT_SUCCESS; domain++) {
        result = enable(on, handle, domain, 1, CBIDS - 1);
    }
    return ct_leave(result);
}

VGPU_API int cuptiGetCallbackState(uint32_t *on, void *handle, uint32_t domain, uint32_t cbid);
int cuptiGetCallbackState(uint32_t *on, void *handle, uint32_t domain, uint32_t cbid)
{
    ct_enter();
    bool fine = handle == &subscriber && domain < DOMAINS && cbid < CBIDS && on != NULL;
    if (fine) {
        *on = subscriber.enabled[domain][cbid];
    }
    return ct_leave(fine ? CT_SUCCESS : CT_INVALID_PARAMETER);
}

VGPU_API int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && name != NULL; i++) {
        if (names[i].domain == domain && names[i].cbid == cbid && cbid != 0) {
            *name = names[i].name;
            return CT_SUCCESS;
        }
    }
    return CT_INVALID_PARAMETER;
}
