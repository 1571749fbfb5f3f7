/* One finding in the text report, see finding_text.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/finding_text.h"

#include <string.h>

#include "analyze/advice.h"
#include "report/because.h"
#include "report/expand.h"
#include "report/headline.h"
#include "report/human.h"
#include "report/predict_text.h"
#include "report/short_name.h"
#include "report/step_text.h"

#define NAME_COLUMNS   70  /* of a call site in a line */
#define KERNEL_COLUMNS 100 /* of a kernel's name, which may take a line */

/* "train.py:58 (cudaMemcpyAsync)", the call alone, or nothing. Returns 1 if it wrote. */
static int put_call(struct wi_out *out, const struct wi_names *names, uint32_t site, uint32_t api)
{
    const char *site_text = wi_names_text(names, site), *api_text = wi_names_text(names, api);
    wi_layout_cut(out, site_text[0] ? site_text : api_text, NAME_COLUMNS);
    if (site_text[0] && api_text[0]) {
        wi_out_str(out, " (");
        wi_layout_cut(out, api_text, NAME_COLUMNS);
        wi_out_char(out, ')');
    }
    return site_text[0] || api_text[0];
}

static void put_known(struct wi_out *out, const char *word, int64_t ns)
{
    if (ns == WI_UNKNOWN)
        return;
    wi_out_str(out, word);
    wi_human_ns(out, ns);
}

/* "24 times (1 a step), median 79.7 ms, ..."; where other places have the same cause, "20 of all 24
 * times (1 a step), ..."; "in all" where it is not known whether there are any. */
static void put_times(struct wi_out *out, const struct wi_report *report,
                      const struct wi_finding *f, int known)
{
    struct wi_phrase a_step;
    unsigned long long all = f->count, here = f->place_count;
    if (known && here && here < all)
        wi_out_f(out, "%llu of all ", here);
    else if (known && !here)
        wi_out_str(out, "in all ");
    wi_out_f(out, all == 1 ? "%llu time" : "%llu times", all);
    if (wi_put_a_step(wi_phrase_begin(&a_step), wi_report_device(report, f->device), f->count))
        wi_out_f(out, " (%s)", wi_phrase_end(&a_step));
    if (all == 1) {
        put_known(out, ", ", f->longest_ns);
        return;
    }
    put_known(out, ", median ", f->median_ns);
    put_known(out, ", p95 ", f->p95_ns);
    put_known(out, ", longest ", f->longest_ns);
}

static void put_where(struct wi_layout *layout, const struct wi_report *report,
                      const struct wi_finding *f)
{
    const struct wi_names *names = report->names;
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    const char *kernel = wi_names_text(names, f->kernel);
    int known = 1;
    if (kernel[0]) {
        wi_put_short_name(out, kernel, KERNEL_COLUMNS);
    } else {
        known = put_call(out, names, f->site_after, f->api_after);
        if (f->site_before || f->api_before) {
            wi_out_str(out, known ? ", after " : "after ");
            known |= put_call(out, names, f->site_before, f->api_before);
        }
    }
    const char *range = wi_names_text(names, f->range);
    if (range[0]) {
        wi_out_str(out, known ? ", in NVTX range '" : "in NVTX range '");
        wi_layout_cut(out, range, NAME_COLUMNS);
        wi_out_char(out, '\'');
        known = 1;
    }
    if (f->count > 0) {
        wi_out_str(out, known ? ": " : "");
        put_times(out, report, f, known);
    }
    if (known || f->count > 0)
        wi_layout_line(layout, "  where", wi_phrase_end(&phrase));
}

static void put_exposed(struct wi_layout *layout, const struct wi_finding *f,
                        const struct wi_names *names)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    if (f->exposed_by < 0)
        return;
    if (put_call(out, names, f->exposed_site, f->exposed_api))
        wi_out_str(out, ": ");
    wi_out_str(out, wi_subcause_people((enum wi_subcause)f->exposed_by));
    wi_out_str(out, "; without it this work would be hidden behind the device's");
    wi_layout_line(layout, "  exposed by", wi_phrase_end(&phrase));
}

/* "waits_job.py:burn" is the function that "waits_job.py:38 in burn" names too. */
static int names_same(const char *function, const char *site)
{
    const char *colon = strrchr(function, ':'), *in = strstr(site, " in ");
    size_t len = colon ? (size_t)(colon - function) : 0;
    return colon && in && !strncmp(site, function, len + 1) && !strcmp(in + 4, colon + 1);
}

