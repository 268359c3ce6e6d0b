#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/system/clock.h"
#include "core/system/folder.h"
#include "core/system/random_bytes.h"
#include "runs/change_points.h"
#include "runs/check.h"
#include "server/figures/figures.h"
#include "server/http/message/form.h"
#include "server/service.h"
#include "server/spaces/series_value.h"
#include "server/webhook/webhook_impl.h"

enum {
    TRIES = 3,
    PAUSE_MS = 1000,    /* before the second attempt */
    PAUSE_GROWTH = 4,   /* each further pause is so many times longer */
    ATTEMPT_MS = 10000, /* of one attempt */
    DELIVERY_BYTES = 8, /* of randomness */
    HEADER_BYTES = 120, /* of a line that is sent */
    HEADERS = 4
};

/* ---- the queue ---- */

struct webhook *webhook_new(struct service *service)
{
    struct webhook *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->service = service;
    w->stop.above = &service->stop;
    pthread_mutex_init(&w->lock, NULL);
    clock_condition_init(&w->changed);
    return w;
}

void webhook_item_free(struct webhook_item *item)
{
    if (item != NULL)
        buf_free(&item->text);
    free(item);
}

struct webhook_item *webhook_take(struct webhook *w, bool waits)
{
    pthread_mutex_lock(&w->lock);
    while (w->first == NULL && waits && stop_asked(&w->stop) == STOP_NONE)
        pthread_cond_wait(&w->changed, &w->lock);
    struct webhook_item *item = stop_asked(&w->stop) == STOP_NONE ? w->first : NULL;
    if (item != NULL) {
        w->first = item->next;
        w->n--;
        w->said_full = false;
    }
    pthread_mutex_unlock(&w->lock);
    return item;
}

/* Under the lock. False: there is no room. */
static bool append(struct webhook *w, struct webhook_item *item)
{
    if (w->n == WEBHOOK_QUEUE || stop_asked(&w->stop) != STOP_NONE)
        return false;
    if (w->first == NULL)
        w->first = item;
    else
        w->last->next = item;
    w->last = item;
    w->n++;
    pthread_cond_broadcast(&w->changed);
    return true;
}

static void drop(struct webhook *w, struct webhook_item *item)
{
    pthread_mutex_lock(&w->lock);
    bool says = !w->said_full && stop_asked(&w->stop) == STOP_NONE;
    w->said_full = true;
    pthread_mutex_unlock(&w->lock);
    figures_webhook(w->service->figures, WEBHOOK_DROPPED);
    if (says)
        LOG(w->service->log, LOG_WARN, "webhook-dropped",
            LOG_STR("why", STR("so much is to be told that there is no room for more")));
    webhook_item_free(item);
}

void webhook_add_body(struct webhook *w, struct buf *body)
{
    struct webhook_item *item = body->failed ? NULL : calloc(1, sizeof(*item));

    if (item == NULL) {
        buf_free(body);
        drop(w, NULL);
        return;
    }
    item->text = *body;
    *body = (struct buf){0};
    pthread_mutex_lock(&w->lock);
    bool added = append(w, item);
    pthread_mutex_unlock(&w->lock);
    if (!added)
        drop(w, item);
}

/* Under the lock. The series may be about to be looked at: then it is so for the earlier of both uploads. */
static bool joins(struct webhook *w, const struct webhook_item *item)
{
    for (struct webhook_item *i = w->first; i != NULL; i = i->next)
        if (i->is_series && strcmp(i->space, item->space) == 0 &&
            str_eq(buf_view(&i->text), buf_view(&item->text))) {
            if (record_entry_order(&item->upload, &i->upload) < 0)
                i->upload = item->upload;
            return true;
        }
    return false;
}

static bool leaves_none_out(const void *context, struct str key)
{
    (void)context;
    (void)key;
    return false;
}

void webhook_listed(struct webhook *w, const struct record *record)
{
    struct webhook_item *item = w == NULL || record->space[0] == '\0' ? NULL : calloc(1, sizeof(*item));

    if (item == NULL)
        return;
    item->is_series = true;
    memcpy(item->space, record->space, strlen(record->space) + 1);
    item->upload = record_entry_of(record, ENTRY_DIGEST);
    series_labels(&item->text, labels_all(&record->labels), leaves_none_out, NULL);
    pthread_mutex_lock(&w->lock);
    bool joined = !item->text.failed && joins(w, item);
    bool added = !item->text.failed && !joined && append(w, item);
    pthread_mutex_unlock(&w->lock);
    if (joined)
        webhook_item_free(item);
    else if (!added)
        drop(w, item);
}

