/* What every importer is given and has to provide; the list of them is importers.def.
 * Threads: one at a time. May use: malloc, temporary files. */
#ifndef WI_IMPORT_IMPORTER_H
#define WI_IMPORT_IMPORTER_H

#include "import/bytes.h"
#include "import/import.h"
#include "import/paced_sink.h"

/* Everything one import needs; times of the recording are folded into info->job. */
struct wi_load {
    struct wi_bytes *bytes;
    const struct wi_import_options *options;
    struct wi_names *names;
    wi_event_sink sink;
    void *user;
    struct wi_import_info *info;
    struct wi_import_error *error;
};

/* 1 if the (uncompressed) beginning of a file looks like this format. */
#define IMPORTER(id, name, sentence) int wi_##id##_probe(const unsigned char *head, size_t len);
#include "import/importers.def"
#undef IMPORTER

/* Reads load->bytes to its end and gives the sorted events; 0 or a negative code with the error
 * filled. Damage at the end is told by wi_load_damage(). */
#define IMPORTER(id, name, sentence) int wi_##id##_load(struct wi_load *load);
#include "import/importers.def"
#undef IMPORTER

/* Fills the error unless one is filled already; returns code. */
int wi_load_fail(struct wi_load *load, int code, int64_t offset, const char *text);
/* The input is damaged: returns 0 and marks it if the options accept what came before, else
 * fills the error and returns code. */
int wi_load_damage(struct wi_load *load, int code, int64_t offset, const char *text);
/* Between reading and giving: prepares the pacing and tells accepted damage as a loss. */
int wi_load_begin(struct wi_load *load, struct wi_paced_sink *paced);
/* After giving: notes what was given; passes err on, with a text for people if there is none. */
int wi_load_finish(struct wi_load *load, const struct wi_paced_sink *paced, int err);

#endif
