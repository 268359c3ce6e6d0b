/* The views that an upload's page shows first, made before anybody asks: the summary and the picture of the main thread (else
 * of the heaviest track), and a preview for each of the render_tracks heaviest.
 *
 * The answer waits for some of them if its client asks for that: these are begun at once. The others are made by jobs behind
 * all that somebody waits for: the first views beside the keeping of the upload, the previews when it is kept. Uploads that come
 * faster than their views are made would leave more and more of them: then they are drawn at first sight. So are
 * those of a profile for which memory has no room until it is their turn, and those of a small upload (view_is_light). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "render/output.h"
#include "server/http/clients.h"
#include "server/upload/job_impl.h"
#include "server/upload/progress.h"
#include "server/views/profiles.h"

enum { PARTS = 2 }; /* that end before the previews begin: the upload's keeping, and its first views */

/* The view is that of a request without options (routes/handle_view.c), a picture that of the page; without output the summary. */
static struct view_request request_of(const struct job *job, const struct output *output, uint32_t track_id)
{
    struct view_request r = {.output = output};

    view_of(&r, &job->result.record);
    convert_defaults(job->service->config, &r.options);
    r.options.track_ids[0] = track_id;
    r.options.n_track_ids = output != NULL;
    if (output == &OUTPUT_SVG)
        convert_for_page(&r.options, job->result.record.size);
    return r;
}

/* 0: the summary; 1: the picture. */
static struct view_request first_view(const struct job *job, unsigned nth)
{
    return nth == 0 ? request_of(job, NULL, 0) : request_of(job, &OUTPUT_SVG, job->shown_track);
}

/* The upload is good without its views: one that cannot be made now fails, with its reason, when somebody
 * asks for it. */
static void log_failure(const struct job *job, const struct view_request *r, const struct diag *diag)
{
    if (diag->kind != DIAG_NONE && stop_asked(&job->stop) == STOP_NONE)
        LOG(job->service->log, LOG_WARN, "view-failed", LOG_STR("sha256", str_of(job->result.record.sha256)),
            LOG_STR("output", str_of(r->output == NULL ? "summary" : r->output->name)),
            LOG_U64("track", r->options.track_ids[0]), LOG_STR("why", str_of(diag->detail)));
}

/* The summary is a part of an answer that waits for it; other machines get both. */
static void take_view(struct job *job, unsigned nth, const struct view_request *r, struct view_result *view)
{
    bool is_told = nth == 0 && job->n_awaited > 0;

    if (view->bytes == NULL && view->fd >= 0 && (is_told || job->service->config->share_views))
        view->bytes = view_read_object(view->fd, view->file_bytes);
    if (view->bytes == NULL)
        return;
    view_share(job->service, r, shared_bytes_view(view->bytes), &job->shared[nth]);
    if (!is_told)
        return;
    /* An early answer may be copying the result at this moment. */
    pthread_mutex_lock(&job->lock);
    job->result.summary = shared_bytes_ref(view->bytes);
    pthread_mutex_unlock(&job->lock);
}

/* ---- behind all that somebody waits for ---- */

static void submit_ahead(struct job *job, void (*run)(struct thread_job *))
{
    pthread_mutex_lock(&job->lock);
    job->refs++;
    pthread_mutex_unlock(&job->lock);
    job->ahead = (struct thread_job){.run = run, .place = {TURN_AHEAD, .owner = job->client}};
    threads_submit(job->service->threads, THREADS_AHEAD, &job->ahead);
}

/* To read the upload again is for somebody who asks. */
static bool is_worth_it(const struct job *job)
{
    const struct profile_id id = profile_id_of(&job->result.record);

    return stop_asked(&job->stop) == STOP_NONE && profiles_has(job->service->profiles, &id);
}

/* It waits for its turn before the view is under way: who asks for the view meanwhile makes it at once. */
static void make_ahead(struct job *job, const struct view_request *r, struct turn *turn,
                       struct view_result *made)
{
    *made = (struct view_result){.fd = -1};
    turn_next(turn);
    if (is_worth_it(job))
        views_make(job->service->views, r, turn, made);
    log_failure(job, r, &made->diag);
    atomic_fetch_sub(&job->service->jobs->views_ahead, 1);
}

