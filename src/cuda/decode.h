/* Activity records of CUPTI -> events of the model. decode.c is the only file that looks into
 * records.
 * Threads: the helper. May not: call CUDA; keep pointers into a buffer. */
#ifndef WI_CUDA_DECODE_H
#define WI_CUDA_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/cupti_lib.h"
#include "model/event.h"
#include "model/names.h"

enum wi_record_kind {
    WI_RECORD_OP,      /* op; op.stream is CUPTI's stream number */
    WI_RECORD_DEVICE,  /* device */
    WI_RECORD_CONTEXT, /* context, device.device */
    WI_RECORD_API,     /* api: a runtime or driver call that ran on a thread */
    WI_RECORD_SPAN,    /* span: what the driver did inside a call; its thread as CUPTI numbers it */
    WI_RECORD_OWN_COST /* own_ns: time CUPTI itself took on a thread of the job */
};

struct wi_record {
    enum wi_record_kind kind;
    struct wi_device_op op;
    int32_t peer; /* the other device of a copy between two, else WI_NO_DEVICE */
    struct wi_device_info device;
    struct wi_host_span span;
    uint32_t context;
    struct {
        int64_t start_ns, end_ns;
        uint32_t thread, corr;
    } api;
    int64_t own_ns;
};

struct wi_decoder {
    const struct wi_cupti *cupti;
    struct wi_names *names;
    int64_t earliest_ns; /* times before this or in the future are not plausible */
    /* Where another tool gave CUPTI a clock of its own: that clock's reading as a time. Or NULL. */
    int64_t (*clock)(uint64_t reading);
    void *user;
    void (*give)(void *user, const struct wi_record *record);
};

/* Gives every record of the buffer that is understood. An op whose times are not plausible is
 * given with WI_OP_BAD_TIMES and times WI_UNKNOWN. */
void wi_decode(const struct wi_decoder *decoder, uint8_t *buffer, size_t valid_bytes);

#endif
