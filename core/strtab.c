#include "core/strtab.h"

#include <string.h>

bool strtab_init(struct strtab *t, struct arena *arena, struct hash_seed seed)
{
    *t = (struct strtab){.arena = arena, .seed = seed};
    return strtab_add(t, STR("")) == STRING_EMPTY;
}

static bool rehash(struct strtab *t, size_t n_slots)
{
    size_t room = 0, tag_room = 0;
    uint32_t *slots = arena_grow(t->arena, NULL, &room, n_slots, sizeof(*slots));
    uint32_t *tags = arena_grow(t->arena, NULL, &tag_room, n_slots, sizeof(*tags));

    if (slots == NULL || tags == NULL)
        return false;
    memset(slots, 0, n_slots * sizeof(*slots));
    for (size_t id = 0; id < t->count; id++) {
        uint64_t hash = hash_bytes(t->seed, t->strings[id].p, t->strings[id].n);
        size_t i = (size_t)hash & (n_slots - 1);
        while (slots[i] != 0)
            i = (i + 1) & (n_slots - 1);
        slots[i] = (uint32_t)id + 1;
        tags[i] = (uint32_t)(hash >> 32);
    }
    arena_release(t->arena, t->slots, t->n_slots, sizeof(*slots));
    arena_release(t->arena, t->tags, t->n_slots, sizeof(*tags));
    t->slots = slots;
    t->tags = tags;
    t->n_slots = n_slots;
    return true;
}

string_id strtab_add(struct strtab *t, struct str s)
{
    if ((t->count + 1) * 2 > t->n_slots && !rehash(t, t->n_slots == 0 ? 256 : t->n_slots * 2))
        return STRING_NONE;
    uint64_t hash = hash_bytes(t->seed, s.p, s.n);
    uint32_t tag = (uint32_t)(hash >> 32);
    size_t i = (size_t)hash & (t->n_slots - 1);
    for (; t->slots[i] != 0; i = (i + 1) & (t->n_slots - 1))
        if (t->tags[i] == tag && str_eq(t->strings[t->slots[i] - 1], s))
            return t->slots[i] - 1;

    struct str *strings = arena_grow(t->arena, t->strings, &t->capacity, t->count + 1, sizeof(*strings));
    if (strings == NULL || t->count >= STRING_NONE - 1)
        return STRING_NONE;
    t->strings = strings;
    char *copy = arena_copy(t->arena, s.p, s.n);
    if (copy == NULL)
        return STRING_NONE;
    strings[t->count] = (struct str){copy, s.n};
    t->slots[i] = (uint32_t)t->count + 1;
    t->tags[i] = tag;
    return (string_id)t->count++;
}
