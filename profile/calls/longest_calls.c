#include "profile/calls/longest_calls.h"

bool longest_calls_init(struct longest_calls *c, struct arena *arena, uint32_t max)
{
    *c = (struct longest_calls){.list = arena_array(arena, max, sizeof(*c->list)), .max = max};
    return c->list != NULL;
}

/* Whether a is kept rather than b. Calls of one track, beginning and depth have no length, but for the last one. */
static bool is_before(const struct listed_call *a, const struct listed_call *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    if (a->track != b->track)
        return a->track < b->track;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->frame < b->frame;
}

static void swap(struct listed_call *a, struct listed_call *b)
{
    struct listed_call kept = *a;

    *a = *b;
    *b = kept;
}

static void sink(struct listed_call *list, uint32_t n, uint32_t at)
{
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;
        for (uint32_t child = left; child < n && child <= left + 1; child++)
            if (is_before(&list[least], &list[child]))
                least = child;
        if (least == at)
            return;
        swap(&list[least], &list[at]);
        at = least;
    }
}

void longest_calls_add(struct longest_calls *c, const struct listed_call *call)
{
    if (c->n == c->max) {
        if (c->max == 0 || !is_before(call, &c->list[0]))
            return;
        c->list[0] = *call;
        sink(c->list, c->n, 0);
        return;
    }
    uint32_t at = c->n++;
    c->list[at] = *call;
    for (uint32_t parent; at > 0 && is_before(&c->list[parent = (at - 1) / 2], &c->list[at]); at = parent)
        swap(&c->list[parent], &c->list[at]);
}

void longest_calls_sort(struct longest_calls *c)
{
    for (uint32_t n = c->n; n > 1; n--) {
        swap(&c->list[0], &c->list[n - 1]);
        sink(c->list, n - 1, 0);
    }
}
