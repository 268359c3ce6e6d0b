#include "server/routes/view_answer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/sha256.h"
#include "core/system/folder.h"
#include "core/system/json_memory.h"
#include "render/view/asked.h"
#include "render/view/key.h"
#include "server/convert/summary.h"
#include "server/http/exchange.h"
#include "server/http/message/range.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/service.h"
#include "server/upload/known_mapping.h"
#include "server/views/policies.h"
#include "server/views/views.h"

/* ---- answers that are made ---- */

enum representation view_suffix(const struct exchange *x, struct str *name)
{
    static const struct {
        struct str suffix;
        enum representation as;
    } FORCED[] = {{STR_INIT(".html"), AS_HTML}, {STR_INIT(".txt"), AS_TEXT}, {STR_INIT(".json"), AS_JSON}};

    for (size_t i = 0; i < sizeof(FORCED) / sizeof(*FORCED); i++)
        if (str_ends(*name, FORCED[i].suffix)) {
            name->n -= FORCED[i].suffix.n;
            return FORCED[i].as;
        }
    return x->accepts == AS_SVG ? AS_TEXT : x->accepts;
}

const struct page_visitor *view_visitor(const struct exchange *x, struct page_visitor *v)
{
    *v = (struct page_visitor){str_of(x->who.name), x->who.by == WHO_BY_SESSION,
                               (x->who.scopes & SCOPE_UPLOAD) != 0};
    return x->service->doors == NULL ? NULL : v;
}

struct query {
    struct view_request *request;
    struct diag *diag;
    unsigned keys;
};

bool view_is_no_step(struct str key, struct str value)
{
    const struct key *r = value.n == 0 ? key_by_name(key) : NULL;

    return r != NULL && r->kind == KEY_STEP;
}

static bool take_parameter(void *context, struct str key, struct str value)
{
    struct query *q = context;
    bool compares = (q->keys & KEYS_COMPARED) != 0, of_b;

    /* The page of a comparison has fields of many keys: who leaves one empty says nothing. */
    if (view_is_no_step(key, value) || (value.n == 0 && compares && key_find(q->keys, key, &of_b) != NULL))
        return true;
    return asked_set(&q->request->asked, q->keys, key, value, q->diag);
}

static bool take_output(struct exchange *x, struct view_request *r, struct diag *diag)
{
    struct str name = (x->keys & KEYS_UPLOAD) != 0 ? x->query(x, "output") : (struct str){NULL, 0};

    if (name.p == NULL)
        return true;
    r->output = output_by_name(name);
    return r->output != NULL ||
           diag_set(diag, DIAG_USAGE, "unknown output", "The manual at / lists the outputs.",
                    "There is no output of that name.");
}

bool view_query(struct exchange *x, struct view_request *r, struct diag *diag)
{
    struct window window;

    r->encoding = encoding_negotiate(x->header(x, "Accept-Encoding"));
    if (!take_output(x, r, diag))
        return false;
    const struct output *as = view_shown_as(r);
    unsigned more = (as != NULL ? as->keys : 0) | (r->report != NULL ? r->report->keys & KEYS_OUTLINE : 0);
    struct query q = {r, diag, x->keys | more};
    x->each_query(x, take_parameter, &q);
    if (r->output != NULL && r->output->packed) /* once is enough */
        r->encoding = (struct encoding_choice){0};
    if (diag->kind == DIAG_NONE)
        (void)view_window(&r->asked.view, &window, diag);
    return diag->kind == DIAG_NONE;
}

bool view_of_url(struct exchange *x, struct str tracks, struct record *record, struct view_request *r)
{
    struct diag diag = {0};

    if (!profile_record(x, x->parameters[0], record))
        return false;
    view_of(r, record);
    convert_defaults(x->service->config, &r->asked.view);
    view_of_owner(&r->asked.view, record);
    if ((tracks.p == NULL || view_set_tracks(&r->asked.view, tracks, &diag)) && view_query(x, r, &diag))
        return true;
    exchange_diag(x, &diag);
    return false;
}

bool report_of_url(struct exchange *x, struct record *record, struct view_request *r)
{
    char method[ASKED_METHOD_BYTES_MAX + 1];
    struct diag diag = {0};

    if (!profile_record(x, x->parameters[0], record))
        return false;
    view_of(r, record);
    memcpy(method, r->asked.method, sizeof(method));
    report_defaults(x->service->config, &r->asked);
    view_of_owner(&r->asked.view, record);
    memcpy(r->asked.method, method, sizeof(method));
    if (view_query(x, r, &diag)) {
        report_settle(r->report, x->service->config, &r->asked);
        return true;
    }
    exchange_diag(x, &diag);
    return false;
}

/* What a report may load. */
static const char NOTHING[] = "default-src 'none'; sandbox";

