/* Map from 64-bit keys to 32-bit values: open addressing, seeded, in an arena. */
#pragma once

#include "core/arena.h"
#include "core/hash.h"

#define IDMAP_NONE UINT32_MAX /* not a value */

struct idmap_slot {
    uint64_t key;
    uint32_t value; /* IDMAP_NONE: free */
};

struct idmap {
    struct arena *arena;
    struct hash_seed seed;
    struct idmap_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

void idmap_init(struct idmap *m, struct arena *arena, struct hash_seed seed);

/* IDMAP_NONE if the key is not there. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
    if (m->capacity == 0)
        return IDMAP_NONE;
    size_t mask = m->capacity - 1;
    for (size_t i = (size_t)hash_u64(m->seed, key) & mask;; i = (i + 1) & mask) {
        const struct idmap_slot *slot = &m->slots[i];
        if (slot->value == IDMAP_NONE || slot->key == key)
            return slot->value;
    }
}

/* Sets or replaces. False when the arena gives no more. */
bool idmap_set(struct idmap *m, uint64_t key, uint32_t value) MUST_CHECK;

/* Does nothing if the key is not there. */
void idmap_remove(struct idmap *m, uint64_t key);
