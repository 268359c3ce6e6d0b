#include "server/job.h"

#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "server/cache.h"
#include "server/identify.h"
#include "server/lane.h"
#include "server/places.h"
#include "server/views.h"

enum {
    SPARE_CHUNKS = 64,
    RUNNERS_MAX = 32,
    /* An upload that does not fold while it arrives has no queue to speak of: one chunk is worked on, one
       waits. */
    SPOOL_QUEUE_BYTES = CHUNK_BYTES
};

enum { LANE_SPOOL, LANE_HASH, LANE_FOLD };

/* The work behind the last byte, shared out among runners: the blob's name, the summary, then a view for each
 * track. */
enum { ITEM_BLOB, ITEM_SUMMARY, ITEMS_BEFORE_TRACKS };

struct runner {
    struct task task;
    struct job *job;
};

struct jobs {
    struct service *service;
    struct chunk_pool chunks;
    struct places places; /* open_jobs of them */
};

struct job {
    struct service *service;
    struct lanes lanes;

    pthread_mutex_t lock; /* of the next five */
    unsigned refs;        /* the producer's, and one until the work has ended */
    bool refused, ended, done;
    struct exchange *waiting; /* suspended until `done` */
    struct diag refusal;

    /* The producer's. */
    struct chunk *filling;
    struct exchange *stalled; /* suspended until the queue has room; under lanes.lock */
    uint64_t bytes;
    char head[IDENTIFY_BYTES];
    size_t head_bytes;

    /* One lane's each; then the finishing task's. */
    struct store_temp temp;
    EVP_MD_CTX *hash;
    struct fold *fold;

    bool has_place; /* may fold */
    struct place_wait place_wait;

    struct task finish;
    struct folded *folded;
    uint32_t *order; /* tracks by weight */
    uint32_t n_items;
    atomic_uint next_item, running;
    struct runner runners[RUNNERS_MAX];
    enum store_result blob_result;
    struct job_result result;
};

static void conclude(struct job *job);

/* ---- places ---- */

struct jobs *jobs_new(struct service *service)
{
    struct jobs *j = calloc(1, sizeof(*j));

    if (j == NULL)
        return NULL;
    j->service = service;
    places_init(&j->places, service->config->open_jobs);
    chunk_pool_init(&j->chunks, SPARE_CHUNKS);
    return j;
}

void jobs_free(struct jobs *j)
{
    if (j == NULL)
        return;
    chunk_pool_free(&j->chunks);
    places_free(&j->places);
    free(j);
}

static void place_granted(struct place_wait *wait)
{
    struct job *job = (struct job *)((char *)wait - offsetof(struct job, place_wait));

    job->has_place = true;
    pool_submit_first(job->service->pool, &job->finish);
}

static void leave_place(struct job *job)
{
    if (!job->has_place)
        return;
    job->has_place = false;
    places_leave(&job->service->jobs->places);
}

/* ---- lanes ---- */

static bool is_refused(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool refused = job->refused;
    pthread_mutex_unlock(&job->lock);
    return refused;
}

static void refuse(struct job *job, const struct diag *diag)
{
    pthread_mutex_lock(&job->lock);
    if (!job->refused) {
        job->refused = true;
        job->refusal = *diag;
    }
    pthread_mutex_unlock(&job->lock);
}

static void store_diag(struct diag *diag, enum store_result result)
{
    if (result == STORE_FULL)
        diag_set(diag, DIAG_FULL, "disk full",
                 "Tell the operator; nothing of other uploads is lost. Try again later.",
                 "The service has no room left to keep the upload.");
    else
        diag_set(diag, DIAG_IO, "store not writable", "Tell the operator: the service's log has the details.",
                 "The upload could not be stored.");
}

static void spool(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;
    struct diag diag = {0};

    if (is_refused(job))
        return;
    enum store_result result = store_temp_write(&job->temp, p, n);
    if (result == STORE_OK)
        return;
    store_diag(&diag, result);
    refuse(job, &diag);
}

static void hash(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;

    if (!is_refused(job))
        EVP_DigestUpdate(job->hash, p, n);
}

