/* The preload's own parts and how they hand over to each other.
 *
 *   lifecycle.c   constructor, InitializeInjection, exit hooks, fork: when things happen
 *   arm.c         once, at the first CUDA call: which level works; starts the rest
 *   recording.c   starts and stops recording through CUPTI
 *   arbiter.c     another tool wants CUPTI: hands it over, takes it back; cupti_calls.c notices
 *   blind.c       the stretches in which the device records are not ours
 *   wrappers.c    level C and B: exported functions, expanded from cuda/calls.def
 *   callback.c    level A: CUPTI's callback
 *   nvtx.c        the job's own ranges: NVTX's functions; ranges.c: the helper's side of them
 *   buffers.c     CUPTI's activity buffers
 *   helper.c      the one thread: drains (drain.c), watches, writes rolling reports
 *   feed.c        entries and records -> events of the engine
 *   watch.c       /proc: children, cores, quota, threads (watch_*.c); watch_waits.c: what silent
 *                 threads wait for
 *   publish.c     report files and the text at the end
 *
 * Threads: noted at each function. May not: be included outside src/collect. */
#ifndef WI_COLLECT_COLLECT_H
#define WI_COLLECT_COLLECT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/settings.h"
#include "cuda/cupti_lib.h"

/* Written once while arming, read-only afterwards, except where noted. */
struct wi_process {
    struct wi_settings settings;
    struct wi_cupti cupti;
    void *subscriber;
    int64_t start_ns;               /* when arming began: nothing is recorded before */
    int pid;                        /* of the process that armed; a forked child has another */
    char level;                     /* 'A' to 'D' */
    char reason[240];               /* why not A */
    int activity;                   /* device records are collected */
    int join_api_records;           /* level B: correlation ids come from API records */
    int flush_at_end_only;          /* flushing while the job runs is not safe here */
    _Atomic int armed;              /* 1 once everything above is valid */
    _Atomic int64_t first_enter_ns; /* of the call that armed, until it is recorded; else 0 */
};
extern struct wi_process wi_process;

/* lifecycle.c */
void wi_register_exit(void); /* any thread; may be called again to run earlier */
int wi_is_owner(void);       /* 1 unless this is a forked child */

/* 1 unless another copy of this library was loaded before. */
int wi_is_first_image(void);

/* nvtx.c: starts and ends of ranges that found no room in a ring, and names in their table. */
uint64_t wi_nvtx_dropped(void);

/* arm.c: any thread, the first one wins. first_result: of the CUDA call that arms, or 0.
 * late: 1 if the driver was set up before. */
void wi_arm(int late, int first_result);
/* The answer of the first call says that there is no usable driver: level D. */
void wi_arm_no_driver(int first_result);

/* recording.c: one thread at a time (arbiter.h). Start returns CUPTI's code; late: 1 if the driver
 * was set up before. After stop nothing of ours is left in CUPTI, and every buffer is back. */
int wi_recording_start(int late);
void wi_recording_stop(void);

/* callback.c */
void wi_callback(void *user, int domain, uint32_t cbid, const struct wi_cupti_call *call);

/* buffers.c */
int wi_buffers_init(void); /* again: nothing */
int wi_buffers_own(const uint8_t *buffer);
/* Buffers CUPTI has asked for so far, and the most records the last one can take. */
uint64_t wi_buffers_requests(void);
uint64_t wi_buffers_last_room(void);
void wi_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records);
void wi_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                         size_t valid);
int wi_buffers_ever_requested(void);
/* Helper: hands at most `most` completed buffers to use(), then gives them back to the pool.
 * Returns how many. */
int wi_buffers_take(int most, void (*use)(uint8_t *buffer, size_t valid));
uint64_t wi_buffers_discarded_bytes(void); /* records written where there was no room */
int64_t wi_buffers_bytes(void);            /* memory in use at most by now */

/* helper.c */
int wi_helper_start(void);
/* The thread that ends the process: makes the helper stop, after a forced flush if asked for.
 * 0: parked; WI_ERR_TIMEOUT: it hangs inside a flush (its data may be used all the same);
 * WI_ERR_BUSY: it may still be using the data, which must be left alone. */
int wi_helper_stop(int flush, int64_t timeout_ms);
int64_t wi_helper_cpu_ns(void);

#endif
