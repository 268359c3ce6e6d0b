/* The story of one upload, in the order in which it happens:
 *
 *     the producer    job_new, job_push .., job_end: writes the spool, and hashes
 *     run             the job: reads the upload, while it arrives if there is a thread for it, and puts its bytes into
 *                     the store when it has arrived; then finishes it: digest, names, profile; keeps it (bytes,
 *                     record); answers
 *     job_views.c     jobs of their own, beside that and behind it: the views that its page shows first
 *     job_unref       the end: an upload that was kept, but of which nobody was told, is withdrawn (job_keep.c)
 *
 * The answer goes out once the upload is read and durable. It waits for views only where the client asks for that, or
 * has the summary as a part of its answer. A page that sends an upload shows its threads over time next, for which the
 * log of its calls is written with the reading. */
#include "server/upload/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "parser/unpack/unpack.h"
#include "render/output.h"
#include "server/figures/figures.h"
#include "server/http/clients.h"
#include "server/store/store.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/progress.h"
#include "server/upload/upload_share.h"
#include "server/views/profiles.h"
#include "server/views/views.h"

enum {
    GATHER_BYTES = 64 << 10, /* are written at once: the system takes whole blocks with half the work */
    BEGIN_BYTES = 256 << 10, /* An upload that is larger is read while it arrives. */
    SMALL_BYTES = 4 << 20,   /* An upload that is larger is no short work any more. */
    LITTLE_BYTES = 512 << 10 /* A profile that is no larger needs no part of what open_jobs share. */
};

struct jobs *jobs_new(struct service *service)
{
    struct jobs *j = calloc(1, sizeof(*j));

    if (j != NULL)
        j->service = service;
    return j;
}

void jobs_free(struct jobs *j)
{
    free(j);
}

/* ---- life ---- */

static void run(struct thread_job *thread);
static void answer_due(struct timer *timer);

static void end_waiting(struct job *job)
{
    if (job->waits)
        atomic_fetch_sub(&job->service->jobs->waiting, 1);
    job->waits = false;
}

static bool open_spool(struct job *job, struct diag *diag)
{
    job->hash = sha256_new();
    if (job->hash == NULL)
        return diag_no_memory(diag, "No memory for one more upload.");
    enum store_result result = local_temp_open(store_local(job->service->store), &job->temp);
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "stored", diag);
    return result == STORE_OK;
}

struct job *job_new(const struct exchange *x, struct diag *diag)
{
    struct job *job = calloc(1, sizeof(*job));

    if (job == NULL) {
        diag_no_memory(diag, "No memory for one more upload.");
        return NULL;
    }
    job->service = x->service;
    job->client = client_again(x->client);
    job->stop.above = &x->service->stop;
    job->refs = 1; /* the producer's */
    job->started_ms = clock_ms();
    job->behind = upload_share_of(x, job->share);
    job->by_page = x->header(x, "Origin").n > 0;
    job->answer_timer.due = answer_due;
    pthread_mutex_init(&job->lock, NULL);
    clock_condition_init(&job->arrived);
    if (open_spool(job, diag))
        return job;
    job_unref(job);
    return NULL;
}

/* Under the lock each wait is resumed: from then on nobody resumes a request that has ended. */
void job_release(struct job *job)
{
    if (job == NULL)
        return;
    end_waiting(job);
    pthread_mutex_lock(&job->lock);
    job->stalled.exchange = NULL;
    job->waiting.exchange = NULL;
    if (!job->told)
        stop_ask(&job->stop, STOP_LEFT);
    pthread_cond_signal(&job->arrived);
    pthread_mutex_unlock(&job->lock);
    job_unref(job);
}

/* ---- refusing ---- */

static bool is_refused(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool refused = job->refused;
    pthread_mutex_unlock(&job->lock);
    return refused;
}

/* The first refusal counts. */
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

static void refuse_store(struct job *job, enum store_result result)
{
    struct diag diag = {0};

    store_access_failed(job->service->log, result, "stored", &diag);
    refuse(job, &diag);
}

/* ---- the producer ---- */

/* So many more bytes may be read. */
static void tell_written(struct job *job, size_t n)
{
    pthread_mutex_lock(&job->lock);
    job->written += n;
    if (job->written >= job->awaited)
        pthread_cond_signal(&job->arrived);
    job_send_arrived(job);
    pthread_mutex_unlock(&job->lock);
}

static bool submits(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool submit = !job->submitted;
    job->refs += submit;
    job->submitted = true;
    pthread_mutex_unlock(&job->lock);
    enum turn_class turn_class = job->behind                 ? TURN_AHEAD
                                 : job->bytes <= SMALL_BYTES ? TURN_SMALL
                                                             : TURN_INPUT;
    if (submit)
        job->thread =
            (struct thread_job){.run = run, .place = {.turn_class = turn_class, .owner = job->client}};
    return submit;
}

