/* Recognises a recording and reads it, see import.h; the formats are importers.def.
 * Threads: one at a time. May use: malloc. */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/err.h"
#include "import/importer.h"

struct importer {
    const char *name, *sentence;
    int (*probe)(const unsigned char *head, size_t len);
    int (*load)(struct wi_load *load);
};

static const struct importer IMPORTERS[] = {
#define IMPORTER(id, name, sentence) {name, sentence, wi_##id##_probe, wi_##id##_load},
#include "import/importers.def"
#undef IMPORTER
};

int wi_load_fail(struct wi_load *load, int code, int64_t offset, const char *text)
{
    if (!load->error->text[0]) {
        snprintf(load->error->text, sizeof(load->error->text), "%s", text);
        load->error->offset = offset;
    }
    return code;
}

int wi_load_damage(struct wi_load *load, int code, int64_t offset, const char *text)
{
    if (!load->options || !load->options->partial)
        return wi_load_fail(load, code, offset, text);
    load->info->partial = 1;
    return 0;
}

static const struct importer *recognise(const unsigned char *head, size_t len)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(IMPORTERS); i++) {
        if (IMPORTERS[i].probe(head, len))
            return &IMPORTERS[i];
    }
    return NULL;
}

int wi_import_probe(const unsigned char *head, size_t len)
{
    int is_gzip = len >= 2 && head[0] == 0x1f && head[1] == 0x8b;
    return is_gzip || recognise(head, len) != NULL;
}

static void clear_info(struct wi_import_info *info, const char *path)
{
    *info = (struct wi_import_info){0};
    info->job = (struct wi_job){.source = path,
                                .rank = WI_UNKNOWN,
                                .world = WI_UNKNOWN,
                                .start_ns = WI_UNKNOWN,
                                .end_ns = WI_UNKNOWN,
                                .end = WI_JOB_IMPORTED,
                                .status = WI_UNKNOWN_STATUS,
                                .level = 'I',
                                .helper_cpu_ns = WI_UNKNOWN,
                                .memory_bytes = WI_UNKNOWN,
                                .flush_ns = WI_UNKNOWN};
}

int wi_load_begin(struct wi_load *load, struct wi_paced_sink *paced)
{
    wi_paced_init(paced, load->sink, load->user);
    if (!load->info->partial)
        return 0;
    struct wi_event event = {.kind = WI_EVENT_LOSS};
    event.u.loss = (struct wi_loss){
        .start_ns = WI_UNKNOWN,
        .end_ns = WI_UNKNOWN,
        .reason = wi_names_str(load->names, "the file is damaged: only its beginning was used"),
        .kind = WI_LOSS_IMPORT};
    return wi_paced_event(paced, &event);
}

int wi_load_finish(struct wi_load *load, const struct wi_paced_sink *paced, int err)
{
    load->info->events = paced->events;
    load->info->job.start_ns = paced->first_ns;
    load->info->job.end_ns = paced->last_ns;
    if (err == WI_ERR_RANGE)
        return wi_load_fail(load, err, -1, "the times of the recording lie years apart");
    return err ? wi_load_fail(load, err, -1, wi_err_str(err)) : 0;
}

int wi_import_file(const char *path, const struct wi_import_options *options,
                   struct wi_names *names, wi_event_sink sink, void *user,
                   struct wi_import_info *info, struct wi_import_error *error)
{
    const unsigned char *head;
    int err = 0;
    *error = (struct wi_import_error){.offset = -1};
    clear_info(info, path);
    struct wi_load load = {.options = options,
                           .names = names,
                           .sink = sink,
                           .user = user,
                           .info = info,
                           .error = error};
    load.bytes = wi_bytes_open(path, &err);
    if (!load.bytes)
        return wi_load_fail(&load, err, -1, err == WI_ERR_IO ? strerror(errno) : wi_err_str(err));
    long len = wi_bytes_peek(load.bytes, &head);
    const struct importer *importer = len > 0 ? recognise(head, (size_t)len) : NULL;
    if (importer) {
        snprintf(info->format, sizeof(info->format), "%s", importer->name);
        info->job.level_reason = importer->sentence;
        err = importer->load(&load);
    } else if (len < 0) {
        err = wi_load_fail(&load, (int)len, 0, wi_bytes_problem(load.bytes));
    } else {
        err = wi_load_fail(&load, WI_ERR_FORMAT, 0,
                           len ? "not a recording of a known format" : "the file is empty");
    }
    wi_bytes_close(load.bytes);
    return err;
}
