/* Each batch is made of records that lie scattered over a file which is not in memory: the
 * launching thread sleeps in its reads.
 * Expected: data-loading/slow-storage.
 * Threads: one. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "pace.h"
#include "scratch.h"
#include "step.h"

#define FILE_BYTES   (64 << 20)
#define RECORD_BYTES (512 << 10)
#define BATCH_BYTES  (1 << 20)
#define READ_NS      (30 * STEP_MS) /* a batch is what the disk gives in this time */

static int fill_file(char *block)
{
    int fd = scratch_open(O_DIRECT); /* reads do not find it in memory */

    for (int at = 0; at < FILE_BYTES; at += BATCH_BYTES)
        if (pwrite(fd, block, BATCH_BYTES, at) != BATCH_BYTES)
            return -1;
    return fd;
}

static void read_batch(int fd, char *batch)
{
    for (int64_t end = pace_now() + READ_NS; pace_now() < end;) {
        long record = random() % (FILE_BYTES / RECORD_BYTES);

        if (pread(fd, batch, RECORD_BYTES, record * RECORD_BYTES) != RECORD_BYTES)
            exit(1);
    }
}

int main(void)
{
    char *batch = gpu_init() ? NULL : gpu_host_alloc(BATCH_BYTES), *block;
    int fd = -1;

    if (!batch || posix_memalign((void **)&block, RECORD_BYTES, BATCH_BYTES))
        return 1;
    memset(block, 1, BATCH_BYTES);
    if ((fd = fill_file(block)) < 0)
        return 1;
    void *device = gpu_alloc(BATCH_BYTES);
    while (step_more()) {
        read_batch(fd, block);
        memcpy(batch, block, BATCH_BYTES);
        gpu_upload_async(device, batch, BATCH_BYTES, NULL);
        step_run(10, STEP_MS);
        gpu_sync();
    }
    return 0;
}
