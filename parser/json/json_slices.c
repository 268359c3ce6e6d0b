/* Slices of trace events as calls. Events stand in any order: those of a thread are sorted by their begin, and in the order
 * of the file where these are equal; of whole slices (X) that begin together the longest is outermost. Before each event
 * those that have ended are closed, the earliest first. An end (E) closes the innermost open slice of its name, one
 * without a name the innermost of all. What breaks the nesting is repaired as the builder does it.
 *
 * Writers that write a slice when it is over have callees in front of their callers, also where both have the same
 * times. If no end of X in the file goes back, while some begin does, it is such a one, and each slice takes in the
 * latest finished ones that do not begin before it.
 *
 * The thread clock is read at ts by tts; where a whole slice ends it is tdur more than where it began. Where nothing
 * says it, it stands still, so that the times of slices themselves are right. */

#include "core/number.h"
#include "core/order.h"
#include "parser/json/json_impl.h"

enum { BATCH = 128 };

/* A slice that is open. */
struct open {
    frame_id frame;
    string_id name;
    int64_t end, cpu_end; /* COLUMN_NONE: nothing says so */
    size_t
        earliest; /* of those up to this one, the place of that which ends first; SIZE_MAX: none has an end */
};

struct folding {
    struct json_doc *d;
    const struct json_slice *all;
    uint32_t *order; /* of all: by thread, then by time */
    uint32_t *count; /* by name: how many are open */
    size_t names;
    struct open *open;
    size_t depth, capacity;
    uint32_t track;
    int64_t begin_ns, cpu_shift; /* what wall times are taken less by, and CPU times more */
    int64_t cpu;                 /* the last reading of the thread */
    bool has_cpu;
    uint32_t *child, *next, *way; /* of slices that stand in the order of their ends */
    size_t n_events;
    struct event events[BATCH];
};

/* ---- events ---- */

static bool flush(struct folding *f)
{
    size_t n = f->n_events;

    f->n_events = 0;
    return n == 0 || builder_events(f->d->builder, f->events, n, f->d->begin, 0);
}

static bool put(struct folding *f, enum event_action action, frame_id frame, int64_t at, int64_t cpu)
{
    if (f->n_events == BATCH && !flush(f))
        return false;
    int64_t wall = number_add_signed(at, f->begin_ns > 0 ? -f->begin_ns : 0);
    wall =
        f->begin_ns < 0 ? number_add_signed(at, f->begin_ns == INT64_MIN ? INT64_MAX : -f->begin_ns) : wall;
    f->cpu = cpu > f->cpu ? cpu : f->cpu;
    f->events[f->n_events++] =
        (struct event){.track = f->track,
                       .frame = frame,
                       .action = action,
                       .clock = {(uint64_t)(wall < 0 ? 0 : wall), (uint64_t)(cpu < 0 ? 0 : cpu)}};
    return true;
}

static int64_t cpu_at(const struct folding *f, int64_t tts)
{
    return tts == COLUMN_NONE ? f->cpu : number_add_signed(tts, f->cpu_shift);
}

/* ---- the stack ---- */

static bool push(struct folding *f, const struct json_slice *s)
{
    if (!put(f, EVENT_ENTER, s->frame, s->ts, cpu_at(f, s->tts)) ||
        !ARENA_ROOM(f->d->arena, f->open, f->capacity, f->depth + 1))
        return false;
    struct open *o = &f->open[f->depth];
    bool whole = s->kind == JSON_SLICE_WHOLE;
    *o = (struct open){.frame = s->frame,
                       .name = s->name,
                       .end = whole ? number_add_signed(s->ts, s->dur) : COLUMN_NONE,
                       .cpu_end =
                           whole && s->tdur != COLUMN_NONE ? number_add_signed(f->cpu, s->tdur) : COLUMN_NONE,
                       .earliest = f->depth > 0 ? o[-1].earliest : SIZE_MAX};
    if (whole && (o->earliest == SIZE_MAX || o->end <= f->open[o->earliest].end))
        o->earliest = f->depth;
    f->depth++;
    f->count[s->name]++;
    return true;
}

/* Closes what is open from `place` on. What stands above that has no end of its own. */
static bool close_from(struct folding *f, size_t place, int64_t at, int64_t cpu)
{
    if (f->depth > place + 1)
        builder_warn(f->d->builder, WARN_POPPED, 1, WARNING_NO_OFFSET);
    while (f->depth > place) {
        const struct open *o = &f->open[--f->depth];
        f->count[o->name]--;
        if (!put(f, EVENT_EXIT, o->frame, at, cpu))
            return false;
    }
    return true;
}

