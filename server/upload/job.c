#include "server/upload/job.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "parser/unpack/unpack.h"
#include "server/http/clients.h"
#include "server/store/store_access.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"

enum {
    SPARE_CHUNKS = 64,
    /* The queue of an upload that does not fold while it arrives: one chunk is worked on, and one waits. */
    SPOOL_QUEUE_BYTES = CHUNK_BYTES,
    SMALL_BYTES = 4 << 20 /* An upload that is larger is no short work any more. */
};

enum {
    STAGE_SPOOL,
    STAGE_HASH,
    STAGE_FOLD
}; /* indexes of stages.stage; without a slot there is no STAGE_FOLD */

/* ---- slots ---- */

struct jobs *jobs_new(struct service *service)
{
    struct jobs *j = calloc(1, sizeof(*j));

    if (j == NULL)
        return NULL;
    j->service = service;
    /* Half of them are for uploads that have arrived: one that arrives slowly holds its slot as long as its client likes. */
    slots_init(&j->slots, service->config->open_jobs, (service->config->open_jobs + 1) / 2);
    chunk_pool_init(&j->chunks, SPARE_CHUNKS);
    return j;
}

void jobs_free(struct jobs *j)
{
    if (j == NULL)
        return;
    chunk_pool_free(&j->chunks);
    slots_free(&j->slots);
    free(j);
}

static void slot_granted(struct slot_wait *wait)
{
    struct job *job = (struct job *)((char *)wait - offsetof(struct job, slot_wait));

    /* Without lock: the task that waits for the slot touches the job no more, and runs again only from here. */
    job->has_slot = true;
    pool_submit(job->service->pool, &job->queue, &job->finish);
}

void job_leave_slot(struct job *job)
{
    if (!job->has_slot)
        return;
    job->has_slot = false;
    slots_leave(&job->service->jobs->slots);
}

/* ---- stages: each is called for one chunk after the other, on the pool ---- */

static bool is_refused(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool refused = job->refused;
    pthread_mutex_unlock(&job->lock);
    return refused;
}

/* The first refusal counts. The other stages see it, and pass over what is left. */
static void refuse(struct job *job, const struct diag *diag)
{
    pthread_mutex_lock(&job->lock);
    if (!job->refused) {
        job->refused = true;
        job->refusal = *diag;
    }
    pthread_mutex_unlock(&job->lock);
}

static void refuse_memory(struct job *job, const char *detail)
{
    struct diag diag = {0};

    diag_no_memory(&diag, detail);
    refuse(job, &diag);
}

/* A full disk is swept, a few times since others may take the room that was made. */
static void spool(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;
    struct diag diag = {0};

    if (is_refused(job))
        return;
    enum store_result result = store_temp_write(&job->temp, p, n);
    for (unsigned i = 0; i < SWEEP_ROOM_TRIES && result == STORE_FULL && sweep_make_room(job->service->sweep);
         i++)
        result = store_temp_write(&job->temp, p, n);
    if (result == STORE_OK)
        return;
    store_access_failed(job->service->log, result, "stored", &diag);
    refuse(job, &diag);
}

static void hash(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;
    if (!is_refused(job) && EVP_DigestUpdate(job->hash, p, n) != 1)
        refuse_memory(job, "No memory to name the upload's bytes.");
}

/* Of an archive the form may still name another member than the one that was read: then this does not count. */
static void refuse_input(struct job *job, const struct diag *diag)
{
    if (job->member_may_follow)
        job->withheld = *diag;
    else
        refuse(job, diag);
}

/* What was refused needs neither its memory nor its slot while the rest of it is passed over. Nor does what is read as a
 * whole: it is folded from the spool, when all of it is there. */