/* Half of the threads are for uploads that have arrived: one that arrives slowly holds its thread as long
 * as its client likes. */
static void try_to_begin(struct job *job)
{
    unsigned reserve = (unsigned)(job->service->config->open_jobs + 1) / 2;

    job->was_tried = true;
    if (!submits(job) || threads_try(job->service->threads, THREADS_UPLOADS, &job->thread, reserve))
        return;
    pthread_mutex_lock(&job->lock);
    job->refs--;
    job->submitted = false;
    pthread_mutex_unlock(&job->lock);
}

static enum store_result write_gathered(struct job *job)
{
    enum store_result result = local_temp_write(&job->temp, job->gathered.p, job->gathered.n);

    if (result != STORE_OK)
        return result;
    tell_written(job, job->gathered.n);
    buf_clear(&job->gathered);
    return STORE_OK;
}

/* Writes what found no room. A full disk is swept, a few times since others may take the room that was
 * made. On a thread that may block. */
static void write_rest(struct job *job)
{
    enum store_result result = STORE_FULL;

    for (unsigned i = 0; i < SWEEP_ROOM_TRIES && result == STORE_FULL && sweep_make_room(job->service->sweep);
         i++)
        result = write_gathered(job);
    if (result != STORE_OK)
        refuse_store(job, result);
    job->lacks_room = false;
}

static void run_room(struct thread_job *room)
{
    struct job *job = (struct job *)((char *)room - offsetof(struct job, room));

    write_rest(job);
    pthread_mutex_lock(&job->lock);
    exchange_resume(&job->stalled);
    pthread_mutex_unlock(&job->lock);
    job_unref(job);
}

static void submit_room(struct job *job, void (*run_it)(struct thread_job *room))
{
    job->room = (struct thread_job){.run = run_it, .place = {TURN_SMALL, .owner = job->client}};
    threads_submit(job->service->threads, THREADS_SHORT, &job->room);
}

bool job_ready(struct job *job, struct exchange *x)
{
    if (!job->lacks_room)
        return true;
    pthread_mutex_lock(&job->lock);
    job->refs++;
    exchange_wait(x, &job->stalled);
    pthread_mutex_unlock(&job->lock);
    submit_room(job, run_room);
    return false;
}

static void keep_head(struct job *job, const char *p, size_t n)
{
    size_t room = sizeof(job->head) - job->head_bytes, part = n < room ? n : room;

    memcpy(job->head + job->head_bytes, p, part);
    job->head_bytes += part;
}

/* On a full disk the bytes stay where they are: job_ready() has them written before the next piece is taken. */
static void flush(struct job *job)
{
    enum store_result result = job->gathered.n == 0 ? STORE_OK : write_gathered(job);

    job->lacks_room = result == STORE_FULL;
    if (result != STORE_OK && result != STORE_FULL)
        refuse_store(job, result);
}

static void spool(struct job *job, const char *p, size_t n)
{
    for (size_t part; n > 0 && !is_refused(job); p += part, n -= part) {
        part = job->lacks_room || n < GATHER_BYTES - job->gathered.n ? n : GATHER_BYTES - job->gathered.n;
        buf_bytes(&job->gathered, p, part);
        if (job->gathered.n >= GATHER_BYTES && !job->lacks_room)
            flush(job);
    }
    if (job->gathered.failed)
        refuse_memory(job, "No memory to take more of the upload.");
}

bool job_push(struct job *job, const void *p, size_t n)
{
    job->bytes += n;
    if (is_refused(job))
        return false;
    keep_head(job, p, n);
    sha256_add(job->hash, (struct str){p, n});
    spool(job, p, n);
    /* The members of an archive are listed when all of it is there. */
    if (!job->was_tried && job->bytes >= BEGIN_BYTES && !job->every_member)
        try_to_begin(job);
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
    job->read_again = job->read_again || job->bytes > 0;
}

bool job_wants_every_member(const struct job *job)
{
    return job->every_member;
}

bool job_is_about_member(const struct job *job)
{
    return job->every_member || job->result.record.member[0] != '\0';
}

void job_names(struct job *job, struct names_file *file)
{
    job->names[file->which] = *file;
    job->read_again = job->read_again || file->which == RECORD_SYMBOLS; /* its addresses were not kept */
    *file = (struct names_file){.local = NULL};
}

void job_await_choice(struct job *job)
{
    job->member_may_follow = true;
}

