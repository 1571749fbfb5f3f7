/* Bump allocator over mmap, see arena.h.
 * Threads: the owner of the arena. May not: call malloc. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* 256 KiB: large enough that a report maps a handful of chunks, small against every budget. */
#define CHUNK_BYTES ((size_t)256 << 10)
#define ALIGN_BYTES ((size_t)16)

struct wi_arena_chunk {
    struct wi_arena_chunk *next;
    size_t size; /* mapped, header included */
    size_t used; /* handed out, header included; of the newest one the arena knows */
};

#define HEADER_BYTES ((sizeof(struct wi_arena_chunk) + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES)

void wi_arena_init(struct wi_arena *arena, size_t budget_bytes)
{
    memset(arena, 0, sizeof(*arena));
    arena->budget_bytes = budget_bytes;
}

static void unmap_all(struct wi_arena *arena, struct wi_arena_chunk **chunks)
{
    while (*chunks) {
        struct wi_arena_chunk *chunk = *chunks;
        *chunks = chunk->next;
        arena->mapped_bytes -= chunk->size;
        munmap(chunk, chunk->size);
    }
}

/* The smallest of the spare chunks that is large enough, or NULL. */
static struct wi_arena_chunk *take_spare(struct wi_arena *arena, size_t size)
{
    struct wi_arena_chunk **best = NULL, *chunk = NULL;
    for (struct wi_arena_chunk **at = &arena->spare; *at; at = &(*at)->next)
        if ((*at)->size >= size && (!best || (*at)->size < (*best)->size))
            best = at;
    if (best) {
        chunk = *best;
        *best = chunk->next;
    }
    return chunk;
}

static struct wi_arena_chunk *map_chunk(struct wi_arena *arena, size_t size)
{
    if (size > arena->budget_bytes - arena->mapped_bytes)
        unmap_all(arena, &arena->spare);
    if (size > arena->budget_bytes - arena->mapped_bytes)
        return NULL;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    struct wi_arena_chunk *chunk = map;
    chunk->size = size;
    arena->mapped_bytes += size;
    return chunk;
}

static int add_chunk(struct wi_arena *arena, size_t need)
{
    size_t size = need + HEADER_BYTES;
    size = size < CHUNK_BYTES ? CHUNK_BYTES : (size + 4095) / 4096 * 4096;
    struct wi_arena_chunk *chunk = take_spare(arena, size);
    if (!chunk)
        chunk = map_chunk(arena, size);
    if (!chunk)
        return -1;
    if (arena->head)
        arena->head->used = arena->used_bytes;
    chunk->next = arena->head;
    arena->head = chunk;
    arena->used_bytes = HEADER_BYTES;
    return 0;
}

void *wi_arena_alloc(struct wi_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (!arena->head || arena->head->size - arena->used_bytes < size) {
        if (add_chunk(arena, size) != 0)
            return NULL;
    }
    void *memory = (char *)arena->head + arena->used_bytes;
    arena->used_bytes += size;
    return memory;
}

/* Linux 5.14; what older ones say does no harm. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define PAGE_BYTES ((uintptr_t)4096)

void wi_arena_fill_soon(void *memory, size_t size)
{
    uintptr_t first = (uintptr_t)memory / PAGE_BYTES * PAGE_BYTES;
    madvise((void *)first, (uintptr_t)memory + size - first, MADV_POPULATE_WRITE);
}

char *wi_arena_strn(struct wi_arena *arena, const char *text, size_t len)
{
    char *copy = wi_arena_alloc(arena, len + 1);
    if (copy)
        memcpy(copy, text, len);
    return copy;
}

void wi_arena_reset(struct wi_arena *arena)
{
    if (arena->head)
        arena->head->used = arena->used_bytes;
    while (arena->head) {
        struct wi_arena_chunk *chunk = arena->head;
        arena->head = chunk->next;
        memset((char *)chunk + HEADER_BYTES, 0, chunk->used - HEADER_BYTES);

        chunk->next = arena->spare;
        arena->spare = chunk;
    }
    arena->used_bytes = 0;
}

void wi_arena_free(struct wi_arena *arena)
{
    unmap_all(arena, &arena->head);
    unmap_all(arena, &arena->spare);
    wi_arena_init(arena, arena->budget_bytes);
}
