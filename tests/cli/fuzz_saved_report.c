/* Fuzzes the reader of report documents and the writers behind it: bytes in, no crash, no
 * undefined behaviour, and a document that was read once is read again. For libFuzzer, with the
 * sources of base, model, analyze and report, json_doc.c, report_fields.c, report_predictions.c and
 * report_read.c, and the documents of report_print as seeds. Threads: one. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/report_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char text[1 << 20];

static int write_all(const struct wi_report *report)
{
    struct wi_text_options options = {.width = 40, .color = 1, .verdict_line = 1, .hints = ""};
    struct wi_out out;
    wi_out_mem(&out, text, sizeof(text));
    wi_report_text(&out, report, &options);
    wi_out_finish(&out);
    wi_out_mem(&out, text, sizeof(text));
    wi_report_json(&out, report);
    int err = wi_out_finish(&out);
    return err ? 0 : (int)out.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wi_saved_report saved, again;
    struct wi_json_error error;
    if (wi_saved_report_init(&saved) == 0 && wi_report_read(&saved, data, size, &error) == 0) {
        int len = write_all(&saved.report);
        if (len > 0 && wi_saved_report_init(&again) == 0) {
            if (wi_report_read(&again, (const unsigned char *)text, (size_t)len, &error) != 0)
                abort();
            wi_saved_report_free(&again);
        }
    }
    wi_saved_report_free(&saved);
    return 0;
}