struct str job_head(const struct job *job)
{
    return (struct str){job->head, job->head_bytes};
}

/* From here on the upload is the job's. */
static void end_arrival(struct job *job)
{
    buf_free(&job->gathered);
    pthread_mutex_lock(&job->lock);
    job->ended = true;
    pthread_cond_signal(&job->arrived);
    pthread_mutex_unlock(&job->lock);
    if (submits(job))
        threads_submit(job->service->threads, THREADS_UPLOADS, &job->thread);
    job_unref(job);
}

static void run_last_room(struct thread_job *room)
{
    struct job *job = (struct job *)((char *)room - offsetof(struct job, room));

    write_rest(job);
    end_arrival(job);
}

bool job_wait_for_others(struct job *job, struct diag *diag)
{
    uint64_t most = job->service->config->max_connections + JOB_FILES_MAX;

    job->waits = true;
    if (atomic_fetch_add(&job->service->jobs->waiting, 1) >= most)
        return diag_set(
            diag, DIAG_BUSY, "too many files wait", "Send the files one by one, or try again.",
            "So many files of forms that have not ended are here that there is no room for more.");
    if (!is_refused(job) && !job->lacks_room)
        flush(job);
    if (!job->lacks_room)
        buf_free(&job->gathered);
    return true;
}

_Static_assert(sizeof(((struct record *)NULL)->owner) == sizeof(((struct who *)NULL)->name),
               "who uploads fits the record");

void job_end(struct job *job, struct exchange *x, const struct job_asked *asked,
             const struct job_patience *patience)
{
    struct record *r = &job->result.record;

    if (!record_set_name(r, asked->name))
        refuse_memory(job, "No memory for the upload's name.");
    r->created_s = asked->created_s;
    r->expires_s = asked->expires_s;
    r->team = asked->team;
    memcpy(r->space, asked->space.p, asked->space.n);
    if (asked->labels != NULL)
        r->labels = *asked->labels;
    memcpy(r->owner, x->who.name, sizeof(r->owner));
    memcpy(job->result.delete_token, asked->token, strlen(asked->token) + 1);
    r->size = job->bytes;
    memcpy(job->request, x->id, sizeof(job->request));
    memcpy(job->address, x->address, sizeof(job->address));
    job->n_awaited = patience->views;
    job->answer_by_ms = clock_ms() + (int64_t)patience->ms;
    /* The wait begins before the end of the arrival, from which on the answer may come at any moment. */
    pthread_mutex_lock(&job->lock);
    job->refs++; /* of end_arrival */
    exchange_wait(x, &job->waiting);
    pthread_mutex_unlock(&job->lock);
    if (!is_refused(job) && !job->lacks_room) {
        flush(job);
        local_temp_is_whole(&job->temp);
    }
    if (job->lacks_room)
        submit_room(job, run_last_room);
    else
        end_arrival(job);
}

void job_result(struct job *job, struct job_result *result)
{
    pthread_mutex_lock(&job->lock);
    *result = job->result;
    if (result->summary != NULL)
        shared_bytes_ref(result->summary);
    if (job->members_kept && result->diag.kind == DIAG_NONE)
        job_tell_members(job, result);
    pthread_mutex_unlock(&job->lock);
}

void job_told(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    job->told = true;
    pthread_mutex_unlock(&job->lock);
}

/* ---- the job: reading ---- */

/* The spool, which may still grow. */
struct arrival {
    struct job *job;
    struct turn *turn;
    struct conversion *conversion;
    struct diag diag; /* why the bytes or the names cannot be had */
};

/* Waits until so many bytes may be read, or the upload has ended. False: it was given up, or cannot be kept. */
static bool await(struct job *job, struct turn *turn, uint64_t bytes)
{
    pthread_mutex_lock(&job->lock);
    job->awaited = bytes;
    while (job->written < bytes && !job->ended && !job->refused && stop_asked(&job->stop) == STOP_NONE)
        turn_wait(turn, &job->arrived, &job->lock);
    bool goes_on = !job->refused && stop_asked(&job->stop) == STOP_NONE;
    pthread_mutex_unlock(&job->lock);
    turn_take(turn);
    return goes_on;
}

static uint64_t written(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    uint64_t bytes = job->written;
    pthread_mutex_unlock(&job->lock);
    return bytes;
}

static bool has_ended(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool ended = job->ended;
    pthread_mutex_unlock(&job->lock);
    return ended;
}

