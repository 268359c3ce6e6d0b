#include "render/export/export.h"

#include "core/gzip.h"
#include "render/names/names.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

enum { GZIP_LEVEL = 2 }; /* of 57 MB: 11 % more bytes than 6, in a quarter to half of the processor time */

/* The column of each measure, the view's value first. False: the profile has no such value. */
static bool choose_measures(struct export *e, struct tree_spec *spec)
{
    struct measure all[MEASURES_MAX];
    const struct profile *p = e->in->profile;
    uint32_t n = measures_shown(p, e->in->view, all), chosen = n;

    for (uint32_t i = n; i-- > 0;)
        if (str_eq(measure_key(all[i].name), str_of(e->in->view->value)))
            chosen = i;
    if (chosen == n)
        return false;
    e->measures[e->n_measures++] = all[chosen];
    for (uint32_t i = 0; i < n; i++)
        if (i != chosen)
            e->measures[e->n_measures++] = all[i];
    for (uint32_t i = 0; i < n; i++)
        spec->measures[spec->n_measures++] = &e->measures[i];
    return true;
}

/* Behind them, those of what goes down; `minus` lives as long as the tree is made. */
static void choose_minus(struct export *e, struct tree_spec *spec, struct measure minus[MEASURES_MAX])
{
    const struct profile *p = e->in->profile;

    for (uint32_t i = 0; i < e->n_measures && spec->n_measures < TREE_COLUMNS_MAX; i++) {
        if (e->measures[i].waiting || p->minus[e->measures[i].value] == 0)
            continue;
        minus[i] = e->measures[i];
        minus[i].value = p->minus[e->measures[i].value];
        e->minus[i] = spec->n_measures;
        spec->measures[spec->n_measures++] = &minus[i];
    }
}

bool export_begin(struct export *e, const struct render_input *in, struct diag *diag)
{
    struct tree_spec spec = {.divisor = 1, .order = in->view->order};
    struct measure minus[MEASURES_MAX];

    *e = (struct export){.in = in, .n_parts = 1};
    if (!choose_measures(e, &spec))
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    choose_minus(e, &spec, minus);
    e->tree = tree_new(in, &spec, diag);
    if (e->tree == NULL)
        return false;
    if (e->tree->side_by_side)
        e->n_parts = e->tree->n_tracks;
    return true;
}

static struct export_part part_of(const struct export *e, uint32_t root, uint32_t track)
{
    struct str bracketed = names_track(e->in->names, track);

    return (struct export_part){.name = {bracketed.p + 1, bracketed.n - 2},
                                .track = &e->in->profile->tracks[track],
                                .root = root,
                                .first = root + 1,
                                .end = root + e->tree->size[root]};
}

bool export_parts(const struct export *e, bool (*each)(void *context, const struct export_part *part),
                  void *context)
{
    const struct tree *t = e->tree;

    if (!t->side_by_side && t->n_tracks == 1) {
        struct export_part one = part_of(e, 0, t->tracks[0]);
        return each(context, &one);
    }
    if (!t->side_by_side) {
        struct export_part merged = {.name = STR("merged"), .first = 1, .end = t->n};
        return each(context, &merged);
    }
    for (uint32_t place = 1; place < t->n; place += t->size[place]) {
        struct export_part part = part_of(e, place, tree_frame(t, place) - t->n_frames);
        if (!each(context, &part))
            return false;
    }
    return true;
}

void export_frame(const struct export *e, frame_id frame, struct buf *b)
{
    names_put_distinct(e->in->names, e->in->profile, frame, b);
}

void export_put_shrunk(const struct export *e, struct json *j)
{
    if (e->minus[0] > 0)
        json_put_u64(j, "shrunk", tree_total(e->tree, 0, e->minus[0]));
}

bool export_pack(struct buf *plain, struct buf *out, struct diag *diag)
{
    if (plain->failed)
        return fail_buf(plain, diag);
    if (gzip_put(out, buf_view(plain), GZIP_LEVEL))
        return true;
    out->failed = true;
    return fail_buf(out, diag);
}
