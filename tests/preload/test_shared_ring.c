/* The ring of many producers: order, room for exactly its places, counted drops, a place that is
 * held up, and four threads of which no entry is lost or told twice.
 * Threads: the test's own. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/shared_ring.h"

#define PRODUCERS 4
#define EACH      200000u

struct slot {
    uint64_t value;
    uint8_t rest[WI_RING_ENTRY_BYTES - sizeof(uint64_t)];
};

static void *new_ring(struct wi_shared_ring *ring)
{
    void *memory = aligned_alloc(64, WI_SHARED_BYTES);
    assert_non_null(memory);
    memset(memory, 0, WI_SHARED_BYTES);
    wi_shared_init(ring, memory);
    return memory;
}

static int push(struct wi_shared_ring *ring, uint64_t value)
{
    struct slot slot;
    memset(&slot, (int)(value & 0x7f), sizeof(slot)); /* all of it must arrive */
    slot.value = value;
    return wi_shared_push(ring, &slot);
}

static int pop(struct wi_shared_ring *ring, uint64_t *value)
{
    struct slot slot;
    if (!wi_shared_pop(ring, &slot))
        return 0;
    *value = slot.value;
    for (size_t i = 0; i < sizeof(slot.rest); i++)
        assert_int_equal(slot.rest[i], slot.value & 0x7f);
    return 1;
}

static void keeps_order_over_many_rounds(void **unused)
{
    (void)unused;
    struct wi_shared_ring ring;
    void *memory = new_ring(&ring);
    uint64_t in = 0, out = 0, value;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 777; i++)
            assert_true(push(&ring, in++));
        assert_true(wi_shared_held(&ring));
        while (pop(&ring, &value))
            assert_int_equal(value, out++);
        assert_false(wi_shared_held(&ring));
    }
    assert_int_equal(out, 50 * 777);
    assert_int_equal(wi_shared_dropped(&ring), 0);
    free(memory);
}

static void full_drops_and_counts_and_goes_on(void **unused)
{
    (void)unused;
    struct wi_shared_ring ring;
    void *memory = new_ring(&ring);
    uint64_t value;
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < WI_SHARED_PLACES; i++)
            assert_true(push(&ring, i));
        for (int i = 0; i < 5; i++)
            assert_false(push(&ring, 9999));
        assert_int_equal(wi_shared_dropped(&ring), 5 * (round + 1));
        for (uint64_t i = 0; i < WI_SHARED_PLACES; i++) {
            assert_true(pop(&ring, &value));
            assert_int_equal(value, i);
        }
        assert_false(pop(&ring, &value));
    }
    free(memory);
}

/* A producer that was stopped between taking its place and publishing it, done by hand. */
static void a_place_held_up_holds_up_the_consumer_only(void **unused)
{
    (void)unused;
    struct wi_shared_ring ring;
    void *memory = new_ring(&ring);
    uint64_t value;
    assert_true(push(&ring, 1));
    atomic_fetch_add(&ring.head, 1); /* index 1 is taken */
    assert_true(push(&ring, 3));
    assert_true(pop(&ring, &value));
    assert_int_equal(value, 1);
    assert_false(pop(&ring, &value));
    assert_true(wi_shared_held(&ring));
    struct slot late = {.value = 2};
    memset(late.rest, 2, sizeof(late.rest));
    memcpy(ring.slots + WI_RING_ENTRY_BYTES, &late, sizeof(late));
    atomic_store(&ring.turns[1], 1);
    assert_true(pop(&ring, &value));
    assert_int_equal(value, 2);
    assert_true(pop(&ring, &value));
    assert_int_equal(value, 3);
    free(memory);
}

struct producer {
    struct wi_shared_ring *ring;
    uint64_t number, refused;
};

static void *produce(void *argument)
{
    struct producer *p = argument;
    for (uint64_t i = 0; i < EACH; i++)
        for (; !push(p->ring, p->number << 32 | i); p->refused++)
            sched_yield(); /* the consumer may be without a core */
    return NULL;
}

/* Each tries again until it has room, so that every entry must come out, once and in order. */
static void nothing_is_lost_between_threads(void **unused)
{
    (void)unused;
    struct wi_shared_ring ring;
    void *memory = new_ring(&ring);
    struct producer producers[PRODUCERS];
    pthread_t threads[PRODUCERS];
    uint64_t next[PRODUCERS] = {0}, got = 0, refused = 0, value;
    for (uint64_t i = 0; i < PRODUCERS; i++) {
        producers[i] = (struct producer){.ring = &ring, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
    }
    while (got < (uint64_t)PRODUCERS * EACH) {
        if (!pop(&ring, &value)) {
            sched_yield();
            continue;
        }
        got++;
        assert_int_equal((uint32_t)value, next[value >> 32]++);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        refused += producers[i].refused;
    }
    assert_false(pop(&ring, &value));
    assert_int_equal(refused, wi_shared_dropped(&ring));
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order_over_many_rounds),
        cmocka_unit_test(full_drops_and_counts_and_goes_on),
        cmocka_unit_test(a_place_held_up_holds_up_the_consumer_only),
        cmocka_unit_test(nothing_is_lost_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
