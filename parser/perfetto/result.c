/* All that was read as tracks of a profile: a heap of a process each, with its dumps as moments; and a thread each, with its
 * samples in the order of time. */
#include <stdlib.h>

#include "core/number.h"
#include "parser/perfetto/perfetto_impl.h"

enum { INTERVAL_DIGITS = 4 };

/* Where each value stands; PERFETTO_NONE: the file has none of it. */
struct layout {
    uint32_t unreleased, allocated, peak, samples; /* counts of objects stand behind bytes */
    uint32_t n;
};

struct maker {
    struct perfetto *t;
    struct layout layout;
    frame_id *frames; /* of one stack */
    size_t frames_capacity;
    uint32_t *path; /* the same as frames of the file */
    size_t path_capacity;
    struct idmap track_ids; /* that are taken */
    struct idmap nodes;     /* track and stack -> node */
    uint32_t next_track;
    uint64_t first_ns; /* of all samples */
};

/* ---- values ---- */

/* Whether all heaps are the C library's: then values have the names that Perfetto gives them. */
static bool all_malloc(const struct perfetto *t)
{
    for (size_t i = 0; i < t->heaps.n_heaps; i++) {
        struct str name = builder_text_of(t->builder, t->heaps.heaps[i].name);
        if (!str_eq(name, STR("libc.malloc")) && !str_eq(name, STR("unknown")))
            return false;
    }
    return true;
}

static void put_pair(struct profile_value *values, uint32_t *at, struct layout *l, struct str names[2],
                     struct str labels[2], enum profile_role role)
{
    *at = l->n;
    values[l->n++] = (struct profile_value){names[0], labels[0], UNIT_BYTES, role};
    values[l->n++] = (struct profile_value){names[1], labels[1], UNIT_COUNT, ROLE_OBJECTS};
}

static bool declare(struct maker *m)
{
    struct profile_value values[PROFILE_VALUES_MAX];
    const struct pf_heaps *h = &m->t->heaps;
    bool held = false, made = false, most = false, malloc_only = all_malloc(m->t), art_only = true;
    struct layout *l = &m->layout;

    *l = (struct layout){PERFETTO_NONE, PERFETTO_NONE, PERFETTO_NONE, PERFETTO_NONE, 0};
    for (size_t i = 0; i < h->n_heaps; i++) {
        held = held || (!h->heaps[i].at_max && !h->heaps[i].is_art);
        made = made || !h->heaps[i].at_max;
        most = most || h->heaps[i].at_max;
        art_only = art_only && h->heaps[i].is_art;
    }
    if (held)
        put_pair(values, &l->unreleased, l, (struct str[]){STR("unreleased"), STR("unreleased-count")},
                 malloc_only ? (struct str[]){STR("Unreleased malloc size"), STR("Unreleased malloc count")}
                             : (struct str[]){STR("Unreleased size"), STR("Unreleased count")},
                 ROLE_UNRELEASED);
    if (made)
        put_pair(values, &l->allocated, l, (struct str[]){STR("allocated"), STR("allocated-count")},
                 malloc_only ? (struct str[]){STR("Total malloc size"), STR("Total malloc count")}
                 : art_only  ? (struct str[]){STR("Total allocation size"), STR("Total allocation count")}
                             : (struct str[]){STR("Total size"), STR("Total count")},
                 ROLE_ALLOCATED);
    if (most)
        put_pair(values, &l->peak, l, (struct str[]){STR("peak"), STR("peak-count")},
                 (struct str[]){STR("Size when most was held"), STR("Count when most was held")},
                 ROLE_UNRELEASED);
    if (m->t->samples.n_samples > 0) {
        l->samples = l->n;
        values[l->n++] = (struct profile_value){STR("samples"), STR("samples"), UNIT_COUNT, ROLE_SAMPLES};
    }
    return builder_values(m->t->builder, NULL, 0, values, l->n);
}

/* ---- stacks ---- */

