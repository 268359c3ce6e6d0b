/* How an upload ends: its bytes and its record are made durable, or taken back, and who waits gets the
 * answer. For an upload of one file, whose story job.c tells, and for an archive of which every member is meant. Then
 * the job itself ends (job_unref).
 *
 * What is read while it arrives has its bytes put into the store beside the reading: all take long. A bucket gets the parts of a
 * large one as they arrive, and a disk is made to take them (job_send_ahead); all that is left goes when the last byte is there (job_begin_keeping). The record waits
 * for both. If there is no record to come, the bytes go again (job_drop_bytes); those that a crash leaves are found by a
 * sweep, as all bytes without a record, or by a rule of the bucket, as parts that were not put together. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sha256.h"
#include "core/system/clock.h"
#include "core/system/digest.h"
#include "server/convert/archive_members.h"
#include "server/http/clients.h"
#include "server/spaces/spaces.h"
#include "server/store/record.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/keep_blob.h"
#include "server/upload/progress.h"
#include "server/upload/upload_share.h"
#include "server/views/profiles.h"
#include "server/webhook/webhook.h"

/* ---- what the list of a space says ----
 *
 * What the list of a space says of an upload (server/spaces/entry.h): before its record what is known at once; behind its
 * answer also what two views tell, which its page needs, too. An upload in no space has nothing of this. */

/* Puts what the space of the record lists at first, before the record. False: diag. */
static bool job_keep_entry(struct job *job, const struct record *record, struct diag *diag)
{
    struct spaces *spaces = job->service->spaces;
    struct buf text = {0};

    if (record->space[0] == '\0')
        return true;
    if (!entry_write(record, STR(""), STR(""), &text)) {
        buf_free(&text);
        return diag_no_memory(diag, "No memory to list the upload in its space.");
    }
    enum store_result result = spaces_put(spaces, record, buf_view(&text));
    if (result == STORE_FULL && sweep_make_room(job->service->sweep))
        result = spaces_put(spaces, record, buf_view(&text));
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "listed", diag);
    buf_free(&text);
    return result == STORE_OK;
}

/* False: nothing can be told, or no memory. */
static bool make_words(struct job *job, const struct record *record, struct turn *turn, struct buf *text)
{
    struct buf facts = {0}, said = {0};

    entry_make_views(job->service, record, job->client, turn, &facts, &said);
    bool ok = facts.n > 0 && !facts.failed && !said.failed &&
              entry_write(record, buf_view(&facts), buf_view(&said), text);
    buf_free(&facts);
    buf_free(&said);
    return ok;
}

/* Whether it is known that the record does not say any more what the entry does: it was changed, or the upload has
 * ended. */
static bool counts_no_more(const struct job *job, const struct record *record)
{
    struct record now;

    if (record_is_gone(job->service->store, record->id))
        return true;
    enum record_state state = record_load(job->service->store, str_of(record->id), &now);
    return state == RECORD_NONE ||
           (state == RECORD_FOUND && (!str_eq(str_of(now.space), str_of(record->space)) ||
                                      !str_eq(str_of(now.mark), str_of(record->mark))));
}

void job_list(struct job *job, const struct record *record, struct turn *turn)
{
    struct spaces *spaces = job->service->spaces;
    struct diag ignored = {0}; /* the log says it */
    struct buf text = {0};

    if (record->space[0] == '\0')
        return;
    if (make_words(job, record, turn, &text)) {
        enum store_result result = spaces_put_words(spaces, record, buf_view(&text));
        if (result != STORE_OK && result != STORE_EXISTS)
            store_access_failed(job->service->log, result, "listed with its words", &ignored);
        if (counts_no_more(job, record))
            spaces_remove(spaces, record);
        else
            webhook_listed(job->service->webhook, record);
    }
    buf_free(&text);
}

/* ---- keeping ---- */

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
    if (r->id[0] == '\0' && !job_new_id(r, diag))
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

