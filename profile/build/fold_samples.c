/* Stacks that come whole into the growing tree: samples, samples with times, and changes of a series. */
#include "profile/build/builder_impl.h"
#include "profile/log/call_log.h"

static bool misused(struct builder *b, const char *how)
{
    b->misuse = how;
    return false;
}

static bool has_stacks(struct builder *b)
{
    return (b->layout.n_times == 0 && b->layout.n_columns > 0) ||
           misused(b, "times, or nothing, and has samples");
}

/* A track is of one use from its first record on. */
static bool use_track(struct builder *b, struct fold_track *t, enum fold_track_use use)
{
    if (!has_stacks(b) || !builder_goes_on(b, 1))
        return false;
    if (t->use != FOLD_UNUSED && t->use != use)
        return misused(b, "a track of samples of two kinds");
    t->use = use;
    return fold_root(b, t) != NODE_NONE;
}

node_id builder_stack(struct builder *b, uint32_t track, node_id above, const frame_id *frames, size_t n)
{
    node_id id = above;

    if (!has_stacks(b) || !builder_goes_on(b, n))
        return NODE_NONE;
    if (id == NODE_NONE)
        id = fold_root(b, &b->tracks[track]);
    for (size_t i = 0; i < n && id != NODE_NONE; i++)
        id = fold_child(b, id, frames[i]);
    return id;
}

/* Sums that pass their ends stay there. */
static uint64_t add(struct builder *b, uint64_t sum, uint64_t value, bool is_signed)
{
    int64_t below = 0;

    if (!is_signed && !__builtin_add_overflow(sum, value, &sum))
        return sum;
    if (is_signed && !__builtin_add_overflow((int64_t)sum, (int64_t)value, &below))
        return (uint64_t)below;
    builder_warn(b, WARN_VALUE_OVERFLOW, 1, WARNING_NO_OFFSET);
    return !is_signed ? UINT64_MAX : (int64_t)value < 0 ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
}

static void add_values(struct builder *b, struct fold_track *t, node_id node, const uint64_t *values)
{
    uint64_t *sums = fold_node_at(b, node)->columns;

    for (uint32_t v = 0; v < b->layout.n_columns; v++)
        sums[v] = add(b, sums[v], values[v], b->is_signed);
    t->records++;
    b->n_events++;
}

bool builder_sample(struct builder *b, uint32_t track, node_id node, const uint64_t *values)
{
    struct fold_track *t = &b->tracks[track];

    if (node == NODE_NONE || !use_track(b, t, FOLD_SAMPLES))
        return false;
    add_values(b, t, node, values);
    return true;
}

/* ---- with times ---- */

/* Tells the log how the stack that holds becomes another one: what both have in common goes on. Nodes are made behind their parents, so
 * of two nodes the one with the larger number is not above the other one. */
static bool log_stack(struct builder *b, uint32_t track, node_id leaf)
{
    const struct fold_track *t = &b->tracks[track];
    size_t n = 0, left = 0;

    if (call_log_failed(b->log)) /* its writer says so in the end */
        return true;

    for (node_id from = t->held, to = leaf; from != to;) {
        if (from > to) {
            call_log_leave(b->log, track, t->last);
            left++;
            from = fold_node_at(b, from)->parent;
            continue;
        }
        if (!ARENA_ROOM(b->arena, b->entered, b->entered_capacity, n + 1))
            return false;
        b->entered[n++] = fold_node_at(b, to)->frame;
        to = fold_node_at(b, to)->parent;
    }
    if (!builder_goes_on(b, left + n))
        return false;
    while (n > 0)
        call_log_enter(b->log, track, b->entered[--n], t->last);
    return true;
}

bool builder_sample_at(struct builder *b, uint32_t track, node_id node, const uint64_t *values,
                       uint64_t ticks)
{
    struct fold_track *t = &b->tracks[track];
    bool first = t->use == FOLD_UNUSED;

    if (node == NODE_NONE || !use_track(b, t, FOLD_TIMED_SAMPLES))
        return false;
    if (first) {
        t->first = t->last[0] = ticks;
        if (b->log != NULL) {
            call_log_shape(b->log, 1, b->layout.n_columns);
            call_log_begin(b->log, track, t->id, t->last);
        }
    }
    if (ticks < t->last[0])
        builder_warn(b, WARN_TIME_BACK, 1, WARNING_NO_OFFSET);
    else
        t->last[0] = ticks;
    add_values(b, t, node, values);
    if (b->log != NULL && !log_stack(b, track, node))
        return false;
    t->held = node;
    if (b->log != NULL)
        call_log_sample(b->log, track, values, t->last);
    return true;
}

/* ---- series ---- */

bool builder_moment(struct builder *b, uint32_t track, uint64_t time_ns, uint32_t *moment)
{
    struct fold_track *t = &b->tracks[track];

    if (!use_track(b, t, FOLD_CHANGES))
        return false;
    if (t->n_moments > 0 && time_ns <= t->moment_ns)
        return misused(b, "a moment that is not later than the one before");
    if (!ARENA_ROOM(b->arena, b->moments, b->moments_capacity, b->n_moments + 1))
        return false;
    b->moments[b->n_moments++] = (struct fold_moment){t->id, time_ns};
    t->moment_ns = time_ns;
    *moment = t->n_moments++;
    return true;
}

bool builder_change(struct builder *b, uint32_t track, uint32_t moment, node_id node, const int64_t *changes)
{
    struct fold_track *t = &b->tracks[track];

    if (moment >= t->n_moments)
        return misused(b, "changes of a moment that was not declared");
    if (node == NODE_NONE || !builder_goes_on(b, 1))
        return false;
    b->change_stride = sizeof(struct fold_change) + b->layout.n_columns * sizeof(int64_t);
    char *all = arena_grow(b->arena, b->changes, &b->changes_capacity, b->n_changes + 1, b->change_stride);
    if (all == NULL)
        return false;
    b->changes = all;
    struct fold_change *change = fold_change_at(b, b->n_changes++);
    change->node = node;
    change->moment = moment;
    uint64_t *sums = fold_node_at(b, node)->columns;
    for (uint32_t v = 0; v < b->layout.n_columns; v++) {
        change->values[v] = changes[v];
        sums[v] = add(b, sums[v], (uint64_t)changes[v], true);
    }
    t->records++;
    b->n_events++;
    return true;
}
