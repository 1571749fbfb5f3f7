/* Table of Python functions, see py_codes.h.
 * Threads: any. May not: allocate after init, lock. */
#include "collect/py_codes.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/attr.h"
#include "base/err.h"
#include "collect/py_frames.h"
#include "collect/py_lines.h"
#include "model/event.h"

#define TEXT_BYTES     ((size_t)1 << 20)
#define RUNTIME_BYTES  (TEXT_BYTES / 2) /* the framework's functions leave the rest to the job's */
#define FILE_BYTES     240u             /* the end of a path says more than its beginning */
#define FUNCTION_BYTES 120u
#define TABLE_BYTES    ((size_t)64 << 10)
#define PROBES         64

enum { EMPTY, WRITING, READY };

static struct {
    struct wi_py_code *codes;
    char *text;
    _Atomic size_t used;
    _Atomic int count;
} state;

static const struct {
    const char *part;
    enum wi_code_kind kind;
} PATHS[] = {
#define FRAME_PATH(part, kind) {part, WI_CODE_##kind},
#include "collect/frame_paths.def"
#undef FRAME_PATH
};

static const struct {
    const char *part, *function;
    int span;
} FACTS[] = {
#define FRAME_FACT(part, function, span) {part, function, WI_SPAN_##span},
#include "collect/frame_facts.def"
#undef FRAME_FACT
};

enum wi_code_kind wi_code_kind_of(const char *file)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(PATHS); i++)
        if (strstr(file, PATHS[i].part))
            return PATHS[i].kind;
    return WI_CODE_OWN;
}

/* "_get_data" is both "_get_data" and "Anything._get_data". */
static int function_fits(const char *function, const char *wanted)
{
    size_t len = strlen(function), end = strlen(wanted);
    if (!strcmp(wanted, "*"))
        return 1;
    return len >= end && !strcmp(function + len - end, wanted) &&
           (len == end || function[len - end - 1] == '.');
}

unsigned wi_code_fact_of(const char *file, const char *function)
{
    for (size_t i = 0; i < WI_ARRAY_LEN(FACTS); i++)
        if (strstr(file, FACTS[i].part) && function_fits(function, FACTS[i].function))
            return (unsigned)i + 1;
    return 0;
}

int wi_py_fact_span(unsigned fact)
{
    return FACTS[fact - 1].span;
}

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int wi_py_codes_init(void)
{
    state.codes = map(WI_PY_CODES * sizeof(struct wi_py_code));
    state.text = map(TEXT_BYTES);
    return state.codes && state.text ? 0 : WI_ERR_NOMEM;
}

static char *take(size_t bytes, size_t limit)
{
    size_t at = atomic_load_explicit(&state.used, memory_order_relaxed);
    do {
        if (at + bytes > limit)
            return NULL;
    } while (!atomic_compare_exchange_weak(&state.used, &at, at + bytes));
    return state.text + at;
}

static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    to[0] = (char)((0xF00 >> (more + 1) & 0xFF) | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 63));
    return more + 1;
}

/* Kind (3 bits: bytes a character), compact, ascii. They lie behind a field whose width differs
 * between releases and builds and whose value is small: elsewhere one reads a kind of 0. */
static uint32_t text_bits(const struct wi_py *py, uint32_t word)
{
    const unsigned shifts[] = {py->at.text_state_shift, 2, 8, 16};
    for (size_t i = 0; i < WI_ARRAY_LEN(shifts); i++) {
        uint32_t bits = word >> shifts[i];
        if ((bits & 8) && ((bits & 7) == 1 || (bits & 7) == 2 || (bits & 7) == 4))
            return bits;
    }
    return 0;
}

/* The last `cap - 1` bytes, or fewer, of a str object as UTF-8. Strings that are not in one block
 * ("not compact") never are names of code. */
