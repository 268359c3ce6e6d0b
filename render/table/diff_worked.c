#include "render/table/diff_worked.h"

#include "core/number.h"
#include "core/order.h"
#include "profile/compare/compare.h"
#include "profile/frame/allocators.h"
#include "profile/frame/waits.h"
#include "profile/thread_time.h"
#include "render/names/names.h"

/* The numbers of a row, each a pair. */
enum number { INCLUSIVE, EXCLUSIVE, WAITED, CALLS, NUMBERS };

struct maker {
    struct diff_worked *w;
    const struct profile *p;
    const struct profile_compared *c;
    uint32_t base, runs;
    bool splits;                                   /* the value is wall time, of which waiting is taken off */
    struct time_values clocks[PROFILE_VALUES_MAX]; /* by run, with `splits` */
    const bool *allocates; /* [n_frames]: what it took counts for its caller; NULL: the value is no memory */
    uint64_t *node;
    uint64_t *rows; /* [(row * NUMBERS + number) * runs + run] */
    uint64_t waited[PROFILE_VALUES_MAX], worked[PROFILE_VALUES_MAX]; /* by run, of all */
};

/* ---- tracks ---- */

enum { ON_A = 1, ON_B = 2 };

/* Of each track of the comparison, on which sides it is. NULL: the arena gives no more. */
static const uint8_t *find_sides(const struct maker *m, struct arena *arena)
{
    uint8_t *sides = arena_array(arena, m->p->n_tracks, sizeof(*sides));

    for (uint32_t i = 0; sides != NULL && i < m->c->n_members; i++) {
        const struct compare_member *member = &m->c->members[i];
        const struct profile_track *track = profile_track_by_id(m->p, member->track);
        if (track != NULL)
            sides[track - m->p->tracks] |= member->run < m->c->n_a ? ON_A : ON_B;
    }
    return sides;
}

static bool is_no_thread(const struct maker *m, const struct profile_track *track)
{
    return m->c->bases[m->base].unit == UNIT_NS &&
           (track->kind == TRACK_ASYNC || track->kind == TRACK_SECOND);
}

static struct diff_pair pair_of(const struct maker *m, const uint64_t *of_run)
{
    return diff_pair_of_runs(m->c, &m->w->t->diff->scale, m->base, of_run);
}

static void keep_alone(struct maker *m, uint32_t track)
{
    struct diff_worked *w = m->w;
    uint64_t of_run[PROFILE_VALUES_MAX] = {0};
    uint32_t kept = w->n_alone < DIFF_ALONE_MAX ? w->n_alone : DIFF_ALONE_MAX, at = kept;

    for (uint32_t r = 0; r < m->runs; r++)
        of_run[r] = profile_total(m->p, m->p->tracks[track].first, compare_value(m->c, m->base, r));
    struct diff_alone alone = {track, pair_of(m, of_run)};
    if (diff_size(alone.pair) == 0)
        return;
    w->n_alone++;
    while (at > 0 && diff_size(alone.pair) > diff_size(w->alone[at - 1].pair))
        at--;
    order_insert(w->alone, &kept, DIFF_ALONE_MAX, at, &alone, sizeof(alone));
}

/* Where no track has a partner, all of them are compared. */
static bool find_tracks(struct maker *m, struct arena *arena)
{
    const struct table *t = m->w->t;
    const uint8_t *sides = find_sides(m, arena);
    uint32_t *tracks = arena_array(arena, t->n_tracks, sizeof(*tracks)), n = 0;
    bool any = false;

    if (sides == NULL || tracks == NULL)
        return false;
    for (uint32_t i = 0; i < t->n_tracks; i++)
        any = any || (sides[t->tracks[i]] == (ON_A | ON_B) && !is_no_thread(m, &m->p->tracks[t->tracks[i]]));
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        if (is_no_thread(m, &m->p->tracks[t->tracks[i]]))
            continue;
        if (!any || sides[t->tracks[i]] == (ON_A | ON_B))
            tracks[n++] = t->tracks[i];
        else
            keep_alone(m, t->tracks[i]);
    }
    m->w->tracks = tracks;
    m->w->n_tracks = n;
    return true;
}