static void fold(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;

    if (!is_refused(job) && !fold_feed(job->fold, p, n))
        refuse(job, fold_diag(job->fold));
}

static void have_room(void *context)
{
    struct job *job = context;
    struct exchange *x = job->stalled;

    job->stalled = NULL;
    if (x != NULL)
        x->resume(x);
}

/* ---- life ---- */

static void job_free(struct job *job)
{
    struct jobs *j = job->service->jobs;

    if (job->filling != NULL)
        chunk_give(&j->chunks, job->filling);
    fold_abandon(job->fold);
    folded_unref(job->folded);
    leave_place(job);
    EVP_MD_CTX_free(job->hash);
    store_temp_discard(job->service->store, &job->temp);
    shared_bytes_unref(job->result.summary);
    free(job->order);
    lanes_free(&job->lanes);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

static void unref(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->refs == 0;
    pthread_mutex_unlock(&job->lock);
    if (last)
        job_free(job);
}

static void run_finish(struct task *task);

/* The lanes have nothing left: the upload is complete, or was given up. */
static void drained(void *context)
{
    struct job *job = context;

    pthread_mutex_lock(&job->lock);
    bool ended = job->ended;
    pthread_mutex_unlock(&job->lock);
    if (ended)
        pool_submit_first(job->service->pool, &job->finish);
    else
        unref(job);
}

static bool open_lanes(struct job *job, struct diag *diag)
{
    const struct config *config = job->service->config;
    struct jobs *j = job->service->jobs;

    job->has_place = places_try(&j->places);
    job->hash = EVP_MD_CTX_new();
    if (job->has_place)
        job->fold = fold_new(config);
    lanes_init(&job->lanes, job->service->pool, &j->chunks, job->has_place ? 3 : 2,
               job->has_place ? config->queue_bytes : SPOOL_QUEUE_BYTES);
    job->lanes.lane[LANE_SPOOL].work = spool;
    job->lanes.lane[LANE_HASH].work = hash;
    job->lanes.lane[LANE_FOLD].work = fold;
    job->lanes.room = have_room;
    job->lanes.drained = drained;
    job->lanes.context = job;
    if (job->hash == NULL || (job->has_place && job->fold == NULL) ||
        EVP_DigestInit_ex(job->hash, EVP_sha256(), NULL) != 1)
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                        "No memory for one more upload.");
    enum store_result result = store_temp_open(job->service->store, &job->temp);
    if (result != STORE_OK)
        store_diag(diag, result);
    return result == STORE_OK;
}

struct job *job_new(struct service *service, struct diag *diag)
{
    struct job *job = calloc(1, sizeof(*job));

    if (job == NULL) {
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.", "No memory for one more upload.");
        return NULL;
    }
    job->service = service;
    job->refs = 2;
    job->finish.run = run_finish;
    job->place_wait.granted = place_granted;
    job->blob_result = STORE_FAILED;
    pthread_mutex_init(&job->lock, NULL);
    if (open_lanes(job, diag))
        return job;
    job_free(job);
    return NULL;
}

void job_release(struct job *job)
{
    if (job == NULL)
        return;
    pthread_mutex_lock(&job->lock);
    bool ended = job->ended;
    pthread_mutex_unlock(&job->lock);
    if (!ended)
        lanes_abort(&job->lanes);
    unref(job);
}

/* ---- the producer ---- */

bool job_ready(struct job *job, struct exchange *x)
{
    struct lanes *l = &job->lanes;

    pthread_mutex_lock(&l->lock);
    bool ready = l->queued_bytes < l->limit_bytes;
    if (!ready) {
        l->full = true;
        job->stalled = x;
        x->suspend(x);
    }
    pthread_mutex_unlock(&l->lock);
    return ready;
}

static void publish(struct job *job)
{
    struct chunk *c = job->filling;

    job->filling = NULL;
    if (c != NULL)
        lanes_push(&job->lanes, c);
}

static bool no_chunk(struct job *job)
{
    struct diag diag = {0};

    diag_set(&diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
             "No memory to take more of the upload.");
    refuse(job, &diag);
    return false;
}

