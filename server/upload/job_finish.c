/* What comes behind the last byte of an upload, each step a task on the pool:
 *
 *     finish        waits for a slot if the upload did not fold while it arrived; names the bytes; gets the profile
 *     go_on         begins the views that are made ahead, and makes the upload durable
 *     view_ready    once for each of these views
 *     answer        when the upload is durable and its page can be shown: what the upload held is given back, and the
 *                   answer goes out
 *     end           after the last preview
 *
 * The answer goes out earlier, once the upload is durable, if the client would rather not wait or has waited
 * answer_within_ms. Of an archive of which every member is meant see job_members.c. What is made ahead is what the upload's page shows
 * first: the summary and the picture of the main thread (else of the heaviest track), which somebody will ask for at once; and a preview
 * for each of the render_tracks heaviest, which wait behind all that somebody waits for. */
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"
#include "render/output.h"
#include "server/http/clients.h"
#include "server/store/store_access.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/keep_blob.h"
#include "server/views/stored_names.h"

enum { PREVIEWS_MOST = 256 }; /* that wait to be made; above it an upload has none made ahead */

/* Once for each job. Whatever the upload used of the machine is the next one's before the client has taken its answer. The
 * previews that are still to be made ask for the profile by themselves. */
static void answer(struct job *job)
{
    profiles_release(job->service->profiles, &job->need);
    job_leave_slot(job);
    /* Who asks how far the upload is, once it is answered, is to hear that it is done unless there are previews to come. */
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

static void end(struct job *job)
{
    progress_end(job->progress);
    job_unref(job);
}

/* Of an upload without views: it was refused, or memory is short. */
void job_complete(struct job *job)
{
    answer(job);
    end(job);
}

void job_answer_due(struct timer *timer)
{
    struct job *job = (struct job *)((char *)timer - offsetof(struct job, answer_timer));

    pthread_mutex_lock(&job->lock);
    exchange_resume(&job->waiting);
    pthread_mutex_unlock(&job->lock);
}

/* A view, or keeping the upload, is done; `awaited`: the answer waits for it. */
static void end_one(struct job *job, bool awaited)
{
    /* Once this has counted itself off `pending`, another may free the job: the answer comes first. */
    if (awaited && atomic_fetch_sub(&job->awaited, 1) == 1)
        answer(job);
    if (atomic_fetch_sub(&job->pending, 1) == 1)
        end(job);
}

static bool is_preview(const struct output *output)
{
    return output == &OUTPUT_THUMB;
}

/* ---- the views that are made ahead ---- */

static void take_summary(struct job *job, struct view_result *view)
{
    struct shared_bytes *summary = view->bytes;

    if (summary == NULL && view->fd >= 0)
        summary = view_read_object(view->fd, view->file_bytes);
    if (summary == NULL)
        return;
    if (view->bytes != NULL)
        shared_bytes_ref(summary);
    /* An early answer may be copying the result at this moment. */
    pthread_mutex_lock(&job->lock);
    job->result.summary = summary;
    pthread_mutex_unlock(&job->lock);
}

/* The upload is good without its views: one that cannot be made now fails, with its reason, when somebody asks for it. */
static void view_made(struct job_view *v, struct view_result *view)
{
    struct job *job = v->job;
    struct diag stopping = {0};

    if (view->diag.kind != DIAG_NONE && service_goes_on(job->service, &stopping))
        LOG(job->service->log, LOG_WARN, "view-failed", LOG_STR("sha256", str_of(job->result.record.sha256)),
            LOG_STR("output", str_of(v->output == NULL ? "summary" : v->output->name)),
            LOG_U64("track", v->track_id), LOG_STR("why", str_of(view->diag.detail)));
    if (v->output == NULL)
        take_summary(job, view);
    else if (is_preview(v->output))
        progress_view(job->progress, v->track_id);
    view_result_free(view);
    if (is_preview(v->output))
        atomic_fetch_sub(&job->service->jobs->previews, 1);
    end_one(job, !is_preview(v->output));
}

static void view_ready(struct task *task)
{
    struct job_view *v = (struct job_view *)task; /* its first member */
    struct view_result view;

    views_take(v->job->service->views, &v->wait, &view);
    view_made(v, &view);
}

/* Called under the lock of the views. */
static void wake_view(struct view_wait *wait)
{
    struct job_view *v = (struct job_view *)((char *)wait - offsetof(struct job_view, wait));

    pool_submit(v->job->service->pool, &v->job->queue, &v->task);
}

/* The view is that of a request for it without options (routes/handle_track.c): the same key. */
static void begin_view(struct job_view *v)
{
    struct job *job = v->job;
    struct view_request r = {.output = v->output};
    struct view_result view;

    view_of(&r, &job->result.record);
    convert_defaults(job->service->config, &r.options);
    if (v->output != NULL) {
        r.options.track_ids[0] = v->track_id;
        r.options.n_track_ids = 1;
    }
    if (views_make(job->service->views, &r, &v->wait, &view))
        view_made(v, &view);
}

/* What the answer waits for takes turns with the client's other work. */
static void add_view(struct job *job, const struct output *output, uint32_t track_id)
{
    struct client *client = is_preview(output) ? NULL : job->client;

    job->views[job->n_views++] =
        (struct job_view){.task = {.run = view_ready},
                          .wait = {.ready = wake_view, .is_upload = true, .client = client},
                          .job = job,
                          .output = output,
                          .track_id = track_id};
}

/* The id of the track that the workspace shows first: the heaviest one named main, else the heaviest. */
static uint32_t first_shown(const struct profile *p, const uint32_t *by_weight)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (str_eq(profile_string(p, p->tracks[by_weight[i]].name), STR("main")))
            return p->tracks[by_weight[i]].id;
    return p->tracks[by_weight[0]].id;
}