/* ---- what a node did ---- */

static uint32_t base_by_role(const struct profile_compared *c, enum profile_role role)
{
    uint32_t k = 0;

    while (k < c->n_bases && (c->bases[k].role != role || c->bases[k].unit != UNIT_NS))
        k++;
    return k;
}

/* The clocks of one run, as those of a profile of its own. */
static void find_clocks(struct maker *m)
{
    uint32_t cpu = base_by_role(m->c, ROLE_CPU), waiting = base_by_role(m->c, ROLE_WAITING);

    m->splits = m->c->bases[m->base].role == ROLE_WALL && m->c->bases[m->base].unit == UNIT_NS;
    for (uint32_t r = 0; m->splits && r < m->runs; r++) {
        struct time_values *v = &m->clocks[r];
        *v = (struct time_values){.wall = compare_value(m->c, m->base, r), .n_values = m->p->n_values};
        for (unsigned s = 0; s < TIME_STATES; s++)
            v->measured[s] = m->p->n_values;
        if (cpu < m->c->n_bases)
            v->measured[TIME_RUNNING] = compare_value(m->c, cpu, r);
        if (waiting < m->c->n_bases)
            v->measured[TIME_WAITING] = compare_value(m->c, waiting, r);
    }
}

static bool frame_waits(const struct table *t, frame_id frame)
{
    struct frame_parts parts;

    if (frame == FRAME_NONE)
        return false;
    parts = names_parts(t->names, frame);
    return wait_kind_of(parts.scope, parts.name) != WAIT_NONE;
}

/* What the node did by itself in a run, and how long it waited. A track's root is in no method. */
static uint64_t self_of(const struct maker *m, node_id node, uint32_t run, bool waits, uint64_t *waited)
{
    uint64_t parts[TIME_STATES];

    *waited = 0;
    if (!m->splits)
        return profile_self(m->p, node, compare_value(m->c, m->base, run));
    time_split_self(&m->clocks[run], m->p, node, waits, parts);
    *waited = parts[TIME_WAITING];
    return number_add(parts[TIME_RUNNING], parts[TIME_IN_METHODS]);
}

static uint64_t *row_number(const struct maker *m, uint32_t row, enum number number)
{
    return &m->rows[((size_t)row * NUMBERS + number) * m->runs];
}

static void add(uint64_t *sum, uint64_t more)
{
    *sum = number_add(*sum, more);
}

/* The frame that the node's self counts for: its own, or that of the innermost caller that does more than allocate. */
static frame_id holder_of(const struct maker *m, node_id node)
{
    const struct profile *p = m->p;
    frame_id frame = p->node_frame[node], holder = frame;

    while (m->allocates != NULL && holder != FRAME_NONE && m->allocates[holder]) {
        node = p->node_parent[node];
        holder = p->node_frame[node];
    }
    return holder != FRAME_NONE ? holder : frame; /* nobody called it */
}

static void count_self(struct maker *m, node_id node, bool waits)
{
    frame_id frame = holder_of(m, node);

    for (uint32_t r = 0; r < m->runs; r++) {
        uint64_t waited, did = self_of(m, node, r, waits, &waited);
        add(&m->node[(size_t)node * m->runs + r], did);
        add(&m->waited[r], waited);
        if (frame == FRAME_NONE)
            continue;
        uint32_t row = m->w->t->row_of_frame[frame];
        add(&row_number(m, row, EXCLUSIVE)[r], did);
        add(&row_number(m, row, WAITED)[r], waited);
        if (m->w->t->diff->has_calls)
            add(&row_number(m, row, CALLS)[r],
                profile_self(m->p, node, compare_value(m->c, m->w->t->diff->calls_base, r)));
    }
}