static void read_text(const struct wi_py *py, struct wi_peek *peek, uintptr_t object, char *to,
                      size_t cap)
{
    int64_t length = 0;
    uint32_t bits = 0;
    size_t used = 0;
    to[0] = 0;
    if (!wi_py_is(py, peek, object, py->text_type) ||
        wi_py_get(peek, object + py->at.text_length, &length, sizeof(length)) != 0 ||
        wi_py_get(peek, object + py->at.text_state, &bits, sizeof(bits)) != 0)
        return;
    bits = text_bits(py, bits);
    unsigned width = bits & 7, ascii = bits >> 4 & 1;
    if (!width || length <= 0)
        return;
    int64_t most = ascii ? (int64_t)cap - 1 : ((int64_t)cap - 1) / (width == 4 ? 4 : width + 1);
    int64_t from = length > most ? length - most : 0;
    uintptr_t data = object + (ascii ? py->at.text_ascii : py->at.text_wide);
    for (int64_t i = from; i < length; i++) {
        uint32_t c = 0; /* little-endian: the low bytes come first */
        if (wi_py_get(peek, data + (uintptr_t)i * width, &c, width) != 0)
            break;
        used += put_utf8(to + used, c);
    }
    to[used] = 0;
}

static const char *keep_text(const char *text)
{
    size_t len = strlen(text);
    char *copy = len ? take(len + 1, TEXT_BYTES) : NULL;
    return copy ? memcpy(copy, text, len + 1) : "";
}

static void keep_table(const struct wi_py *py, struct wi_peek *peek, struct wi_py_code *entry)
{
    int64_t len = 0;
    uintptr_t table = wi_py_pointer(peek, entry->code + py->at.code_table);
    if (!wi_py_is(py, peek, table, py->bytes_type) ||
        wi_py_get(peek, table + py->at.bytes_size, &len, sizeof(len)) != 0 || len <= 0)
        return;
    size_t bytes = (size_t)len < TABLE_BYTES ? (size_t)len : TABLE_BYTES;
    char *copy = take(bytes, entry->kind == WI_CODE_RUNTIME ? RUNTIME_BYTES : TEXT_BYTES);
    if (!copy || wi_py_get(peek, table + py->at.bytes_data, copy, bytes) != 0)
        return;
    entry->table = (const uint8_t *)copy;
    entry->table_len = (uint32_t)bytes;
}

static void fill(const struct wi_py *py, struct wi_peek *peek, struct wi_py_code *entry)
{
    char file[FILE_BYTES], function[FUNCTION_BYTES];
    read_text(py, peek, entry->file_object, file, sizeof(file));
    read_text(py, peek, wi_py_pointer(peek, entry->code + py->at.code_qualname), function,
              sizeof(function));
    entry->kind = (uint8_t)wi_code_kind_of(file);
    entry->fact = (uint8_t)wi_code_fact_of(file, function);
    entry->lines = (uint8_t)py->at.lines;
    entry->file = keep_text(file);
    entry->function = keep_text(function);
    keep_table(py, peek, entry);
}

/* Code that is made while the job runs is often alike in everything but its text: length and last
 * bytes of the file's name, length and both ends of the line table. */
