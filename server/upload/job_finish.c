/* Behind the last byte: the profile, then keeping it and rendering it side by side, then the answer. */
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/system/clock.h"
#include "server/convert/profile_cache.h"
#include "server/convert/summary.h"
#include "server/store/store_access.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/views/views.h"

/* The work behind the profile, shared out among runners: making the upload durable, the summary, then a view
 * for each track. */
enum { ITEM_KEEP, ITEM_SUMMARY, ITEMS_BEFORE_TRACKS };

/* Resumes who waits for the answer; under the lock. */
static void wake(struct job *job)
{
    if (job->waiting != NULL)
        job->waiting->resume(job->waiting);
    job->waiting = NULL;
}

static void complete(struct job *job)
{
    /* Before the client has taken its answer: the memory is the next job's, with the place. */
    folded_unref(job->folded);
    job->folded = NULL;
    job_leave_place(job);
    progress_end(job->progress);
    pthread_mutex_lock(&job->lock);
    job->result.complete = true;
    wake(job);
    pthread_mutex_unlock(&job->lock);
    job_unref(job);
}

/* A durable upload whose client would rather not wait, or has waited long enough, is answered now. */
static void answer_in_time(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    if (job->kept && (job->answer_early || clock_ms() >= job->answer_by_ms))
        wake(job);
    pthread_mutex_unlock(&job->lock);
}

static bool make_profile(struct job *job)
{
    struct diag *diag = &job->result.diag;

    if (job->chosen_late) {
        fold_abandon(job->fold);
        job->fold = NULL;
    }
    if (job->refused) {
        *diag = job->refusal;
    } else if (job->fold != NULL) {
        job->folded = fold_finish_file(job->fold, job->temp.fd, &job->service->stopping, diag);
        job->fold = NULL;
    } else {
        job->folded = fold_file(job->service->config, job->temp.fd, job->result.record.member,
                                &job->service->stopping, diag);
    }
    identify_refused(diag, job->head, job->head_bytes);
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

static bool no_digest(struct job *job)
{
    return diag_set(&job->result.diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                    "No memory to name the upload.");
}

static bool take_digest(struct job *job)
{
    struct record *r = &job->result.record;
    const struct profile *p = folded_profile(job->folded);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    struct buf hex = {0};

    if (EVP_DigestFinal_ex(job->hash, digest, &n) == 1)
        buf_hex_bytes(&hex, digest, n);
    bool made = !hex.failed && hex.n == RECORD_SHA256_CHARS;
    if (made)
        memcpy(r->sha256, hex.p, RECORD_SHA256_CHARS);
    buf_free(&hex);
    if (!made)
        return no_digest(job);
    size_t format = p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1;
    memcpy(r->format, p->format.p, format);
    r->warnings = p->n_warnings;
    return true;
}

static struct progress *begin_progress(struct job *job)
{
    const struct profile *p = folded_profile(job->folded);
    struct progress_facts facts = {.bytes = job->bytes, .n_views = job->n_items - ITEMS_BEFORE_TRACKS};
    size_t n = p->format_label.n < sizeof(facts.format) ? p->format_label.n : sizeof(facts.format) - 1;

    memcpy(facts.format, p->format_label.p, n);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        facts.records += p->tracks[i].records;
    return progress_begin(job->service->progresses, &facts);
}

static void run_item(struct job *job, uint32_t item, struct buf *scratch);

static void run_runner(struct task *task)
{
    struct job *job = ((struct job_runner *)task)->job;
    struct buf scratch = {0};

    for (;;) {
        uint32_t item = atomic_fetch_add(&job->next_item, 1);
        if (item >= job->n_items)
            break;
        run_item(job, item, &scratch);
        answer_in_time(job);
    }
    buf_free(&scratch);
    if (atomic_fetch_sub(&job->running, 1) == 1)
        complete(job);
}

void job_run_finish(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));

    if (job->verdict.kind != DIAG_NONE && !job->chosen_late && !job->refused) {
        job->refused = true; /* nobody else has the job now but those who ask for its result */
        job->refusal = job->verdict;
    }
    if (!job->has_place && !job->refused) {
        if (!fold_slots_wait(&job->service->jobs->places, &job->place_wait))
            return;
        job->has_place = true;
    }
    if (!make_profile(job) || !plan_items(job) || !take_digest(job)) {
        complete(job);
        return;
    }
    job->progress = begin_progress(job);
    unsigned runners = pool_workers(job->service->pool);
    if (runners > JOB_RUNNERS_MAX)
        runners = JOB_RUNNERS_MAX;
    if (runners > job->n_items)
        runners = job->n_items;
    atomic_store(&job->running, runners);
    for (unsigned i = 0; i < runners; i++) {
        job->runners[i] = (struct job_runner){{.run = run_runner}, job};
        pool_submit_first(job->service->pool, &job->runners[i].task);
    }
}