static ptrdiff_t read_arrival(void *context, uint64_t at, void *to, size_t n)
{
    struct arrival *a = context;
    struct job *job = a->job;

    turn_next(a->turn);
    if (at > SMALL_BYTES && !job->behind)
        turn_set_class(a->turn, TURN_INPUT);
    if (!await(job, a->turn, at + n)) {
        stop_say(&job->stop, &a->diag);
        return -1;
    }
    /* By then the format has recognised its file: what is none is refused by its first bytes. */
    if (at >= BEGIN_BYTES &&
        !(has_ended(job) ? job_begin_keeping(job, &a->diag) : job_send_ahead(job, &a->diag)))
        return -1;
    uint64_t there = written(job);
    if (at >= there)
        return 0;
    size_t most = there - at < n ? (size_t)(there - at) : n;
    ssize_t got = TEMP_FAILURE_RETRY(pread(job->temp.fd, to, most, (off_t)at));
    if (got < 0)
        store_access_failed(job->service->log, STORE_FAILED, "read", &a->diag);
    return got;
}

static bool arrival_size(void *context, uint64_t *bytes)
{
    struct arrival *a = context;

    if (!job_send_ahead(a->job, &a->diag)) /* it is an archive, or whatever is read behind its end */
        return false;
    if (!await(a->job, a->turn, UINT64_MAX)) {
        stop_say(&a->job->stop, &a->diag);
        return false;
    }
    *bytes = written(a->job);
    return true;
}

/* All bytes were read. What the form says behind them is known at its end: a mapping is in time, all else
 * means another reading. */
static const char *arrival_member(void *context)
{
    struct arrival *a = context;
    struct job *job = a->job;

    if (!await(job, a->turn, UINT64_MAX) || job->read_again)
        return NULL;
    turn_give(a->turn); /* to keep them takes until the disk has them */
    bool kept = job_keep_names(job, &a->diag);
    turn_take(a->turn);
    if (kept && stored_names_use(job->service, &job->result.record.names, a->conversion, &a->diag))
        a->diag = (struct diag){0};
    return NULL;
}

/* So large may a log of calls be that nobody has asked for yet: one that leaves room for others in memory. */
static size_t log_bytes_most(const struct config *config)
{
    enum { PART = 4 };

    return (size_t)(config->profile_cache_bytes / PART);
}

/* What shows a profile over time needs the log of its calls at once: to write it now costs less than to read the upload
 * again. NULL: diag. */
static struct shared_profile *read_while_it_arrives(struct job *job, struct turn *turn, struct diag *diag)
{
    struct arrival a = {.job = job, .turn = turn, .conversion = conversion_new(job->service->config)};
    const struct source_input in = {
        .read_at = read_arrival, .size = arrival_size, .member = arrival_member, .context = &a};

    if (a.conversion == NULL) {
        diag_no_memory(diag, "No memory for one more upload.");
        return NULL;
    }
    conversion_choose(a.conversion, job->result.record.member);
    conversion_stop(a.conversion, &job->stop);
    if (job->by_page)
        conversion_may_keep_log(a.conversion, log_bytes_most(job->service->config));
    int64_t begun_us = clock_thread_us();
    struct shared_profile *made = conversion_read(a.conversion, &in, diag);
    if (made != NULL)
        figures_reading(job->service->figures, shared_profile_get(made)->format,
                        (uint64_t)(clock_thread_us() - begun_us));
    if (a.diag.kind == DIAG_NONE)
        return made;
    shared_profile_free(made);
    *diag = a.diag;
    return NULL;
}

/* Of an archive the form may still name another member than the one that was read: then this refusal does
 * not count. */
static void refuse_input(struct job *job, const struct diag *diag)
{
    if (job->member_may_follow)
        job->withheld = *diag;
    else
        refuse(job, diag);
}

/* What is refused needs no thread while the rest of it is passed over. True: job_end will submit the job again. */
static bool leaves_early(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool leaves = !job->ended;
    job->submitted = !leaves;
    pthread_mutex_unlock(&job->lock);
    return leaves;
}

static void finish(struct job *job, struct turn *turn, struct shared_profile *made);

/* An upload that was there at once is read when its digest is known: the profile may be there. */
static void run(struct thread_job *thread)
{
    struct job *job = (struct job *)thread; /* its first member */
    struct shared_profile *made = NULL;
    struct work_limit work;
    struct diag diag = {0};
    struct turn turn;

    turn_init(&turn, job->service->turns, thread->place.turn_class, job->client, &job->stop);
    work_limit_begin(job->service->work, &work, &job->stop, &job->written);
    turn_take(&turn);
    if (!has_ended(job)) {
        made = read_while_it_arrives(job, &turn, &diag);
        if (made == NULL)
            refuse_input(job, &diag);
        if (made == NULL && !has_ended(job)) { /* once it has ended, its answer is first */
            turn_give(&turn);
            job_send_no_more(job);
        }
    }
    if (made != NULL || !leaves_early(job))
        finish(job, &turn, made);
    turn_end(&turn);
    upload_share_pay_work(job->service, job->share, work_limit_end(job->service->work, &work));
    job_drop_bytes(job);
    job_unref(job);
}

