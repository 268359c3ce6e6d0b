#include "profile/calls/replay.h"

#include <stdlib.h>
#include <string.h>

#include "profile/calls/replay_impl.h"
#include "profile/rename/rename.h"

enum { STOP_EVERY = 4096 /* records between two looks at the arena's stop */ };

/* A call that is left behind the part of the log that is played. */
struct later {
    const struct call_log_call *call;
    uint32_t track;
    size_t level;
};

/* Most logs have no others than the first two. These are read one by one: a record has just written them so, and a processor waits
 * until both are in its cache before it reads them as one. */
static inline void copy_clocks(const struct replay *r, uint64_t *to, const volatile uint64_t *from)
{
    to[0] = from[0];
    to[1] = from[1];
    for (uint32_t i = LOG_FIRST_CLOCKS; i < r->n_clocks; i++)
        to[i] = from[i];
}

/* ---- the stack ---- */

/* At t->now. There is room for it. */
static inline void open_call(const struct replay *r, struct replay_track *t, frame_id frame, uint8_t flags,
                             const struct call_log_call *known)
{
    struct replay_call *call = &t->open[t->n_open++];

    call->frame = frame;
    call->flags = flags;
    call->callees = 0;
    call->known = known;
    call->node = NODE_NONE;
    call->kept = call->marked = false;
    call->given_ns = 0;
    copy_clocks(r, call->begin, t->now);
}

static inline bool push_call(struct replay *r, struct replay_track *t, frame_id frame, uint8_t flags,
                             const struct call_log_call *known)
{
    if (t->n_open == t->open_capacity && !ARENA_ROOM(r->arena, t->open, t->open_capacity, t->n_open + 1))
        return false;
    open_call(r, t, frame, flags, known);
    return t->n_open == 1 || r->request.sink.enter == NULL ||
           r->request.sink.enter(r->request.sink.context, t);
}

/* The frames that one became in all renames from this one on, from outside inwards. As deep as there are renames. */
static bool push_renamed(struct replay *r, struct replay_track *t, uint32_t rename, frame_id frame,
                         uint8_t flags, const struct call_log_call *known)
{
    if (rename == r->n_renames)
        return push_call(r, t, frame, flags, known);
    const struct rename_set *set = t->sets[rename];
    const frame_id *list = r->renames[rename]->list + set->first[frame];
    for (uint32_t i = 0; i < set->count[frame]; i++)
        if (!push_renamed(r, t, rename + 1, list[i], flags, known))
            return false;
    return true;
}

/* A call of the log is entered at t->now. */
static inline bool push(struct replay *r, struct replay_track *t, frame_id frame, uint8_t flags,
                        const struct call_log_call *known)
{
    size_t before = t->n_open;

    if (frame >= r->n_frames)
        return replay_damaged(r);
    if (r->n_renames == 0)
        return push_call(r, t, frame, flags, known);
    if (!push_renamed(r, t, 0, frame, flags, known))
        return false;
    if (r->single)
        return true;
    if (!ARENA_ROOM(r->arena, t->made, t->made_capacity, t->n_made + 1))
        return false;
    t->made[t->n_made++] = (uint32_t)(t->n_open - before);
    return true;
}

/* How many calls of the log are open. */
static size_t n_raw(const struct replay *r, const struct replay_track *t)
{
    return r->single ? t->n_open - 1 : t->n_made;
}

static inline bool is_told(const struct replay_sink *sink, const struct replay_call *call, uint64_t took)
{
    return took >= sink->least_ticks || (sink->always != NULL && sink->always[call->frame] != 0);
}

