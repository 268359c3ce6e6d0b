#include "core/idmap.h"

void idmap_init(struct idmap *m, struct arena *arena, struct hash_seed seed)
{
    *m = (struct idmap){.arena = arena, .seed = seed};
}

/* The capacity is a power of two, and idmap_set leaves at least half of the slots free: so the search ends. */
static struct idmap_slot *find(const struct idmap *m, uint64_t key)
{
    size_t mask = m->capacity - 1;

    for (size_t i = (size_t)hash_u64(m->seed, key) & mask;; i = (i + 1) & mask) {
        struct idmap_slot *slot = &m->slots[i];
        if (slot->value == IDMAP_NONE || slot->key == key)
            return slot;
    }
}

static bool rehash(struct idmap *m, size_t capacity)
{
    size_t room = 0;
    struct idmap_slot *slots = arena_grow(m->arena, NULL, &room, capacity, sizeof(*slots));

    if (slots == NULL)
        return false;
    struct idmap old = *m;
    m->slots = slots;
    m->capacity = capacity;
    for (size_t i = 0; i < capacity; i++)
        slots[i] = (struct idmap_slot){0, IDMAP_NONE};
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value != IDMAP_NONE)
            *find(m, old.slots[i].key) = old.slots[i];
    arena_release(m->arena, old.slots, old.capacity, sizeof(*old.slots));
    return true;
}

bool idmap_set(struct idmap *m, uint64_t key, uint32_t value)
{
    if ((m->count + 1) * 2 > m->capacity && !rehash(m, m->capacity == 0 ? 16 : m->capacity * 2))
        return false;
    struct idmap_slot *slot = find(m, key);
    if (slot->value == IDMAP_NONE)
        m->count++;
    *slot = (struct idmap_slot){key, value};
    return true;
}

/* What stands behind the key moves up, as far as that does not put it before the slot where a search for it begins. */
void idmap_remove(struct idmap *m, uint64_t key)
{
    if (m->capacity == 0)
        return;
    size_t mask = m->capacity - 1, free = (size_t)(find(m, key) - m->slots);
    if (m->slots[free].value == IDMAP_NONE)
        return;
    for (size_t i = (free + 1) & mask; m->slots[i].value != IDMAP_NONE; i = (i + 1) & mask) {
        size_t wanted = (size_t)hash_u64(m->seed, m->slots[i].key) & mask;
        if (((i - wanted) & mask) < ((i - free) & mask))
            continue;
        m->slots[free] = m->slots[i];
        free = i;
    }
    m->slots[free].value = IDMAP_NONE;
    m->count--;
}
