/* Bump allocator over mmap with a hard budget; the only allocator of code that runs inside a job.
 * Threads: one arena belongs to one thread at a time. May not: call malloc.
 * Memory is zero-filled, 16-byte aligned and released all at once. */
#ifndef WI_BASE_ARENA_H
#define WI_BASE_ARENA_H

#include <stddef.h>

struct wi_arena_chunk;

struct wi_arena {
    struct wi_arena_chunk *head;
    struct wi_arena_chunk *spare; /* mapped, zeroed and not in use */
    size_t used_bytes;            /* handed out, of the newest chunk */
    size_t mapped_bytes;          /* of all chunks */
    size_t budget_bytes;          /* mapped_bytes never exceeds this */
};

/* Prepares an empty arena; maps nothing yet. */
void wi_arena_init(struct wi_arena *arena, size_t budget_bytes);
/* size bytes, zeroed, or NULL when the budget or the system refuses. */
void *wi_arena_alloc(struct wi_arena *arena, size_t size);
/* A NUL-terminated copy of len bytes, or NULL. */
char *wi_arena_strn(struct wi_arena *arena, const char *text, size_t len);
/* As wi_arena_free, but what is mapped serves what is allocated next: for work that is done several
 * times over, whose pages would else be given back and asked for again each time. */
void wi_arena_reset(struct wi_arena *arena);
/* Says that memory of an arena is about to be filled: the system gives its pages in one go, not in
 * one interruption each. Where it cannot, they come as they are used. */
void wi_arena_fill_soon(void *memory, size_t size);
/* Unmaps everything; the arena is empty and usable again. */
void wi_arena_free(struct wi_arena *arena);

#endif