/* The innermost call is left at t->now, which `leave` is told, unless it is NULL. */
static inline bool leave_call(const struct replay *r, struct replay_track *t, uint8_t flags,
                              bool (*leave)(void *context, struct replay_track *t,
                                            const struct replay_left *left))
{
    struct replay_call *call = &t->open[t->n_open - 1];
    uint64_t took = t->now[0] - call->begin[0];
    uint64_t callees = call->known != NULL && r->single ? call->known->callees : call->callees;
    const struct replay_left left = {.call = call,
                                     .level = t->n_open - 1,
                                     .self = took > callees ? took - callees : 0,
                                     .flags = call->flags | flags};

    call[-1].callees += took;
    if (leave != NULL && is_told(&r->request.sink, call, took) && !leave(r->request.sink.context, t, &left))
        return false;
    t->n_open--;
    return true;
}

static inline bool pop_call(const struct replay *r, struct replay_track *t, uint8_t flags)
{
    return leave_call(r, t, flags, r->request.sink.leave);
}

/* The clocks of the latest record become those of the one before. */
static inline void pass(const struct replay *r, struct replay_track *t)
{
    copy_clocks(r, t->last, t->now);
}

/* The innermost call of the log is left. */
static inline bool pop(struct replay *r, struct replay_track *t)
{
    uint32_t n = 1;

    if (!r->single)
        n = t->n_made > 0 ? t->made[--t->n_made] : 1;
    if (t->n_open <= n)
        return replay_damaged(r);
    for (; n > 0; n--) {
        if (!pop_call(r, t, 0))
            return false;
        pass(r, t);
    }
    return true;
}

/* ---- the beginning of a track ---- */

static bool stay(struct replay *r, struct replay_track *t)
{
    const struct replay_sink *sink = &r->request.sink;

    if (sink->stay != NULL && !sink->stay(sink->context, t))
        return false;
    pass(r, t);
    return true;
}

/* The track, and what encloses all of it that was not yet left: the outermost is left last. */
static bool begin_track(struct replay *r, struct replay_track *t, uint64_t roots_left)
{
    const struct replay_sink *sink = &r->request.sink;
    const struct call_log_call *roots = r->log->roots + t->log->first_root;

    t->goes_on = t->from_part > 0;
    copy_clocks(r, t->last, t->log->begin);
    copy_clocks(r, t->now, t->log->begin);
    if (!push_call(r, t, FRAME_NONE, 0, NULL) || (sink->begin != NULL && !sink->begin(sink->context, t)))
        return false;
    t->resumes = true;
    for (uint64_t i = t->log->n_roots; i-- > roots_left;)
        if (!push(r, t, roots[i].frame, SPAN_BEFORE, &roots[i]))
            return false;
    return true;
}

/* All is entered that is open where the replay of the track begins. */
static bool end_resuming(struct replay *r, struct replay_track *t)
{
    t->resumes = false;
    return stay(r, t);
}

/* What was read of a track where it comes into a block: see call_log_record.h. */
struct opening {
    uint64_t number, roots_left, n_open;
    const uint8_t *calls; /* varints */
    uint64_t clocks[PROFILE_CLOCKS_MAX];
};

/* The call behind this one, of n that are listed from *p on. NULL: there is no such call. */
static const struct call_log_call *next_call(const struct replay *r, const uint8_t **p, uint64_t *number)
{
    uint64_t step;

    if (!log_varint(p, r->end, &step) || step >= r->log->trailer.n_calls ||
        (*number += step) >= r->log->trailer.n_calls)
        return NULL;
    return &r->log->calls[*number];
}

static bool read_opening(struct replay *r, struct opening *o)
{
    uint64_t number = 0;

    if (!log_varint(&r->p, r->end, &o->number) || !log_varint(&r->p, r->end, &o->roots_left) ||
        !log_varint(&r->p, r->end, &o->n_open) || o->number >= r->log->trailer.n_tracks ||
        o->roots_left > r->log->tracks[o->number].n_roots)
        return replay_damaged(r);
    o->calls = r->p;
    for (uint64_t i = 0; i < o->n_open; i++)
        if (next_call(r, &r->p, &number) == NULL)
            return replay_damaged(r);
    if ((size_t)(r->end - r->p) < r->n_clocks * sizeof(uint64_t))
        return replay_damaged(r);
    memset(o->clocks, 0, sizeof(o->clocks));
    memcpy(o->clocks, r->p, r->n_clocks * sizeof(uint64_t));
    r->p += r->n_clocks * sizeof(uint64_t);
    return true;
}

