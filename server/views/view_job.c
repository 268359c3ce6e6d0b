#include "server/views/view_job.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/file.h"
#include "server/convert/summary.h"
#include "server/http/clients.h"
#include "server/http/reply_memory.h"
#include "server/store/store_access.h"
#include "server/store/sweep.h"
#include "server/views/profiles.h"

/* Lives until its task has ended and nobody waits for its result. */
struct view_job {
    struct task task;
    struct task_queue own_queue; /* of what is made ahead: jobs take turns */
    struct task_queue *queue;    /* that, or its client's: clients take turns */
    struct client *client;       /* a reference; NULL: made ahead */

    /* Constant. */
    struct view_jobs *jobs;
    struct view_request request;
    enum encoding wanted;
    char key[VIEW_KEY_CHARS + 1];

    /* Under view_jobs.lock. */
    struct view_job *next; /* of those under way */
    unsigned refs;         /* the task's, until the view is made, and one of each who waits */
    struct view_wait *waiting;
    bool for_upload; /* some upload waits for it */

    /* The task's until the view is made, constant from then on. */
    struct profile_need need, other; /* `other`: what it is compared with */
    struct shared_bytes *plain;      /* what the coding is made of; NULL: see the store */
    struct shared_bytes *bytes;      /* the result; NULL: see diag */
    enum encoding encoding;          /* of the result */
    struct diag diag;
};

struct view_jobs {
    struct service *service;
    pthread_mutex_t lock;
    struct view_job *under_way;
};

struct view_jobs *view_jobs_new(struct service *service)
{
    struct view_jobs *j = calloc(1, sizeof(*j));

    if (j == NULL)
        return NULL;
    pthread_mutex_init(&j->lock, NULL);
    j->service = service;
    return j;
}

void view_jobs_free(struct view_jobs *j)
{
    if (j == NULL)
        return;
    pthread_mutex_destroy(&j->lock);
    free(j);
}

void view_jobs_lock(struct view_jobs *j)
{
    pthread_mutex_lock(&j->lock);
}

void view_jobs_unlock(struct view_jobs *j)
{
    pthread_mutex_unlock(&j->lock);
}

void view_result_free(struct view_result *result)
{
    if (result->fd >= 0)
        close(result->fd);
    shared_bytes_unref(result->bytes);
}

struct shared_bytes *view_read_object(int fd, uint64_t bytes)
{
    struct buf text = {0};
    bool ok =
        bytes < SIZE_MAX && buf_reserve(&text, (size_t)bytes + 1) && file_read_all(fd, (size_t)bytes, &text);

    text.failed = text.failed || !ok;
    return shared_bytes_new(&text);
}

/* ---- drawing ---- */

/* A chart reads the upload once more. */
static bool render_chart(struct service *s, const struct view_request *r, const struct shared_profile *f,
                         struct buf *out, struct diag *diag)
{
    uint64_t bytes;
    struct convert_source source = {f, s->config, -1, &s->stop};

    source.fd = store_access_blob(s->store, s->log, r->upload.sha256, &bytes, diag);
    if (source.fd < 0)
        return false;
    bool ok = convert_chart(&source, r->output, &r->options, out, diag);
    close(source.fd);
    return ok;
}

static bool make_report(struct service *s, const struct view_request *r, const struct shared_profile *f,
                        struct buf *out, struct diag *diag)
{
    struct report_input in = {{f, s->config, -1, &s->stop}, &r->options, &r->asked};
    uint64_t bytes;

    if (report_reads_again(r->report, &r->asked)) {
        in.source.fd = store_access_blob(s->store, s->log, r->upload.sha256, &bytes, diag);
        if (in.source.fd < 0)
            return false;
    }
    bool ok = r->report->make(r->report, &in, out, diag);
    if (in.source.fd >= 0)
        close(in.source.fd);
    return ok;
}

static bool render(struct service *s, const struct view_request *r, const struct shared_profile *f,
                   struct buf *out, struct diag *diag)
{
    if (r->report != NULL)
        return make_report(s, r, f, out, diag);
    if (r->output == NULL)
        return summary_write(f, out, diag);
    if (r->options.view == VIEW_CHART)
        return render_chart(s, r, f, out, diag);
    return convert_view(f, s->config, r->output, &r->options, out, diag);
}

