/* A comparison on its way into what draws trees: the profile of both sides (profile/transform/compare_sides.h), and a view of it. */
#ifndef RENDER_TABLE_DIFF_SIDES_H
#define RENDER_TABLE_DIFF_SIDES_H

#include "render/table/table.h"
#include "render/view/input.h"

struct diff_sides {
    struct render_input in; /* whoever draws sets its view to the one below */
    struct view_options view;
};

/* With what the comparison's request says is wide, and the scale of its table. False: diag. */
bool diff_sides_open(struct diff_sides *s, const struct table *t, const struct render_input *in,
                     struct diag *diag) __attribute__((warn_unused_result));

/* Makes one of the values of the sides that of the view. */
void diff_sides_value(struct diff_sides *s, uint32_t value);

#endif
