#include "server/convert/time_slices.h"

#include "core/number.h"
#include "core/parallel.h"
#include "profile/calls/replay.h"
#include "server/convert/convert_impl.h"

/* A slice has as many blocks of the busiest track at least: what it costs to begin a thread is little beside. */
enum { BLOCKS_MIN = 12 };

/* Of the track with the most blocks in the log. NULL: there is none. */
static const struct call_log_track *busiest(const struct call_log *log)
{
    const struct call_log_track *most = NULL;

    for (uint64_t i = 0; i < log->trailer.n_tracks; i++)
        if (most == NULL || log->tracks[i].n_parts > most->n_parts)
            most = &log->tracks[i];
    return most;
}

unsigned time_slices_cut(const struct convert_source *s, uint64_t from_ns, uint64_t to_ns, uint64_t *begin_ns)
{
    struct replay_request replay = {.n_tracks = 0};
    unsigned n = 1;

    begin_ns[0] = from_ns;
    if (s->parallel == NULL || s->parallel->jobs == 1)
        return n;
    profile_log_request(s->profile, &replay);
    const struct call_log_track *t = busiest(replay.log);
    if (t == NULL)
        return n;
    const struct call_log_part *parts = replay.log->parts + t->first_part;
    const uint32_t ns_per_tick = replay.profile->ns_per_tick;
    uint64_t from = 0, to = t->n_parts;
    while (from < to && number_multiply(parts[from].last_at, ns_per_tick) < from_ns)
        from++;
    while (to > from && number_multiply(parts[to - 1].first_at, ns_per_tick) >= to_ns)
        to--;
    uint64_t most = (to - from) / BLOCKS_MIN, jobs = s->parallel->jobs;
    most = most < jobs ? most : jobs;
    for (uint64_t i = 1; i < most; i++) {
        uint64_t ns = number_multiply(parts[from + (to - from) * i / most].first_at, ns_per_tick);
        if (ns > begin_ns[n - 1] && ns < to_ns)
            begin_ns[n++] = ns;
    }
    return n;
}

struct slice {
    time_slice_make *make;
    void *context;
    struct arena *arena;
    struct diag diag;
    unsigned nth;
    bool ok;
};

static void run_slice(void *of)
{
    struct slice *s = of;

    s->ok = s->make(s->context, s->nth, s->arena, &s->diag) || conversion_replay_failed(s->arena, &s->diag);
}

bool time_slices_make(const struct convert_source *s, unsigned n, time_slice_make *make, void *context,
                      const struct arena *of, struct arena *arenas, struct diag *diag)
{
    struct slice slices[PARALLEL_JOBS_MAX] = {{.nth = 0}};
    struct parallel_job jobs[PARALLEL_JOBS_MAX] = {{NULL, NULL}};

    for (unsigned i = 0; i < n; i++) {
        arena_init(&arenas[i], of->limit_bytes);
        (void)!arena_charge(&arenas[i], of->used_bytes); /* there is room for what `of` has */
        arenas[i].stop = of->stop;
        slices[i] = (struct slice){.make = make, .context = context, .nth = i, .arena = &arenas[i]};
        jobs[i] = (struct parallel_job){run_slice, &slices[i]};
    }
    s->parallel->run(s->parallel, jobs, n);
    for (unsigned i = 0; i < n; i++)
        if (!slices[i].ok) {
            *diag = slices[i].diag;
            return false;
        }
    return true;
}
