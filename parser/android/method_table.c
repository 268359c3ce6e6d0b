#include "parser/android/method_table.h"

/* The array reaches as far as it has so many places for an id at most, or this far in any case. */
enum { PLACES_PER_ID = 8, REACH_MIN = 1024 };

_Static_assert(FRAME_NONE == IDMAP_NONE, "a missing id is a missing frame");

void method_table_init(struct method_table *t, struct arena *arena, struct hash_seed seed)
{
    *t = (struct method_table){.arena = arena};
    idmap_init(&t->map, arena, seed);
}

/* Makes the array reach this index; from then on it says what the map says of those ids. */
static bool reach(struct method_table *t, uint64_t index)
{
    size_t n = t->n_dense;

    if (!ARENA_ROOM(t->arena, t->dense, n, (size_t)index + 1))
        return false;
    for (size_t i = t->n_dense; i < n; i++)
        t->dense[i] = idmap_get(&t->map, (uint64_t)i << 2);
    t->n_dense = n;
    return true;
}

bool method_table_set(struct method_table *t, uint64_t id, frame_id frame)
{
    uint64_t index = id >> 2;

    t->n_set++;
    if ((id & 3) != 0 || (index >= t->n_dense && index >= PLACES_PER_ID * t->n_set + REACH_MIN))
        return idmap_set(&t->map, id, frame);
    if (index >= t->n_dense && !reach(t, index))
        return false;
    t->dense[index] = frame;
    return true;
}