static void fold(void *context, const uint8_t *p, size_t n)
{
    struct job *job = context;

    if (job->conversion == NULL)
        return;
    if (!is_refused(job) && !conversion_feed(job->conversion, p, n, &job->service->stop) &&
        !conversion_wants_whole(job->conversion))
        refuse_input(job, conversion_diag(job->conversion));
    if (is_refused(job) || job->withheld.kind != DIAG_NONE || conversion_wants_whole(job->conversion)) {
        conversion_abandon(job->conversion);
        job->conversion = NULL;
        stages_limit(&job->stages, SPOOL_QUEUE_BYTES);
        job_leave_slot(job);
    }
}

static void have_room(void *context)
{
    struct job *job = context;

    exchange_resume(&job->stalled);
}

/* ---- life ---- */

void job_end_names(const struct job *job)
{
    const struct record_names *names = &job->result.record.names;

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (names->of[i][0] != '\0')
            sweep_content_ended(job->service->sweep, names->of[i]);
}

void job_free(struct job *job)
{
    struct jobs *j = job->service->jobs;

    if (!job->kept)
        job_end_names(job);
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        names_file_free(&job->names[i]);
    if (job->filling != NULL)
        chunk_give(&j->chunks, job->filling);
    conversion_abandon(job->conversion);
    job_leave_slot(job);
    EVP_MD_CTX_free(job->hash);
    store_temp_discard(job->service->store, &job->temp);
    shared_bytes_unref(job->result.summary);
    client_unref(job->client);
    free(job->views);
    free(job->members);
    free(job->members_told);
    stages_free(&job->stages);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

void job_unref(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->refs == 0;
    pthread_mutex_unlock(&job->lock);
    if (!last)
        return;
    /* The last one has the job to itself, without lock. An upload whose link was told to nobody is withdrawn. */
    if (job->kept && !job->told) {
        job->finish.run = job_withdraw;
        pool_submit(job->service->pool, &job->queue, &job->finish);
    } else {
        job_free(job);
    }
}

/* The stages have nothing left: the upload is complete, or was given up. From here on only the finishing tasks touch what
 * the stages used. */
static void drained(void *context)
{
    struct job *job = context;

    pthread_mutex_lock(&job->lock);
    bool ended = job->ended; /* job_release() gives up only what has not ended: it is one or the other */
    pthread_mutex_unlock(&job->lock);
    if (ended)
        pool_submit(job->service->pool, &job->queue, &job->finish);
    else
        job_unref(job);
}

static bool open_stages(struct job *job, struct diag *diag)
{
    const struct config *config = job->service->config;
    struct jobs *j = job->service->jobs;

    job->has_slot = slots_try(&j->slots);
    job->hash = EVP_MD_CTX_new();
    if (job->has_slot)
        job->conversion = conversion_new(config);
    stages_init(&job->stages, job->service->pool, &job->queue, &j->chunks, job->has_slot ? 3 : 2,
                job->has_slot ? config->queue_bytes : SPOOL_QUEUE_BYTES);
    job->stages.stage[STAGE_SPOOL].work = spool;
    job->stages.stage[STAGE_HASH].work = hash;
    job->stages.stage[STAGE_FOLD].work = fold;
    job->stages.room = have_room;
    job->stages.drained = drained;
    job->stages.context = job;
    if (job->hash == NULL || (job->has_slot && job->conversion == NULL) ||
        EVP_DigestInit_ex(job->hash, EVP_sha256(), NULL) != 1)
        return diag_no_memory(diag, "No memory for one more upload.");
    enum store_result result = store_temp_open(job->service->store, &job->temp);
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "stored", diag);
    return result == STORE_OK;
}

struct job *job_new(struct service *service, struct diag *diag)
{
    struct job *job = calloc(1, sizeof(*job));

    if (job == NULL) {
        diag_no_memory(diag, "No memory for one more upload.");
        return NULL;
    }
    job->service = service;
    job->queue.task_class = TASK_SMALL;
    job->refs = 2; /* the request's, and that of the stages and the tasks behind them */
    job->started_ms = clock_ms();
    job->finish.run = job_run_finish;
    job->answer_timer.due = job_answer_due;
    job->slot_wait.granted = slot_granted;
    pthread_mutex_init(&job->lock, NULL);
    if (open_stages(job, diag))
        return job;
    job_free(job);
    return NULL;
}