bool job_push(struct job *job, const void *p, size_t n)
{
    const char *bytes = p;

    if (job->head_bytes < sizeof(job->head)) {
        size_t room = sizeof(job->head) - job->head_bytes;
        size_t part = n < room ? n : room;
        memcpy(job->head + job->head_bytes, bytes, part);
        job->head_bytes += part;
    }
    job->bytes += n;
    while (n > 0) {
        if (job->filling == NULL)
            job->filling = chunk_take(&job->service->jobs->chunks);
        struct chunk *c = job->filling;
        if (c == NULL)
            return no_chunk(job);
        size_t room = CHUNK_BYTES - c->n;
        size_t part = n < room ? n : room;
        memcpy(c->bytes + c->n, bytes, part);
        c->n += part;
        bytes += part;
        n -= part;
        if (c->n == CHUNK_BYTES)
            publish(job);
    }
    return !is_refused(job);
}

uint64_t job_bytes(const struct job *job)
{
    return job->bytes;
}

void job_end(struct job *job, struct exchange *x, struct str name, int64_t created_s, int64_t expires_s)
{
    struct record *r = &job->result.record;
    size_t n = name.n < RECORD_NAME_BYTES ? name.n : RECORD_NAME_BYTES;

    memcpy(r->name, name.p, n);
    r->name[n] = '\0';
    r->created_s = created_s;
    r->expires_s = expires_s;
    r->size = job->bytes;
    publish(job);
    pthread_mutex_lock(&job->lock);
    job->ended = true;
    job->waiting = x;
    x->suspend(x);
    pthread_mutex_unlock(&job->lock);
    lanes_end(&job->lanes);
}

const struct job_result *job_result(const struct job *job)
{
    return &job->result;
}

const struct diag *job_diag(struct job *job)
{
    return &job->refusal;
}

/* ---- behind the last byte ---- */

static void complete(struct job *job)
{
    leave_place(job);
    pthread_mutex_lock(&job->lock);
    job->done = true;
    if (job->waiting != NULL)
        job->waiting->resume(job->waiting);
    job->waiting = NULL;
    pthread_mutex_unlock(&job->lock);
    unref(job);
}

/* libmagic may name what the table of formats did not know. */
static void name_unknown(struct job *job)
{
    struct diag *d = &job->result.diag;
    char words[160];
    size_t n = strlen(d->detail);

    if (d->kind != DIAG_UNKNOWN)
        return;
    identify(job->head, job->head_bytes, words, sizeof(words));
    struct buf text = {0};
    buf_printf(&text, " It looks like: %s.", words);
    if (!text.failed && n + text.n < sizeof(d->detail)) {
        memcpy(d->detail + n, text.p, text.n);
        d->detail[n + text.n] = '\0';
    }
    buf_free(&text);
}

static bool make_profile(struct job *job)
{
    struct diag *diag = &job->result.diag;

    if (job->refused) {
        *diag = job->refusal;
    } else if (job->fold != NULL) {
        job->folded = fold_finish(job->fold, diag);
        job->fold = NULL;
    } else {
        job->folded = fold_file(job->service->config, job->temp.fd, diag);
    }
    name_unknown(job);
    return job->folded != NULL;
}

static bool plan_items(struct job *job)
{
    const struct profile *p = folded_profile(job->folded);
    uint64_t views = job->service->config->render_tracks;

    job->order = malloc((p->n_tracks + 1) * sizeof(*job->order));
    if (job->order == NULL)
        return diag_set(&job->result.diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                        "No memory to render the upload.");
    profile_tracks_by_weight(p, job->order);
    job->n_items = ITEMS_BEFORE_TRACKS + (uint32_t)(p->n_tracks < views ? p->n_tracks : views);
    return true;
}

static void take_digest(struct job *job)
{
    struct record *r = &job->result.record;
    const struct profile *p = folded_profile(job->folded);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    struct buf hex = {0};

    EVP_DigestFinal_ex(job->hash, digest, &n);
    buf_hex_bytes(&hex, digest, n);
    if (!hex.failed && hex.n == RECORD_SHA256_CHARS)
        memcpy(r->sha256, hex.p, RECORD_SHA256_CHARS);
    buf_free(&hex);
    size_t format = p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1;
    memcpy(r->format, p->format.p, format);
    r->warnings = p->n_warnings;
}

