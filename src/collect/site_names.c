/* Names of call sites, see site_names.h.
 * Threads: the helper. May not: allocate. */
#include "collect/site_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "collect/feed.h"
#include "collect/sites.h"
#include "model/event.h"

#define THREADS  256
#define TEXT_CAP 400
#define LAST_NS  INT64_C(20000000) /* ten looks at the budget's pace */

static struct {
    uint32_t ids[WI_SITES + 1]; /* name id + 1, 0 = not asked yet */
    struct {
        uint32_t thread, name;
        int64_t seen_ns;
    } last[THREADS];
} state;

/* Paths are told without the user's name. */
static uint32_t path_name(struct wi_names *names, const char *path)
{
    char text[TEXT_CAP];
    struct wi_out out;
    const char *home = getenv("HOME");
    size_t len = home ? strlen(home) : 0;
    if (len < 2 || strncmp(path, home, len) != 0 || path[len] != '/')
        return wi_names_str(names, path);
    wi_out_mem(&out, text, sizeof(text));
    wi_out_f(&out, "~%s", path + len);
    return wi_out_finish(&out) == 0 ? wi_names_str(names, text) : WI_NO_NAME;
}

/* What the command needs to find the line where the job could not. */
static void tell_place(struct wi_names *names, uint16_t site, uint32_t name)
{
    struct wi_symbol symbol;
    struct wi_event event = {.kind = WI_EVENT_PLACE};
    if (name == WI_NO_NAME || !wi_site_unresolved(site, &symbol))
        return;
    event.u.place = (struct wi_code_place){.site = name,
                                           .path = path_name(names, symbol.path),
                                           .build_id = wi_names_str(names, symbol.build_id),
                                           .address = symbol.address};
    wi_feed_event(&event);
}

static uint32_t name_of(struct wi_names *names, uint16_t site)
{
    char text[TEXT_CAP];
    struct wi_out out;
    if (!site || site > WI_SITES)
        return WI_NO_NAME;
    if (!state.ids[site]) {
        wi_out_mem(&out, text, sizeof(text));
        wi_site_text(site, &out);
        wi_out_finish(&out);
        state.ids[site] = wi_names_str(names, text) + 1;
        tell_place(names, site, state.ids[site] - 1);
    }
    return state.ids[site] - 1;
}

uint32_t wi_site_name(struct wi_names *names, uint32_t thread, int64_t enter_ns, uint16_t site)
{
    uint32_t slot = thread % THREADS;
    if (site == WI_SITE_UNSEEN) {
        int known =
            state.last[slot].thread == thread && enter_ns - state.last[slot].seen_ns <= LAST_NS;
        return known ? state.last[slot].name : WI_NO_NAME;
    }
    state.last[slot].thread = thread;
    state.last[slot].seen_ns = enter_ns;
    state.last[slot].name = name_of(names, site);
    return state.last[slot].name;
}