/* ---- one attempt ---- */

bool webhook_sign(struct str secret, struct str body, char signature[WEBHOOK_SIGNATURE_BYTES])
{
    uint8_t digest[SHA256_BYTES];

    if (!digest_hmac_long(secret, body, digest))
        return false;
    memcpy(signature, "sha256=", sizeof("sha256=") - 1);
    digest_hex(digest, signature + sizeof("sha256=") - 1);
    return true;
}

enum webhook_outcome webhook_outcome(long status)
{
    enum { TOO_MANY = 429 };

    if (status >= 200 && status <= 299)
        return WEBHOOK_TAKEN;
    return status == 0 || status == TOO_MANY || status >= 500 ? WEBHOOK_AGAIN : WEBHOOK_REFUSED;
}

struct message {
    struct str body;
    char headers[HEADERS][HEADER_BYTES]; /* "" behind the last */
    long status;                         /* of the last answer; 0: none */
    CURLcode code;
};

/* Asked some times a second, also while nothing comes. */
static int on_progress(void *webhook, curl_off_t to_get, curl_off_t got, curl_off_t to_send, curl_off_t sent)
{
    const struct webhook *w = webhook;

    (void)to_get, (void)got, (void)to_send, (void)sent;
    return stop_asked(&w->stop) != STOP_NONE;
}

/* What the other service says is of no use. */
static size_t on_bytes(char *p, size_t size, size_t n, void *context)
{
    (void)p, (void)context;
    return size * n;
}

static struct curl_slist *list_headers(const struct webhook *w, const struct message *m)
{
    struct curl_slist *list = NULL;

    for (size_t i = 0; i < HEADERS && m->headers[i][0] != '\0'; i++) {
        struct curl_slist *longer = w->curl->slist_append(list, m->headers[i]);
        if (longer == NULL) {
            w->curl->slist_free_all(list);
            return NULL;
        }
        list = longer;
    }
    return list;
}

