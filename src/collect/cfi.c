/* Runs unwind tables, see cfi.h.
 * Threads: the helper. May not: allocate. What the tables say of an address is kept, since stacks
 * repeat themselves. Where a frame's place is an expression, in signal frames and in encodings
 * that no linker of today writes, the walk ends. */
#include "collect/cfi.h"

#include <elf.h>
#include <string.h>

#include "base/clock.h"
#include "collect/map_list.h"
#include "collect/peek.h"

#define MODULES      512
#define MAX_PHDRS    64
#define MAX_READINGS 256 /* of the list of mappings, a second apart: libraries come in waves */
#define READING_NS   INT64_C(1000000000)
#define KEPT         512
#define ENTRY_BYTES  768 /* of a table's entry: the longest of large C++ programs have some 300 */
#define REMEMBERED   8

#define ENC_SDATA4         0x0b
#define ENC_PCREL_SDATA4   0x1b
#define ENC_DATAREL_SDATA4 0x3b

#if defined(__aarch64__)
enum { REG_FP = 29, REG_SP = 31, REG_RA = 30 };
#else
enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };
#endif

/* Where the frame around an address lies and what it has saved, relative to its end. */
struct row {
    int64_t cfa_offset, fp_offset, ra_offset;
    uint8_t cfa_reg, fp_saved, ra_saved, valid;
};

struct module {
    uintptr_t start, end; /* of its code */
    uintptr_t table;      /* .eh_frame_hdr, 0 = none */
};

static struct {
    struct module modules[MODULES];
    int count, readings;
    int64_t read_ns;
    uintptr_t base; /* while reading the list: of the file of the last mapping */
    char path[512];
    struct wi_peek peek;
    struct {
        uintptr_t ip;
        struct row row;
    } kept[KEPT];
} state;

/* A window over one entry; past its end it gives zeros and is broken. */
struct bytes {
    uint8_t data[ENTRY_BYTES];
    size_t at, len;
    uintptr_t from; /* of data[0] */
    int broken;
};

static uint64_t fixed(struct bytes *b, size_t size)
{
    uint64_t value = 0;
    if (b->len - b->at < size) {
        b->at = b->len;
        b->broken = 1;
        return 0;
    }
    memcpy(&value, b->data + b->at, size); /* little-endian, as both architectures are */
    b->at += size;
    return value;
}

static uint64_t uleb(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = fixed(b, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    b->broken = 1;
    return 0;
}

static int64_t sleb(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        uint64_t byte = fixed(b, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            return (int64_t)(byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value);
    }
    b->broken = 1;
    return 0;
}

static void skip(struct bytes *b, uint64_t size)
{
    b->broken |= size > b->len - b->at;
    b->at = b->broken ? b->len : b->at + (size_t)size;
}

/* ---- modules ---- */

static uintptr_t table_of(uintptr_t base)
{
    Elf64_Ehdr head;
    uintptr_t table = 0, low = UINTPTR_MAX;
    if (wi_peek_once(base, &head, sizeof(head)) != 0 ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr))
        return 0;
    for (unsigned i = 0; i < head.e_phnum && i < MAX_PHDRS; i++) {
        Elf64_Phdr segment;
        if (wi_peek_once(base + head.e_phoff + i * sizeof(segment), &segment, sizeof(segment)) != 0)
            return 0;
        if (segment.p_type == PT_LOAD && segment.p_vaddr < low)
            low = segment.p_vaddr & ~(uintptr_t)4095;
        if (segment.p_type == PT_GNU_EH_FRAME)
            table = segment.p_vaddr;
    }
    return table && low != UINTPTR_MAX ? base - low + table : 0;
}

static int keep_module(void *user, const struct wi_map *map)
{
    (void)user;
    if (!map->path[0])
        return 0;
    if (map->offset == 0) {
        state.base = map->start;
        memcpy(state.path, map->path, sizeof(state.path));
    }
    if (!map->executable || strcmp(state.path, map->path) != 0)
        return 0;
    if (state.count == MODULES)
        return 1;
    state.modules[state.count++] = (struct module){map->start, map->end, table_of(state.base)};
    return 0;
}

