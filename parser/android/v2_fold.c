#include "parser/android/v2_fold.h"

enum { NS_PER_S = 1000000000 };

void v2_fold_init(struct v2_fold *f, struct android *a)
{
    f->android = a;
    idmap_init(&f->indexes, builder_arena(a->builder), builder_seed(a->builder));
}

void v2_fold_layout(struct v2_fold *f, enum v2_layout layout, uint64_t counter_hz)
{
    bool wraps = v2_first_in_head(layout);

    f->layout = layout;
    f->clock_mask = wraps ? UINT32_MAX : INT64_MAX;
    f->counter_hz = counter_hz;
    builder_clocks(f->android->builder, v2_bare_exits(layout) ? 1 : 1000, wraps);
}

/* ---- threads ---- */

static uint32_t thread_index(struct v2_fold *f, uint32_t id)
{
    struct arena *arena = builder_arena(f->android->builder);
    uint32_t index = idmap_get(&f->indexes, id);

    if (index != IDMAP_NONE)
        return index;
    if (!ARENA_ROOM(arena, f->threads, f->threads_capacity, f->n_threads + 1) ||
        !idmap_set(&f->indexes, id, (uint32_t)f->n_threads)) {
        builder_failed(f->android->builder, f->android->diag);
        return IDMAP_NONE;
    }
    f->threads[f->n_threads] = (struct v2_thread){.id = id, .track = NODE_NONE};
    return (uint32_t)f->n_threads++;
}

static bool ensure_track(struct v2_fold *f, uint64_t offset)
{
    struct v2_thread *t = &f->threads[f->thread];

    if (t->track == NODE_NONE)
        t->track = android_track(f->android, t->id, offset);
    return t->track != NODE_NONE;
}

/* ---- records ---- */

/* Whole seconds apart, so that no product passes 64 bits: v2.c knows the largest hz. */
static uint64_t counter_to_ns(uint64_t ticks, uint64_t hz)
{
    return ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
}

/* The event of the record that f->values are at. False (diag) if its method is not listed, and cannot be
 * made. */
static inline __attribute__((always_inline)) bool put_event(struct v2_fold *f, struct event *e,
                                                            uint32_t track, uint64_t offset,
                                                            const enum v2_layout layout, const bool dual)
{
    const struct v2_values *v = &f->values;
    uint64_t method;

    e->track = track;
    e->frame = FRAME_NONE;
    if (v2_bare_exits(layout)) {
        uint64_t time = v->word >> (layout == V2_E ? 2 : 1);
        e->action = (enum event_action)(v->word & (layout == V2_E ? 3 : 1));
        e->clock[0] = f->counter_hz == 0 ? time : counter_to_ns(time, f->counter_hz);
        if (dual)
            e->clock[1] = v->cpu;
    } else {
        e->action = (enum event_action)(v->word & 3);
        e->clock[0] = v->wall & f->clock_mask;
        if (dual)
            e->clock[1] = v->cpu & f->clock_mask;
    }
    if (!v2_names_method(layout, v, &method))
        return true;
    e->frame = method_table_get(&f->android->keys.methods, method);
    if (__builtin_expect(e->frame == FRAME_NONE, 0))
        e->frame = android_unknown_method(f->android, method, offset);
    return e->frame != FRAME_NONE;
}

/* Records side by side into the batch. Returns the bytes taken. Layout and `dual` are constants where this
 * is inlined. */
static inline __attribute__((always_inline)) size_t decode(struct v2_fold *f, const uint8_t *p, size_t n,
                                                           uint64_t offset, size_t *count,
                                                           const enum v2_layout layout, const bool dual)
{
    uint32_t track = f->threads[f->thread].track;
    const uint8_t *at = p;

    for (*count = 0; *count < ANDROID_BATCH; ++*count) {
        struct event *e = &f->batch[*count];
        size_t before = (size_t)(at - p);
        if (!v2_record(&at, p + n, layout, dual, &f->values))
            break;
        e->at = (uint32_t)before;
        if (!put_event(f, e, track, offset + before, layout, dual))
            break;
    }
    return (size_t)(at - p);
}

