#include "server/routes/workspace_answer.h"

#include <time.h>

#include "core/system/json_memory.h"
#include "render/view/view_option.h"
#include "server/convert/summary.h"
#include "server/http/problem.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/routes/view_answer.h"
#include "server/service.h"

static void end_answer(void *state)
{
    struct workspace_answer *a = state;

    buf_free(&a->summary);
    buf_free(&a->track);
}

struct workspace_answer *workspace_new(struct exchange *x)
{
    struct workspace_answer *a = exchange_state(x, sizeof(*a), end_answer);

    if (a == NULL)
        exchange_no_memory(x, "the page");
    else
        a->picture.output = &OUTPUT_SVG;
    return a;
}

static void answer_page(struct exchange *x, const struct workspace_answer *a, struct str svg,
                        const struct diag *trouble)
{
    json_t *summary = json_memory_load(buf_view(&a->summary), 0, NULL);
    const struct page_workspace page = {.record = &a->record,
                                        .summary = summary,
                                        .root = page_root(x->path),
                                        .tab = a->tab,
                                        .options = &a->picture.options,
                                        .track = buf_view(&a->track),
                                        .svg = svg,
                                        .trouble = trouble,
                                        .max_days = x->service->config->max_expires_days,
                                        .now_s = (int64_t)time(NULL)};
    struct buf *body = reply_text(&x->reply, 200, "text/html; charset=utf-8");

    body->failed = summary == NULL;
    page_workspace(body, &page);
    page_headers(&x->reply);
    json_decref(summary);
}

/* Whether the URL asks for what cannot be. Any other failure leaves the rest of the workspace as it is. */
static bool is_wrong(const struct diag *d)
{
    return d->kind == DIAG_USAGE || d->kind == DIAG_NOT_FOUND || d->kind == DIAG_BUSY;
}

static enum exchange_step picture_ready(struct exchange *x, const struct view_request *r,
                                        struct view_result *result, void *context)
{
    const struct workspace_answer *a = context;
    struct diag diag = result->diag;
    struct buf svg = {0};

    (void)r;
    if (diag.kind != DIAG_NONE && !is_wrong(&diag)) {
        view_result_free(result);
        answer_page(x, a, STR(""), &diag);
    } else if (view_take(x, result, &svg)) {
        answer_page(x, a, buf_view(&svg), NULL);
    }
    buf_free(&svg);
    return X_DONE;
}

/* Without any track there is nothing to choose from: all of them are none. */
static bool choose_main(struct workspace_answer *a)
{
    struct view_options *o = &a->picture.options;
    json_t *summary = json_memory_load(buf_view(&a->summary), 0, NULL);
    const json_t *tracks = json_object_get(summary, "tracks");
    const json_t *track = json_array_get(tracks, page_data_main_track(tracks));

    if (track == NULL) {
        o->tracks = TRACKS_ALL;
    } else {
        o->track_ids[0] = (uint32_t)page_data_number(track, "id");
        o->n_track_ids = 1;
    }
    json_decref(summary);
    return summary != NULL;
}

static enum exchange_step summary_ready(struct exchange *x, const struct view_request *r,
                                        struct view_result *result, void *context)
{
    struct workspace_answer *a = context;
    struct view_options *o = &a->picture.options;
    bool is_single = o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
    const struct summary_part part = {.tracks = PAGE_TRACKS_MAX,
                                      .track = is_single ? &o->track_ids[0] : NULL};
    struct buf whole = {0};
    bool ok = view_take(x, result, &whole);

    (void)r;
    if (ok)
        summary_put(&a->summary, buf_view(&whole), &part);
    buf_free(&whole);
    if (!ok)
        return X_DONE;
    if (o->tracks == TRACKS_LISTED && o->n_track_ids == 0 && !choose_main(a))
        return exchange_no_memory(x, "the page");
    view_option_text(view_option_by_key(STR("track")), o, &a->track);
    if (a->track.failed || a->summary.failed)
        return exchange_no_memory(x, "the page");
    return views_get(x, &a->picture, picture_ready, a);
}

enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a)
{
    struct view_request summary = {.output = NULL};

    a->picture.encoding = summary.encoding; /* it becomes a part of the page: none */
    view_of(&a->picture, &a->record);
    view_of(&summary, &a->record);
    return views_get(x, &summary, summary_ready, a);
}
