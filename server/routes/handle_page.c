/* /p/<id>/t/<track> without a suffix and what belongs to it, and changes of an upload by its forms. */
#include <string.h>
#include <time.h>

#include "core/system/json_memory.h"
#include "server/convert/summary.h"
#include "server/http/form.h"
#include "server/http/mime.h"
#include "server/pages/pages.h"
#include "server/routes/handlers.h"
#include "server/store/store_access.h"

enum { DAY_S = 86400 };

#define FORM_TYPE "application/x-www-form-urlencoded"

/* ---- one track ---- */

/* The record, and a request for a view of the track that the URL names. False: x->reply is made. */
static bool wanted_track(struct exchange *x, struct record *record, struct view_request *r)
{
    struct diag diag = {0};

    if (!profile_record(x, x->parameters[0], record))
        return false;
    view_of(r, record);
    convert_defaults(x->service->config, &r->options);
    if (view_set_tracks(&r->options, x->parameters[1], &diag) && view_query(x, false, r, &diag))
        return true;
    exchange_diag(x, &diag);
    return false;
}

enum exchange_step handle_thumb(struct exchange *x)
{
    struct view_request r = {.output = &OUTPUT_THUMB};
    struct record record;

    if (!wanted_track(x, &record, &r))
        return X_DONE;
    return answer_view(x, &r);
}

enum exchange_step handle_tree(struct exchange *x)
{
    struct view_request r = {.output = &OUTPUT_TREE};
    struct record record;

    if (!wanted_track(x, &record, &r))
        return X_DONE;
    return answer_view(x, &r);
}

/* Sends the client on to a track's page or picture: `before` stands before the track, `after` behind it. All three
 * are fit for a header. */
static void answer_elsewhere(struct exchange *x, const char *before, struct str track, const char *after,
                             const struct view_options *options)
{
    struct buf query = {0};

    view_link(&query, options, "&");
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("The graph is at another URL.\n"));
    if (query.failed)
        x->reply.text.failed = true;
    else
        reply_header(&x->reply, "Location", "%s%.*s%s%.*s", before, (int)track.n, track.p, after,
                     (int)query.n, query.n > 0 ? query.p : "");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    buf_free(&query);
}

/* The page of one picture while its parts are collected: a state of the exchange. */
struct flame_answer {
    struct record record;
    struct view_request picture;
    struct buf summary; /* the part of it that the page needs */
};

static void end_flame_answer(void *state)
{
    struct flame_answer *a = state;

    buf_free(&a->summary);
}

static void answer_flame(struct exchange *x, const struct flame_answer *a, struct str svg)
{
    json_t *summary = json_memory_load(buf_view(&a->summary), 0, NULL);
    const struct page_flame page = {&a->record, summary, &a->picture.options, x->parameters[1], svg};

    struct buf *body = reply_text(&x->reply, 200, "text/html; charset=utf-8");
    body->failed = summary == NULL;
    page_flame(body, &page);
    page_headers(&x->reply);
    json_decref(summary);
}

static enum exchange_step picture_ready(struct exchange *x, const struct view_request *r,
                                        struct view_result *result, void *context)
{
    const struct flame_answer *a = context;
    struct buf svg = {0};

    (void)r;
    if (take_view(x, result, &svg))
        answer_flame(x, a, buf_view(&svg));
    buf_free(&svg);
    return X_DONE;
}

static enum exchange_step summary_ready(struct exchange *x, const struct view_request *r,
                                        struct view_result *result, void *context)
{
    struct flame_answer *a = context;
    const struct view_options *o = &a->picture.options;
    bool is_single = o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
    const struct summary_part part = {.tracks = PAGE_TRACKS_MAX,
                                      .track = is_single ? &o->track_ids[0] : NULL};
    struct buf whole = {0};
    bool ok = take_view(x, result, &whole);

    (void)r;
    if (ok)
        summary_put(&a->summary, buf_view(&whole), &part);
    buf_free(&whole);
    return ok ? views_get(x, &a->picture, picture_ready, a) : X_DONE;
}

/* Waits up to twice: for the summary, then for the picture. */
enum exchange_step handle_flame(struct exchange *x)
{
    struct view_request summary = {.output = NULL};
    struct flame_answer *a = exchange_state(x, sizeof(*a), end_flame_answer);

    if (a == NULL)
        return no_memory_to_answer(x);
    a->picture.output = &OUTPUT_SVG;
    if (!wanted_track(x, &a->record, &a->picture))
        return X_DONE;
    if (x->accepts != AS_HTML) {
        answer_elsewhere(x, "", x->parameters[1], ".svg", &a->picture.options);
        return X_DONE;
    }
    a->picture.encoding = summary.encoding; /* it becomes a part of the page: none */
    view_of(&summary, &a->record);
    return views_get(x, &summary, summary_ready, a);
}

/* ---- the form of that page ---- */

struct choice {
    struct view_options options;
    struct str track;
    struct diag diag;
};

static bool take_choice(void *context, struct str key, struct str value)
{
    struct choice *c = context;

    if (!str_eq(key, STR("track")))
        return view_set(&c->options, SCOPE_VIEW, key, value, &c->diag);
    c->track = value;
    return view_set_tracks(&c->options, value, &c->diag);
}

