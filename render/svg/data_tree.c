#include "render/svg/data_tree.h"

#include "core/number.h"
#include "profile/transform/compare_sides.h"
#include "render/tree/tree_new.h"

/* The column of each measure: first what a picture needs. */
static void assign_columns(struct data_tree *d)
{
    uint32_t next = 0, calls = d->n_measures;
    bool compares = d->in->profile->compared != NULL;

    for (uint32_t i = 0; i < d->n_measures; i++)
        if (!d->measures[i].waiting && d->in->profile->values[d->measures[i].value].role == ROLE_CALLS)
            calls = i;
    d->column[d->value] = next++;
    if (calls < d->n_measures && calls != d->value)
        d->column[calls] = next++;
    /* Colours and words of a comparison are of both sides, whichever is wide. */
    for (uint32_t side = COMPARE_SIDE_A; compares && side <= COMPARE_SIDE_B; side++)
        if (side != d->value)
            d->column[side] = next++;
    d->n_picture = next;
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (i != d->value && i != calls && !(compares && i <= COMPARE_SIDE_B))
            d->column[i] = next++;
        d->spec.measures[d->column[i]] = &d->measures[i];
    }
    /* What every node has waited follows from its other numbers, unless it stands for several. */
    bool waits = d->measures[d->n_measures - 1].waiting && d->value != d->n_measures - 1;
    d->spec.n_measures = d->n_measures - (waits && d->in->view->tracks != TRACKS_MERGED);
    d->spec.has_calls = calls < d->n_measures;
    d->spec.calls_column = d->spec.has_calls ? d->column[calls] : 0;
}

bool data_tree_open(struct data_tree *d, const struct render_input *in, struct diag *diag)
{
    *d = (struct data_tree){.in = in, .spec = {.divisor = 1, .order = ORDER_NAME}};
    d->n_measures = measures_of(in->profile, d->measures);
    while (d->value < d->n_measures &&
           !str_eq(measure_key(d->measures[d->value].name), str_of(in->view->value)))
        d->value++;
    if (d->value == d->n_measures)
        return diag_set(diag, DIAG_USAGE, "no such value", "", "The profile has no value of that name.");
    assign_columns(d);
    d->tree = tree_new(in, &d->spec, diag);
    return d->tree != NULL;
}

bool data_tree_add_waiting(struct data_tree *d)
{
    const struct tree *of = d->tree;
    const struct measure *m = &d->measures[d->n_measures - 1];
    uint32_t wall = d->column[m->value], cpu = d->column[m->minus];

    if (of->n_columns == d->n_measures)
        return true;
    struct tree *made = arena_alloc(d->in->scratch, sizeof(*made));
    uint64_t *self = arena_array(d->in->scratch, of->n, sizeof(*self));
    uint64_t *total = arena_array(d->in->scratch, of->n, sizeof(*total));
    if (made == NULL || self == NULL || total == NULL)
        return false;
    for (uint32_t place = of->n; place-- > 0;) {
        uint64_t all = tree_self(of, place, wall), less = tree_self(of, place, cpu);
        uint32_t row = of->row[place];
        self[row] = all > less ? all - less : 0;
        total[row] = number_add(total[row], self[row]);
        if (place > 0)
            total[of->row[of->parent[place]]] = number_add(total[of->row[of->parent[place]]], total[row]);
    }
    *made = *of;
    made->columns[made->n_columns++] = (struct tree_column){self, total, 1};
    d->tree = made;
    return true;
}
