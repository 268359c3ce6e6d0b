/* /p/<id>: the result of an upload as a page, a line of text, or JSON. */
#include <string.h>

#include "core/clean.h"
#include "core/system/json_memory.h"
#include "server/convert/summary.h"
#include "server/http/exchange.h"
#include "server/http/problem.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/routes/profile_access.h"
#include "server/routes/profile_json.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/routes/workspace_answer.h"
#include "server/service.h"
#include "server/upload/progress.h"

/* The summary with few of its tracks. NULL: not readable, or no memory. */
static json_t *load_summary(struct str summary, const struct summary_part *part)
{
    struct buf text = {0};

    summary_put(&text, summary, part);
    json_t *loaded = text.failed ? NULL : json_memory_load(buf_view(&text), 0, NULL);
    buf_free(&text);
    return loaded;
}

/* An id with a suffix that forces a representation. */
static enum representation wanted(struct exchange *x, struct str *id)
{
    static const struct {
        struct str suffix;
        enum representation as;
    } FORCED[] = {{STR_INIT(".html"), AS_HTML}, {STR_INIT(".txt"), AS_TEXT}, {STR_INIT(".json"), AS_JSON}};

    for (size_t i = 0; i < sizeof(FORCED) / sizeof(*FORCED); i++)
        if (str_ends(*id, FORCED[i].suffix)) {
            id->n -= FORCED[i].suffix.n;
            return FORCED[i].as;
        }
    return x->accepts == AS_SVG ? AS_TEXT : x->accepts;
}

static void answer_text(struct exchange *x, const struct record *r, struct str summary)
{
    json_t *s = load_summary(summary, &(struct summary_part){.tracks = 0});
    struct buf *b = reply_text(&x->reply, 200, "text/plain; charset=utf-8");

    b->failed = s == NULL;
    exchange_base_url(x, b);
    buf_printf(b, "/p/%s ", r->id);
    clean_log(b, str_of(r->name));
    buf_printf(b, " %s %llu bytes %llu tracks %zu warnings\n", r->format, (unsigned long long)r->size,
               (unsigned long long)page_data_number(json_object_get(s, "whole"), "tracks"),
               json_array_size(json_object_get(s, "warnings")));
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    json_decref(s);
}

/* Of an upload in progress the page need not wait for the summary: it comes by itself. */
static bool answer_waiting(struct exchange *x, const struct record *r, const struct view_request *summary)
{
    char key[VIEW_KEY_CHARS + 1];
    struct progress_facts facts;
    uint32_t n_made;

    if (!view_key(x->service, summary, ENCODING_IDENTITY, key) ||
        !progress_look(x->service->progresses, str_of(r->id), &facts, &n_made) || facts.queued ||
        store_exists(x->service->store, key) == STORE_OK)
        return false;
    const struct page_progress progress = {facts.bytes, facts.records, str_of(facts.format), n_made,
                                           facts.n_views};
    page_waiting(page_reply(&x->reply, 200), r, &progress);
    return true;
}

/* What is answered once the summary is there: a state of the exchange. */
struct profile_answer {
    struct record record;
    struct view_result summary; /* that is worked on */
    enum representation as;
    char split[VIEW_SPLIT_BYTES_MAX + 1];
};

static void answer_summary(struct exchange *x, void *context)
{
    struct profile_answer *a = context;
    struct buf summary = {0};

    if (view_take(x, &a->summary, &summary)) {
        if (a->as == AS_JSON)
            profile_json(x, 200, &a->record, buf_view(&summary), NULL, a->split);
        else
            answer_text(x, &a->record, buf_view(&summary));
    }
    buf_free(&summary);
    if (reply_header_value(&x->reply, "Cache-Control") == NULL)
        reply_header(&x->reply, "Cache-Control", "private, no-cache");
}

static enum exchange_step summary_ready(struct exchange *x, const struct view_request *request,
                                        struct view_result *result, void *context)
{
    struct profile_answer *a = context;

    (void)request;
    a->summary = *result;
    return exchange_work(x, view_bytes(result), answer_summary, NULL, a);
}

static enum exchange_step answer_html(struct exchange *x, const struct record *record,
                                      const struct view_request *request)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL || answer_waiting(x, record, request))
        return X_DONE;
    a->record = *record;
    a->content.asked.view = request->asked.view;
    workspace_content(a);
    return workspace_answer(x, a);
}

enum exchange_step handle_profile(struct exchange *x)
{
    struct str id = x->parameters[0];
    struct view_request request = {.output = NULL};
    struct profile_answer *a = exchange_state(x, sizeof(*a), NULL);
    struct diag diag = {0};

    if (a == NULL)
        return exchange_no_memory(x, "the answer");
    a->as = wanted(x, &id);
    if (!profile_record(x, id, &a->record))
        return X_DONE;
    view_of(&request, &a->record);
    convert_defaults(x->service->config, &request.asked.view);
    view_of_owner(&request.asked.view, &a->record);
    if (!view_query(x, &request, &diag))
        return exchange_diag(x, &diag);
    memcpy(a->split, request.asked.view.split, sizeof(a->split));
    request.encoding = (struct encoding_choice){0}; /* it becomes a part of the answer */
    if (a->as == AS_HTML)
        return answer_html(x, &a->record, &request);
    return views_get(x, &request, summary_ready, a);
}
