/* All that was read as tracks of a profile: a heap of a process each, with its dumps as moments; and a
 * thread each, with its samples in the order of time. Where the file has sections as well, these are tracks of their own
 * (parser/systrace), and all times count from the same moment. */
#include "core/number.h"
#include "core/order.h"
#include "parser/perfetto/perfetto_impl.h"

/* ---- libraries without unwind information ---- */

/* A stack cannot be followed beyond the first function of such a library, which is the outermost one then
 * (Perfetto's manual of native heap profiles, "Only one frame shown"). A library that begins threads is
 * the outermost one as well, but with few functions, and has others on other stacks. */

enum { DIFFERENT_LEAST = 3, NAMED_MAX = 5 };

/* How the stacks in one mapping end. */
struct ends {
    uint32_t outermost; /* different functions that are */
    bool deeper;        /* it has other frames as well */
};

static struct str text_of(const struct perfetto *t, string_id id)
{
    return builder_text_of(t->builder, id);
}

static bool is_error(const struct perfetto *t, uint32_t stack)
{
    return str_starts(text_of(t, t->stacks.frames[t->stacks.stacks[stack].frame].name), STR("ERROR "));
}

static void count(const struct perfetto *t, struct ends *ends)
{
    const struct pf_stacks *s = &t->stacks;

    for (size_t i = 0; i < s->n_stacks && !arena_stopped_at(t->arena, i); i++) {
        uint32_t up = s->stacks[i].up, mapping = s->frames[s->stacks[i].frame].mapping;
        if (mapping == PERFETTO_NONE)
            continue;
        if (up == PERFETTO_NONE || is_error(t, up))
            ends[mapping].outermost++;
        else
            ends[mapping].deeper = true;
    }
}

static bool warn_unwinding(struct perfetto *t)
{
    struct buf names = {0};
    uint32_t n = 0;

    if (t->stacks.n_mappings == 0)
        return true;
    struct ends *ends = arena_array(t->arena, t->stacks.n_mappings, sizeof(*ends));
    if (ends == NULL)
        return false;
    count(t, ends);
    for (size_t i = 0; i < t->stacks.n_mappings; i++) {
        struct str path = text_of(t, t->stacks.mappings[i].path);
        if (ends[i].deeper || ends[i].outermost < DIFFERENT_LEAST || !str_ends(path, STR(".so")))
            continue;
        if (n < NAMED_MAX) {
            buf_z(&names, n > 0 ? ", " : "");
            buf_str(&names, path);
        }
        n++;
    }
    pf_warn(t, WARN_ONE_FRAME, n);
    bool ok = n == 0 || (!names.failed && builder_fact(t->builder, STR("one-frame"), buf_view(&names)));
    buf_free(&names);
    return ok;
}

enum {
    INTERVAL_DIGITS = 4,
    CLOCK_MONOTONIC = 3,
    CLOCK_OF_DUMPS = 4,       /* CLOCK_MONOTONIC_COARSE: a reading of the monotonic clock */
    FIRST_BESIDE_ID = 1 << 24 /* of tracks beside sections: above all tids, and what sections take */
};

/* Where each value stands; PERFETTO_NONE: the file has none of it. */
struct layout {
    uint32_t unreleased, allocated, peak, samples; /* counts of objects stand behind bytes */
    uint32_t n;
};

