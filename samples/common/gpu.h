/* The little of CUDA that the samples and the live player need, over the runtime
 * (gpu_runtime.c). The same binary runs on a real GPU and on the virtual one: whichever
 * libcudart the loader finds.
 * Threads: any after gpu_init(). A failing call prints its name and reason and ends the program:
 * a sample that limps on would measure nothing. */
#ifndef WI_SAMPLES_GPU_H
#define WI_SAMPLES_GPU_H

#include <stddef.h>
#include <stdint.h>

enum gpu_kernel {
    GPU_SPIN,            /* wi_spin_ns: for launches that fill the device */
    GPU_SPIN_THIN,       /* wi_spin_thin_ns: for grids that cannot */
    GPU_SPIN_COLLECTIVE, /* ncclDevKernel_Sample_spin_ns: stands in for one, takes the time of one
                          */
    GPU_KERNELS
};

/* Creates the context and loads the kernels. Returns 0, or -1 with the reason on stderr. */
int gpu_init(void);
/* 1 if the device is a model, 0 if it is silicon. */
int gpu_is_virtual(void);
int gpu_sms(void);

void *gpu_alloc(size_t bytes);
void gpu_free(void *device);
/* Page-locked host memory. */
void *gpu_host_alloc(size_t bytes);
void gpu_host_free(void *host);
/* A stream that does not synchronise with the default stream (NULL). */
void *gpu_stream(void);

/* A kernel whose every thread spins for ns; the grid decides how full the device is. */
void gpu_spin(enum gpu_kernel kernel, int64_t ns, unsigned grid, unsigned block, void *stream);
/* A grid of 256-thread blocks that fills a quarter of the device in one wave. */
unsigned gpu_full_grid(void);
void gpu_upload(void *device, const void *host, size_t bytes);                     /* cudaMemcpy */
void gpu_upload_async(void *device, const void *host, size_t bytes, void *stream); /* ...Async */
void gpu_download(void *host, const void *device, size_t bytes);
void gpu_download_async(void *host, const void *device, size_t bytes, void *stream);
void gpu_sync(void);
void *gpu_event(void);
void gpu_record(void *event, void *stream);
/* Returns when the stream has come to where the event was recorded. */
void gpu_await(void *event);
/* Loads the kernels once more. */
void gpu_load_code(void);
/* Loads them as code that the driver has never seen: it compiles them. */
void gpu_compile_code(void);
/* The stream goes on when the driver's thread has called function(data). */
void gpu_host_function(void *stream, void (*function)(void *), void *data);
/* On the virtual GPU: the next copy of this thread takes ns. Returns 0 where it cannot be set. */
int gpu_next_copy_ns(int64_t ns);

#endif
