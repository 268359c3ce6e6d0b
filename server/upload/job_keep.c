/* How an upload ends: its bytes and its record are made durable, or taken back, and who waits gets the
 * answer. For an upload of one file (job.c), and for the members of an archive (job_members.c).
 *
 * What was read while it arrived has its bytes put into the store beside the end of the reading (job_begin_keeping): both
 * take long. The record waits for both. If there is no record to come, the bytes go again (job_drop_bytes); those that a
 * crash leaves are found by a sweep, as all bytes without a record. */
#include <fcntl.h>
#include <string.h>

#include "core/sha256.h"
#include "core/system/clock.h"
#include "core/system/digest.h"
#include "server/http/clients.h"
#include "server/spaces/spaces.h"
#include "server/store/record.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/keep_blob.h"
#include "server/upload/progress.h"
#include "server/upload/upload_share.h"

static bool no_digest(struct diag *diag)
{
    return diag_no_memory(diag, "No memory to name the upload.");
}

static bool no_randomness(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "no randomness", "Tell the operator.",
                    "The system gave no random numbers for the upload's id.");
}

/* Nobody would ever know the link. */
bool job_is_wanted(struct job *job, struct diag *diag)
{
    pthread_mutex_lock(&job->lock);
    const struct exchange *x = job->waiting.exchange;
    bool left = stop_asked(&job->stop) == STOP_LEFT || (x != NULL && x->is_left(x));
    pthread_mutex_unlock(&job->lock);
    return !left || diag_set(diag, DIAG_BUSY, "the client left", "Upload it again.",
                             "The connection ended before the upload was answered.");
}

bool job_new_id(struct record *record, struct diag *diag)
{
    return record_new_secret(record->id) || no_randomness(diag);
}

bool job_identify(struct job *job, struct diag *diag)
{
    struct record *r = &job->result.record;
    uint8_t digest[SHA256_BYTES];

    if (r->sha256[0] != '\0')
        return true;
    if (!job_new_id(r, diag))
        return false;
    if (!sha256_end(job->hash, digest))
        return no_digest(diag);
    digest_hex(digest, r->sha256);
    return true;
}

static bool put_bytes(struct job *job, struct local_temp *temp, const struct record *r, struct diag *diag)
{
    char key[RECORD_BYTES_KEY_CHARS + 1];

    record_bytes_key(r->id, key);
    return keep_blob(job->service, temp, key, true, r->sha256, diag);
}

static void run_keeper(struct thread_job *keeper)
{
    struct job *job = (struct job *)((char *)keeper - offsetof(struct job, keeper));
    bool kept = put_bytes(job, &job->keeping, &job->result.record, &job->not_kept);

    local_temp_discard(store_local(job->service->store), &job->keeping);
    pthread_mutex_lock(&job->lock);
    job->bytes_are = kept ? JOB_BYTES_KEPT : JOB_BYTES_NOT_KEPT;
    pthread_cond_signal(&job->arrived);
    pthread_mutex_unlock(&job->lock); /* from here on the job may be freed */
}

static enum job_bytes bytes_are(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    enum job_bytes are = job->bytes_are;
    pthread_mutex_unlock(&job->lock);
    return are;
}

/* Members of an archive get ids of their own, later. Without a descriptor the bytes are kept behind the reading. */
bool job_begin_keeping(struct job *job, struct diag *diag)
{
    if (job->every_member || bytes_are(job) != JOB_BYTES_HERE)
        return true;
    if (!job_identify(job, diag))
        return false;
    int fd = fcntl(job->temp.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return true;
    job->keeping = job->temp;
    job->keeping.fd = fd;
    job->keeping_since_s = (int64_t)time(NULL);
    job->bytes_are = JOB_BYTES_PUT; /* nobody else looks before the thread begins */
    job->keeper = (struct thread_job){.run = run_keeper, .place = {TURN_INPUT, .owner = job->client}};
    threads_submit(job->service->threads, THREADS_KEEPERS, &job->keeper);
    return true;
}

static enum job_bytes await_keeper(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    while (job->bytes_are == JOB_BYTES_PUT)
        pthread_cond_wait(&job->arrived, &job->lock);
    enum job_bytes are = job->bytes_are;
    pthread_mutex_unlock(&job->lock);
    return are;
}

bool job_keep_bytes(struct job *job, const struct record *r)
{
    enum job_bytes are = await_keeper(job);

    if (are == JOB_BYTES_HERE)
        return put_bytes(job, &job->temp, r, &job->result.diag);
    if (are != JOB_BYTES_KEPT)
        job->result.diag = job->not_kept;
    return are == JOB_BYTES_KEPT;
}

bool job_share_bytes(struct job *job, const char *from_id, const struct record *record, struct diag *diag)
{
    struct store *store = job->service->store;
    char from[RECORD_BYTES_KEY_CHARS + 1], to[RECORD_BYTES_KEY_CHARS + 1];

    record_bytes_key(from_id, from);
    record_bytes_key(record->id, to);
    enum store_result result = store_copy(store, from, to);
    if (result == STORE_FULL && sweep_make_room(job->service->sweep))
        result = store_copy(store, from, to);
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "stored", diag);
    return result == STORE_OK;
}