/* Where the waiting thread itself was seen. */
static void put_inside(struct wi_layout *layout, const struct wi_finding *f,
                       const struct wi_names *names)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    const char *function = wi_names_text(names, f->seen_in);
    const char *site = wi_names_text(names, f->waits_at);
    if (!function[0])
        return;
    int same = names_same(function, site);
    wi_layout_cut(out, same ? site : function, NAME_COLUMNS);
    if (!same && site[0]) {
        wi_out_str(out, ", called at ");
        wi_layout_cut(out, site, NAME_COLUMNS);
    }
    wi_out_str(out, ": seen for ");
    wi_human_share(out, f->seen_ns, f->ns, 0);
    wi_out_str(out, " of this time");
    wi_layout_line(layout, "  inside", wi_phrase_end(&phrase));
}

static void put_template(struct wi_layout *layout, const char *label, const char *text,
                         const struct wi_finding *f, const struct wi_names *names)
{
    struct wi_phrase phrase;
    wi_expand(wi_phrase_begin(&phrase), text, f, names);
    if (wi_phrase_end(&phrase)[0])
        wi_layout_line(layout, label, phrase.text);
}

void wi_text_evidence(struct wi_layout *layout, const struct wi_report *report,
                      const struct wi_finding *f)
{
    put_template(layout, "  seen", f->seen, f, report->names);
    put_where(layout, report, f);
    put_inside(layout, f, report->names);
    put_exposed(layout, f, report->names);
}

/* "too few loader workers (data-loading/too-few-workers)" */
void wi_put_cause(struct wi_out *out, const struct wi_finding *f)
{
    wi_out_f(out, "%s (%s)", wi_subcause_people(f->subcause), wi_subcause_id(f->subcause));
}

void wi_text_first(struct wi_layout *layout, const struct wi_report *report,
                   const struct wi_finding *f)
{
    struct wi_phrase phrase;
    wi_put_cause(wi_phrase_begin(&phrase), f);
    wi_layout_line(layout, "  cause", wi_phrase_end(&phrase));
    wi_text_evidence(layout, report, f);
}

/* What a FIX block says beside the fix itself. */
static void put_support(struct wi_layout *layout, const struct wi_report *report,
                        const struct wi_finding *f, int number)
{
    const char *check = wi_advice_check_for(f->subcause).check;
    struct wi_phrase phrase;
    wi_put_because(wi_phrase_begin(&phrase), report, f);
    if (wi_phrase_end(&phrase)[0])
        wi_layout_line(layout, "  because", phrase.text);
    if (check && (number == 1 || f == wi_verdict_finding(report))) {
        wi_out_str(wi_phrase_begin(&phrase), check);
        wi_layout_line(layout, "  check it", wi_phrase_end(&phrase));
    }
}

/* ", 4.31 ms a step" */
static void put_each_step(struct wi_out *out, const struct wi_report *report,
                          const struct wi_finding *f)
{
    int64_t each = wi_per_step_ns(wi_report_device(report, f->device), f->ns);
    if (each == WI_UNKNOWN)
        return;
    wi_out_str(out, ", ");
    wi_human_ns(out, each);
    wi_out_str(out, " a step");
}

void wi_text_fix(struct wi_layout *layout, const struct wi_report *report,
                 const struct wi_finding *f, int number)
{
    struct wi_phrase phrase;
    struct wi_out *out = wi_phrase_begin(&phrase);
    wi_out_f(out, "FIX %d", number);
    const char *label = wi_phrase_end(&phrase);
    struct wi_phrase text;
    wi_expand(wi_phrase_begin(&text), wi_fix_of(report, f), f, report->names);
    wi_layout_line(layout, label, wi_phrase_end(&text));
    wi_text_gives(layout, f);
    wi_text_together(layout, report->result, (int)(f - report->result->findings));
    put_support(layout, report, f, number);
    out = wi_phrase_begin(&text);
    wi_put_cause(out, f);
    if (f == wi_verdict_finding(report)) {
        wi_out_str(out, ", the cause told first");
        if (number > 1)
            wi_layout_line(layout, "  against", wi_phrase_end(&text));
        return;
    }
    if (wi_used_devices(report) > 1)
        wi_out_f(out, ", GPU #%d", f->device);
    wi_out_str(out, ": ");
    wi_out_fixed(out, f->share * 100, 1);
    wi_out_str(out, " % of the time, ");
    wi_human_ns(out, f->ns);
    put_each_step(out, report, f);
    wi_out_f(out, " (confidence\u00a0%s)", wi_confidence_word(f->confidence));
    wi_layout_line(layout, "  against", wi_phrase_end(&text));
    wi_text_evidence(layout, report, f);
}