/* The replay begins here: what is open is entered at its own times, which are none of the window's. */
static bool resume_track(struct replay *r, struct replay_track *t, const struct opening *o)
{
    const uint8_t *p = o->calls;
    uint64_t number = 0;

    if (!begin_track(r, t, o->roots_left))
        return false;
    for (uint64_t i = 0; i < o->n_open; i++) {
        const struct call_log_call *call = next_call(r, &p, &number);
        if (call == NULL || call->begin[0] < t->now[0])
            return replay_damaged(r);
        copy_clocks(r, t->now, call->begin);
        if (!push(r, t, call->frame, 0, call))
            return false;
        pass(r, t);
    }
    if (o->clocks[0] < t->now[0])
        return replay_damaged(r);
    copy_clocks(r, t->now, o->clocks);
    return end_resuming(r, t);
}

/* ---- blocks ---- */

/* Whether the track goes on where the last one of its blocks has left it. */
static bool goes_on(const struct replay *r, const struct replay_track *t, const struct opening *o)
{
    return n_raw(r, t) == t->log->n_roots - o->roots_left + o->n_open && o->clocks[0] == t->now[0];
}

/* A track comes into the block. *t: it, if it is played from here on, else NULL. */
static bool open_track(struct replay *r, uint64_t block, struct replay_track **t)
{
    struct opening o;

    *t = NULL;
    if (!read_opening(r, &o) || !ARENA_ROOM(r->arena, r->members, r->members_capacity, r->n_members + 1))
        return false;
    uint32_t nth = r->nth_of[o.number];
    struct replay_track *track = nth >= r->from && nth < r->to ? &r->tracks[nth] : NULL;
    if (r->request.in_pieces && track != NULL && track->n_open == 0)
        track->part = track->from_part = replay_part_of(r, track, block);
    bool plays = track != NULL && track->part < track->to_part &&
                 r->log->parts[track->log->first_part + track->part].block == block;
    r->members[r->n_members++] = plays ? nth : NO_TRACK;
    if (!plays)
        return track == NULL || !r->request.in_pieces || replay_damaged(r);
    *t = track;
    r->came++;
    if (track->part++ == track->from_part)
        return o.n_open > 0 || track->from_part > 0
                   ? resume_track(r, track, &o)
                   : begin_track(r, track, o.roots_left) && end_resuming(r, track);
    return goes_on(r, track, &o) || replay_damaged(r);
}

/* Another track that has come into the block goes on. */
static bool switch_track(struct replay *r, struct replay_track **t)
{
    uint64_t place;

    if (!log_varint(&r->p, r->end, &place) || place >= r->n_members)
        return replay_damaged(r);
    *t = r->members[place] != NO_TRACK ? &r->tracks[r->members[place]] : NULL;
    return true;
}

static bool play_sample(struct replay *r, struct replay_track *t)
{
    const struct replay_sink *sink = &r->request.sink;

    for (uint32_t i = 0; i < r->log->trailer.n_values; i++)
        if (!log_varint(&r->p, r->end, &r->values[i]))
            return replay_damaged(r);
    if (sink->sample != NULL && !sink->sample(sink->context, t, r->values))
        return false;
    pass(r, t);
    return true;
}

/* What a control byte says of its record: where in it the clocks stand, and how long it is. */
static struct shape shape_of(unsigned control)
{
    unsigned kind = control & ((1 << LOG_KIND_BITS) - 1), frame_bytes = LOG_FRAME_BYTES[kind];
    unsigned clock_bytes = LOG_CLOCK_BYTES[control >> LOG_KIND_BITS & ((1 << LOG_CLOCK_BITS) - 1)];
    unsigned cpu_bytes = LOG_CPU_BYTES[control >> (LOG_KIND_BITS + LOG_CLOCK_BITS)];