/* Puts bytes into the store, if it takes them: if not, the view is made again next time.
 *
 * The upload may be deleted at any time, and this may then write a view behind the removal of its others. So the uploaded bytes
 * are looked for after the write: if they are gone, the sweep is told, and removes what it finds. They may also not be there
 * yet, where an upload is just being made durable: the sweep looks a moment later, finds them in use, and leaves them. */
static void keep(struct service *s, const struct view_request *r, const char *key, struct str bytes)
{
    char blob[RECORD_BLOB_KEY_CHARS + 1];

    if (view_compares(r) || !sweep_take_view_room(s->sweep, bytes.n))
        return;
    /* Room was taken before: views that are written side by side must not pass the limit together. */
    enum store_result result = store_put(s->store, key, bytes, STORE_EVICTABLE);
    sweep_view_put(s->sweep, bytes.n, result == STORE_OK);
    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(s->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(strerror(errno))));
    record_blob_key(r->upload.sha256, blob);
    if (result == STORE_OK && store_exists(s->store, blob) == STORE_NOT_FOUND)
        sweep_content_ended(s->sweep, r->upload.sha256);
}

/* The view without coding, kept in the store. NULL: job->diag. */
static struct shared_bytes *draw(struct view_job *job, const struct shared_profile *profile)
{
    struct service *s = job->jobs->service;
    int64_t begun_ms = clock_ms();
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (!render(s, &job->request, profile, &out, &job->diag)) {
        buf_free(&out);
        return NULL;
    }
    if (view_key(s, &job->request, ENCODING_IDENTITY, key))
        keep(s, &job->request, key, buf_view(&out));
    LOG(s->log, LOG_DEBUG, "drawn", LOG_STR("key", str_of(key)), LOG_U64("bytes", out.n),
        LOG_U64("ms", (uint64_t)(clock_ms() - begun_ms)));
    struct shared_bytes *bytes = shared_bytes_new(&out);
    if (bytes == NULL)
        diag_no_memory(&job->diag, "No memory for the view.");
    return bytes;
}

/* ---- the task ---- */

/* Under the lock, as is release(). */
static void leave_list(struct view_jobs *j, const struct view_job *job)
{
    struct view_job **at = &j->under_way;

    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
}

static void release(struct view_job *job)
{
    if (--job->refs > 0)
        return;
    shared_bytes_unref(job->plain);
    shared_bytes_unref(job->bytes);
    client_unref(job->client);
    free(job);
}

/* Takes the view without coding, or NULL where job->diag is set. One that cannot be coded is good as it is. */
static void finish(struct view_job *job, struct shared_bytes *plain)
{
    struct view_jobs *j = job->jobs;
    struct buf out = {0};

    job->bytes = plain;
    job->encoding = ENCODING_IDENTITY;
    if (plain != NULL && job->wanted != ENCODING_IDENTITY) {
        if (encoding_apply(job->wanted, ENCODING_KEPT, shared_bytes_view(plain), &out))
            keep(j->service, &job->request, job->key, buf_view(&out));
        struct shared_bytes *coded = shared_bytes_new(&out);
        if (coded != NULL) {
            shared_bytes_unref(plain);
            job->bytes = coded;
            job->encoding = job->wanted;
        }
    }
    pthread_mutex_lock(&j->lock);
    leave_list(j, job);
    /* All of them are there still: leaving takes the lock. */
    for (struct view_wait *w = job->waiting, *next; w != NULL; w = next) {
        next = w->next;
        w->ready(w);
    }
    release(job);
    pthread_mutex_unlock(&j->lock);
}

/* Of the profiles, under their lock: they are never asked for anything under the lock of the jobs. */
static bool wanted(const struct profile_need *need)
{
    struct view_job *job = (struct view_job *)((char *)(uintptr_t)need - offsetof(struct view_job, need));

    pthread_mutex_lock(&job->jobs->lock);
    bool any = job->waiting != NULL;
    pthread_mutex_unlock(&job->jobs->lock);
    return any;
}

