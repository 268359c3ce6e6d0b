/* Method id -> frame. Ids are an index shifted left by two (ART 6 and later) or a pointer (before); bits 0
 * and 1, where records hold the action, are 0. As far as ids are dense they stand in an array: one load per
 * record; the others are in a map. */
#ifndef PARSER_ANDROID_METHOD_TABLE_H
#define PARSER_ANDROID_METHOD_TABLE_H

#include "core/idmap.h"
#include "profile/profile.h"

struct method_table {
    struct arena *arena;
    uint64_t n_set;
    frame_id *dense; /* by id >> 2 */
    size_t n_dense;
    struct idmap map; /* ids that the array did not reach when they came, or that have one of the two bits */
};

void method_table_init(struct method_table *t, struct arena *arena, struct hash_seed seed);

/* False when the arena gives no more. */
bool method_table_set(struct method_table *t, uint64_t id, frame_id frame)
    __attribute__((warn_unused_result));

/* FRAME_NONE if the id is not there. */
static inline frame_id method_table_get(const struct method_table *t, uint64_t id)
{
    if ((id >> 2) < t->n_dense && (id & 3) == 0)
        return t->dense[id >> 2];
    return idmap_get(&t->map, id);
}

#endif