/* Under the lock, which it leaves meanwhile: sends the parts that are there. */
static void send_parts(struct job *job)
{
    struct store *store = job->service->store;
    const uint64_t part_bytes = store_part_bytes(store);
    char key[RECORD_BYTES_KEY_CHARS + 1];

    record_bytes_key(job->result.record.id, key);
    while (job->sends_ahead && job->bytes_are == JOB_BYTES_HERE && job->written >= job->send_at &&
           stop_asked(&job->stop) == STOP_NONE) {
        const uint64_t there = job->written;
        job->send_at = (there / part_bytes + 1) * part_bytes;
        pthread_mutex_unlock(&job->lock);
        store_put_parts(store, &job->temp, key, there);
        pthread_mutex_lock(&job->lock);
    }
}

/* The job waits for the spool's descriptor no more: it has one, and the keeper another. */
static bool put_whole(struct job *job)
{
    const int fd = job->keeping.fd;

    job->keeping = job->temp;
    job->keeping.fd = fd;
    job->temp.sent = NULL;
    bool kept = put_bytes(job, &job->keeping, &job->result.record, &job->not_kept);
    local_temp_discard(store_local(job->service->store), &job->keeping);
    return kept;
}

static void run_keeper(struct thread_job *keeper)
{
    struct job *job = (struct job *)((char *)keeper - offsetof(struct job, keeper));

    pthread_mutex_lock(&job->lock);
    send_parts(job);
    if (job->bytes_are == JOB_BYTES_PUT) {
        pthread_mutex_unlock(&job->lock);
        bool kept = put_whole(job);
        pthread_mutex_lock(&job->lock);
        job->bytes_are = kept ? JOB_BYTES_KEPT : JOB_BYTES_NOT_KEPT;
    }
    job->keeper_runs = false;
    pthread_cond_signal(&job->arrived);
    pthread_mutex_unlock(&job->lock); /* from here on the job may be freed */
}

/* Under the lock. */
static void submit_keeper(struct job *job)
{
    if (job->keeper_runs)
        return;
    job->keeper_runs = true;
    job->keeper = (struct thread_job){.run = run_keeper, .place = {TURN_INPUT, .owner = job->client}};
    threads_submit(job->service->threads, THREADS_KEEPERS, &job->keeper);
}

/* So fast that it will be there before a bucket has a few parts: whole it needs fewer requests, and one digest less. */
static bool comes_at_once(const struct job *job)
{
    enum { FAST_BYTES_MS = 64 << 10 };

    return store_is_remote(job->service->store) &&
           job->written > (uint64_t)(clock_ms() - job->started_ms) * FAST_BYTES_MS;
}

void job_send_arrived(struct job *job)
{
    if (!job->sends_ahead || job->written < job->send_at)
        return;
    if (comes_at_once(job))
        job->send_at = job->written + store_part_bytes(job->service->store);
    else
        submit_keeper(job);
}

bool job_send_ahead(struct job *job, struct diag *diag)
{
    const struct store *store = job->service->store;

    if (job->sends_ahead || job->keeping_since_s != 0)
        return true;
    if (!job_new_id(&job->result.record, diag))
        return false;
    if (store_is_remote(store))
        job->keeping_since_s = (int64_t)time(NULL);
    pthread_mutex_lock(&job->lock);
    job->send_at = store_part_bytes(store);
    job->sends_ahead = true;
    job_send_arrived(job);
    pthread_mutex_unlock(&job->lock);
    return true;
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
    if (job->keeping_since_s == 0)
        job->keeping_since_s = (int64_t)time(NULL);
    pthread_mutex_lock(&job->lock);
    job->keeping.fd = fd;
    job->bytes_are = JOB_BYTES_PUT;
    submit_keeper(job);
    pthread_mutex_unlock(&job->lock);
    return true;
}

static enum job_bytes await_keeper(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    while (job->keeper_runs)
        pthread_cond_wait(&job->arrived, &job->lock);
    enum job_bytes are = job->bytes_are;
    pthread_mutex_unlock(&job->lock);
    return are;
}

bool job_keep_bytes(struct job *job, const struct record *r)
{
    enum job_bytes are = await_keeper(job);

    if (are == JOB_BYTES_HERE && strcmp(r->id, job->result.record.id) != 0)
        store_drop_parts(job->service->store, &job->temp); /* a member's are put under its own id */
    if (are == JOB_BYTES_HERE)
        return put_bytes(job, &job->temp, r, &job->result.diag);
    if (are != JOB_BYTES_KEPT)
        job->result.diag = job->not_kept;
    return are == JOB_BYTES_KEPT;
}

