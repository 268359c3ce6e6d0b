/* The inner loop: events of method traces into the growing tree. The rules that it follows stand in builder.h.
 *
 * The input is hostile: it decides how deep stacks are, how many callees a frame has, and which frames
 * exits name. So nothing here recurses, and every search has a bound: of a frame's callees FOLD_RING_MAX
 * are looked at in the ring, of a stack as many frames as the scan budget allows. Behind both bounds a
 * hash table answers. Arrays move when they grow: a pointer to a node is good only until the next node is
 * added. */
#include "profile/build/builder_impl.h"
#include "profile/log/call_log.h"

enum {
    /* The scan budget. An exit that does not match the frame on top is looked for further down the stack,
     * frame by frame. A file could make every record such an exit, of a stack as deep as it likes. So a
     * track may look at SCAN_FREE frames, and at SCAN_PER_RECORD more for each of its records. When it has
     * used these up, its open frames are counted in a table from then on (index_stack): each push and pop
     * costs a little more, and no exit costs more than one look. Files without damage never pay for it. */
    SCAN_PER_RECORD = 8,
    SCAN_FREE = 4096,
    NEAR_MAX = 8,   /* children that are looked at where nearly all calls are found */
    EARLIER_MAX = 8 /* names of a method that exits look for beside its last one */
};

_Static_assert(FRAME_NONE == IDMAP_NONE, "a missing earlier frame is a missing key");

/* Of a clock of 32 bits. */
static const uint64_t CLOCK_ROUND = UINT64_C(1) << 32, CLOCK_HALF = UINT64_C(1) << 31;

/* fold.c: a node of its own, with empty columns. NODE_NONE when the arena gives no more. */
static node_id fold_node_new(struct builder *b, node_id parent, frame_id frame)
{
    if (b->n_nodes == b->nodes_capacity) {
        char *nodes = arena_grow(b->arena, b->nodes, &b->nodes_capacity, b->n_nodes + 1, b->stride);
        if (nodes == NULL)
            return NODE_NONE;
        b->nodes = nodes;
    }
    /* Ids have 32 bits. The arena's limit ends most files long before. */
    if (b->n_nodes >= NODE_NONE - 1)
        return NODE_NONE;
    node_id id = (node_id)b->n_nodes++;
    struct fold_node *node = fold_node_at(b, id);
    node->frame = frame;
    node->parent = parent;
    node->next_child = NODE_NONE;
    node->next_sibling = NODE_NONE;
    for (uint32_t i = 0; i < b->layout.n_columns; i++)
        node->columns[i] = 0;
    return id;
}

