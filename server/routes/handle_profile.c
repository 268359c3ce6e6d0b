#include "server/routes/handle_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/clock.h"
#include "core/system/json_memory.h"
#include "core/system/threads.h"
#include "core/system/utc.h"
#include "server/convert/summary.h"
#include "server/http/exchange.h"
#include "server/http/message/form.h"
#include "server/http/message/range.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/upload/progress.h"
#include "server/views/profiles.h"

/* ---- as JSON ---- */

/* What the record says; `base` is the URL of the profile. */
static void put_record(const struct exchange *x, struct json *j, const struct record *r, struct str base,
                       const char *token)
{
    json_put_string(j, "id", str_of(r->id));
    json_put_string(j, "url", base);
    if (token != NULL && token[0] != '\0')
        json_put_string(j, "delete_token", str_of(token));
    json_put_string(j, "created", str_of(UTC_TEXT(r->created_s)));
    if (store_waits(x->service->store, r->id))
        json_put_string(j, "durability", STR("local"));
    json_put_string(j, "expires", str_of(UTC_TEXT(r->expires_s)));
    json_put_string(j, "name", str_of(r->name));
    json_put_string(j, "sha256", str_of(r->sha256));
    if (r->member[0] != '\0')
        json_put_string(j, "member", str_of(r->member));
    json_put_u64(j, "size", r->size);
    if (r->space[0] != '\0')
        json_put_string(j, "space", str_of(r->space));
    if (r->labels.lines[0] != '\0')
        labels_put(j, "label", &r->labels);
    if (x->who.by == WHO_NOBODY) /* who is not told of others */
        return;
    if (r->owner[0] != '\0')
        json_put_string(j, "owner", str_of(r->owner));
    json_put_string(j, "readers", r->team ? STR("team") : STR("link"));
}

void profile_json_record(struct exchange *x, struct json *j, const struct record *r, const char *token)
{
    struct buf url = {0};

    exchange_base_url(x, &url);
    buf_printf(&url, "/p/%s", r->id);
    put_record(x, j, r, buf_view(&url), token);
    buf_part_end(&x->reply.body, &url);
}

/* One object of two: the summary has other keys, and may have very many tracks. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token, const char *split)
{
    struct buf url = {0}, query = {0};
    struct view_options options;
    struct buf *body = reply_text(&x->reply, status, "application/json");
    struct json j = json_into(body);

    exchange_base_url(x, &url);
    buf_printf(&url, "/p/%s", r->id);
    json_open_object(&j, NULL);
    put_record(x, &j, r, buf_view(&url), token);
    buf_z(&url, "/t/");
    view_defaults(&options);
    snprintf(options.split, sizeof(options.split), "%s", split);
    view_link(&query, &options, "&");
    summary_put_members(&j, summary,
                        &(struct summary_part){.tracks = SIZE_MAX,
                                               .app = str_of(r->app),
                                               .links = url_rest(buf_view(&url)),
                                               .query = buf_view(&query)});
    json_close(&j);
    buf_char(body, '\n');
    body->failed = body->failed || url.failed || query.failed;
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    buf_free(&url);
    buf_free(&query);
}

/* ---- one profile ---- */

/* /p/<id>: the result of an upload as a page, a line of text, or JSON. */

/* The summary with few of its tracks. NULL: not readable, or no memory. */
static json_t *load_summary(struct str summary, const struct summary_part *part)
{
    struct buf text = {0};

    summary_put(&text, summary, part);
    json_t *loaded = text.failed ? NULL : json_memory_load(buf_view(&text), 0, NULL);
    buf_free(&text);
    return loaded;
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

/* What the page asks for behind its picture, words and a timeline, needs the log of calls, which an upload by a program
 * does not have yet. Its reading begins beside the picture, where a thread is free for it and the bytes are on this machine. */
struct log_ahead {
    struct thread_job job;
    struct service *service;
    struct profile_id id;
};

static void make_log(struct thread_job *job)
{
    struct log_ahead *a = (struct log_ahead *)job; /* its first member */
    struct diag ignored = {0};                     /* Who asks for the views is told. */
    struct turn turn;

    turn_init(&turn, a->service->turns, TURN_AHEAD, a, &a->service->stop);
    turn_take(&turn);
    bool made = service_goes_on(a->service, &ignored) &&
                profiles_make_log(a->service->profiles, &a->id, &turn, &ignored);
    (void)made;
    turn_end(&turn);
    free(a);
}

static void begin_log(struct exchange *x, const struct profile_id *id)
{
    const struct service *s = x->service;
    const bool is_cheap = s->config->profile_cache_bytes > 0 && !store_is_remote(s->store);
    struct log_ahead *a = is_cheap ? calloc(1, sizeof(*a)) : NULL;

    if (a == NULL)
        return;
    *a = (struct log_ahead){
        .job = {.run = make_log, .place = {TURN_AHEAD, .owner = a}}, .service = x->service, .id = *id};
    if (!threads_try(x->service->threads, THREADS_AHEAD, &a->job, 0))
        free(a);
}

static enum exchange_step answer_html(struct exchange *x, const struct record *record,
                                      const struct view_request *request)
{
    struct workspace_answer *a = workspace_new(x);

    if (a == NULL)
        return X_DONE;
    a->record = *record;
    begin_log(x, &request->upload);
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
    a->as = view_suffix(x, &id);
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
    return view_work(x, &request, &(struct view_work){&a->summary, 0, answer_summary, NULL, a});
}

/* ---- how far it is ---- */

/* /p/<id>/status.json and /p/<id>/events: how far an upload is whose views are still being made. */

enum { WAIT_MAX_S = 60 };

static enum exchange_step answer_status(struct exchange *x, void *watch)
{
    struct progress_facts facts;
    uint32_t made;

    if (progress_waits(watch)) /* it may have been other news than was waited for */
        return exchange_then(x, answer_status, watch);
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
    struct progress_watch *w =
        progress_watch(x, x->parameters[0], made < UINT32_MAX ? (uint32_t)made : UINT32_MAX,
                       clock_s() + (int64_t)(seconds < WAIT_MAX_S ? seconds : WAIT_MAX_S));
    return w != NULL ? answer_status(x, w) : exchange_no_memory(x, "the answer");
}

enum exchange_step handle_events(struct exchange *x)
{
    struct record record;

    if (!profile_record(x, x->parameters[0], &record))
        return X_DONE;
    struct progress_watch *w = progress_watch(x, x->parameters[0], 0, INT64_MAX);
    if (w == NULL)
        return exchange_no_memory(x, "the answer");
    reply_stream(&x->reply, 200, "text/event-stream", progress_events, w);
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "X-Accel-Buffering", "no"); /* nginx would hold the events back */
    return X_DONE;
}

