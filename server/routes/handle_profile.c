/* /p/<id>: the result of an upload, its bytes, and its end. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/file.h"
#include "core/system/json_memory.h"
#include "core/system/utc.h"
#include "server/convert/summary.h"
#include "server/http/range.h"
#include "server/http/url.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/handlers.h"
#include "server/store/record_cache.h"
#include "server/store/store_access.h"
#include "server/upload/progress.h"

static const char NOT_HERE_HINT[] = "Check the link, or upload the profile again.";

void profile_gone(struct exchange *x)
{
    exchange_problem(x, 410, "gone", "Upload the profile again if you still have it.",
                     "This upload was deleted or has expired.");
}

bool profile_record(struct exchange *x, struct str id, struct record *r)
{
    enum record_state state = record_cache_read(x->service->record_cache, id, (int64_t)time(NULL), r);

    x->profile = state == RECORD_FOUND ? id : STR("");
    switch (state) {
    case RECORD_FOUND:
        return true;
    case RECORD_GONE:
        profile_gone(x);
        break;
    case RECORD_NONE:
        exchange_problem(x, 404, "not found", NOT_HERE_HINT, "There is no upload with this id.");
        break;
    case RECORD_BROKEN:
        exchange_problem(x, 500, "upload not readable",
                         "Tell the operator: the service's log has the details.",
                         "The upload's record could not be read.");
        LOG(x->service->log, LOG_ERROR, "record-broken", LOG_STR("id", id));
        break;
    }
    return false;
}

enum exchange_step no_memory_to_answer(struct exchange *x)
{
    exchange_problem(x, 503, "out of memory", "Try again later.", "No memory for the answer.");
    return X_DONE;
}

/* ---- JSON ---- */

static void put_time(struct json *j, const char *key, int64_t unix_s)
{
    char text[UTC_CHARS + 1];

    utc_format(unix_s, text);
    json_put_string(j, key, str_of(text));
}

/* What the record says; `base` is the URL of the profile. */
static void put_record(struct json *j, const struct record *r, struct str base, const char *token)
{
    json_put_string(j, "id", str_of(r->id));
    json_put_string(j, "url", base);
    if (token != NULL)
        json_put_string(j, "delete_token", str_of(token));
    put_time(j, "created", r->created_s);
    put_time(j, "expires", r->expires_s);
    json_put_string(j, "name", str_of(r->name));
    json_put_string(j, "sha256", str_of(r->sha256));
    if (r->member[0] != '\0')
        json_put_string(j, "member", str_of(r->member));
    json_put_u64(j, "size", r->size);
}

/* One object of two: the summary has other keys, and may have very many tracks. */
void profile_json(struct exchange *x, unsigned status, const struct record *r, struct str summary,
                  const char *token)
{
    struct buf url = {0};
    struct buf *body = reply_text(&x->reply, status, "application/json");
    struct json j = json_into(body);

    exchange_base_url(x, &url);
    buf_printf(&url, "/p/%s", r->id);
    json_open_object(&j, NULL);
    put_record(&j, r, buf_view(&url), token);
    buf_z(&url, "/t/");
    summary_put_members(&j, summary, &(struct summary_part){SIZE_MAX, NULL, url_rest(buf_view(&url))});
    json_close(&j);
    buf_char(body, '\n');
    body->failed = body->failed || url.failed;
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    buf_free(&url);
}

/* The summary with few of its tracks. NULL: not readable, or no memory. */
static json_t *load_summary(struct str summary, const struct summary_part *part)
{
    struct buf text = {0};

    summary_put(&text, summary, part);
    json_t *loaded = text.failed ? NULL : json_memory_load(buf_view(&text), 0, NULL);
    buf_free(&text);
    return loaded;
}

/* ---- GET ---- */

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

/* `summary` is empty while it is being made. */
static void answer_html(struct exchange *x, const struct record *r, struct str summary)
{
    const struct summary_part part = {.tracks = PAGE_TRACKS_MAX};
    json_t *s = summary.n == 0 ? NULL : load_summary(summary, &part);
    struct page_result page = {.record = r, .summary = s, .now_s = (int64_t)time(NULL)};
    struct progress_facts facts;
    uint32_t n_made;

    page.max_days = x->service->config->max_expires_days;
    if (progress_look(x->service->progresses, str_of(r->id), &facts, &n_made))
        page.progress =
            (struct page_progress){facts.bytes, facts.records, str_of(facts.format), n_made, facts.n_views};
    struct buf *body = reply_text(&x->reply, 200, "text/html; charset=utf-8");
    body->failed = s == NULL && summary.n > 0;
    page_result(body, &page);
    page_headers(&x->reply);
    json_decref(s);
}

/* Of an upload in progress the page need not wait for the summary: it comes by itself. */
static bool summary_is_coming(struct exchange *x, const struct record *r, const struct view_request *summary)
{
    char key[VIEW_KEY_CHARS + 1];
    struct progress_facts facts;
    uint32_t n_made;

    return view_key(x->service, summary, ENCODING_IDENTITY, key) &&
           progress_look(x->service->progresses, str_of(r->id), &facts, &n_made) &&
           store_exists(x->service->store, key) != STORE_OK;
}