node_id fold_root(struct builder *b, struct fold_track *t)
{
    if (t->root == NODE_NONE)
        t->root = t->current = t->held = fold_node_new(b, NODE_NONE, FRAME_NONE);
    return t->root;
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* Adds a child behind `before` of the parent's ring; NODE_NONE: it is the first one. */
static node_id add_child(struct builder *b, node_id parent, frame_id frame, node_id before)
{
    node_id id = fold_node_new(b, parent, frame);

    if (id == NODE_NONE)
        return NODE_NONE;
    if (before == NODE_NONE) {
        fold_node_at(b, id)->next_sibling = id;
        fold_node_at(b, parent)->next_child = id;
    } else {
        fold_node_at(b, id)->next_sibling = fold_node_at(b, before)->next_sibling;
        fold_node_at(b, before)->next_sibling = id;
    }
    return id;
}

/* Puts the FOLD_RING_MAX children of a parent into the table, before it gets one more. */
static bool index_children(struct builder *b, node_id parent)
{
    node_id first = fold_node_at(b, parent)->next_child, id = first;

    do {
        const struct fold_node *node = fold_node_at(b, id);
        if (!idmap_set(&b->wide, pair(parent, node->frame), id))
            return false;
        id = node->next_sibling;
    } while (id != first);
    return true;
}

/* The child of a parent that has more than FOLD_RING_MAX of them. The end of its ring is far away: a new child is put
 * behind the one with which the search would begin. */
static node_id wide_child(struct builder *b, node_id parent, frame_id frame)
{
    node_id id = idmap_get(&b->wide, pair(parent, frame));

    if (id == IDMAP_NONE) {
        id = add_child(b, parent, frame, fold_node_at(b, parent)->next_child);
        if (id == NODE_NONE || !idmap_set(&b->wide, pair(parent, frame), id))
            return NODE_NONE;
    }
    fold_node_at(b, parent)->next_child = fold_node_at(b, id)->next_sibling;
    return id;
}

node_id fold_child(struct builder *b, node_id parent, frame_id frame)
{
    node_id first = fold_node_at(b, parent)->next_child, id = first, before = NODE_NONE;

    if (first == NODE_NONE)
        return add_child(b, parent, frame, NODE_NONE);
    for (unsigned n = 1; n <= FOLD_RING_MAX; n++) {
        const struct fold_node *node = fold_node_at(b, id);
        if (node->frame == frame) {
            fold_node_at(b, parent)->next_child = node->next_sibling;
            return id;
        }
        before = id;
        id = node->next_sibling;
        if (id != first)
            continue;
        if (n < FOLD_RING_MAX)
            return add_child(b, parent, frame, before);
        if (!index_children(b, parent))
            return NODE_NONE;
    }
    return wide_child(b, parent, frame);
}

/* ---- stacks of damaged tracks ---- */

static bool count_open(struct builder *b, uint32_t track, frame_id frame, bool up)
{
    uint64_t key = pair(track, frame);
    uint32_t n = idmap_get(&b->open, key);

    if (n == IDMAP_NONE)
        n = 0;
    return idmap_set(&b->open, key, up ? n + 1 : n - 1);
}

/* Counts the open calls of the track once. From then on each push and pop counts itself. */
static bool index_stack(struct builder *b, uint32_t track)
{
    struct fold_track *t = &b->tracks[track];

    t->indexed = true;
    for (node_id id = t->current; id != t->root; id = fold_node_at(b, id)->parent)
        if (!count_open(b, track, fold_node_at(b, id)->frame, true))
            return false;
    return true;
}

static bool pop(struct builder *b, uint32_t track)
{
    struct fold_track *t = &b->tracks[track];
    const struct fold_node *top = fold_node_at(b, t->current);

    t->current = top->parent;
    if (b->log != NULL)
        call_log_leave(b->log, track, t->last);
    return !t->indexed || count_open(b, track, top->frame, false);
}

/* Whether the frame is anywhere on the stack. False with *ok = false when the arena gives no more. */
static bool is_open(struct builder *b, uint32_t track, frame_id frame, bool *ok)
{
    struct fold_track *t = &b->tracks[track];

    *ok = true;
    if (!t->indexed && t->scanned <= SCAN_FREE + SCAN_PER_RECORD * t->records) {
        for (node_id id = t->current; id != t->root; id = fold_node_at(b, id)->parent) {
            t->scanned++;
            if (fold_node_at(b, id)->frame == frame)
                return true;
        }
        return false;
    }
    if (!t->indexed)
        *ok = index_stack(b, track);
    uint32_t n = idmap_get(&b->open, pair(track, frame));
    return *ok && n != IDMAP_NONE && n > 0;
}

/* The exiting frame was entered before the first record: it becomes the parent of all that the track's
 * root holds. To move all children below a new node would cost their number at every such exit. Instead
 * the old root turns into the frame's node and keeps children and time; a new root without either goes on
 * top. The new root is added last and has the largest id: it is builder_finish that numbers nodes so that
 * parents come first. An exit that names no frame is of "unknown". */
bool fold_re_root(struct builder *b, uint32_t track, frame_id frame, uint64_t offset)
{
    if (frame == FRAME_NONE) {
        string_id unknown = builder_string(b, STR("unknown"));
        if (unknown == STRING_NONE)
            return false;
        frame = builder_frame(b, &(struct profile_frame){.name = unknown});
        if (frame == FRAME_NONE)
            return false;
    }
    node_id root = fold_node_new(b, NODE_NONE, FRAME_NONE);
    if (root == NODE_NONE)
        return false;
    struct fold_track *t = &b->tracks[track];
    struct fold_node *old = fold_node_at(b, t->root);
    old->frame = frame;
    old->parent = root;
    old->columns[b->layout.calls] = 1;
    fold_node_at(b, root)->next_child = old->next_sibling = t->root;
    t->root = t->current = root;
    t->re_roots++;
    if (b->log != NULL)
        call_log_re_root(b->log, track, frame, t->last);
    builder_warn(b, WARN_RE_ROOTED, 1, offset);
    return true;
}

/* The frame that an exit leaves: the named one if it is open, else the latest of its earlier ones that is;
 * FRAME_NONE if none is. A file may redefine a method as often as it likes, and give two of them their
 * names in turn: so there is an end. */
static frame_id open_name(struct builder *b, uint32_t track, frame_id frame, bool *ok)
{
    for (unsigned i = 0; i <= EARLIER_MAX && frame != FRAME_NONE; i++) {
        if (is_open(b, track, frame, ok) || !*ok)
            return frame;
        frame = idmap_get(&b->earlier, frame);
    }
    return FRAME_NONE;
}

static void log_stay(const struct builder *b, uint32_t track)
{
    if (b->log != NULL)
        call_log_stay(b->log, track, b->tracks[track].last);
}

static bool exit_frame(struct builder *b, uint32_t track, frame_id frame, uint64_t offset)
{
    struct fold_track *t = &b->tracks[track];

    if (t->current == t->root)
        return fold_re_root(b, track, frame, offset);
    if (frame == FRAME_NONE || fold_node_at(b, t->current)->frame == frame)
        return pop(b, track);
    bool ok;
    frame = open_name(b, track, frame, &ok);
    if (!ok || frame == FRAME_NONE) {
        builder_warn(b, WARN_IGNORED_EXIT, ok, offset);
        log_stay(b, track);
        return ok;
    }
    if (fold_node_at(b, t->current)->frame == frame)
        return pop(b, track);
    builder_warn(b, WARN_POPPED, 1, offset);
    /* open_name has found the frame on the stack, so this ends above the root. */
    while (fold_node_at(b, t->current)->frame != frame)
        if (!pop(b, track))
            return false;
    return pop(b, track);
}

/* ---- time ---- */

/* A reading that is before the last one, or more than 2^31 behind it. Returns the ticks to credit.
 *
 * last is unwrapped and has 64 bits; a reading has 32 where clocks wrap, and t->wrapped is what its wraps
 * have added so far. So now and last lie in the same round of the clock, and where now < last, more than
 * half of 2^32 between them is nearer to a wrap than to a step back. The sum passes 64 bits only after
 * 2^32 wraps, each of which takes a record.
 *
 * Records have numbers within their track, from 1. A late record passes "right behind a wrap" on to the
 * next one. */
static uint64_t large_step(struct builder *b, struct fold_track *t, uint32_t clock, uint64_t reading,
                           uint64_t offset)
{
    uint64_t now = reading + t->wrapped[clock];
    bool behind_wrap = t->wrap_record[clock] > 0 && t->records == t->wrap_record[clock] + 1;

    if (b->wraps && now < t->last[clock] && t->last[clock] - now > CLOCK_HALF) {
        builder_warn(b, WARN_CLOCK_WRAP, 1, offset);
        t->wrapped[clock] += CLOCK_ROUND;
        t->wrap_record[clock] = t->records;
        now += CLOCK_ROUND;
    } else if (now < t->last[clock] || behind_wrap) {
        builder_warn(b, WARN_TIME_BACK, 1, offset);
        if (behind_wrap)
            t->wrap_record[clock] = t->records;
        return 0;
    }
    uint64_t ticks = now - t->last[clock];
    t->last[clock] = now;
    return ticks;
}

/* The latest wall time of all tracks so far. Empties the list: each track's next record is looked at
 * again, see join_moved. */
uint64_t fold_latest_time(struct builder *b)
{
    while (b->moved != NODE_NONE) {
        struct fold_track *t = &b->tracks[b->moved];
        b->latest = t->last[0] > b->latest ? t->last[0] : b->latest;
        b->moved = t->next_moved;
        t->moved = false;
    }
    return b->latest;
}

/* What a track's first reading needs to come into the round that is nearest to the latest time. */
static uint64_t rounds_before(struct builder *b, uint64_t reading)
{
    uint64_t latest = fold_latest_time(b), rounds = latest & ~(CLOCK_ROUND - 1), in_round = latest - rounds;

    if (reading > in_round && reading - in_round >= CLOCK_HALF)
        return rounds > 0 ? rounds - CLOCK_ROUND : 0;
    return in_round > reading && in_round - reading > CLOCK_HALF ? rounds + CLOCK_ROUND : rounds;
}

/* A log has one shape for all of its tracks. Clocks that a track does not have stand still in it. */
void fold_log_begin(struct builder *b, uint32_t track, const uint64_t *ticks)
{
    call_log_shape(b->log, b->layout.n_times > 0 ? b->layout.n_times : 1, fold_sample_values(b));
    call_log_begin(b->log, track, b->tracks[track].id, ticks);
}

static bool first_event(struct builder *b, uint32_t track, const uint64_t *clocks)
{
    struct fold_track *t = &b->tracks[track];

    fold_root(b, t);
    t->use = FOLD_EVENTS;
    if (b->wraps && b->columns[0].role == ROLE_WALL)
        t->wrapped[0] = rounds_before(b, clocks[0]);
    for (uint32_t c = 0; c < b->layout.n_times; c++)
        t->first[c] = t->last[c] = clocks[c] + (c < EVENT_CLOCKS_MAX ? t->wrapped[c] : 0);
    if (b->log != NULL)
        fold_log_begin(b, track, t->last);
    return t->root != NODE_NONE;
}

/* The track's first record, or its first one since the latest time was looked up. */
static bool join_moved(struct builder *b, const struct event *e)
{
    struct fold_track *t = &b->tracks[e->track];

    if (t->root == NODE_NONE && !first_event(b, e->track, e->clock))
        return false;
    t->moved = true;
    t->next_moved = b->moved;
    b->moved = e->track;
    return true;
}

/* Whatever is not the next call of the frame that was called last, or the exit of the frame on top. */
static bool apply_rare(struct builder *b, const struct event *e, uint64_t offset)
{
    struct fold_track *t = &b->tracks[e->track];

    if (e->action == EVENT_UNKNOWN) {
        builder_warn(b, WARN_UNKNOWN_ACTION, 1, offset);
        log_stay(b, e->track);
        return true;
    }
    if (e->action == EVENT_STATE) {
        log_stay(b, e->track);
        return true;
    }
    if (e->action != EVENT_ENTER)
        return exit_frame(b, e->track, e->frame, offset);
    node_id child = fold_child(b, t->current, e->frame);
    if (child == NODE_NONE)
        return false;
    fold_node_at(b, child)->columns[b->layout.calls]++;
    t->current = child;
    if (b->log != NULL)
        call_log_enter(b->log, e->track, e->frame, t->last);
    return !t->indexed || count_open(b, e->track, e->frame, true);
}

/* What nearly every record of a track changes. It is kept here, and so in registers, while records stay with the track. */
struct hand {
    char *nodes;
    struct fold_node *top; /* of id `current` */
    uint64_t records, last[2], wrapped[2];
    node_id current;
};

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The layout is a constant where these are inlined, and so is the distance between two nodes. */
static ALWAYS_INLINE struct fold_node *node_in_hand(const struct hand *h, node_id id,
                                                    const struct fold_layout layout)
{
    return (struct fold_node *)(void *)(h->nodes + (size_t)id * (sizeof(struct fold_node) +
                                                                 layout.n_columns * sizeof(uint64_t)));
}

static ALWAYS_INLINE void take_in_hand(struct hand *h, const struct builder *b, const struct fold_track *t,
                                       const struct fold_layout layout)
{
    *h = (struct hand){.nodes = b->nodes,
                       .records = t->records,
                       .last = {t->last[0], layout.n_times > 1 ? t->last[1] : 0},
                       .wrapped = {t->wrapped[0], layout.n_times > 1 ? t->wrapped[1] : 0},
                       .current = t->current};
    h->top = node_in_hand(h, h->current, layout);
}

static ALWAYS_INLINE void put_times_back(const struct hand *h, struct fold_track *t,
                                         const struct fold_layout layout)
{
    t->last[0] = h->last[0];
    if (layout.n_times > 1)
        t->last[1] = h->last[1];
}

static ALWAYS_INLINE void put_back(const struct hand *h, struct fold_track *t,
                                   const struct fold_layout layout)
{
    put_times_back(h, t, layout);
    t->records = h->records;
    t->current = h->current;
}

/* Credits the time since the track's last record; at least one clock makes a large step. */
static void credit_large(struct builder *b, const struct event *e, uint64_t offset)
{
    struct fold_track *t = &b->tracks[e->track];
    struct fold_node *top = fold_node_at(b, t->current);

    for (uint32_t c = 0; c < b->layout.n_times; c++) {
        uint64_t now = e->clock[c] + t->wrapped[c];
        if (now - t->last[c] <= CLOCK_HALF) {
            top->columns[c] += now - t->last[c];
            t->last[c] = now;
        } else {
            top->columns[c] += large_step(b, t, c, e->clock[c], offset);
        }
    }
}

/* False: at least one clock makes a large step, and nothing is credited. Two clocks are written out: a loop over them
 * would keep them in memory. */
static ALWAYS_INLINE bool credit(struct hand *h, const struct event *e, const struct fold_layout layout)
{
    const bool two = layout.n_times > 1;
    uint64_t now = e->clock[0] + h->wrapped[0], now_2 = two ? e->clock[1] + h->wrapped[1] : 0;
    uint64_t ticks = now - h->last[0], ticks_2 = now_2 - h->last[1];

    if (__builtin_expect(ticks > CLOCK_HALF || ticks_2 > CLOCK_HALF, 0))
        return false;
    h->top->columns[0] += ticks;
    h->last[0] = now;
    if (two) {
        h->top->columns[1] += ticks_2;
        h->last[1] = now_2;
    }
    return true;
}

/* The call of a child that is near in the ring, or the exit of the frame on top. False: it is neither, and nothing is
 * done. */
static ALWAYS_INLINE bool apply_usual(struct hand *h, const struct event *e, const struct fold_layout layout)
{
    if (e->action == EVENT_ENTER) {
        if (h->top->next_child == NODE_NONE)
            return false;
        node_id id = h->top->next_child;
        struct fold_node *child = node_in_hand(h, id, layout);
        for (unsigned n = 1; child->frame != e->frame; n++) {
            if (n == NEAR_MAX)
                return false;
            id = child->next_sibling;
            child = node_in_hand(h, id, layout);
        }
        child->columns[layout.calls]++;
        h->current = id;
        h->top->next_child = child->next_sibling;
        h->top = child;
        return true;
    }
    /* The root has the frame FRAME_NONE, as an exit that carries none. */
    if (e->action > EVENT_UNROLL || h->top->frame != e->frame || h->top->parent == NODE_NONE)
        return false;
    h->current = h->top->parent;
    h->top = node_in_hand(h, h->current, layout);
    return true;
}

/* The loop that all time goes into. The layout and `logging` are constants where this is inlined. What happens in
 * nearly every record is done by credit and apply_usual, all else in functions that see the track: what is in hand
 * is put back before them, and taken again behind them. */
static ALWAYS_INLINE bool apply(struct builder *b, const struct event *events, size_t n, uint64_t offset,
                                uint32_t stride, const struct fold_layout layout, const bool logging)
{
    const struct event *e = events, *end = events + n;

    while (e < end) {
        const uint32_t track = e->track;
        struct fold_track *t = &b->tracks[track];
        struct hand h;
        if (__builtin_expect(!t->moved, 0) && !join_moved(b, e))
            return false;
        take_in_hand(&h, b, t, layout);
        for (; e < end && e->track == track; e++) {
            h.records++;
            if (!credit(&h, e, layout)) {
                put_back(&h, t, layout);
                credit_large(b, e, offset + (size_t)(e - events) * stride + e->at);
                take_in_hand(&h, b, t, layout);
            }
            /* Every push and pop of an indexed track has to be counted: apply_rare does it. */
            if (__builtin_expect(!t->indexed, 1) && apply_usual(&h, e, layout)) {
                if (!logging)
                    continue;
                put_times_back(&h, t, layout);
                if (e->action == EVENT_ENTER)
                    call_log_enter(b->log, track, e->frame, t->last);
                else
                    call_log_leave(b->log, track, t->last);
                continue;
            }
            put_back(&h, t, layout);
            if (!apply_rare(b, e, offset + (size_t)(e - events) * stride + e->at))
                return false;
            take_in_hand(&h, b, t, layout);
        }
        put_back(&h, t, layout);
    }
    b->n_events += n;
    return true;
}

bool builder_events(struct builder *b, const struct event *events, size_t n, uint64_t offset, uint32_t stride)
{
    bool logging = b->log != NULL;

    if (!builder_goes_on(b, n))
        return false;
    switch (fold_sample_values(b) > 0 ? 0 : b->layout.n_times) {
    case 1:
        return logging ? apply(b, events, n, offset, stride, fold_layout_of_events(1), true)
                       : apply(b, events, n, offset, stride, fold_layout_of_events(1), false);
    case 2:
        return logging ? apply(b, events, n, offset, stride, fold_layout_of_events(2), true)
                       : apply(b, events, n, offset, stride, fold_layout_of_events(2), false);
    default:
        b->misuse = "no times, or values of samples beside them, and has events of two clocks";
        return false;
    }
}

/* Credits what the clock has gone on since the track's last record. Clocks that never wrap: what goes back is clamped. */
static ALWAYS_INLINE void credit_clock(struct builder *b, struct fold_track *t, uint64_t *columns,
                                       uint32_t clock, uint64_t now, uint64_t offset)
{
    if (__builtin_expect(now < t->last[clock], 0)) {
        builder_warn(b, WARN_TIME_BACK, 1, offset);
        return;
    }
    columns[clock] += now - t->last[clock];
    t->last[clock] = now;
}

/* Before a record of a track whose clocks never wrap. Tracks with such records are in no list of those that moved: only clocks
 * that wrap need to know the latest time of all. */
static ALWAYS_INLINE bool may_happen(struct builder *b, uint32_t track, const uint64_t *clocks)
{
    struct fold_track *t = &b->tracks[track];

    if (b->layout.n_times == 0 || b->wraps) {
        b->misuse = "no times or clocks that wrap, and has events of many clocks";
        return false;
    }
    if (t->use != FOLD_UNUSED && t->use != FOLD_EVENTS)
        return builder_misused(b, "a track of events and of samples");
    return builder_goes_on(b, 1) && (t->use != FOLD_UNUSED || first_event(b, track, clocks));
}

/* The track's next record comes behind those of others: the call that it is likely to be is fetched meanwhile. */
static ALWAYS_INLINE void fetch_next(const struct builder *b, node_id top)
{
    node_id next = fold_node_at(b, top)->next_child;

    if (next != NODE_NONE)
        __builtin_prefetch(fold_node_at(b, next));
}

bool builder_event(struct builder *b, const struct event *event, const uint64_t *clocks, uint64_t offset)
{
    struct fold_track *t = &b->tracks[event->track];

    if (!may_happen(b, event->track, clocks))
        return false;
    t->records++;
    b->n_events++;
    for (uint32_t c = 0; c < b->layout.n_times; c++)
        credit_clock(b, t, fold_node_at(b, t->current)->columns, c, clocks[c], offset);
    if (!apply_rare(b, event, offset))
        return false;
    fetch_next(b, t->current);
    return true;
}

/* The exit of the frame on top, or the call of the frame that is likely to be called. False: it is neither. */
static ALWAYS_INLINE bool move_usual(const struct builder *b, struct fold_track *t, enum event_action action,
                                     frame_id frame)
{
    struct fold_node *top = fold_node_at(b, t->current);

    if (action == EVENT_EXIT && frame == FRAME_NONE && top->parent != NODE_NONE) {
        t->current = top->parent;
        return true;
    }
    if (action != EVENT_ENTER || top->next_child == NODE_NONE)
        return false;
    struct fold_node *child = fold_node_at(b, top->next_child);
    if (child->frame != frame)
        return false;
    child->columns[b->layout.calls]++;
    t->current = top->next_child;
    top->next_child = child->next_sibling;
    return true;
}

/* What move_usual does not do. */
static __attribute__((noinline)) bool move_rare(struct builder *b, uint32_t track, enum event_action action,
                                                frame_id frame)
{
    const struct event event = {.track = track, .frame = frame, .action = action};

    if (!apply_rare(b, &event, WARNING_NO_OFFSET))
        return false;
    fetch_next(b, b->tracks[track].current);
    return true;
}

/* builder_turn where something is not as nearly always. */
static __attribute__((noinline)) bool turn_rare(struct builder *b, uint32_t track, enum event_action action,
                                                frame_id frame, const uint64_t *clocks, uint32_t clock)
{
    struct fold_track *t = &b->tracks[track];

    if (!may_happen(b, track, clocks))
        return false;
    t->records++;
    b->n_events++;
    uint64_t *columns = fold_node_at(b, t->current)->columns;
    credit_clock(b, t, columns, 0, clocks[0], WARNING_NO_OFFSET);
    if (clock > 0 && clock < b->layout.n_times)
        credit_clock(b, t, columns, clock, clocks[clock], WARNING_NO_OFFSET);
    return move_rare(b, track, action, frame);
}

/* Calls others at its ends alone, so that it has nothing to save. */
bool builder_turn(struct builder *b, uint32_t track, enum event_action action, frame_id frame,
                  const uint64_t *clocks, uint32_t clock)
{
    struct fold_track *t = &b->tracks[track];
    const uint32_t state = clock < b->layout.n_times ? clock : 0;

    if (t->use != FOLD_EVENTS || b->wraps || b->log != NULL || t->indexed || clocks[0] < t->last[0] ||
        clocks[state] < t->last[state] || !builder_goes_on_yet(b))
        return turn_rare(b, track, action, frame, clocks, clock);
    t->records++;
    b->n_events++;
    uint64_t *columns = fold_node_at(b, t->current)->columns;
    columns[0] += clocks[0] - t->last[0];
    t->last[0] = clocks[0];
    columns[state] += clocks[state] - t->last[state]; /* nothing where it is the same clock */
    t->last[state] = clocks[state];
    if (action != EVENT_STATE && !move_usual(b, t, action, frame))
        return move_rare(b, track, action, frame);
    fetch_next(b, t->current);
    return true;
}