    return (struct shape){.kind = (uint8_t)kind,
                          .frame_bytes = (uint8_t)frame_bytes,
                          .clock_bytes = (uint8_t)clock_bytes,
                          .cpu_bytes = (uint8_t)cpu_bytes,
                          .cpu_at = (uint8_t)(1 + frame_bytes + clock_bytes),
                          .bytes = (uint8_t)(1 + frame_bytes + clock_bytes + cpu_bytes)};
}

/* The record at p, of a track that is played; its clocks are in t->now. */
static inline bool play_record(struct replay *r, struct replay_track *t, const struct shape *s,
                               const uint8_t *p)
{
    if (s->kind == LOG_LEAVE)
        return pop(r, t);
    if (s->kind == LOG_STAY)
        return stay(r, t);
    if (s->kind == LOG_SAMPLE)
        return play_sample(r, t);
    if (!push(r, t, (frame_id)log_number(p + 1, s->frame_bytes), 0, NULL))
        return false;
    pass(r, t);
    return true;
}

/* The clocks behind the second one, which stand at r->p. */
static bool play_other_clocks(struct replay *r, struct replay_track *t)
{
    unsigned went = r->p < r->end ? *r->p++ : 0;

    for (uint32_t i = LOG_FIRST_CLOCKS; i < r->n_clocks; i++) {
        uint64_t ticks;
        if ((went >> (i - LOG_FIRST_CLOCKS) & 1) == 0)
            continue;
        if (!log_varint(&r->p, r->end, &ticks) || __builtin_add_overflow(t->now[i], ticks, &t->now[i]))
            return replay_damaged(r);
    }
    return true;
}

/* The class of the innermost call. */
static inline unsigned class_on_top(const struct replay_track *t)
{
    return t->n_open > 1 ? t->sums->class_of_frame[t->open[t->n_open - 1].frame] : REPLAY_CLASSES;
}

/* The records from r->p on that the sink need not be told: up to one that it has to be told, or the end. */
static bool sum_records(struct replay *r, struct replay_track *t)
{
    struct replay_sums *sums = t->sums;
    const uint8_t *classes = sums->class_of_frame, *end = r->end, *p = r->p;
    const uint64_t *until = sums->until;
    uint64_t room = until[0] > t->now[0] ? until[0] - t->now[0] : 0;
    uint64_t room_too = until[1] > t->now[1] ? until[1] - t->now[1] : 0;
    unsigned class = class_on_top(t);
    bool ok = true;

    while (ok && p < end) {
        const struct shape *s = &r->shapes[*p];
        uint64_t went = log_number(p + 1 + s->frame_bytes, s->clock_bytes);
        uint64_t went_too = log_number(p + s->cpu_at, s->cpu_bytes);
        frame_id frame = (frame_id)log_number(p + 1, s->frame_bytes);
        if ((size_t)(end - p) < s->bytes || went >= room || went_too >= room_too || s->kind > LOG_STAY ||
            (s->kind == LOG_LEAVE && class >= REPLAY_CLASSES) ||
            (s->frame_bytes > 0 &&
             (frame >= r->n_frames || classes[frame] >= REPLAY_CLASSES || t->n_open == t->open_capacity)))
            break;
        if (t->n_open > 1) {
            sums->ticks[0][class % REPLAY_CLASSES] += went;
            sums->ticks[1][class % REPLAY_CLASSES] += went > 0 ? went_too : 0;
        }
        t->now[0] += went;
        t->now[1] += went_too;
        room -= went;
        room_too -= went_too;
        p += s->bytes;
        if (s->kind == LOG_LEAVE) {
            ok = leave_call(r, t, 0, sums->leave);
            class = class_on_top(t);
        } else if (s->kind != LOG_STAY) {
            open_call(r, t, frame, 0, NULL);
            sums->entered++;
            class = classes[frame];
        }
    }
    if (p > r->p) {
        sums->some = true;
        pass(r, t);
    }
    r->p = p;
    return ok;
}