/* The bytes that another record has, as those of this one, too. False: diag. */
static bool job_share_bytes(struct job *job, const char *from_id, const struct record *record,
                            struct diag *diag)
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

void job_send_no_more(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    job->sends_ahead = false;
    pthread_mutex_unlock(&job->lock);
    (void)await_keeper(job);
    store_drop_parts(job->service->store, &job->temp);
    store_drop_parts(job->service->store, &job->keeping);
}

void job_drop_bytes(struct job *job)
{
    job_send_no_more(job);
    if (job->bytes_are == JOB_BYTES_KEPT && !job->kept)
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
        LOG_STR("request", str_of(job->request)), LOG_STR("client", str_of(job->address)),
        LOG_STR("who", owner));
}

bool job_withdraw_record(const struct job *job, const struct record *r)
{
    struct diag diag = {0};
    uint64_t bytes = record_bytes_alone(job->service->store, r->id);
    enum store_result result = record_delete(job->service->store, r, r->created_s);

    if (result == STORE_WAITS) { /* it is on this machine alone */
        spaces_remove(job->service->spaces, r);
        result = record_discard(job->service->store, r->id);
    }
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

/* Whatever the upload used of the machine is the next one's before the client has taken its answer. */
void job_answer(struct job *job)
{
    timer_clear(job->service->timers, &job->answer_timer);
    pthread_mutex_lock(&job->lock);
    job->result.complete = true;
    exchange_resume(&job->waiting);
    pthread_mutex_unlock(&job->lock);
}

void job_answer_soon(struct job *job)
{
    timer_set(job->service->timers, &job->answer_timer, job->answer_by_ms);
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

/* ---- an archive ----
 *
 * An archive of which each member that is read here becomes a result, in place of what job.c does with one
 * file: its members are listed; those that cannot be looked into are read at once, to say why; the
 * archive's bytes are kept, once, and a record for each member that a format has recognised; then each of
 * them is read.
 *
 * So the upload is durable before its members are read, and can be answered then, as one of a single file
 * can before its views are made. A member whose profile is refused is withdrawn again, and told of in its
 * diag; unless its link was told before: then the link stays, and says what is wrong. A client that leaves
 * before its answer leaves nothing behind (job_unref). */

/* ---- its members are kept ---- */

/* None worked: why, of each as far as there is room. */
static void refuse_all(struct job *job, struct diag *diag)
{
    struct buf text = {0};

    if (job->n_members == 1) {
        *diag = job->members[0].diag;
        return;
    }
    for (size_t i = 0; i < job->n_members; i++)
        buf_printf(&text, " %s: %s.", job->members[i].record.member, job->members[i].diag.title);
    diag_set(diag, job->members[0].diag.kind, "no file of the archive can be used",
             "Upload one of them alone to hear more of it.", "None of its %zu files could be kept.%.*s",
             job->n_members, text.failed ? 0 : (int)text.n, text.n > 0 ? text.p : "");
    buf_free(&text);
}

static bool any_is_good(const struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++)
        if (job->members[i].diag.kind == DIAG_NONE)
            return true;
    return false;
}

static void publish(struct job *job, struct job_member *m)
{
    struct progress_facts facts = {.bytes = job->bytes, .queued = true};

    if (m->read)
        return;
    snprintf(facts.format, sizeof(facts.format), "%s", m->format_label);
    m->progress = progress_begin(job->service->progresses, &facts);
    progress_publish(m->progress, m->record.id);
}

/* Each record has the bytes of the archive as its own: the first one has the file, and the others share it. */
static bool keep_bytes(struct job *job)
{
    const char *first = NULL;

    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        if (m->diag.kind != DIAG_NONE)
            continue;
        if (first != NULL) {
            (void)job_share_bytes(job, first, &m->record, &m->diag);
            continue;
        }
        if (!job_keep_bytes(job, &m->record))
            return false;
        first = m->record.id;
    }
    return true;
}

static void keep_records(struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        struct record *r = &m->record;
        memcpy(r->token_sha256, job->result.record.token_sha256, sizeof(r->token_sha256));
        if (m->diag.kind != DIAG_NONE || !job_keep_record(job, r, &m->diag))
            continue;
        sweep_upload_expires(job->service->sweep, r->expires_s);
        job_log_kept(job, r);
        publish(job, m);
    }
}

