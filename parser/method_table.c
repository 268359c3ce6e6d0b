#include "parser/method_table.h"

_Static_assert(FRAME_NONE == IDMAP_NONE, "a missing id is a missing frame");

void method_table_init(struct method_table *t, struct arena *arena, struct hash_seed seed)
{
    *t = (struct method_table){.arena = arena};
    idmap_init(&t->map, arena, seed);
}

bool method_table_set(struct method_table *t, uint64_t id, frame_id frame)
{
    if (id > t->max_id)
        t->max_id = id;
    if ((id >> 2) < t->n_dense && (id & 3) == 0) {
        t->dense[id >> 2] = frame;
        return true;
    }
    return idmap_set(&t->map, id, frame);
}

bool method_table_seal(struct method_table *t)
{
    uint64_t n = (t->max_id >> 2) + 1;

    if (t->dense != NULL || t->map.count == 0 || n > 8 * (uint64_t)t->map.count + 1024)
        return true;
    frame_id *dense = arena_array(t->arena, (size_t)n, sizeof(*dense));
    if (dense == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        dense[i] = idmap_get(&t->map, (uint64_t)i << 2);
    t->dense = dense;
    t->n_dense = (size_t)n;
    return true;
}
