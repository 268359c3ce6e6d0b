#include "server/routes/handle_compare.h"
#include "server/routes/routes_table.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/sha256.h"
#include "core/system/json_memory.h"
#include "render/view/asked.h"
#include "render/view/key.h"
#include "server/convert/summary.h"
#include "server/http/exchange.h"
#include "server/http/message/range.h"
#include "server/http/problem.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/handle_profile.h"
#include "server/routes/handle_view.h"
#include "server/service.h"
#include "server/upload/known_mapping.h"
#include "server/views/pass.h"
#include "server/views/views.h"

/* ---- the page ---- */

enum { TAG_BYTES = 16 };

static void end_answer(void *state)
{
    struct workspace_answer *a = state;

    json_decref(a->head);
    buf_free(&a->track);
}

struct workspace_answer *workspace_new(struct exchange *x)
{
    struct workspace_answer *a = exchange_state(x, sizeof(*a), end_answer);

    if (a == NULL)
        exchange_no_memory(x, "the page");
    return a;
}

/* Without any track there is nothing to choose from: all of them are none. */
static bool choose_main(struct workspace_answer *a)
{
    struct view_options *o = &a->content.asked.view;
    const json_t *tracks = json_object_get(a->summary, "tracks");
    const json_t *track = json_array_get(tracks, page_data_main_track(tracks));

    o->tracks = track == NULL ? TRACKS_ALL : TRACKS_LISTED;
    if (track != NULL) {
        o->track_ids[0] = (uint32_t)page_data_number(track, "id");
        o->n_track_ids = 1;
    }
    key_text(key_by_name(STR("track")), o, &a->track);
    return !a->track.failed;
}

/* The tag is a digest of the page, so that it changes with everything that the page shows. It is a weak one, since it is
 * the same for all codings. False: no memory. */
static bool put_tag(struct reply *reply, struct str page)
{
    struct sha256 *hash = sha256_new();
    uint8_t digest[SHA256_BYTES];
    struct buf hex = {0};

    if (hash == NULL)
        return false;
    sha256_add(hash, page);
    if (sha256_end(hash, digest))
        buf_hex_bytes(&hex, digest, TAG_BYTES);
    bool made = hex.n > 0 && !hex.failed;
    if (made)
        reply_header(reply, "ETag", "W/\"%.*s\"", (int)hex.n, hex.p);
    buf_free(&hex);
    sha256_free(hash);
    return made;
}

/* Whether the client has the page with this tag. */
static bool has_page(const struct exchange *x)
{
    const char *tag = reply_header_value(&x->reply, "ETag");

    if (tag == NULL) /* memory was short: the answer has failed */
        return false;
    struct str quoted = str_of(tag + strlen("W/"));
    return range_none_match(x->header(x, "If-None-Match"), (struct str){quoted.p + 1, quoted.n - 2});
}

/* The id of the mapping that goes with the recorded build; empty: not known. */
static struct str build_of(const json_t *summary)
{
    const json_t *id = json_object_get(json_object_get(summary, "facts"), "build_map_id");

    return json_is_string(id) ? (struct str){json_string_value(id), json_string_length(id)} : STR("");
}

static bool is_compared(const struct workspace_answer *a)
{
    return a->pair.n > 0;
}

static void answer_page(struct exchange *x, const struct workspace_answer *a, struct str content,
                        const struct diag *trouble)
{
    bool is_verdict = a->tab == TAB_VERDICT && content.n > 0;
    json_t *verdict = is_verdict ? json_memory_load(content, 0, NULL) : NULL;
    char pass[PASS_CHARS + 1];
    struct str shown = is_compared(a) ? a->pair : str_of(a->record.id);
    bool has_pass = pass_make(x->service->passes, shown, (int64_t)time(NULL), pass);
    bool may_map = !is_compared(a) && a->record.names.of[RECORD_MAPPING][0] == '\0';
    struct str build = may_map ? build_of(a->summary) : STR("");
    int known = known_mapping_open(x->service, build);
    const struct page_compared compared = {.b = &a->other,
                                           .pair = a->pair,
                                           .asked = &a->content.asked.diff,
                                           .table = json_object_get(a->head, "table")};
    const struct page_workspace page = {.known_mapping = known >= 0 ? build : STR(""),
                                        .record = &a->record,
                                        .summary = a->summary,
                                        .root = page_root(x->path),
                                        .tab = a->tab,
                                        .options = &a->content.asked.view,
                                        .rows = &a->content.asked.table,
                                        .method = str_of(a->content.asked.method),
                                        .verdict = verdict,
                                        .track = buf_view(&a->track),
                                        .content = content,
                                        .trouble = trouble,
                                        .pass = str_of(pass),
                                        .max_days = x->service->config->max_expires_days,
                                        .now_s = (int64_t)time(NULL),
                                        .config = x->service->config,
                                        .compared = is_compared(a) ? &compared : NULL};
    struct buf *body = page_reply(&x->reply, 200);

    /* Without its pass the picture would be less than it says. */
    body->failed = !has_pass || (is_verdict && verdict == NULL);
    page_workspace(body, &page);
    body->failed = body->failed || !put_tag(&x->reply, buf_view(body));
    if (!body->failed && has_page(x)) {
        buf_clear(body);
        x->reply.status = 304;
    }
    if (known >= 0)
        close(known);
    json_decref(verdict);
}

