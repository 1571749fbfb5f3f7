/* Expands the {placeholders} of a finding's texts, see expand.h.
 * Threads: the owner of the writer. May not: allocate, use stdio. */
#include "report/expand.h"

#include <string.h>

#include "base/attr.h"
#include "report/human.h"
#include "report/layout.h"
#include "report/short_name.h"

#define KERNEL_COLUMNS 60 /* of a kernel's name in a sentence; templates make names of 1000 */

struct subject {
    struct wi_out *out;
    const struct wi_finding *finding;
    const struct wi_names *names;
};

static void put_name(const struct subject *s, uint32_t id)
{
    const char *text = s->names ? wi_names_text(s->names, id) : "";
    if (text[0])
        wi_layout_cut(s->out, text, KERNEL_COLUMNS);
    else
        wi_out_char(s->out, '-');
}

static void get_ns(const struct subject *s)
{
    wi_human_ns(s->out, s->finding->ns);
}

static void get_share(const struct subject *s)
{
    wi_out_fixed(s->out, s->finding->share * 100, 1);
    wi_out_str(s->out, " %");
}

static void get_per_second(const struct subject *s)
{
    const struct wi_finding *f = s->finding;
    if (f->ns > 0 && f->count > 0)
        wi_out_fixed(s->out, (double)f->count * 1e9 / (double)f->ns, 0);
    else
        wi_out_char(s->out, '-');
}

static void get_count(const struct subject *s)
{
    wi_out_u64(s->out, s->finding->count);
}

static void get_median(const struct subject *s)
{
    wi_human_ns(s->out, s->finding->median_ns);
}

static void get_p95(const struct subject *s)
{
    wi_human_ns(s->out, s->finding->p95_ns);
}

static void get_longest(const struct subject *s)
{
    wi_human_ns(s->out, s->finding->longest_ns);
}

