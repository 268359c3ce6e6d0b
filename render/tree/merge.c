#include "render/tree/merge.h"

#include "core/order.h"

/* The children of all members of a group, as one list: `next` binds the members of a group as well as
 * siblings. */
static uint32_t join_children(const struct place_lists *l, uint32_t member)
{
    uint32_t joined = ORDER_NONE;
    uint32_t *tail = &joined;

    for (; member != ORDER_NONE; member = l->next[member])
        for (*tail = l->first[member]; *tail != ORDER_NONE;)
            tail = &l->next[*tail];
    return joined;
}

/* Cuts the sorted list after its leading run of equal ranks; returns what follows. */
static uint32_t cut_run(const struct place_rows *rows, const struct place_lists *l, uint32_t head)
{
    uint32_t last = head;

    while (l->next[last] != ORDER_NONE && rows->rank[l->next[last]] == rows->rank[head])
        last = l->next[last];
    uint32_t rest = l->next[last];
    l->next[last] = ORDER_NONE;
    return rest;
}

/* Groups are made breadth first: the list of groups is the queue. */
bool merge_rows(const struct place_rows *rows, struct merge *made, struct arena *arena)
{
    uint32_t *head = arena_array(arena, rows->n, sizeof(*head));
    uint32_t *rank = arena_array(arena, rows->n, sizeof(*rank));
    uint32_t *parent = arena_array(arena, rows->n, sizeof(*parent)), n = 1;
    struct place_lists l;

    if (head == NULL || rank == NULL || parent == NULL || !place_list(rows, &l, arena))
        return false;
    for (uint32_t group = 0; group < n; group++) {
        uint32_t list = join_children(&l, head[group]);
        list = order_list(list, l.next, place_before_by_rank, rows);
        while (list != ORDER_NONE) {
            head[n] = list;
            rank[n] = rows->rank[list];
            parent[n++] = group;
            list = cut_run(rows, &l, list);
        }
    }
    *made = (struct merge){{n, parent, 0, rank}, head, l.next};
    return true;
}
