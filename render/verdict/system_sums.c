#include "render/verdict/system_sums.h"

#include "core/number.h"
#include "profile/frame/sections.h"

/* What the sections of a stack say of time that it waits. */
struct place {
    uint8_t part;    /* enum system_part; PART_UNKNOWN: no section tells one */
    frame_id frame;  /* the outermost of the sections that tell it */
    frame_id within; /* around that */
};

struct sums_pass {
    const struct profile *p;
    const struct profile_track *track;
    const uint8_t *kinds; /* [n_frames]: enum section_kind */
    struct system_sums *sums;
    struct place *places; /* [nodes of the track] */
    uint64_t *by_frame;   /* [PARTS][n_frames + 1]: the last one is of no section */
    uint64_t *by_within;  /* the same */
};

static const struct {
    enum profile_role role;
    enum system_part part;
} STATES[] = {
    {ROLE_CPU, PART_RUNNING},       {ROLE_RUNNABLE, PART_RUNNABLE}, {ROLE_IO, PART_IO},
    {ROLE_SLEEPING, PART_SLEEPING}, {ROLE_BLOCKED, PART_BLOCKED},   {ROLE_UNKNOWN, PART_UNKNOWN},
};

static uint8_t part_of_kind(enum section_kind kind)
{
    return kind == SECTION_LOCK     ? PART_LOCK
           : kind == SECTION_BINDER ? PART_BINDER
           : kind == SECTION_GC     ? PART_GC
                                    : PART_UNKNOWN;
}

static struct place place_of(const struct sums_pass *s, node_id node)
{
    const struct profile *p = s->p;
    frame_id f = p->node_frame[node];

    if (f == FRAME_NONE)
        return (struct place){PART_UNKNOWN, FRAME_NONE, FRAME_NONE};
    struct place here = s->places[p->node_parent[node] - s->track->first];
    uint8_t part = part_of_kind((enum section_kind)s->kinds[f]);
    if (part != PART_UNKNOWN && part != here.part)
        here = (struct place){part, f, p->node_frame[p->node_parent[node]]};
    return here;
}

static void add_part(struct sums_pass *s, enum system_part part, frame_id frame, frame_id within, uint64_t ns)
{
    uint32_t none = s->p->n_frames;
    size_t row = (size_t)part * ((size_t)none + 1);
    uint64_t *sums[] = {&s->sums->part[part].ns, &s->by_frame[row + (frame != FRAME_NONE ? frame : none)],
                        &s->by_within[row + (within != FRAME_NONE ? within : none)]};

    for (unsigned i = 0; i < 3; i++)
        *sums[i] = number_add(*sums[i], ns);
}

static void add_node(struct sums_pass *s, node_id node)
{
    const struct profile *p = s->p;
    struct place here = s->places[node - s->track->first] = place_of(s, node);
    frame_id f = p->node_frame[node];

    for (size_t i = 0; s->sums->has_states && i < sizeof(STATES) / sizeof(STATES[0]); i++) {
        uint32_t value = profile_value_by_role(p, STATES[i].role);
        uint64_t ns = value < p->n_values ? profile_self(p, node, value) : 0;
        bool told =
            (STATES[i].part == PART_SLEEPING || STATES[i].part == PART_BLOCKED) && here.part != PART_UNKNOWN;
        if (ns > 0)
            add_part(s, told ? (enum system_part)here.part : STATES[i].part, told ? here.frame : f,
                     told ? here.within : FRAME_NONE, ns);
    }
}

/* The frame with the largest number; FRAME_NONE, and its number, where no section has more. */
static frame_id largest_of(const uint64_t *numbers, uint32_t n_frames, uint64_t *ns)
{
    uint32_t best = n_frames;

    for (uint32_t f = 0; f < n_frames; f++)
        if (numbers[f] > numbers[best])
            best = f;
    *ns = numbers[best];
    return best < n_frames ? best : FRAME_NONE;
}

static void find_largest(struct sums_pass *s)
{
    uint32_t n = s->p->n_frames;

    for (unsigned part = 0; part < PARTS; part++) {
        struct system_part_sum *sum = &s->sums->part[part];
        size_t row = (size_t)part * ((size_t)n + 1);
        sum->frame = largest_of(s->by_frame + row, n, &sum->frame_ns);
        sum->within = largest_of(s->by_within + row, n, &sum->within_ns);
    }
}

/* The child that has most of the value; NODE_NONE: none has any. */
static node_id largest_child(const struct sums_pass *s, node_id node, uint32_t value)
{
    node_id best = NODE_NONE, end = s->track->first + s->track->count;

    for (node_id i = node + 1; i < end && s->p->node_parent[i] >= node; i++)
        if (s->p->node_parent[i] == node && profile_total(s->p, i, value) > 0 &&
            (best == NODE_NONE || profile_total(s->p, i, value) > profile_total(s->p, best, value)))
            best = i;
    return best;
}

