/* Runs line number programs, see dwarf_lines.h.
 * Threads: the helper. May not: allocate. All reading goes through a window over the file; past the
 * end of a section it gives zeros and marks the reader as broken, so that no loop runs away. */
#include "symbols/dwarf_lines.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define MOST_BYTES  (UINT64_C(16) << 20) /* of line tables read for one address: 0.1 s of CPU */
#define MAX_ENTRIES 100000u
#define MAX_FORMATS 16u

enum opcode { /* those with a meaning for address, file and line */
              LNS_COPY = 1,
              LNS_ADVANCE_PC = 2,
              LNS_ADVANCE_LINE = 3,
              LNS_SET_FILE = 4,
              LNS_CONST_ADD_PC = 8,
              LNS_FIXED_ADVANCE_PC = 9
};
enum extended { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };
enum { LNCT_PATH = 1 };
enum form {
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

static struct reader {
    int fd, broken;
    uint64_t at, end;      /* in the file */
    uint64_t from, filled; /* the window */
    uint8_t window[16 << 10];
} reader;

struct unit {
    uint64_t end, files_at, program_at;
    unsigned version, offset_bytes, address_bytes;
    unsigned min_length, line_range, opcode_base;
    int line_base;
    uint8_t lengths[256]; /* operands of the standard opcodes */
};

struct row {
    uint64_t address;
    uint64_t file;
    uint32_t line;
};

static uint8_t byte(void)
{
    struct reader *r = &reader;
    if (r->at >= r->end || r->broken) {
        r->broken = 1;
        return 0;
    }
    if (r->at < r->from || r->at >= r->from + r->filled) {
        ssize_t got = pread(r->fd, r->window, sizeof(r->window), (off_t)r->at);
        r->from = r->at;
        r->filled = got > 0 ? (uint64_t)got : 0;
        if (!r->filled) {
            r->broken = 1;
            return 0;
        }
    }
    return r->window[r->at++ - r->from];
}

static uint64_t number(unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        uint8_t b = byte();
        value |= i < 8 ? (uint64_t)b << (8 * i) : 0;
    }
    return value;
}

static uint64_t uleb(void)
{
    uint64_t value = 0;
    uint8_t b = 128;
    for (unsigned shift = 0; b & 128 && !reader.broken; shift += 7) {
        b = byte();
        value |= shift < 64 ? (uint64_t)(b & 127) << shift : 0;
    }
    return value;
}

static int64_t sleb(void)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t b = 128;
    while (b & 128 && !reader.broken) {
        b = byte();
        value |= shift < 64 ? (uint64_t)(b & 127) << shift : 0;
        shift += 7;
    }
    return (int64_t)(shift < 64 && b & 64 ? value | ~UINT64_C(0) << shift : value);
}

static void skip(uint64_t bytes)
{
    if (bytes > reader.end - reader.at)
        reader.broken = 1;
    else
        reader.at += bytes;
}

/* Takes in a string; of a path its last part is kept. Returns its length as read. */
static size_t text(char *to, size_t cap)
{
    size_t used = 0, length = 0;
    char c;
    while ((c = (char)byte()) != 0) {
        length++;
        if (c == '/')
            used = 0;
        else if (to && used + 1 < cap)
            to[used++] = c;
    }
    if (to && cap)
        to[used] = 0;
    return length;
}

/* A string that lies in another section. */
static void text_at(const struct wi_dwarf_section *section, uint64_t offset, char *to, size_t cap)
{
    struct {
        uint64_t at, end;
    } here = {reader.at, reader.end};
    if (offset < section->size) {
        reader.at = section->offset + offset;
        reader.end = section->offset + section->size;
        text(to, cap);
    }
    reader.at = here.at;
    reader.end = here.end;
}

/* Reads the head of the unit at the reader's place; 0 if it is none that can be read (its end is
 * known all the same unless the reader is broken). */
static int read_head(struct unit *unit)
{
    uint64_t length = number(4);
    memset(unit, 0, sizeof(*unit));
    unit->offset_bytes = 4;
    if (length == 0xffffffff) {
        length = number(8);
        unit->offset_bytes = 8;
    }
    if (reader.broken || length > reader.end - reader.at) {
        reader.broken = 1;
        return 0;
    }
    unit->end = reader.at + length;
    unit->version = (unsigned)number(2);
    if (unit->version < 2 || unit->version > 5)
        return 0;
    unit->address_bytes = 8;
    if (unit->version == 5) {
        unit->address_bytes = byte();
        byte(); /* segment selectors: nobody has them */
    }
    uint64_t head = number(unit->offset_bytes);
    unit->program_at = reader.at + head;
    unit->min_length = byte();
    if (unit->version >= 4)
        byte(); /* operations per instruction: 1 but for machines with long instruction words */
    byte();     /* whether rows are statements to begin with */
    unit->line_base = (int8_t)byte();
    unit->line_range = byte();
    unit->opcode_base = byte();
    for (unsigned i = 1; i < unit->opcode_base; i++)
        unit->lengths[i] = byte();
    unit->files_at = reader.at;
    return !reader.broken && unit->line_range && unit->opcode_base && head < length;
}

static void advance(const struct unit *unit, struct row *row, uint64_t operations)
{
    row->address += operations * unit->min_length;
}

/* Returns 1 at the end of a sequence. */
static int extended(struct row *row)
{
    uint64_t length = uleb(), start = reader.at;
    uint8_t code = length ? byte() : 0;
    if (code == LNE_SET_ADDRESS && length - 1 <= 8)
        row->address = number((unsigned)length - 1);
    uint64_t used = reader.at - start;
    skip(length > used ? length - used : 0);
    return code == LNE_END_SEQUENCE;
}