static void try_once(struct webhook *w, struct message *m)
{
    CURLcode (*set)(CURL * handle, CURLoption option, ...) = w->curl->easy_setopt;
    struct curl_slist *headers = list_headers(w, m);

    m->status = 0;
    m->code = CURLE_OUT_OF_MEMORY;
    if (w->handle == NULL)
        w->handle = w->curl->easy_init();
    if (w->handle == NULL || headers == NULL) {
        w->curl->slist_free_all(headers);
        return;
    }
    set(w->handle, CURLOPT_URL, w->service->config->webhook_url);
    set(w->handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(w->handle, CURLOPT_FOLLOWLOCATION, 0L);
    set(w->handle, CURLOPT_NOSIGNAL, 1L);
    set(w->handle, CURLOPT_USERAGENT, "aflamed");
    set(w->handle, CURLOPT_TIMEOUT_MS, (long)ATTEMPT_MS);
    set(w->handle, CURLOPT_POSTFIELDSIZE, (long)m->body.n);
    set(w->handle, CURLOPT_POSTFIELDS, m->body.p);
    set(w->handle, CURLOPT_HTTPHEADER, headers);
    set(w->handle, CURLOPT_WRITEFUNCTION, on_bytes);
    set(w->handle, CURLOPT_NOPROGRESS, 0L);
    set(w->handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    set(w->handle, CURLOPT_XFERINFODATA, w);
    m->code = w->curl->easy_perform(w->handle);
    if (m->code == CURLE_OK)
        w->curl->easy_getinfo(w->handle, CURLINFO_RESPONSE_CODE, &m->status);
    w->curl->easy_reset(w->handle); /* keeps the connection */
    w->curl->slist_free_all(headers);
}

/* ---- all attempts ---- */

/* False: the webhook is to end. */
static bool pause_for(struct webhook *w, int64_t ms)
{
    int64_t until = clock_ms() + ms;

    pthread_mutex_lock(&w->lock);
    while (stop_asked(&w->stop) == STOP_NONE && clock_ms() < until)
        clock_wait_until(&w->changed, &w->lock, until);
    pthread_mutex_unlock(&w->lock);
    return stop_asked(&w->stop) == STOP_NONE;
}

/* Neither path nor query of the address, nor a name in front of its host, which may all be secrets. */
static void log_failure(const struct webhook *w, const struct message *m, const char *delivery,
                        unsigned tries)
{
    struct str host = str_behind_last(url_authority(str_of(w->service->config->webhook_url)), '@');

    LOG(w->service->log, LOG_WARN, "webhook-failed", LOG_STR("host", host),
        LOG_STR("delivery", str_of(delivery)), LOG_U64("tries", tries),
        LOG_U64("status", (uint64_t)m->status),
        LOG_STR("why",
                m->code == CURLE_OK ? STR("it did not take it") : str_of(w->curl->easy_strerror(m->code))));
}

static bool prepare(const struct webhook *w, struct message *m, char delivery[2 * DELIVERY_BYTES + 1])
{
    char signature[WEBHOOK_SIGNATURE_BYTES];
    uint64_t random;

    _Static_assert(sizeof(random) == DELIVERY_BYTES, "as many as the number has");
    if (!random_bytes(&random, sizeof(random)))
        return false;
    snprintf(delivery, 2 * DELIVERY_BYTES + 1, "%016llx", (unsigned long long)random);
    snprintf(m->headers[0], HEADER_BYTES, "Content-Type: application/json");
    snprintf(m->headers[1], HEADER_BYTES, "Expect:"); /* no question before the body */
    snprintf(m->headers[2], HEADER_BYTES, "X-Aflamed-Delivery: %s", delivery);
    if (w->secret_bytes == 0)
        return true;
    if (!webhook_sign((struct str){w->secret, w->secret_bytes}, m->body, signature))
        return false;
    snprintf(m->headers[3], HEADER_BYTES, "X-Aflamed-Signature: %s", signature);
    return true;
}

/* On the thread: sends the body until it is taken or given up. */
static void webhook_send(struct webhook *w, struct str body)
{
    struct message m = {.body = body, .code = CURLE_OUT_OF_MEMORY};
    char delivery[2 * DELIVERY_BYTES + 1] = "";
    enum webhook_outcome outcome = WEBHOOK_AGAIN;
    int64_t pause_ms = PAUSE_MS;
    unsigned tries = 0;

    if (prepare(w, &m, delivery))
        while (outcome == WEBHOOK_AGAIN && tries < TRIES) {
            if (tries++ > 0) {
                if (!pause_for(w, pause_ms))
                    break;
                pause_ms *= PAUSE_GROWTH;
            }
            try_once(w, &m);
            outcome = webhook_outcome(m.status);
        }
    figures_webhook(w->service->figures, outcome == WEBHOOK_TAKEN ? WEBHOOK_SENT : WEBHOOK_FAILED);
    if (outcome != WEBHOOK_TAKEN)
        log_failure(w, &m, delivery, tries);
}

/* ---- what is told ----
 *
 * What the webhook tells: a check that fails; and the changes of a series, which are looked for here.
 *
 * Of an upload no state is kept: the change points of its series with all uploads are compared with those without it and all
 * later ones. What is found in the first alone is told. Two changes lie at least CHANGE_POINTS_SIDE_MIN points apart, so a
 * change of the second that is nearer is the same one, placed anew. A change near the bounds of what noise explains may be
 * found, lost and found again while runs of a commit come; changes that were told lately are remembered for that. */

enum { SENTENCE_BYTES = 1000, URL_BYTES = 4000 };

/* ---- the object ---- */

struct event {
    const char *name;
    struct str space, labels, commit;
    struct str uploads; /* ids */
    struct buf url, sentence;
    /* of a change: */
    const struct series_change *change;
    struct str value;
    enum unit unit;
};

/* "https://host/". No client of the service says what it is. */
static void put_base(struct buf *b, const struct service *service)
{
    service_base_url(service, STR(""), b);
    buf_char(b, '/');
}

static void put_uploads(struct json *j, const struct service *service, struct str ids)
{
    json_open_array(j, "uploads");
    for (size_t at = 0; at + RECORD_ID_CHARS <= ids.n; at += RECORD_ID_CHARS) {
        struct buf url = {0};
        put_base(&url, service);
        buf_printf(&url, "p/%.*s", RECORD_ID_CHARS, ids.p + at);
        json_put_string(j, NULL, buf_view(&url));
        buf_part_end(j->b, &url);
    }
    json_close(j);
}

static void put_change(struct json *j, const struct event *e)
{
    json_put_string(j, "value", e->value);
    json_put_string(j, "unit", str_of(unit_word(e->unit)));
    json_put_i64(j, "before", e->change->before);
    json_put_i64(j, "after", e->change->after);
}

/* In brief: without what a client made so long that there is no room for it. */
static void put_event(struct buf *b, const struct service *service, const struct event *e, bool is_brief)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "event", str_of(e->name));
    json_put_string(&j, "space", e->space);
    labels_put_lines(&j, "labels", is_brief ? STR("") : e->labels);
    json_put_string(&j, "commit", e->commit);
    json_put_string(&j, "url", buf_view(&e->url));
    json_put_string(&j, "sentence", clean_cut(buf_view(&e->sentence), SENTENCE_BYTES));
    if (e->change != NULL)
        put_change(&j, e);
    put_uploads(&j, service, is_brief ? STR("") : e->uploads);
    json_close(&j);
}

