#include "server/views/views.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "server/convert/profile_cache.h"
#include "server/convert/summary.h"
#include "server/store/store_access.h"
#include "server/views/view_cache.h"
#include "static/static_files.h"

/* One coding of one view that is being made. Lives until its task is done and nobody refers to it. Guarded by
 * views.lock. */
struct view_job {
    struct task task;
    struct view_job *next; /* under way */
    struct service *service;
    struct view_request request;
    char key[VIEW_KEY_CHARS + 1];
    unsigned refs;
    struct view_wait *waiting;
    struct shared_bytes *plain; /* of an encoding: the view; NULL: see the store */
    struct shared_bytes *bytes; /* NULL when done: see diag */
    enum encoding encoding;     /* of bytes */
    struct diag diag;
};

/* One request that wants a view: a state of its exchange. */
struct view_wait {
    /* guarded by views.lock */
    struct view_wait *next; /* in job->waiting */
    struct view_job *job;   /* a reference of its own; NULL: not waiting, or its result was taken */
    struct exchange_wait wait;
    /* its own thread's */
    struct views *views;
    struct exchange *exchange;
    struct view_request request;
    enum exchange_step (*then)(struct exchange *x, const struct view_request *r, struct view_result *result,
                               void *context);
    void *context;
};

struct views {
    pthread_mutex_t lock;
    struct view_job *under_way;
    struct service *service;
    struct profile_cache *profile_cache; /* profiles */
    struct view_cache *view_cache;       /* views */
};

/* ---- keys ---- */

/* The folder's name, then the first two digits of the digest as a folder, then the digest. */
static void put_key(const char *folder, const char *digest, char *key)
{
    size_t n = strlen(folder);

    memcpy(key, folder, n);
    memcpy(key + n, digest, 2);
    key[n + 2] = '/';
    memcpy(key + n + 3, digest, RECORD_SHA256_CHARS + 1);
}

void view_of(struct view_request *r, const struct record *record)
{
    memcpy(r->sha256, record->sha256, sizeof(r->sha256));
    memcpy(r->member, record->member, sizeof(r->member));
}

/* All that the view depends on. */
static void describe(const struct service *service, const struct view_request *r, struct buf *text)
{
    char source[RECORD_SHA256_CHARS + 1];

    record_source(r->sha256, r->member, source);
    text->failed = text->failed || source[0] == '\0';
    buf_z(text, source);
    buf_char(text, '|');
    buf_z(text, service->boot);
    if (r->output == NULL) {
        buf_printf(text, "|summary|%d", SUMMARY_REVISION);
    } else {
        buf_char(text, '|');
        buf_z(text, r->output->name);
        buf_char(text, '|');
        buf_u64(text, r->output->revision);
        buf_char(text, '|');
        buf_str(text, STATIC_FILES_DIGEST); /* pictures hold a script and a style of another version else */
        buf_char(text, '|');
        view_canonical(&r->options, text);
    }
}

bool view_key(const struct service *service, const struct view_request *r, enum encoding e,
              char key[VIEW_KEY_CHARS + 1])
{
    char digest[RECORD_SHA256_CHARS + 1];
    struct buf text = {0};

    describe(service, r, &text);
    bool ok = !text.failed;
    if (ok) {
        record_sha256_hex(text.p, text.n, digest);
        ok = digest[0] != '\0';
    }
    if (ok) {
        put_key("views/", digest, key);
        const char *suffix = encoding_suffix(e);
        memcpy(key + VIEW_KEY_CHARS - ENCODING_SUFFIX_CHARS, suffix, strlen(suffix) + 1);
    }
    buf_free(&text);
    return ok;
}

struct str view_etag(const char *key)
{
    return str_of(key + sizeof("views/ab/") - 1);
}

/* ---- life ---- */

struct views *views_new(struct service *service)
{
    struct views *v = calloc(1, sizeof(*v));