static const struct module *find_module(uintptr_t ip)
{
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < state.count; i++)
            if (ip >= state.modules[i].start && ip < state.modules[i].end)
                return &state.modules[i];
        int64_t now = wi_clock_ns(CLOCK_MONOTONIC);
        if (again || state.readings >= MAX_READINGS ||
            (state.readings && now - state.read_ns < READING_NS))
            break;
        state.readings++;
        state.read_ns = now;
        state.count = 0;
        state.path[0] = 0;
        memset(state.kept, 0, sizeof(state.kept)); /* another file may lie there now */
        wi_map_each(keep_module, NULL);
    }
    return NULL;
}

/* ---- tables ---- */

/* The entry that covers ip: the last one that begins at or before it. 0 = none. */
static uintptr_t find_entry(uintptr_t table, uintptr_t ip)
{
    struct {
        uint8_t version, frame_enc, count_enc, table_enc;
        int32_t frame;
        uint32_t count;
    } head;
    int32_t pair[2];
    if (wi_peek_read(&state.peek, table, &head, sizeof(head)) != 0 || head.version != 1 ||
        (head.frame_enc & 0x0f) != ENC_SDATA4 || head.count_enc != 0x03 ||
        head.table_enc != ENC_DATAREL_SDATA4 || !head.count)
        return 0;
    uint32_t low = 0, high = head.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uintptr_t at = table + sizeof(head) + (uintptr_t)middle * sizeof(pair);
        if (wi_peek_read(&state.peek, at, pair, sizeof(pair)) != 0)
            return 0;
        if (table + (uintptr_t)(intptr_t)pair[0] <= ip)
            low = middle;
        else
            high = middle;
    }
    uintptr_t at = table + sizeof(head) + (uintptr_t)low * sizeof(pair);
    if (wi_peek_read(&state.peek, at, pair, sizeof(pair)) != 0 ||
        table + (uintptr_t)(intptr_t)pair[0] > ip)
        return 0;
    return table + (uintptr_t)(intptr_t)pair[1];
}

/* Reads the entry at an address; leaves the reader behind its length. */
static int load(struct bytes *b, uintptr_t from)
{
    uint32_t length;
    if (wi_peek_read(&state.peek, from, &length, sizeof(length)) != 0 || length < 8 ||
        length > sizeof(b->data))
        return 0;
    *b = (struct bytes){.from = from + sizeof(length), .len = length};
    return wi_peek_read(&state.peek, b->from, b->data, length) == 0;
}

struct common {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra_reg;
    int augmented;
};

/* The part that entries share; leaves the reader at its instructions. */
static int read_common(struct bytes *b, struct common *common)
{
    uint64_t encoding = 0;
    if (fixed(b, 4) != 0)
        return 0;
    uint64_t version = fixed(b, 1);
    const char *words = (const char *)b->data + b->at;
    size_t words_len = strnlen(words, b->len - b->at);
    skip(b, words_len + 1);
    common->code_align = uleb(b);
    common->data_align = sleb(b);
    common->ra_reg = version == 1 ? fixed(b, 1) : uleb(b);
    common->augmented = words_len > 0;
    if (b->broken || (words_len && words[0] != 'z'))
        return 0;
    uint64_t size = words_len ? uleb(b) : 0;
    size_t end = b->at + (size_t)size;
    for (size_t i = 1; i < words_len; i++) {
        if (words[i] == 'R')
            encoding = fixed(b, 1);
        else if (words[i] == 'L')
            skip(b, 1);
        else if (words[i] == 'P')
            skip(b, (fixed(b, 1) & 0x0f) == ENC_SDATA4 ? 4 : 8);
        else if (words[i] != 'B')
            return 0; /* 'S': a signal frame; others are not known */
    }
    if (b->broken || end > b->len || encoding != ENC_PCREL_SDATA4)
        return 0;
    b->at = end;
    return common->ra_reg == REG_RA;
}

