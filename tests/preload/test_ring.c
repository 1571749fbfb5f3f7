/* The ring: order, growth once, counted drops, two threads.
 * Threads: the test's own. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/ring.h"

struct slot {
    uint64_t value;
    uint8_t rest[WI_RING_ENTRY_BYTES - sizeof(uint64_t)];
};

static void *new_slots(void)
{
    void *slots = aligned_alloc(64, WI_RING_BYTES);
    assert_non_null(slots);
    return slots;
}

static int push(struct wi_ring *ring, uint64_t value)
{
    struct slot *slot = wi_ring_claim(ring);
    if (!slot)
        return 0;
    slot->value = value;
    wi_ring_commit(ring);
    return 1;
}

static uint64_t pop(struct wi_ring *ring)
{
    assert_true(wi_ring_ready(ring) > 0);
    uint64_t value = ((struct slot *)wi_ring_peek(ring))->value;
    wi_ring_release(ring);
    return value;
}

static void keeps_order_over_many_rounds(void **unused)
{
    (void)unused;
    _Atomic int growths = 0;
    struct wi_ring ring;
    void *slots = new_slots();
    wi_ring_init(&ring, slots, &growths);
    uint64_t in = 0, out = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 777; i++)
            assert_true(push(&ring, in++));
        while (wi_ring_ready(&ring))
            assert_int_equal(pop(&ring), out++);
    }
    assert_int_equal(in, out);
    assert_int_equal(atomic_load(&ring.dropped), 0);
    free(slots);
}

static void full_without_growth_drops_and_counts(void **unused)
{
    (void)unused;
    _Atomic int growths = 0;
    struct wi_ring ring;
    void *slots = new_slots();
    wi_ring_init(&ring, slots, &growths);
    for (uint64_t i = 0; i < 1024; i++)
        assert_true(push(&ring, i));
    for (int i = 0; i < 5; i++)
        assert_false(push(&ring, 9999));
    assert_int_equal(atomic_load(&ring.dropped), 5);
    assert_int_equal(pop(&ring), 0);
    assert_true(push(&ring, 1024)); /* room again */
    for (uint64_t i = 1; i <= 1024; i++)
        assert_int_equal(pop(&ring), i);
    free(slots);
}

static void grows_once_and_loses_nothing(void **unused)
{
    (void)unused;
    _Atomic int growths = 1;
    struct wi_ring ring;
    void *slots = new_slots();
    wi_ring_init(&ring, slots, &growths);
    uint64_t in = 0, out = 0;
    for (int i = 0; i < 300; i++) { /* so that growing happens in the middle of the first part */
        push(&ring, in++);
        assert_int_equal(pop(&ring), out++);
    }
    while (push(&ring, in))
        in++;
    assert_int_equal(in - out, 4096);
    assert_int_equal(atomic_load(&growths), 0);
    assert_int_equal(atomic_load(&ring.dropped), 1);
    while (out < in)
        assert_int_equal(pop(&ring), out++);
    for (int i = 0; i < 20000; i++) { /* several rounds of the second part */
        assert_true(push(&ring, in++));
        if (i % 3)
            assert_int_equal(pop(&ring), out++);
        if (wi_ring_ready(&ring) > 4000)
            while (out < in)
                assert_int_equal(pop(&ring), out++);
    }
    free(slots);
}

static void growths_are_shared(void **unused)
{
    (void)unused;
    _Atomic int growths = 1;
    struct wi_ring first, second;
    void *slots1 = new_slots(), *slots2 = new_slots();
    wi_ring_init(&first, slots1, &growths);
    wi_ring_init(&second, slots2, &growths);
    for (uint64_t i = 0; i < 1100; i++) {
        assert_true(push(&first, i));
        push(&second, i);
    }
    assert_int_equal(atomic_load(&second.dropped), 76); /* 1100 - 1024 */
    free(slots1);
    free(slots2);
}

#define STREAM 300000u

static void *producer(void *ring)
{
    for (uint64_t i = 0; i < STREAM; i++)
        while (!push(ring, i))
            sched_yield();
    return NULL;
}

static void two_threads_agree(void **unused)
{
    (void)unused;
    _Atomic int growths = 1;
    struct wi_ring ring;
    void *slots = new_slots();
    pthread_t thread;
    wi_ring_init(&ring, slots, &growths);
    assert_int_equal(pthread_create(&thread, NULL, producer, &ring), 0);
    for (uint64_t next = 0; next < STREAM;) {
        if (wi_ring_ready(&ring))
            assert_int_equal(pop(&ring), next++);
        else
            sched_yield();
    }
    pthread_join(thread, NULL);
    assert_int_equal(wi_ring_ready(&ring), 0);
    free(slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order_over_many_rounds),
        cmocka_unit_test(full_without_growth_drops_and_counts),
        cmocka_unit_test(grows_once_and_loses_nothing),
        cmocka_unit_test(growths_are_shared),
        cmocka_unit_test(two_threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
