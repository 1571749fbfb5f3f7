/* Writes reports, see show.h.
 * Threads: main. */
#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/headline.h"
#include "report/human.h"
#include "report/layout.h"

/* The last word that is given wins: option, then WHYIDLE_COLOR, then NO_COLOR and the terminal. */
int wi_show_color(int fd, const struct wi_args *args)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    const char *word = wi_args_value(args, WI_OPT_COLOR, getenv("WHYIDLE_COLOR"));
    if (word && !strcmp(word, "always"))
        return 1;
    if (word && !strcmp(word, "never"))
        return 0;
    return isatty(fd) && !(none && none[0]) && !(term && !strcmp(term, "dumb"));
}

int wi_show_width(int fd, const struct wi_args *args)
{
    const char *text = getenv("WHYIDLE_WIDTH");
    int asked = wi_args_number(args, WI_OPT_WIDTH, text ? atoi(text) : 0);
    struct winsize size;
    int terminal = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    return wi_layout_width(asked, getenv("COLUMNS"), terminal);
}

int wi_show_text(int fd, const struct wi_report *report, const struct wi_args *args,
                 const char *hints)
{
    char buf[8192];
    struct wi_out out;
    struct wi_text_options options = {.width = wi_show_width(fd, args),
                                      .color = wi_show_color(fd, args),
                                      .verdict_line = !isatty(fd),
                                      .hints = hints};
    wi_out_fd(&out, fd, buf, sizeof(buf));
    wi_report_text(&out, report, &options);
    return wi_out_finish(&out) ? -1 : 0;
}

int wi_show_json(int fd, const struct wi_report *report)
{
    char buf[8192];
    struct wi_out out;
    wi_out_fd(&out, fd, buf, sizeof(buf));
    wi_report_json(&out, report);
    return wi_out_finish(&out) ? -1 : 0;
}

/* /dev/stdout and the like are written in place: a rename would replace the device. */
static int save_in_place(const char *path, const struct wi_report *report)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int err = fd < 0 ? -1 : wi_show_json(fd, report);
    return fd < 0 || (close(fd) | err) ? -1 : 0;
}

static int save_by_rename(const char *path, const struct wi_report *report)
{
    char temp[PATH_MAX];
    if (snprintf(temp, sizeof(temp), "%s.%d.tmp", path, (int)getpid()) >= (int)sizeof(temp)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    int err = wi_show_json(fd, report) | close(fd);
    if (!err && rename(temp, path) == 0)
        return 0;
    unlink(temp);
    return -1;
}

int wi_save_json(const char *path, const struct wi_report *report)
{
    int special = !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
    int err = special ? save_in_place(path, report) : save_by_rename(path, report);
    if (err)
        fprintf(stderr, "whyidle: cannot write '%s': %s\n", path, strerror(errno));
    return err;
}

void wi_show_line(int fd, const struct wi_report *report, const char *path)
{
    char buf[4096];
    struct wi_out out;
    const struct wi_job *job = report->job;
    const struct wi_device_result *device = wi_verdict_device(report);
    wi_out_fd(&out, fd, buf, sizeof(buf));
    wi_out_str(&out, "whyidle: ");
    if (job->rank != WI_UNKNOWN)
        wi_out_f(&out, "rank %lld, ", (long long)job->rank);
    wi_out_f(&out, "pid %lld", (long long)job->pid);
    if (job->host) {
        wi_out_str(&out, " on ");
        wi_out_clean(&out, job->host);
    }
    wi_out_str(&out, ": ");
    wi_out_clean(&out, report->result->verdict.id);
    if (device) {
        wi_out_str(&out, ", idles ");
        wi_human_share(&out, device->idle_ns, wi_window_ns(device), 1);
    }
    wi_out_str(&out, "  ");
    wi_out_clean(&out, path);
    wi_out_char(&out, '\n');
    wi_out_finish(&out);
}