/* ---- the job: answering ---- */

/* The client has waited for answer_within_ms, and the upload is durable. */
static void answer_due(struct timer *timer)
{
    struct job *job = (struct job *)((char *)timer - offsetof(struct job, answer_timer));

    pthread_mutex_lock(&job->lock);
    exchange_resume(&job->waiting);
    pthread_mutex_unlock(&job->lock);
}

/* ---- the job: making it durable ---- */

/* First the bytes, then the record (record.h says why nothing is lost in between). From then on the upload is there,
 * whatever becomes of this job. */
static bool keep(struct job *job)
{
    struct record *r = &job->result.record;

    if (!job_new_token(job, r) || !job_keep_bytes(job, r) || !job_keep_record(job, r, &job->result.diag))
        return false;
    sweep_upload_expires(job->service->sweep, r->expires_s);
    return true;
}

static void keep_and_tell(struct job *job)
{
    if (!job_is_wanted(job, &job->result.diag) || !service_goes_on(job->service, &job->result.diag) ||
        !keep(job))
        return;
    job_log_kept(job, &job->result.record);
    pthread_mutex_lock(&job->lock);
    job->kept = true;
    pthread_mutex_unlock(&job->lock);
    progress_publish(job->progress, job->result.record.id);
    if (job->n_awaited > 0) /* else nothing is waited for any more: job_answer */
        job_answer_soon(job);
}

/* ---- the job: the end ---- */

/* Keeps the upload beside its first views, and answers. */
static void take_profile(struct job *job, struct turn *turn, struct profile_use *use)
{
    const struct profile *p = shared_profile_get(use->profile);
    struct record *r = &job->result.record;

    memcpy(r->format, p->format.p, p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1);
    r->warnings = p->n_warnings;
    job_begin_views(job, p);
    turn_give(turn); /* to keep it takes until the disk has it */
    /* Others may be read meanwhile: many small ones are kept side by side. */
    if (shared_profile_bytes(use->profile) <= LITTLE_BYTES)
        threads_change_kind(job->service->threads, THREADS_KEEPERS,
                            (unsigned)job->service->config->open_jobs);
    keep_and_tell(job);
    job_await_views(job, turn);
    turn_give(turn);
    profiles_release(job->service->profiles, use);
    /* Who asks how far the upload is, once it is answered, may hear that it is done. */
    bool goes_on = job_end_part(job);
    job_answer(job);
    if (goes_on)
        job_go_on_to_previews(job);
    if (job->kept)
        job_list(job, r, turn);
}

/* What was read while it arrived is complete now. Anything else is read from the spool: by this upload, or
 * by somebody who needs the same profile. False: result.diag. */
static bool get_profile(struct job *job, struct turn *turn, struct shared_profile *made,
                        struct profile_use *use)
{
    struct profiles *profiles = job->service->profiles;
    const struct profile_id id = profile_id_of(&job->result.record);
    struct diag *diag = &job->result.diag;

    if (made != NULL && !job->read_again)
        return profiles_put(profiles, &id, made, use, diag) != NULL;
    shared_profile_free(made);
    return profiles_get(profiles, &id, job->temp.fd, false, turn, use, diag) != NULL;
}

static bool is_good(struct job *job, struct turn *turn)
{
    struct diag *diag = &job->result.diag;

    if (job->withheld.kind != DIAG_NONE && !job->read_again && !job->every_member)
        refuse(job, &job->withheld);
    if (is_refused(job)) {
        *diag = job->refusal;
        return false;
    }
    turn_give(turn);
    bool good = job_is_wanted(job, diag) && job_identify(job, diag) && job_keep_names(job, diag);
    turn_take(turn);
    return good;
}

/* All of the upload is there. Takes `made`, its profile if it was read while it arrived. */
static void finish(struct job *job, struct turn *turn, struct shared_profile *made)
{
    struct profile_use use = {0};
    bool good = is_good(job, turn);

    if (good && job->every_member && job_take_members(job, turn)) {
        shared_profile_free(made);
        return;
    }
    if (!good || job->result.diag.kind != DIAG_NONE)
        shared_profile_free(made);
    else if (get_profile(job, turn, made, &use)) {
        take_profile(job, turn, &use);
        return;
    }
    identify_refused(&job->result.diag, job->head, job->head_bytes);
    job_answer(job);
}