struct program {
    const struct common *common;
    struct row row, initial, remembered[REMEMBERED];
    int depth;
};

/* In units of the table's own; a product that does not fit wraps, and leads out of the stack. */
static int64_t scaled(const struct program *p, uint64_t units)
{
    return (int64_t)(units * (uint64_t)p->common->data_align);
}

static void save(struct program *p, uint64_t reg, int saved, int64_t offset)
{
    if (reg == REG_FP) {
        p->row.fp_saved = (uint8_t)saved;
        p->row.fp_offset = offset;
    } else if (reg == REG_RA) {
        p->row.ra_saved = (uint8_t)saved;
        p->row.ra_offset = offset;
    }
}

static void restore(struct program *p, uint64_t reg)
{
    if (reg == REG_FP)
        save(p, reg, p->initial.fp_saved, p->initial.fp_offset);
    else
        save(p, reg, p->initial.ra_saved, p->initial.ra_offset);
}

static void define(struct program *p, uint64_t reg, int64_t offset)
{
    p->row.valid = reg == REG_SP || reg == REG_FP;
    p->row.cfa_reg = (uint8_t)reg;
    p->row.cfa_offset = offset;
}

/* Instructions that say where something is; 0 for one that is not known. */
static int place(struct program *p, struct bytes *b, unsigned op)
{
    uint64_t reg = op == 0x0e || op == 0x0f || op == 0x13 ? 0 : uleb(b);
    switch (op) {
    case 0x05: /* offset_extended */
        save(p, reg, 1, scaled(p, uleb(b)));
        return 1;
    case 0x06: /* restore_extended */
        restore(p, reg);
        return 1;
    case 0x07: /* undefined */
    case 0x08: /* same_value */
        save(p, reg, 0, 0);
        return 1;
    case 0x0c: /* def_cfa */
        define(p, reg, (int64_t)uleb(b));
        return 1;
    case 0x0d: /* def_cfa_register */
        define(p, reg, p->row.cfa_offset);
        return 1;
    case 0x0e: /* def_cfa_offset */
        p->row.cfa_offset = (int64_t)uleb(b);
        return 1;
    case 0x0f: /* def_cfa_expression */
        p->row.valid = 0;
        skip(b, uleb(b));
        return 1;
    case 0x11: /* offset_extended_sf */
        save(p, reg, 1, scaled(p, (uint64_t)sleb(b)));
        return 1;
    case 0x12: /* def_cfa_sf */
        define(p, reg, scaled(p, (uint64_t)sleb(b)));
        return 1;
    case 0x13: /* def_cfa_offset_sf */
        p->row.cfa_offset = scaled(p, (uint64_t)sleb(b));
        return 1;
    case 0x09: /* register */
    case 0x14: /* val_offset */
        uleb(b);
        p->row.valid = p->row.valid && reg != REG_FP && reg != REG_RA;
        return 1;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        skip(b, uleb(b));
        p->row.valid = p->row.valid && reg != REG_FP && reg != REG_RA;
        return 1;
    default:
        return 0;
    }
}

static int remember(struct program *p, unsigned op)
{
    if (op == 0x0a && p->depth < REMEMBERED)
        p->remembered[p->depth++] = p->row;
    else if (op == 0x0b && p->depth > 0)
        p->row = p->remembered[--p->depth];
    else
        return 0;
    return 1;
}

/* Runs instructions up to the address; 0 for a program that makes no sense. */
static int execute(struct program *p, struct bytes *b, uintptr_t at, uintptr_t ip)
{
    while (b->at < b->len && !b->broken && at <= ip) {
        unsigned op = (unsigned)fixed(b, 1), low = op & 0x3f;
        if (op >> 6 == 1) {
            at += low * p->common->code_align;
        } else if (op >> 6 == 2) {
            save(p, low, 1, scaled(p, uleb(b)));
        } else if (op >> 6 == 3) {
            restore(p, low);
        } else if (op >= 0x02 && op <= 0x04) {
            at += fixed(b, (size_t)1 << (op - 2)) * p->common->code_align;
        } else if (op == 0x0a || op == 0x0b) {
            if (!remember(p, op))
                return 0;
        } else if (op == 0x2e) { /* GNU_args_size */
            uleb(b);
        } else if (op != 0 && op != 0x2d && !place(p, b, op)) { /* 0x2d: signed return address */
            return 0;
        }
    }
    return !b->broken;
}