/* The records of one track, up to r->end. */
static bool play_run(struct replay *r, struct replay_track *t)
{
    const bool sums = r->n_renames == 0 && r->n_clocks <= LOG_FIRST_CLOCKS;

    for (;;) {
        if (t->sums != NULL && sums && !sum_records(r, t))
            return false;
        const uint8_t *p = r->p;
        if (p == r->end)
            return true;
        const struct shape *s = &r->shapes[*p];
        if (s->kind >= LOG_SWITCH || (size_t)(r->end - p) < s->bytes)
            return replay_damaged(r);
        r->p += s->bytes;
        if (__builtin_add_overflow(t->now[0], log_number(p + 1 + s->frame_bytes, s->clock_bytes),
                                   &t->now[0]) ||
            __builtin_add_overflow(t->now[1], log_number(p + s->cpu_at, s->cpu_bytes), &t->now[1]))
            return replay_damaged(r);
        if (r->n_clocks > LOG_FIRST_CLOCKS && !play_other_clocks(r, t))
            return false;
        if (!play_record(r, t, s, p))
            return false;
        if (++r->records % STOP_EVERY == 0 && arena_stopped(r->arena))
            return false;
    }
}

/* What is not told costs no more than a look at its length. */
static bool play_block(struct replay *r, uint64_t block)
{
    const uint8_t *end = r->end;
    struct replay_track *t = NULL;

    for (r->n_members = 0; r->p < end; r->end = end) {
        unsigned kind = *r->p++;
        if (kind != LOG_SWITCH && kind != LOG_OPEN_TRACK)
            return replay_damaged(r);
        if (!(kind == LOG_SWITCH ? switch_track(r, &t) : open_track(r, block, &t)))
            return false;
        if ((size_t)(end - r->p) < LOG_RUN_BYTES)
            return replay_damaged(r);
        uint64_t run = log_number(r->p, LOG_RUN_BYTES);
        if (run > (size_t)(end - r->p) - LOG_RUN_BYTES)
            return replay_damaged(r);
        r->p += LOG_RUN_BYTES;
        r->end = r->p + run;
        if (t == NULL)
            r->p = r->end;
        else if (!play_run(r, t))
            return false;
    }
    return true;
}

static bool load(struct replay *r, uint64_t block)
{
    if (arena_stopped(r->arena))
        return false;
    r->block = call_log_block(r->log, block, r->room);
    if (r->block == NULL)
        return replay_damaged(r);
    r->p = r->block;
    r->end = r->block + r->log->blocks[block].bytes;
    return true;
}

/* ---- what is open behind the part that is played ---- */

static bool is_cut(const struct replay_track *t)
{
    return t->n_open > 0 && t->to_part < t->log->n_parts;
}

static uint32_t next_block(const struct replay *r, const struct replay_track *t)
{
    return r->log->parts[t->log->first_part + t->to_part].block;
}

/* The track's next block tells what is open by its place in the footer. */
static bool know_open(struct replay *r, struct replay_track *t)
{
    const struct call_log_part *part = &r->log->parts[t->log->first_part + t->to_part];
    struct opening o;
    uint64_t number = 0;

    r->p = r->block + part->offset;
    if (*r->p++ != LOG_OPEN_TRACK || !read_opening(r, &o) || &r->log->tracks[o.number] != t->log ||
        !goes_on(r, t, &o))
        return replay_damaged(r);
    uint64_t roots = t->log->n_roots - o.roots_left;
    size_t level = 1;
    for (uint64_t i = 0; i < roots + o.n_open; i++) {
        const struct call_log_call *call = i < roots
                                               ? &r->log->roots[t->log->first_root + t->log->n_roots - 1 - i]
                                               : next_call(r, &o.calls, &number);
        size_t n = r->single ? 1 : t->made[i];
        if (call == NULL || call->end[0] < t->now[0])
            return replay_damaged(r);
        for (; n > 0; n--)
            t->open[level++].known = call;
    }
    return true;
}