/* The stack's frames, in m->frames, the outermost first; *n are how many. */
static bool expand(struct maker *m, uint32_t stack, string_id package, size_t *n)
{
    struct perfetto *t = m->t;
    size_t depth = 0;

    *n = 0;
    for (uint32_t s = stack; s != PERFETTO_NONE; s = t->stacks.stacks[s].up) {
        if (!ARENA_ROOM(t->arena, m->path, m->path_capacity, depth + 1))
            return false;
        m->path[depth++] = t->stacks.stacks[s].frame;
    }
    while (depth-- > 0) {
        const struct pf_expansion *e = pf_expand(t, m->path[depth], package);
        if (e == NULL || !ARENA_ROOM(t->arena, m->frames, m->frames_capacity, *n + e->n))
            return false;
        for (uint32_t i = 0; i < e->n; i++)
            m->frames[(*n)++] = t->names.expanded[e->first + i];
    }
    return true;
}

/* ---- heaps ---- */

static int by_heap_and_time(const void *a, const void *b, void *dumps)
{
    const struct pf_dump *all = dumps, *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];

    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    return x->timestamp < y->timestamp ? -1 : x->timestamp > y->timestamp;
}

/* An id that no track has; `wanted` if that is free. */
static bool take_id(struct maker *m, uint32_t *id)
{
    while (idmap_get(&m->track_ids, *id) != IDMAP_NONE)
        *id = m->next_track++;
    return idmap_set(&m->track_ids, *id, 1);
}

static bool make_heap_tracks(struct maker *m, uint32_t *tracks)
{
    struct perfetto *t = m->t;

    for (uint32_t i = 0; i < t->heaps.n_heaps; i++) {
        const struct pf_heap *h = &t->heaps.heaps[i];
        string_id name = pf_process_name(t, h->pid);
        uint32_t id = m->next_track++;
        if (name == STRING_NONE || !take_id(m, &id) ||
            (tracks[i] = builder_track(t->builder, id, name)) == NODE_NONE)
            return false;
        builder_track_is(t->builder, tracks[i], &(struct track_words){TRACK_HEAP, h->pid, h->name, name});
    }
    return true;
}

/* Dumps are the moments of their heap's track, by time. */
static bool make_moments(struct maker *m, const uint32_t *tracks)
{
    struct pf_heaps *h = &m->t->heaps;
    uint32_t *order = arena_array(m->t->arena, h->n_dumps, sizeof(*order));
    uint64_t first = UINT64_MAX;

    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < h->n_dumps; i++) {
        order[i] = i;
        first = h->dumps[i].timestamp < first ? h->dumps[i].timestamp : first;
    }
    qsort_r(order, h->n_dumps, sizeof(*order), by_heap_and_time, h->dumps);
    for (size_t i = 0; i < h->n_dumps; i++) {
        struct pf_dump *d = &h->dumps[order[i]];
        if (!builder_moment(m->t->builder, tracks[d->heap], d->timestamp - first, &d->moment))
            return false;
    }
    return true;
}

/* The node of the row's stack: most stacks come in many dumps. */
static node_id node_of(struct maker *m, const struct pf_row *row, uint32_t track)
{
    uint64_t key = (uint64_t)track << 32 | row->stack;
    node_id node = idmap_get(&m->nodes, key);
    size_t n;

    if (node != IDMAP_NONE)
        return node;
    if (!expand(m, row->stack, pf_process_package(m->t, m->t->heaps.heaps[row->heap].pid), &n))
        return NODE_NONE;
    node = builder_stack(m->t->builder, track, m->frames, n);
    return node != NODE_NONE && idmap_set(&m->nodes, key, node) ? node : NODE_NONE;
}

static bool put_row(struct maker *m, const struct pf_row *row, uint32_t track)
{
    const struct pf_heap *h = &m->t->heaps.heaps[row->heap];
    const struct layout *l = &m->layout;
    int64_t changes[PROFILE_VALUES_MAX] = {0};

    if (h->at_max) {
        changes[l->peak] = row->allocated.bytes;
        changes[l->peak + 1] = row->allocated.count;
    } else {
        changes[l->allocated] = row->allocated.bytes;
        changes[l->allocated + 1] = row->allocated.count;
    }
    if (!h->at_max && !h->is_art) {
        changes[l->unreleased] = row->allocated.bytes - row->freed.bytes;
        changes[l->unreleased + 1] = row->allocated.count - row->freed.count;
    }
    node_id node = node_of(m, row, track);
    return node != NODE_NONE &&
           builder_change(m->t->builder, track, m->t->heaps.dumps[row->dump].moment, node, changes);
}