/* True: all who waited have left. The job is gone then, before anybody else can join it. */
static bool drop_unwanted(struct view_job *job)
{
    struct view_jobs *j = job->jobs;

    pthread_mutex_lock(&j->lock);
    bool drop = job->waiting == NULL;
    if (drop) {
        leave_list(j, job);
        release(job);
    }
    pthread_mutex_unlock(&j->lock);
    return drop;
}

/* Of the other profile's need: the job is the same. */
static bool other_wanted(const struct profile_need *need)
{
    struct view_job *job = (struct view_job *)((char *)(uintptr_t)need - offsetof(struct view_job, other));

    return wanted(&job->need);
}

static void release_profiles(struct view_job *job)
{
    profiles_release(job->jobs->service->profiles, &job->need);
    profiles_release(job->jobs->service->profiles, &job->other);
}

/* The comparison is made for this view, and freed with it: making one takes a tenth of a fold. */
static struct shared_bytes *draw_comparison(struct view_job *job)
{
    const struct shared_profile *runs[] = {job->need.profile, job->other.profile};
    const struct view_options asked = job->request.options;
    struct view_options of_b = asked;

    diff_view_of_b(&job->request.asked.diff, &of_b);
    struct convert_runs both = {runs, 1, 1, asked.open, view_moment(&asked), view_moment(&of_b)};
    struct shared_profile *compared = convert_compare(job->jobs->service->config, &both, &job->diag);
    struct shared_bytes *bytes = NULL;

    if (compared == NULL)
        return NULL;
    convert_compared_options(&job->request.options);
    job->request.asked.diff.asked = &asked;
    bytes = draw(job, compared);
    job->request.asked.diff.asked = NULL;
    job->request.options = asked;
    shared_profile_free(compared);
    return bytes;
}

static void run(struct task *task);

/* The profile is there, or cannot be had. A fold that nobody wanted any more was not ended; who joined the job since has it
 * begun anew. */
static void run_with_profile(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */
    struct shared_bytes *plain = NULL;

    if (job->need.dropped || job->other.dropped || !wanted(&job->need)) {
        release_profiles(job);
        job->need.dropped = job->other.dropped = false; /* the other one may not be asked for again */
        job->diag = (struct diag){0};
        job->task.run = run;
        run(task);
        return;
    }
    if (job->diag.kind == DIAG_NONE && service_goes_on(job->jobs->service, &job->diag))
        plain = view_compares(&job->request) ? draw_comparison(job) : draw(job, job->need.profile);
    /* Before the coding, which needs only the bytes. */
    release_profiles(job);
    finish(job, plain);
}

/* The view without coding, from who asked, or from the store: a job for it may have ended right before this one was
 * started. NULL: it has to be drawn. */
static struct shared_bytes *take_plain(struct view_job *job)
{
    struct service *s = job->jobs->service;
    struct shared_bytes *plain = job->plain;
    char key[VIEW_KEY_CHARS + 1];
    uint64_t bytes;
    int fd;

    job->plain = NULL;
    if (plain == NULL && view_key(s, &job->request, ENCODING_IDENTITY, key) &&
        store_get(s->store, key, &fd, &bytes) == STORE_OK) {
        plain = view_read_object(fd, bytes);
        close(fd);
    }
    return plain;
}

static bool may_draw(struct view_job *job)
{
    pthread_mutex_lock(&job->jobs->lock);
    bool for_upload = job->for_upload;
    pthread_mutex_unlock(&job->jobs->lock);
    return (for_upload || reply_memory_left(job->jobs->service->config, 0, &job->diag)) &&
           service_goes_on(job->jobs->service, &job->diag);
}

/* True: the profile is there, or cannot be had. False: `then` is run when that is so. */
static bool get_profile(struct view_job *job, struct profile_need *need,
                        bool (*is_wanted)(const struct profile_need *need), void (*then)(struct task *task))
{
    const struct profile_id id =
        need == &job->other ? view_other_profile(&job->request) : view_profile(&job->request);

    job->task.run = then; /* before the task may be submitted again */
    need->task = &job->task;
    need->queue = job->queue;
    need->diag = &job->diag;
    need->wanted = is_wanted;
    return profiles_get(job->jobs->service->profiles, &id, -1, need);
}

