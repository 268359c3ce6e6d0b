#include "server/views.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/cache.h"

/* One view that is being made. Lives until its task is done and nobody refers to it. Guarded by views.lock.
 */
struct view_job {
    struct task task;
    struct view_job *next; /* under way */
    struct service *service;
    struct view_request request;
    char key[VIEW_KEY_CHARS + 1];
    unsigned refs;
    bool done;
    struct view_wait *waiting;
    struct shared_bytes *bytes; /* NULL after done: see diag */
    struct diag diag;
};

struct view_wait {
    struct view_wait *next;
    struct exchange *exchange;
    struct view_job *job;
};

struct views {
    pthread_mutex_t lock;
    struct view_job *under_way;
    struct service *service;
    struct cache *cache;
};

static void put_key(const char *folder, const char *digest, char *key)
{
    size_t n = strlen(folder);

    memcpy(key, folder, n);
    memcpy(key + n, digest, 2);
    key[n + 2] = '/';
    memcpy(key + n + 3, digest, RECORD_SHA256_CHARS + 1);
}

void blob_key(const char *sha256, char key[BLOB_KEY_CHARS + 1])
{
    put_key("blobs/", sha256, key);
}

bool view_key(const struct view_request *r, char key[VIEW_KEY_CHARS + 1])
{
    char digest[RECORD_SHA256_CHARS + 1];
    struct buf text = {0};

    buf_z(&text, r->sha256);
    if (r->output == NULL) {
        buf_printf(&text, "|summary|%d", SUMMARY_REVISION);
    } else {
        buf_printf(&text, "|%s|%u|", r->output->name, r->output->revision);
        view_canonical(&r->options, &text);
    }
    bool ok = !text.failed;
    if (ok) {
        record_sha256_hex(text.p, text.n, digest);
        put_key("views/", digest, key);
    }
    buf_free(&text);
    return ok;
}

struct views *views_new(struct service *service)
{
    struct views *v = calloc(1, sizeof(*v));

    if (v == NULL)
        return NULL;
    v->cache = cache_new(service->config->profile_cache_bytes);
    if (v->cache == NULL) {
        free(v);
        return NULL;
    }
    pthread_mutex_init(&v->lock, NULL);
    v->service = service;
    return v;
}

void views_free(struct views *v)
{
    if (v == NULL)
        return;
    cache_free(v->cache);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

struct cache *views_cache(struct views *v)
{
    return v->cache;
}

/* ---- making ---- */

static bool render(struct service *service, const struct view_request *r, const struct folded *f,
                   struct buf *out, struct diag *diag)
{
    buf_clear(out);
    if (r->output == NULL)
        return convert_summary(f, out, diag);
    return convert_view(f, service->config, r->output, &r->options, out, diag);
}

/* A store that takes no view is no reason to fail: the view is made again next time. */
static void keep(struct service *service, const char *key, struct str bytes)
{
    enum store_result result = store_put(service->store, key, bytes, STORE_EVICTABLE);

    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(service->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)));
}

bool views_make(struct service *service, const struct view_request *r, const struct folded *f,
                struct buf *scratch, struct diag *diag)
{
    char key[VIEW_KEY_CHARS + 1];

    buf_clear(scratch);
    if (!view_key(r, key))
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                        "No memory for a view's key.");
    if (store_exists(service->store, key) == STORE_OK)
        return true;
    if (!render(service, r, f, scratch, diag))
        return false;
    keep(service, key, buf_view(scratch));
    return true;
}

static struct folded *load(struct views *v, const char *sha256, struct diag *diag)
{
    struct folded *f = cache_get(v->cache, sha256);
    char key[BLOB_KEY_CHARS + 1];
    uint64_t bytes;
    int fd;

    if (f != NULL)
        return f;
    blob_key(sha256, key);
    if (store_get(v->service->store, key, &fd, &bytes) != STORE_OK) {
        diag_set(diag, DIAG_IO, "upload not readable",
                 "Tell the operator: the service's log has the details.",
                 "The stored upload could not be opened.");
        return NULL;
    }
    f = fold_file(v->service->config, fd, diag);
    close(fd);
    if (f != NULL)
        cache_put(v->cache, sha256, f);
    return f;
}

