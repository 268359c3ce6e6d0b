/* Index of things that others hold in an array: ids by hash. Who looks compares the things themselves:
 *
 *     if (!hash_index_reserve(&x)) ...
 *     struct hash_index_slot *slot = hash_index_find(&x, hash);
 *     while (slot->id != HASH_INDEX_NONE && !same(slot->id))
 *         slot = hash_index_next(&x, slot);
 *     if (slot->id == HASH_INDEX_NONE)
 *         hash_index_put(&x, slot, hash, new_id);
 *
 * A slot keeps the hash beside the id: to grow is to read the slots from one end to the other and write them
 * in two such places, without a look at the things. */
#pragma once

#include "core/arena.h"
#include "core/hash.h"

#define HASH_INDEX_NONE UINT32_MAX /* no id: the slot is free */

struct hash_index_slot {
    uint32_t hash; /* the lower half */
    uint32_t id;
};

struct hash_index {
    struct arena *arena;
    struct hash_index_slot *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t count;
};

void hash_index_init(struct hash_index *x, struct arena *arena);

/* Gives its memory back; it is empty then. */
void hash_index_free(struct hash_index *x);

/* Makes room for one more. Slots that were found before are no longer valid. False when the arena gives no
 * more. */
bool hash_index_reserve(struct hash_index *x) MUST_CHECK;

/* The slot of an id with this hash, or the free one where it belongs. */
static inline struct hash_index_slot *hash_index_from(const struct hash_index *x, size_t i, uint32_t hash)
{
    for (;; i++) {
        struct hash_index_slot *slot = &x->slots[i & (x->n_slots - 1)];
        if (slot->id == HASH_INDEX_NONE || slot->hash == hash)
            return slot;
    }
}

static inline struct hash_index_slot *hash_index_find(const struct hash_index *x, uint64_t hash)
{
    return hash_index_from(x, (uint32_t)hash, (uint32_t)hash);
}

/* The same behind this one. */
static inline struct hash_index_slot *hash_index_next(const struct hash_index *x,
                                                      const struct hash_index_slot *slot)
{
    return hash_index_from(x, (size_t)(slot - x->slots) + 1, slot->hash);
}

/* Puts an id into the free slot that was found for this hash. */
static inline void hash_index_put(struct hash_index *x, struct hash_index_slot *slot, uint64_t hash,
                                  uint32_t id)
{
    *slot = (struct hash_index_slot){(uint32_t)hash, id};
    x->count++;
}
