/* PyTorch (Kineto) Chrome traces: read by kineto_parse.c, event by event by kineto_record.c, given
 * through kineto_order.c.
 * Threads: one at a time. May use: malloc. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "import/importer.h"
#include "import/kineto_order.h"
#include "import/kineto_parse.h"

static int give_loss(struct wi_load *load, struct wi_paced_sink *paced, uint64_t count,
                     const char *reason)
{
    struct wi_event event = {.kind = WI_EVENT_LOSS};
    if (!count)
        return 0;
    event.u.loss = (struct wi_loss){.start_ns = WI_UNKNOWN,
                                    .end_ns = WI_UNKNOWN,
                                    .count = count,
                                    .reason = wi_names_str(load->names, reason),
                                    .kind = WI_LOSS_IMPORT};
    return wi_paced_event(paced, &event);
}

/* What has no time: the devices, and what could not be used. */
static int give_timeless(struct wi_load *load, const struct wi_kineto_document *document,
                         struct wi_paced_sink *paced)
{
    int err = 0;
    for (int i = 0; i < document->device_count && !err; i++) {
        struct wi_event event = {.kind = WI_EVENT_DEVICE, .u.device = document->devices[i]};
        err = wi_paced_event(paced, &event);
    }
    if (!err)
        err = give_loss(load, paced, document->lost_ops,
                        "device operations without usable times or device");
    if (!err)
        err = give_loss(load, paced, document->lost_calls, "host calls without usable times");
    return err;
}

/* "runtime 12.4, driver 12.9" of 12040 and 12090. */
static const char *versions(struct wi_load *load, const struct wi_kineto_document *document)
{
    char text[80];
    int64_t runtime = wi_kineto_count(&document->top, WI_KINETO_CUDA_RUNTIME, 0);
    int64_t driver = wi_kineto_count(&document->top, WI_KINETO_CUDA_DRIVER, 0);
    if (runtime <= 0 || driver <= 0 || runtime > 1000000 || driver > 1000000)
        return NULL;
    snprintf(text, sizeof(text), "runtime %d.%d, driver %d.%d", (int)(runtime / 1000),
             (int)(runtime % 1000 / 10), (int)(driver / 1000), (int)(driver % 1000 / 10));
    return wi_names_text(load->names, wi_names_str(load->names, text));
}

static int give_all(struct wi_load *load, const struct wi_kineto_document *document)
{
    struct wi_paced_sink paced;
    int err = wi_load_begin(load, &paced);
    int64_t base_ns = wi_kineto_count(&document->top, WI_KINETO_BASE_TIME, 0);
    struct wi_kineto_order *order = wi_kineto_order_create(&paced, base_ns);
    if (!err)
        err = order ? give_timeless(load, document, &paced) : WI_ERR_NOMEM;
    if (!err)
        err = wi_sorter_drain(document->sorter, wi_kineto_order_event, order);
    wi_kineto_order_free(order);
    load->info->job.rank = wi_kineto_count(&document->top, WI_KINETO_RANK, WI_UNKNOWN);
    load->info->job.world = wi_kineto_count(&document->top, WI_KINETO_WORLD, WI_UNKNOWN);
    load->info->job.cuda = versions(load, document);
    return wi_load_finish(load, &paced, err);
}

int wi_kineto_load(struct wi_load *load)
{
    struct wi_kineto_document document = {.sorter = wi_sorter_create(0)};
    int err = document.sorter ? wi_kineto_parse(load, &document)
                              : wi_load_fail(load, WI_ERR_NOMEM, -1, wi_err_str(WI_ERR_NOMEM));
    if (!err)
        err = give_all(load, &document);
    wi_sorter_free(document.sorter);
    return err;
}

int wi_kineto_probe(const unsigned char *head, size_t len)
{
    size_t at = len >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (at < len && isspace(head[at]))
        at++;
    return at < len && (head[at] == '{' || head[at] == '[');
}