struct cut {
    uint32_t block, nth;
};

static int by_block(const void *a, const void *b)
{
    const struct cut *x = a, *y = b;

    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* For each track that goes on behind the part that is replayed: finds out what sinks want to know of its open calls. */
static bool know_all_open(struct replay *r)
{
    struct cut *cuts = arena_array(r->arena, r->to - r->from, sizeof(*cuts));
    uint32_t n = 0;

    if (cuts == NULL)
        return false;
    for (uint32_t i = r->from; i < r->to; i++)
        if (is_cut(&r->tracks[i]) && r->tracks[i].n_open > 1)
            cuts[n++] = (struct cut){next_block(r, &r->tracks[i]), i};
    if (n > 0)
        qsort(cuts, n, sizeof(*cuts), by_block);
    for (uint32_t i = 0; i < n; i++)
        if (((i == 0 || cuts[i].block != cuts[i - 1].block) && !load(r, cuts[i].block)) ||
            !know_open(r, &r->tracks[cuts[i].nth]))
            return false;
    return true;
}

/* In the order of the file; what one record leaves at once, from inside outwards. */
static int by_end(const void *a, const void *b)
{
    const struct later *x = a, *y = b;

    if (x->call->at != y->call->at)
        return x->call->at < y->call->at ? -1 : 1;
    return x->level > y->level ? -1 : x->level < y->level;
}

static bool leave_later(struct replay *r)
{
    struct later *list = NULL;
    size_t n = 0, capacity = 0;

    for (uint32_t i = r->from; i < r->to; i++) {
        const struct replay_track *t = &r->tracks[i];
        for (size_t level = 1; is_cut(t) && level < t->n_open; level++) {
            const struct call_log_call *call = t->open[level].known;
            if ((call->flags & CALL_LOG_OPEN) != 0)
                continue;
            if (!ARENA_ROOM(r->arena, list, capacity, n + 1))
                return false;
            list[n++] = (struct later){call, i, level};
        }
    }
    if (n > 0)
        qsort(list, n, sizeof(*list), by_end);
    for (size_t i = 0; i < n; i++) {
        struct replay_track *t = &r->tracks[list[i].track];
        if (t->n_open - 1 != list[i].level || list[i].call->end[0] < t->now[0])
            return replay_damaged(r);
        copy_clocks(r, t->now, list[i].call->end);
        if (!pop_call(r, t, 0))
            return false;
        pass(r, t);
    }
    arena_release(r->arena, list, capacity, sizeof(*list));
    return true;
}

static bool end_track(struct replay *r, struct replay_track *t)
{
    const struct replay_sink *sink = &r->request.sink;
    const uint8_t flag = profile_track_times(r->request.profile, t->of) > 0
                             ? SPAN_OPEN
                             : 0; /* samples say nothing of an end */
    bool innermost = true, cut = is_cut(t);

    if (t->log->end[0] < t->now[0])
        return replay_damaged(r);
    copy_clocks(r, t->now, t->log->end);
    if (sink->end != NULL && !sink->end(sink->context, t))
        return false;
    pass(r, t);
    for (; t->n_open > 1; innermost = false) {
        const struct call_log_call *known = t->open[t->n_open - 1].known;
        bool is_last = innermost && (!cut || (known->flags & CALL_LOG_INNERMOST) != 0);
        if (!pop_call(r, t, (uint8_t)(flag | (is_last ? SPAN_INNERMOST : 0))))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

/* Behind the last block. */
static bool end_tracks(struct replay *r)
{
    for (uint32_t i = r->from; i < r->to; i++)
        if (r->tracks[i].part != r->tracks[i].to_part)
            return replay_damaged(r); /* a block does not have what the footer says */
    if (!know_all_open(r) || !leave_later(r))
        return false;
    if (r->request.ends_only)
        r->request.sink = r->ends;
    for (uint32_t i = r->from; i < r->to; i++)
        if (r->tracks[i].n_open > 0 && !end_track(r, &r->tracks[i]))
            return false;
    return true;
}

/* The next block that is needed, or the number of all blocks. */
static uint64_t next_needed(const struct replay *r)
{
    const struct replay_track *t = r->request.one_by_one && r->to > r->from ? &r->tracks[r->from] : NULL;
    uint64_t block = r->next;

    if (t != NULL)
        return t->part < t->to_part ? r->log->parts[t->log->first_part + t->part].block
                                    : r->log->trailer.n_blocks;
    while (block < r->log->trailer.n_blocks && !r->needed[block])
        block++;
    return block;
}

static bool step(struct replay *r)
{
    if (!r->prepared && !replay_prepare(r))
        return false;
    if (r->ended && r->request.one_by_one && r->to < r->request.n_tracks)
        r->from = r->to++;
    r->prepared = true;
    r->next = next_needed(r);
    r->ended = r->next == r->log->trailer.n_blocks;
    return r->ended ? end_tracks(r) : load(r, r->next) && play_block(r, r->next++);
}

struct replay *replay_new(const struct replay_request *request, struct arena *arena)
{
    struct replay *r = arena_alloc(arena, sizeof(*r));

    if (r == NULL)
        return NULL;
    *r = (struct replay){.request = *request, .log = request->log, .arena = arena};
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        r->shapes[i] = shape_of(i);
    return r;
}

static enum replay_end failed(const struct replay *r)
{
    return r->damaged ? REPLAY_DAMAGED : REPLAY_FAILED;
}

enum replay_end replay_step(struct replay *r)
{
    if (!step(r))
        return failed(r);
    return r->ended ? REPLAY_DONE : REPLAY_MORE;
}

/* How many parts of the block are told now. */
static uint32_t parts_of_piece(const struct replay *r, uint64_t block)
{
    const struct replay_track *t = &r->tracks[r->from];

    if (r->needed[block] == 0 || r->to - r->from != 1)
        return r->needed[block];
    return t->log != NULL && replay_part_of(r, t, block) < t->log->n_parts;
}

static bool play_piece(struct replay *r, uint64_t block)
{
    uint32_t n = parts_of_piece(r, block);

    r->came = 0;
    return n == 0 || (load(r, block) && play_block(r, block) && (r->came == n || replay_damaged(r)));
}

/* Of one track that has come to its end, that is told; whatever else is open belongs to other pieces. */
static bool end_piece(struct replay *r, bool is_alone)
{
    bool ok = true;

    for (uint32_t i = r->from; ok && i < r->to; i++) {
        struct replay_track *t = &r->tracks[i];
        ok = !is_alone || t->n_open == 0 || t->part < t->to_part || end_track(r, t);
        t->n_open = 0;
    }
    return ok;
}

enum replay_end replay_piece(struct replay *r, uint32_t nth, uint64_t from, uint64_t to)
{
    bool ok = r->prepared || replay_prepare(r);

    r->prepared = ok;
    r->from = nth == REPLAY_ALL ? 0 : nth;
    r->to = nth == REPLAY_ALL ? r->request.n_tracks : nth + 1;
    for (uint64_t block = from; ok && block < to; block++)
        ok = play_piece(r, block);
    return ok && end_piece(r, nth != REPLAY_ALL) ? REPLAY_DONE : failed(r);
}

enum replay_end replay_all(const struct replay_request *request, struct arena *arena)
{
    struct replay *r = replay_new(request, arena);
    enum replay_end end = r != NULL ? REPLAY_MORE : REPLAY_FAILED;

    while (end == REPLAY_MORE)
        end = replay_step(r);
    return end;
}