/* False: result.diag, and nothing is kept. */
static bool keep_all(struct job *job, struct turn *turn)
{
    struct diag *diag = &job->result.diag;

    if (!any_is_good(job)) {
        refuse_all(job, diag);
        return false;
    }
    turn_give(turn); /* to keep it takes until the disk has it */
    if (!job_new_token(job, &job->result.record) || !keep_bytes(job))
        return false;
    keep_records(job);
    if (!any_is_good(job)) {
        refuse_all(job, diag);
        return false;
    }
    pthread_mutex_lock(&job->lock);
    job->kept = job->members_kept = true;
    pthread_mutex_unlock(&job->lock);
    job_answer_soon(job);
    return true;
}

/* ---- they are told of ---- */

void job_tell_members(struct job *job, struct job_result *result)
{
    size_t bytes = job->n_members * sizeof(*job->members);
    bool all_read = true;

    if (!any_is_good(job)) {
        refuse_all(job, &result->diag);
        return;
    }
    result->members = job->members;
    if (!result->complete) {
        result->members = job->members_told = malloc(bytes);
        if (job->members_told == NULL) {
            job->told = false; /* it will be withdrawn */
            diag_set(&result->diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                     "No memory for the files of the archive.");
            return;
        }
        memcpy(job->members_told, job->members, bytes);
    }
    result->n_members = job->n_members;
    for (size_t i = job->n_members; i-- > 0;) {
        const struct job_member *m = &result->members[i];
        all_read = all_read && (m->read || m->diag.kind != DIAG_NONE);
        if (m->diag.kind == DIAG_NONE)
            result->record = m->record;
    }
    result->complete = all_read;
}

/* ---- each is read ---- */

static void end_progress(struct job *job, struct job_member *m)
{
    pthread_mutex_lock(&job->lock);
    struct progress *progress = m->progress;
    m->progress = NULL;
    pthread_mutex_unlock(&job->lock);
    progress_end(progress);
}

/* What became of the reading: `profile` is NULL if it was refused, for the reason in `diag`. */
static void take_member(struct job *job, struct job_member *m, const struct shared_profile *profile,
                        const struct diag *diag)
{
    struct record *r = &m->record;

    if (profile != NULL && !job->members_kept) {
        const struct profile *p = shared_profile_get(profile);
        memcpy(r->format, p->format.p, p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1);
    }
    pthread_mutex_lock(&job->lock);
    m->read = true;
    bool withdrawn = profile == NULL && !job->told;
    if (withdrawn)
        m->diag = *diag;
    pthread_mutex_unlock(&job->lock);
    if (withdrawn && job->members_kept)
        (void)job_withdraw_record(job, r); /* else it stays until it expires: nobody knows its link */
    end_progress(job, m);
}

static void read_member(struct job *job, struct job_member *m, struct turn *turn)
{
    const int fd = job->members_kept ? -1 : job->temp.fd; /* the temporary file became the stored one */
    const struct profile_id id = profile_id_of(&m->record);
    struct profile_use use;
    struct diag diag = {0};

    const struct shared_profile *profile =
        profiles_get(job->service->profiles, &id, fd, false, turn, &use, &diag);
    take_member(job, m, profile, &diag);
    profiles_release(job->service->profiles, &use);
}

/* Whether to go on. What ends it before all are kept is told to the client. */
static bool goes_on(struct job *job)
{
    struct diag unheard = {0}, *diag = job->members_kept ? &unheard : &job->result.diag;

    return service_goes_on(job->service, diag) && job_is_wanted(job, diag);
}

/* Before they are kept, those that were not recognised; all others behind that. False: goes_on. */
static bool read_members(struct job *job, struct turn *turn)
{
    turn_take(turn);
    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        if (m->read || m->diag.kind != DIAG_NONE || (!job->members_kept && m->record.format[0] != '\0'))
            continue;
        if (!goes_on(job))
            return false;
        read_member(job, m, turn);
        turn_next(turn);
    }
    return goes_on(job);
}

static void list_members(struct job *job, struct turn *turn)
{
    turn_give(turn);
    for (size_t i = 0; i < job->n_members && stop_asked(&job->stop) == STOP_NONE; i++)
        if (job->members[i].diag.kind == DIAG_NONE)
            job_list(job, &job->members[i].record, turn);
}