/* A sentence wants the line alone: "train.py:58" of "train.py:58 in main". */
static void put_site(const struct subject *s, uint32_t id)
{
    const char *text = s->names ? wi_names_text(s->names, id) : "";
    const char *colon = strchr(text, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    char line[256];
    size_t len = colon ? (size_t)(colon - text) + 1 + digits : 0;
    if (!digits || strncmp(text + len, " in ", 4) != 0 || len >= sizeof(line)) {
        put_name(s, id);
        return;
    }
    memcpy(line, text, len);
    line[len] = 0;
    wi_layout_cut(s->out, line, KERNEL_COLUMNS);
}

static void get_site_before(const struct subject *s)
{
    put_site(s, s->finding->site_before);
}

static void get_site_after(const struct subject *s)
{
    put_site(s, s->finding->site_after);
}

static void get_site(const struct subject *s)
{
    const struct wi_finding *f = s->finding;
    put_site(s, f->site_after    ? f->site_after
                : f->site_before ? f->site_before
                : f->api_after   ? f->api_after
                                 : f->api_before);
}

static void get_api_before(const struct subject *s)
{
    put_name(s, s->finding->api_before);
}

/* "between cudaMemcpy and cudaLaunchKernel", or on the one side that is known. */
static void get_between(const struct subject *s)
{
    int before = s->finding->api_before != WI_NO_NAME, after = s->finding->api_after != WI_NO_NAME;
    if (before || after)
        wi_out_str(s->out, before && after ? "between " : before ? "after " : "before ");
    if (before)
        put_name(s, s->finding->api_before);
    if (before && after)
        wi_out_str(s->out, " and ");
    if (after || !before)
        put_name(s, s->finding->api_after);
}

static void get_api_after(const struct subject *s)
{
    put_name(s, s->finding->api_after);
}

static void get_exposed_api(const struct subject *s)
{
    put_name(s, s->finding->exposed_api);
}

static void get_exposed_site(const struct subject *s)
{
    put_site(s, s->finding->exposed_site);
}

static void get_exposed_cause(const struct subject *s)
{
    int cause = s->finding->exposed_by;
    wi_out_str(s->out, cause < 0 ? "-" : wi_subcause_people((enum wi_subcause)cause));
}

static void get_kernel(const struct subject *s)
{
    const char *text = s->names ? wi_names_text(s->names, s->finding->kernel) : "";
    if (text[0])
        wi_put_short_name(s->out, text, KERNEL_COLUMNS);
    else
        wi_out_char(s->out, '-');
}

static void get_bytes(const struct subject *s)
{
    wi_human_bytes(s->out, s->finding->copies ? (int64_t)s->finding->bytes : WI_UNKNOWN);
}

static void get_copies(const struct subject *s)
{
    wi_out_u64(s->out, s->finding->copies);
}

static void get_mean_bytes(const struct subject *s)
{
    const struct wi_finding *f = s->finding;
    wi_human_bytes(s->out, f->copies ? (int64_t)(f->bytes / f->copies) : WI_UNKNOWN);
}

static void get_gbps(const struct subject *s)
{
    const struct wi_finding *f = s->finding;
    wi_human_rate(s->out, f->copies ? (int64_t)f->bytes : WI_UNKNOWN, f->ns);
}

static void get_children(const struct subject *s)
{
    wi_human_count(s->out, s->finding->children);
}

static void get_child_cpu(const struct subject *s)
{
    wi_human_share(s->out, s->finding->child_cpu_permille, 1000, 0);
}

static void get_cores_idle(const struct subject *s)
{
    int64_t idle = s->finding->cores_idle_permille;
    wi_human_count(s->out, idle < 0 ? WI_UNKNOWN : idle / 1000);
}

static void get_cores_busy(const struct subject *s)
{
    int64_t idle = s->finding->cores_idle_permille, allowed = s->finding->cores_allowed;
    int known = idle >= 0 && allowed >= 0 && allowed >= idle / 1000;
    wi_human_count(s->out, known ? allowed - idle / 1000 : WI_UNKNOWN);
}

static void get_cores_allowed(const struct subject *s)
{
    wi_human_count(s->out, s->finding->cores_allowed);
}

/* "1.9": how much of the machine others have is seldom a whole number of cores. */
static void get_cores_others(const struct subject *s)
{
    int64_t others = s->finding->cores_others_permille;
    if (others < 0)
        wi_out_char(s->out, '-');
    else
        wi_out_fixed(s->out, (double)others / 1000, 1);
}

static void get_cause(const struct subject *s)
{
    wi_out_str(s->out, wi_subcause_people(s->finding->subcause));
}

static void get_id(const struct subject *s)
{
    wi_out_str(s->out, wi_subcause_id(s->finding->subcause));
}

static void get_class(const struct subject *s)
{
    wi_out_str(s->out, wi_class_people(wi_subcause_class(s->finding->subcause)));
}

struct placeholder {
    const char *name;
    void (*get)(const struct subject *);
};

static const struct placeholder PLACEHOLDERS[] = {
#define PLACEHOLDER(name, getter, sentence) {name, getter},
#include "report/placeholders.def"
#undef PLACEHOLDER
};

/* The row of "{name}" at text, NULL if there is none; *len gets the length with the braces. */
static const struct placeholder *find(const char *text, size_t *len)
{
    size_t name_len = strcspn(text + 1, "{} ");
    if (text[1 + name_len] != '}')
        return NULL;
    *len = name_len + 2;
    for (size_t i = 0; i < WI_ARRAY_LEN(PLACEHOLDERS); i++)
        if (strlen(PLACEHOLDERS[i].name) == name_len &&
            !memcmp(PLACEHOLDERS[i].name, text + 1, name_len))
            return &PLACEHOLDERS[i];
    return NULL;
}

/* Behind a figure that printed "1": the one thing of a word that stands for several. Returns how
 * much of the text it took. */
static size_t put_one(const struct subject *s, const char *text)
{
    static const struct {
        const char *many, *one;
    } WORDS[] = {
#define COUNTED(many, one) {" " many, " " one},
#include "report/counted.def"
#undef COUNTED
    };
    for (size_t i = 0; i < WI_ARRAY_LEN(WORDS); i++) {
        size_t len = strlen(WORDS[i].many);
        if (strncmp(text, WORDS[i].many, len) != 0 || (text[len] >= 'a' && text[len] <= 'z'))
            continue;
        wi_out_str(s->out, WORDS[i].one);
        return len;
    }
    return 0;
}

/* Expands a piece of a text into s->out. Returns the number of unknown placeholders; *figures and
 * *dashes get the number of placeholders and of those that printed "-". */
static int expand_piece(const struct subject *s, const char *text, size_t len, int *figures,
                        int *dashes)
{
    const char *end = text + len;
    int unknown = 0;
    *figures = *dashes = 0;
    while (text < end) {
        size_t width = 1;
        const struct placeholder *row = *text == '{' ? find(text, &width) : NULL;
        if (row) {
            size_t before = s->out->len;
            row->get(s);
            ++*figures;
            int single = s->out->len == before + 1;
            *dashes += single && s->out->buf[before] == '-';
            text += width;
            if (single && s->out->buf[before] == '1')
                text += put_one(s, text);
            continue;
        }
        wi_out_char(s->out, *text);
        unknown += text[0] == '{' && text[1] != '{';
        text += text[0] == '{' && text[1] == '{' ? 2 : 1;
    }
    return unknown;
}

/* Up to the next comma that is not inside parentheses. */
static size_t part_of(const char *text, size_t len)
{
    int depth = 0;
    for (size_t i = 0; i < len; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (!depth && i + 1 < len && text[i] == ',' && text[i + 1] == ' ')
            return i;
    }
    return len;
}

/* The same for a clause; a later part of it that tells no figure that is known is left out. */
static int expand_clause(const struct subject *s, const char *text, size_t len, int *figures,
                         int *dashes)
{
    int unknown = 0;
    *figures = *dashes = 0;
    for (size_t at = 0; at < len; at += 2) {
        struct wi_phrase part;
        struct subject inside = {wi_phrase_begin(&part), s->finding, s->names};
        size_t length = part_of(text + at, len - at);
        int told, missing;
        unknown += expand_piece(&inside, text + at, length, &told, &missing);
        if (!at || told == 0 || missing < told) {
            wi_out_str(s->out, at ? ", " : "");
            wi_out_str(s->out, wi_phrase_end(&part));
        }
        *figures += told;
        *dashes += missing;
        at += length;
    }
    return unknown;
}

int wi_expand(struct wi_out *out, const char *text, const struct wi_finding *finding,
              const struct wi_names *names)
{
    const char *separator = "";
    int unknown = 0;
    while (text && *text) {
        const char *end = strstr(text, "; ");
        size_t len = end ? (size_t)(end - text) : strlen(text);
        struct wi_phrase clause;
        struct subject subject = {wi_phrase_begin(&clause), finding, names};
        int figures, dashes;
        unknown += expand_clause(&subject, text, len, &figures, &dashes);
        if (figures == 0 || dashes < figures) {
            wi_out_str(out, separator);
            wi_out_str(out, wi_phrase_end(&clause));
            separator = "; ";
        }
        text += end ? len + 2 : len;
    }
    return unknown;
}

int wi_expand_check(const char *text)
{
    struct wi_out nowhere;
    struct wi_finding finding = {.exposed_by = -1};
    char scratch[2048];
    wi_out_mem(&nowhere, scratch, sizeof(scratch));
    return wi_expand(&nowhere, text, &finding, NULL);
}