/* A picture is sandboxed into an origin of its own: what its script fetches has to let any origin read it.
 * Who can name the URL can read it anyway. */
static void view_headers(struct exchange *x, const struct view_request *r, struct str etag)
{
    struct reply *reply = &x->reply;
    const struct output *as = view_shown_as(r);

    reply_header(reply, "ETag", "\"%.*s\"", (int)etag.n, etag.p);
    reply_header(reply, "Cache-Control", "private, no-cache");
    reply_header(reply, "Vary", "Accept, Accept-Encoding");
    reply_header(reply, "X-Content-Type-Options", "nosniff");
    reply_header(reply, "Referrer-Policy", "no-referrer");
    reply_header(reply, "Content-Security-Policy", "%s",
                 as != NULL ? policies_of(x->service->policies, as) : NOTHING);
    /* What is for the team is not read by pages of other sites, but by a picture that has a pass. */
    if (x->team && !x->passed)
        return;
    if (as != NULL && as->fetched)
        reply_header(reply, "Access-Control-Allow-Origin", "*");
    else if (r->output != NULL)
        viewer_allow(reply, x->service->config, r->output->name);
}

/* If the client has the view in this coding: 304. Any view will do for `any`: it must be there then. */
static bool answer_unchanged(struct exchange *x, const struct view_request *r, enum encoding e, bool any)
{
    struct str field = x->header(x, "If-None-Match");
    char key[VIEW_KEY_CHARS + 1];

    if (field.p == NULL || (!any && str_eq(str_trim(field), STR("*"))) || !view_key(x->service, r, e, key) ||
        !range_none_match(field, view_etag(key)))
        return false;
    reply_static(&x->reply, 304, view_media_type(r), STR(""));
    view_headers(x, r, view_etag(key));
    return true;
}

/* Takes over what the result holds. Where these very bytes were the answer before, so are its headers; but
 * a condition needs to see them. */
static void send_view(struct exchange *x, unsigned status, const struct view_request *r,
                      struct view_result *result)
{
    const char *type = view_media_type(r);
    char key[VIEW_KEY_CHARS + 1];

    if (status == 200 && !x->team && !x->stale && result->bytes != NULL &&
        shared_bytes_answer(result->bytes) != NULL && x->header(x, "If-Match").p == NULL) {
        reply_again(&x->reply, result->bytes);
        return;
    }
    if (!view_key(x->service, r, result->encoding, key)) {
        view_result_free(result);
        exchange_no_memory(x, "the answer");
        return;
    }
    if (result->bytes != NULL)
        reply_shared(&x->reply, status, type, result->bytes);
    else
        reply_file(&x->reply, status, type, result->fd, 0, result->file_bytes);
    /* An equal upload may be for everybody, and the next answer be fresh. */
    x->reply.own_headers = x->team || x->stale;
    if (result->encoding != ENCODING_IDENTITY)
        reply_header(&x->reply, "Content-Encoding", "%s", encoding_name(result->encoding));
    view_headers(x, r, view_etag(key));
}

void view_answer_result(struct exchange *x, unsigned status, const struct view_request *r,
                        struct view_result *result)
{
    if (result->diag.kind != DIAG_NONE) {
        view_result_free(result);
        exchange_diag(x, &result->diag);
    } else if (status == 200 && answer_unchanged(x, r, result->encoding, true)) {
        view_result_free(result);
    } else {
        send_view(x, status, r, result);
    }
}

static enum exchange_step view_ready(struct exchange *x, const struct view_request *r,
                                     struct view_result *result, void *context)
{
    (void)context;
    view_answer_result(x, 200, r, result);
    return X_DONE;
}

enum exchange_step view_answer(struct exchange *x, const struct view_request *r)
{
    /* A client that has the view already is told so, whether or not the service still has it. */
    if (answer_unchanged(x, r, r->encoding.best, false))
        return X_DONE;
    return views_get(x, r, view_ready, NULL);
}

bool card_wanted(struct exchange *x)
{
    if (x->service->config->link_previews)
        return true;
    exchange_problem(x, 404, "no previews of links", "The page of the upload has its pictures.",
                     "The operator has turned previews of links off (link_previews).");
    return false;
}

void card_name(struct view_request *r, const struct record *a, const struct record *b)
{
    struct str name = page_data_name(a->name), other = b != NULL ? page_data_name(b->name) : STR("");

    r->encoding = (struct encoding_choice){0}; /* a PNG is packed */
    snprintf(r->asked.title, sizeof(r->asked.title), "%s%.*s%s%.*s", b != NULL ? "What changed: " : "",
             (int)name.n, name.p, b != NULL ? " and " : "", (int)other.n, other.p);
}

