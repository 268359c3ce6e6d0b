#include "core/strtab.h"

bool strtab_init(struct strtab *t, struct arena *arena, struct hash_seed seed)
{
    *t = (struct strtab){.arena = arena, .seed = seed};
    hash_index_init(&t->index, arena);
    return strtab_add(t, STR("")) == STRING_EMPTY;
}

string_id strtab_add(struct strtab *t, struct str s)
{
    if (!hash_index_reserve(&t->index))
        return STRING_NONE;
    uint64_t hash = hash_bytes(t->seed, s.p, s.n);
    struct hash_index_slot *slot = hash_index_find(&t->index, hash);
    for (; slot->id != HASH_INDEX_NONE; slot = hash_index_next(&t->index, slot))
        if (str_eq(t->strings[slot->id], s))
            return slot->id;

    if (!ARENA_ROOM(t->arena, t->strings, t->capacity, t->count + 1) || t->count >= STRING_NONE - 1)
        return STRING_NONE;
    char *copy = arena_copy(t->arena, s.p, s.n);
    if (copy == NULL)
        return STRING_NONE;
    t->strings[t->count] = (struct str){copy, s.n};
    hash_index_put(&t->index, slot, hash, (uint32_t)t->count);
    return (string_id)t->count++;
}

string_id strtab_find(const struct strtab *t, struct str s)
{
    uint64_t hash = hash_bytes(t->seed, s.p, s.n);
    const struct hash_index_slot *slot = hash_index_find(&t->index, hash);

    while (slot->id != HASH_INDEX_NONE && !str_eq(t->strings[slot->id], s))
        slot = hash_index_next(&t->index, slot);
    return slot->id == HASH_INDEX_NONE ? STRING_NONE : slot->id;
}
