/* String interning with open addressing, see names.h.
 * Threads: the owner of the table. May not: call malloc. */
#include "model/names.h"

#include <string.h>

#include "base/arena.h"

#define KEEP_BYTES  1000u /* of one name: C++ kernel names reach 64 KiB, 1000 tell them apart */
#define FIRST_SLOTS 1024u
#define HINTS       256u /* a power of two */

struct wi_names {
    struct wi_arena arena;
    const char **texts; /* by id */
    uint32_t *hashes;   /* by id */
    uint32_t *slots;    /* ids, 0 = free; power of two */
    uint32_t slot_count;
    uint32_t count;        /* ids in use, 0 included */
    uint32_t full;         /* id of "(name table full)" */
    uint32_t hints[HINTS]; /* by address: the id of the text that was found there last */
};

static uint32_t hash_of(const char *text, size_t len)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* Doubles the tables; the old ones stay in the arena (geometric: at most as much again). */
static int grow(struct wi_names *names, uint32_t slot_count)
{
    uint32_t *slots = wi_arena_alloc(&names->arena, slot_count * sizeof(*slots));
    const char **texts = wi_arena_alloc(&names->arena, slot_count / 2 * sizeof(*texts));
    uint32_t *hashes = wi_arena_alloc(&names->arena, slot_count / 2 * sizeof(*hashes));
    if (!slots || !texts || !hashes)
        return -1;
    for (uint32_t id = 0; id < names->count; id++) {
        texts[id] = names->texts[id];
        hashes[id] = names->hashes[id];
        uint32_t at = hashes[id] & (slot_count - 1);
        while (id && slots[at])
            at = (at + 1) & (slot_count - 1);
        if (id)
            slots[at] = id;
    }
    names->slots = slots;
    names->texts = texts;
    names->hashes = hashes;
    names->slot_count = slot_count;
    return 0;
}

struct wi_names *wi_names_create(size_t budget_bytes)
{
    struct wi_arena arena;
    wi_arena_init(&arena, budget_bytes);
    struct wi_names *names = wi_arena_alloc(&arena, sizeof(*names));
    if (!names)
        return NULL;
    names->arena = arena;
    if (grow(names, FIRST_SLOTS) != 0) {
        wi_arena_free(&arena);
        return NULL;
    }
    names->texts[0] = "";
    names->count = 1;
    names->full = wi_names_str(names, "(name table full)");
    return names;
}

void wi_names_free(struct wi_names *names)
{
    if (!names)
        return;
    struct wi_arena arena = names->arena;
    wi_arena_free(&arena);
}

uint32_t wi_names_intern(struct wi_names *names, const char *text, size_t len)
{
    if (!text || !len)
        return 0;
    len = len < KEEP_BYTES ? len : KEEP_BYTES;
    uint32_t hash = hash_of(text, len);
    uint32_t at = hash & (names->slot_count - 1);
    for (; names->slots[at]; at = (at + 1) & (names->slot_count - 1)) {
        uint32_t id = names->slots[at];
        if (names->hashes[id] == hash && !strncmp(names->texts[id], text, len) &&
            !names->texts[id][len])
            return id;
    }
    if (names->count >= names->slot_count / 2) {
        if (grow(names, names->slot_count * 2) != 0)
            return names->full;
        at = hash & (names->slot_count - 1);
        while (names->slots[at])
            at = (at + 1) & (names->slot_count - 1);
    }
    const char *copy = wi_arena_strn(&names->arena, text, len);
    if (!copy)
        return names->full;
    uint32_t id = names->count++;
    names->texts[id] = copy;
    names->hashes[id] = hash;
    names->slots[at] = id;
    return id;
}

uint32_t wi_names_str(struct wi_names *names, const char *text)
{
    if (!text || !*text)
        return 0;
    /* CUPTI gives a kernel's name at one address: to compare is quicker than to hash */
    uint32_t *hint = &names->hints[(uint32_t)((uintptr_t)text >> 4) & (HINTS - 1)];
    if (*hint && !strcmp(names->texts[*hint], text))
        return *hint;
    return *hint = wi_names_intern(names, text, strlen(text));
}

const char *wi_names_text(const struct wi_names *names, uint32_t id)
{
    return id < names->count ? names->texts[id] : "";
}

uint32_t wi_names_count(const struct wi_names *names)
{
    return names->count;
}