/* Whether it is the profile that cannot be shown so. Then the page says why, and offers all else: other views, the
 * uploaded file, deleting. Whatever may be different at the next try, or with another URL, is an error as elsewhere. */
static bool is_of_profile(const struct diag *d)
{
    return d->kind == DIAG_EMPTY || d->kind == DIAG_UNKNOWN || d->kind == DIAG_FOREIGN ||
           d->kind == DIAG_UNUSABLE || d->kind == DIAG_LIMIT;
}

/* The service draws a chart of one thread only; the script of the page draws those of several. */
static bool is_chart_of_several(const struct workspace_answer *a)
{
    const struct view_options *o = &a->content.asked.view;

    return a->tab == TAB_FLAME && o->view == VIEW_CHART && (o->tracks != TRACKS_LISTED || o->n_track_ids > 1);
}

static void make_page(struct exchange *x, void *context)
{
    struct workspace_answer *a = context;
    struct diag diag = a->result.diag;
    struct buf content = {0};

    /* The verdict is about all threads; from its page one goes on to the main one. */
    if (a->tab == TAB_VERDICT) {
        buf_clear(&a->track);
        if (!choose_main(a)) {
            view_result_free(&a->result);
            exchange_no_memory(x, "the page");
            return;
        }
    }
    if (!is_compared(a) && (is_of_profile(&diag) || (diag.kind == DIAG_USAGE && is_chart_of_several(a)))) {
        view_result_free(&a->result);
        answer_page(x, a, STR(""), &diag);
    } else if (view_take(x, &a->result, &content)) {
        answer_page(x, a, buf_view(&content), NULL);
    }
    buf_free(&content);
}

static enum exchange_step content_ready(struct exchange *x, const struct view_request *r,
                                        struct view_result *result, void *context)
{
    struct workspace_answer *a = context;

    (void)r;
    a->result = *result;
    /* Whether the build's mapping is known takes a look at a folder, which no connection waits for. */
    bool looks = x->service->config->mappings_dir[0] != '\0';
    return exchange_work(x, looks ? WORK_ALWAYS : view_bytes(result), make_page, NULL, a);
}

/* What the page needs of the summary, which names all threads. NULL: no memory, or what is stored is no summary. */
static json_t *load_summary(struct str stored, const struct view_options *o)
{
    bool is_single = o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
    const struct summary_part part = {.tracks = PAGE_TRACKS_MAX,
                                      .track = is_single ? &o->track_ids[0] : NULL};
    struct buf text = {0};

    summary_put(&text, stored, &part);
    json_t *summary = text.failed ? NULL : json_memory_load(buf_view(&text), 0, NULL);
    buf_free(&text);
    return summary;
}

/* The head, and which threads the page shows. False: x->reply says why not. */
static bool read_head(struct exchange *x, struct workspace_answer *a)
{
    struct view_options *o = &a->content.asked.view;
    struct buf head = {0};
    bool ok = view_take(x, &a->result, &head);

    if (ok && is_compared(a))
        a->head = json_memory_load(buf_view(&head), 0, NULL);
    else if (ok)
        a->head = load_summary(buf_view(&head), o);
    buf_free(&head);
    if (!ok)
        return false;
    a->summary = is_compared(a) ? json_object_get(a->head, "summary") : a->head;
    if (!is_compared(a) && o->tracks == TRACKS_LISTED && o->n_track_ids == 0)
        ok = choose_main(a);
    else
        key_text(key_by_name(STR("track")), o, &a->track);
    ok = ok && a->summary != NULL && !a->track.failed;
    if (!ok)
        exchange_no_memory(x, "the page");
    return ok;
}

