/* From the growing tree to the finished profile: columns, series, names and warnings. */
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/order.h"
#include "profile/build/builder_impl.h"

/* ---- series ---- */

/* Moments and changes, from how they came to how a profile has them: by track, and by node. */

/* ---- moments ---- */

/* Puts the moments of all tracks behind each other; those of one track are in their order already. The
 * numbers that tracks had when the moments came mean nothing here, behind the sorting of tracks: each
 * moment brings its track's id. */
static bool put_moments(struct builder *b, struct profile *p)
{
    struct profile_moment *moments = arena_array(b->arena, b->n_moments, sizeof(*moments));
    struct profile_track *tracks = (struct profile_track *)(uintptr_t)p->tracks;

    if (moments == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        tracks[i].first_moment = p->n_moments;
        p->n_moments += tracks[i].n_moments;
        tracks[i].n_moments = 0;
    }
    for (size_t i = 0; i < b->n_moments; i++) {
        struct profile_track *t = &tracks[profile_track_by_id(p, b->moments[i].track) - tracks];
        moments[t->first_moment + t->n_moments++].time_ns = b->moments[i].time_ns;
    }
    p->moments = moments;
    return true;
}

/* ---- changes ---- */

/* The node's number is where its frame was: see finish.c. */
static bool is_before(const void *builder, uint32_t x, uint32_t y)
{
    const struct fold_change *a = fold_change_at(builder, x), *b = fold_change_at(builder, y);

    return a->node != b->node ? a->node < b->node : a->moment < b->moment;
}

static bool is_zero(const struct fold_change *c, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        if (c->values[v] != 0)
            return false;
    return true;
}

/* Changes of one node and moment, which stand behind each other in the order, become the first of them;
 * those that are nothing go. Returns how many are left. */
static size_t join_changes(struct builder *b, uint32_t *order)
{
    uint32_t values = b->layout.n_columns;
    size_t n = 0;

    for (size_t i = 0; i < b->n_changes && !arena_stopped_at(b->arena, i);) {
        struct fold_change *to = fold_change_at(b, order[i]);
        order[n] = order[i];
        for (i++; i < b->n_changes && !is_before(b, order[n], order[i]); i++)
            for (uint32_t v = 0; v < values; v++)
                to->values[v] = number_add_signed(to->values[v], fold_change_at(b, order[i])->values[v]);
        n += !is_zero(to, values);
    }
    return n;
}

static uint32_t *ordered_changes(struct builder *b)
{
    uint32_t *order = b->n_changes > UINT32_MAX ? NULL : arena_lend(b->arena, b->n_changes, sizeof(*order));

    for (size_t i = 0; order != NULL && i < b->n_changes; i++) {
        struct fold_change *c = fold_change_at(b, i);
        c->node = fold_node_at(b, c->node)->frame;
        order[i] = (uint32_t)i;
        if (arena_stopped_at(b->arena, i))
            return NULL;
    }
    return order != NULL && order_array(order, b->n_changes, is_before, b, b->arena) ? order : NULL;
}

static bool put_changes(struct builder *b, struct profile *p)
{
    uint32_t values = b->layout.n_columns, *order = ordered_changes(b);
    size_t n = order == NULL ? 0 : join_changes(b, order);
    uint32_t *first = arena_array(b->arena, (size_t)p->n_nodes + 1, sizeof(*first));
    uint32_t *moment = arena_array(b->arena, n, sizeof(*moment));
    int64_t *change = arena_array(b->arena, n * values, sizeof(*change));

    if (order == NULL || first == NULL || moment == NULL || change == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct fold_change *c = fold_change_at(b, order[i]);
        if (arena_stopped_at(b->arena, i))
            return false;
        first[c->node + 1]++;
        moment[i] = c->moment;
        memcpy(&change[i * values], c->values, values * sizeof(*change));
    }
    for (uint32_t i = 0; i < p->n_nodes; i++)
        first[i + 1] += first[i];
    arena_release(b->arena, order, b->n_changes, sizeof(*order));
    arena_release(b->arena, b->changes, b->changes_capacity, b->change_stride);
    b->changes = NULL;
    p->series = (struct profile_series){first, moment, change};
    return true;
}

/* The changes, by node and moment; behind the numbering of nodes. False when the arena gives no more. */
static bool finish_series(struct builder *b, struct profile *p)
{
    return b->n_moments == 0 || (put_moments(b, p) && put_changes(b, p));
}

/* ---- the finished profile ---- */

/* From the growing tree to the profile: nodes in pre-order, totals, warnings. Trees may be as deep as the
 * input made them, so walks go by the links of the nodes, without recursion and without a stack of their
 * own. */

