/* libcupti at run time: finding it, its functions, what its records look like.
 * Threads: opened once by the thread that arms; afterwards read-only. Nothing here is ever closed
 * or finalised: both crash some versions. */
#ifndef WI_CUDA_CUPTI_LIB_H
#define WI_CUDA_CUPTI_LIB_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/cupti_abi.h"

/* CUPTI_FUNCTION(field, name, needed, parameters): every function of libcupti that is called. */
#define WI_CUPTI_FUNCTIONS(F)                                                                      \
    F(subscribe, cuptiSubscribe, 1, (void **subscriber, wi_cupti_callback callback, void *user))   \
    F(unsubscribe, cuptiUnsubscribe, 1, (void *subscriber))                                        \
    F(enable_callback, cuptiEnableCallback, 1,                                                     \
      (uint32_t on, void *subscriber, int domain, uint32_t cbid))                                  \
    F(register_callbacks, cuptiActivityRegisterCallbacks, 1,                                       \
      (wi_cupti_requested requested, wi_cupti_completed completed))                                \
    F(enable, cuptiActivityEnable, 1, (int kind))                                                  \
    F(disable, cuptiActivityDisable, 1, (int kind))                                                \
    F(enable_and_dump, cuptiActivityEnableAndDump, 0, (int kind))                                  \
    F(flush_all, cuptiActivityFlushAll, 1, (uint32_t flag))                                        \
    F(next_record, cuptiActivityGetNextRecord, 1,                                                  \
      (uint8_t * buffer, size_t valid_bytes, void **record))                                       \
    F(dropped, cuptiActivityGetNumDroppedRecords, 0,                                               \
      (void *context, uint32_t stream, size_t *count))                                             \
    F(set_attribute, cuptiActivitySetAttribute, 0, (int attribute, size_t *size, void *value))     \
    F(get_attribute, cuptiActivityGetAttribute, 0, (int attribute, size_t *size, void *value))     \
    F(set_thread_id_type, cuptiSetThreadIdType, 0, (int type))                                     \
    F(version, cuptiGetVersion, 0, (uint32_t * version))

#define WI_STRIDE_KINDS 64

struct wi_cupti {
#define FIELD(field, name, needed, parameters) int(*field) parameters;
    WI_CUPTI_FUNCTIONS(FIELD)
#undef FIELD
    uint32_t api_version;
    uint16_t stride[WI_STRIDE_KINDS]; /* bytes a record of this kind takes; 0 = not supported */
};

/* Opens libcupti for the CUDA version of this process (looked for where docs/limits.md says).
 * wanted: WHYIDLE_LIBCUPTI or NULL. Returns 0; WI_ERR_NOT_FOUND, or WI_ERR_UNSUPPORTED if what was
 * found lacks a function that is needed. */
int wi_cupti_open(struct wi_cupti *cupti, const char *wanted);
/* Asks its version and measures its records, once; WI_ERR_UNSUPPORTED while it walks none. From
 * CUDA 13.2 on every call needs a driver that is up (13.2 itself crashes without): not before
 * cuptiSubscribe has succeeded. */
int wi_cupti_measure(struct wi_cupti *cupti);
/* 1 if records of the kind reach up to byte `size`. */
int wi_cupti_has(const struct wi_cupti *cupti, uint32_t kind, size_t size);

#endif
