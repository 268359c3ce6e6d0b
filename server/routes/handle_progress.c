/* /p/<id>/status.json and /p/<id>/events: how far an upload is whose views are still being made. */
#include "core/json.h"
#include "core/system/clock.h"
#include "server/http/problem.h"
#include "server/routes/profile_access.h"
#include "server/routes/routes_table.h"
#include "server/service.h"
#include "server/upload/progress.h"

enum { WAIT_MAX_S = 60 };

static enum exchange_step answer_status(struct exchange *x)
{
    struct progress_facts facts;
    uint32_t made;
    struct buf *b = reply_text(&x->reply, 200, "application/json");
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    if (progress_look(x->service->progresses, x->parameters[0], &facts, &made)) {
        json_put_string(&j, "state", STR("rendering"));
        json_put_u64(&j, "bytes", facts.bytes);
        json_put_string(&j, "format", str_of(facts.format));
        json_put_u64(&j, "records", facts.records);
        json_put_u64(&j, "made", made);
        json_put_u64(&j, "of", facts.n_views);
    } else {
        json_put_string(&j, "state", STR("done"));
    }
    json_close(&j);
    buf_char(b, '\n');
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    return X_DONE;
}

/* ?wait=SECONDS: answers when there is news since ?made=, or after that time. */
enum exchange_step handle_status(struct exchange *x)
{
    struct str wait = x->query(x, "wait"), seen = x->query(x, "made");
    uint64_t seconds = 0, made = 0;
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    if ((wait.p != NULL && !str_to_u64(wait, 10, &seconds)) ||
        (seen.p != NULL && !str_to_u64(seen, 10, &made)))
        return exchange_problem(x, 400, "bad parameter", "Ask as in status.json?wait=60, or leave both out.",
                                "wait is a number of seconds, made a number of views.");
    if (seen.p == NULL)
        made = UINT32_MAX; /* any news is when all is done */
    struct progress_watch *w = progress_watch(x, x->parameters[0]);
    if (w == NULL)
        return exchange_no_memory(x, "the answer");
    return progress_wait(w, made < UINT32_MAX ? (uint32_t)made : UINT32_MAX,
                         clock_s() + (int64_t)(seconds < WAIT_MAX_S ? seconds : WAIT_MAX_S), answer_status);
}

enum exchange_step handle_events(struct exchange *x)
{
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    struct progress_watch *w = progress_watch(x, x->parameters[0]);
    if (w == NULL)
        return exchange_no_memory(x, "the answer");
    reply_stream(&x->reply, 200, "text/event-stream", progress_events, w);
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "X-Accel-Buffering", "no"); /* nginx would hold the events back */
    return X_DONE;
}