struct columns {
    const struct profile *profile; /* that they are of */
    frame_id *frame;
    node_id *parent;
    uint8_t *flags;
    uint64_t *self, *total;
    uint32_t *open; /* per frame: how often it is on the stack of the walk */
    uint32_t n;
    enum fold_track_use use; /* of the track at hand */
};

/* Whether sums of the track's nodes are int64_t. */
static bool is_signed(const struct builder *b, enum fold_track_use use)
{
    return b->is_signed || use == FOLD_CHANGES;
}

/* Gives those values a second column of which some sum is below 0. */
static bool find_signed(const struct builder *b, struct profile *p)
{
    bool below[PROFILE_VALUES_MAX] = {false};

    for (size_t i = 0; b->is_signed && i < b->n_nodes; i++) {
        if (arena_stopped_at(b->arena, i))
            return false;
        for (uint32_t v = 0; v < b->layout.n_columns; v++)
            below[v] = below[v] || (int64_t)fold_node_at(b, (node_id)i)->columns[v] < 0;
    }
    for (uint32_t v = 0; v < b->layout.n_columns; v++)
        if (below[v])
            p->minus[v] = b->layout.n_columns + p->n_minus++;
    return true;
}

/* An array of which every element is written, but for second columns of values that can be below 0. */
static void *column(struct builder *b, const struct profile *p, size_t n, size_t element_bytes)
{
    return p->n_minus > 0 ? arena_array(b->arena, n, element_bytes) : arena_lend(b->arena, n, element_bytes);
}

static bool columns_new(struct columns *c, struct builder *b, struct profile *p)
{
    p->n_values = b->layout.n_columns;
    if (!find_signed(b, p))
        return false;
    size_t n = b->n_nodes, values = n * profile_stride(p);
    *c = (struct columns){
        .profile = p,
        .frame = column(b, p, n, sizeof(*c->frame)),
        .parent = column(b, p, n, sizeof(*c->parent)),
        .flags = arena_array(b->arena, n, sizeof(*c->flags)),
        .self = column(b, p, values, sizeof(*c->self)),
        .total = column(b, p, values, sizeof(*c->total)),
        .open = arena_array(b->arena, b->n_frames, sizeof(*c->open)),
    };
    return c->frame != NULL && c->parent != NULL && c->flags != NULL && c->self != NULL && c->total != NULL &&
           c->open != NULL;
}

/* The node's columns in the profile's units: times in ns. */
static void put_columns(struct builder *b, uint64_t *out, const uint64_t *columns)
{
    for (uint32_t v = 0; v < b->layout.n_columns; v++) {
        uint64_t scale = v < b->layout.n_times ? b->ns_per_tick : 1;
        if (__builtin_mul_overflow(columns[v], scale, &out[v])) {
            out[v] = UINT64_MAX;
            builder_warn(b, WARN_VALUE_OVERFLOW, 1, WARNING_NO_OFFSET);
        }
    }
}

/* The same of sums that can be below 0. */
static void put_signed_columns(struct builder *b, const struct profile *p, uint64_t *out,
                               const uint64_t *columns)
{
    bool shrank = false;

    for (uint32_t v = 0; v < p->n_values; v++) {
        bool below = (int64_t)columns[v] < 0;
        shrank = shrank || (below && p->minus[v] > 0);
        out[v] = below ? 0 : columns[v];
        if (p->minus[v] > 0)
            out[p->minus[v]] = below ? 0 - columns[v] : 0;
        else if (below)
            builder_warn(b, WARN_BELOW_ZERO, 1, WARNING_NO_OFFSET);
    }
    if (shrank)
        builder_warn(b, WARN_DIFFERENCES, 1, WARNING_NO_OFFSET);
}

/* Gives the node its number in pre-order. The frame is copied out and the number takes its place in the
 * node, where the children, and later the track's open frame, look for it: no second array is needed. */
static void arrive(struct builder *b, struct columns *c, struct fold_node *node)
{
    uint32_t n = c->n++;

    c->frame[n] = node->frame;
    c->parent[n] = node->parent == NODE_NONE ? NODE_NONE : fold_node_at(b, node->parent)->frame;
    if (node->frame != FRAME_NONE && c->open[node->frame]++ > 0)
        c->flags[n] |= NODE_RECURSIVE;
    uint64_t *self = &c->self[(size_t)n * profile_stride(c->profile)];
    if (is_signed(b, c->use))
        put_signed_columns(b, c->profile, self, node->columns);
    else
        put_columns(b, self, node->columns);
    node->frame = n;
}

static void leave(const struct columns *c, const struct fold_node *node)
{
    frame_id frame = c->frame[node->frame];

    if (frame != FRAME_NONE)
        c->open[frame]--;
}

