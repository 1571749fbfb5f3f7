/* The client side of NVTX by the vendor's own header; compiled only where that is installed.
 * Threads: any. */
#include <nvtx3/nvToolsExt.h>

#include "nvtx_client.h"

int client_push(const char *name)
{
    return nvtxRangePushA(name);
}

int client_push_wide(const wchar_t *name)
{
    return nvtxRangePushW(name);
}

int client_pop(void)
{
    return nvtxRangePop();
}

uint64_t client_start(const char *name)
{
    return nvtxRangeStartA(name);
}

void client_end(uint64_t id)
{
    nvtxRangeEnd(id);
}

void client_mark(const char *name)
{
    nvtxMarkA(name);
}

void *client_domain(const char *name)
{
    return nvtxDomainCreateA(name);
}

void *client_register(void *domain, const char *name)
{
    return nvtxDomainRegisterStringA(domain, name);
}

int client_domain_push(void *domain, const char *name, void *registered)
{
    nvtxEventAttributes_t given = {0};
    given.version = NVTX_VERSION;
    given.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    given.messageType = registered ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_ASCII;
    if (registered)
        given.message.registered = registered;
    else
        given.message.ascii = name;
    return nvtxDomainRangePushEx(domain, &given);
}

int client_domain_pop(void *domain)
{
    return nvtxDomainRangePop(domain);
}

int client_push_short(const char *name)
{
    nvtxEventAttributes_t given = {0};
    given.version = NVTX_VERSION;
    given.size = 8;
    given.messageType = NVTX_MESSAGE_TYPE_ASCII;
    given.message.ascii = name;
    return nvtxRangePushEx(&given);
}