static uint64_t fingerprint(const struct wi_py *py, struct wi_peek *peek, uintptr_t file,
                            uintptr_t table)
{
    int64_t parts[5] = {0}; /* file length, table length, then 8 bytes each */
    uint32_t bits = 0;
    uint64_t hash = 0;
    wi_py_get(peek, file + py->at.text_length, &parts[0], sizeof(parts[0]));
    wi_py_get(peek, file + py->at.text_state, &bits, sizeof(bits));
    wi_py_get(peek, table + py->at.bytes_size, &parts[1], sizeof(parts[1]));
    bits = text_bits(py, bits);
    uintptr_t text = file + (bits >> 4 & 1 ? py->at.text_ascii : py->at.text_wide);
    uintptr_t data = table + py->at.bytes_data;
    size_t width = bits & 7;
    size_t name = parts[0] > 0 && parts[0] < INT32_MAX ? (size_t)parts[0] * width : 0;
    size_t lines = parts[1] > 0 && parts[1] < INT32_MAX ? (size_t)parts[1] : 0;
    size_t some = lines < 8 ? lines : 8;
    if (name >= 8)
        wi_py_get(peek, text + name - 8, &parts[2], 8);
    wi_py_get(peek, data, &parts[3], some);
    wi_py_get(peek, data + lines - some, &parts[4], some);
    for (int i = 0; i < 5; i++) {
        hash = (hash ^ (uint64_t)parts[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 31;
    }
    return hash;
}

static int identify(const struct wi_py *py, struct wi_peek *peek, uintptr_t code,
                    struct wi_py_code *key)
{
    key->code = code;
    key->file_object = wi_py_pointer(peek, code + py->at.code_file);
    key->function_object = wi_py_pointer(peek, code + py->at.code_function);
    uintptr_t table = wi_py_pointer(peek, code + py->at.code_table);
    if (!key->function_object || !wi_py_is(py, peek, key->file_object, py->text_type) ||
        !wi_py_is(py, peek, table, py->bytes_type))
        return 0;
    key->fingerprint = fingerprint(py, peek, key->file_object, table);
    return wi_py_get(peek, code + py->at.code_first, &key->first, sizeof(key->first)) == 0;
}

static int same(const struct wi_py_code *a, const struct wi_py_code *b)
{
    return a->code == b->code && a->first == b->first && a->fingerprint == b->fingerprint &&
           a->file_object == b->file_object && a->function_object == b->function_object;
}

/* An entry being written by another thread is passed over: at worst a function is there twice. */
int wi_py_code_of(const struct wi_py *py, struct wi_peek *peek, uintptr_t code)
{
    struct wi_py_code key = {.table_len = 0};
    if (!identify(py, peek, code, &key))
        return WI_ERR_FORMAT;
    uint64_t parts = (code >> 4) + (key.file_object >> 4) * 31 + (key.function_object >> 4) * 961;
    uint64_t hash = (parts ^ key.fingerprint) * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < PROBES; i++) {
        int index = (int)(((hash >> 40) + (uint64_t)i) % WI_PY_CODES);
        struct wi_py_code *entry = &state.codes[index];
        uint32_t now = atomic_load_explicit(&entry->state, memory_order_acquire);
        if (now == READY && same(entry, &key))
            return index;
        if (now != EMPTY || !atomic_compare_exchange_strong(&entry->state, &now, WRITING))
            continue;
        entry->code = key.code;
        entry->first = key.first;
        entry->fingerprint = key.fingerprint;
        entry->file_object = key.file_object;
        entry->function_object = key.function_object;
        fill(py, peek, entry);
        atomic_fetch_add_explicit(&state.count, 1, memory_order_relaxed);
        atomic_store_explicit(&entry->state, READY, memory_order_release);
        return index;
    }
    return WI_ERR_NOMEM;
}

enum wi_code_kind wi_py_kind_of(const struct wi_py *py, struct wi_peek *peek, uintptr_t code)
{
    char file[FILE_BYTES];
    read_text(py, peek, wi_py_pointer(peek, code + py->at.code_file), file, sizeof(file));
    return wi_code_kind_of(file);
}

const struct wi_py_code *wi_py_code_at(int index)
{
    return &state.codes[index];
}

int32_t wi_py_code_line(const struct wi_py_code *code, uint32_t instr)
{
    if (!code->table)
        return code->first;
    return wi_py_line((enum wi_py_lines)code->lines, code->table, code->table_len, code->first,
                      instr);
}

void wi_py_code_place(const struct wi_py_code *code, uint32_t instr, struct wi_out *out)
{
    const char *slash = strrchr(code->file, '/');
    if (!code->file[0])
        return;
    wi_out_f(out, "%s:%d", slash ? slash + 1 : code->file, wi_py_code_line(code, instr));
    if (code->function[0] && strcmp(code->function, "<module>") != 0)
        wi_out_f(out, " in %s", code->function);
}

int64_t wi_py_codes_bytes(void)
{
    size_t used = atomic_load(&state.used);
    size_t codes = (size_t)atomic_load(&state.count) * 4096; /* a page each, at worst */
    size_t most = WI_PY_CODES * sizeof(struct wi_py_code);
    return (int64_t)((codes < most ? codes : most) + used);
}