/* Makes lists of the rings of children, in the order of their first calls: what was called last, where a ring begins,
 * is no matter of the profile. Nodes are added behind their parents, but for roots of re-rooting. */
static bool list_children(struct builder *b)
{
    for (node_id id = 0; id < b->n_nodes; id++)
        fold_node_at(b, id)->next_child = NODE_NONE;
    for (size_t i = b->n_nodes; i > 0; i--) {
        struct fold_node *node = fold_node_at(b, (node_id)(i - 1));
        if (arena_stopped_at(b->arena, i))
            return false;
        if (node->parent == NODE_NONE)
            continue;
        struct fold_node *parent = fold_node_at(b, node->parent);
        node->next_sibling = parent->next_child;
        parent->next_child = (node_id)(i - 1);
    }
    return true;
}

static bool walk_track(struct builder *b, struct columns *c, node_id root)
{
    node_id id = root;

    for (;;) {
        struct fold_node *node = fold_node_at(b, id);
        arrive(b, c, node);
        if (arena_stopped_at(b->arena, c->n))
            return false;
        if (node->next_child != NODE_NONE) {
            id = node->next_child;
            continue;
        }
        for (;;) {
            node = fold_node_at(b, id);
            leave(c, node);
            if (id == root)
                return true;
            if (node->next_sibling != NODE_NONE)
                break;
            id = node->parent;
        }
        id = node->next_sibling;
    }
}

static bool sum_totals(struct builder *b, const struct columns *c)
{
    size_t values = profile_stride(c->profile);

    if (c->n > 0)
        memcpy(c->total, c->self, c->n * values * sizeof(*c->total));
    for (uint32_t i = c->n; i > 0; i--) {
        node_id node = i - 1, parent = c->parent[node];
        if (arena_stopped_at(b->arena, i))
            return false;
        if (parent == NODE_NONE)
            continue;
        const uint64_t *from = &c->total[node * values];
        uint64_t *to = &c->total[parent * values];
        for (size_t v = 0; v < values; v++)
            if (__builtin_add_overflow(to[v], from[v], &to[v])) {
                to[v] = UINT64_MAX;
                builder_warn(b, WARN_VALUE_OVERFLOW, 1, WARNING_NO_OFFSET);
            }
    }
    return true;
}

uint64_t builder_track_open(const struct builder *b, uint32_t track)
{
    const struct fold_track *t = &b->tracks[track];
    uint64_t depth = 0;

    for (node_id id = t->current; t->root != NODE_NONE && id != t->root; id = fold_node_at(b, id)->parent)
        depth++;
    return depth;
}

/* Wall time is the first of the times, if it is one of them. */
static void set_rests(const struct builder *b, struct profile_track *tracks, uint32_t n)
{
    uint64_t end_ns = 0;

    if (b->layout.n_times == 0 || b->columns[0].role != ROLE_WALL)
        return;
    for (uint32_t i = 0; i < n; i++)
        end_ns = tracks[i].end_ns > end_ns ? tracks[i].end_ns : end_ns;
    for (uint32_t i = 0; i < n; i++)
        tracks[i].rest_ns = track_has(&tracks[i], 0) ? end_ns - tracks[i].end_ns : 0;
}

/* Which of the columns the track can have: all, unless the file has events and samples. */
static uint32_t values_of(const struct builder *b, const struct fold_track *t)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << b->layout.n_columns) - 1);
    uint32_t events = (uint32_t)((UINT64_C(1) << b->layout.samples) - 1);

    if (events == 0 || fold_sample_values(b) == 0)
        return 0;
    if (t->use == FOLD_EVENTS)
        return events;
    return t->values != 0 ? t->values : all & ~events;
}

static int by_id(const void *a, const void *b)
{
    const struct fold_track *ta = a, *tb = b;

    return ta->id < tb->id ? -1 : ta->id > tb->id;
}