/* False: no memory. */
static bool plan_views(struct job *job, const struct profile *p, uint32_t previews)
{
    uint32_t *order = malloc(((size_t)p->n_tracks + 1) * sizeof(*order)); /* tracks by weight */

    job->views = malloc(((size_t)previews + 2) * sizeof(*job->views));
    if (order == NULL || job->views == NULL) {
        free(order);
        return diag_no_memory(&job->result.diag, "No memory to render the upload.");
    }
    profile_tracks_by_weight(p, order);
    add_view(job, NULL, 0);
    if (job->service->config->render_tracks > 0 && p->n_tracks > 0)
        add_view(job, &OUTPUT_SVG, first_shown(p, order));
    for (uint32_t i = 0; i < previews; i++)
        add_view(job, &OUTPUT_THUMB, p->tracks[order[i]].id);
    free(order);
    return true;
}

static struct progress *begin_progress(struct job *job, const struct profile *p, uint32_t previews)
{
    struct progress_facts facts = {.bytes = job->bytes, .n_views = previews};
    size_t n = p->format_label.n < sizeof(facts.format) ? p->format_label.n : sizeof(facts.format) - 1;

    memcpy(facts.format, p->format_label.p, n);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        facts.records += p->tracks[i].records;
    return progress_begin(job->service->progresses, &facts);
}

/* ---- making it durable ---- */

static bool no_digest(struct job *job)
{
    return diag_no_memory(&job->result.diag, "No memory to name the upload.");
}

static bool no_randomness(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "no randomness", "Tell the operator.",
                    "The system gave no random numbers for the upload's id.");
}

bool job_keep_bytes(struct job *job)
{
    const struct record *r = &job->result.record;

    return keep_blob(job->service, &job->temp, r->sha256, r->size, &job->result.diag);
}

