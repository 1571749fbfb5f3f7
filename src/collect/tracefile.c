/* Writes the event trace, see tracefile.h.
 * Threads: as feed.h. May not: allocate; fail the job: after an error it stops and says so once. */
#include "collect/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "collect/collect.h"
#include "collect/thread.h"
#include "model/trace_io.h"

static struct {
    int on;
    int64_t advanced_ns;
    struct wi_out out;
    struct wi_trace_writer writer;
    char path[1024], buffer[64 << 10];
} state;

static int open_new(int with_pid)
{
    struct wi_out out;
    wi_out_mem(&out, state.path, sizeof(state.path));
    wi_out_str(&out, wi_process.settings.trace);
    if (with_pid)
        wi_out_f(&out, ".%d", wi_process.pid);
    if (wi_out_finish(&out) != 0)
        return -1;
    int low = open(state.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, WI_HIGH_FD);
    if (high < 0)
        return low;
    close(low);
    return high;
}

void wi_trace_open(const struct wi_names *names)
{
    if (!wi_process.settings.trace || !*wi_process.settings.trace)
        return;
    int fd = open_new(0);
    if (fd < 0 && errno == EEXIST)
        fd = open_new(1);
    if (fd < 0) {
        wi_log(WI_LOG_FAULT, "the trace %s cannot be written", state.path);
        return;
    }
    state.on = 1;
    state.advanced_ns = INT64_MIN;
    wi_out_fd(&state.out, fd, state.buffer, sizeof(state.buffer));
    wi_trace_begin(&state.writer, &state.out, names);
}

int wi_trace_on(void)
{
    return state.on;
}

void wi_trace_event(const struct wi_event *event)
{
    if (state.on)
        wi_trace_write(&state.writer, event);
}

void wi_trace_advance(int64_t watermark_ns)
{
    struct wi_event event = {.kind = WI_EVENT_ADVANCE, .u.at_ns = watermark_ns};
    if (!state.on || watermark_ns == WI_UNKNOWN || watermark_ns <= state.advanced_ns)
        return;
    state.advanced_ns = watermark_ns;
    wi_trace_write(&state.writer, &event);
}

void wi_trace_flush(void)
{
    if (state.on && wi_out_finish(&state.out) != 0) {
        wi_log(WI_LOG_FAULT, "writing the trace %s failed; it ends early", state.path);
        state.on = 0;
    }
}

void wi_trace_finish(const struct wi_job *job)
{
    if (!state.on)
        return;
    wi_trace_write_job(&state.writer, job);
    wi_trace_flush();
    close(state.out.fd);
    state.on = 0;
}
