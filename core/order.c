#include "core/order.h"

#include <stdlib.h>
#include <string.h>

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
    qsort(items, n, sizeof(*items), compare);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = items[i].id;
    arena_release(arena, items, n, sizeof(*items));
    return true;
}
