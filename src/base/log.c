/* Messages on stderr, see log.h.
 * Threads: any, signal safe. May not: allocate, use stdio. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "base/out.h"
#include "base/quiet_write.h"

static struct {
    atomic_int level;
} state;

void wi_log_set_level(int level)
{
    atomic_store_explicit(&state.level, level, memory_order_relaxed);
}

void wi_log(enum wi_log_level level, const char *fmt, ...)
{
    if ((int)level > atomic_load_explicit(&state.level, memory_order_relaxed))
        return;
    int saved = errno;
    char text[400];
    char line[440];
    struct wi_out body, whole;
    struct wi_quiet_write quiet;
    va_list args;
    wi_out_mem(&body, text, sizeof(text));
    va_start(args, fmt);
    wi_out_vf(&body, fmt, args);
    va_end(args);
    wi_out_finish(&body);
    wi_out_fd(&whole, 2, line, sizeof(line)); /* one write: lines of threads do not mix */
    wi_out_str(&whole, "whyidle: ");
    wi_out_clean(&whole, text);
    wi_out_char(&whole, '\n');
    wi_quiet_write_begin(&quiet);
    wi_out_finish(&whole);
    wi_quiet_write_end(&quiet);
    errno = saved;
}