/* All were read; or the service stops, or the client has left. If none can be used, and nobody was told
 * so, all records are withdrawn already. */
static void end_members(struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++)
        end_progress(job, &job->members[i]);
    bool none = job->members_kept && !any_is_good(job);
    pthread_mutex_lock(&job->lock);
    if (none) {
        refuse_all(job, &job->result.diag);
        job->kept = job->members_kept = false;
    }
    pthread_mutex_unlock(&job->lock);
    job_answer(job);
}

/* ---- they are listed ---- */

/* `report.zip/logs/app.trace` */
static bool name_record(struct record *r, const char *archive, const char *member)
{
    struct buf name = {0};

    buf_printf(&name, "%s%s%s", archive, archive[0] == '\0' ? "" : "/", member);
    bool ok = !name.failed && record_set_name(r, buf_view(&name));
    buf_free(&name);
    return ok;
}

static bool take_list(struct job *job, const struct archive_members *list)
{
    const struct record *whole = &job->result.record;
    bool ok = true;

    job->members = calloc(list->n, sizeof(*job->members));
    for (size_t i = 0; i < list->n && ok && job->members != NULL; i++) {
        struct record *r = &job->members[i].record;
        *r = *whole;
        ok = job_new_id(r, &job->result.diag);
        memcpy(r->member, list->list[i].choice, sizeof(r->member));
        if (list->list[i].format == NULL)
            continue;
        job->members[i].format_label = list->list[i].format->label;
        snprintf(r->format, sizeof(r->format), "%s", list->list[i].format->name);
        const struct archive_member *one = &list->list[i];
        ok = ok && name_record(r, whole->name, one->title[0] != '\0' ? one->title : one->name);
    }
    if (job->members == NULL || !ok)
        return job->result.diag.kind == DIAG_NONE &&
               diag_no_memory(&job->result.diag, "No memory for the files of the archive.");
    job->n_members = list->n;
    job->result.members_left_out = list->left_out;
    job->result.archive_cut = list->cut;
    return true;
}

bool job_take_members(struct job *job, struct turn *turn)
{
    const struct service *service = job->service;
    struct archive_members list;
    enum archive_found found =
        archive_members_list(service->config, job->temp.fd, &job->stop, &list, &job->result.diag);
    bool some = found == ARCHIVE_LISTED && list.n > 0 && take_list(job, &list);

    if (found == ARCHIVE_LISTED)
        archive_members_free(&list);
    if (!some)
        return false;
    if (read_members(job, turn) && keep_all(job, turn) && read_members(job, turn))
        list_members(job, turn);
    end_members(job);
    return true;
}

/* ---- the last reference ---- */

static void free_job(struct job *job)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        names_file_free(&job->names[i]);
    sha256_free(job->hash);
    buf_free(&job->gathered);
    local_temp_discard(store_local(job->service->store), &job->temp);
    shared_bytes_unref(job->result.summary);
    client_unref(job->client);
    for (size_t i = 0; i < JOB_VIEWS; i++)
        buf_free(&job->shared[i].text);
    free(job->previews);
    free(job->members);
    free(job->members_told);
    pthread_cond_destroy(&job->arrived);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

static void run_withdrawal(struct thread_job *thread)
{
    struct job *job = (struct job *)thread; /* its first member */

    /* What cannot be withdrawn is left until it expires. */
    if (job->n_members == 0)
        (void)job_withdraw_record(job, &job->result.record);
    for (size_t i = 0; i < job->n_members; i++)
        if (job->members[i].diag.kind == DIAG_NONE)
            (void)job_withdraw_record(job, &job->members[i].record);
    free_job(job);
}

/* The last one has the job to itself, without lock. An upload whose link was told to nobody is withdrawn. */
void job_unref(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->refs == 0;
    pthread_mutex_unlock(&job->lock);
    if (!last)
        return;
    if (!job->kept || job->told) {
        free_job(job);
        return;
    }
    job->thread = (struct thread_job){.run = run_withdrawal, .place = {TURN_HOUSE, .owner = job->client}};
    threads_submit(job->service->threads, THREADS_SHORT, &job->thread);
}