/* 0 where there is none. */
static size_t bytes_of(const struct view_result *result)
{
    if (result->fd >= 0)
        return (size_t)result->file_bytes;
    return result->bytes == NULL ? 0 : shared_bytes_view(result->bytes).n;
}

static enum exchange_step work_on(struct exchange *x, const struct view_request *r,
                                  struct view_result *result, void *context)
{
    const struct view_work *w = context;
    size_t bytes = bytes_of(result);

    (void)r;
    *w->result = *result;
    return exchange_work(x, bytes > w->bytes ? bytes : w->bytes, w->work, w->then, w->context);
}

enum exchange_step view_work(struct exchange *x, const struct view_request *r, const struct view_work *work)
{
    struct view_work *w = exchange_state(x, sizeof(*w), NULL);

    if (w == NULL)
        return exchange_no_memory(x, "the answer");
    *w = *work;
    return views_get(x, r, work_on, w);
}

bool view_take(struct exchange *x, struct view_result *result, struct buf *text)
{
    struct diag diag = result->diag;

    if (result->bytes != NULL) {
        buf_str(text, shared_bytes_view(result->bytes));
        shared_bytes_unref(result->bytes);
    } else if (result->fd >= 0) {
        if (!file_read_all(result->fd, SIZE_MAX / 2, text) && !text->failed)
            diag_set(&diag, DIAG_IO, "upload not readable", "Tell the operator.",
                     "A view of it could not be read.");
        close(result->fd);
    }
    if (text->failed)
        diag_no_memory(&diag, "No memory to read the view.");
    if (diag.kind == DIAG_NONE)
        return true;
    exchange_diag(x, &diag);
    return false;
}

/* ---- pages ---- */

/* The workspace as an answer: waits for what stands around the content (the summary), then for the content
 * of the tab, then makes the page. */

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

/* The tag is a digest of the page, so that it changes with everything that the page shows. It is a weak one, since it is the
 * same for all codings. False: no memory. */
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

/* Whether the client has the page with the tag of the reply. */
static bool has_page(const struct exchange *x)
{
    const char *tag = reply_header_value(&x->reply, "ETag");

    if (tag == NULL) /* memory was short: the answer has failed */
        return false;
    struct str quoted = str_of(tag + strlen("W/"));
    return range_none_match(x->header(x, "If-None-Match"), (struct str){quoted.p + 1, quoted.n - 2});
}

void page_tag(struct exchange *x, struct buf *page)
{
    page->failed = page->failed || !put_tag(&x->reply, buf_view(page));
    if (!page->failed && has_page(x)) {
        buf_clear(page);
        x->reply.status = 304;
    }
}

/* The id of the mapping that goes with the recorded build; empty: not known. */
static struct str build_of(const json_t *summary)
{
    return json_memory_text(json_object_get(json_object_get(summary, "facts"), "build_map_id"));
}

static bool is_compared(const struct workspace_answer *a)
{
    return a->pair.n > 0;
}

static void answer_workspace_page(struct exchange *x, const struct workspace_answer *a, struct str content,
                                  const struct diag *trouble)
{
    bool is_told = (a->tab == TAB_VERDICT || a->tab == TAB_FRAMES) && content.n > 0;
    json_t *told = is_told ? json_memory_load(content, 0, NULL) : NULL;
    char pass[PASS_CHARS + 1], card_pass[CARD_PASS_CHARS + 1] = "";
    struct str shown = is_compared(a) ? a->pair : str_of(a->record.id);
    struct buf base = {0};
    if (x->service->config->link_previews)
        exchange_base_url(x, &base);
    bool has_pass = profile_pass_make(x, shown, pass);
    bool may_map = !is_compared(a) && a->record.names.of[RECORD_MAPPING][0] == '\0';
    struct str build = may_map ? build_of(a->summary) : STR("");
    int known = known_mapping_open(x->service, build);
    const struct page_compared compared = {.b = &a->other,
                                           .pair = a->pair,
                                           .asked = &a->content.asked.diff,
                                           .table = json_object_get(a->head, "table")};
    const struct page_rights rights = {.change = admits_without_token(x, &a->record, SCOPE_CHANGE),
                                       .remove = admits_without_token(x, &a->record, SCOPE_DELETE),
                                       .own = admits_owner(x, &a->record),
                                       .waits = store_waits(x->service->store, a->record.id),
                                       .way_back = admits_way_back(x),
                                       .knows_team = x->service->doors != NULL && x->who.by != WHO_NOBODY};
    /* What everybody may read has its preview without a pass. */
    bool has_card = base.n > 0 && !is_compared(a) && a->record.team && rights.change &&
                    card_pass_make(x->service->passes, str_of(a->record.id), (int64_t)time(NULL), card_pass);
    const struct page_workspace page = {.rights = rights,
                                        .card_pass = has_card ? str_of(card_pass) : STR(""),
                                        .known_mapping = known >= 0 ? build : STR(""),
                                        .record = &a->record,
                                        .summary = a->summary,
                                        .root = page_root(x->path),
                                        .tab = a->tab,
                                        .options = &a->content.asked.view,
                                        .rows = &a->content.asked.table,
                                        .method = str_of(a->content.asked.method),
                                        .told = told,
                                        .track = buf_view(&a->track),
                                        .content = content,
                                        .trouble = trouble,
                                        .base = buf_view(&base),
                                        .card = &a->card,
                                        .pass = str_of(pass),
                                        .max_days = x->service->config->max_expires_days,
                                        .now_s = (int64_t)time(NULL),
                                        .config = x->service->config,
                                        .compared = is_compared(a) ? &compared : NULL};
    struct buf *body = page_reply(&x->reply, 200);

    /* Without its pass the picture would be less than it says. */
    body->failed = base.failed || !has_pass || (is_told && told == NULL);
    page_workspace(body, &page);
    page_tag(x, body);
    if (known >= 0)
        close(known);
    buf_free(&base);
    json_decref(told);
}