static void run_item(struct job *job, uint32_t item, struct buf *scratch);

static void run_runner(struct task *task)
{
    struct job *job = ((struct runner *)task)->job;
    struct buf scratch = {0};

    for (;;) {
        uint32_t item = atomic_fetch_add(&job->next_item, 1);
        if (item >= job->n_items)
            break;
        run_item(job, item, &scratch);
    }
    buf_free(&scratch);
    if (atomic_fetch_sub(&job->running, 1) == 1)
        conclude(job);
}

static void run_finish(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));

    if (!job->has_place && !job->refused) {
        if (!places_wait(&job->service->jobs->places, &job->place_wait))
            return;
        job->has_place = true;
    }
    if (!make_profile(job) || !plan_items(job)) {
        complete(job);
        return;
    }
    take_digest(job);
    unsigned runners = pool_workers(job->service->pool);
    if (runners > RUNNERS_MAX)
        runners = RUNNERS_MAX;
    if (runners > job->n_items)
        runners = job->n_items;
    atomic_store(&job->running, runners);
    for (unsigned i = 0; i < runners; i++) {
        job->runners[i] = (struct runner){{.run = run_runner}, job};
        pool_submit_first(job->service->pool, &job->runners[i].task);
    }
}

static void commit_blob(struct job *job)
{
    char key[BLOB_KEY_CHARS + 1];

    blob_key(job->result.record.sha256, key);
    job->blob_result = store_temp_commit(job->service->store, &job->temp, key, STORE_DURABLE);
}

static void make_summary(struct job *job)
{
    struct view_request r = {.output = NULL};
    struct diag diag = {0};
    struct buf text = {0};

    memcpy(r.sha256, job->result.record.sha256, sizeof(r.sha256));
    if (views_make(job->service, &r, job->folded, &text, &diag) &&
        (text.n > 0 || convert_summary(job->folded, &text, &diag)))
        job->result.summary = shared_bytes_new(&text);
    else
        buf_free(&text);
}

/* A view that cannot be made now fails when somebody asks for it, with its reason; the upload is good
 * nevertheless. */
static void make_view(struct job *job, uint32_t track, struct buf *scratch)
{
    struct view_request r = {.output = OUTPUTS[0]};
    struct diag diag = {0};

    memcpy(r.sha256, job->result.record.sha256, sizeof(r.sha256));
    view_defaults(&r.options);
    r.options.track_ids[0] = folded_profile(job->folded)->tracks[track].id;
    r.options.n_track_ids = 1;
    if (!views_make(job->service, &r, job->folded, scratch, &diag))
        LOG(job->service->log, LOG_WARN, "view-failed", LOG_STR("sha256", str_of(r.sha256)),
            LOG_U64("track", r.options.track_ids[0]), LOG_STR("why", str_of(diag.detail)));
}

static void run_item(struct job *job, uint32_t item, struct buf *scratch)
{
    if (item == ITEM_BLOB)
        commit_blob(job);
    else if (item == ITEM_SUMMARY)
        make_summary(job);
    else
        make_view(job, job->order[item - ITEMS_BEFORE_TRACKS], scratch);
}

static bool acknowledge(struct job *job)
{
    struct job_result *result = &job->result;
    struct record *r = &result->record;

    if (job->blob_result != STORE_OK && job->blob_result != STORE_EXISTS) {
        store_diag(&result->diag, job->blob_result);
        return false;
    }
    if (!record_new_secret(r->id) || !record_new_secret(result->delete_token))
        return diag_set(&result->diag, DIAG_IO, "no randomness", "Tell the operator.",
                        "The system gave no random numbers for the upload's id.");
    record_sha256_hex(result->delete_token, strlen(result->delete_token), r->token_sha256);
    enum store_result written = record_write(job->service->store, r);
    if (written != STORE_OK)
        store_diag(&result->diag, written);
    return written == STORE_OK;
}

static void conclude(struct job *job)
{
    if (acknowledge(job))
        cache_put(views_cache(job->service->views), job->result.record.sha256, job->folded);
    complete(job);
}
