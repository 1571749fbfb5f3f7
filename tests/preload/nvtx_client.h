/* What a program does to mark its ranges, over a client side of NVTX: nvtx_client.c is one of our
 * own that loads a tool as the vendor's header does, nvtx_real.c the vendor's header itself.
 * Threads: any. */
#ifndef WI_TESTS_PRELOAD_NVTX_CLIENT_H
#define WI_TESTS_PRELOAD_NVTX_CLIENT_H

#include <stdint.h>
#include <wchar.h>

int client_push(const char *name);
int client_push_wide(const wchar_t *name);
int client_pop(void);
uint64_t client_start(const char *name);
void client_end(uint64_t id);
void client_mark(const char *name);
void *client_domain(const char *name);
void *client_register(void *domain, const char *name);
/* By attributes: name, or a registered string if that is not NULL. */
int client_domain_push(void *domain, const char *name, void *registered);
int client_domain_pop(void *domain);
/* Attributes that say they are shorter than they are. */
int client_push_short(const char *name);

#endif
