#include "server/convert/diff.h"

#include "render/method/method.h"
#include "render/table/diff_sides.h"
#include "render/table/methods.h"
#include "render/view/fail.h"

struct diff {
    const struct table_request *rows;
    const struct diff_request *request;
    const struct table_format *format;
    struct diff_checks *checks;
    struct str method; /* of one method: its id or its name */
    const struct method_format *method_format;
};

static bool check_rules(struct diff_checks *c, const struct table *t, struct diag *diag)
{
    for (uint32_t i = 0; c != NULL && i < c->n; i++)
        if (!diff_rule_check(&c->rules[i], t, c->says, &c->passed, diag))
            return false;
    return true;
}

/* NULL: diag. */
static const struct table *table_of(const struct diff *d, const struct render_input *in, struct diag *diag)
{
    const struct table *t = methods_new(in->profile, in->names, in->view, d->rows->group, in->scratch);

    if (t != NULL)
        t = diff_new(t, d->request, in->scratch, diag);
    if (t == NULL && diag->kind == DIAG_NONE)
        fail_arena(in->scratch, diag);
    return t;
}

static bool draw(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct diff *d = what;
    const struct table *t = table_of(d, in, diag);

    return t != NULL && check_rules(d->checks, t, diag) && diff_write(t, in, d->rows, d->format, out, diag);
}

bool convert_diff(const struct shared_profile *f, const struct config *config,
                  const struct view_options *view, const struct table_request *rows,
                  const struct diff_request *request, const struct table_format *format,
                  struct diff_checks *checks, struct buf *out, struct diag *diag)
{
    struct diff diff = {.rows = rows, .request = request, .format = format, .checks = checks};
    struct convert_drawing d = {.draw = draw, .what = &diff};

    return convert_drawn(f, config, &d, view, out, diag);
}

/* ---- one method ---- */

/* The report of the profile of both sides. Its callers and callees are sorted by what is larger. */
static bool draw_method(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct diff *d = what;
    const struct table *t = table_of(d, in, diag), *found;
    struct diff_sides sides;
    uint32_t row;

    if (t == NULL || !diff_sides_open(&sides, t, in, diag))
        return false;
    sides.in.view = &sides.view;
    if (!method_find(&sides.in, NULL, d->method, &found, &row, diag))
        return false;
    struct table of_sides = *found;
    of_sides.heaviest = COMPARE_LARGER;
    of_sides.first_calls = COMPARE_CALLS_A;
    return method_write(&sides.in, &of_sides, row, d->method_format, d->rows, out, diag);
}

bool convert_diff_method(const struct shared_profile *f, const struct config *config,
                         const struct view_options *view, struct str method, const struct table_request *rows,
                         const struct diff_request *request, const struct method_format *format,
                         struct buf *out, struct diag *diag)
{
    struct diff diff = {.rows = rows, .request = request, .method = method, .method_format = format};
    struct convert_drawing d = {.draw = draw_method, .what = &diff};

    return convert_drawn(f, config, &d, view, out, diag);
}