/* Whether it is the profile that cannot be shown so. Then the page says why, and offers all else: other
 * views, the uploaded file, deleting. Whatever may be different at the next try, or with another URL, is
 * an error as elsewhere. */
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

    /* The verdict and frames are about all threads; from their pages one goes on to the main one. */
    if (a->tab == TAB_VERDICT || a->tab == TAB_FRAMES) {
        buf_clear(&a->track);
        if (!choose_main(a)) {
            view_result_free(&a->result);
            exchange_no_memory(x, "the page");
            return;
        }
    }
    if (!is_compared(a) && (is_of_profile(&diag) || (diag.kind == DIAG_USAGE && is_chart_of_several(a)))) {
        view_result_free(&a->result);
        answer_workspace_page(x, a, STR(""), &diag);
    } else if (view_take(x, &a->result, &content)) {
        answer_workspace_page(x, a, buf_view(&content), NULL);
    }
    buf_free(&content);
}

json_t *page_summary(struct str stored, const struct view_options *o)
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
        a->head = page_summary(buf_view(&head), o);
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
    /* Whether the build's mapping is known takes a look at a folder, which no connection waits for. */
    bool looks = x->service->config->mappings_dir[0] != '\0';
    const struct view_work page = {&a->result, looks ? WORK_ALWAYS : 0, make_page, NULL, a};

    return a->has_head ? view_work(x, &a->content, &page) : X_DONE;
}

void workspace_content(struct workspace_answer *a)
{
    static const struct {
        const char *of_one, *of_two, *suffix, *suffix_of_two;
    } TABS[] = {[TAB_FLAME] = {NULL, "diff", NULL, "svg"},
                [TAB_METHODS] = {"methods", "diff", "txt", "txt"},
                [TAB_METHOD] = {"m", "diff-method", "txt", "txt"},
                [TAB_VERDICT] = {"verdict", NULL, "json", NULL},
                [TAB_FRAMES] = {"frames", NULL, "json", NULL}};
    bool two = is_compared(a);
    const char *name = two ? TABS[a->tab].of_two : TABS[a->tab].of_one;

    if (name == NULL)
        a->content.output = &OUTPUT_SVG;
    else
        a->content.report =
            report_by_name(str_of(name), str_of(two ? TABS[a->tab].suffix_of_two : TABS[a->tab].suffix));
}

/* A chat program shows the first sentence of the words below a link, whichever tab the link leads to. */
static void show_words(struct exchange *x, struct workspace_answer *a)
{
    const struct view_options of = a->content.asked.view;

    a->tab = TAB_VERDICT;
    a->content.output = NULL;
    workspace_content(a);
    report_defaults(x->service->config, &a->content.asked);
    view_of_owner(&a->content.asked.view, &a->record);
    a->content.asked.view.from_ns = of.from_ns;
    a->content.asked.view.to_ns = of.to_ns;
    report_settle(a->content.report, x->service->config, &a->content.asked);
}

enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a)
{
    struct table_request *rows = &a->content.asked.table;
    struct view_request head;

    a->card = a->content.asked.view;
    if (!is_compared(a) && a->tab != TAB_FLAME && a->card.tracks != TRACKS_LISTED)
        a->card.tracks = TRACKS_LISTED; /* a table of all threads has the card of the main one */
    if (!is_compared(a) && x->previews)
        show_words(x, a);
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
    if (a->tab == TAB_FLAME)
        convert_for_page(&a->content.asked.view, a->record.size + a->other.size);
    return view_work(x, &head, &(struct view_work){&a->result, 0, take_head, get_content, a});
}
