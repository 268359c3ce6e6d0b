#include "core/hash_index.h"

enum { SLOTS_MIN = 256 };

void hash_index_init(struct hash_index *x, struct arena *arena)
{
    *x = (struct hash_index){.arena = arena};
}

bool hash_index_reserve(struct hash_index *x)
{
    size_t n_slots = x->n_slots == 0 ? SLOTS_MIN : 2 * x->n_slots, room = 0;

    /* Half of the slots stay free, so that every search ends at a free one. */
    if ((x->count + 1) * 2 <= x->n_slots)
        return true;
    struct hash_index old = *x;
    struct hash_index_slot *slots = arena_grow(x->arena, NULL, &room, n_slots, sizeof(*slots));
    if (slots == NULL)
        return false;
    x->slots = slots;
    x->n_slots = n_slots;
    for (size_t i = 0; i < n_slots; i++)
        slots[i].id = HASH_INDEX_NONE;
    for (size_t i = 0; i < old.n_slots; i++) {
        if (old.slots[i].id == HASH_INDEX_NONE)
            continue;
        /* All entries differ already: the first free slot is right, and no key has to be compared. */
        struct hash_index_slot *slot = hash_index_find(x, old.slots[i].hash);
        while (slot->id != HASH_INDEX_NONE)
            slot = hash_index_next(x, slot);
        *slot = old.slots[i];
    }
    arena_release(x->arena, old.slots, old.n_slots, sizeof(*old.slots));
    return true;
}

void hash_index_free(struct hash_index *x)
{
    arena_release(x->arena, x->slots, x->n_slots, sizeof(*x->slots));
    hash_index_init(x, x->arena);
}
