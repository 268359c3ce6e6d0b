/* The tree with renamed frames; and what is said about it. filter_result joins what became equal. */
#include "profile/rename/rename.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/number.h"
#include "profile/build/builder.h"
#include "profile/build/builder_impl.h"
#include "profile/filter/filter_impl.h"

/* ---- the moments of a series ---- */

/* The changes of the new profile, while they are put in their places. */
struct placing {
    const struct profile *from;
    const node_id *became;
    uint32_t *first;  /* by new node: where its changes begin; one more at the end */
    uint32_t *next;   /* by new node: where its next change stands */
    uint32_t *moment; /* by place, as in struct profile_series */
    int64_t *change;
};

/* Adds a change to its node. They come by moment, so that one of the same moment is the last one there. */
static void place(struct placing *p, node_id from, uint32_t change)
{
    node_id to = p->became[from];
    uint32_t n_values = p->from->n_values, moment = p->from->series.moment[change];
    bool known = p->next[to] > p->first[to] && p->moment[p->next[to] - 1] == moment;
    uint32_t at = known ? p->next[to] - 1 : p->next[to]++;

    p->moment[at] = moment;
    for (uint32_t v = 0; v < n_values; v++) {
        int64_t *sum = &p->change[(size_t)at * n_values + v];
        *sum = number_add_signed(*sum, p->from->series.change[(size_t)change * n_values + v]);
    }
}

/* Sorts the changes by moment: order[] gets them as indexes, owner[] has the node of each. `starts` has
 * room for all moments. */
static void sort_by_moment(const struct profile *p, uint32_t *order, node_id *owner, uint32_t *starts)
{
    const struct profile_series *s = &p->series;

    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t c = s->first[i]; c < s->first[i + 1]; c++) {
            owner[c] = i;
            starts[s->moment[c] + 1]++;
        }
    for (uint32_t m = 0; m < p->n_moments; m++)
        starts[m + 1] += starts[m];
    for (uint32_t c = 0; c < s->first[p->n_nodes]; c++)
        order[starts[s->moment[c]]++] = c;
}

/* Room for all changes of each new node, though some may become one. */
static void find_room(struct placing *p, uint32_t n_to)
{
    const struct profile_series *s = &p->from->series;

    for (node_id i = 0; i < p->from->n_nodes; i++)
        p->first[p->became[i] + 1] += s->first[i + 1] - s->first[i];
    for (uint32_t i = 0; i < n_to; i++)
        p->first[i + 1] += p->first[i];
    memcpy(p->next, p->first, n_to * sizeof(*p->next));
}

/* Closes the gaps. */
static void pack(struct placing *p, uint32_t n_to)
{
    uint32_t n = 0, n_values = p->from->n_values;

    for (uint32_t i = 0; i < n_to; i++) {
        uint32_t from = p->first[i], count = p->next[i] - from;
        memmove(&p->moment[n], &p->moment[from], count * sizeof(*p->moment));
        memmove(&p->change[(size_t)n * n_values], &p->change[(size_t)from * n_values],
                (size_t)count * n_values * sizeof(*p->change));
        p->first[i] = n;
        n += count;
    }
    p->first[n_to] = n;
}

static bool place_all(struct placing *p, uint32_t n_to, struct arena *a)
{
    const struct profile *from = p->from;
    uint32_t n = from->series.first[from->n_nodes];
    uint32_t *order = arena_array(a, n, sizeof(*order)),
             *starts = arena_array(a, (size_t)from->n_moments + 1, sizeof(*starts));
    node_id *owner = arena_array(a, n, sizeof(*owner));

    p->first = arena_array(a, (size_t)n_to + 1, sizeof(*p->first));
    p->next = arena_array(a, n_to, sizeof(*p->next));
    p->moment = arena_array(a, n, sizeof(*p->moment));
    p->change = arena_array(a, (size_t)n * from->n_values, sizeof(*p->change));
    if (order == NULL || starts == NULL || owner == NULL || p->first == NULL || p->next == NULL ||
        p->moment == NULL || p->change == NULL)
        return false;
    sort_by_moment(from, order, owner, starts);
    find_room(p, n_to);
    for (uint32_t i = 0; i < n; i++)
        place(p, owner[order[i]], order[i]);
    pack(p, n_to);
    return true;
}

