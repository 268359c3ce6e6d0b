/* /p/<id>/bundle.html: the whole page as one file. Waits for what its page says of all threads (the summary), then for the
 * parts that stand in it, then writes it. */
#include "server/http/exchange.h"
#include "server/pages/pages.h"
#include "server/routes/handle_profile.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"

/* A state of the exchange. */
struct bundle_answer {
    struct record record;
    struct view_request parts;
    json_t *summary;
    bool has_summary;          /* or x->reply says why not */
    struct view_result result; /* that is worked on */
};

static void forget(void *state)
{
    struct bundle_answer *a = state;

    json_decref(a->summary);
}

static void make_file(struct exchange *x, void *context)
{
    struct bundle_answer *a = context;
    struct buf parts = {0};

    if (!view_take(x, &a->result, &parts)) {
        buf_free(&parts);
        return;
    }
    const struct page_bundle page = {&a->record, a->summary, buf_view(&parts)};
    struct buf *body = reply_text(&x->reply, 200, "text/html; charset=utf-8");
    /* Its policy is the file's own: what is shown by the service itself runs no script. */
    profile_attachment(x, a->record.name[0] == '\0' ? "profile" : a->record.name, ".html");
    page_bundle(body, &page);
    page_tag(x, body);
    buf_free(&parts);
}

static void take_summary(struct exchange *x, void *context)
{
    struct bundle_answer *a = context;
    struct buf stored = {0};

    if (view_take(x, &a->result, &stored)) {
        a->summary = page_summary(buf_view(&stored), &a->parts.asked.view);
        a->has_summary = a->summary != NULL;
        if (!a->has_summary)
            exchange_no_memory(x, "the file");
    }
    buf_free(&stored);
}

static enum exchange_step get_parts(struct exchange *x, void *context)
{
    struct bundle_answer *a = context;

    return a->has_summary ? view_work(x, &a->parts, &(struct view_work){&a->result, 0, make_file, NULL, a})
                          : X_DONE;
}

enum exchange_step handle_bundle(struct exchange *x)
{
    struct bundle_answer *a = exchange_state(x, sizeof(*a), forget);
    struct view_request summary;

    if (a == NULL)
        return exchange_no_memory(x, "the file");
    a->parts.report = report_by_name(STR("bundle"), STR(""));
    if (!report_of_url(x, &a->record, &a->parts))
        return X_DONE;
    a->parts.encoding = (struct encoding_choice){0}; /* it becomes a part of the file */
    summary = a->parts;
    summary.report = NULL;
    return view_work(x, &summary, &(struct view_work){&a->result, 0, take_summary, get_parts, a});
}
