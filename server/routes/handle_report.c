/* /p/<id>/methods, /p/<id>/m/<method>, /p/<id>/verdict, /p/<id>/lanes: reports, by Accept or with a suffix, and as pages of the
 * workspace. */
#include <string.h>

#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/routes/workspace_answer.h"

/* Parts "methods.json" at its last dot. Without a suffix that the report has the client's Accept decides. */
static const struct report *find_report(struct exchange *x, struct str name, struct str *file)
{
    size_t dot = str_find_last(*file, '.');
    const struct report *found = NULL;

    if (dot < file->n)
        found = report_by_name(name, (struct str){file->p + dot + 1, file->n - dot - 1});
    if (found != NULL)
        file->n = dot;
    else
        found = report_by_name(name, x->accepts == AS_JSON ? STR("json") : STR(""));
    return found;
}

static enum exchange_step answer(struct exchange *x, struct view_request *r)
{
    struct record record;

    return report_of_url(x, &record, r) ? view_answer(x, r) : X_DONE;
}

/* `method` is empty for the whole table. */
static enum exchange_step answer_page(struct exchange *x, enum workspace_tab tab, struct str method)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL)
        return X_DONE;
    a->tab = tab;
    workspace_content(a);
    memcpy(a->content.asked.method, method.p, method.n);
    if (!report_of_url(x, &a->record, &a->content))
        return X_DONE;
    return workspace_answer(x, a);
}

static enum exchange_step not_found(struct exchange *x)
{
    struct record record;

    return profile_record(x, x->parameters[0], &record)
               ? exchange_problem(x, 404, "not found", "The page of the upload lists its views.",
                                  "There is nothing at this URL.")
               : X_DONE;
}

/* Behind the name stands a suffix, or nothing. */
static enum exchange_step answer_named(struct exchange *x, struct str name)
{
    struct view_request r = {.output = NULL};
    struct str suffix = x->parameters[1];

    r.report = find_report(x, name, &suffix);
    if (r.report == NULL || suffix.n > 0)
        return not_found(x);
    return answer(x, &r);
}

enum exchange_step handle_methods(struct exchange *x)
{
    if (x->accepts == AS_HTML && x->parameters[1].n == 0)
        return answer_page(x, TAB_METHODS, STR(""));
    return answer_named(x, STR("methods"));
}

enum exchange_step handle_verdict(struct exchange *x)
{
    if (x->accepts == AS_HTML && x->parameters[1].n == 0)
        return answer_page(x, TAB_VERDICT, STR(""));
    return answer_named(x, STR("verdict"));
}

enum exchange_step handle_lanes(struct exchange *x)
{
    return answer_named(x, STR("lanes"));
}

enum exchange_step handle_method(struct exchange *x)
{
    struct view_request r = {.output = NULL};
    struct str method = x->parameters[1];

    r.report = find_report(x, STR("m"), &method);
    bool is_bare = method.n == x->parameters[1].n;
    if (method.n > ASKED_METHOD_BYTES_MAX || str_find(method, '\0') < method.n)
        return not_found(x);
    if (x->accepts == AS_HTML && is_bare)
        return answer_page(x, TAB_METHOD, method);
    memcpy(r.asked.method, method.p, method.n);
    return answer(x, &r);
}
