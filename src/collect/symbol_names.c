/* Symbols of native code, see symbol_names.h.
 * Threads: the helper. May not: allocate. Files are read with pread, never mapped: a file that is
 * cut while mapped would end the job. */
#include "collect/symbol_names.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/err.h"
#include "collect/map_list.h"

#define RANGES       2048
#define PATH_BYTES   ((size_t)256 << 10)
#define MAX_READINGS 256 /* of /proc/self/maps: one for each wave of libraries, bounded */

static struct {
    struct range {
        uintptr_t start, end;
        uint64_t offset;
        uint32_t path; /* in paths */
    } ranges[RANGES];
    uint32_t range_count, readings;
    size_t path_bytes;
    char paths[PATH_BYTES];
} state;

static int keep_range(void *user, const struct wi_map *map)
{
    (void)user;
    size_t len = strlen(map->path) + 1;
    if (!map->executable || len == 1)
        return 0;
    if (state.range_count == RANGES || state.path_bytes + len > PATH_BYTES)
        return 1;
    struct range *range = &state.ranges[state.range_count++];
    *range = (struct range){map->start, map->end, map->offset, (uint32_t)state.path_bytes};
    memcpy(state.paths + state.path_bytes, map->path, len);
    state.path_bytes += len;
    return 0;
}

static const struct range *find_range(uintptr_t address)
{
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < state.range_count; i++)
            if (address >= state.ranges[i].start && address < state.ranges[i].end)
                return &state.ranges[i];
        if (again || state.readings >= MAX_READINGS)
            return NULL;
        state.readings++;
        state.range_count = 0;
        state.path_bytes = 0;
        wi_map_each(keep_range, NULL);
    }
    return NULL;
}

int wi_symbol_file(uintptr_t address, struct wi_symbol *symbol)
{
    const struct range *range = find_range(address);
    memset(symbol, 0, sizeof(*symbol));
    if (!range)
        return WI_ERR_NOT_FOUND;
    symbol->path = state.paths + range->path;
    const char *slash = strrchr(symbol->path, '/');
    symbol->file = slash ? slash + 1 : symbol->path;
    symbol->address = address - range->start + range->offset; /* in the file, for now */
    return 0;
}

int wi_symbol_is_runtime(const struct wi_symbol *symbol)
{
    static const char *const PREFIXES[] = {
#define FRAME_MODULE(prefix) prefix,
#include "collect/frame_modules.def"
#undef FRAME_MODULE
    };
    for (size_t i = 0; i < WI_ARRAY_LEN(PREFIXES); i++)
        if (!strncmp(symbol->file, PREFIXES[i], strlen(PREFIXES[i])))
            return 1;
    return 0;
}

void wi_symbol_name(struct wi_symbol *symbol)
{
    uint64_t address = symbol->address;
    int fd = open(symbol->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    wi_elf_build_id(fd, symbol->build_id);
    if (wi_elf_address(fd, address, &symbol->address) == 0)
        wi_elf_name(fd, symbol->address, &symbol->place);
    else
        symbol->build_id[0] = 0;
    close(fd);
}