static void take_head(struct exchange *x, void *context)
{
    struct workspace_answer *a = context;

    a->has_head = read_head(x, a);
}

static enum exchange_step get_content(struct exchange *x, void *context)
{
    struct workspace_answer *a = context;

    return a->has_head ? views_get(x, &a->content, content_ready, a) : X_DONE;
}

static enum exchange_step head_ready(struct exchange *x, const struct view_request *r,
                                     struct view_result *result, void *context)
{
    struct workspace_answer *a = context;

    (void)r;
    a->result = *result;
    return exchange_work(x, view_bytes(result), take_head, get_content, a);
}

void workspace_content(struct workspace_answer *a)
{
    static const struct {
        const char *of_one, *of_two, *suffix, *suffix_of_two;
    } TABS[] = {[TAB_FLAME] = {NULL, "diff", NULL, "svg"},
                [TAB_METHODS] = {"methods", "diff", "txt", "txt"},
                [TAB_METHOD] = {"m", "diff-method", "txt", "txt"},
                [TAB_VERDICT] = {"verdict", NULL, "json", NULL}};
    bool two = is_compared(a);
    const char *name = two ? TABS[a->tab].of_two : TABS[a->tab].of_one;

    if (name == NULL)
        a->content.output = &OUTPUT_SVG;
    else
        a->content.report =
            report_by_name(str_of(name), str_of(two ? TABS[a->tab].suffix_of_two : TABS[a->tab].suffix));
}

enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a)
{
    struct table_request *rows = &a->content.asked.table;
    struct view_request head;

    if (!is_compared(a))
        view_of(&a->content, &a->record);
    head = a->content;
    a->content.encoding = head.encoding =
        (struct encoding_choice){0}; /* it becomes a part of the page: none */
    table_forget_sort(rows);
    if (rows->limit == UINT32_MAX ||
        (a->tab == TAB_METHODS && (rows->limit == 0 || rows->limit > METHODS_PAGE_ROWS)))
        rows->limit = METHODS_PAGE_ROWS;
    head.output = NULL;
    head.report = is_compared(a) ? report_by_name(STR("diff-head"), STR("")) : NULL;
    return views_get(x, &head, head_ready, a);
}

/* ---- two profiles ---- */

/* /d/<idA>..<idB>: two uploads compared, as a page, text or JSON. A comparison is there as long as both of them are. */

static const struct str BETWEEN = STR_INIT("..");

/* ---- which ---- */

/* Whether B's range makes sense. False: diag. */
static bool range_of_b(const struct view_request *r, struct diag *diag)
{
    struct view_options options = r->asked.view;
    struct window window;

    diff_view_of_b(&r->asked.diff, &options);
    (void)view_window(&options, &window, diag);
    return diag->kind == DIAG_NONE;
}

/* Two recordings have no clock in common. */
static bool has_no_chart(const struct view_request *r, struct diag *diag)
{
    return r->asked.view.view != VIEW_CHART ||
           diag_set(diag, DIAG_USAGE, "no chart of two profiles", "Leave the view out, or choose another.",
                    "view=chart: calls in the order of time are those of one recording.");
}

/* The records, and what the query asks for of the pair before the suffix, if it has one. False: x->reply says why not. */
static bool compare_of_url(struct exchange *x, struct record *a, struct record *b, struct view_request *r)
{
    struct str pair = x->parameters[0], first = {pair.p, str_find_str(pair, BETWEEN)}, second;
    struct diag diag = {0};

    if (first.n == pair.n) {
        exchange_problem(x, 404, "not found", "A comparison's address ends in two ids: /d/ID..ID.",
                         "There is nothing at this URL.");
        return false;
    }
    second = (struct str){pair.p + first.n + BETWEEN.n, pair.n - first.n - BETWEEN.n};
    if (!profile_record(x, second, b) || !profile_record(x, first, a))
        return false;
    view_of(r, a);
    view_compare_with(r, b);
    report_defaults(x->service->config, &r->asked);
    view_of_owner(&r->asked.view, b);
    if (!view_query(x, r, &diag) || !range_of_b(r, &diag) || !has_no_chart(r, &diag)) {
        exchange_diag(x, &diag);
        return false;
    }
    if (r->asked.view.palette == COLOURS_CHANGE) /* which is what there is: links need not say so */
        r->asked.view.palette = COLOURS_ORIGIN;
    return true;
}

/* ---- the page ---- */

