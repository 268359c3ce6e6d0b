/* What shows a profile: pictures, tables, words, lanes, and its calls one by one. */
#include <stdio.h>
#include <string.h>

#include "core/system/utc.h"
#include "render/calls/call_format.h"
#include "server/convert/convert.h"
#include "server/http/exchange.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/views/calls_stream.h"

/* ---- pictures ---- */

/* /p/<id>/t and what is below it: the picture of one track or of several, alone (with a suffix) or in the
 * workspace. */

/* ---- the page ---- */

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

static enum exchange_step answer_page(struct exchange *x)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL)
        return X_DONE;
    a->content.output = &OUTPUT_SVG;
    if (!view_of_url(x, x->parameters[1], &a->record, &a->content))
        return X_DONE;
    if (x->accepts == AS_HTML)
        return workspace_answer(x, a);
    answer_elsewhere(x, "", x->parameters[1], ".svg", &a->content.asked.view);
    return X_DONE;
}

/* ---- the picture alone ---- */

/* The address of what is shown in its page; none where it is too long. */
static void put_link(struct exchange *x, struct view_request *r, const struct record *record,
                     struct str tracks)
{
    struct buf link = {0};

    exchange_base_url(x, &link);
    buf_printf(&link, "/p/%s/t/%.*s", record->id, (int)tracks.n, tracks.p);
    view_link(&link, &r->asked.view, "&");
    if (!link.failed && link.n <= ASKED_LINK_BYTES_MAX)
        snprintf(r->asked.link, sizeof(r->asked.link), "%.*s", (int)link.n, link.p);
    buf_free(&link);
}

/* With what it is of, for who passes it on as a file. */
static enum exchange_step answer_alone(struct exchange *x, struct view_request *r, struct str tracks)
{
    struct str about = x->query(x, "about");
    bool with_link = str_eq(about, STR("link"));
    struct record record;

    if (!view_of_url(x, tracks, &record, r))
        return X_DONE;
    if ((!with_link && !str_eq(about, STR("upload"))) || r->output != &OUTPUT_SVG ||
        r->asked.view.view == VIEW_CHART)
        return exchange_problem(x, 400, "about is not for this", "Leave about out.",
                                "about=upload and about=link are for .svg, but not for view=chart.");
    r->output = NULL;
    r->report = report_by_name(STR("alone"), STR("svg"));
    snprintf(r->asked.title, sizeof(r->asked.title), "%s", record.name);
    snprintf(r->asked.date, sizeof(r->asked.date), "%.10s", UTC_TEXT(record.created_s));
    if (with_link)
        put_link(x, r, &record, tracks);
    return view_answer(x, r);
}

enum exchange_step handle_track(struct exchange *x)
{
    struct view_request r = {.output = NULL};
    struct record record;
    struct str name = x->parameters[1];
    size_t dot = str_find(name, '.');

    if (dot == name.n)
        return answer_page(x);
    r.output = output_by_suffix(str_from(name, dot + 1));
    if (r.output == NULL)
        return profile_record(x, x->parameters[0], &record)
                   ? exchange_problem(x, 404, "not found", "The page of the upload lists its views.",
                                      "There is no output with that suffix.")
                   : X_DONE;
    if (x->query(x, "about").p != NULL)
        return answer_alone(x, &r, (struct str){name.p, dot});
    return view_of_url(x, (struct str){name.p, dot}, &record, &r) ? view_answer(x, &r) : X_DONE;
}

static enum exchange_step answer_output(struct exchange *x, const struct output *output)
{
    struct view_request r = {.output = output};
    struct record record;

    return view_of_url(x, x->parameters[1], &record, &r) ? view_answer(x, &r) : X_DONE;
}

enum exchange_step handle_thumb(struct exchange *x)
{
    return answer_output(x, &OUTPUT_THUMB);
}

enum exchange_step handle_tree(struct exchange *x)
{
    return answer_output(x, &OUTPUT_TREE);
}

enum exchange_step handle_tree_by_pass(struct exchange *x)
{
    if (!profile_pass(x, x->parameters[0], x->parameters[1]))
        return X_DONE;
    x->parameters[1] = x->parameters[2];
    return answer_output(x, &OUTPUT_TREE);
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