/* Of two profiles the first one is there. It is used while the other one is folded, but waits for no fold: its slot is free. */
static void run_with_one(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */

    profiles_give_slot(job->jobs->service->profiles, &job->need);
    if (job->need.profile == NULL || get_profile(job, &job->other, other_wanted, run_with_profile)) {
        job->task.run = run_with_profile;
        run_with_profile(task);
    }
}

static void run(struct task *task)
{
    struct view_job *job = (struct view_job *)task; /* its first member */

    if (drop_unwanted(job))
        return;
    struct shared_bytes *plain = take_plain(job);

    if (plain != NULL || !may_draw(job)) {
        finish(job, plain);
        return;
    }
    if (get_profile(job, &job->need, wanted, view_compares(&job->request) ? run_with_one : run_with_profile))
        job->task.run(task);
}

/* ---- waiting ---- */

/* A chart, and some reports, read the whole upload once more: that is no short work. Of what an upload has made ahead the previews
 * are not waited for. */
static enum task_class class_of(const struct view_request *r, bool is_upload)
{
    if ((r->output != NULL && r->options.view == VIEW_CHART) ||
        (r->report != NULL && report_reads_again(r->report, &r->asked)))
        return TASK_INPUT;
    return is_upload && r->output == &OUTPUT_THUMB ? TASK_AHEAD : TASK_ANSWER;
}

static struct view_job *start(struct view_jobs *j, const struct view_request *r, enum encoding e,
                              const char *key, bool is_upload, struct client *client)
{
    struct view_job *job = calloc(1, sizeof(*job));

    if (job == NULL)
        return NULL;
    job->task.run = run;
    job->own_queue.task_class = class_of(r, is_upload);
    job->queue = &job->own_queue;
    if (client != NULL) {
        job->client = client_again(client);
        job->queue = client_queue(client, job->own_queue.task_class == TASK_INPUT);
    }
    job->jobs = j;
    job->request = *r;
    job->wanted = e;
    memcpy(job->key, key, sizeof(job->key));
    job->refs = 1; /* the task's */
    job->next = j->under_way;
    j->under_way = job;
    return job;
}

/* The task is submitted last: from then on it works, and nothing of the job is the starter's but what the lock guards. */
bool view_jobs_join(struct view_jobs *j, const struct view_request *r, enum encoding e, const char *key,
                    struct shared_bytes *plain, struct view_wait *w)
{
    struct view_job *job = j->under_way;

    while (job != NULL && strcmp(job->key, key) != 0)
        job = job->next;
    bool starts = job == NULL;
    if (starts)
        job = start(j, r, e, key, w->is_upload, w->client);
    if (job == NULL || !starts)
        shared_bytes_unref(plain);
    else
        job->plain = plain;
    if (job == NULL)
        return false;
    job->refs++;
    job->for_upload = job->for_upload || w->is_upload;
    w->job = job;
    w->next = job->waiting;
    job->waiting = w;
    if (starts)
        pool_submit(j->service->pool, job->queue, &job->task);
    else if (!w->is_upload)
        task_queue_class(j->service->pool, &job->own_queue, class_of(r, false));
    return true;
}

void view_jobs_leave(struct view_jobs *j, struct view_wait *w, struct view_result *result)
{
    pthread_mutex_lock(&j->lock);
    struct view_job *job = w->job;
    if (job != NULL && result != NULL) {
        *result = (struct view_result){.fd = -1, .encoding = job->encoding, .diag = job->diag};
        result->bytes = job->bytes == NULL ? NULL : shared_bytes_ref(job->bytes);
    }
    if (job != NULL) {
        struct view_wait **at = &job->waiting;
        while (*at != w)
            at = &(*at)->next;
        *at = w->next;
        release(job);
    }
    w->job = NULL;
    pthread_mutex_unlock(&j->lock);
}