/* `method`: of its tab, which it is. */
static enum exchange_step answer_compared(struct exchange *x, enum workspace_tab tab, struct str method)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL)
        return X_DONE;
    a->tab = tab;
    a->pair = x->parameters[0];
    workspace_content(a);
    if (!compare_of_url(x, &a->record, &a->other, &a->content))
        return X_DONE;
    memcpy(a->content.asked.method, method.p, method.n);
    return workspace_answer(x, a);
}

/* ---- answers ---- */

static enum exchange_step answer_suffix(struct exchange *x, struct str suffix)
{
    struct view_request r = {.report = report_by_name(STR("diff"), suffix)};
    struct record a, b;

    if (r.report == NULL)
        return exchange_problem(x, 404, "not found", "The page of the comparison lists its formats.",
                                "There is nothing at this URL.");
    return compare_of_url(x, &a, &b, &r) ? view_answer(x, &r) : X_DONE;
}

static enum exchange_step answer_as(struct exchange *x, enum workspace_tab tab)
{
    if (x->accepts == AS_HTML)
        return answer_compared(x, tab, STR(""));
    return answer_suffix(x, x->accepts == AS_JSON ? STR("json") : STR("txt"));
}

/* Behind the second id a suffix may stand. */
enum exchange_step handle_compare(struct exchange *x)
{
    struct str *pair = &x->parameters[0];
    size_t dot = str_find_last(*pair, '.'), between = str_find_str(*pair, BETWEEN);

    if (between == pair->n || dot <= between + 1)
        return answer_as(x, TAB_FLAME);
    struct str suffix = {pair->p + dot + 1, pair->n - dot - 1};
    pair->n = dot;
    return answer_suffix(x, suffix.n > 0 ? suffix : STR("?"));
}

enum exchange_step handle_compare_methods(struct exchange *x)
{
    struct str suffix = x->parameters[1];

    if (suffix.n == 0)
        return answer_as(x, TAB_METHODS);
    return answer_suffix(x, suffix.p[0] == '.' ? (struct str){suffix.p + 1, suffix.n - 1} : STR("?"));
}

enum exchange_step handle_compare_method(struct exchange *x)
{
    static const struct str SUFFIX = STR_INIT(".json");
    struct view_request r = {.report = report_by_name(STR("diff-method"), STR("json"))};
    struct str method = x->parameters[1];
    bool has_suffix = str_ends(method, SUFFIX);
    struct record a, b;

    method.n -= has_suffix ? SUFFIX.n : 0;
    if (method.n > ASKED_METHOD_BYTES_MAX || method.n == 0 || str_find(method, '\0') < method.n)
        return exchange_problem(x, 404, "no such method", "The table of the comparison lists its methods.",
                                "No method has such a name.");
    if (x->accepts == AS_HTML && !has_suffix)
        return answer_compared(x, TAB_METHOD, method);
    if (!compare_of_url(x, &a, &b, &r))
        return X_DONE;
    memcpy(r.asked.method, method.p, method.n);
    return view_answer(x, &r);
}

enum exchange_step handle_compare_tree(struct exchange *x)
{
    return answer_suffix(x, STR("tree"));
}

enum exchange_step handle_compare_tree_by_pass(struct exchange *x)
{
    return profile_pass(x, x->parameters[0], x->parameters[1]) ? handle_compare_tree(x) : X_DONE;
}

/* ---- the choice ---- */

/* An id, or a link that has one behind /p/. */
static struct str id_in(struct str text)
{
    static const struct str BEFORE = STR_INIT("/p/");

    text = str_trim(text);
    size_t at = str_find_str(text, BEFORE);
    if (at < text.n)
        text = (struct str){text.p + at + BEFORE.n, text.n - at - BEFORE.n};
    size_t n = text.n < RECORD_ID_CHARS ? text.n : RECORD_ID_CHARS;
    return (struct str){text.p, n};
}

/* A form cannot send its choice within the path: it is sent here, and on from here. */
enum exchange_step handle_compare_choice(struct exchange *x)
{
    struct str a = id_in(x->query(x, "a")), b = id_in(x->query(x, "b"));

    if (!record_id_valid(a) || !record_id_valid(b))
        return exchange_problem(x, 400, "no two uploads", "Give the link of an upload, or its id.",
                                "A comparison takes two uploads, each by its link or its id.");
    reply_static(&x->reply, 303, "text/plain; charset=utf-8", STR("The comparison is at another URL.\n"));
    reply_header(&x->reply, "Location", "d/%.*s..%.*s", (int)a.n, a.p, (int)b.n, b.p);
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    return X_DONE;
}