    if (view_is_no_step(key, value))
        return true;
    if (!str_eq(key, STR("track")))
        return view_set(&c->options, KEYS_VIEW, key, value, &c->diag);
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
    convert_defaults(x->service->config, &c.options);
    x->each_query(x, take_choice, &c);
    if (c.diag.kind != DIAG_NONE)
        return exchange_diag(x, &c.diag);
    /* Without a track the workspace chooses one. */
    if (c.track.p == NULL)
        answer_elsewhere(x, "../", x->parameters[0], "", &c.options);
    else
        answer_elsewhere(x, "t/", c.track, "", &c.options);
    return X_DONE;
}

/* ---- tables and words ---- */

/* /p/<id>/methods, /p/<id>/m/<method>, /p/<id>/verdict, /p/<id>/frames, /p/<id>/lanes: reports, by Accept or with a
 * suffix, and as pages of the workspace. */

/* Parts "methods.json" at its last dot. Without a suffix that the report has the client's Accept decides. */
static const struct report *find_report(struct exchange *x, struct str name, struct str *file)
{
    size_t dot = str_find_last(*file, '.');
    const struct report *found = NULL;

    if (dot < file->n)
        found = report_by_name(name, str_from(*file, dot + 1));
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
static enum exchange_step answer_report_page(struct exchange *x, enum workspace_tab tab, struct str method)
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
        return answer_report_page(x, TAB_METHODS, STR(""));
    return answer_named(x, STR("methods"));
}

enum exchange_step handle_verdict(struct exchange *x)
{
    if (x->accepts == AS_HTML && x->parameters[1].n == 0)
        return answer_report_page(x, TAB_VERDICT, STR(""));
    return answer_named(x, STR("verdict"));
}

enum exchange_step handle_frames(struct exchange *x)
{
    if (x->accepts == AS_HTML && x->parameters[1].n == 0)
        return answer_report_page(x, TAB_FRAMES, STR(""));
    return answer_named(x, STR("frames"));
}

enum exchange_step handle_digest(struct exchange *x)
{
    return answer_named(x, STR("digest"));
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
        return answer_report_page(x, TAB_METHOD, method);
    memcpy(r.asked.method, method.p, method.n);
    return answer(x, &r);
}

/* ---- the card ---- */

/* Those who may read the upload may see its card: of an upload for the team nobody else, but by the owner's link. */
enum exchange_step handle_card(struct exchange *x)
{
    struct view_request r = {.report = report_by_name(STR("card"), STR("png"))};
    struct record record;

    if (!card_wanted(x) || !report_of_url(x, &record, &r))
        return X_DONE;
    if (x->query(x, "track").p == NULL) /* then it is the main one */
        r.asked.view.tracks = TRACKS_LISTED;
    card_name(&r, &record, NULL);
    return view_answer(x, &r);
}

/* Whether the pass of the owner's link lets anybody see the card of the upload. False: x->reply says why not. */
static bool profile_card_pass(struct exchange *x, struct str id, struct str pass)
{
    x->passed = card_pass_holds(x->service->passes, id, (int64_t)time(NULL), pass);
    if (!x->passed)
        exchange_problem(x, 403, "no preview", "Ask for another link the person who sent it.",
                         "The pass in the URL has ended, or was never given.");
    return x->passed;
}

enum exchange_step handle_card_by_pass(struct exchange *x)
{
    return profile_card_pass(x, x->parameters[0], x->parameters[1]) ? handle_card(x) : X_DONE;
}

/* Nothing of the profile but its name. The page itself asks who looks. */
enum exchange_step handle_preview(struct exchange *x)
{
    struct str id = x->parameters[0], pass = x->parameters[1];
    struct record record;
    struct buf image = {0};

    if (!card_wanted(x) || !profile_card_pass(x, id, pass) || !profile_record(x, id, &record))
        return X_DONE;
    exchange_base_url(x, &image);
    buf_z(&image, "/p/");
    buf_str(&image, id);
    buf_z(&image, "/k/");
    buf_str(&image, pass);
    buf_z(&image, "/card.png");
    struct buf *page = page_reply(&x->reply, 200);
    page_preview(page, &record, buf_view(&image));
    page->failed = page->failed || image.failed;
    buf_free(&image);
    return X_DONE;
}

/* ---- calls ---- */

/* /p/<id>/calls: all calls one by one, with a suffix or by Accept. */

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
        return call_format_by_name(str_from(suffix, 1));
    if (suffix.n > 0)
        return NULL;
    return x->accepts == AS_JSON ? call_format_by_name(STR("json")) : CALL_FORMATS[0];
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