/* Returns 1 if the opcode adds a row to the table. */
static int standard(const struct unit *unit, struct row *row, unsigned opcode)
{
    switch (opcode) {
    case LNS_COPY:
        return 1;
    case LNS_ADVANCE_PC:
        advance(unit, row, uleb());
        return 0;
    case LNS_ADVANCE_LINE:
        row->line += (uint32_t)sleb();
        return 0;
    case LNS_SET_FILE:
        row->file = uleb();
        return 0;
    case LNS_CONST_ADD_PC:
        advance(unit, row, (255 - unit->opcode_base) / unit->line_range);
        return 0;
    case LNS_FIXED_ADVANCE_PC:
        row->address += number(2);
        return 0;
    default: /* columns, flags, and whatever later versions add */
        for (unsigned i = 0; i < unit->lengths[opcode]; i++)
            uleb();
        return 0;
    }
}

/* The row that covers address: the last one at or below it, if its sequence goes on beyond. */
static int run(const struct unit *unit, uint64_t address, struct row *found)
{
    struct row row = {.file = 1, .line = 1}, last = {.address = UINT64_MAX};
    reader.at = unit->program_at;
    while (reader.at < unit->end && !reader.broken) {
        unsigned opcode = byte();
        int adds = 1, ends = 0;
        if (opcode >= unit->opcode_base) {
            opcode -= unit->opcode_base;
            advance(unit, &row, opcode / unit->line_range);
            row.line += (uint32_t)(unit->line_base + (int)(opcode % unit->line_range));
        } else if (opcode) {
            adds = standard(unit, &row, opcode);
        } else {
            ends = adds = extended(&row);
        }
        if (!adds)
            continue;
        if (last.address <= address && address < row.address) {
            *found = last;
            return 1;
        }
        last = row;
        if (ends) {
            row = (struct row){.file = 1, .line = 1};
            last.address = UINT64_MAX;
        }
    }
    return 0;
}

static void read_form(const struct wi_dwarf_sections *sections, const struct unit *unit,
                      uint64_t form, char *to, size_t cap)
{
    switch (form) {
    case FORM_STRING:
        text(to, cap);
        break;
    case FORM_LINE_STRP:
        text_at(&sections->line_str, number(unit->offset_bytes), to, cap);
        break;
    case FORM_STRP:
        text_at(&sections->str, number(unit->offset_bytes), to, cap);
        break;
    case FORM_UDATA:
        uleb();
        break;
    case FORM_BLOCK:
        skip(uleb());
        break;
    case FORM_DATA1:
    case FORM_DATA2:
        number(form == FORM_DATA1 ? 1 : 2);
        break;
    case FORM_DATA4:
    case FORM_DATA8:
        number(form == FORM_DATA4 ? 4 : 8);
        break;
    case FORM_DATA16:
        number(16);
        break;
    default:
        reader.broken = 1;
    }
}

/* A table of version 5: its formats, then as many entries; the path of entry `wanted` is kept. */
static void table5(const struct wi_dwarf_sections *sections, const struct unit *unit,
                   uint64_t wanted, char *to, size_t cap)
{
    uint64_t types[MAX_FORMATS], forms[MAX_FORMATS];
    unsigned formats = byte();
    for (unsigned i = 0; i < formats && i < MAX_FORMATS; i++) {
        types[i] = uleb();
        forms[i] = uleb();
    }
    uint64_t count = uleb();
    if (formats > MAX_FORMATS || count > MAX_ENTRIES)
        reader.broken = 1;
    for (uint64_t entry = 0; entry < count && !reader.broken; entry++)
        for (unsigned i = 0; i < formats && !reader.broken; i++) {
            int keep = entry == wanted && types[i] == LNCT_PATH;
            read_form(sections, unit, forms[i], keep ? to : NULL, cap);
        }
}

/* Before version 5: strings up to an empty one, files numbered from 1. */
static void table4(uint64_t wanted, char *to, size_t cap)
{
    while (text(NULL, 0) && !reader.broken)
        ; /* directories */
    for (uint64_t entry = 1; !reader.broken && entry < MAX_ENTRIES; entry++) {
        char name[256];
        if (!text(name, sizeof(name)))
            return;
        if (entry == wanted) {
            size_t len = strlen(name) < cap - 1 ? strlen(name) : cap - 1;
            memcpy(to, name, len);
            to[len] = 0;
            return;
        }
        uleb(); /* directory, time, length */
        uleb();
        uleb();
    }
}

static void file_name(const struct wi_dwarf_sections *sections, const struct unit *unit,
                      uint64_t wanted, char *to, size_t cap)
{
    reader.at = unit->files_at;
    if (unit->version < 5) {
        table4(wanted, to, cap);
        return;
    }
    table5(sections, unit, UINT64_MAX, NULL, 0); /* directories */
    table5(sections, unit, wanted, to, cap);
}

int wi_dwarf_line(int fd, const struct wi_dwarf_sections *sections, uint64_t address, char *file,
                  size_t cap, uint32_t *line)
{
    struct unit unit;
    struct row row;
    uint64_t size = sections->line.size < MOST_BYTES ? sections->line.size : MOST_BYTES;
    reader.fd = fd;
    reader.broken = 0;
    reader.filled = 0;
    reader.at = sections->line.offset;
    reader.end = sections->line.offset + size;
    file[0] = 0;
    while (reader.at < reader.end && !reader.broken) {
        int readable = read_head(&unit);
        if (readable && run(&unit, address, &row)) {
            file_name(sections, &unit, row.file, file, cap);
            *line = row.line;
            return file[0] && row.line && !reader.broken ? 0 : WI_ERR_FORMAT;
        }
        reader.at = unit.end;
    }
    return reader.broken ? WI_ERR_FORMAT : WI_ERR_NOT_FOUND;
}