/* ---- the uploaded file ---- */

/* /p/<id>/raw: the bytes that were uploaded. */

/* The name of a file as a header has it (RFC 8187): what is not an attr-char is percent-encoded. */
static void put_file_name(struct buf *b, const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || is_digit(*c) ||
                     strchr("!#$&+-.^_`|~", *c) != NULL;
        if (plain)
            buf_char(b, *c);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

/* Says in headers that browsers save the answer as a file of this name, and run nothing of it. */
static void put_attachment(struct exchange *x, const char *name, const char *suffix)
{
    struct buf encoded = {0};

    put_file_name(&encoded, name);
    if (encoded.failed)
        x->reply.text.failed = true;
    else
        reply_header(&x->reply, "Content-Disposition", "attachment; filename*=UTF-8''%.*s%s", (int)encoded.n,
                     encoded.p, suffix);
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    reply_header(&x->reply, "Content-Security-Policy", "default-src 'none'; sandbox");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    buf_free(&encoded);
}

static void raw_headers(struct exchange *x, const struct record *r)
{
    put_attachment(x, r->name[0] == '\0' ? "profile.trace" : r->name, "");
    reply_header(&x->reply, "Accept-Ranges", "bytes");
    reply_header(&x->reply, "ETag", "\"%s\"", r->sha256);
}

/* The bytes behind the descriptor, or what the request wants of them. Only a GET has ranges. */
static void answer_bytes(struct exchange *x, const struct record *r, int fd, uint64_t bytes)
{
    static const char TYPE[] = "application/octet-stream";
    struct str field = x->header(x, "Range");
    enum range_answer answer = RANGE_WHOLE;
    struct range part = {0, bytes};

    if (str_eq(x->method, STR("GET")) && range_if(x->header(x, "If-Range"), str_of(r->sha256)))
        answer = range_parse(field, bytes, &part);
    if (answer == RANGE_OUTSIDE) {
        close(fd);
        exchange_problem(x, 416, "range outside the file", "Leave the header Range out to get all of it.",
                         "The upload has %llu bytes.", (unsigned long long)bytes);
        reply_header(&x->reply, "Content-Range", "bytes */%llu", (unsigned long long)bytes);
        return;
    }
    reply_file(&x->reply, answer == RANGE_PART ? 206 : 200, TYPE, fd, part.first, part.n);
    if (answer == RANGE_PART)
        reply_header(&x->reply, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)part.first,
                     (unsigned long long)(part.first + part.n - 1), (unsigned long long)bytes);
    raw_headers(x, r);
}

static void open_bytes(struct exchange *x, void *record)
{
    const struct record *r = record;
    struct diag diag = {0};
    uint64_t bytes;

    if (x->turn != NULL)
        turn_give(x->turn);
    int fd = store_access_bytes(x->service->store, x->service->log, r->id, r->sha256, &bytes, &diag);
    if (x->turn != NULL)
        turn_take(x->turn);
    /* A disk was full or broke: who has the tag would take it for the whole file. */
    if (fd >= 0 && bytes != r->size) {
        close(fd);
        fd = -1;
        record_say_damaged(&diag);
    }
    if (fd >= 0)
        answer_bytes(x, r, fd, bytes);
    else
        (void)exchange_diag(x, &diag);
}

enum exchange_step handle_raw(struct exchange *x)
{
    struct record *r = exchange_state(x, sizeof(*r), NULL);

    if (r == NULL || !profile_record(x, x->parameters[0], r))
        return r == NULL ? exchange_no_memory(x, "the answer") : X_DONE;
    if (range_none_match(x->header(x, "If-None-Match"), str_of(r->sha256))) {
        reply_static(&x->reply, 304, "application/octet-stream", STR(""));
        raw_headers(x, r);
        return X_DONE;
    }
    return exchange_work(x, store_is_remote(x->service->store) ? WORK_ALWAYS : 0, open_bytes, NULL, r);
}

/* ---- the page as one file ---- */

/* /p/<id>/bundle.html: waits for what its page says of all threads (the summary), then for the parts that stand in it,
 * then writes it. */

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
    put_attachment(x, a->record.name[0] == '\0' ? "profile" : a->record.name, ".html");
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
