#include "render/svg/layout.h"

#include "core/number.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/names/palette.h"
#include "render/tree/invert.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

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

/* ---- layout ---- */

enum { INVERT_NODES_MAX = 100000 }; /* with children: many more than are drawn */

struct walk {
    const struct tree *tree;
    uint64_t total;    /* of the root */
    uint64_t plot_dpx; /* width of the root */
    uint64_t least;    /* total of the narrowest frame that is drawn */
    struct heaviest_cut cut;
    uint64_t *start; /* by level: where the next frame begins, in units of the value */
    struct layout *made;
    struct layout_box *boxes; /* NULL: only count */
};

static uint32_t edge_dpx(const struct walk *w, uint64_t at)
{
    uint64_t dpx = number_ratio(at, w->total, w->plot_dpx);

    return (uint32_t)(dpx < w->plot_dpx ? dpx : w->plot_dpx);
}

/* Takes the frame's room on its level. False if it, and so its subtree, is not drawn. */
static bool visit(struct walk *w, uint32_t place)
{
    const struct tree *t = w->tree;
    struct layout *made = w->made;
    uint32_t depth = t->depth[place];
    uint64_t total = tree_total(t, place, 0), start = depth < LAYOUT_LEVELS_MAX ? w->start[depth] : 0;

    if (depth >= LAYOUT_LEVELS_MAX)
        return false;
    w->start[depth] = number_add(start, total);
    if (total < w->least || !heaviest_takes(w->cut, total, place))
        return false;
    uint32_t left = edge_dpx(w, start), right = edge_dpx(w, w->start[depth]);
    if (right == left)
        return false;
    w->start[depth + 1] = number_add(start, tree_self(t, place, 0));
    if (w->boxes != NULL)
        w->boxes[made->n_boxes] = (struct layout_box){place, LAYOUT_PAD_PX * 10 + left, right - left};
    made->n_boxes++;
    if (depth >= made->levels)
        made->levels = depth + 1;
    return true;
}

/* Rounded up: a frame of exactly the least width is drawn, one without any width never. */
static uint64_t least_total(const struct walk *w, uint32_t min_milli_px)
{
    __extension__ typedef unsigned __int128 u128;
    uint64_t plot_milli_px = w->plot_dpx * LAYOUT_TENTH_MILLI_PX;
    uint64_t least = (uint64_t)(((u128)w->total * min_milli_px + plot_milli_px - 1) / plot_milli_px);

    return least > 0 ? least : 1;
}

static void walk(struct walk *w)
{
    const struct tree *t = w->tree;

    *w->made = (struct layout){0};
    w->start[0] = 0;
    for (uint32_t place = 0; place < t->n;) {
        if (visit(w, place)) {
            place++;
            continue;
        }
        w->made->dropped = number_add(w->made->dropped, tree_total(t, place, 0));
        place += t->size[place];
    }
}

/* Cuts behind the widest of the boxes that a walk has made. */
static bool cut(struct walk *w, uint32_t frames_max, struct arena *arena)
{
    uint32_t n = w->made->n_boxes;
    uint64_t *totals = arena_array(arena, n, sizeof(*totals));
    uint32_t *places = arena_array(arena, n, sizeof(*places));

    if (totals == NULL || places == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        places[i] = w->boxes[i].place;
        totals[i] = tree_total(w->tree, places[i], 0);
    }
    w->cut = heaviest_cut(totals, places, n, frames_max);
    return true;
}

/* Three walks at most: to count, to find out which are the widest, and to place these. */
static bool place_boxes(struct walk *w, uint32_t frames_max, struct arena *arena)
{
    walk(w);
    w->boxes = arena_array(arena, w->made->n_boxes, sizeof(*w->boxes));
    if (w->boxes == NULL)
        return false;
    walk(w);
    if (w->made->n_boxes > frames_max) {
        if (!cut(w, frames_max, arena))
            return false;
        walk(w);
        w->made->capped = true;
    }
    w->made->boxes = w->boxes;
    return true;
}

const struct layout *layout_new(const struct tree *t, const struct layout_limits *limits, struct arena *arena)
{
    struct layout *made = arena_alloc(arena, sizeof(*made));
    uint64_t *start = arena_array(arena, LAYOUT_LEVELS_MAX + 1, sizeof(*start));
    struct walk w = {.tree = t, .start = start, .made = made, .cut = HEAVIEST_ALL};

    if (made == NULL || start == NULL)
        return NULL;
    w.total = tree_total(t, 0, 0);
    if (w.total == 0)
        return made;
    w.plot_dpx = ((uint64_t)limits->width_px - 2 * LAYOUT_PAD_PX) * 10;
    w.least = least_total(&w, limits->min_milli_px);
    return place_boxes(&w, limits->frames_max, arena) ? made : NULL;
}

/* Rounded down, so that whatever the layout draws has its callers. */
struct invert_cut layout_invert_cut(const struct view_options *view, uint64_t total)
{
    __extension__ typedef unsigned __int128 u128;
    uint64_t plot_milli_px = ((uint64_t)view->width_px - 2 * LAYOUT_PAD_PX) * 1000;
    uint64_t least = (uint64_t)((u128)total * view->min_milli_px / plot_milli_px);

    return (struct invert_cut){least, LAYOUT_LEVELS_MAX, INVERT_NODES_MAX};
}
