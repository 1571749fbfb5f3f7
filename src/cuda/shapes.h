/* The parameters of intercepted functions: WI_SHAPE_<NAME> is count, (type, name, ...), body.
 * It gives the prototype of the wrapper, the structure CUPTI passes to its callbacks (the
 * parameters in order, naturally aligned) and, in the body, how a record is filled from the
 * parameters `p` into `out` once the call has returned (success: `ok`). Streams, events and graphs
 * are opaque pointers; enumerations are ints. Several functions share one shape.
 * Threads: none. May not: contain anything but these lists. Not formatted: one row is one line. */
#ifndef WI_CUDA_SHAPES_H
#define WI_CUDA_SHAPES_H

/* clang-format off */
/* launches */
#define WI_SHAPE_LAUNCH 6, (const void *, func, struct wi_dim3, grid, struct wi_dim3, block, void **, values, size_t, shared, void *, stream), out->stream = p->stream;
#define WI_SHAPE_LAUNCH_EX 3, (const struct wi_launch_config *, config, const void *, func, void **, values), out->stream = p->config ? p->config->stream : NULL;
#define WI_SHAPE_STREAM_FIRST2 2, (void *, stream, void *, second), out->stream = p->stream;
#define WI_SHAPE_STREAM_SECOND 2, (void *, first, void *, stream), out->stream = p->stream;
#define WI_SHAPE_STREAM_FIRST3 3, (void *, stream, void *, second, void *, third), out->stream = p->stream;

#define WI_SHAPE_STREAM_CALLBACK 4, (void *, stream, void *, callback, void *, data, unsigned, flags), out->stream = p->stream;
#define WI_SHAPE_STREAM_MODE 2, (void *, stream, int, mode), out->stream = p->stream;
#define WI_SHAPE_CAPTURE_TO 6, (void *, stream, void *, graph, const void *, dependencies, const void *, data, size_t, count, int, mode), out->stream = p->stream;