    if (v == NULL)
        return NULL;
    pthread_mutex_init(&v->lock, NULL);
    v->service = service;
    v->profile_cache = profile_cache_new(service->config->profile_cache_bytes);
    v->view_cache = view_cache_new(service->config->hot_bytes);
    if (v->profile_cache != NULL && v->view_cache != NULL)
        return v;
    views_free(v);
    return NULL;
}

void views_free(struct views *v)
{
    if (v == NULL)
        return;
    profile_cache_free(v->profile_cache);
    view_cache_free(v->view_cache);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

struct profile_cache *views_cache(struct views *v)
{
    return v->profile_cache;
}

/* ---- making ---- */

static bool no_memory(struct diag *diag)
{
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.", "No memory for the view.");
}

/* A chart reads the upload once more. */
static bool render_chart(struct service *service, const struct view_request *r, const struct folded *f,
                         struct buf *out, struct diag *diag)
{
    uint64_t bytes;
    int fd = store_access_blob(service->store, service->log, r->sha256, &bytes, diag);

    if (fd < 0)
        return false;
    bool ok = convert_chart(f, service->config, fd, &service->stopping, r->output, &r->options, out, diag);
    close(fd);
    return ok;
}

static bool render(struct service *service, const struct view_request *r, const struct folded *f,
                   struct buf *out, struct diag *diag)
{
    buf_clear(out);
    if (r->output == NULL)
        return summary_write(f, out, diag);
    if (r->options.view == VIEW_CHART)
        return render_chart(service, r, f, out, diag);
    return convert_view(f, service->config, r->output, &r->options, out, diag);
}

/* A store that takes no view is no reason to fail: the view is made again next time. */
static void keep(struct service *service, const char *key, struct str bytes)
{
    enum store_result result = store_put(service->store, key, bytes, STORE_EVICTABLE);

    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(service->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(strerror(errno))));
}

bool views_make(struct service *service, const struct view_request *r, const struct folded *f,
                struct buf *scratch, struct diag *diag)
{
    char key[VIEW_KEY_CHARS + 1];

    buf_clear(scratch);
    if (!view_key(service, r, ENCODING_IDENTITY, key))
        return no_memory(diag);
    if (store_exists(service->store, key) == STORE_OK)
        return true;
    if (!render(service, r, f, scratch, diag))
        return false;
    keep(service, key, buf_view(scratch));
    return true;
}

static struct folded *load(struct views *v, const struct view_request *r, struct diag *diag)
{
    char source[RECORD_SHA256_CHARS + 1];
    uint64_t bytes;

    record_source(r->sha256, r->member, source);
    struct folded *f = profile_cache_get(v->profile_cache, source);
    if (f != NULL)
        return f;
    int fd = store_access_blob(v->service->store, v->service->log, r->sha256, &bytes, diag);
    if (fd < 0)
        return NULL;
    f = fold_file(v->service->config, fd, r->member, &v->service->stopping, diag);
    close(fd);
    if (f != NULL)
        profile_cache_put(v->profile_cache, source, f);
    return f;
}

/* ---- jobs ---- */

static void release(struct view_job *job)
{
    if (--job->refs > 0)
        return;
    shared_bytes_unref(job->plain);
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
    for (struct view_wait *w = job->waiting; w != NULL; w = w->next)
        exchange_resume(&w->wait);
    release(job);
    pthread_mutex_unlock(&v->lock);
}

bool views_have_room(const struct service *service, uint64_t own, struct diag *diag)
{
    uint64_t most = service->config->hot_bytes + service->config->answer_memory_bytes;

    return reply_memory() - own <= most ||
           diag_set(diag, DIAG_BUSY, "too many answers under way", "Try again in a moment.",
                    "Clients have not yet taken the answers that they asked for.");
}

