/* /p/<id>/calls: all calls one by one, with a suffix or by Accept. */
#include "server/convert/convert.h"
#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/views/calls_stream.h"

struct query {
    struct asked asked;
    unsigned keys;
    struct diag diag;
};

static bool take(void *context, struct str key, struct str value)
{
    struct query *q = context;

    return view_is_no_step(key, value) || asked_set(&q->asked, q->keys, key, value, &q->diag);
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
    struct query q = {.keys = x->keys};
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    if (format == NULL)
        return exchange_problem(x, 404, "not found",
                                "There are calls.tsv, .csv, .json, .txt, .chrome, .perfetto and .speedscope.",
                                "There is nothing at this URL.");
    convert_defaults(x->service->config, &q.asked.view);
    q.asked.view.tracks = TRACKS_ALL;
    view_of_owner(&q.asked.view, &record);
    x->each_query(x, take, &q);
    if (q.diag.kind != DIAG_NONE)
        return exchange_diag(x, &q.diag);
    return calls_stream(x, &record, &q.asked.view, format);
}