/* copies */
#define WI_SHAPE_COPY 4, (void *, dst, const void *, src, size_t, count, int, kind), out->arg = p->count; out->direction = wi_copy_kind(p->kind); out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_COPY_ASYNC 5, (void *, dst, const void *, src, size_t, count, int, kind, void *, stream), out->arg = p->count; out->direction = wi_copy_kind(p->kind); out->stream = p->stream; out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_COPY2D 7, (void *, dst, size_t, dpitch, const void *, src, size_t, spitch, size_t, width, size_t, height, int, kind), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind); out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_COPY2D_ASYNC 8, (void *, dst, size_t, dpitch, const void *, src, size_t, spitch, size_t, width, size_t, height, int, kind, void *, stream), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind); out->stream = p->stream; out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_COPY_TO_ARRAY 6, (void *, dst, size_t, x, size_t, y, const void *, src, size_t, count, int, kind), out->arg = p->count; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY_TO_ARRAY_ASYNC 7, (void *, dst, size_t, x, size_t, y, const void *, src, size_t, count, int, kind, void *, stream), out->arg = p->count; out->direction = wi_copy_kind(p->kind); out->stream = p->stream;
#define WI_SHAPE_COPY_FROM_ARRAY 6, (void *, dst, const void *, src, size_t, x, size_t, y, size_t, count, int, kind), out->arg = p->count; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY_FROM_ARRAY_ASYNC 7, (void *, dst, const void *, src, size_t, x, size_t, y, size_t, count, int, kind, void *, stream), out->arg = p->count; out->direction = wi_copy_kind(p->kind); out->stream = p->stream;
#define WI_SHAPE_COPY2D_TO_ARRAY 8, (void *, dst, size_t, x, size_t, y, const void *, src, size_t, spitch, size_t, width, size_t, height, int, kind), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY2D_TO_ARRAY_ASYNC 9, (void *, dst, size_t, x, size_t, y, const void *, src, size_t, spitch, size_t, width, size_t, height, int, kind, void *, stream), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind); out->stream = p->stream;
#define WI_SHAPE_COPY2D_FROM_ARRAY 8, (void *, dst, size_t, dpitch, const void *, src, size_t, x, size_t, y, size_t, width, size_t, height, int, kind), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY2D_FROM_ARRAY_ASYNC 9, (void *, dst, size_t, dpitch, const void *, src, size_t, x, size_t, y, size_t, width, size_t, height, int, kind, void *, stream), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind); out->stream = p->stream;
#define WI_SHAPE_COPY_ARRAY_ARRAY 8, (void *, dst, size_t, dx, size_t, dy, const void *, src, size_t, sx, size_t, sy, size_t, count, int, kind), out->arg = p->count; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY2D_ARRAY_ARRAY 9, (void *, dst, size_t, dx, size_t, dy, const void *, src, size_t, sx, size_t, sy, size_t, width, size_t, height, int, kind), out->arg = p->width * p->height; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY_SYMBOL 5, (const void *, first, const void *, second, size_t, count, size_t, offset, int, kind), out->arg = p->count; out->direction = wi_copy_kind(p->kind);
#define WI_SHAPE_COPY_SYMBOL_ASYNC 6, (const void *, first, const void *, second, size_t, count, size_t, offset, int, kind, void *, stream), out->arg = p->count; out->direction = wi_copy_kind(p->kind); out->stream = p->stream;
#define WI_SHAPE_COPY3D 1, (const struct wi_copy3d *, params), out->arg = wi_copy3d_bytes(p->params); out->direction = p->params ? wi_copy_kind(p->params->kind) : WI_COPY_UNKNOWN;
#define WI_SHAPE_COPY3D_ASYNC 2, (const struct wi_copy3d *, params, void *, stream), out->arg = wi_copy3d_bytes(p->params); out->direction = p->params ? wi_copy_kind(p->params->kind) : WI_COPY_UNKNOWN; out->stream = p->stream;
#define WI_SHAPE_COPY_PEER 5, (void *, dst, int, dst_device, const void *, src, int, src_device, size_t, count), out->arg = p->count; out->direction = WI_COPY_P2P;
#define WI_SHAPE_COPY_PEER_ASYNC 6, (void *, dst, int, dst_device, const void *, src, int, src_device, size_t, count, void *, stream), out->arg = p->count; out->direction = WI_COPY_P2P; out->stream = p->stream;
#define WI_SHAPE_COPY3D_PEER 1, (const void *, params), (void)p; out->arg_unknown = 1; out->direction = WI_COPY_P2P;
#define WI_SHAPE_COPY3D_PEER_ASYNC 2, (const void *, params, void *, stream), out->arg_unknown = 1; out->direction = WI_COPY_P2P; out->stream = p->stream;
#define WI_SHAPE_BATCH 8, (void *, dsts, void *, srcs, void *, sizes, size_t, count, void *, attrs, void *, attr_ids, size_t, attr_count, void *, stream), out->arg_unknown = 1; out->stream = p->stream;
#define WI_SHAPE_BATCH_FAIL 9, (void *, dsts, void *, srcs, void *, sizes, size_t, count, void *, attrs, void *, attr_ids, size_t, attr_count, size_t *, fail, void *, stream), out->arg_unknown = 1; out->stream = p->stream;
#define WI_SHAPE_BATCH3D 4, (size_t, count, void *, list, unsigned long long, flags, void *, stream), out->arg_unknown = 1; out->stream = p->stream;
#define WI_SHAPE_BATCH3D_FAIL 5, (size_t, count, void *, list, size_t *, fail, unsigned long long, flags, void *, stream), out->arg_unknown = 1; out->stream = p->stream;
#define WI_SHAPE_PREFETCH_DEVICE 4, (const void *, ptr, size_t, count, int, device, void *, stream), out->arg = p->count; out->stream = p->stream;
#define WI_SHAPE_PREFETCH 5, (const void *, ptr, size_t, count, struct wi_location, location, unsigned, flags, void *, stream), out->arg = p->count; out->stream = p->stream;
#define WI_SHAPE_PREFETCH_BATCH 8, (void *, ptrs, void *, sizes, size_t, count, void *, locations, void *, location_ids, size_t, location_count, unsigned long long, flags, void *, stream), out->arg_unknown = 1; out->stream = p->stream;

/* memory set */
#define WI_SHAPE_SET 3, (void *, ptr, int, value, size_t, count), out->arg = p->count;
#define WI_SHAPE_SET_ASYNC 4, (void *, ptr, int, value, size_t, count, void *, stream), out->arg = p->count; out->stream = p->stream;
#define WI_SHAPE_SET2D 5, (void *, ptr, size_t, pitch, int, value, size_t, width, size_t, height), out->arg = p->width * p->height;
#define WI_SHAPE_SET2D_ASYNC 6, (void *, ptr, size_t, pitch, int, value, size_t, width, size_t, height, void *, stream), out->arg = p->width * p->height; out->stream = p->stream;
#define WI_SHAPE_SET3D 3, (struct wi_pitched, ptr, int, value, struct wi_extent, extent), out->arg = p->extent.width * p->extent.height * p->extent.depth;
#define WI_SHAPE_SET3D_ASYNC 4, (struct wi_pitched, ptr, int, value, struct wi_extent, extent, void *, stream), out->arg = p->extent.width * p->extent.height * p->extent.depth; out->stream = p->stream;