/* `to` with the moments of `from`, each of whose nodes became the node `became` of `to`: changes of one moment are
 * summed. NULL when the arena gives no more. */
static const struct profile *rename_series(const struct profile *from, const node_id *became,
                                           const struct profile *to, struct arena *arena)
{
    struct placing p = {.from = from, .became = became};
    struct profile *made = arena_alloc(arena, sizeof(*made));
    struct profile_track *tracks = arena_array(arena, to->n_tracks, sizeof(*tracks));

    if (made == NULL || tracks == NULL || !place_all(&p, to->n_nodes, arena))
        return NULL;
    *made = *to;
    for (uint32_t i = 0; i < to->n_tracks; i++) {
        tracks[i] = to->tracks[i];
        tracks[i].first_moment = from->tracks[i].first_moment;
        tracks[i].n_moments = from->tracks[i].n_moments;
    }
    made->tracks = tracks;
    made->moments = from->moments;
    made->n_moments = from->n_moments;
    made->series = (struct profile_series){p.first, p.moment, p.change};
    return made;
}

/* ---- renaming ---- */

/* The tree with renamed frames; and what is said about it. filter_result joins what became equal. */

bool rename_no_memory(struct rename *r)
{
    r->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* ---- frames ---- */

static bool add_set(struct rename *r, uint64_t mask)
{
    uint32_t n = r->before->n_frames;

    if (!ARENA_ROOM(r->arena, r->sets, r->sets_capacity, r->n_sets + 1))
        return false;
    r->sets[r->n_sets] = (struct rename_set){mask, arena_array(r->arena, n, sizeof(*r->sets->used)),
                                             arena_array(r->arena, n, sizeof(*r->sets->first)),
                                             arena_array(r->arena, n, sizeof(*r->sets->count))};
    const struct rename_set *made = &r->sets[r->n_sets++];
    return made->used != NULL && made->first != NULL && made->count != NULL;
}

static bool find_sets(struct rename *r,
                      uint64_t (*mask_of)(const void *context, const struct profile_track *t),
                      const void *context)
{
    const struct profile *p = r->before;

    r->set_of = arena_array(r->arena, p->n_tracks, sizeof(*r->set_of));
    if (r->set_of == NULL || (p->n_tracks == 0 && !add_set(r, 0)))
        return false;
    for (uint32_t t = 0; t < p->n_tracks; t++) {
        uint64_t mask = mask_of == NULL ? 0 : mask_of(context, &p->tracks[t]);
        uint32_t set = 0;
        while (set < r->n_sets && r->sets[set].mask != mask)
            set++;
        if (set == r->n_sets && !add_set(r, mask))
            return false;
        r->set_of[t] = set;
        for (node_id i = p->tracks[t].first; i < p->tracks[t].first + p->tracks[t].count; i++)
            if (p->node_frame[i] != FRAME_NONE)
                r->sets[set].used[p->node_frame[i]] = 1;
    }
    return true;
}

/* The strings keep their ids, since they were each different before: so whatever else of a frame is a
 * string stays right. */
static bool take_strings(struct rename *r)
{
    for (uint32_t i = 0; i < r->before->n_strings; i++)
        if (builder_string(r->table, r->before->strings[i]) == STRING_NONE)
            return false;
    return true;
}

bool rename_begin(struct rename *r, struct hash_seed seed,
                  uint64_t (*mask_of)(const void *context, const struct profile_track *t),
                  const void *context)
{
    r->table = builder_new(r->arena, seed);
    return r->table != NULL && take_strings(r) && find_sets(r, mask_of, context);
}

void rename_frame_begins(struct rename *r, struct rename_set *set, frame_id frame)
{
    set->first[frame] = (uint32_t)r->n_list;
}

bool rename_append(struct rename *r, const struct profile_frame *frame)
{
    frame_id id = builder_frame(r->table, frame);

    if (id == FRAME_NONE || !ARENA_ROOM(r->arena, r->list, r->list_capacity, r->n_list + 1))
        return false;
    r->list[r->n_list++] = id;
    return true;
}

void rename_frame_ends(struct rename *r, struct rename_set *set, frame_id frame)
{
    set->count[frame] = (uint32_t)(r->n_list - set->first[frame]);
}

/* ---- nodes ---- */

/* How many nodes there are with all frames. False: more than there can be. */
static bool count_nodes(struct rename *r, uint32_t *n)
{
    const struct profile *p = r->before;
    uint64_t sum = 0;

    for (uint32_t t = 0; t < p->n_tracks; t++)
        for (node_id i = p->tracks[t].first; i < p->tracks[t].first + p->tracks[t].count; i++)
            sum += p->node_frame[i] == FRAME_NONE ? 1 : r->sets[r->set_of[t]].count[p->node_frame[i]];
    *n = (uint32_t)sum;
    if (sum < NODE_NONE)
        return true;
    r->arena->failure = ARENA_LIMIT;
    return false;
}

/* Appends the nodes of one, and returns the innermost of them; its parent's if there are none. */
static node_id put_nodes(const struct rename *r, const struct rename_set *set, node_id node, node_id parent,
                         node_id *parents, frame_id *frames, uint32_t *n)
{
    frame_id frame = r->before->node_frame[node];
    uint32_t count = frame == FRAME_NONE ? 1 : set->count[frame];

    for (uint32_t k = 0; k < count; k++) {
        parents[*n] = parent;
        frames[*n] = frame == FRAME_NONE ? FRAME_NONE : r->list[set->first[frame] + k];
        parent = (*n)++;
    }
    return parent;
}

static void add_values(const struct profile *p, node_id node, uint64_t *self, node_id to)
{
    uint64_t *sums = &self[(size_t)to * profile_stride(p)];

    for (uint32_t v = 0; v < profile_stride(p); v++)
        sums[v] = number_add(sums[v], profile_self(p, node, v));
}

/* The stacks with the new frames, in the order of the old ones. `p` is a copy of the profile before. */
static bool put_stacks(struct rename *r, struct profile *p)
{
    const struct profile *before = r->before;
    uint32_t n, made = 0;
    if (!count_nodes(r, &n))
        return false;
    node_id *parents = arena_array(r->arena, n, sizeof(*parents));
    frame_id *frames = arena_array(r->arena, n, sizeof(*frames));
    uint64_t *self = arena_array(r->arena, (size_t)n * profile_stride(p), sizeof(*self));
    struct profile_track *tracks = arena_array(r->arena, p->n_tracks, sizeof(*tracks));

    r->last = arena_array(r->arena, before->n_nodes, sizeof(*r->last));
    if (parents == NULL || r->last == NULL || frames == NULL || self == NULL || tracks == NULL)
        return false;
    for (uint32_t t = 0; t < p->n_tracks; t++) {
        tracks[t] = before->tracks[t];
        tracks[t].first = made;
        for (node_id i = before->tracks[t].first; i < before->tracks[t].first + before->tracks[t].count;
             i++) {
            node_id parent = before->node_parent[i];
            if (arena_stopped_at(r->arena, i))
                return false;
            r->last[i] = put_nodes(r, &r->sets[r->set_of[t]], i,
                                   parent == NODE_NONE ? NODE_NONE : r->last[parent], parents, frames, &made);
            add_values(before, i, self, r->last[i]);
        }
        tracks[t].count = made - tracks[t].first;
        tracks[t].open = r->last[before->tracks[t].open];
    }
    p->n_nodes = made;
    p->node_parent = parents;
    p->node_frame = frames;
    p->node_self = self;
    p->tracks = tracks;
    return true;
}

/* Joins what became equal. */
static const struct profile *join(struct rename *r, const struct profile *p)
{
    struct arena *a = r->arena;
    struct filter_stacks s = {.profile = p,
                              .there = arena_array(a, p->n_nodes, sizeof(*s.there)),
                              .up = arena_array(a, p->n_nodes, sizeof(*s.up)),
                              .to = arena_array(a, p->n_nodes, sizeof(*s.to))};

    if (s.there == NULL || s.up == NULL || s.to == NULL)
        return NULL;
    for (node_id i = 0; i < p->n_nodes; i++) {
        s.there[i] = true;
        s.up[i] = p->node_parent[i];
        s.to[i] = i;
    }
    const struct profile *joined = filter_result(&s, NULL, a);
    if (joined == NULL || p->n_moments == 0)
        return joined;
    for (node_id i = 0; i < r->before->n_nodes; i++)
        r->last[i] = s.number[r->last[i]];
    return rename_series(r->before, r->last, joined, a);
}

/* ---- what is said about it ---- */

bool rename_fact(struct rename *r, struct profile *p, const char *name, struct str value)
{
    struct profile_fact *facts = arena_array(r->arena, (size_t)p->n_facts + 1, sizeof(*facts));
    const char *copy = arena_copy(r->arena, value.p, value.n);

    if (facts == NULL || copy == NULL)
        return false;
    if (p->n_facts > 0)
        memcpy(facts, p->facts, p->n_facts * sizeof(*facts));
    facts[p->n_facts++] = (struct profile_fact){str_of(name), {copy, value.n}};
    p->facts = facts;
    return true;
}

bool rename_fact_number(struct rename *r, struct profile *p, const char *name, uint64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%" PRIu64, value);

    return rename_fact(r, p, name, (struct str){text, (size_t)n});
}

bool rename_warning(struct rename *r, struct profile *p, enum warning_code code, uint64_t count,
                    struct buf *b)
{
    if (count == 0)
        return true;
    struct profile_warning *warnings = arena_array(r->arena, (size_t)p->n_warnings + 1, sizeof(*warnings));
    warning_text(b, code, count);
    const char *copy = b->failed ? NULL : arena_copy(r->arena, b->p, b->n);
    if (warnings == NULL || copy == NULL)
        return b->failed && rename_no_memory(r);
    if (p->n_warnings > 0)
        memcpy(warnings, p->warnings, p->n_warnings * sizeof(*warnings));
    warnings[p->n_warnings++] =
        (struct profile_warning){.code = str_of(warning_name(code)), .count = count, .text = {copy, b->n}};
    p->warnings = warnings;
    buf_clear(b);
    return true;
}

/* ---- the whole ---- */

static bool is_single(const struct rename *r)
{
    for (size_t k = 0; k < r->n_sets; k++)
        for (frame_id i = 0; i < r->before->n_frames; i++)
            if (r->sets[k].count[i] != 1)
                return false;
    return true;
}

static const struct profile_mapped *mapped_of(const struct rename *r)
{
    struct profile_mapped *mapped = arena_alloc(r->arena, sizeof(*mapped));

    if (mapped != NULL)
        *mapped = (struct profile_mapped){r->before, r->set_of, r->sets, r->list, is_single(r)};
    return mapped;
}

const struct profile *rename_finish(struct rename *r, struct profile *renamed)
{
    if (!put_stacks(r, renamed))
        return NULL;
    renamed->strings = r->table->strings.strings;
    renamed->n_strings = (uint32_t)r->table->strings.count;
    renamed->frames = r->table->frames;
    renamed->n_frames = (uint32_t)r->table->n_frames;
    renamed->mapped = mapped_of(r);
    return renamed->mapped != NULL ? join(r, renamed) : NULL;
}

const struct profile *rename_original(const struct profile *p)
{
    while (p->mapped != NULL)
        p = p->mapped->before;
    return p;
}

frame_id rename_became(const struct profile *p, uint32_t track, frame_id frame)
{
    const struct profile_mapped *m = p->mapped;

    if (m == NULL)
        return frame;
    frame =
        rename_became(m->before, track, frame); /* as deep as there were transforms of names: two or three */
    if (frame == FRAME_NONE)
        return FRAME_NONE;
    const struct rename_set *set = &m->sets[m->set[track]];
    return set->count[frame] > 0 ? m->list[set->first[frame] + set->count[frame] - 1] : FRAME_NONE;
}