static bool put_tracks(struct builder *b, struct profile *p, struct columns *c)
{
    struct profile_track *tracks = arena_array(b->arena, b->n_tracks, sizeof(*tracks));

    if (tracks == NULL || !list_children(b))
        return false;
    if (b->n_tracks > 0)
        qsort(b->tracks, b->n_tracks, sizeof(*b->tracks), by_id);
    for (size_t i = 0; i < b->n_tracks; i++) {
        const struct fold_track *t = &b->tracks[i];
        if (t->root == NODE_NONE)
            continue;
        uint64_t open = builder_track_open(b, (uint32_t)(t - b->tracks));
        if (open > 0)
            builder_warn(b, WARN_OPEN_FRAMES, open, WARNING_NO_OFFSET);
        uint32_t first = c->n;
        c->use = t->use;
        p->timed = p->timed || t->use == FOLD_EVENTS || t->use == FOLD_TIMED_SAMPLES;
        if (!walk_track(b, c, t->root))
            return false;
        tracks[p->n_tracks++] =
            (struct profile_track){.id = t->id,
                                   .name = t->name,
                                   .kind = t->words.kind,
                                   .number = t->words.number,
                                   .process = t->words.process,
                                   .beside = t->beside,
                                   .part = t->words.part,
                                   .group = t->words.group,
                                   .n_moments = t->n_moments,
                                   .values = values_of(b, t),
                                   .first = first,
                                   .count = c->n - first,
                                   .records = t->records,
                                   .begin_ns = ticks_to_ns(b, t->first[0]),
                                   .end_ns = ticks_to_ns(b, t->last[0]),
                                   .re_roots = t->re_roots,
                                   .open = fold_node_at(b, t->current)->frame}; /* its number: see arrive */
    }
    if (!sum_totals(b, c))
        return false;
    for (uint32_t i = 0; i < p->n_tracks && b->layout.n_times > 0; i++)
        tracks[i].calls =
            c->total[(size_t)tracks[i].first * profile_stride(p) + b->layout.calls]; /* none is signed */
    set_rests(b, tracks, p->n_tracks);
    p->tracks = tracks;
    return true;
}

bool builder_find_build(struct builder *b)
{
    const struct str prefix = STR("r8-map-id-");

    for (size_t i = 0; i < b->n_frames; i++) {
        if (arena_stopped_at(b->arena, i))
            return false;
        struct str file = strtab_get(&b->strings, b->frames[i].file);
        if (str_starts(file, prefix))
            return builder_fact(b, STR("build_map_id"), (struct str){file.p + prefix.n, file.n - prefix.n});
    }
    return true;
}

static bool put_warnings(struct builder *b, struct profile *p)
{
    struct profile_warning *warnings = arena_array(b->arena, WARNING_CODES, sizeof(*warnings));
    bool ok = warnings != NULL;

    for (unsigned i = 0; ok && i < WARNING_CODES; i++) {
        if (b->warnings[i].count == 0)
            continue;
        enum warning_code code = (enum warning_code)i;
        struct str text;
        ok = warning_copy(b->arena, code, b->warnings[i].count, &text);
        warnings[p->n_warnings++] = (struct profile_warning){
            .code = str_of(warning_name(code)),
            .count = b->warnings[i].count,
            .has_offset = b->warnings[i].offset != WARNING_NO_OFFSET,
            .offset = b->warnings[i].offset,
            .text = text,
        };
    }
    p->warnings = warnings;
    return ok;
}

const struct profile *builder_finish(struct builder *b, struct str format, struct str format_label)
{
    struct profile *p = arena_alloc(b->arena, sizeof(*p));
    struct columns c;

    fold_end_guesses(b); /* first: what is made now needs the room */
    if (p == NULL || !columns_new(&c, b, p) || !put_tracks(b, p, &c) || !put_warnings(b, p))
        return NULL;
    p->n_nodes = c.n;
    if (!finish_series(b, p))
        return NULL;
    arena_release(b->arena, b->nodes, b->nodes_capacity, b->stride);
    b->nodes = NULL;
    hash_index_free(&b->strings.index);
    hash_index_free(&b->frame_index);
    p->format = format;
    p->format_label = format_label;
    p->strings = b->strings.strings;
    p->n_strings = (uint32_t)b->strings.count;
    p->frames = b->frames;
    p->n_frames = (uint32_t)b->n_frames;
    memcpy(p->values, b->columns, sizeof(p->values));
    p->n_times = b->layout.n_times;
    p->n_beside = p->n_times > 0 ? fold_sample_values(b) : 0;
    p->ns_per_tick = b->ns_per_tick;
    p->node_frame = c.frame;
    p->node_parent = c.parent;
    p->node_flags = c.flags;
    p->node_self = c.self;
    p->node_total = c.total;
    p->sampled_bytes = b->sampled_bytes;
    p->screen_frames = b->screen_frames;
    p->n_screen_frames = b->n_screen_frames;
    p->phases = b->phases;
    p->n_phases = b->n_phases;
    p->notes = b->notes;
    p->n_notes = b->n_notes;
    p->wakes = b->wakes;
    p->n_wakes = b->n_wakes;
    p->counters = b->counters;
    p->n_counters = b->n_counters;
    p->readings = b->readings;
    p->facts = b->facts;
    p->n_facts = (uint32_t)b->n_facts;
    p->labels = b->labels;
    p->n_labels = b->n_labels;
    p->split = b->split;
    return p;
}
