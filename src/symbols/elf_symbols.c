/* Reads symbols, line tables and notes of ELF files, see elf_symbols.h.
 * Threads: one at a time. May not: allocate. Files are read with pread. */
#include "symbols/elf_symbols.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "symbols/dwarf_lines.h"

#define MAX_SECTIONS 256 /* of a file */
#define MAX_SYMBOLS  (4u << 20)
#define CHUNK        512u /* symbols read at once */
#define MAX_NOTES    64u

static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static int read_head(int fd, Elf64_Ehdr *head)
{
    return read_at(fd, head, sizeof(*head), 0) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_phentsize == sizeof(Elf64_Phdr) &&
           (!head->e_shnum || head->e_shentsize == sizeof(Elf64_Shdr));
}

int wi_elf_address(int fd, uint64_t file_offset, uint64_t *address)
{
    Elf64_Ehdr head;
    if (!read_head(fd, &head))
        return WI_ERR_NOT_FOUND;
    for (unsigned i = 0; i < head.e_phnum && i < MAX_SECTIONS; i++) {
        Elf64_Phdr segment;
        if (!read_at(fd, &segment, sizeof(segment), head.e_phoff + i * sizeof(segment)))
            break;
        if (segment.p_type == PT_LOAD && file_offset >= segment.p_offset &&
            file_offset - segment.p_offset < segment.p_filesz) {
            *address = file_offset - segment.p_offset + segment.p_vaddr;
            return 0;
        }
    }
    return WI_ERR_NOT_FOUND;
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

void wi_elf_lines(int fd, struct wi_dwarf_sections *plain, struct wi_dwarf_sections *packed)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    memset(plain, 0, sizeof(*plain));
    memset(packed, 0, sizeof(*packed));
    if (!read_head(fd, &head) ||
        !read_at(fd, &names, sizeof(names), head.e_shoff + head.e_shstrndx * sizeof(names)))
        return;
    for (unsigned i = 0; i < head.e_shnum && i < MAX_SECTIONS; i++) {
        char name[16] = "";
        if (!read_at(fd, &section, sizeof(section), head.e_shoff + i * sizeof(section)) ||
            !read_at(fd, name, sizeof(name), names.sh_offset + section.sh_name) ||
            section.sh_type == SHT_NOBITS)
            continue;
        struct wi_dwarf_sections *found = section.sh_flags & SHF_COMPRESSED ? packed : plain;
        struct wi_dwarf_section *to = !strncmp(name, ".debug_line", 12)      ? &found->line
                                      : !memcmp(name, ".debug_line_str", 16) ? &found->line_str
                                      : !strncmp(name, ".debug_str", 11)     ? &found->str
                                                                             : NULL;
        if (to)
            *to = (struct wi_dwarf_section){section.sh_offset, section.sh_size};
    }
}

static void find_function(int fd, const Elf64_Ehdr *head, uint64_t address,
                          struct wi_place_name *place)
{
    Elf64_Shdr table = {0}, text = {0};
    Elf64_Sym best = {0};
    if (!find_table(fd, head, &table, &text) || !find_symbol(fd, &table, address, &best) ||
        best.st_name >= text.sh_size)
        return;
    uint64_t room = text.sh_size - best.st_name;
    size_t size = room < sizeof(place->name) - 1 ? (size_t)room : sizeof(place->name) - 1;
    if (!read_at(fd, place->name, size, text.sh_offset + best.st_name))
        size = 0;
    place->name[size] = 0;
    place->offset = address - best.st_value;
}

void wi_elf_name(int fd, uint64_t address, struct wi_place_name *place)
{
    Elf64_Ehdr head;
    struct wi_dwarf_sections sections, packed;
    memset(place, 0, sizeof(*place));
    if (!read_head(fd, &head))
        return;
    wi_elf_lines(fd, &sections, &packed);
    if (sections.line.size && wi_dwarf_line(fd, &sections, address, place->source,
                                            sizeof(place->source), &place->line) != 0)
        place->source[0] = 0;
    find_function(fd, &head, address, place);
}

static void put_id(const uint8_t *bytes, size_t count, char id[WI_BUILD_ID_TEXT])
{
    static const char HEX[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        id[2 * i] = HEX[bytes[i] >> 4];
        id[2 * i + 1] = HEX[bytes[i] & 15];
    }
    id[2 * count] = 0;
}

/* Walks the notes of one stretch of the file; 1 if the build id was among them. */
static int find_id(int fd, uint64_t at, uint64_t size, char id[WI_BUILD_ID_TEXT])
{
    const uint64_t end = at + size;
    uint8_t bytes[(WI_BUILD_ID_TEXT - 1) / 2];
    for (unsigned i = 0; i < MAX_NOTES && end >= at && end - at >= sizeof(Elf64_Nhdr); i++) {
        Elf64_Nhdr note;
        char name[4];
        if (!read_at(fd, &note, sizeof(note), at))
            return 0;
        uint64_t name_bytes = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
        uint64_t body = at + sizeof(note) + name_bytes;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
            note.n_descsz <= sizeof(bytes) && read_at(fd, name, 4, at + sizeof(note)) &&
            !memcmp(name, "GNU", 4) && read_at(fd, bytes, note.n_descsz, body)) {
            put_id(bytes, note.n_descsz, id);
            return 1;
        }
        at = body + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
    }
    return 0;
}

/* By section: the program headers of a file with debug information alone point into nothing. */
void wi_elf_build_id(int fd, char id[WI_BUILD_ID_TEXT])
{
    Elf64_Ehdr head;
    Elf64_Shdr section;
    id[0] = 0;
    if (!read_head(fd, &head))
        return;
    for (unsigned i = 0; i < head.e_shnum && i < MAX_SECTIONS; i++) {
        if (!read_at(fd, &section, sizeof(section), head.e_shoff + i * sizeof(section)))
            return;
        if (section.sh_type == SHT_NOTE && find_id(fd, section.sh_offset, section.sh_size, id))
            return;
    }
}

void wi_elf_debug_link(int fd, char *name, size_t cap)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    name[0] = 0;
    if (!read_head(fd, &head) ||
        !read_at(fd, &names, sizeof(names), head.e_shoff + head.e_shstrndx * sizeof(names)))
        return;
    for (unsigned i = 0; i < head.e_shnum && i < MAX_SECTIONS; i++) {
        char title[16] = "";
        if (!read_at(fd, &section, sizeof(section), head.e_shoff + i * sizeof(section)) ||
            !read_at(fd, title, sizeof(title), names.sh_offset + section.sh_name) ||
            memcmp(title, ".gnu_debuglink", 15) != 0)
            continue;
        size_t size = section.sh_size < cap ? (size_t)section.sh_size : cap - 1;
        if (!read_at(fd, name, size, section.sh_offset))
            size = 0;
        name[size] = 0; /* and it ends before its checksum */
        return;
    }
}

static void put_hex(struct wi_out *out, uint64_t value)
{
    if (value >> 32)
        wi_out_f(out, "%x%08x", (unsigned)(value >> 32), (unsigned)value);
    else
        wi_out_f(out, "%x", (unsigned)value);
}

void wi_place_text(struct wi_out *out, const struct wi_place_name *place, const char *file,
                   uint64_t address)
{
    if (place->source[0]) {
        wi_out_f(out, "%s:%u", place->source, place->line);
        if (place->name[0])
            wi_out_f(out, " in %s", place->name);
        return;
    }
    wi_out_f(out, "%s+0x", place->name[0] ? place->name : file);
    put_hex(out, (place->name[0] ? place->offset : address) + 1);
    if (place->name[0])
        wi_out_f(out, " (%s)", file);
}
