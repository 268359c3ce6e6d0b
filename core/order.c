#include "core/order.h"

#include <stdlib.h>
#include <string.h>

struct sort {
    order_before *before;
    const void *context;
    struct arena *arena;
};

/* Where the part that begins at `at`, and is in order, ends. */
static size_t run_end(const struct sort *s, const uint32_t *items, size_t at, size_t n)
{
    for (at++; at < n && !s->before(s->context, items[at], items[at - 1]); at++) {
    }
    return at < n ? at : n;
}

/* Of [at, mid) and [mid, end), which are in order, to the same places of `to`. */
static bool merge_runs(const struct sort *s, const uint32_t *from, uint32_t *to, size_t at, size_t mid,
                       size_t end)
{
    size_t a = at, b = mid;

    for (; a < mid && b < end; at++) {
        to[at] = s->before(s->context, from[b], from[a]) ? from[b++] : from[a++];
        if (arena_stopped_at(s->arena, at))
            return false;
    }
    memcpy(to + at, from + (a < mid ? a : b), (end - at) * sizeof(*to));
    return true;
}

/* Merges neighbours from `from` to `to`. Returns how many there are then, 0: the job was told to end. */
static size_t merge_all(const struct sort *s, const uint32_t *from, uint32_t *to, size_t n)
{
    size_t runs = 0;

    for (size_t at = 0, mid, end; at < n; at = end, runs++) {
        mid = run_end(s, from, at, n);
        end = mid < n ? run_end(s, from, mid, n) : n;
        if (arena_stopped_at(s->arena, runs) || !merge_runs(s, from, to, at, mid, end))
            return 0;
    }
    return runs;
}

bool order_array(uint32_t *items, size_t n, order_before *before, const void *context, struct arena *arena)
{
    const struct sort s = {before, context, arena};
    uint32_t *room, *from = items, *to, *spare;
    size_t runs = n;

    if (n == 0 || run_end(&s, items, 0, n) == n)
        return true;
    room = to = arena_lend(arena, n, sizeof(*room));
    if (room == NULL)
        return false;
    while (runs > 1) {
        runs = merge_all(&s, from, to, n);
        spare = from, from = to, to = spare;
    }
    if (from != items)
        memcpy(items, from, n * sizeof(*items));
    arena_release(arena, room, n, sizeof(*room));
    return runs == 1;
}

void order_insert(void *list, uint32_t *n, uint32_t max, uint32_t at, const void *item, size_t item_bytes)
{
    char *place = (char *)list + at * item_bytes;

    if (at == max)
        return;
    *n += *n < max;
    memmove(place + item_bytes, place, (*n - 1 - at) * item_bytes);
    memcpy(place, item, item_bytes);
}

struct item {
    struct str text;
    uint32_t id;
    uint32_t place; /* in ids: equal texts keep their order */
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = str_cmp(x->text, y->text);

    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* Of [at, mid) and [mid, end), which are in order, to the same places of `to`. */
static bool merge_items(const struct item *from, struct item *to, size_t at, size_t mid, size_t end,
                        struct arena *arena)
{
    for (size_t a = at, b = mid; at < end; at++) {
        to[at] = b == end || (a < mid && compare(&from[a], &from[b]) < 0) ? from[a++] : from[b++];
        if (arena_stopped_at(arena, at))
            return false;
    }
    return true;
}

/* In parts that do not take long, which are merged then. */
static bool sort_items(struct item *items, size_t n, struct arena *arena)
{
    enum { PART = 1 << 16 };

    for (size_t at = 0; at < n; at += PART) {
        if (arena_stopped(arena))
            return false;
        qsort(items + at, n - at < PART ? n - at : PART, sizeof(*items), compare);
    }
    if (n <= PART)
        return true;
    struct item *room = arena_lend(arena, n, sizeof(*room)), *from = items, *to = room, *spare;
    bool ok = room != NULL;
    for (size_t width = PART; ok && width < n; width *= 2, spare = from, from = to, to = spare)
        for (size_t at = 0, mid, end; ok && at < n; at = end) {
            mid = n - at < width ? n : at + width;
            end = n - mid < width ? n : mid + width;
            ok = merge_items(from, to, at, mid, end, arena);
        }
    if (ok && from != items)
        memcpy(items, from, n * sizeof(*items));
    arena_release(arena, room, n, sizeof(*room));
    return ok;
}

/* The texts are copied to where they are compared: by their ids, sorting would read all over the memory. */
bool order_strings(uint32_t *ids, uint32_t n, const struct str *texts, struct arena *arena)
{
    if (n < 2)
        return true;
    struct item *items = arena_lend(arena, n, sizeof(*items));
    if (items == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++)
        items[i] = (struct item){texts[ids[i]], ids[i], i};
    bool ok = sort_items(items, n, arena);
    for (uint32_t i = 0; ok && i < n; i++)
        ids[i] = items[i].id;
    arena_release(arena, items, n, sizeof(*items));
    return ok;
}