/* The view as it is drawn, kept in the store. NULL: job->diag. */
static struct shared_bytes *draw(struct view_job *job)
{
    struct service *service = job->service;
    struct shared_bytes *bytes = NULL;
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (!views_have_room(service, 0, &job->diag) || !service_goes_on(service, &job->diag))
        return NULL;
    struct folded *f = load(service->views, &job->request, &job->diag);
    if (f != NULL && render(service, &job->request, f, &out, &job->diag)) {
        if (view_key(service, &job->request, ENCODING_IDENTITY, key))
            keep(service, key, buf_view(&out));
        bytes = shared_bytes_new(&out);
        if (bytes == NULL)
            no_memory(&job->diag);
    } else {
        buf_free(&out);
    }
    folded_unref(f);
    return bytes;
}

static void run_drawing(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */

    job->bytes = draw(job);
    finish(job->service->views, job);
}

/* The whole object behind the descriptor. NULL: not readable, or no memory. */
static struct shared_bytes *read_object(int fd, uint64_t bytes)
{
    struct buf text = {0};
    bool ok =
        bytes < SIZE_MAX && buf_reserve(&text, (size_t)bytes + 1) && file_read_all(fd, (size_t)bytes, &text);

    text.failed = text.failed || !ok;
    return shared_bytes_new(&text);
}

/* The view as it is drawn: from who asked, or the store; it may have been evicted just now. */
static struct shared_bytes *take_plain(struct view_job *job)
{
    struct shared_bytes *plain = job->plain;
    char key[VIEW_KEY_CHARS + 1];
    uint64_t bytes;
    int fd;

    job->plain = NULL;
    if (plain == NULL && view_key(job->service, &job->request, ENCODING_IDENTITY, key) &&
        store_get(job->service->store, key, &fd, &bytes) == STORE_OK) {
        plain = read_object(fd, bytes);
        close(fd);
    }
    return plain != NULL ? plain : draw(job);
}

/* A view that cannot be encoded is good as it is. */
static void run_encoding(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */
    struct shared_bytes *plain = take_plain(job);
    enum encoding wanted = job->request.encoding.best;
    struct buf out = {0};

    if (plain != NULL && encoding_apply(wanted, ENCODING_KEPT, shared_bytes_view(plain), &out))
        keep(job->service, job->key, buf_view(&out));
    job->bytes = plain == NULL ? NULL : shared_bytes_new(&out);
    job->encoding = wanted;
    if (job->bytes == NULL) {
        job->bytes = plain;
        job->encoding = ENCODING_IDENTITY;
    } else {
        shared_bytes_unref(plain);
    }
    finish(job->service->views, job);
}

/* ---- waiting for them ---- */

/* Takes the reference to `plain` over. */
static struct view_job *find_or_start(struct views *v, const struct view_request *r, enum encoding e,
                                      const char *key, struct shared_bytes *plain)
{
    struct view_job *job = v->under_way;

    while (job != NULL && strcmp(job->key, key) != 0)
        job = job->next;
    if (job == NULL)
        job = calloc(1, sizeof(*job));
    if (job == NULL || job->service != NULL) {
        shared_bytes_unref(plain);
        return job;
    }
    job->task.run = e == ENCODING_IDENTITY ? run_drawing : run_encoding;
    job->service = v->service;
    job->request = *r;
    memcpy(job->key, key, sizeof(job->key));
    job->plain = plain;
    job->refs = 1; /* the task's */
    job->next = v->under_way;
    v->under_way = job;
    pool_submit(v->service->pool, &job->task);
    return job;
}

/* Under views.lock: the result was taken, or is not wanted any more. */
static void leave(struct view_wait *w)
{
    struct view_wait **at = &w->job->waiting;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    release(w->job);
    w->job = NULL;
}

/* The exchange ends. */
static void forget(void *state)
{
    struct view_wait *w = state;

    pthread_mutex_lock(&w->views->lock);
    if (w->job != NULL)
        leave(w);
    pthread_mutex_unlock(&w->views->lock);
}