/* Nodes come after their parents: from the last one backwards each is complete when it is added to its parent. */
static void count_track(struct maker *m, const struct profile_track *track, const bool *waits)
{
    node_id *behind = m->w->behind;

    for (node_id i = track->first + track->count; i-- > track->first;) {
        frame_id frame = m->p->node_frame[i];
        node_id parent = m->p->node_parent[i];
        count_self(m, i, frame != FRAME_NONE && waits[frame]);
        if (behind[i] == 0)
            behind[i] = i + 1;
        for (uint32_t r = 0; r < m->runs; r++)
            add(i == track->first ? &m->worked[r] : &m->node[(size_t)parent * m->runs + r],
                m->node[(size_t)i * m->runs + r]);
        if (i > track->first && behind[i] > behind[parent])
            behind[parent] = behind[i];
    }
}

/* Inclusive numbers: those of outermost nodes. */
static void count_rows(struct maker *m, const struct profile_track *track)
{
    node_id *open_until = m->w->open_until;

    for (node_id i = track->first + 1; i < track->first + track->count; i++) {
        uint32_t row = m->w->t->row_of_frame[m->p->node_frame[i]];
        if (i < open_until[row])
            continue;
        open_until[row] = m->w->behind[i];
        for (uint32_t r = 0; r < m->runs; r++)
            add(&row_number(m, row, INCLUSIVE)[r], m->node[(size_t)i * m->runs + r]);
    }
    for (node_id i = track->first + 1; i < track->first + track->count; i++)
        open_until[m->w->t->row_of_frame[m->p->node_frame[i]]] = 0;
}

/* ---- all of it ---- */

static bool take_memory(struct maker *m, struct arena *arena)
{
    struct diff_worked *w = m->w;

    w->node = m->node = arena_array(arena, m->p->n_nodes, m->runs * sizeof(*m->node));
    w->behind = arena_array(arena, m->p->n_nodes, sizeof(*w->behind));
    w->below = arena_array(arena, w->t->n, m->runs * sizeof(*w->below));
    w->open_until = arena_array(arena, w->t->n, sizeof(*w->open_until));
    w->touched = arena_array(arena, w->t->n, sizeof(*w->touched));
    m->rows = arena_array(arena, w->t->n, (size_t)NUMBERS * m->runs * sizeof(*m->rows));
    return arena->failure == ARENA_OK;
}

static bool put_pairs(struct maker *m, struct arena *arena)
{
    uint32_t n = m->w->t->n;
    struct diff_pair *pairs = arena_array(arena, n, NUMBERS * sizeof(*pairs));

    for (uint32_t row = 0; pairs != NULL && row < n; row++)
        for (enum number k = 0; k < NUMBERS; k++) {
            uint32_t base = k == CALLS ? m->w->t->diff->calls_base : m->base;
            pairs[(size_t)row * NUMBERS + k] =
                diff_pair_of_runs(m->c, &m->w->t->diff->scale, base, row_number(m, row, k));
        }
    m->w->pairs = pairs;
    m->w->worked = pair_of(m, m->worked);
    m->w->waited = pair_of(m, m->waited);
    m->w->tells_waits = m->w->waited.a > 0 || m->w->waited.b > 0;
    return pairs != NULL;
}

static bool find_allocators(struct maker *m, struct arena *arena)
{
    bool *allocates = arena_array(arena, m->p->n_frames, sizeof(*allocates));

    for (frame_id f = 0; allocates != NULL && f < m->p->n_frames; f++) {
        struct frame_parts parts = names_parts(m->w->t->names, f);
        allocates[f] = frame_allocates(&parts);
    }
    m->allocates = allocates;
    return allocates != NULL;
}

