/* What this machine offers to a CUDA program; asked in a child process, so that a broken driver
 * cannot take the command down. Threads: main. */
#ifndef WI_CLI_GPU_HERE_H
#define WI_CLI_GPU_HERE_H

#include <limits.h>

struct wi_gpu_here {
    int has_driver;     /* libcuda.so.1 could be opened */
    int init_error;     /* of cuInit, 0 = success */
    int driver_version; /* 13000 = 13.0; 0 = not known */
    int devices;        /* 0 if there are none or cuInit failed */
    char problem[128];  /* why libcuda.so.1 could not be opened, or that it hung */
};

/* Asks the driver; takes at most 10 seconds. */
void wi_gpu_ask(struct wi_gpu_here *gpu);
/* The folder of the first file in LD_LIBRARY_PATH or cuda_places.def whose name matches pattern
 * ("libcudart.so.1[23]*"), and the file's path. 0 or -1. */
int wi_cuda_find(const char *pattern, char folder[PATH_MAX], char path[PATH_MAX]);

#endif