/* Frees the event's texts. The body has failed if there is no memory. */
static void end_event(struct buf *body, const struct service *service, struct event *e)
{
    buf_init(body, WEBHOOK_BODY_BYTES);
    if (e->url.n > URL_BYTES || e->url.failed) {
        buf_clear(&e->url);
        put_base(&e->url, service);
        buf_printf(&e->url, "s/%.*s", (int)e->space.n, e->space.p);
    }
    put_event(body, service, e, false);
    if (body->full) {
        buf_clear(body);
        put_event(body, service, e, true);
    }
    body->failed = body->failed || e->url.failed || e->sentence.failed;
    buf_free(&e->url);
    buf_free(&e->sentence);
}

/* ---- a check that fails ---- */

/* Where the same check can be seen; of uploads without a commit there is no such page, but that of a typical pair. */
static void put_check_url(struct buf *b, const struct service *service, const struct webhook_check *c,
                          const struct space_check_group *g)
{
    struct buf query = {0};

    put_base(b, service);
    if (c->commit.n == 0) {
        buf_printf(b, "d/%s..%s", g->typical_baseline, g->typical_run);
        return;
    }
    query_put_label(&query, STR("commit"), c->commit);
    buf_printf(b, "s/%.*s/check?q=", (int)c->space.n, c->space.p);
    buf_percent(b, buf_view(&query));
    buf_z(b, "&baseline=");
    buf_percent(b, c->baseline);
    for (uint32_t i = 0; i < c->n_rules; i++) {
        buf_z(b, "&fail-if=");
        buf_percent(b, c->rules[i].text);
    }
    buf_part_end(b, &query);
}

static void put_check_sentence(struct buf *b, const struct check *c)
{
    const struct check_rule *r = check_decisive(c);

    buf_str(b, r->rule.text);
    buf_z(b, " fails: ");
    buf_str(b, r->subject);
    buf_char(b, ' ');
    check_put_change(b, r, r->measure.change);
    buf_z(b, ", from ");
    buf_value(b, r->unit, r->measure.median_a, CHECK_DIGITS);
    buf_z(b, " to ");
    buf_value(b, r->unit, r->measure.median_b, CHECK_DIGITS);
    buf_z(b, "; ");
    check_put_runs(b, c);
}

/* Of several sets of labels the first that fails is told, and how many others do. */
void webhook_check_failed(struct webhook *w, const struct webhook_check *c)
{
    const struct space_check_group *failing = NULL;
    struct event e = {.name = "check-failed", .space = c->space, .commit = c->commit, .uploads = c->uploads};
    struct buf body;
    uint32_t n = 0;

    for (uint32_t i = 0; w != NULL && i < c->check->n_groups; i++) {
        const struct space_check_group *g = &c->check->groups[i];
        if (!g->is_judged || g->check.state != CHECK_FAIL)
            continue;
        failing = n++ == 0 ? g : failing;
    }
    if (failing == NULL)
        return;
    e.labels = failing->labels;
    put_check_url(&e.url, w->service, c, failing);
    put_check_sentence(&e.sentence, &failing->check);
    if (n > 1)
        buf_printf(&e.sentence, "; and for %u more sets of labels", n - 1);
    end_event(&body, w->service, &e);
    webhook_add_body(w, &body);
}

/* ---- changes of a series ---- */

/* Finds labels; a search has not room for all that there may be, which then finds others, too. */
static void put_query(struct buf *b, struct str labels)
{
    struct str key, value;

    while (labels_next(&labels, &key, &value)) {
        size_t before = b->n;
        buf_z(b, before > 0 ? " " : "");
        query_put_label(b, key, value);
        if (b->n > QUERY_BYTES_MAX)
            b->n = before;
    }
}

