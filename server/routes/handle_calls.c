/* /p/<id>/calls: all calls one by one, with a suffix or by Accept. */
#include "server/convert/convert.h"
#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/views/calls_stream.h"

struct asked {
    struct view_options view;
    struct diag diag;
};

static bool take(void *context, struct str key, struct str value)
{
    struct asked *a = context;

    return view_is_no_step(key, value) || view_set(&a->view, SCOPE_VIEW | SCOPE_PLACE, key, value, &a->diag);
}

/* Behind the name stands a suffix, or nothing: then it is JSON for who wants that, else the first format. */
static const struct call_format *wanted(const struct exchange *x)
{
    struct str suffix = x->parameters[1];

    if (suffix.n > 1 && suffix.p[0] == '.')
        return call_format_by_name((struct str){suffix.p + 1, suffix.n - 1});
    if (suffix.n > 0)
        return NULL;
    return x->accepts == AS_JSON ? call_format_by_name(STR("json")) : &CALL_FORMATS[0];
}

enum exchange_step handle_calls(struct exchange *x)
{
    const struct call_format *format = wanted(x);
    struct asked asked = {.diag = {0}};
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    if (format == NULL)
        return exchange_problem(x, 404, "not found",
                                "There are calls.tsv, .csv, .json, .txt, .chrome, .perfetto and .speedscope.",
                                "There is nothing at this URL.");
    convert_defaults(x->service->config, &asked.view);
    asked.view.tracks = TRACKS_ALL;
    view_of_owner(&asked.view, &record);
    x->each_query(x, take, &asked);
    if (asked.diag.kind != DIAG_NONE)
        return exchange_diag(x, &asked.diag);
    return calls_stream(x, &record, &asked.view, format);
}