/* The loop is compiled once for each layout and number of clocks, so that it asks for neither at each record. Behind the head
 * of its block, a record of B is one of C: steps from the record before it. */
static size_t decode_any(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, size_t *count)
{
    bool dual = f->android->dual;

    switch (f->layout) {
    case V2_A:
        return dual ? decode(f, p, n, offset, count, V2_A, true)
                    : decode(f, p, n, offset, count, V2_A, false);
    case V2_E:
        return dual ? decode(f, p, n, offset, count, V2_E, true)
                    : decode(f, p, n, offset, count, V2_E, false);
    case V2_F:
        return decode(f, p, n, offset, count, V2_F, false);
    case V2_B:
    case V2_C:
    case V2_LAYOUTS:
        break;
    }
    return dual ? decode(f, p, n, offset, count, V2_C, true) : decode(f, p, n, offset, count, V2_C, false);
}

/* ---- blocks ---- */

/* The record in the block's head. */
static bool fold_first(struct v2_fold *f, uint64_t offset)
{
    struct event *e = &f->batch[0];

    e->at = 0;
    if (!ensure_track(f, offset))
        return false;
    uint32_t track = f->threads[f->thread].track;
    bool ok = f->android->dual ? put_event(f, e, track, offset, V2_C, true)
                               : put_event(f, e, track, offset, V2_C, false);
    return ok && android_events(f->android, e, 1, offset, 0);
}

bool v2_fold_block(struct v2_fold *f, const struct v2_packet *packet, uint64_t offset)
{
    f->thread = thread_index(f, (uint32_t)packet->id);
    if (f->thread == IDMAP_NONE)
        return false;
    f->body_left = packet->body_bytes;
    f->values = packet->values;
    f->at_first = true;
    f->counts_more = v2_counts_more(packet, f->android->dual);
    f->damaged = false;
    return !v2_first_in_head(f->layout) || fold_first(f, offset);
}

/* Before a body's first record, which is at p: where its numbers count from. Blocks of C begin at 0, but one that was split
 * from the thread's block before it goes on where that ended. False: the record is not whole. */
static bool begin_body(struct v2_fold *f, const uint8_t *p, size_t n)
{
    struct v2_thread *t = &f->threads[f->thread];
    struct v2_values first = {0};

    if (f->layout == V2_C && t->has_block) {
        if (!v2_record(&p, p + n, V2_C, f->android->dual, &first))
            return false;
        if (v2_continues(&f->android->keys.methods, &first, &t->last, f->counts_more))
            f->values = t->last;
    }
    f->at_first = false;
    t->has_block = true;
    return true;
}

static size_t fold_records(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    struct android *a = f->android;
    size_t used = 0;

    if (n == 0 || !(*ok = ensure_track(f, offset)))
        return 0;
    while (*ok && used < n) {
        size_t count, taken = decode_any(f, p + used, n - used, offset + used, &count);
        *ok = a->diag->kind == DIAG_NONE && android_events(a, f->batch, count, offset + used, 0);
        used += taken;
        if (taken == 0)
            break;
    }
    f->threads[f->thread].last = f->values;
    return used;
}

size_t v2_fold_body(struct v2_fold *f, const uint8_t *p, size_t n, uint64_t offset, bool *ok)
{
    size_t used = 0;
    bool whole = n >= f->body_left;

    if (whole)
        n = (size_t)f->body_left;
    if (f->damaged)
        used = n;
    else if (!f->at_first || begin_body(f, p, n))
        used = fold_records(f, p, n, offset, ok);
    /* What is left would be a whole record, if it were one: the rest of the block is passed over, as its size is known. */
    if (*ok && used < n && (whole || n - used >= V2_RECORD_BYTES_MAX)) {
        builder_warn(f->android->builder, WARN_BAD_BLOCK, 1, offset + used);
        f->damaged = true;
        used = n;
    }
    /* n was cut to what is left of the block, so this does not go below zero. */
    f->body_left -= used;
    return used;
}