static void release(struct view_job *job)
{
    if (--job->refs > 0)
        return;
    shared_bytes_unref(job->bytes);
    free(job);
}

static void finish(struct views *v, struct view_job *job)
{
    pthread_mutex_lock(&v->lock);
    struct view_job **at = &v->under_way;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    job->done = true;
    for (struct view_wait *w = job->waiting; w != NULL; w = w->next)
        w->exchange->resume(w->exchange);
    release(job);
    pthread_mutex_unlock(&v->lock);
}

static void run(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */
    struct service *service = job->service;
    struct folded *f = load(service->views, job->request.sha256, &job->diag);
    struct buf out = {0};

    if (f != NULL && render(service, &job->request, f, &out, &job->diag)) {
        keep(service, job->key, buf_view(&out));
        job->bytes = shared_bytes_new(&out);
        if (job->bytes == NULL)
            diag_set(&job->diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                     "No memory for the view's bytes.");
    } else {
        buf_free(&out);
    }
    folded_unref(f);
    finish(service->views, job);
}

/* ---- asking ---- */

static struct view_job *find_or_start(struct views *v, const struct view_request *r, const char *key)
{
    for (struct view_job *job = v->under_way; job != NULL; job = job->next)
        if (strcmp(job->key, key) == 0)
            return job;
    struct view_job *job = calloc(1, sizeof(*job));
    if (job == NULL)
        return NULL;
    job->task.run = run;
    job->service = v->service;
    job->request = *r;
    memcpy(job->key, key, sizeof(job->key));
    job->refs = 1; /* the task's */
    job->next = v->under_way;
    v->under_way = job;
    pool_submit(v->service->pool, &job->task);
    return job;
}

static enum exchange_step start_waiting(struct exchange *x, const struct view_request *r, const char *key,
                                        struct view_result *result)
{
    struct views *v = x->service->views;
    struct view_wait *wait = calloc(1, sizeof(*wait));

    pthread_mutex_lock(&v->lock);
    struct view_job *job = wait == NULL ? NULL : find_or_start(v, r, key);
    if (job != NULL) {
        *wait = (struct view_wait){job->waiting, x, job};
        job->waiting = wait;
        job->refs++;
        x->wait = wait;
        x->suspend(x);
    }
    pthread_mutex_unlock(&v->lock);
    if (job != NULL)
        return X_WAIT;
    free(wait);
    diag_set(&result->diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
             "No memory to make the view.");
    return X_DONE;
}

static void end_waiting(struct exchange *x, struct view_result *result)
{
    struct views *v = x->service->views;
    struct view_job *job = x->wait->job;

    pthread_mutex_lock(&v->lock);
    if (result != NULL) {
        result->diag = job->diag;
        result->bytes = job->bytes == NULL ? NULL : shared_bytes_ref(job->bytes);
    }
    struct view_wait **at = &job->waiting;
    while (*at != x->wait)
        at = &(*at)->next;
    *at = x->wait->next;
    release(job);
    pthread_mutex_unlock(&v->lock);
    free(x->wait);
    x->wait = NULL;
}

enum exchange_step views_get(struct exchange *x, const struct view_request *r, struct view_result *result)
{
    char key[VIEW_KEY_CHARS + 1];

    *result = (struct view_result){.fd = -1};
    if (x->wait != NULL) {
        end_waiting(x, result);
        return X_DONE;
    }
    if (!view_key(r, key)) {
        diag_set(&result->diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                 "No memory for the view's key.");
        return X_DONE;
    }
    if (store_get(x->service->store, key, &result->fd, &result->file_bytes) == STORE_OK)
        return X_DONE;
    result->fd = -1;
    return start_waiting(x, r, key, result);
}

void views_abandon(struct exchange *x)
{
    if (x->wait != NULL)
        end_waiting(x, NULL);
}