static void find_path(struct sums_pass *s)
{
    struct system_sums *sums = s->sums;
    uint32_t value = s->sums->has_states ? profile_value_by_role(s->p, ROLE_CPU) : 0;
    node_id at = s->track->first, next;
    uint64_t all;

    while (sums->n_path < SYSTEM_PATH_MAX && (next = largest_child(s, at, value)) != NODE_NONE) {
        all = profile_total(s->p, at, value);
        if (profile_total(s->p, next, value) < all - all / 2 && sums->n_path > 0)
            break;
        sums->path[sums->n_path].frame = s->p->node_frame[next];
        sums->path[sums->n_path++].ns = profile_total(s->p, next, value);
        if (s->kinds[s->p->node_frame[next]] == SECTION_WORK)
            break;
        at = next;
    }
}

/* Of the track at that index. False: the arena gives no more. */
static bool sums_of(const struct profile *p, uint32_t track, const uint8_t *kinds, struct arena *arena,
                    struct system_sums *sums)
{
    struct sums_pass s = {.p = p, .track = &p->tracks[track], .kinds = kinds, .sums = sums};
    size_t places = ((size_t)p->n_frames + 1) * PARTS;

    *sums = (struct system_sums){.has_states = profile_value_by_role(p, ROLE_RUNNABLE) < p->n_values};
    s.places = arena_array(arena, s.track->count, sizeof(*s.places));
    s.by_frame = arena_array(arena, places, sizeof(*s.by_frame));
    s.by_within = arena_array(arena, places, sizeof(*s.by_within));
    if (s.places == NULL || s.by_frame == NULL || s.by_within == NULL)
        return false;
    if (p->n_values > 0)
        sums->wall_ns = profile_total(p, s.track->first, 0);
    for (node_id i = s.track->first; i < s.track->first + s.track->count; i++)
        add_node(&s, i);
    find_largest(&s);
    if (p->n_values > 0)
        find_path(&s);
    return true;
}

/* ---- locks ---- */

static void add_locks(const struct profile *p, const uint8_t *kinds, uint32_t track,
                      struct system_locks *locks)
{
    const struct profile_track *t = &p->tracks[track];
    uint32_t calls = profile_value_by_role(p, ROLE_CALLS);
    node_id end = t->first + t->count;

    for (node_id i = t->first + 1; i < end;) {
        node_id node = i++;
        frame_id f = p->node_frame[node];
        if (kinds[f] != SECTION_LOCK)
            continue;
        locks->ns = number_add(locks->ns, profile_total(p, node, 0));
        locks->by_frame[f] = number_add(locks->by_frame[f], profile_total(p, node, 0));
        if (calls < p->n_values)
            locks->calls = number_add(locks->calls, profile_self(p, node, calls));
        while (i < end && p->node_parent[i] >= node)
            i++;
    }
}

/* ---- all ---- */

static bool window_sums(const struct profile *window, uint32_t id, const uint8_t *kinds, struct arena *arena,
                        struct system_sums *sums)
{
    const struct profile_track *t = window != NULL ? profile_track_by_id(window, id) : NULL;

    return t == NULL || sums_of(window, (uint32_t)(t - window->tracks), kinds, arena, sums);
}

const struct system_counts *system_counts_new(const struct profile *p, uint32_t main,
                                              const struct system_times *times, struct arena *arena)
{
    struct system_counts *c = arena_alloc(arena, sizeof(*c));
    uint8_t *kinds = arena_array(arena, p->n_frames, sizeof(*kinds));
    uint64_t *locks[] = {arena_array(arena, p->n_frames, sizeof(uint64_t)),
                         arena_array(arena, p->n_frames, sizeof(uint64_t))};

    if (c == NULL || kinds == NULL || locks[0] == NULL || locks[1] == NULL)
        return NULL;
    *c = (struct system_counts){.main.by_frame = locks[0], .beside.by_frame = locks[1]};
    for (frame_id f = 0; f < p->n_frames; f++)
        kinds[f] = (uint8_t)section_kind_of(profile_string(p, p->frames[f].name));
    for (uint32_t i = 0; p->n_values > 0 && i < p->n_tracks; i++)
        if (i == main || (p->tracks[i].group == p->tracks[main].group && p->tracks[i].kind == TRACK_THREAD))
            add_locks(p, kinds, i, i == main ? &c->main : &c->beside);
    if (!sums_of(p, main, kinds, arena, &c->all))
        return NULL;
    if (times == NULL)
        return c;
    c->log = times->log;
    c->ran_ns = times->ran_ns;
    c->wakes = times->wakes;
    return window_sums(times->start, p->tracks[main].id, kinds, arena, &c->start) &&
                   window_sums(times->frame, p->tracks[main].id, kinds, arena, &c->frame)
               ? c
               : NULL;
}
