/* What is to be told: its queue, and how it is sent. */
#include "server/webhook/webhook_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "core/system/random_bytes.h"
#include "server/figures/figures.h"
#include "server/http/message/form.h"
#include "server/service.h"

enum {
    TRIES = 3,
    PAUSE_MS = 1000,    /* before the second attempt; .. */
    PAUSE_GROWTH = 4,   /* .. so many times longer before each further one */
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

void webhook_send(struct webhook *w, struct str body)
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
