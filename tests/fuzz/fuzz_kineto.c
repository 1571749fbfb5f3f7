/* Any bytes as a recording: the import must refuse or give events that keep its promises.
 * Threads: one. Built by scripts/fuzz.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static int check(void *user, const struct wi_event *event)
{
    int64_t *last_ns = user;
    int64_t at_ns = wi_event_time(event);
    require(at_ns >= *last_ns);
    *last_ns = at_ns;
    if (event->kind == WI_EVENT_OP) {
        const struct wi_device_op *op = &event->u.op;
        require(op->kind <= WI_OP_GRAPH && op->direction < WI_COPY_COUNT);
        require(op->src_mem < WI_MEM_COUNT && op->dst_mem < WI_MEM_COUNT);
    }
    if (event->kind == WI_EVENT_CALL)
        require(event->u.call.api_class < WI_API_COUNT);
    if (event->kind == WI_EVENT_SPAN)
        require(event->u.span.kind < WI_SPAN_COUNT);
    return 0;
}

static void import(const char *path, int partial)
{
    struct wi_import_options options = {.partial = partial};
    struct wi_import_info info;
    struct wi_import_error error;
    int64_t last_ns = INT64_MIN;
    struct wi_names *names = wi_names_create(1 << 20);
    int err = wi_import_file(path, &options, names, check, &last_ns, &info, &error);
    require(err <= 0 && (!err || error.text[0]));
    wi_names_free(names);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
    static int fd = -1;
    char path[32];
    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    require(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, len, 0) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    import(path, 0);
    import(path, 1);
    return 0;
}