void job_release(struct job *job)
{
    if (job == NULL)
        return;
    /* Under each lock its wait is resumed: from then on neither resumes a request that has ended. */
    pthread_mutex_lock(&job->stages.lock);
    job->stalled.exchange = NULL;
    pthread_mutex_unlock(&job->stages.lock);
    pthread_mutex_lock(&job->lock);
    bool ended = job->ended;
    job->left = job->waiting.exchange != NULL;
    job->waiting.exchange = NULL;
    pthread_mutex_unlock(&job->lock);
    if (!ended)
        stages_abort(&job->stages);
    job_unref(job);
}

/* ---- the producer ---- */

bool job_ready(struct job *job, struct exchange *x)
{
    struct stages *l = &job->stages;

    pthread_mutex_lock(&l->lock);
    bool ready = l->queued_bytes < l->limit_bytes;
    /* Under the lock under which room is told of: none can be made between the look and the wait. */
    if (!ready) {
        l->full = true;
        exchange_wait(x, &job->stalled);
    }
    pthread_mutex_unlock(&l->lock);
    return ready;
}

static void publish(struct job *job)
{
    struct chunk *c = job->filling;

    job->filling = NULL;
    if (c != NULL)
        stages_push(&job->stages, c);
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
    if (job->bytes <= SMALL_BYTES && job->bytes + n > SMALL_BYTES)
        task_queue_class(job->service->pool, &job->queue, TASK_INPUT);
    job->bytes += n;
    while (n > 0) {
        if (job->filling == NULL)
            job->filling = chunk_take(&job->service->jobs->chunks);
        struct chunk *c = job->filling;
        if (c == NULL) {
            refuse_memory(job, "No memory to take more of the upload.");
            return false;
        }
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

void job_choose(struct job *job, struct str member)
{
    struct record *r = &job->result.record;

    job->every_member = str_eq(member, STR(JOB_EVERY_MEMBER));
    if (job->every_member) {
        r->member[0] = '\0';
        return;
    }
    unpack_member_name(member, r->member);
    if (job->bytes > 0)
        job->read_again = true;
    else if (job->conversion != NULL)
        conversion_choose(job->conversion, r->member);
}

bool job_wants_every_member(const struct job *job)
{
    return job->every_member;
}

void job_names(struct job *job, struct names_file *file)
{
    job->names[file->which] = *file;
    job->read_again = job->read_again || file->which == RECORD_SYMBOLS; /* its addresses were not kept */
    *file = (struct names_file){.store = NULL};
}

void job_await_choice(struct job *job)
{
    job->member_may_follow = true;
}

struct str job_head(const struct job *job)
{
    return (struct str){job->head, job->head_bytes};
}

void job_end(struct job *job, struct exchange *x, struct str name, int64_t created_s, int64_t expires_s,
             bool early)
{
    struct record *r = &job->result.record;

    if (!record_set_name(r, name))
        refuse_memory(job, "No memory for the upload's name.");
    r->created_s = created_s;
    r->expires_s = expires_s;
    r->size = job->bytes;
    job->client = client_again(x->client);
    memcpy(job->request, x->id, sizeof(job->request));
    job->answer_early = early;
    job->answer_by_ms = clock_ms() + (int64_t)job->service->config->answer_within_ms;
    publish(job);
    /* The wait begins before stages_end(), from which on the answer may come at any moment. */
    pthread_mutex_lock(&job->lock);
    job->ended = true;
    exchange_wait(x, &job->waiting);
    pthread_mutex_unlock(&job->lock);
    stages_end(&job->stages);
}

void job_result(struct job *job, struct job_result *result)
{
    pthread_mutex_lock(&job->lock);
    *result = job->result;
    job->told = true;
    if (result->summary != NULL)
        shared_bytes_ref(result->summary);
    if (job->members_kept && result->diag.kind == DIAG_NONE)
        job_tell_members(job, result);
    pthread_mutex_unlock(&job->lock);
}
