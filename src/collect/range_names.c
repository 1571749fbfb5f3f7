/* The table of range names, see range_names.h.
 * Threads: any. May not: lock, wait, allocate, call the system. */
#include "collect/range_names.h"

#include <stdatomic.h>
#include <string.h>

#define FREE       0u
#define WRITING    1u
#define MOST_STEPS 16u /* entries looked at: beyond, the table counts as full */

struct entry {
    _Atomic uint32_t key; /* FREE, WRITING, or the hash, which is neither */
    uint8_t len;
    _Atomic uint8_t variants; /* of a folded name */
    char text[WI_RANGE_NAME_BYTES];
};

static struct entry entries[WI_RANGE_NAMES];
static _Atomic uint64_t refused;

static uint32_t hash_of(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash > WRITING ? hash : hash + 2;
}

static int holds(const struct entry *entry, const char *text, size_t len)
{
    return entry->len == len && !memcmp(entry->text, text, len);
}

/* The id of the text, or 0. An entry that is being written is passed over: if it is the same name,
 * the name gets a second id, which nobody minds. */
static uint32_t find(uint32_t hash, const char *text, size_t len)
{
    for (uint32_t i = 0; i < MOST_STEPS; i++) {
        uint32_t at = (hash + i) % WI_RANGE_NAMES;
        uint32_t key = atomic_load_explicit(&entries[at].key, memory_order_acquire);
        if (key == hash && holds(&entries[at], text, len))
            return at + 1;
        if (key == FREE)
            return 0;
    }
    return 0;
}

static uint32_t insert(uint32_t hash, const char *text, size_t len)
{
    for (uint32_t i = 0; i < MOST_STEPS; i++) {
        uint32_t at = (hash + i) % WI_RANGE_NAMES, free_key = FREE;
        struct entry *entry = &entries[at];
        if (!atomic_compare_exchange_strong(&entry->key, &free_key, WRITING)) {
            if (free_key == hash && holds(entry, text, len))
                return at + 1;
            continue;
        }
        memcpy(entry->text, text, len);
        entry->len = (uint8_t)len;
        atomic_store_explicit(&entry->key, hash, memory_order_release);
        return at + 1;
    }
    atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
    return 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t wi_range_name_fold(const char *text, size_t len, char folded[WI_RANGE_NAME_BYTES])
{
    size_t out = 0;
    for (size_t i = 0; i < len && out < WI_RANGE_NAME_BYTES; i++)
        if (!is_digit(text[i]))
            folded[out++] = text[i];
        else if (!i || !is_digit(text[i - 1]))
            folded[out++] = '#';
    return out;
}

/* A name that is not in the table: its own entry, or that of its kind. */
static uint32_t add(uint32_t hash, const char *text, size_t len)
{
    char folded[WI_RANGE_NAME_BYTES];
    size_t folded_len = wi_range_name_fold(text, len, folded);
    if (folded_len == len && !memcmp(folded, text, len))
        return insert(hash, text, len);
    uint32_t folded_hash = hash_of(folded, folded_len);
    uint32_t id = find(folded_hash, folded, folded_len);
    id = id ? id : insert(folded_hash, folded, folded_len);
    if (!id ||
        atomic_load_explicit(&entries[id - 1].variants, memory_order_relaxed) >= WI_RANGE_VARIANTS)
        return id;
    atomic_fetch_add_explicit(&entries[id - 1].variants, 1, memory_order_relaxed);
    return insert(hash, text, len);
}

static uint32_t intern(const char *text, size_t len)
{
    if (!len)
        return 0;
    uint32_t hash = hash_of(text, len);
    uint32_t id = find(hash, text, len);
    return id ? id : add(hash, text, len);
}

uint32_t wi_range_name(const char *text)
{
    return text ? intern(text, strnlen(text, WI_RANGE_NAME_BYTES)) : 0;
}

/* One character as UTF-8; 0 if it does not fit. */
static size_t put_wide(char *to, size_t room, uint32_t c)
{
    if (c < 0x80 && room >= 1) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x80 || c > 0x10ffff)
        return 0;
    size_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (room < bytes)
        return 0;
    static const uint8_t FIRST[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(FIRST[bytes] | c);
    return bytes;
}

uint32_t wi_range_name_wide(const wchar_t *text)
{
    char narrow[WI_RANGE_NAME_BYTES];
    size_t len = 0, bytes = 1;
    for (; text && *text && bytes; text++, len += bytes)
        bytes = put_wide(narrow + len, sizeof(narrow) - len, (uint32_t)*text);
    return intern(narrow, len);
}

size_t wi_range_name_text(uint32_t id, const char **text)
{
    if (!id || id > WI_RANGE_NAMES ||
        atomic_load_explicit(&entries[id - 1].key, memory_order_acquire) <= WRITING)
        return 0;
    *text = entries[id - 1].text;
    return entries[id - 1].len;
}

uint64_t wi_range_names_refused(void)
{
    return atomic_load_explicit(&refused, memory_order_relaxed);
}
