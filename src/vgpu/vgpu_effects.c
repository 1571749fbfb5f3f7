/* The queue of effects on memory.
 * Threads: any. May not: reorder; a later copy may read what an earlier one writes. */
#include "vgpu_effects.h"

#include "vgpu_config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { QUEUED = 256 };

static struct {
    pthread_mutex_t lock;
    struct vg_effect effects[QUEUED];
    atomic_int count;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_row(char *target, const struct vg_effect *effect)
{
    if (effect->element_bytes == 1) {
        memset(target, (int)(effect->value & 0xff), effect->width);
        return;
    }
    for (size_t at = 0; at + 4 <= effect->width; at += 4) {
        memcpy(target + at, &effect->value, 4);
    }
}

static void carry_out(const struct vg_effect *effect)
{
    for (size_t row = 0; row < effect->height; row++) {
        char *target = (char *)effect->target + row * effect->target_pitch;
        if (effect->source != NULL) {
            memmove(target, (const char *)effect->source + row * effect->source_pitch,
                    effect->width);
        } else {
            set_row(target, effect);
        }
    }
}

static void settle_locked(void)
{
    int count = atomic_load(&state.count);
    for (int i = 0; i < count; i++) {
        carry_out(&state.effects[i]);
    }
    atomic_store(&state.count, 0);
}

void vg_effects_settle(void)
{
    if (atomic_load(&state.count) > 0) {
        pthread_mutex_lock(&state.lock);
        settle_locked();
        pthread_mutex_unlock(&state.lock);
    }
}

void vg_effect_add(const struct vg_effect *effect)
{
    if (!vg_config()->data) {
        return;
    }
    pthread_mutex_lock(&state.lock);
    if (atomic_load(&state.count) == QUEUED) {
        settle_locked();
    }
    state.effects[atomic_load(&state.count)] = *effect;
    atomic_fetch_add(&state.count, 1);
    pthread_mutex_unlock(&state.lock);
}