/* Closes whole slices that end before `at`, and those that end at it while they are on top. */
static bool close_ended(struct folding *f, int64_t at, bool all)
{
    while (f->depth > 0) {
        size_t place = f->open[f->depth - 1].earliest;
        if (place == SIZE_MAX)
            return true;
        const struct open *o = &f->open[place];
        if (!all && (o->end > at || (o->end == at && place != f->depth - 1)))
            return true;
        if (!close_from(f, place, o->end, o->cpu_end == COLUMN_NONE ? f->cpu : o->cpu_end))
            return false;
    }
    return true;
}

static bool end_slice(struct folding *f, const struct json_slice *s)
{
    int64_t cpu = cpu_at(f, s->tts);
    size_t place = f->depth;

    if (f->depth == 0 || (s->frame != FRAME_NONE && f->count[s->name] == 0))
        return put(f, EVENT_EXIT, s->frame, s->ts, cpu);
    do
        place--;
    while (s->frame != FRAME_NONE && f->open[place].name != s->name);
    return close_from(f, place, s->ts, cpu);
}

/* ---- threads ---- */

static bool begins_before(const void *context, uint32_t a, uint32_t b)
{
    const struct json_slice *all = context;

    return all[a].ts < all[b].ts;
}

static bool is_longer(const void *context, uint32_t a, uint32_t b)
{
    const struct json_slice *all = context;

    return all[a].dur > all[b].dur;
}

/* Sorts the whole slices among events of one time. The other events keep their places. */
static bool sort_equal(struct folding *f, uint32_t *order, size_t n, uint32_t *wholes)
{
    size_t n_wholes = 0, next = 0;

    for (size_t i = 0; i < n; i++)
        if (f->all[order[i]].kind == JSON_SLICE_WHOLE)
            wholes[n_wholes++] = order[i];
    if (n_wholes < 2)
        return true;
    if (!order_array(wholes, n_wholes, is_longer, f->all, f->d->arena))
        return false;
    for (size_t i = 0; i < n; i++)
        if (f->all[order[i]].kind == JSON_SLICE_WHOLE)
            order[i] = wholes[next++];
    return true;
}

static bool sort_thread(struct folding *f, uint32_t *order, size_t n)
{
    if (!order_array(order, n, begins_before, f->all, f->d->arena))
        return false;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && f->all[order[end]].ts == f->all[order[i]].ts;)
            end++;
        if (end - i > 1 && !sort_equal(f, order + i, end - i, f->way))
            return false;
    }
    return true;
}

static bool fold_thread(struct folding *f, uint32_t *order, size_t n)
{
    if (!sort_thread(f, order, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct json_slice *s = &f->all[order[i]];
        if (arena_stopped_at(f->d->arena, i) || !close_ended(f, s->ts, false) ||
            !(s->kind == JSON_SLICE_END ? end_slice(f, s) : push(f, s)))
            return false;
    }
    bool good = close_ended(f, 0, true);
    while (f->depth > 0)
        f->count[f->open[--f->depth].name]--;
    return good;
}

/* ---- slices in the order of their ends ---- */

static int64_t end_of(const struct json_slice *s)
{
    return number_add_signed(s->ts, s->dur);
}

/* Whether no end of the thread goes back; *inverted: some begin does. */
static bool ends_in_order(const struct folding *f, const uint32_t *order, size_t n, bool *inverted)
{
    const struct json_slice *before = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct json_slice *s = &f->all[order[i]];
        if (s->kind != JSON_SLICE_WHOLE)
            continue;
        if (before != NULL && end_of(s) < end_of(before))
            return false;
        *inverted = *inverted || (before != NULL && s->ts < before->ts);
        before = s;
    }
    return true;
}

static bool all_whole(const struct folding *f, const uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (f->all[order[i]].kind != JSON_SLICE_WHOLE)
            return false;
    return true;
}

/* Links each slice to its callees, in the order of time. Returns the first one that has no caller. */
static uint32_t link_callees(struct folding *f, const uint32_t *order, size_t n)
{
    size_t done = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t s = order[i];
        f->child[s] = f->next[s] = ORDER_NONE;
        while (done > 0 && f->all[f->way[done - 1]].ts >= f->all[s].ts) {
            uint32_t callee = f->way[--done];
            f->next[callee] = f->child[s];
            f->child[s] = callee;
        }
        f->way[done++] = s;
    }
    for (size_t i = 1; i < done; i++)
        f->next[f->way[i - 1]] = f->way[i];
    return done > 0 ? f->way[0] : ORDER_NONE;
}

