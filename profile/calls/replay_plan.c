/* What of a log a replay plays. */
#include "profile/calls/replay_impl.h"
#include "profile/rename/rename.h"

/* Which parts of the track tell of what lies in the window. */
static void choose_parts(const struct replay *r, struct replay_track *t)
{
    const struct replay_request *q = &r->request;
    const struct call_log_part *parts = r->log->parts + t->log->first_part;
    const uint64_t n = t->log->n_parts, rest = q->rests && t->log->n_open > 0 ? t->of->rest_ns : 0;

    t->from_part = !q->ends_only ? 0 : t->log->n_open > 0 ? n - 1 : n;
    t->to_part = n;
    if (q->window == NULL || (q->looks_at_self && !r->single))
        return;
    while (t->from_part < n && number_add(replay_ns(r, parts[t->from_part].last_at),
                                          t->from_part + 1 == n ? rest : 0) < q->window->from_ns)
        t->from_part++;
    while (t->to_part > 0 && replay_ns(r, parts[t->to_part - 1].first_at) > q->window->to_ns)
        t->to_part--;
    if (q->to_the_end && t->to_part > 0)
        t->to_part = n;
    if (t->to_part < t->from_part)
        t->to_part = t->from_part;
}

uint64_t replay_part_of(const struct replay *r, const struct replay_track *t, uint64_t block)
{
    const struct call_log_part *parts = r->log->parts + t->log->first_part;
    uint64_t from = 0, to = t->log->n_parts;

    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (parts[middle].block < block)
            from = middle + 1;
        else
            to = middle;
    }
    return from < t->log->n_parts && parts[from].block == block ? from : t->log->n_parts;
}

/* In order, all tracks are told of the blocks from the first one that some of them need to the last one. */
static void align_parts(struct replay *r)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < r->request.n_tracks; i++) {
        const struct replay_track *t = &r->tracks[i];
        if (t->from_part == t->to_part)
            continue;
        uint64_t from = r->log->parts[t->log->first_part + t->from_part].block;
        uint64_t to = r->log->parts[t->log->first_part + t->to_part - 1].block;
        first = from < first ? from : first;
        last = to > last ? to : last;
    }
    for (uint32_t i = 0; i < r->request.n_tracks; i++) {
        struct replay_track *t = &r->tracks[i];
        const struct call_log_part *parts = t->log != NULL ? r->log->parts + t->log->first_part : NULL;
        if (t->from_part == t->to_part)
            continue;
        while (t->from_part > 0 && parts[t->from_part - 1].block >= first)
            t->from_part--;
        while (t->to_part < t->log->n_parts && parts[t->to_part].block <= last)
            t->to_part++;
    }
}

bool replay_has_pieces(const struct profile *p)
{
    for (; p->mapped != NULL; p = p->mapped->before)
        if (p->mapped->before->n_frames > 0 && !p->mapped->single)
            return false;
    return true;
}

static bool find_renames(struct replay *r)
{
    const struct profile_mapped *mapped[RENAMES_MAX] = {NULL};

    r->single = replay_has_pieces(r->request.profile);
    for (const struct profile *p = r->request.profile; p->mapped != NULL; p = p->mapped->before) {
        if (p->mapped->before->n_frames == 0)
            continue;
        if (r->n_renames == RENAMES_MAX)
            return replay_damaged(r);
        mapped[r->n_renames++] = p->mapped;
    }
    for (uint32_t i = 0; i < r->n_renames; i++)
        r->renames[i] = mapped[r->n_renames - 1 - i];
    return true;
}

static const struct rename_set *const *sets_of(struct replay *r, uint32_t id)
{
    const struct rename_set **sets = arena_array(r->arena, r->n_renames, sizeof(*sets));

    for (uint32_t i = 0; sets != NULL && i < r->n_renames; i++) {
        const struct profile *before = r->renames[i]->before;
        const struct profile_track *t = profile_track_by_id(before, id);
        sets[i] = &r->renames[i]->sets[t != NULL ? r->renames[i]->set[t - before->tracks] : 0];
    }
    return sets;
}

/* Finds the tracks of the request in the log. */
static bool find_tracks(struct replay *r)
{
    const struct replay_request *q = &r->request;

    for (uint64_t i = 0; i < r->log->trailer.n_tracks; i++) {
        const struct call_log_track *log = &r->log->tracks[i];
        uint32_t nth =
            log->n_parts > 0 ? profile_place_of_id(q->profile, q->tracks, q->n_tracks, log->id) : q->n_tracks;
        r->nth_of[i] = NO_TRACK;
        if (nth == q->n_tracks)
            continue;
        struct replay_track *t = &r->tracks[nth];
        if (t->log != NULL)
            return replay_damaged(r);
        r->nth_of[i] = nth;
        *t = (struct replay_track){.nth = nth,
                                   .of = &q->profile->tracks[q->tracks[nth]],
                                   .log = log,
                                   .uncalled = log->uncalled,
                                   .sets = sets_of(r, log->id)};
        if (t->sets == NULL)
            return false;
        choose_parts(r, t);
        if (q->sink.found != NULL)
            q->sink.found(q->sink.context, t);
    }
    return true;
}

bool replay_prepare(struct replay *r)
{
    const struct replay_request *q = &r->request;
    const struct call_log_trailer *log = &r->log->trailer;
    const uint32_t n_times = q->profile->n_times;

    r->tracks = arena_array(r->arena, q->n_tracks, sizeof(*r->tracks));
    r->nth_of = arena_array(r->arena, log->n_tracks, sizeof(*r->nth_of));
    r->needed = arena_array(r->arena, log->n_blocks, sizeof(*r->needed));
    r->room = arena_array(r->arena, call_log_room(r->log), 1);
    if (r->tracks == NULL || r->nth_of == NULL || r->needed == NULL || r->room == NULL)
        return false;
    if (q->ends_only) {
        r->ends = q->sink;
        r->request.sink.enter = NULL;
        r->request.sink.leave = NULL;
        r->request.sink.sample = NULL;
        r->request.sink.stay = NULL;
    }
    r->n_clocks = log->n_clocks;
    r->n_frames = log->n_frames;
    if (r->n_frames != rename_original(q->profile)->n_frames || r->n_clocks != (n_times > 0 ? n_times : 1) ||
        log->n_values != profile_n_of_samples(q->profile))
        return replay_damaged(r);
    if (!find_renames(r) || !find_tracks(r))
        return false;
    if (q->in_order)
        align_parts(r);
    r->to = q->one_by_one && q->n_tracks > 0 ? 1 : q->n_tracks;
    for (uint32_t i = 0; i < q->n_tracks; i++) {
        struct replay_track *t = &r->tracks[i];
        t->part = t->from_part;
        for (uint64_t k = t->from_part; k < t->to_part; k++)
            r->needed[r->log->parts[t->log->first_part + k].block]++;
    }
    return true;
}
