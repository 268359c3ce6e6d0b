#include "render/svg/package_colours.h"

#include "core/number.h"

struct sums {
    uint64_t *self; /* by package */
    bool *seen;
};

static void add_up(const struct sums *s, const struct names *n, const struct tree *base)
{
    for (uint32_t row = 0; row < base->n; row++) {
        if (base->frame[row] >= base->n_frames)
            continue;
        uint32_t package = names_of(n, base->frame[row])->package;
        uint64_t self = base->columns[0].self[(size_t)row * base->columns[0].stride];
        s->self[package] = number_add(s->self[package], self);
        s->seen[package] = true;
    }
}

/* Inserts the package where it belongs, the largest first, equal ones as they come. */
static void insert(struct package_colours *c, const uint64_t *self, uint32_t package)
{
    uint32_t at = c->n;

    while (at > 0 && self[c->heaviest[at - 1]] < self[package])
        at--;
    c->others = c->others || c->n == PALETTE_OTHERS;
    if (at == PALETTE_OTHERS)
        return;
    for (uint32_t i = c->n < PALETTE_OTHERS ? c->n : PALETTE_OTHERS - 1; i > at; i--)
        c->heaviest[i] = c->heaviest[i - 1];
    c->heaviest[at] = package;
    c->n += c->n < PALETTE_OTHERS;
}

bool package_colours_find(struct package_colours *c, const struct names *n, const struct tree *base,
                          struct arena *arena)
{
    uint32_t count = names_packages(n);
    struct sums s = {arena_array(arena, count, sizeof(*s.self)), arena_array(arena, count, sizeof(*s.seen))};

    *c = (struct package_colours){.of = arena_array(arena, count, sizeof(*c->of))};
    if (s.self == NULL || s.seen == NULL || c->of == NULL)
        return false;
    add_up(&s, n, base);
    for (uint32_t i = 0; i < count; i++) {
        c->of[i] = PALETTE_OTHERS;
        if (s.seen[i])
            insert(c, s.self, i);
    }
    for (uint32_t i = 0; i < c->n; i++)
        c->of[c->heaviest[i]] = (uint8_t)i;
    return true;
}
