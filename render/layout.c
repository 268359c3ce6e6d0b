#include "render/layout.h"

#include "render/number.h"

struct walk {
    const struct tree *tree;
    uint64_t total;    /* of the root */
    uint64_t plot_dpx; /* width of the root */
    uint64_t least;    /* total of the narrowest frame that is drawn */
    uint64_t *start;   /* by level: where the next frame begins, in units of the value */
    struct layout *made;
    struct layout_box *boxes; /* NULL: only count */
};

static void drop(struct layout_dropped *d, uint32_t frames, uint64_t total)
{
    d->frames += frames;
    d->total = number_add(d->total, total);
}

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
    uint64_t total = tree_total(t, place, 0);

    if (depth >= LAYOUT_LEVELS_MAX) {
        drop(&made->deep, t->size[place], total);
        return false;
    }
    uint64_t start = w->start[depth];
    w->start[depth] = number_add(start, total);
    if (total < w->least) {
        drop(&made->narrow, t->size[place], total);
        return false;
    }
    uint32_t left = edge_dpx(w, start), right = edge_dpx(w, w->start[depth]);
    if (right == left) {
        drop(&made->narrow, t->size[place], total);
        return false;
    }
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

static void walk(struct walk *w, uint32_t min_milli_px)
{
    const struct tree *t = w->tree;

    *w->made = (struct layout){.min_milli_px = min_milli_px};
    w->least = least_total(w, min_milli_px);
    w->start[0] = 0;
    for (uint32_t place = 0; place < t->n;)
        place += visit(w, place) ? 1 : t->size[place];
}

const struct layout *layout_new(const struct tree *t, uint32_t width_px, uint32_t min_milli_px,
                                struct arena *arena)
{
    struct layout *made = arena_alloc(arena, sizeof(*made));
    uint64_t *start = arena_array(arena, LAYOUT_LEVELS_MAX + 1, sizeof(*start));

    if (made == NULL || start == NULL)
        return NULL;
    made->min_milli_px = min_milli_px;
    struct walk w = {.tree = t, .total = tree_total(t, 0, 0), .start = start, .made = made};
    if (w.total == 0)
        return made;
    w.plot_dpx = ((uint64_t)width_px - 2 * LAYOUT_PAD_PX) * 10;
    uint32_t min = min_milli_px;
    walk(&w, min);
    while (made->n_boxes > LAYOUT_FRAMES_MAX) {
        min = min < LAYOUT_TENTH_MILLI_PX ? LAYOUT_TENTH_MILLI_PX : min * 2;
        walk(&w, min);
    }
    bool raised = min != min_milli_px;
    w.boxes = arena_array(arena, made->n_boxes, sizeof(*w.boxes));
    if (w.boxes == NULL)
        return NULL;
    walk(&w, min);
    made->boxes = w.boxes;
    made->min_raised = raised;
    return made;
}
