/* Stacks that come whole into the growing tree: samples, samples with times, and changes of a series. */
#include "profile/build/builder_impl.h"

#include <string.h>

#include "profile/log/call_log.h"

static bool has_stacks(struct builder *b)
{
    return b->layout.samples < b->layout.n_columns ||
           builder_misused(b, "times, or nothing, and has samples");
}

/* A track is of one use from its first record on. */
static bool use_track(struct builder *b, struct fold_track *t, enum fold_track_use use)
{
    if (!has_stacks(b) || !builder_goes_on(b, 1))
        return false;
    if (t->use != FOLD_UNUSED && t->use != use)
        return builder_misused(b, "a track of samples of two kinds");
    t->use = use;
    return fold_root(b, t) != NODE_NONE;
}

/* The hash of a stack, from the hash of the stack without its last frame. */
static uint32_t hash_on(uint32_t hash, frame_id frame)
{
    return (hash + frame) * UINT32_C(0x9e3779b1);
}

/* Stacks of a track that follow each other begin alike: how many of the frames lead where they led the last time. *node:
 * where the last of these ended; *hash: of the stack up to there. */
static size_t follow_path(const struct fold_track *t, const frame_id *frames, size_t n, node_id *node,
                          uint32_t *hash)
{
    size_t i = 0;

    for (; i < n && i < t->n_path && t->path[i].frame == frames[i]; i++)
        *hash = hash_on(*hash, frames[i]);
    if (i > 0)
        *node = t->path[i - 1].node;
    return i;
}

void fold_end_guesses(struct builder *b)
{
    if (b->guesses != NULL)
        arena_release(b->arena, b->guesses, (size_t)1 << b->guess_bits, sizeof(*b->guesses));
    b->guesses = NULL;
}

/* Makes the table of guesses about as large as there are nodes. What it held is guessed no more. */
static bool room_for_guesses(struct builder *b)
{
    enum { BITS_MIN = 10, BITS_MAX = 18, BITS_STEP = 2 };
    unsigned bits = b->guesses == NULL ? BITS_MIN : b->guess_bits + BITS_STEP;

    if (bits > BITS_MAX || (b->guesses != NULL && b->n_nodes >> b->guess_bits == 0))
        return true;
    struct fold_guess *guesses = arena_lend(b->arena, (size_t)1 << bits, sizeof(*guesses));
    if (guesses == NULL)
        return false;
    memset(guesses, 0, sizeof(*guesses) << bits);
    fold_end_guesses(b);
    b->guesses = guesses;
    b->guess_bits = bits;
    return true;
}

static struct fold_guess *guess_at(const struct builder *b, uint32_t hash)
{
    return &b->guesses[hash >> (32 - b->guess_bits)];
}

/* The child of `parent` for this frame, with the guess that the hash of the stack gives. */
static node_id child_by_guess(struct builder *b, node_id parent, frame_id frame, uint32_t hash)
{
    struct fold_guess *guess = guess_at(b, hash);

    if (guess->parent == parent && guess->frame == frame && guess->child != 0)
        return guess->child;
    node_id child = fold_child(b, parent, frame);
    if (child != NODE_NONE)
        *guess = (struct fold_guess){parent, frame, child};
    return child;
}

/* A stack from the root on, whose nodes are kept for the next one. Guesses are fetched before they are needed: they stand
 * far apart, as the nodes of a stack do, but to find them no node is needed. */
static node_id put_stack(struct builder *b, uint32_t track, const frame_id *frames, size_t n)
{
    struct fold_track *t = &b->tracks[track];
    node_id id = fold_root(b, t);

    if (id == NODE_NONE || !room_for_guesses(b))
        return NODE_NONE;
    uint32_t hash = track;
    size_t kept = n < FOLD_PATH_MAX ? n : FOLD_PATH_MAX, i = follow_path(t, frames, n, &id, &hash);
    if (kept > t->path_capacity && !ARENA_ROOM(b->arena, t->path, t->path_capacity, kept))
        return NODE_NONE;
    uint32_t ahead = hash;
    for (size_t k = i; k < n; k++)
        __builtin_prefetch(guess_at(b, ahead = hash_on(ahead, frames[k])), 1);
    t->n_path = (uint32_t)i;
    for (; i < n; i++) {
        hash = hash_on(hash, frames[i]);
        id = child_by_guess(b, id, frames[i], hash);
        if (id == NODE_NONE)
            return NODE_NONE;
        if (i < kept)
            t->path[t->n_path++] = (struct fold_step){frames[i], id};
    }
    return id;
}

node_id builder_stack(struct builder *b, uint32_t track, node_id above, const frame_id *frames, size_t n)
{
    node_id id = above;

    if (!has_stacks(b) || !builder_goes_on(b, n))
        return NODE_NONE;
    if (id == NODE_NONE)
        return put_stack(b, track, frames, n);
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
    uint64_t *sums = fold_node_at(b, node)->columns + b->layout.samples;

    for (uint32_t v = 0; v < fold_sample_values(b); v++)
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

/* Tells the log how the stack that holds becomes another one: what both have in common goes on. Nodes are
 * made behind their parents, so of two nodes the one with the larger number is not above the other one. */
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
        t->first[0] = t->last[0] = ticks;
        if (b->log != NULL)
            fold_log_begin(b, track, t->last);
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
        return builder_misused(b, "a moment that is not later than the one before");
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
        return builder_misused(b, "changes of a moment that was not declared");
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
        change->values[v] = v >= b->layout.samples ? changes[v - b->layout.samples] : 0;
        sums[v] = add(b, sums[v], (uint64_t)change->values[v], true);
    }
    t->records++;
    b->n_events++;
    return true;
}
