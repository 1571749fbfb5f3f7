/* Decodes the three formats of line tables, see py_lines.h.
 * Threads: any. May not: read past len. */
#include "collect/py_lines.h"

#define NO_LINE         (-128) /* linetable: this range has no line */
#define KIND_NO_COLUMNS 13     /* locations: kinds of entries that are not one line forms */
#define KIND_LONG       14
#define KIND_NONE       15
#define KIND_ONE_LINE   10 /* 10, 11, 12: that many lines further */

/* A table of garbage gives a line of garbage, and nothing undefined. */
static int32_t add(int32_t line, int32_t lines)
{
    return (int32_t)((uint32_t)line + (uint32_t)lines);
}

/* 3.8, 3.9: pairs of (bytes, signed lines), each adding to both. */
static int32_t by_lnotab(const uint8_t *table, size_t len, int32_t line, uint32_t instr)
{
    uint32_t offset = 0;
    for (size_t i = 0; i + 1 < len; i += 2) {
        offset += table[i];
        if (offset > instr)
            break;
        line = add(line, (int8_t)table[i + 1]);
    }
    return line;
}

/* 3.10: pairs of (bytes that the range has, signed lines of it against the one before). */
static int32_t by_linetable(const uint8_t *table, size_t len, int32_t first, uint32_t instr)
{
    uint32_t end = 0;
    int32_t line = first;
    for (size_t i = 0; i + 1 < len; i += 2) {
        int8_t delta = (int8_t)table[i + 1];
        end += table[i];
        line = add(line, delta == NO_LINE ? 0 : delta);
        if (instr < end)
            return delta == NO_LINE ? first : line;
    }
    return line;
}

/* 6 bits a byte, lowest first; bit 6 says that there are more. */
static uint32_t take_number(const uint8_t *table, size_t len, size_t *at)
{
    uint32_t value = 0;
    for (unsigned shift = 0; *at < len && shift < 30; shift += 6) {
        uint8_t byte = table[(*at)++];
        value |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return value;
}

static int32_t take_signed(const uint8_t *table, size_t len, size_t *at)
{
    uint32_t value = take_number(table, len, at);
    return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* 3.11 and later: entries that begin with a byte with the highest bit set; kind in bits 3 to 6,
 * length in 2-byte units less one in bits 0 to 2. */
static int32_t by_locations(const uint8_t *table, size_t len, int32_t first, uint32_t instr)
{
    uint32_t end = 0;
    int32_t line = first;
    size_t at = 0;
    while (at < len) {
        uint8_t head = table[at++];
        int kind = head >> 3 & 15;
        if (kind == KIND_NO_COLUMNS || kind == KIND_LONG)
            line = add(line, take_signed(table, len, &at));
        else if (kind >= KIND_ONE_LINE && kind < KIND_NO_COLUMNS)
            line = add(line, kind - KIND_ONE_LINE);
        end += ((uint32_t)(head & 7) + 1) * 2;
        if (instr < end)
            return kind == KIND_NONE ? first : line;
        while (at < len && !(table[at] & 128))
            at++; /* columns */
    }
    return line;
}

int32_t wi_py_line(enum wi_py_lines format, const uint8_t *table, size_t len, int32_t first,
                   uint32_t instr)
{
    switch (format) {
    case WI_PY_LNOTAB:
        return by_lnotab(table, len, first, instr);
    case WI_PY_LINETABLE:
        return by_linetable(table, len, first, instr);
    default:
        return by_locations(table, len, first, instr);
    }
}
