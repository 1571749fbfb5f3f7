/* Symbols of native code, see symbol_names.h.
 * Threads: the helper. May not: allocate. Files are read with pread, never mapped: a file that is
 * cut while mapped would end the job. */
#include "collect/symbol_names.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/err.h"
#include "collect/dwarf_lines.h"
#include "collect/map_list.h"

#define RANGES       2048
#define PATH_BYTES   ((size_t)256 << 10)
#define MAX_READINGS 256 /* of /proc/self/maps: one for each wave of libraries, bounded */
#define MAX_SECTIONS 256 /* of a file */
#define MAX_SYMBOLS  (4u << 20)
#define CHUNK        512u /* symbols read at once */

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

static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* From the place in the file to the address that the file's symbols are in. */
static int to_address(int fd, const Elf64_Ehdr *head, uint64_t *address)
{
    for (unsigned i = 0; i < head->e_phnum && i < MAX_SECTIONS; i++) {
        Elf64_Phdr segment;
        if (!read_at(fd, &segment, sizeof(segment), head->e_phoff + i * sizeof(segment)))
            return 0;
        if (segment.p_type == PT_LOAD && *address >= segment.p_offset &&
            *address - segment.p_offset < segment.p_filesz) {
            *address = *address - segment.p_offset + segment.p_vaddr;
            return 1;
        }
    }
    return 0;
}

/* The full table if the file has it, else that of the exported symbols. */
static int find_table(int fd, const Elf64_Ehdr *head, Elf64_Shdr *table, Elf64_Shdr *text)
{
    int found = 0;
    for (unsigned i = 0; i < head->e_shnum && i < MAX_SECTIONS; i++) {
        Elf64_Shdr section;
        if (!read_at(fd, &section, sizeof(section), head->e_shoff + i * sizeof(section)))
            return 0;
        if (section.sh_type == SHT_SYMTAB || (section.sh_type == SHT_DYNSYM && !found)) {
            *table = section;
            found = 1;
            if (section.sh_type == SHT_SYMTAB)
                break;
        }
    }
    return found && table->sh_link < MAX_SECTIONS && table->sh_entsize == sizeof(Elf64_Sym) &&
           read_at(fd, text, sizeof(*text), head->e_shoff + table->sh_link * sizeof(*text));
}

/* The function that the address lies in: the nearest start below it, and not beyond its end. */
static int find_symbol(int fd, const Elf64_Shdr *table, uint64_t address, Elf64_Sym *best)
{
    static Elf64_Sym chunk[CHUNK];
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    int found = 0;
    count = count < MAX_SYMBOLS ? count : MAX_SYMBOLS;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        uint64_t n = count - at < CHUNK ? count - at : CHUNK;
        if (!read_at(fd, chunk, n * sizeof(*chunk), table->sh_offset + at * sizeof(*chunk)))
            break;
        for (uint64_t i = 0; i < n; i++) {
            const Elf64_Sym *s = &chunk[i];
            int type = ELF64_ST_TYPE(s->st_info);
            if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s->st_shndx == SHN_UNDEF ||
                s->st_value > address || (s->st_size && address - s->st_value >= s->st_size))
                continue;
            if (!found || s->st_value > best->st_value) {
                *best = *s;
                found = 1;
            }
        }
    }
    return found;
}

/* The sections of the line table, by name. Compressed ones are left alone. */
static void find_lines(int fd, const Elf64_Ehdr *head, struct wi_dwarf_sections *found)
{
    Elf64_Shdr names, section;
    memset(found, 0, sizeof(*found));
    if (!read_at(fd, &names, sizeof(names), head->e_shoff + head->e_shstrndx * sizeof(names)))
        return;
    for (unsigned i = 0; i < head->e_shnum && i < MAX_SECTIONS; i++) {
        char name[16] = "";
        if (!read_at(fd, &section, sizeof(section), head->e_shoff + i * sizeof(section)) ||
            !read_at(fd, name, sizeof(name), names.sh_offset + section.sh_name) ||
            (section.sh_flags & SHF_COMPRESSED) || section.sh_type == SHT_NOBITS)
            continue;
        struct wi_dwarf_section *to = !strncmp(name, ".debug_line", 12)      ? &found->line
                                      : !memcmp(name, ".debug_line_str", 16) ? &found->line_str
                                      : !strncmp(name, ".debug_str", 11)     ? &found->str
                                                                             : NULL;
        if (to)
            *to = (struct wi_dwarf_section){section.sh_offset, section.sh_size};
    }
}

static void name_from(int fd, struct wi_symbol *symbol)
{
    Elf64_Ehdr head;
    Elf64_Shdr table = {0}, text = {0};
    Elf64_Sym best = {0};
    struct wi_dwarf_sections sections;
    if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) ||
        !to_address(fd, &head, &symbol->address) || head.e_shentsize != sizeof(Elf64_Shdr))
        return;
    find_lines(fd, &head, &sections);
    if (sections.line.size && wi_dwarf_line(fd, &sections, symbol->address, symbol->source,
                                            sizeof(symbol->source), &symbol->line) != 0)
        symbol->source[0] = 0;
    if (!find_table(fd, &head, &table, &text) || !find_symbol(fd, &table, symbol->address, &best) ||
        best.st_name >= text.sh_size)
        return;
    uint64_t room = text.sh_size - best.st_name;
    size_t size = room < sizeof(symbol->name) - 1 ? (size_t)room : sizeof(symbol->name) - 1;
    if (!read_at(fd, symbol->name, size, text.sh_offset + best.st_name))
        size = 0;
    symbol->name[size] = 0;
    symbol->offset = symbol->address - best.st_value;
}

void wi_symbol_name(struct wi_symbol *symbol)
{
    int fd = open(symbol->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    name_from(fd, symbol);
    close(fd);
}