struct maker {
    struct perfetto *t;
    struct layout layout;
    struct place {
        uint32_t track; /* the last one that it was put into, counted from 1; 0: none */
        node_id node;   /* where it ends there */
    } * places;         /* by stack */
    uint32_t *path;     /* stacks that are to be put, the longest first */
    size_t path_capacity;
    struct idmap track_ids; /* that are taken */
    struct idmap nodes;     /* of heaps: track and stack -> node */
    uint32_t next_track;
    bool sections;     /* the file has some */
    uint64_t first_ns; /* that times count from: of all samples; UINT64_MAX: there are none */
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

/* Returns how many there are. */
static uint32_t list_values(struct maker *m, struct profile_value values[PROFILE_VALUES_MAX])
{
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
    return l->n;
}

/* Tells what is measured; behind it all of the sections, if there are some. */
static bool declare(struct maker *m)
{
    struct perfetto *t = m->t;
    struct profile_value values[PROFILE_VALUES_MAX];
    uint32_t n = list_values(m, values);
    uint64_t begin;

    if (!m->sections)
        return builder_values(t->builder, NULL, 0, values, n);
    if (!systrace_begins(t->system, &begin))
        return false;
    m->first_ns = begin < m->first_ns ? begin : m->first_ns;
    systrace_began(t->system, m->first_ns);
    return systrace_result(t->system, values, n);
}

/* ---- stacks ---- */

/* The node of the stack on that track. What is there of it already is not looked at again: most stacks
 * come many times, and share their outer frames. NODE_NONE when the arena gives no more. */
static node_id put_stack(struct maker *m, uint32_t track, uint32_t stack, string_id package)
{
    struct perfetto *t = m->t;
    const struct pf_stack *stacks = t->stacks.stacks;
    node_id node = NODE_NONE;
    size_t n = 0;

    for (; stack != PERFETTO_NONE && m->places[stack].track != track + 1; stack = stacks[stack].up) {
        if (!ARENA_ROOM(t->arena, m->path, m->path_capacity, n + 1))
            return NODE_NONE;
        m->path[n++] = stack;
    }
    if (stack != PERFETTO_NONE)
        node = m->places[stack].node;
    while (n-- > 0) {
        const struct pf_expansion *e = pf_expand(t, stacks[m->path[n]].frame, package);
        if (e != NULL)
            node = builder_stack(t->builder, track, node, t->names.expanded + e->first, e->n);
        if (e == NULL || node == NODE_NONE)
            return NODE_NONE;
        m->places[m->path[n]] = (struct place){track + 1, node};
    }
    return node;
}

/* ---- heaps ---- */

static bool by_heap_and_time(const void *dumps, uint32_t a, uint32_t b)
{
    const struct pf_dump *all = dumps, *x = &all[a], *y = &all[b];

    return x->heap != y->heap ? x->heap < y->heap : x->timestamp < y->timestamp;
}

/* An id that no track has; `wanted` if that is free. */
static bool take_id(struct maker *m, uint32_t *id)
{
    while (idmap_get(&m->track_ids, *id) != IDMAP_NONE ||
           (m->sections && systrace_has_track(m->t->system, *id)))
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
        builder_track_is(
            t->builder, tracks[i],
            &(struct track_words){
                .kind = TRACK_HEAP, .number = h->pid, .part = h->name, .group = name, .process = h->pid});
        if (m->sections)
            builder_track_beside(t->builder, tracks[i], 0, 0,
                                 m->layout.n - (m->layout.samples != PERFETTO_NONE));
    }
    return true;
}

/* When the dump was, since the moment from which times count; `first`: of all dumps. */
static uint64_t dump_time(const struct maker *m, const struct pf_dump *d, uint64_t first)
{
    const int64_t *to_boot = m->t->to_boot_ns;
    int64_t more = to_boot[CLOCK_OF_DUMPS] != 0 ? to_boot[CLOCK_OF_DUMPS] : to_boot[CLOCK_MONOTONIC];
    bool alone = !m->sections && m->t->samples.n_samples == 0;
    uint64_t at = alone ? d->timestamp : d->timestamp + (uint64_t)more;
    uint64_t begin = alone ? first : m->first_ns;

    return at > begin ? at - begin : 0;
}

/* Dumps are the moments of their heap's track, by time. */
static bool make_moments(struct maker *m, const uint32_t *tracks)
{
    struct pf_heaps *h = &m->t->heaps;
    uint32_t *order = arena_array(m->t->arena, h->n_dumps, sizeof(*order));
    uint64_t first = UINT64_MAX, last = 0;

    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < h->n_dumps; i++) {
        order[i] = i;
        first = h->dumps[i].timestamp < first ? h->dumps[i].timestamp : first;
    }
    if (!order_array(order, h->n_dumps, by_heap_and_time, h->dumps, m->t->arena))
        return false;
    for (size_t i = 0; i < h->n_dumps; i++) {
        struct pf_dump *d = &h->dumps[order[i]];
        uint64_t time = dump_time(m, d, first);
        /* Dumps of before the beginning, which damage alone makes, are still one behind the other. */
        if (i > 0 && h->dumps[order[i - 1]].heap == d->heap && time <= last)
            time = last + 1;
        last = time;
        if (!builder_moment(m->t->builder, tracks[d->heap], time, &d->moment))
            return false;
    }
    return true;
}

