/* Strings are sorted a chunk of 7 bytes at a time: names share long prefixes, which a comparison sort would
 * read over and over. A key holds the chunk and, below it, how many bytes it has; runs of equal keys are
 * sorted by their next chunk. */
#include "core/order.h"

#include <string.h>

enum {
    CHUNK_BYTES = 7,
    CHUNK_AND_MORE = CHUNK_BYTES + 1, /* the text goes on behind the chunk */
    SMALL_RANGE = 12                  /* sorted by comparing whole tails */
};

struct item {
    uint64_t key;
    uint32_t id;
};

struct range {
    uint32_t first, n;
    size_t at; /* bytes that all of them share */
};

struct sorter {
    struct arena *arena;
    const struct str *texts;
    struct item *items, *spare;
    struct range *todo;
    size_t n_todo, todo_capacity;
};

static uint64_t key_at(struct str s, size_t at)
{
    size_t left = s.n - at;
    size_t n = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    uint64_t key = 0;

    for (size_t i = 0; i < n; i++)
        key |= (uint64_t)(unsigned char)s.p[at + i] << (56 - 8 * i);
    return key | (left < CHUNK_AND_MORE ? left : CHUNK_AND_MORE);
}

static struct str tail(struct str s, size_t at)
{
    return (struct str){s.p + at, s.n - at};
}

static void sort_small(struct sorter *s, uint32_t *ids, uint32_t n, size_t at)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t id = ids[i], j = i;
        for (; j > 0 && str_cmp(tail(s->texts[ids[j - 1]], at), tail(s->texts[id], at)) > 0; j--)
            ids[j] = ids[j - 1];
        ids[j] = id;
    }
}

static void merge_runs(const struct item *from, struct item *to, uint32_t a, uint32_t middle, uint32_t end)
{
    uint32_t b = middle;

    for (uint32_t i = a; i < end; i++)
        if (b == end || (a < middle && from[a].key <= from[b].key))
            to[i] = from[a++];
        else
            to[i] = from[b++];
}

static bool is_sorted(const struct item *items, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

static void sort_items(struct sorter *s, uint32_t n)
{
    if (is_sorted(s->items, n))
        return;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t a = 0; a < n; a += 2 * width) {
            uint64_t middle = a + width < n ? a + width : n;
            uint64_t end = middle + width < n ? middle + width : n;
            merge_runs(s->items, s->spare, (uint32_t)a, (uint32_t)middle, (uint32_t)end);
        }
        struct item *swapped = s->items;
        s->items = s->spare;
        s->spare = swapped;
    }
}

static bool push(struct sorter *s, uint32_t first, uint32_t n, size_t at)
{
    struct range *todo = arena_grow(s->arena, s->todo, &s->todo_capacity, s->n_todo + 1, sizeof(*todo));

    if (todo == NULL)
        return false;
    s->todo = todo;
    todo[s->n_todo++] = (struct range){first, n, at};
    return true;
}

static bool sort_range(struct sorter *s, uint32_t *ids, struct range r)
{
    ids += r.first;
    if (r.n <= SMALL_RANGE) {
        sort_small(s, ids, r.n, r.at);
        return true;
    }
    for (uint32_t i = 0; i < r.n; i++)
        s->items[i] = (struct item){key_at(s->texts[ids[i]], r.at), ids[i]};
    sort_items(s, r.n);
    for (uint32_t i = 0; i < r.n; i++)
        ids[i] = s->items[i].id;
    for (uint32_t i = 0, end; i < r.n; i = end) {
        uint64_t key = s->items[i].key;
        for (end = i + 1; end < r.n && s->items[end].key == key;)
            end++;
        bool goes_on = (key & 0xff) == CHUNK_AND_MORE;
        if (end - i > 1 && goes_on && !push(s, r.first + i, end - i, r.at + CHUNK_BYTES))
            return false;
    }
    return true;
}

bool order_strings(uint32_t *ids, uint32_t n, const struct str *texts, struct arena *arena)
{
    struct sorter s = {.arena = arena, .texts = texts};
    bool ok = false;

    if (n <= SMALL_RANGE) {
        sort_small(&s, ids, n, 0);
        return true;
    }
    /* Not arena_array: what arena_grow gave can be given back. */
    size_t capacity = 0, spare_capacity = 0;
    s.items = arena_grow(arena, NULL, &capacity, n, sizeof(*s.items));
    s.spare = arena_grow(arena, NULL, &spare_capacity, n, sizeof(*s.spare));
    if (s.items != NULL && s.spare != NULL && push(&s, 0, n, 0)) {
        ok = true;
        while (ok && s.n_todo > 0)
            ok = sort_range(&s, ids, s.todo[--s.n_todo]);
    }
    arena_release(arena, s.todo, s.todo_capacity, sizeof(*s.todo));
    arena_release(arena, s.items, capacity, sizeof(*s.items));
    arena_release(arena, s.spare, capacity, sizeof(*s.spare));
    return ok;
}
