#include "render/svg/layout.h"

#include "core/number.h"
#include "render/tree/heaviest.h"

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