static void run_previews(struct thread_job *thread)
{
    struct job *job = (struct job *)((char *)thread - offsetof(struct job, ahead));
    struct turn turn;

    turn_init(&turn, job->service->turns, TURN_AHEAD, job->client, &job->stop);
    for (uint32_t i = 0; i < job->n_previews; i++) {
        const struct view_request r = request_of(job, &OUTPUT_THUMB, job->previews[i]);
        struct view_result made;
        make_ahead(job, &r, &turn, &made);
        view_result_free(&made);
        progress_view(job->progress, job->previews[i]);
    }
    turn_end(&turn);
    progress_end(job->progress);
    job_unref(job);
}

bool job_end_part(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = ++job->n_parts_ended == PARTS;
    bool kept = job->kept;
    pthread_mutex_unlock(&job->lock);
    if (last && !kept) {
        atomic_fetch_sub(&job->service->jobs->views_ahead, job->n_previews);
        job->n_previews = 0;
    }
    if (last && job->n_previews == 0)
        progress_end(job->progress);
    return last;
}

void job_go_on_to_previews(struct job *job)
{
    if (job->n_previews > 0)
        submit_ahead(job, run_previews);
    for (size_t i = 0; i < JOB_VIEWS && job->kept; i++)
        shared_view_put(job->service, &job->shared[i]);
}

static void run_first(struct thread_job *thread)
{
    struct job *job = (struct job *)((char *)thread - offsetof(struct job, ahead));
    struct turn turn;

    turn_init(&turn, job->service->turns, TURN_AHEAD, job->client, &job->stop);
    for (unsigned i = job->n_awaited; i < job->n_first; i++) {
        const struct view_request r = first_view(job, i);
        struct view_result made;
        make_ahead(job, &r, &turn, &made);
        take_view(job, i, &r, &made);
        view_result_free(&made);
    }
    turn_end(&turn);
    if (job_end_part(job))
        job_go_on_to_previews(job);
    job_unref(job);
}

/* ---- beside the keeping ---- */

static struct progress *begin_progress(const struct job *job, const struct profile *p)
{
    struct progress_facts facts = {.bytes = job->bytes, .n_views = job->n_previews};
    size_t n = p->format_label.n < sizeof(facts.format) ? p->format_label.n : sizeof(facts.format) - 1;

    memcpy(facts.format, p->format_label.p, n);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        facts.records += p->tracks[i].records;
    return progress_begin(job->service->progresses, &facts);
}

static void plan_previews(struct job *job, const struct profile *p)
{
    uint64_t most = job->service->config->render_tracks;
    uint32_t n = p->n_tracks < most ? p->n_tracks : (uint32_t)most;
    uint32_t *by_weight = malloc(((size_t)p->n_tracks + 1) * sizeof(*by_weight));

    if (by_weight == NULL) /* it has none made ahead */
        return;
    profile_tracks_by_weight(p, by_weight);
    for (uint32_t i = 0; i < n; i++)
        by_weight[i] = p->tracks[by_weight[i]].id;
    job->previews = by_weight;
    job->n_previews = n;
}

void job_begin_views(struct job *job, const struct profile *p)
{
    struct jobs *jobs = job->service->jobs;
    const bool shows = job->service->config->render_tracks > 0 && p->n_tracks > 0;
    const unsigned n_views = shows ? JOB_VIEWS : 1;

    if (shows)
        job->shown_track = p->tracks[profile_first_shown(p)].id;
    if (job->n_awaited > n_views)
        job->n_awaited = n_views;
    job->n_first = job->n_awaited;
    if (atomic_load(&jobs->views_ahead) <= JOB_AHEAD_MOST && !view_is_light(&job->result.record)) {
        job->n_first = n_views;
        plan_previews(job, p);
    }
    atomic_fetch_add(&jobs->views_ahead, job->n_first - job->n_awaited + job->n_previews);
    job->progress = begin_progress(job, p);
    for (unsigned i = 0; i < job->n_awaited; i++) {
        const struct view_request r = first_view(job, i);
        views_begin(job->service->views, &r, job->client, &job->of_answer[i]);
    }
    if (job->n_first > job->n_awaited)
        submit_ahead(job, run_first);
    else
        job->n_parts_ended = 1; /* nobody else looks at it */
}

void job_await_views(struct job *job, struct turn *turn)
{
    for (unsigned i = 0; i < job->n_awaited; i++) {
        const struct view_request r = first_view(job, i);
        struct view_result made;
        views_await(job->service->views, &job->of_answer[i], turn, &made);
        log_failure(job, &r, &made.diag);
        take_view(job, i, &r, &made);
        view_result_free(&made);
    }
}