bool take_view(struct exchange *x, struct view_result *result, struct buf *text)
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
        diag_set(&diag, DIAG_NO_MEMORY, "out of memory", "Try again later.", "No memory to read the view.");
    if (diag.kind == DIAG_NONE)
        return true;
    exchange_diag(x, &diag);
    return false;
}

/* What is answered once the summary is there: a state of the exchange. */
struct profile_answer {
    struct record record;
    enum representation as;
};

static enum exchange_step summary_ready(struct exchange *x, const struct view_request *request,
                                        struct view_result *result, void *context)
{
    const struct profile_answer *a = context;
    struct buf summary = {0};

    (void)request;
    if (take_view(x, result, &summary)) {
        if (a->as == AS_JSON)
            profile_json(x, 200, &a->record, buf_view(&summary), NULL);
        else if (a->as == AS_HTML)
            answer_html(x, &a->record, buf_view(&summary));
        else
            answer_text(x, &a->record, buf_view(&summary));
    }
    buf_free(&summary);
    if (reply_header_value(&x->reply, "Cache-Control") == NULL)
        reply_header(&x->reply, "Cache-Control", "private, no-cache");
    return X_DONE;
}

enum exchange_step handle_profile(struct exchange *x)
{
    struct str id = x->parameters[0];
    struct view_request request = {.output = NULL};
    struct profile_answer *a = exchange_state(x, sizeof(*a), NULL);

    if (a == NULL)
        return no_memory_to_answer(x);
    a->as = wanted(x, &id);
    if (!profile_record(x, id, &a->record))
        return X_DONE;
    view_of(&request, &a->record);
    if (a->as != AS_HTML || !summary_is_coming(x, &a->record, &request))
        return views_get(x, &request, summary_ready, a);
    answer_html(x, &a->record, STR(""));
    return X_DONE;
}

/* RFC 8187: what is not an attr-char is percent-encoded. */
static void put_file_name(struct buf *b, const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                     strchr("!#$&+-.^_`|~", *c) != NULL;
        if (plain)
            buf_char(b, *c);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

static void raw_headers(struct exchange *x, const struct record *r)
{
    struct buf name = {0};

    put_file_name(&name, r->name[0] == '\0' ? "profile.trace" : r->name);
    if (name.failed)
        x->reply.text.failed = true;
    else
        reply_header(&x->reply, "Content-Disposition", "attachment; filename*=UTF-8''%.*s", (int)name.n,
                     name.p);
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
    reply_header(&x->reply, "Content-Security-Policy", "default-src 'none'; sandbox");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    reply_header(&x->reply, "Accept-Ranges", "bytes");
    reply_header(&x->reply, "ETag", "\"%s\"", r->sha256);
    buf_free(&name);
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

enum exchange_step handle_raw(struct exchange *x)
{
    struct diag diag = {0};
    struct record r;
    uint64_t bytes;

    if (!profile_record(x, x->parameters[0], &r))
        return X_DONE;
    if (range_none_match(x->header(x, "If-None-Match"), str_of(r.sha256))) {
        reply_static(&x->reply, 304, "application/octet-stream", STR(""));
        raw_headers(x, &r);
        return X_DONE;
    }
    int fd = store_access_blob(x->service->store, x->service->log, r.sha256, &bytes, &diag);
    if (fd >= 0)
        answer_bytes(x, &r, fd, bytes);
    else
        exchange_diag(x, &diag);
    return X_DONE;
}

/* ---- DELETE ---- */

static void delete_accepted(struct exchange *x, const struct record *r)
{
    enum store_result result = record_delete(x->service->store, r, (int64_t)time(NULL));
    struct diag diag = {0};

    if (result != STORE_OK) {
        store_access_failed(x->service->log, result, "deleted", &diag);
        exchange_diag(x, &diag);
        return;
    }
    LOG(x->service->log, LOG_INFO, "deleted", LOG_STR("id", str_of(r->id)));
    if (x->accepts == AS_HTML) {
        page_deleted(reply_text(&x->reply, 200, "text/html; charset=utf-8"), page_root(x->path), r);
        page_headers(&x->reply);
    } else {
        buf_z(reply_text(&x->reply, 200, "text/plain; charset=utf-8"), "deleted\n");
        reply_header(&x->reply, "Cache-Control", "no-store");
    }
}

enum exchange_step handle_delete(struct exchange *x)
{
    struct record r;

    if (profile_record(x, x->parameters[0], &r) && token_accepted(x, &r, x->header(x, "X-Delete-Token")))
        delete_accepted(x, &r);
    return X_DONE;
}

enum exchange_step handle_delete_form(struct exchange *x)
{
    struct str token = x->query(x, "token");
    struct record r;

    if (!profile_record(x, x->parameters[0], &r))
        return X_DONE;
    page_delete(reply_text(&x->reply, 200, "text/html; charset=utf-8"), &r,
                token.p == NULL ? STR("") : token);
    page_headers(&x->reply);
    return X_DONE;
}

enum exchange_step handle_delete_posted(struct exchange *x)
{
    struct record r;

    if (profile_record(x, x->parameters[0], &r) && form_token_accepted(x, &r))
        delete_accepted(x, &r);
    return X_DONE;
}
