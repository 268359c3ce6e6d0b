#include "server/views/views.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "server/http/clients.h"
#include "server/views/view_cache.h"

struct views {
    struct service *service;
    struct view_jobs *jobs;
    struct view_cache *view_cache;
};

/* One request that waits for a view: a state of its exchange. */
struct view_request_wait {
    /* Under the lock of the jobs. */
    struct view_wait of_job; /* first, so that wake() finds the rest */
    struct exchange_wait wait;

    /* Used by the thread of the connection only. */
    struct views *views;
    struct exchange *exchange;
    struct view_request request;
    bool waits; /* counted in the client's share */
    bool final; /* The job makes the coding that the client likes best: there is nothing better to come. */
    enum exchange_step (*then)(struct exchange *x, const struct view_request *r, struct view_result *result,
                               void *context);
    void *context;
};

struct views *views_new(struct service *service)
{
    struct views *v = calloc(1, sizeof(*v));

    if (v == NULL)
        return NULL;
    v->service = service;
    v->jobs = view_jobs_new(service);
    v->view_cache = view_cache_new(service->config->hot_bytes);
    if (v->jobs != NULL && v->view_cache != NULL)
        return v;
    views_free(v);
    return NULL;
}

void views_free(struct views *v)
{
    if (v == NULL)
        return;
    view_jobs_free(v->jobs);
    view_cache_free(v->view_cache);
    free(v);
}

static void no_memory(struct diag *diag)
{
    diag_no_memory(diag, "No memory for the view.");
}

/* ---- what is there ---- */

/* What is read from memory is used all the same. */
static void tell_store(struct views *v, const struct view_request *r, enum encoding e)
{
    char key[VIEW_KEY_CHARS + 1];
    uint64_t bytes;
    int fd;

    if (view_key(v->service, r, e, key) && store_get(v->service->store, key, &fd, &bytes) == STORE_OK)
        close(fd);
}

/* From memory, where it is known by its description, or the store; what is asked for again goes into memory. */
static bool find_described(struct views *v, const struct view_request *r, enum encoding e,
                           struct str description, struct view_result *result)
{
    char key[VIEW_KEY_CHARS + 1];
    bool unknown;

    result->bytes = view_cache_get(v->view_cache, description, clock_ms(), &unknown);
    if (unknown)
        tell_store(v, r, e);
    if (result->bytes != NULL)
        return true;
    if (!view_key(v->service, r, e, key) ||
        store_get(v->service->store, key, &result->fd, &result->file_bytes) != STORE_OK) {
        result->fd = -1;
        return false;
    }
    if (!view_cache_worth(v->view_cache, description, result->file_bytes))
        return true;
    result->bytes = view_read_object(result->fd, result->file_bytes);
    /* Without memory for it the file itself is sent, from its start. */
    if (result->bytes == NULL)
        return lseek(result->fd, 0, SEEK_SET) == 0;
    view_cache_put(v->view_cache, description, result->bytes, clock_ms());
    close(result->fd);
    result->fd = -1;
    return true;
}

static bool find(struct views *v, const struct view_request *r, enum encoding e, struct view_result *result)
{
    struct buf description = {0};

    view_describe(v->service, r, &description);
    buf_z(&description, encoding_suffix(e));
    bool found = !description.failed && find_described(v, r, e, buf_view(&description), result);
    buf_free(&description);
    result->encoding = e;
    return found;
}

/* Joins under the lock, behind which the view may be there at once; `x` is what waits, if it is a request. */
static bool join(struct views *v, const struct view_request *r, enum encoding e, struct shared_bytes *plain,
                 struct view_wait *w, struct exchange_wait *wait, struct exchange *x)
{
    char key[VIEW_KEY_CHARS + 1];

    if (!view_key(v->service, r, e, key)) {
        shared_bytes_unref(plain);
        return false;
    }
    view_jobs_lock(v->jobs);
    bool joined = view_jobs_join(v->jobs, r, e, key, plain, w);
    if (joined && x != NULL)
        exchange_wait(x, wait);
    view_jobs_unlock(v->jobs);
    return joined;
}

/* ---- for an upload ---- */

