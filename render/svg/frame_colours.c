#include "render/svg/frame_colours.h"

#include "core/number.h"
#include "core/order.h"
#include "profile/frame/origin.h"
#include "render/view/change.h"

/* ---- packages ---- */

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
    order_insert(c->heaviest, &c->n, PALETTE_OTHERS, at, &package, sizeof(package));
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

/* ---- frames ---- */

bool frame_colours_find(struct frame_colours *p, const struct names *n, enum view_palette kind,
                        const struct tree *base, struct arena *arena)
{
    *p = (struct frame_colours){.names = n, .kind = kind};
    for (uint32_t i = 0; kind == COLOURS_SELF && i < base->n; i++) {
        uint64_t self = tree_self(base, i, 0);
        frame_id frame = tree_frame(base, i);
        if (frame < base->n_frames && self > p->self_largest && names_of(n, frame)->origin != ORIGIN_IDLE)
            p->self_largest = self;
    }
    return kind != COLOURS_PACKAGE || package_colours_find(&p->packages, n, base, arena);
}

static struct frame_colours_class class_text(char letter, unsigned number)
{
    struct frame_colours_class made = {{letter, (char)('0' + number % 10)}};

    if (number >= 10) {
        made.text[1] = (char)('0' + number / 10);
        made.text[2] = (char)('0' + number % 10);
    }
    return made;
}

struct frame_colours_class frame_colours_class(const struct frame_colours *p, const struct tree *t,
                                               struct frame_colours_node node)
{
    if (node.frame >= t->n_frames)
        return (struct frame_colours_class){"cr"};
    const struct names_frame *f = names_of(p->names, node.frame);
    switch (p->kind) {
    case COLOURS_ORIGIN:
        return class_text('o', f->origin);
    case COLOURS_PACKAGE:
        return class_text('c', p->packages.of[f->package]);
    case COLOURS_SELF:
        return class_text('h', palette_self_class(node.self, p->self_largest));
    case COLOURS_CHANGE:
        return class_text('d', change_step(node.a, node.b));
    case COLOURS_CLASSIC:
        break;
    }
    return class_text('y', palette_classic_class(f->text));
}