bool job_new_token(struct job *job, struct record *record)
{
    struct job_result *result = &job->result;

    if (record->owner[0] != '\0')
        return true;
    if (result->delete_token[0] == '\0' && !record_new_secret(result->delete_token))
        return no_randomness(&result->diag);
    digest_hex_of(result->delete_token, strlen(result->delete_token), record->token_sha256);
    return record->token_sha256[0] != '\0' || no_digest(&result->diag);
}

/* What was kept of an upload is taken away again: it has no record. */
static void discard(struct job *job, const struct record *record)
{
    uint64_t bytes = record_bytes_alone(job->service->store, record->id);

    if (job->bytes_are == JOB_BYTES_KEPT)
        job->bytes_are = JOB_BYTES_NOT_KEPT;
    spaces_remove(job->service->spaces, record);
    if (record_discard(job->service->store, record->id) == STORE_OK)
        sweep_give_upload_room(job->service->sweep, bytes);
}

void job_drop_bytes(struct job *job)
{
    if (await_keeper(job) == JOB_BYTES_KEPT && !job->kept)
        discard(job, &job->result.record);
}

bool job_keep_record(struct job *job, const struct record *record, struct diag *diag)
{
    struct store *store = job->service->store;
    struct kept *kept = sweep_kept(job->service->sweep);

    if (!kept_take(kept, record)) {
        discard(job, record);
        return upload_keeps_enough(job->service, diag);
    }
    if (!job_keep_entry(job, record, diag)) {
        kept_give(kept, record);
        discard(job, record);
        return false;
    }
    enum store_result written = record_write(store, record, job->keeping_since_s);
    if (written == STORE_FULL && sweep_make_room(job->service->sweep))
        written = record_write(store, record, job->keeping_since_s);
    if (written == STORE_OK)
        return true;
    store_access_failed(job->service->log, written, "stored", diag);
    kept_give(kept, record);
    discard(job, record);
    return false;
}

void job_log_kept(const struct job *job, const struct record *r)
{
    struct str owner = {r->owner[0] == '\0' ? NULL : r->owner, strlen(r->owner)};

    figures_upload(job->service->figures, str_of(r->format));
    LOG(job->service->log, LOG_INFO, "uploaded", LOG_STR("id", str_of(r->id)),
        LOG_STR("format", str_of(r->format)), LOG_U64("bytes", r->size),
        LOG_U64("ms", (uint64_t)(clock_ms() - job->started_ms)), LOG_STR("sha256", str_of(r->sha256)),
        LOG_STR("request", str_of(job->request)), LOG_STR("client", str_of(client_text(job->client))),
        LOG_STR("who", owner));
}

bool job_withdraw_record(const struct job *job, const struct record *r)
{
    struct diag diag = {0};
    uint64_t bytes = record_bytes_alone(job->service->store, r->id);
    enum store_result result = record_delete(job->service->store, r, r->created_s);

    if (result != STORE_OK) {
        store_access_failed(job->service->log, result, "withdrawn", &diag);
        return false;
    }
    spaces_forget(job->service->spaces, r);
    kept_give(sweep_kept(job->service->sweep), r);
    sweep_give_upload_room(job->service->sweep, bytes);
    LOG(job->service->log, LOG_INFO, "withdrawn", LOG_STR("id", str_of(r->id)),
        LOG_STR("request", str_of(job->request)));
    return true;
}

/* Whatever the upload used of the machine is the next one's before the client has taken its answer. Who
 * asks how far the upload is, once it is answered, is to hear that it is done unless there are previews to
 * come. */
void job_answer(struct job *job)
{
    if (job->n_previews == 0) {
        progress_end(job->progress);
        job->progress = NULL;
    }
    timer_clear(job->service->timers, &job->answer_timer);
    pthread_mutex_lock(&job->lock);
    job->result.complete = true;
    exchange_resume(&job->waiting);
    pthread_mutex_unlock(&job->lock);
}

void job_answer_soon(struct job *job)
{
    timer_set(job->service->timers, &job->answer_timer, job->answer_early ? 0 : job->answer_by_ms);
}

bool job_keep_names(struct job *job, struct diag *diag)
{
    if (job->keeping_since_s == 0)
        job->keeping_since_s = (int64_t)time(NULL);
    for (size_t i = 0; i < RECORD_NAMES_FILES && !job->names_kept; i++) {
        if (job->names[i].local == NULL)
            continue;
        if (!names_file_keep(&job->names[i], job->service, diag))
            return false;
        memcpy(job->result.record.names.of[i], job->names[i].sha256, RECORD_SHA256_CHARS + 1);
        job->result.record.names.period[i] = job->names[i].period;
    }
    job->names_kept = true;
    return true;
}
