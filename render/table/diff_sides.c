#include "render/table/diff_sides.h"

#include <string.h>

#include "profile/transform/compare_sides.h"
#include "render/table/diff.h"
#include "render/view/fail.h"

void diff_sides_value(struct diff_sides *s, uint32_t value)
{
    struct str name = measure_key(s->in.profile->values[value].name);

    memset(s->view.value, 0, sizeof(s->view.value));
    memcpy(s->view.value, name.p, name.n);
}

bool diff_sides_open(struct diff_sides *s, const struct table *t, const struct render_input *in,
                     struct diag *diag)
{
    static const uint32_t VALUES[] = {
        [WIDE_B] = COMPARE_SIDE_B, [WIDE_A] = COMPARE_SIDE_A, [WIDE_LARGER] = COMPARE_LARGER};
    const struct table_diff *d = t->diff;
    uint32_t calls = d->has_calls ? d->calls_base : in->profile->compared->n_bases;

    *s = (struct diff_sides){*in, *in->view};
    s->in.profile = compare_sides(in->profile, d->base_of[d->value], calls, &d->scale, in->scratch);
    if (s->in.profile == NULL)
        return fail_arena(in->scratch, diag);
    diff_sides_value(s, VALUES[d->wide]);
    if (s->view.palette == COLOURS_ORIGIN)
        s->view.palette = COLOURS_CHANGE;
    return true;
}