static int find_row(uintptr_t ip, struct row *row)
{
    static struct bytes entry, shared;
    struct common common;
    const struct module *module = find_module(ip);
    uintptr_t from = module && module->table ? find_entry(module->table, ip) : 0;
    if (!from || !load(&entry, from))
        return 0;
    uintptr_t back = (uintptr_t)fixed(&entry, 4);
    if (!back || !load(&shared, entry.from - back) || !read_common(&shared, &common))
        return 0;
    uintptr_t begin = entry.from + entry.at;
    begin += (uintptr_t)(intptr_t)(int32_t)fixed(&entry, 4);
    uint64_t range = fixed(&entry, 4);
    if (ip < begin || ip - begin >= range)
        return 0;
    if (common.augmented)
        skip(&entry, uleb(&entry));
    struct program p = {.common = &common};
    if (!execute(&p, &shared, 0, UINTPTR_MAX))
        return 0;
    p.initial = p.row;
    if (!execute(&p, &entry, begin, ip))
        return 0;
    *row = p.row;
    return row->valid;
}

static int row_of(uintptr_t ip, struct row *row)
{
    size_t slot = (ip ^ ip >> 12) % KEPT;
    if (state.kept[slot].ip != ip) {
        wi_peek_reset(&state.peek);
        memset(row, 0, sizeof(*row));
        if (!find_row(ip, row))
            memset(row, 0, sizeof(*row));
        state.kept[slot].ip = ip;
        state.kept[slot].row = *row;
    }
    *row = state.kept[slot].row;
    return row->valid;
}

/* ---- walking ---- */

struct copy {
    const uint8_t *data;
    uintptr_t from;
    size_t bytes;
};

static int word_at(const struct copy *copy, uintptr_t at, uintptr_t *word)
{
    if (at < copy->from || at - copy->from > copy->bytes ||
        copy->bytes - (at - copy->from) < sizeof(*word))
        return 0;
    memcpy(word, copy->data + (at - copy->from), sizeof(*word));
    return 1;
}

/* From a frame to the one that called it. */
static int step(struct wi_cfi_regs *regs, const struct copy *copy, int innermost)
{
    struct row row;
    if (!row_of(innermost ? regs->ip : regs->ip - 1, &row))
        return 0;
    uintptr_t cfa = (row.cfa_reg == REG_SP ? regs->sp : regs->fp) + (uintptr_t)row.cfa_offset;
    uintptr_t ra = innermost ? regs->lr : 0, fp = regs->fp;
    if (cfa < regs->sp || (!innermost && cfa == regs->sp) ||
        (row.ra_saved && !word_at(copy, cfa + (uintptr_t)row.ra_offset, &ra)) ||
        (row.fp_saved && !word_at(copy, cfa + (uintptr_t)row.fp_offset, &fp)))
        return 0;
#if defined(__aarch64__)
    ra &= (UINT64_C(1) << 48) - 1; /* the bits above may hold its signature */
#endif
    *regs = (struct wi_cfi_regs){.ip = ra, .sp = cfa, .fp = fp};
    return ra >= 4096;
}

int wi_cfi_walk(const struct wi_cfi_regs *regs, const void *stack, size_t bytes, uintptr_t *frames,
                int most)
{
    struct wi_cfi_regs at = *regs;
    struct copy copy = {stack, regs->sp, bytes};
    int count = 0;
    while (count < most) {
        frames[count++] = at.ip;
        if (!step(&at, &copy, count == 1))
            break;
    }
    return count;
}