/* Whether it was told lately, there or at a point so near that it is the same change. Else it is remembered. */
static bool was_told(struct webhook *w, const struct webhook_item *item, const struct series_list *l,
                     const struct series *s, const struct series_change *c)
{
    uint32_t from = c->point < CHANGE_POINTS_SIDE_MIN ? 0 : c->point - CHANGE_POINTS_SIDE_MIN + 1;
    bool told = false;

    for (uint32_t i = from; i < s->n && i < c->point + CHANGE_POINTS_SIDE_MIN; i++) {
        const struct series_point *p = &l->points[s->first + i];
        struct buf text = {0};
        char digest[DIGEST_CHARS + 1] = "";
        buf_printf(&text, "%s\n", item->space);
        buf_str(&text, buf_view(&item->text));
        buf_str(&text, p->at.n > 0 ? p->at : str_of(l->runs[p->first].id));
        if (!text.failed)
            digest_hex_of(text.p, text.n, digest);
        buf_free(&text);
        for (size_t k = 0; k < WEBHOOK_REMEMBERED; k++)
            told = told || (digest[0] != '\0' && strcmp(w->remembered[k], digest) == 0);
        if (i == c->point)
            memcpy(w->remembered[w->n_remembered++ % WEBHOOK_REMEMBERED], digest, sizeof(digest));
    }
    return told;
}

static void tell_change(struct webhook *w, const struct webhook_item *item, const struct series_list *l,
                        const struct series_told *told, const struct series *s, const struct series_change *c)
{
    const struct series_point *p = &l->points[s->first + c->point];
    struct event e = {.name = "change-point",
                      .space = str_of(item->space),
                      .labels = s->labels,
                      .commit = p->at,
                      .change = c,
                      .value = told->value,
                      .unit = told->unit};
    struct str typical = str_of(series_typical(l, p)->id);
    struct buf body, query = {0};

    put_query(&query, s->labels);
    put_base(&e.url, w->service);
    buf_printf(&e.url, "s/%s/series?q=", item->space);
    buf_percent(&e.url, buf_view(&query));
    buf_part_end(&e.url, &query);
    e.uploads = typical;
    series_change_words(&e.sentence, l, told, s, c);
    end_event(&body, w->service, &e);
    if (body.failed)
        figures_webhook(w->service->figures, WEBHOOK_DROPPED);
    else
        webhook_send(w, buf_view(&body));
    buf_free(&body);
}

static bool is_near(const struct series_list *l, const struct series *s, uint32_t point)
{
    for (uint32_t i = 0; i < s->n_changes; i++) {
        uint32_t other = l->changes[s->first_change + i].point;
        if ((other > point ? other - point : point - other) < CHANGE_POINTS_SIDE_MIN)
            return true;
    }
    return false;
}

/* The list is evaluated; it is so once more, without the new uploads. */
static void tell_new_changes(struct webhook *w, const struct webhook_item *item, struct series_list *l,
                             const struct series_told *told, const struct series *s)
{
    uint32_t n = s->n_changes;
    struct series_change *found = malloc(((size_t)n + 1) * sizeof(*found));

    if (found == NULL)
        return;
    if (n > 0)
        memcpy(found, l->changes + s->first_change, n * sizeof(*found));
    for (size_t i = 0; i < l->n_runs; i++)
        l->runs[i].has_value =
            l->runs[i].has_value && record_entry_order(&l->runs[i].digest.entry, &item->upload) < 0;
    l->n_changes = 0;
    if (n > 0 && series_evaluate(l))
        for (uint32_t i = 0; i < n; i++)
            if (!is_near(l, s, found[i].point) && !was_told(w, item, l, s, &found[i]))
                tell_change(w, item, l, told, s, &found[i]);
    free(found);
}

static void look_at_series(struct webhook *w, const struct webhook_item *item, const struct query *query,
                           struct turn *turn)
{
    struct series_list l = {.n = 0};
    struct series_told told = {.later = 0};
    const struct series_wish total = {.part = SERIES_INCLUSIVE};
    struct diag ignored = {0}; /* who asks for the series is told it */
    bool ok = series_collect(w->service->spaces, str_of(item->space), query, STR(""), &l, &ignored);

