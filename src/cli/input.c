/* Anything that can be shown, see input.h.
 * Threads: one at a time. */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/demangle.h"
#include "cli/resolve.h"
#include "model/trace_io.h"

#define MOST_BYTES ((size_t)256 << 20) /* of a saved report; ours have less than 1 MiB */
#define HEAD_BYTES 4096

static int complain(struct wi_json_error *error, int code, const char *text)
{
    snprintf(error->text, sizeof(error->text), "%s", text);
    error->offset = -1;
    return code;
}

void wi_input_complain(const char *path, const struct wi_json_error *error)
{
    if (error->offset >= 0)
        fprintf(stderr, "whyidle: %s: %s (at byte %lld)\n", path, error->text,
                (long long)error->offset);
    else
        fprintf(stderr, "whyidle: %s: %s\n", path, error->text);
}

/* 1 if the document begins with the key that ours begin with. */
static int is_report(const char *head, size_t len)
{
    size_t at = strspn(head, " \t\r\n");
    if (at >= len || head[at] != '{')
        return 0;
    at += 1 + strspn(head + at + 1, " \t\r\n");
    return !strncmp(head + at, "\"schema\"", 8);
}

/* The whole file, NULL with *error filled. */
static unsigned char *slurp(int fd, size_t size, struct wi_json_error *error)
{
    unsigned char *data = malloc(size + 1);
    size_t have = 0;
    ssize_t got = 1;
    while (data && have < size && (got = pread(fd, data + have, size - have, (off_t)have)) > 0)
        have += (size_t)got;
    if (data && have == size)
        return data;
    complain(error, WI_ERR_IO, !data ? "out of memory" : got < 0 ? strerror(errno) : "it changes");
    free(data);
    return NULL;
}

static int load_report(struct wi_input *input, int fd, size_t size, struct wi_json_error *error)
{
    if (size > MOST_BYTES)
        return complain(error, WI_ERR_RANGE, "too large for a report");
    unsigned char *data = slurp(fd, size, error);
    if (!data)
        return WI_ERR_IO;
    int err = wi_report_read(&input->saved, data, size, error);
    free(data);
    return err;
}

/* The engine is made at the first event: only then is the format, and so the window, known. */
static int take_event(void *user, const struct wi_event *event)
{
    struct wi_input *input = user;
    if (!input->engine) {
        struct wi_engine_config config = {.names = input->saved.names,
                                          .ordered = 1,
                                          .imported = !strcmp(input->info.format, "kineto"),
                                          .host_only = input->info.job.level == 'C'};
        input->engine = wi_engine_create(&config);
        if (!input->engine)
            return WI_ERR_NOMEM;
    }
    if (event->kind == WI_EVENT_ADVANCE)
        wi_engine_advance(input->engine, event->u.at_ns);
    else
        wi_engine_push(input->engine, event);
    return 0;
}

static int load_recording(struct wi_input *input, const char *path, int partial,
                          struct wi_json_error *error)
{
    struct wi_import_options options = {.partial = partial};
    struct wi_import_error problem;
    int err = wi_import_file(path, &options, input->saved.names, take_event, input, &input->info,
                             &problem);
    if (err) {
        complain(error, err, problem.text);
        if (err == WI_ERR_TRUNCATED && !partial)
            strncat(error->text, "; --partial reads what is there",
                    sizeof(error->text) - strlen(error->text) - 1);
        error->offset = problem.offset;
        return err;
    }
    if (!input->engine)
        return complain(error, WI_ERR_FORMAT, "the recording has no event that whyidle knows");
    wi_engine_finish(input->engine);
    if (wi_engine_result(input->engine, &input->saved.arena, &input->saved.result) != 0)
        return complain(error, WI_ERR_NOMEM, "out of memory");
    input->saved.job = input->info.job;
    if (input->info.partial) {
        snprintf(input->reason, sizeof(input->reason),
                 "%s; the file is damaged, only its beginning "
                 "was used",
                 input->info.job.level_reason ? input->info.job.level_reason : "");
        input->saved.job.level_reason = input->reason;
    }
    return 0;
}

int wi_input_load(struct wi_input *input, const char *path, int partial,
                  struct wi_json_error *error)
{
    char head[HEAD_BYTES + 1];
    struct stat status;
    memset(input, 0, sizeof(*input));
    *error = (struct wi_json_error){"", -1};
    if (wi_saved_report_init(&input->saved) != 0)
        return complain(error, WI_ERR_NOMEM, "out of memory");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
    if (fd < 0 || fstat(fd, &status) != 0) {
        complain(error, WI_ERR_IO, strerror(errno));
        if (fd >= 0)
            close(fd);
        return WI_ERR_IO;
    }
    ssize_t len = S_ISREG(status.st_mode) ? pread(fd, head, HEAD_BYTES, 0) : 0;
    int err;
    head[len > 0 ? len : 0] = 0;
    if (!S_ISREG(status.st_mode))
        err = complain(error, WI_ERR_UNSUPPORTED, "not a regular file");
    else if (len == 0)
        err = complain(error, WI_ERR_FORMAT, "the file is empty");
    else if (is_report(head, (size_t)len))
        err = load_report(input, fd, (size_t)status.st_size, error);
    else if (len > 0 && wi_import_probe((const unsigned char *)head, (size_t)len))
        err = load_recording(input, path, partial, error);
    else if (!strncmp(head, "WITRACE", 7)) /* "WITRACE1" was recognised above */
        err = complain(error, WI_ERR_UNSUPPORTED,
                       "an event trace of another version: this whyidle reads " WI_TRACE_MAGIC
                       ", and all that was written so; use the whyidle that wrote it");
    else
        err = complain(error, WI_ERR_FORMAT,
                       "neither a whyidle report nor a recording that whyidle reads (a PyTorch "
                       "profiler trace as .json or .json.gz, or what WHYIDLE_TRACE=FILE wrote)");
    close(fd);
    if (!err) {
        wi_resolve(&input->saved.result, input->saved.names);
        wi_demangle(&input->saved.result, input->saved.names);
    }
    return err;
}

void wi_input_free(struct wi_input *input)
{
    if (input->engine)
        wi_engine_free(input->engine);
    wi_saved_report_free(&input->saved);
}
