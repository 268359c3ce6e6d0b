/* One rendering of one profile, from options to bytes, for tests of outputs. */
#pragma once

#include "render/names/names.h"
#include "render/output.h"
#include "render/table/table.h"
#include "tests/support/fake_profile.h"

struct rendering {
    struct arena arena; /* names and scratch */
    struct view_options view;
    struct render_input input;
    struct buf out;
    struct diag diag;
    struct fake *fake; /* whose profile it is; NULL: the caller's */
};

/* Default options; change r->view, then run. */
void rendering_init(struct rendering *r, const struct profile *p);
/* The same of a profile that is finished here, and ends with the rendering. */
void rendering_of(struct rendering *r, struct fake *fake);
/* Resolves the view and renders into r->out, afresh each time. False: r->diag. */
bool rendering_run(struct rendering *r, const struct output *output);
/* The methods in groups, for what is shown. */
const struct table *rendering_table(struct rendering *r, enum table_group group);
void rendering_free(struct rendering *r);

/* r->out, terminated. */
const char *rendering_text(struct rendering *r);