bool diff_worked_new(struct diff_worked *w, const struct table *t, struct arena *arena)
{
    struct maker m = {.w = w, .p = t->profile, .c = t->profile->compared};
    bool *waits = arena_array(arena, t->profile->n_frames, sizeof(*waits));

    *w = (struct diff_worked){.t = t};
    m.base = t->diff->base_of[t->diff->value];
    m.runs = compare_runs(m.c);
    find_clocks(&m);
    if (waits == NULL || !take_memory(&m, arena) || !find_tracks(&m, arena))
        return false;
    for (frame_id f = 0; f < m.p->n_frames; f++)
        waits[f] = frame_waits(t, f);
    if (m.c->bases[m.base].unit == UNIT_BYTES && !find_allocators(&m, arena))
        return false;
    for (uint32_t i = 0; i < w->n_tracks; i++) {
        const struct profile_track *track = &m.p->tracks[w->tracks[i]];
        count_track(&m, track, waits);
        count_rows(&m, track);
    }
    return put_pairs(&m, arena);
}

/* ---- its numbers ---- */

static struct diff_pair number_of(const struct diff_worked *w, uint32_t row, enum number number)
{
    return w->pairs[(size_t)row * NUMBERS + number];
}

struct diff_pair diff_worked_inclusive(const struct diff_worked *w, uint32_t row)
{
    return number_of(w, row, INCLUSIVE);
}

struct diff_pair diff_worked_exclusive(const struct diff_worked *w, uint32_t row)
{
    return number_of(w, row, EXCLUSIVE);
}

struct diff_pair diff_worked_waited(const struct diff_worked *w, uint32_t row)
{
    return number_of(w, row, WAITED);
}

struct diff_pair diff_worked_calls(const struct diff_worked *w, uint32_t row)
{
    return number_of(w, row, CALLS);
}

bool diff_worked_is_wait(const struct diff_worked *w, uint32_t row)
{
    return w->tells_waits && frame_waits(w->t, w->t->frame[row]);
}

bool diff_worked_is_own(const struct diff_worked *w, uint32_t row)
{
    return names_of(w->t->names, w->t->frame[row])->origin == ORIGIN_APP;
}

/* ---- below a row ---- */

/* Adds up what own rows did below one outermost node of `row`, each outermost there. */
static uint32_t add_below(struct diff_worked *w, node_id from, uint32_t row, uint32_t n_touched)
{
    const struct profile *p = w->t->profile;
    uint32_t runs = compare_runs(p->compared);

    for (node_id n = from + 1; n < w->behind[from]; n++) {
        uint32_t inner = w->t->row_of_frame[p->node_frame[n]];
        if (inner == row || n < w->open_until[inner] || !diff_worked_is_own(w, inner))
            continue;
        if (w->open_until[inner] == 0)
            w->touched[n_touched++] = inner;
        w->open_until[inner] = w->behind[n];
        for (uint32_t r = 0; r < runs; r++)
            add(&w->below[(size_t)inner * runs + r], w->node[(size_t)n * runs + r]);
    }
    return n_touched;
}

static bool has_most(struct diff_pair part, struct diff_pair whole)
{
    __extension__ typedef unsigned __int128 u128;

    return (part.b > part.a) == (whole.b > whole.a) && part.a != part.b &&
           (u128)diff_size(part) * 4 >= (u128)diff_size(whole) * 3;
}

void diff_worked_below(struct diff_worked *w, uint32_t row, diff_worked_visit *visit, void *context)
{
    const struct profile *p = w->t->profile;
    uint32_t n = 0, runs = compare_runs(p->compared);
    struct diff_pair whole = diff_worked_inclusive(w, row);

    for (uint32_t i = 0; i < w->n_tracks; i++) {
        const struct profile_track *track = &p->tracks[w->tracks[i]];
        for (node_id node = track->first + 1; node < track->first + track->count;) {
            bool is_row = w->t->row_of_frame[p->node_frame[node]] == row;
            if (is_row)
                n = add_below(w, node, row, n);
            node = is_row ? w->behind[node] : node + 1;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *sums = &w->below[(size_t)w->touched[i] * runs];
        struct diff_pair within =
            diff_pair_of_runs(p->compared, &w->t->diff->scale, w->t->diff->base_of[w->t->diff->value], sums);
        if (has_most(within, whole))
            visit(context, w->touched[i], within);
        w->open_until[w->touched[i]] = 0;
        for (uint32_t r = 0; r < runs; r++)
            sums[r] = 0;
    }
}