bool job_new_token(struct job *job, struct record *record)
{
    struct job_result *result = &job->result;

    if (!record_new_secret(result->delete_token))
        return no_randomness(&result->diag);
    record_sha256_hex(result->delete_token, strlen(result->delete_token), record->token_sha256);
    return record->token_sha256[0] != '\0' || no_digest(job);
}

bool job_keep_record(struct job *job, struct record *record, struct diag *diag)
{
    struct store *store = job->service->store;

    if (!record_new_secret(record->id))
        return no_randomness(diag);
    enum store_result written = record_write(store, record);
    if (written == STORE_FULL && sweep_make_room(job->service->sweep))
        written = record_write(store, record);
    if (written == STORE_OK)
        return true;
    store_access_failed(job->service->log, written, "stored", diag);
    return false;
}

/* First the bytes, then the record that refers to them (record.h says why nothing is lost in between). From then on the
 * upload is there, whatever becomes of this job. Bytes without a record are removed. */
static bool keep(struct job *job)
{
    struct record *r = &job->result.record;

    if (!job_keep_bytes(job))
        return false;
    if (!job_new_token(job, r) || !job_keep_record(job, r, &job->result.diag)) {
        sweep_content_ended(job->service->sweep, r->sha256);
        return false;
    }
    sweep_upload_expires(job->service->sweep, r->expires_s);
    return true;
}

void job_log_kept(const struct job *job, const struct record *r)
{
    LOG(job->service->log, LOG_INFO, "uploaded", LOG_STR("id", str_of(r->id)),
        LOG_STR("format", str_of(r->format)), LOG_U64("bytes", r->size),
        LOG_U64("ms", (uint64_t)(clock_ms() - job->started_ms)), LOG_STR("sha256", str_of(r->sha256)),
        LOG_STR("request", str_of(job->request)), LOG_STR("client", str_of(client_text(job->client))));
}

/* Nobody would ever know the link. */
bool job_is_wanted(struct job *job, struct diag *diag)
{
    pthread_mutex_lock(&job->lock);
    const struct exchange *x = job->waiting.exchange;
    bool left = job->left || (x != NULL && x->is_left(x));
    pthread_mutex_unlock(&job->lock);
    return !left || diag_set(diag, DIAG_BUSY, "the client left", "Upload it again.",
                             "The connection ended before the upload was answered.");
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
    job_answer_soon(job);
}

void job_answer_soon(struct job *job)
{
    timer_set(job->service->timers, &job->answer_timer, job->answer_early ? 0 : job->answer_by_ms);
}

bool job_withdraw_record(const struct job *job, const struct record *r)
{
    struct diag diag = {0};
    enum store_result result = record_delete(job->service->store, r, r->created_s);

    if (result == STORE_OK)
        LOG(job->service->log, LOG_INFO, "withdrawn", LOG_STR("id", str_of(r->id)),
            LOG_STR("request", str_of(job->request)));
    else
        store_access_failed(job->service->log, result, "withdrawn", &diag);
    return result == STORE_OK;
}

void job_withdraw(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));
    bool ended = job->n_members > 0 || job_withdraw_record(job, &job->result.record);

    for (size_t i = 0; i < job->n_members; i++)
        ended =
            (job->members[i].diag.kind != DIAG_NONE || job_withdraw_record(job, &job->members[i].record)) &&
            ended;
    if (ended) {
        sweep_content_ended(job->service->sweep, job->result.record.sha256);
        job_end_names(job);
    }
    job_free(job);
}

/* ---- from the last byte to the profile ---- */

static bool take_digest(struct job *job)
{
    struct record *r = &job->result.record;
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    struct buf hex = {0};

    if (EVP_DigestFinal_ex(job->hash, digest, &n) == 1)
        buf_hex_bytes(&hex, digest, n);
    bool made = !hex.failed && hex.n == RECORD_SHA256_CHARS;
    if (made)
        memcpy(r->sha256, hex.p, RECORD_SHA256_CHARS);
    buf_free(&hex);
    return made || no_digest(job);
}