static bool fail_to_keep(struct job *job, enum store_result result)
{
    store_access_failed(job->service, result, "stored", &job->result.diag);
    return false;
}

/* Makes the upload durable: its bytes, then its record. From then on it is there, whatever becomes of this
 * job. */
static bool keep(struct job *job)
{
    struct store *store = job->service->store;
    struct job_result *result = &job->result;
    struct record *r = &result->record;
    char key[RECORD_BLOB_KEY_CHARS + 1];

    record_blob_key(r->sha256, key);
    enum store_result blob = store_temp_commit(store, &job->temp, key, STORE_DURABLE);
    if (blob == STORE_FULL && job->temp.open && sweep_make_room(job->service->sweep))
        blob = store_temp_commit(store, &job->temp, key, STORE_DURABLE);
    if (blob != STORE_OK && blob != STORE_EXISTS)
        return fail_to_keep(job, blob);
    if (!record_new_secret(r->id) || !record_new_secret(result->delete_token))
        return diag_set(&result->diag, DIAG_IO, "no randomness", "Tell the operator.",
                        "The system gave no random numbers for the upload's id.");
    record_sha256_hex(result->delete_token, strlen(result->delete_token), r->token_sha256);
    if (r->token_sha256[0] == '\0')
        return no_digest(job);
    enum store_result written = record_write(store, r);
    if (written == STORE_FULL && sweep_make_room(job->service->sweep))
        written = record_write(store, r);
    return written == STORE_OK || fail_to_keep(job, written);
}

static void keep_and_tell(struct job *job)
{
    char source[RECORD_SHA256_CHARS + 1];

    if (!service_goes_on(job->service, &job->result.diag) || !keep(job))
        return;
    record_source(job->result.record.sha256, job->result.record.member, source);
    profile_cache_put(views_cache(job->service->views), source, job->folded);
    progress_publish(job->progress, job->result.record.id);
    pthread_mutex_lock(&job->lock);
    job->kept = true;
    pthread_mutex_unlock(&job->lock);
}

static void make_summary(struct job *job)
{
    struct view_request r = {.output = NULL};
    struct diag diag = {0};
    struct buf text = {0};

    view_of(&r, &job->result.record);
    if (!views_make(job->service, &r, job->folded, &text, &diag) ||
        (text.n == 0 && !summary_write(job->folded, &text, &diag))) {
        buf_free(&text);
        return;
    }
    struct shared_bytes *summary = shared_bytes_new(&text);
    pthread_mutex_lock(&job->lock);
    job->result.summary = summary;
    pthread_mutex_unlock(&job->lock);
}

/* A view that cannot be made now fails when somebody asks for it, with its reason; the upload is good
 * nevertheless. */
static void make_view(struct job *job, uint32_t track, struct buf *scratch)
{
    struct view_request r = {.output = OUTPUTS[0]};
    struct diag diag = {0};

    view_of(&r, &job->result.record);
    convert_defaults(job->service->config, &r.options);
    r.options.track_ids[0] = folded_profile(job->folded)->tracks[track].id;
    r.options.n_track_ids = 1;
    if (!views_make(job->service, &r, job->folded, scratch, &diag))
        LOG(job->service->log, LOG_WARN, "view-failed", LOG_STR("sha256", str_of(r.sha256)),
            LOG_U64("track", r.options.track_ids[0]), LOG_STR("why", str_of(diag.detail)));
    progress_view(job->progress, r.options.track_ids[0]);
}

static void run_item(struct job *job, uint32_t item, struct buf *scratch)
{
    struct diag unsaid = {0}; /* the upload is good without its views */

    if (item == ITEM_KEEP)
        keep_and_tell(job);
    else if (item == ITEM_SUMMARY)
        make_summary(job);
    else if (service_goes_on(job->service, &unsaid))
        make_view(job, job->order[item - ITEMS_BEFORE_TRACKS], scratch);
}
