/* Demangles the names of a result, see pretty_names.h.
 * Threads: the owner of the result and its names. */
#include "report/pretty_names.h"

#include <string.h>

#include "base/out.h"
#include "report/short_name.h"

#define TEXT_CAP 1024
#define MOST_IN  512 /* bytes of a name: a demangler's stack grows with them */

struct job {
    struct wi_names *names;
    const struct wi_demangler *with;
};

/* The name that begins at *text and ends where no more of it can be. */
static size_t encoded_length(const char *text)
{
    size_t len = 0;
    while ((text[len] >= 'a' && text[len] <= 'z') || (text[len] >= 'A' && text[len] <= 'Z') ||
           (text[len] >= '0' && text[len] <= '9') || text[len] == '_' || text[len] == '.' ||
           text[len] == '$')
        len++;
    return len;
}

/* Writes the demangled form; 0 if it is no such name. bare: of functions their names alone. */
static int put(struct wi_out *out, const struct job *job, const char *text, size_t len, int bare)
{
    char name[MOST_IN + 1];
    int status = -1;
    if (len > MOST_IN)
        return 0;
    memcpy(name, text, len);
    name[len] = 0;
    char *clear = job->with->demangle(name, NULL, NULL, &status);
    if (!clear)
        return 0;
    if (status == 0 && bare)
        wi_put_bare_name(out, clear);
    else if (status == 0)
        wi_out_str(out, clear);
    job->with->release(clear);
    return status == 0;
}

static void rename_kernel(const struct job *job, uint32_t *id)
{
    char text[TEXT_CAP];
    struct wi_out out;
    const char *name = wi_names_text(job->names, *id);
    if (strncmp(name, "_Z", 2) != 0)
        return;
    wi_out_mem(&out, text, sizeof(text));
    if (put(&out, job, name, strlen(name), 0) && wi_out_finish(&out) == 0)
        *id = wi_names_str(job->names, text);
}

/* "file.cpp:58 in _ZN...", "_ZN...+0x1f (libfoo.so)": the first such word of a site. */
static void rename_site(const struct job *job, uint32_t *id)
{
    char text[TEXT_CAP];
    struct wi_out out;
    const char *site = wi_names_text(job->names, *id);
    const char *at = strncmp(site, "_Z", 2) != 0 ? strstr(site, " _Z") : site;
    at = at && *at == ' ' ? at + 1 : at;
    if (!at)
        return;
    size_t len = encoded_length(at);
    wi_out_mem(&out, text, sizeof(text));
    wi_out_bytes(&out, site, (size_t)(at - site));
    if (!put(&out, job, at, len, 1))
        return;
    wi_out_str(&out, at + len);
    if (wi_out_finish(&out) == 0)
        *id = wi_names_str(job->names, text);
}

void wi_pretty_names(struct wi_result *result, struct wi_names *names,
                     const struct wi_demangler *with)
{
    struct job job = {names, with};
    for (int i = 0; i < result->kernel_count; i++)
        rename_kernel(&job, &result->kernels[i].name);
    for (int i = 0; i < result->finding_count; i++) {
        struct wi_finding *f = &result->findings[i];
        rename_kernel(&job, &f->kernel);
        uint32_t *sites[] = {&f->site_before, &f->site_after, &f->exposed_site, &f->seen_in,
                             &f->waits_at};
        for (size_t k = 0; k < sizeof(sites) / sizeof(sites[0]); k++)
            rename_site(&job, sites[k]);
    }
    for (int i = 0; i < result->place_count; i++)
        rename_site(&job, &result->places[i].site);
}