static enum exchange_step deliver(struct view_wait *w, struct view_result *result)
{
    return w->then(w->exchange, &w->request, result, w->context);
}

static enum exchange_step resumed(struct exchange *x, void *context);

/* For the view in this coding, made of the plain bytes that the result may hold. */
static enum exchange_step start_waiting(struct view_wait *w, enum encoding e, struct view_result *result)
{
    struct views *v = w->views;
    struct shared_bytes *plain = result->bytes;
    struct view_job *job = NULL;
    char key[VIEW_KEY_CHARS + 1];

    result->bytes = NULL;
    if (!view_key(v->service, &w->request, e, key)) {
        shared_bytes_unref(plain);
        no_memory(&result->diag);
        return deliver(w, result);
    }
    pthread_mutex_lock(&v->lock);
    job = find_or_start(v, &w->request, e, key, plain);
    if (job != NULL) {
        job->refs++;
        w->job = job;
        w->next = job->waiting;
        job->waiting = w;
        exchange_wait(w->exchange, &w->wait);
    }
    pthread_mutex_unlock(&v->lock);
    if (job != NULL)
        return exchange_then(w->exchange, resumed, w);
    no_memory(&result->diag);
    return deliver(w, result);
}

/* The plain view is there. It is what was asked for, or what that is made of. */
static enum exchange_step encode_plain(struct view_wait *w, struct view_result *result)
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

/* The job is done. If it was for an encoding there is nothing better to come. */
static enum exchange_step resumed(struct exchange *x, void *context)
{
    struct view_wait *w = context;
    struct view_job *job = w->job;
    struct view_result result = {.fd = -1};

    (void)x;
    pthread_mutex_lock(&w->views->lock);
    result.diag = job->diag;
    result.bytes = job->bytes == NULL ? NULL : shared_bytes_ref(job->bytes);
    result.encoding = job->encoding;
    bool final = job->task.run == run_encoding || result.bytes == NULL;
    leave(w);
    pthread_mutex_unlock(&w->views->lock);
    return final ? deliver(w, &result) : encode_plain(w, &result);
}

/* ---- asking ---- */

/* From memory, where it is known by its description, or the store; what is asked for again goes into memory. */
static bool find_described(struct views *v, const struct view_request *r, enum encoding e,
                           struct str description, struct view_result *result)
{
    char key[VIEW_KEY_CHARS + 1];

    result->bytes = view_cache_get(v->view_cache, description);
    if (result->bytes != NULL)
        return true;
    if (!view_key(v->service, r, e, key) ||
        store_get(v->service->store, key, &result->fd, &result->file_bytes) != STORE_OK) {
        result->fd = -1;
        return false;
    }
    if (!view_cache_worth(v->view_cache, description, result->file_bytes))
        return true;
    result->bytes = read_object(result->fd, result->file_bytes);
    if (result->bytes == NULL)
        return lseek(result->fd, 0, SEEK_SET) == 0;
    view_cache_put(v->view_cache, description, result->bytes);
    close(result->fd);
    result->fd = -1;
    return true;
}

static bool find(struct views *v, const struct view_request *r, enum encoding e, struct view_result *result)
{
    struct buf description = {0};

    describe(v->service, r, &description);
    buf_z(&description, encoding_suffix(e));
    bool found = !description.failed && find_described(v, r, e, buf_view(&description), result);
    buf_free(&description);
    result->encoding = e;
    return found;
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
    struct view_wait *w = exchange_state(x, sizeof(*w), forget);
    if (w == NULL) {
        no_memory(&result.diag);
        return then(x, r, &result, context);
    }
    w->views = v;
    w->exchange = x;
    w->request = *r;
    w->then = then;
    w->context = context;
    if (best == ENCODING_IDENTITY || !find(v, r, ENCODING_IDENTITY, &result))
        return start_waiting(w, ENCODING_IDENTITY, &result);
    return encode_plain(w, &result);
}
