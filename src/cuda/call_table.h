/* The table of intercepted functions (calls.def, driver_calls.def) and how a record is filled from
 * the parameters of each shape.
 * Threads: read-only tables, any thread; the fillers are part of the hot path (collect/hot.h). */
#ifndef WI_CUDA_CALL_TABLE_H
#define WI_CUDA_CALL_TABLE_H

#include <stdint.h>

#include "base/attr.h"
#include "cuda/cuda_abi.h"
#include "cuda/params.h"
#include "cuda/shapes.h"
#include "model/event.h"

enum wi_row_flags {
    WI_ROW_BLOCKING = 1,      /* by its name it waits for the device */
    WI_ROW_PER_THREAD = 2,    /* stream 0 means this thread's own default stream */
    WI_ROW_NO_RECORD = 4,     /* gives no device record that is collected */
    WI_ROW_CAPTURE_BEGIN = 8, /* launches into the stream are recorded into a graph from here */
    WI_ROW_CAPTURE_END = 16,
    WI_ROW_STREAM_DESTROY = 32,
    WI_ROW_SET_DEVICE = 64,
    WI_ROW_NO_CALLBACK = 128 /* not worth a CUPTI callback: wrappers only */
};

/* Version nodes, indices into tables per major. */
enum wi_major { WI_V11, WI_V12, WI_V13, WI_MAJOR_COUNT };

#define WI_SPREAD_ALL(M, ...)    M(11, __VA_ARGS__) M(12, __VA_ARGS__) M(13, __VA_ARGS__)
#define WI_SPREAD_UPTO12(M, ...) M(11, __VA_ARGS__) M(12, __VA_ARGS__)
#define WI_SPREAD_FROM12(M, ...) M(12, __VA_ARGS__) M(13, __VA_ARGS__)
#define WI_SPREAD_V12(M, ...)    M(12, __VA_ARGS__)
#define WI_SPREAD_V13(M, ...)    M(13, __VA_ARGS__)

/* Runtime functions first; a name whose signature changed has one id per group of versions. */
enum wi_call_id {
#define CALL(name, class_id, shape, flags, versions, cbid) WI_ID_##name##_##versions,
#include "cuda/calls.def"
#undef CALL
    WI_RUNTIME_CALLS,
    WI_DRIVER_FIRST = WI_RUNTIME_CALLS - 1,
#define DRIVER(name, class_id, shape, flags, cbid) WI_ID_D_##name,
#include "cuda/driver_calls.def"
#undef DRIVER
    WI_CALL_IDS
};

/* What the parameters of one call say. Zeroed before a filler runs. */
struct wi_call_args {
    void *stream;
    uint64_t arg;        /* bytes, or the event or stream the call is about: by the api class */
    uint64_t from;       /* of copies: address of the memory that is read, 0 = not known */
    int16_t device;      /* of SET_DEVICE */
    uint8_t direction;   /* enum wi_copy_direction */
    uint8_t nonblocking; /* STREAM_CREATE: does not synchronise with the default stream */
    uint8_t arg_unknown; /* bytes exist and are not known */
};

/* How the parameters lie in memory. */
enum wi_shape {
#define WI_SHAPE_ID(name) WI_SHAPE_OF_##name,
    WI_SHAPES(WI_SHAPE_ID)
#undef WI_SHAPE_ID
};

struct wi_call_info {
    uint16_t cbid;
    uint8_t domain; /* enum wi_cupti_domain */
    uint8_t api_class;
    uint8_t flags;
    uint8_t layout; /* enum wi_shape */
};

/* The row of an id below WI_CALL_IDS. */
extern const struct wi_call_info wi_call_rows[];
/* As exported; reports show it without __ and _ptsz. */
const char *wi_call_name(int id);
/* What the parameters of a call say; ok: it succeeded. */
void wi_call_fill(int id, const void *params, int ok, struct wi_call_args *out);
/* The id of a callback, or -1. */
int wi_call_find(int domain, uint32_t cbid);

static inline uint8_t wi_copy_kind(int kind)
{
    switch (kind) { /* cudaMemcpyKind */
    case 0:
        return WI_COPY_H2H;
    case 1:
        return WI_COPY_H2D;
    case 2:
        return WI_COPY_D2H;
    case 3:
        return WI_COPY_D2D;
    default:
        return WI_COPY_UNKNOWN;
    }
}

static inline uint64_t wi_copy3d_bytes(const struct wi_copy3d *p)
{
    return p ? (uint64_t)p->extent.width * p->extent.height * p->extent.depth : 0;
}

/* struct wi_args_SHAPE and wi_fill_SHAPE() for every shape. */
#define WI_SHAPE_CODE(name, count, params, ...)                                                    \
    struct wi_args_##name {                                                                        \
        WI_MEMBERS_##count params                                                                  \
    };                                                                                             \
    static inline void wi_fill_##name(const struct wi_args_##name *p, int ok,                      \
                                      struct wi_call_args *out)                                    \
    {                                                                                              \
        (void)ok;                                                                                  \
        (void)out;                                                                                 \
        __VA_ARGS__                                                                                \
    }
#define WI_SHAPE_OPEN(name, ...) WI_SHAPE_CODE(name, __VA_ARGS__)
#define WI_SHAPE_ONE(name)       WI_SHAPE_OPEN(name, WI_SHAPE_##name)
WI_SHAPES(WI_SHAPE_ONE)
#undef WI_SHAPE_ONE
#undef WI_SHAPE_OPEN
#undef WI_SHAPE_CODE

#endif