/* waiting, streams, events */
#define WI_SHAPE_NONE 0, (), (void)p;
#define WI_SHAPE_STREAM 1, (void *, stream), out->stream = p->stream;
#define WI_SHAPE_EVENT 1, (void *, event), out->arg = (uint64_t)(uintptr_t)p->event;
#define WI_SHAPE_RECORD 2, (void *, event, void *, stream), out->arg = (uint64_t)(uintptr_t)p->event; out->stream = p->stream;
#define WI_SHAPE_RECORD_FLAGS 3, (void *, event, void *, stream, unsigned, flags), out->arg = (uint64_t)(uintptr_t)p->event; out->stream = p->stream;
#define WI_SHAPE_WAIT_EVENT 3, (void *, stream, void *, event, unsigned, flags), out->arg = (uint64_t)(uintptr_t)p->event; out->stream = p->stream;
#define WI_SHAPE_CREATE 1, (void **, created), if (ok && p->created) out->arg = (uint64_t)(uintptr_t)*p->created;
#define WI_SHAPE_CREATE_FLAGS 2, (void **, created, unsigned, flags), if (ok && p->created) out->arg = (uint64_t)(uintptr_t)*p->created; out->nonblocking = p->flags & 1;
#define WI_SHAPE_CREATE_PRIORITY 3, (void **, created, unsigned, flags, int, priority), if (ok && p->created) out->arg = (uint64_t)(uintptr_t)*p->created; out->nonblocking = p->flags & 1;
#define WI_SHAPE_DEVICE 1, (int, device), out->device = (int16_t)p->device;
#define WI_SHAPE_DEVICE_INIT 3, (int, device, unsigned, device_flags, unsigned, flags), (void)p;

/* memory */
#define WI_SHAPE_ALLOC 2, (void **, ptr, size_t, size), out->arg = p->size;
#define WI_SHAPE_ALLOC_FLAGS 3, (void **, ptr, size_t, size, unsigned, flags), out->arg = p->size;
#define WI_SHAPE_ALLOC_STREAM 3, (void **, ptr, size_t, size, void *, stream), out->arg = p->size; out->stream = p->stream;
#define WI_SHAPE_ALLOC_POOL 4, (void **, ptr, size_t, size, void *, pool, void *, stream), out->arg = p->size; out->stream = p->stream;
#define WI_SHAPE_ALLOC_PITCH 4, (void **, ptr, size_t *, pitch, size_t, width, size_t, height), out->arg = p->width * p->height;
#define WI_SHAPE_ALLOC_PITCH_D 5, (void *, ptr, size_t *, pitch, size_t, width, size_t, height, unsigned, element), out->arg = p->width * p->height;
#define WI_SHAPE_ALLOC3D 2, (void *, ptr, struct wi_extent, extent), out->arg = p->extent.width * p->extent.height * p->extent.depth;
#define WI_SHAPE_ALLOC_ARRAY 5, (void **, array, const void *, desc, size_t, width, size_t, height, unsigned, flags), (void)p;
#define WI_SHAPE_ALLOC3D_ARRAY 4, (void **, array, const void *, desc, struct wi_extent, extent, unsigned, flags), (void)p;
#define WI_SHAPE_REGISTER 3, (void *, ptr, size_t, size, unsigned, flags), out->arg = p->size;
#define WI_SHAPE_FREE 1, (void *, ptr), (void)p;
#define WI_SHAPE_FREE_STREAM 2, (void *, ptr, void *, stream), out->stream = p->stream;

/* device code; only timed */
#define WI_SHAPE_LOAD_LIBRARY 8, (void *, library, const void *, code, void *, jit, void *, jit_values, unsigned, jit_count, void *, options, void *, values, unsigned, count), (void)p;