/* The profile is there, in job->need, or was refused. */
static void go_on(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));
    struct record *r = &job->result.record;

    if (job->need.profile == NULL) {
        identify_refused(&job->result.diag, job->head, job->head_bytes);
        job_complete(job);
        return;
    }
    const struct profile *p = shared_profile_get(job->need.profile);
    uint64_t most = job->service->config->render_tracks;
    uint32_t previews = p->n_tracks < most ? p->n_tracks : (uint32_t)most;
    /* Uploads that come faster than previews are made would leave more and more of them. They are drawn at first sight then. */
    if (atomic_load(&job->service->jobs->previews) > PREVIEWS_MOST)
        previews = 0;
    if (!plan_views(job, p, previews)) {
        job_complete(job);
        return;
    }
    size_t format = p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1;
    memcpy(r->format, p->format.p, format);
    r->warnings = p->n_warnings;
    job->progress = begin_progress(job, p, previews);
    job->n_previews = previews;
    /* One more than views, for keeping the upload: views that are there at once cannot end the job below. */
    atomic_store(&job->pending, job->n_views + 1);
    atomic_store(&job->awaited, job->n_views - previews + 1);
    atomic_fetch_add(&job->service->jobs->previews, previews);
    /* Each goes to the head of the pool's queue, so that the summary comes first. */
    for (size_t i = job->n_views; i-- > 0;)
        begin_view(&job->views[i]);
    keep_and_tell(job);
    end_one(job, true);
}

/* What was folded while it arrived is complete now. Anything else is read from the spool: by this upload, or by somebody who
 * needs the same profile. False: the task `finish` will run again, as go_on. */
static bool get_profile(struct job *job)
{
    struct profiles *profiles = job->service->profiles;
    struct record *r = &job->result.record;
    const struct profile_id id = profile_id_of(r);
    struct diag *diag = &job->result.diag;
    struct conversion *conversion = job->conversion;

    job->conversion = NULL;
    if (conversion == NULL || job->read_again) {
        conversion_abandon(conversion);
        job->need.task = &job->finish;
        job->need.queue = &job->queue;
        job->need.diag = diag;
        return profiles_get(profiles, &id, job->temp.fd, &job->need);
    }
    if (!stored_names_use(job->service, &r->names, conversion, diag)) {
        conversion_abandon(conversion);
        return true;
    }
    struct shared_profile *made = conversion_finish(conversion, job->temp.fd, &job->service->stop, diag);
    /* profiles_put() has taken `made`, also where it failed. */
    if (made != NULL && !profiles_put(profiles, &id, made, &job->need))
        diag_no_memory(diag, "No memory to keep the profile.");
    return true;
}

/* Profiles are read with them from the store, as they are later. */
static bool keep_names(struct job *job)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++) {
        if (job->names[i].store == NULL)
            continue;
        if (!names_file_keep(&job->names[i], job->service, &job->result.diag))
            return false;
        memcpy(job->result.record.names.of[i], job->names[i].sha256, RECORD_SHA256_CHARS + 1);
    }
    return true;
}

void job_run_finish(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));

    if (job->withheld.kind != DIAG_NONE && !job->read_again && !job->refused) {
        job->refused = true; /* nobody else has the job now but those who ask for its result */
        job->refusal = job->withheld;
    }
    if (!job->has_slot && !job->refused) {
        if (!slots_wait(&job->service->jobs->slots, &job->slot_wait))
            return; /* slot_granted() submits this task again */
        job->has_slot = true;
    }
    job->finish.run = go_on; /* before the task may be submitted again */
    if (job->refused)
        job->result.diag = job->refusal;
    bool good = !job->refused && job_is_wanted(job, &job->result.diag) && take_digest(job) && keep_names(job);
    if (good && job->every_member && job_begin_members(job))
        return;
    if (!good || job->result.diag.kind != DIAG_NONE || get_profile(job))
        go_on(task);
}
