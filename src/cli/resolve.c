/* Lines of native code, found afterwards, see resolve.h.
 * Threads: main. */
#include "cli/resolve.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/unpack.h"
#include "symbols/elf_symbols.h"

#define DEBUG_ROOT  "/usr/lib/debug"
#define SITE_CAP    400
#define MOST_PLACES 64 /* as many as a job keeps: a document may come from anywhere */

/* A regular file with this build id, or -1: another build has other lines. */
static int open_build(const char *path, const char *build_id)
{
    char id[WI_BUILD_ID_TEXT];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    id[0] = 0;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        wi_elf_build_id(fd, id);
    if (strcmp(id, build_id) == 0)
        return fd;
    close(fd);
    return -1;
}

static void ask_packed(int fd, uint64_t address, struct wi_place_name *here)
{
    struct wi_dwarf_sections sections;
    int lines = wi_unpack_lines(fd, &sections);
    if (lines < 0)
        return;
    if (wi_dwarf_line(lines, &sections, address, here->source, sizeof(here->source), &here->line) !=
        0)
        here->source[0] = 0;
    close(lines);
}

/* Takes over what the file knows if it is more than what was known. */
static void ask(const char *path, const struct wi_code_place *place, const char *build_id,
                struct wi_place_name *known)
{
    struct wi_place_name here;
    int fd = known->source[0] ? -1 : open_build(path, build_id);
    if (fd < 0)
        return;
    wi_elf_name(fd, place->address, &here);
    if (!here.source[0])
        ask_packed(fd, place->address, &here);
    close(fd);
    if (here.source[0] || (here.name[0] && !known->name[0]))
        *known = here;
}

/* Where gdb looks: beside the file, in .debug there, and below the system's folder for them. */
static void ask_debug_link(const char *path, const struct wi_code_place *place,
                           const char *build_id, struct wi_place_name *known)
{
    static const struct {
        const char *root, *below;
    } PLACES[] = {{"", ""}, {"", "/.debug"}, {DEBUG_ROOT, ""}};
    char link[256], debug[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd = slash ? open_build(path, build_id) : -1;
    if (fd < 0)
        return;
    wi_elf_debug_link(fd, link, sizeof(link));
    close(fd);
    if (!link[0] || strchr(link, '/'))
        return;
    for (size_t i = 0; i < sizeof(PLACES) / sizeof(PLACES[0]); i++) {
        int len = snprintf(debug, sizeof(debug), "%s%.*s%s/%s", PLACES[i].root, (int)(slash - path),
                           path, PLACES[i].below, link);
        if (len > 0 && (size_t)len < sizeof(debug))
            ask(debug, place, build_id, known);
    }
}

static int real_path(const char *told, char path[PATH_MAX])
{
    const char *home = told[0] == '~' ? getenv("HOME") : "";
    int len = snprintf(path, PATH_MAX, "%s%s", home ? home : "", told + (told[0] == '~'));
    return len > 0 && len < PATH_MAX && path[0] == '/';
}

static uint32_t resolve(const struct wi_code_place *place, struct wi_names *names)
{
    char path[PATH_MAX], debug[PATH_MAX], text[SITE_CAP];
    const char *build_id = wi_names_text(names, place->build_id);
    struct wi_place_name known = {.name = ""};
    struct wi_out out;
    if (strlen(build_id) < 4 || strspn(build_id, "0123456789abcdef") != strlen(build_id) ||
        !real_path(wi_names_text(names, place->path), path))
        return WI_NO_NAME;
    snprintf(debug, sizeof(debug), DEBUG_ROOT "/.build-id/%.2s/%s.debug", build_id, build_id + 2);
    ask(path, place, build_id, &known);
    ask(debug, place, build_id, &known);
    ask_debug_link(path, place, build_id, &known);
    if (!known.source[0] && !known.name[0])
        return WI_NO_NAME;
    wi_out_mem(&out, text, sizeof(text));
    wi_place_text(&out, &known, strrchr(path, '/') + 1, place->address);
    return wi_out_finish(&out) == 0 ? wi_names_str(names, text) : WI_NO_NAME;
}

static void rename_site(struct wi_result *result, uint32_t from, uint32_t to)
{
    for (int i = 0; i < result->finding_count; i++) {
        struct wi_finding *f = &result->findings[i];
        uint32_t *sites[] = {&f->site_before, &f->site_after, &f->exposed_site};
        for (int k = 0; k < 3; k++)
            if (*sites[k] == from)
                *sites[k] = to;
    }
}

void wi_resolve(struct wi_result *result, struct wi_names *names)
{
    int left = 0;
    for (int i = 0; i < result->place_count; i++) {
        struct wi_code_place place = result->places[i];
        uint32_t found = i < MOST_PLACES ? resolve(&place, names) : WI_NO_NAME;
        int has_line = found && !strstr(wi_names_text(names, found), "+0x");
        if (found && found != place.site)
            rename_site(result, place.site, found);
        if (found)
            place.site = found;
        if (!has_line)
            result->places[left++] = place;
    }
    result->place_count = left;
}
