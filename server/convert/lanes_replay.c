#include "server/convert/lanes_replay.h"

#include "core/parallel.h"
#include "profile/calls/replay.h"
#include "server/convert/time_slices.h"

struct lanes_work {
    const struct convert_source *source;
    const struct lanes_request *request; /* of the whole */
    const uint32_t *indexes;
    const uint64_t *edges;
    uint32_t first_px[PARALLEL_JOBS_MAX + 1]; /* of each slice; behind them the width */
    const struct lanes *slices[PARALLEL_JOBS_MAX];
};

/* NULL: diag, or the arena gave no more. */
static const struct lanes *replay_lanes(const struct lanes_work *w, const struct lanes_request *r,
                                        struct arena *arena, struct diag *diag)
{
    struct lanes_sink *sink = lanes_sink_new(arena, r);
    /* What only touches the end is within reach of spans. What filters leave of a call may lie outside the window. */
    const struct window window = {r->from_ns, r->to_ns + 1};
    /* A sample before the window tells what its thread does at the window's beginning. */
    bool cuts = r->filter == NULL && r->sample_cpu == 0 && r->sample_waiting == 0, opens = false;

    if (sink == NULL)
        return NULL;
    for (uint32_t i = 0; i < r->n_tracks; i++)
        opens = opens || r->tracks[i].is_open;
    struct replay_request replay = {.tracks = w->indexes,
                                    .n_tracks = r->n_tracks,
                                    .window = cuts ? &window : NULL,
                                    .rests = r->open_to_end,
                                    .looks_at_self = opens,
                                    .sink = lanes_sink_replay(sink)};
    return profile_log_replay(w->source, &replay, diag) ? lanes_sink_finish(sink) : NULL;
}

/* Slices have all pixels once more than the whole: that should be little of what a view may take. */
static bool has_room(const struct lanes_request *r, const struct arena *arena)
{
    enum { SHARE = 8 };

    return (uint64_t)r->n_tracks * r->width_px * (sizeof(struct lane_pixel) + sizeof(struct lane_method)) <
           (arena->limit_bytes - arena->used_bytes) / SHARE;
}

/* Slices begin where pixels begin. Returns how many there are. */
static unsigned cut(struct lanes_work *w)
{
    const struct lanes_request *r = w->request;
    uint64_t begin_ns[PARALLEL_JOBS_MAX];
    unsigned most = time_slices_cut(w->source, r->from_ns, r->to_ns, begin_ns), n = 1;

    for (unsigned i = 1; i < most; i++) {
        uint32_t px = lanes_pixel_at(w->edges, r->width_px, begin_ns[i]);
        if (w->edges[px] > w->edges[w->first_px[n - 1]])
            w->first_px[n++] = px;
    }
    w->first_px[n] = r->width_px;
    return n;
}

static bool replay_slice(void *context, unsigned nth, struct arena *arena, struct diag *diag)
{
    struct lanes_work *w = context;
    struct lanes_request r = lanes_slice(w->request, w->edges, w->first_px[nth], w->first_px[nth + 1]);

    w->slices[nth] = replay_lanes(w, &r, arena, diag);
    return w->slices[nth] != NULL;
}

const struct lanes *convert_replay_lanes(const struct convert_source *s, const struct lanes_request *request,
                                         const uint32_t *indexes, struct arena *arena, struct diag *diag)
{
    struct lanes_work w = {.source = s, .request = request, .indexes = indexes};
    struct arena arenas[PARALLEL_JOBS_MAX];
    unsigned n = 1;

    if (!profile_log_make(s, diag))
        return NULL;
    if (lanes_has_slices(request) && has_room(request, arena)) {
        w.edges = lanes_edges(arena, request);
        if (w.edges == NULL)
            return NULL;
        n = cut(&w);
    }
    if (n == 1)
        return replay_lanes(&w, request, arena, diag);
    bool ok = time_slices_make(s, n, replay_slice, &w, arena, arenas, diag);
    const struct lanes *joined = ok ? lanes_join(arena, request, w.slices, w.first_px, n) : NULL;
    for (unsigned i = 0; i < n; i++)
        arena_free(&arenas[i]);
    return joined;
}