/* A form cannot send its choice within the path: it is sent here, and on from here. */
enum exchange_step handle_track_choice(struct exchange *x)
{
    struct choice c = {.track = {NULL, 0}};
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    view_defaults(&c.options);
    x->each_query(x, take_choice, &c);
    if (c.diag.kind != DIAG_NONE) {
        exchange_diag(x, &c.diag);
        return X_DONE;
    }
    if (c.track.p == NULL) {
        exchange_problem(x, 404, "not found", "The page of the upload lists its threads.",
                         "This URL does not say which thread to show.");
        return X_DONE;
    }
    answer_elsewhere(x, "t/", c.track, "", &c.options);
    return X_DONE;
}

/* ---- changes ---- */

/* Whether a field of the request has this value before its parameters, or says nothing. */
static bool is_or_none(struct exchange *x, const char *name, struct str value)
{
    struct str field = x->header(x, name);

    if (field.p == NULL)
        return true;
    struct str word = mime_word(&field);
    return word.n == 0 || str_eq_nocase(word, value);
}

/* Without this a form of another kind would be one without a token. */
enum exchange_step begin_form(struct exchange *x)
{
    if (!is_or_none(x, "Content-Type", STR(FORM_TYPE))) {
        exchange_problem(x, 415, "not a form that is read here",
                         "Send its fields by curl -d or --data-urlencode.",
                         "The body has to be " FORM_TYPE ".");
        reply_header(&x->reply, "Accept", FORM_TYPE);
        return X_DONE;
    }
    if (!is_or_none(x, "Content-Encoding", STR("identity"))) {
        exchange_problem(x, 415, "a form with a content coding", "Send it without one.",
                         "The body has to be " FORM_TYPE ", without Content-Encoding.");
        reply_header(&x->reply, "Accept-Encoding", "identity");
        return X_DONE;
    }
    return X_WAIT;
}

static void no_memory(struct exchange *x)
{
    exchange_problem(x, 503, "out of memory", "Try again later.", "No memory to take the form.");
}

bool token_accepted(struct exchange *x, const struct record *r, struct str token)
{
    if (token.p == NULL) {
        exchange_problem(
            x, 403, "delete token missing",
            "Send it in the header X-Delete-Token, or in the form's field; the upload's answer had "
            "it in X-Delete-URL.",
            "Only who has the upload's delete token can change or delete it.");
        return false;
    }
    enum record_match match = record_token_matches(r, token);
    if (match == RECORD_MATCHES)
        return true;
    if (match == RECORD_NO_MEMORY) {
        no_memory(x);
        return false;
    }
    exchange_problem(x, 403, "wrong delete token", "The upload's answer had it in X-Delete-URL.",
                     "This is not the delete token of this upload.");
    return false;
}

bool form_token_accepted(struct exchange *x, const struct record *r)
{
    struct buf token = {0};
    bool there = form_field(buf_view(&x->form), STR("token"), &token), ok = false;

    if (token.failed)
        no_memory(x);
    else
        ok = token_accepted(x, r, !there ? (struct str){NULL, 0} : token.n > 0 ? buf_view(&token) : STR(""));
    buf_free(&token);
    return ok;
}

/* An empty field changes nothing. False: x->reply says why. */
static bool take_expires(struct exchange *x, struct str text, struct record *r, int64_t now_s)
{
    int64_t last_s = r->created_s + (int64_t)x->service->config->max_expires_days * DAY_S;
    int64_t most = last_s > now_s ? (last_s - now_s) / DAY_S : 0;
    uint64_t days;

    text = str_trim(text);
    if (text.n == 0)
        return true;
    if (!str_to_u64(text, 10, &days) || days == 0 || days > (uint64_t)most) {
        exchange_problem(
            x, 400, "not that long", "Leave the field empty to change nothing.",
            "It is a whole number of days; the profile can be kept for %lld more at most: %llu after "
            "its upload.",
            (long long)most, (unsigned long long)x->service->config->max_expires_days);
        return false;
    }
    r->expires_s = now_s + (int64_t)days * DAY_S;
    return true;
}

static bool take_changes(struct exchange *x, struct record *r, int64_t now_s)
{
    struct buf name = {0}, days = {0};
    bool named = form_field(buf_view(&x->form), STR("name"), &name);

    form_field(buf_view(&x->form), STR("expires"), &days);
    bool understood = !name.failed && !days.failed && (!named || record_set_name(r, buf_view(&name)));
    if (!understood)
        no_memory(x);
    bool ok = understood && take_expires(x, buf_view(&days), r, now_s);
    buf_free(&name);
    buf_free(&days);
    return ok;
}

static void answer_changed(struct exchange *x, const struct record *r)
{
    if (x->accepts == AS_HTML) {
        reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("changed\n"));
        reply_header(&x->reply, "Location", "../%s", r->id);
    } else {
        reply_static(&x->reply, 200, "text/plain; charset=utf-8", STR("changed\n"));
    }
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
}

/* It was there when the request came: one that is not found now is gone. */
static void answer_unchanged(struct exchange *x, enum store_result result)
{
    struct diag diag = {0};

    if (result == STORE_NOT_FOUND) {
        profile_gone(x);
        return;
    }
    store_access_failed(x->service->log, result, "changed", &diag);
    exchange_diag(x, &diag);
}

enum exchange_step handle_rename(struct exchange *x)
{
    int64_t now_s = (int64_t)time(NULL);
    struct record r;

    if (!profile_record(x, x->parameters[0], &r) || !form_token_accepted(x, &r) ||
        !take_changes(x, &r, now_s))
        return X_DONE;
    enum store_result result = record_change(x->service->store, &r, now_s);
    if (result == STORE_OK) {
        LOG(x->service->log, LOG_INFO, "changed", LOG_STR("id", str_of(r.id)));
        answer_changed(x, &r);
    } else {
        answer_unchanged(x, result);
    }
    return X_DONE;
}
