#include "server/convert/lanes_slices.h"

#include "core/number.h"
#include "core/parallel.h"
#include "profile/calls/replay.h"
#include "server/convert/convert_impl.h"

/* A slice has as many blocks of the busiest track at least: what it costs to begin a thread is little beside. */
enum { BLOCKS_MIN = 12 };

struct slice {
    const struct convert_source *source;
    const uint32_t *indexes;
    struct lanes_request request;
    struct arena *arena, own;
    const struct lanes *lanes; /* NULL: diag, or the arena gave no more */
    struct diag diag;
};

static void replay_slice(void *of)
{
    struct slice *s = of;
    const struct lanes_request *r = &s->request;
    struct lanes_sink *sink = lanes_sink_new(s->arena, r);
    /* What only touches the end is within reach of spans. What filters leave of a call may lie outside the window. */
    const struct window window = {r->from_ns, r->to_ns + 1};
    /* A sample before the window tells what its thread does at the window's beginning. */
    bool cuts = r->filter == NULL && r->sample_cpu == 0 && r->sample_waiting == 0, opens = false;

    s->lanes = NULL;
    if (sink == NULL)
        return;
    for (uint32_t i = 0; i < r->n_tracks; i++)
        opens = opens || r->tracks[i].is_open;
    struct replay_request replay = {.tracks = s->indexes,
                                    .n_tracks = r->n_tracks,
                                    .window = cuts ? &window : NULL,
                                    .rests = r->open_to_end,
                                    .looks_at_self = opens,
                                    .sink = lanes_sink_replay(sink)};
    if (profile_log_replay(s->source, &replay, &s->diag))
        s->lanes = lanes_sink_finish(sink);
}

/* ---- where to cut ---- */

/* Of the track with the most blocks in the log. NULL: there is none. */
static const struct call_log_track *busiest(const struct call_log *log)
{
    const struct call_log_track *most = NULL;

    for (uint64_t i = 0; i < log->trailer.n_tracks; i++)
        if (most == NULL || log->tracks[i].n_parts > most->n_parts)
            most = &log->tracks[i];
    return most;
}

/* The last pixel that begins at that time or before. */
static uint32_t pixel_at(const uint64_t *edges, uint32_t width_px, uint64_t ns)
{
    uint32_t low = 0, high = width_px;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle] <= ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cuts the pixels, so that each slice has as much of the log as far as the busiest track tells. Returns how many there are. */
static uint32_t cut(const struct convert_source *s, const struct lanes_request *r, const uint64_t *edges,
                    uint32_t *first_px)
{
    struct replay_request replay = {.n_tracks = 0};
    const struct profile *p;
    uint64_t from = 0, to;
    uint32_t n = 1;

    first_px[0] = 0;
    profile_log_request(s->profile, &replay);
    p = replay.profile;
    const struct call_log_track *t = busiest(replay.log);
    if (t == NULL)
        return n;
    const struct call_log_part *parts = replay.log->parts + t->first_part;
    for (to = t->n_parts; from < to && number_multiply(parts[from].last_at, p->ns_per_tick) < r->from_ns;)
        from++;
    while (to > from && number_multiply(parts[to - 1].first_at, p->ns_per_tick) >= r->to_ns)
        to--;
    uint64_t most = (to - from) / BLOCKS_MIN, jobs = s->parallel->jobs;
    most = most < jobs ? most : jobs;
    for (uint64_t i = 1; i < most; i++) {
        uint64_t ns = number_multiply(parts[from + (to - from) * i / most].first_at, p->ns_per_tick);
        uint32_t px = pixel_at(edges, r->width_px, ns);
        if (edges[px] > edges[first_px[n - 1]] && edges[px] < r->to_ns)
            first_px[n++] = px;
    }
    return n;
}

/* ---- the whole ---- */

/* Side by side. NULL: diag, or the arena gave no more. */
static const struct lanes *replay_slices(const struct slice *whole, const uint64_t *edges,
                                         const uint32_t *first_px, uint32_t n, struct diag *diag)
{
    const struct parallel *parallel = whole->source->parallel;
    const struct lanes *lanes[PARALLEL_JOBS_MAX], *joined = NULL;
    struct slice slices[PARALLEL_JOBS_MAX];
    struct parallel_job jobs[PARALLEL_JOBS_MAX] = {{NULL, NULL}};
    bool ok = true;

    for (uint32_t i = 0; i < n; i++) {
        slices[i] = *whole;
        slices[i].request = lanes_slice(&whole->request, edges, first_px[i],
                                        i + 1 < n ? first_px[i + 1] : whole->request.width_px);
        arena_init(&slices[i].own, (size_t)whole->source->config->job_memory_bytes);
        slices[i].own.stop = whole->source->stop;
        slices[i].arena = &slices[i].own;
        jobs[i] = (struct parallel_job){replay_slice, &slices[i]};
    }
    parallel->run(parallel, jobs, n);
    for (uint32_t i = 0; i < n; i++) {
        lanes[i] = slices[i].lanes;
        if (ok && lanes[i] == NULL && !conversion_replay_failed(&slices[i].own, &slices[i].diag))
            *diag = slices[i].diag;
        ok = ok && lanes[i] != NULL;
    }
    if (ok)
        joined = lanes_join(whole->arena, &whole->request, lanes, first_px, n);
    for (uint32_t i = 0; i < n; i++)
        arena_free(&slices[i].own);
    return joined;
}

const struct lanes *convert_replay_lanes(const struct convert_source *s, const struct lanes_request *request,
                                         const uint32_t *indexes, struct arena *arena, struct diag *diag)
{
    struct slice whole = {.source = s, .indexes = indexes, .request = *request, .arena = arena};
    uint32_t first_px[PARALLEL_JOBS_MAX], n = 1;

    if (!profile_log_make(s, diag))
        return NULL;
    if (s->parallel != NULL && s->parallel->jobs > 1 && lanes_has_slices(request)) {
        whole.request.edges = lanes_edges(arena, request);
        if (whole.request.edges == NULL)
            return NULL;
        n = cut(s, request, whole.request.edges, first_px);
    }
    if (n > 1)
        return replay_slices(&whole, whole.request.edges, first_px, n, diag);
    replay_slice(&whole);
    *diag = whole.diag;
    return whole.lanes;
}