bool views_make(struct views *v, const struct view_request *r, struct view_wait *w,
                struct view_result *result)
{
    *result = (struct view_result){.fd = -1};
    w->is_upload = true;
    if (find(v, r, ENCODING_IDENTITY, result))
        return true;
    if (join(v, r, ENCODING_IDENTITY, NULL, w, NULL, NULL))
        return false;
    no_memory(&result->diag);
    return true;
}

void views_take(struct views *v, struct view_wait *w, struct view_result *result)
{
    view_jobs_leave(v->jobs, w, result);
}

/* ---- for a request ---- */

/* Under the lock of the jobs. */
static void wake(struct view_wait *w)
{
    exchange_resume(&((struct view_request_wait *)w)->wait);
}

static void end_wait(struct view_request_wait *w)
{
    if (w->waits)
        client_waited(w->exchange->client);
    w->waits = false;
}

/* The exchange ends. */
static void forget(void *state)
{
    struct view_request_wait *w = state;

    view_jobs_leave(w->views->jobs, &w->of_job, NULL);
    end_wait(w);
}

static enum exchange_step deliver(struct view_request_wait *w, struct view_result *result)
{
    return w->then(w->exchange, &w->request, result, w->context);
}

static enum exchange_step resumed(struct exchange *x, void *context);

/* For the view in this coding, made of the plain bytes that the result may hold. */
static enum exchange_step start_waiting(struct view_request_wait *w, enum encoding e,
                                        struct view_result *result)
{
    struct shared_bytes *plain = result->bytes;

    result->bytes = NULL;
    w->waits = client_wait(w->exchange->client);
    if (!w->waits) {
        shared_bytes_unref(plain);
        diag_set(&result->diag, DIAG_BUSY, "too many requests wait",
                 "Try again when some of them are answered.",
                 "One address may wait for so many pictures and pages at a time, and no more.");
        return deliver(w, result);
    }
    w->final = e != ENCODING_IDENTITY;
    /* join() takes `plain`, also where it fails. */
    if (join(w->views, &w->request, e, plain, &w->of_job, &w->wait, w->exchange))
        return exchange_then(w->exchange, resumed, w);
    end_wait(w);
    no_memory(&result->diag);
    return deliver(w, result);
}

/* The plain view is there. It is what was asked for, or what that is made of. */
static enum exchange_step encode_plain(struct view_request_wait *w, struct view_result *result)
{
    uint64_t bytes = result->fd >= 0 ? result->file_bytes : shared_bytes_view(result->bytes).n;
    enum encoding wanted = encoding_for(w->request.encoding, bytes);

    if (wanted == ENCODING_IDENTITY)
        return deliver(w, result);
    if (result->fd >= 0)
        close(result->fd);
    result->fd = -1;
    return start_waiting(w, wanted, result);
}

static enum exchange_step resumed(struct exchange *x, void *context)
{
    struct view_request_wait *w = context;
    struct view_result result;

    (void)x;
    view_jobs_leave(w->views->jobs, &w->of_job, &result);
    end_wait(w);
    return w->final || result.bytes == NULL ? deliver(w, &result) : encode_plain(w, &result);
}

enum exchange_step views_get(struct exchange *x, const struct view_request *r,
                             enum exchange_step (*then)(struct exchange *x, const struct view_request *r,
                                                        struct view_result *result, void *context),
                             void *context)
{
    struct views *v = x->service->views;
    enum encoding best = r->encoding.best;
    struct view_result result = {.fd = -1};

    if (find(v, r, best, &result))
        return then(x, r, &result, context);
    struct view_request_wait *w = exchange_state(x, sizeof(*w), forget);
    if (w == NULL) {
        no_memory(&result.diag);
        return then(x, r, &result, context);
    }
    w->of_job.ready = wake;
    w->of_job.client = x->client;
    w->views = v;
    w->exchange = x;
    w->request = *r;
    w->then = then;
    w->context = context;
    if (best == ENCODING_IDENTITY || !find(v, r, ENCODING_IDENTITY, &result))
        return start_waiting(w, ENCODING_IDENTITY, &result);
    return encode_plain(w, &result);
}