static bool put_interval(struct perfetto *t)
{
    struct buf b = {0};
    uint64_t interval = 0;

    for (size_t i = 0; i < t->heaps.n_heaps; i++)
        interval = t->heaps.heaps[i].interval > interval ? t->heaps.heaps[i].interval : interval;
    if (interval == 0)
        return true;
    builder_sampled(t->builder, interval);
    buf_value(&b, UNIT_BYTES, interval, INTERVAL_DIGITS);
    buf_z(&b, " of allocations on average");
    bool ok = !b.failed && builder_fact(t->builder, STR("period"), buf_view(&b));
    buf_free(&b);
    pf_warn(t, WARN_HEAP_ESTIMATE, t->heaps.n_rows);
    return ok;
}

static bool put_heaps(struct maker *m)
{
    struct perfetto *t = m->t;
    uint32_t *tracks = arena_array(t->arena, t->heaps.n_heaps, sizeof(*tracks));
    uint64_t empty = 0;

    if (t->heaps.n_heaps == 0)
        return true;
    if (tracks == NULL || !make_heap_tracks(m, tracks) || !make_moments(m, tracks) || !put_interval(t))
        return false;
    for (size_t i = 0; i < t->heaps.n_rows; i++)
        if (!put_row(m, &t->heaps.rows[i], tracks[t->heaps.rows[i].heap]))
            return false;
    for (size_t i = 0; i < t->heaps.n_heaps; i++)
        empty += t->heaps.heaps[i].n_samples == 0;
    pf_warn(t, WARN_HEAP_EMPTY, empty);
    for (size_t i = 0; i < t->n_sequences; i++)
        pf_warn(t, WARN_HEAP_CUT, t->sequences[i].n_pending > 0);
    return true;
}

/* ---- CPU samples ---- */

static int by_thread_and_time(const void *a, const void *b)
{
    const struct pf_sample *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->stack != y->stack) /* of one time: any order, but always the same */
        return x->stack < y->stack ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static bool make_thread_track(struct maker *m, const struct pf_thread *thread, uint32_t *track)
{
    struct perfetto *t = m->t;
    string_id name = pf_thread_name(t, thread->tid), process = pf_process_name(t, thread->pid);
    uint32_t id = thread->tid;

    if (name == STRING_NONE || process == STRING_NONE || !take_id(m, &id) ||
        (*track = builder_track(t->builder, id, name)) == NODE_NONE)
        return false;
    builder_track_is(t->builder, *track,
                     &(struct track_words){TRACK_THREAD, thread->tid, STRING_EMPTY, process});
    return true;
}

static bool put_samples(struct maker *m)
{
    struct perfetto *t = m->t;
    struct pf_samples *all = &t->samples;
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    uint32_t track = 0;
    size_t n;

    if (all->n_samples > 0)
        qsort(all->samples, all->n_samples, sizeof(*all->samples), by_thread_and_time);
    m->first_ns = UINT64_MAX;
    for (size_t i = 0; i < all->n_samples; i++)
        m->first_ns = all->samples[i].time_ns < m->first_ns ? all->samples[i].time_ns : m->first_ns;
    for (size_t i = 0; i < all->n_samples; i++) {
        const struct pf_sample *s = &all->samples[i];
        const struct pf_thread *thread = &all->threads[s->thread];
        if ((i == 0 || s->thread != all->samples[i - 1].thread) && !make_thread_track(m, thread, &track))
            return false;
        uint64_t at = s->time_ns - m->first_ns;
        values[m->layout.samples] = s->weight;
        if (!expand(m, s->stack, pf_process_package(t, thread->pid), &n) ||
            !builder_sample_at(t->builder, track, m->frames, n, values, at > INT64_MAX ? INT64_MAX : at))
            return false;
    }
    return true;
}

/* Threads keep their ids; heaps are numbered from 1. */
bool pf_result(struct perfetto *t)
{
    struct maker m = {.t = t, .next_track = 1};

    idmap_init(&m.track_ids, t->arena, t->seed);
    idmap_init(&m.nodes, t->arena, t->seed);
    return declare(&m) && put_heaps(&m) && put_samples(&m) && pf_unwinding(t);
}