/* The node of the row's stack: most stacks come in many dumps. */
static node_id node_of(struct maker *m, const struct pf_row *row, uint32_t track)
{
    uint64_t key = (uint64_t)track << 32 | row->stack;
    node_id node = idmap_get(&m->nodes, key);

    if (node != IDMAP_NONE)
        return node;
    node = put_stack(m, track, row->stack, pf_process_package(m->t, m->t->heaps.heaps[row->heap].pid));
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

/* Of samples of one thread. Of one time: any order, but always the same. */
static bool is_earlier(const void *samples, uint32_t a, uint32_t b)
{
    const struct pf_sample *all = samples, *x = &all[a], *y = &all[b];

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns;
    return x->stack != y->stack ? x->stack < y->stack : x->weight < y->weight;
}

/* The samples in the order of threads and times. */
struct sample_order {
    uint32_t *samples;
    size_t *end; /* by thread: where its samples end */
};

/* Each thread's samples are taken out first: mostly they are in the order of time already. */
static bool sort_samples(struct perfetto *t, struct sample_order *o)
{
    const struct pf_samples *all = &t->samples;
    size_t first = 0;

    o->samples = arena_lend(t->arena, all->n_samples, sizeof(*o->samples));
    o->end = arena_array(t->arena, all->n_threads + 1, sizeof(*o->end));
    if (o->samples == NULL || o->end == NULL || all->n_samples > UINT32_MAX)
        return false;
    for (size_t i = 0; i < all->n_samples && !arena_stopped_at(t->arena, i); i++)
        o->end[all->samples[i].thread + 1]++;
    for (size_t i = 0; i < all->n_threads; i++)
        o->end[i + 1] += o->end[i];
    for (size_t i = 0; i < all->n_samples && !arena_stopped_at(t->arena, i); i++)
        o->samples[o->end[all->samples[i].thread]++] = (uint32_t)i;
    for (size_t i = 0; i < all->n_threads; first = o->end[i++])
        if (!order_array(o->samples + first, o->end[i] - first, is_earlier, all->samples, t->arena))
            return false;
    return true;
}

/* Beside sections: the track is of a thread that may have some, and is called as that one. */
static bool find_sections(struct maker *m, const struct pf_thread *thread, string_id *name,
                          string_id *process, uint32_t *beside)
{
    struct perfetto *t = m->t;
    struct systrace_whose whose = systrace_whose(t->system, thread->pid, thread->tid);
    struct buf b = {0};

    if (whose.name == STRING_NONE || whose.process == STRING_NONE)
        return false;
    *beside = whose.track;
    *process = whose.process != STRING_EMPTY ? whose.process : *process;
    buf_str(&b, text_of(t, whose.name != STRING_EMPTY ? whose.name : *name));
    buf_z(&b, ", CPU samples");
    *name = builder_string_of(t->builder, &b);
    return *name != STRING_NONE;
}

static bool make_thread_track(struct maker *m, const struct pf_thread *thread, uint32_t *track)
{
    struct perfetto *t = m->t;
    string_id name = pf_thread_name(t, thread->tid), process = pf_process_name(t, thread->pid);
    uint32_t id = m->sections ? m->next_track++ : thread->tid, beside = 0;

    if (name == STRING_NONE || process == STRING_NONE ||
        (m->sections && !find_sections(m, thread, &name, &process, &beside)) || !take_id(m, &id) ||
        (*track = builder_track(t->builder, id, name)) == NODE_NONE)
        return false;
    builder_track_is(t->builder, *track,
                     &(struct track_words){.kind = m->sections ? TRACK_SAMPLES : TRACK_THREAD,
                                           .number = thread->tid,
                                           .part = STRING_EMPTY,
                                           .group = process,
                                           .process = thread->pid});
    if (m->sections)
        builder_track_beside(t->builder, *track, beside, m->layout.samples, 1);
    return true;
}

/* `values`: all are 0 but that of samples. */
static bool put_sample(struct maker *m, const struct pf_sample *s, uint32_t track, string_id package,
                       uint64_t *values)
{
    uint64_t at = s->time_ns - m->first_ns;
    node_id node = put_stack(m, track, s->stack, package);

    values[m->layout.samples] = s->weight;
    return builder_sample_at(m->t->builder, track, node, values, at > INT64_MAX ? INT64_MAX : at);
}

static uint64_t first_sample(const struct perfetto *t)
{
    const struct pf_samples *all = &t->samples;
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < all->n_samples; i++)
        first_ns = all->samples[i].time_ns < first_ns ? all->samples[i].time_ns : first_ns;
    return first_ns;
}

static bool put_samples(struct maker *m)
{
    struct perfetto *t = m->t;
    const struct pf_samples *all = &t->samples;
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    struct sample_order order;
    uint32_t track;
    size_t at = 0;

    if (!sort_samples(t, &order))
        return false;
    for (size_t i = 0; i < all->n_threads; i++) {
        string_id package = pf_process_package(t, all->threads[i].pid);
        if (order.end[i] > at && !make_thread_track(m, &all->threads[i], &track))
            return false;
        for (; at < order.end[i]; at++)
            if (!put_sample(m, &all->samples[order.samples[at]], track, package, values))
                return false;
    }
    return true;
}

/* Threads keep their ids; heaps are numbered from 1. Beside sections, which have the ids of threads, all are numbered. */
bool pf_result(struct perfetto *t)
{
    bool sections = systrace_has_records(t->system);
    struct maker m = {.t = t,
                      .next_track = sections ? FIRST_BESIDE_ID : 1,
                      .sections = sections,
                      .first_ns = first_sample(t)};

    idmap_init(&m.track_ids, t->arena, t->seed);
    idmap_init(&m.nodes, t->arena, t->seed);
    m.places = arena_array(t->arena, t->stacks.n_stacks, sizeof(*m.places));
    return m.places != NULL && declare(&m) && put_heaps(&m) && put_samples(&m) && warn_unwinding(t);
}