    turn_take(turn);
    ok = ok && series_tell(w->service, turn, &total, &l, &told, &ignored);
    turn_give(turn);
    for (size_t i = 0; ok && i < l.n; i++)
        if (str_eq(l.of[i].labels, buf_view(&item->text)))
            tell_new_changes(w, item, &l, &told, &l.of[i]);
    series_free(&l);
    series_told_free(&told);
}

/* On the thread: looks at the series, and sends each of its changes that were not to be seen without the
 * uploads since that of the item. */
static void webhook_tell_changes(struct webhook *w, const struct webhook_item *item, struct turn *turn)
{
    struct diag ignored = {0};
    struct buf text = {0};
    struct query query;

    put_query(&text, buf_view(&item->text));
    if (!text.failed && query_parse(&query, buf_view(&text), &ignored))
        look_at_series(w, item, &query, turn);
    buf_free(&text);
}

enum { STOP_MS = 3000 }; /* for the thread to end */

/* ---- the thread ---- */

static void *run(void *webhook)
{
    struct webhook *w = webhook;
    struct webhook_item *item;
    struct turn turn;

    turn_init(&turn, w->service->turns, TURN_AHEAD, w, &w->stop);
    while ((item = webhook_take(w, true)) != NULL) {
        if (item->is_series)
            webhook_tell_changes(w, item, &turn);
        else
            webhook_send(w, buf_view(&item->text));
        webhook_item_free(item);
    }
    turn_end(&turn);
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool read_secret(struct webhook *w, const char *file, struct diag *diag)
{
    struct buf text = {0};
    int fd = file_open(AT_FDCWD, file, O_RDONLY | O_NONBLOCK);
    bool ok = (fd >= 0 && file_read_all(fd, WEBHOOK_SECRET_BYTES, &text)) ||
              diag_set(diag, DIAG_USAGE, "no secret for the webhook",
                       "Look at its path, and who may read it; it has at most 1,024 bytes.",
                       "The file of webhook_secret_file cannot be read: %s.", strerror(errno));

    struct str secret = str_without_line_end(buf_view(&text));
    if (ok && secret.n == 0)
        ok = diag_set(diag, DIAG_USAGE, "no secret for the webhook", "Put one there, or leave the key out.",
                      "The file of webhook_secret_file is empty.");
    if (ok) {
        memcpy(w->secret, secret.p, secret.n);
        w->secret_bytes = secret.n;
    }
    if (text.n > 0)
        explicit_bzero(text.p, text.n);
    if (fd >= 0)
        close(fd);
    buf_free(&text);
    return ok;
}

struct webhook *webhook_open(struct service *service, struct diag *diag)
{
    const struct curl_library *curl = curl_library(diag);
    struct webhook *w = curl == NULL ? NULL : webhook_new(service);
    const char *file = service->config->webhook_secret_file;

    if (w == NULL) {
        diag_no_memory(diag, "No memory is left for the webhook.");
        return NULL;
    }
    w->curl = curl;
    bool ok = file[0] == '\0' || read_secret(w, file, diag);
    if (ok) {
        w->has_thread = pthread_create(&w->thread, NULL, run, w) == 0;
        ok = w->has_thread || diag_no_memory(diag, "No thread could be started for the webhook.");
    }
    if (ok)
        return w;
    webhook_free(w);
    return NULL;
}

bool webhook_stop(struct webhook *w)
{
    int64_t until = clock_ms() + STOP_MS;

    if (w == NULL || !w->has_thread)
        return true;
    stop_ask(&w->stop, STOP_SERVICE);
    pthread_mutex_lock(&w->lock);
    pthread_cond_broadcast(&w->changed);
    while (!w->ended && clock_ms() < until)
        clock_wait_until(&w->changed, &w->lock, until);
    bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (ended)
        pthread_join(w->thread, NULL);
    w->has_thread = !ended;
    return ended;
}

void webhook_free(struct webhook *w)
{
    if (w == NULL || !webhook_stop(w))
        return;
    if (w->first != NULL)
        LOG(w->service->log, LOG_WARN, "webhook-dropped", LOG_U64("n", w->n),
            LOG_STR("why", STR("the service ends")));
    while (w->first != NULL) {
        struct webhook_item *next = w->first->next;
        webhook_item_free(w->first);
        w->first = next;
    }
    if (w->handle != NULL)
        w->curl->easy_cleanup(w->handle);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    explicit_bzero(w->secret, sizeof(w->secret));
    free(w);
}