/* driver functions without a wrapper: only the members that are read */
#define WI_SHAPE_D_LAUNCH 9, (void *, f, unsigned, gx, unsigned, gy, unsigned, gz, unsigned, bx, unsigned, by, unsigned, bz, unsigned, shared, void *, stream), out->stream = p->stream;
#define WI_SHAPE_D_H2D 3, (uint64_t, dst, const void *, src, size_t, count), out->arg = p->count; out->direction = WI_COPY_H2D; out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_D_H2D_ASYNC 4, (uint64_t, dst, const void *, src, size_t, count, void *, stream), out->arg = p->count; out->direction = WI_COPY_H2D; out->stream = p->stream; out->from = (uint64_t)(uintptr_t)p->src;
#define WI_SHAPE_D_D2H 3, (void *, dst, uint64_t, src, size_t, count), out->arg = p->count; out->direction = WI_COPY_D2H;
#define WI_SHAPE_D_D2H_ASYNC 4, (void *, dst, uint64_t, src, size_t, count, void *, stream), out->arg = p->count; out->direction = WI_COPY_D2H; out->stream = p->stream;
#define WI_SHAPE_D_D2D 3, (uint64_t, dst, uint64_t, src, size_t, count), out->arg = p->count; out->direction = WI_COPY_D2D;
#define WI_SHAPE_D_D2D_ASYNC 4, (uint64_t, dst, uint64_t, src, size_t, count, void *, stream), out->arg = p->count; out->direction = WI_COPY_D2D; out->stream = p->stream;
#define WI_SHAPE_D_COPY 3, (uint64_t, dst, uint64_t, src, size_t, count), out->arg = p->count; out->from = p->src;
#define WI_SHAPE_D_COPY_ASYNC 4, (uint64_t, dst, uint64_t, src, size_t, count, void *, stream), out->arg = p->count; out->stream = p->stream; out->from = p->src;
#define WI_SHAPE_D_PEER 5, (uint64_t, dst, void *, dst_context, uint64_t, src, void *, src_context, size_t, count), out->arg = p->count; out->direction = WI_COPY_P2P;
#define WI_SHAPE_D_PEER_ASYNC 6, (uint64_t, dst, void *, dst_context, uint64_t, src, void *, src_context, size_t, count, void *, stream), out->arg = p->count; out->direction = WI_COPY_P2P; out->stream = p->stream;
#define WI_SHAPE_D_PARAMS 1, (const void *, params), (void)p; out->arg_unknown = 1;
#define WI_SHAPE_D_PARAMS_ASYNC 2, (const void *, params, void *, stream), out->arg_unknown = 1; out->stream = p->stream;
#define WI_SHAPE_D_SET 3, (uint64_t, dst, unsigned, value, size_t, count), out->arg = p->count;
#define WI_SHAPE_D_SET_ASYNC 4, (uint64_t, dst, unsigned, value, size_t, count, void *, stream), out->arg = p->count; out->stream = p->stream;
#define WI_SHAPE_D_SET2D 5, (uint64_t, dst, size_t, pitch, unsigned, value, size_t, width, size_t, height), out->arg = p->width * p->height;
#define WI_SHAPE_D_SET2D_ASYNC 6, (uint64_t, dst, size_t, pitch, unsigned, value, size_t, width, size_t, height, void *, stream), out->arg = p->width * p->height; out->stream = p->stream;

#define WI_SHAPES(X) \
    X(LAUNCH) X(LAUNCH_EX) X(STREAM_FIRST2) X(STREAM_SECOND) X(STREAM_FIRST3) \
    X(STREAM_CALLBACK) X(STREAM_MODE) X(CAPTURE_TO) X(COPY) X(COPY_ASYNC) X(COPY2D) \
    X(COPY2D_ASYNC) X(COPY_TO_ARRAY) X(COPY_TO_ARRAY_ASYNC) X(COPY_FROM_ARRAY) \
    X(COPY_FROM_ARRAY_ASYNC) X(COPY2D_TO_ARRAY) X(COPY2D_TO_ARRAY_ASYNC) X(COPY2D_FROM_ARRAY) \
    X(COPY2D_FROM_ARRAY_ASYNC) X(COPY_ARRAY_ARRAY) X(COPY2D_ARRAY_ARRAY) X(COPY_SYMBOL) \
    X(COPY_SYMBOL_ASYNC) X(COPY3D) X(COPY3D_ASYNC) X(COPY_PEER) X(COPY_PEER_ASYNC) \
    X(COPY3D_PEER) X(COPY3D_PEER_ASYNC) X(BATCH) X(BATCH_FAIL) X(BATCH3D) X(BATCH3D_FAIL) \
    X(PREFETCH_DEVICE) X(PREFETCH) X(PREFETCH_BATCH) X(SET) X(SET_ASYNC) X(SET2D) X(SET2D_ASYNC) X(SET3D) \
    X(SET3D_ASYNC) X(NONE) X(STREAM) X(EVENT) X(RECORD) X(RECORD_FLAGS) X(WAIT_EVENT) X(CREATE) \
    X(CREATE_FLAGS) X(CREATE_PRIORITY) X(DEVICE) X(DEVICE_INIT) X(ALLOC) X(ALLOC_FLAGS) \
    X(ALLOC_STREAM) X(ALLOC_POOL) X(ALLOC_PITCH) X(ALLOC_PITCH_D) X(ALLOC3D) X(ALLOC_ARRAY) \
    X(ALLOC3D_ARRAY) X(REGISTER) X(FREE) X(FREE_STREAM) X(LOAD_LIBRARY) X(D_LAUNCH) X(D_H2D) \
    X(D_H2D_ASYNC) X(D_D2H) X(D_D2H_ASYNC) X(D_D2D) X(D_D2D_ASYNC) X(D_COPY) X(D_COPY_ASYNC) \
    X(D_PEER) X(D_PEER_ASYNC) X(D_PARAMS) X(D_PARAMS_ASYNC) X(D_SET) X(D_SET_ASYNC) X(D_SET2D) \
    X(D_SET2D_ASYNC)
/* clang-format on */

#endif