/* The slice and all that it is the caller of, and those behind it, without recursion. */
static bool fold_linked(struct folding *f, uint32_t s)
{
    uint64_t steps = 0;

    while (s != ORDER_NONE) {
        const struct json_slice *slice = &f->all[s];
        if (arena_stopped_at(f->d->arena, steps++) || !push(f, slice))
            return false;
        f->way[f->depth - 1] = s;
        if (f->child[s] != ORDER_NONE) {
            s = f->child[s];
            continue;
        }
        for (s = ORDER_NONE; s == ORDER_NONE && f->depth > 0;) {
            const struct open *o = &f->open[f->depth - 1];
            s = f->next[f->way[f->depth - 1]];
            int64_t cpu = o->cpu_end != COLUMN_NONE && o->cpu_end > f->cpu ? o->cpu_end : f->cpu;
            if (!close_from(f, f->depth - 1, o->end, cpu))
                return false;
        }
    }
    return true;
}

static bool fold_by_ends(struct folding *f, const uint32_t *order, size_t n)
{
    /* The begin of a slice has no reading of the thread clock here, even if the file has one. */
    return fold_linked(f, link_callees(f, order, n));
}

/* ---- all of them ---- */

/* *ends[thread]: where its part of f->order ends. */
static size_t *group_by_thread(struct folding *f, const struct json_slices *s, size_t n_threads)
{
    size_t *ends = arena_array(f->d->arena, n_threads + 1, sizeof(*ends));

    if (ends == NULL)
        return NULL;
    for (size_t i = 0; i < s->n; i++)
        ends[s->all[i].thread + 1]++;
    for (size_t i = 0; i < n_threads; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 0; i < s->n; i++)
        f->order[ends[s->all[i].thread]++] = (uint32_t)i;
    return ends;
}

static void find_begin(struct folding *f, const struct json_slices *s)
{
    int64_t cpu = 0;

    f->begin_ns = INT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const struct json_slice *one = &s->all[i];
        f->begin_ns = one->ts < f->begin_ns ? one->ts : f->begin_ns;
        cpu = one->tts != COLUMN_NONE && one->tts < cpu ? one->tts : cpu;
        f->names = one->name >= f->names ? (size_t)one->name + 1 : f->names;
    }
    f->cpu_shift = -cpu;
}

static bool make_room(struct folding *f, const struct json_slices *s)
{
    f->order = arena_array(f->d->arena, s->n + 1, sizeof(*f->order));
    f->way = arena_array(f->d->arena, s->n + 1, sizeof(*f->way));
    f->count = arena_array(f->d->arena, f->names + 1, sizeof(*f->count));
    return f->order != NULL && f->way != NULL && f->count != NULL;
}

static bool make_links(struct folding *f, size_t n)
{
    f->child = arena_array(f->d->arena, n + 1, sizeof(*f->child));
    f->next = arena_array(f->d->arena, n + 1, sizeof(*f->next));
    return f->child != NULL && f->next != NULL;
}

bool json_fold_slices(struct json_doc *d, struct json_slices *slices, const uint32_t *tracks,
                      size_t n_threads, bool cpu)
{
    struct folding f = {.d = d, .all = slices->all, .has_cpu = cpu};
    bool by_ends = true, inverted = false;

    find_begin(&f, slices);
    if (!make_room(&f, slices))
        return false;
    const size_t *ends = group_by_thread(&f, slices, n_threads);
    if (ends == NULL)
        return false;
    for (size_t t = 0, i = 0; t < n_threads && by_ends; i = ends[t++])
        by_ends = ends_in_order(&f, f.order + i, ends[t] - i, &inverted);
    by_ends = by_ends && inverted;
    if (by_ends && !make_links(&f, slices->n))
        return false;
    for (size_t t = 0, i = 0; t < n_threads; i = ends[t++]) {
        size_t n = ends[t] - i;
        f.track = tracks[t];
        f.cpu = 0;
        if (n > 0 && !(by_ends && all_whole(&f, f.order + i, n) ? fold_by_ends(&f, f.order + i, n)
                                                                : fold_thread(&f, f.order + i, n)))
            return false;
        if (!flush(&f))
            return false;
    }
    return true;
}
