#include "profile/calls/checkpoints.h"

#include <stdlib.h>
#include <string.h>

#include "profile/calls/checkpoints_impl.h"
#include "profile/watcher.h"

enum {
    CHECKPOINTS_MAX = 200, /* a window of a hundredth of the file reads half of that more */
    EVERY_LEAST = 1024     /* records */
};

struct checkpoints *checkpoints_new(const struct profile *profile, size_t limit_bytes)
{
    struct checkpoints *c = calloc(1, sizeof(*c));
    uint64_t records = 0;

    if (c == NULL)
        return NULL;
    arena_init(&c->arena, limit_bytes / 2);
    for (uint32_t i = 0; i < profile->n_tracks; i++)
        records += profile->tracks[i].records;
    c->every = records / CHECKPOINTS_MAX > EVERY_LEAST ? records / CHECKPOINTS_MAX : EVERY_LEAST;
    return c;
}

void checkpoints_free(struct checkpoints *c)
{
    if (c != NULL)
        arena_free(&c->arena);
    free(c);
}

size_t checkpoints_count(const struct checkpoints *c)
{
    return c->useless ? 0 : c->n;
}

/* ---- what is open ---- */

static struct checkpoints *of_watcher(struct watcher *w)
{
    return (struct checkpoints *)(void *)((char *)w - offsetof(struct checkpoints, watcher));
}

/* A log that is not whole makes all checkpoints useless: what encloses a window may come behind it. NULL then. */
static struct checkpoint_log *log_of(struct checkpoints *c, uint32_t number)
{
    if (!ARENA_ROOM(&c->arena, c->logs, c->logs_capacity, (size_t)number + 1)) {
        c->useless = true;
        return NULL;
    }
    for (; c->n_logs <= number; c->n_logs++)
        c->logs[c->n_logs] = (struct checkpoint_log){.unknown_from = c->n};
    return &c->logs[number];
}

static void *watch(struct watcher *w, uint32_t id)
{
    struct checkpoints *c = of_watcher(w);
    struct checkpoint_watched *t = arena_alloc(c->builder->arena, sizeof(*t));

    if (t != NULL)
        *t = (struct checkpoint_watched){.checkpoints = c,
                                         .number = (uint32_t)c->builder->n_tracks,
                                         .to = c->to != NULL ? c->to->track(c->to, id) : NULL};
    return t;
}

static bool push(struct checkpoint_watched *t, frame_id frame, const uint64_t *ticks)
{
    if (!ARENA_ROOM(t->checkpoints->builder->arena, t->open, t->open_capacity, t->n_open + 1))
        return false;
    t->open[t->n_open] =
        (struct checkpoint_level){.call = {.frame = frame, .callee = FRAME_NONE}, .kept = UINT32_MAX};
    memcpy(t->open[t->n_open].call.begin, ticks, sizeof(t->open->call.begin));
    t->n_open++;
    return true;
}

static bool begin(void *track, const uint64_t *ticks)
{
    struct checkpoint_watched *t = track;

    return push(t, FRAME_NONE, ticks) && (t->to == NULL || t->checkpoints->to->begin(t->to, ticks));
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct checkpoint_watched *t = track;

    return push(t, frame, ticks) && (t->to == NULL || t->checkpoints->to->enter(t->to, frame, ticks));
}

static void leave(void *track, const uint64_t *ticks)
{
    struct checkpoint_watched *t = track;
    struct checkpoints *c = t->checkpoints;
    struct checkpoint_level *call = &t->open[--t->n_open];

    call[-1].call.callees += ticks[0] - call->call.begin[0];
    if (call->kept != UINT32_MAX) {
        call->call.ended = true;
        memcpy(call->call.end, ticks, sizeof(call->call.end));
        c->calls[call->kept] = call->call;
    }
    if (t->to != NULL)
        c->to->leave(t->to, ticks);
}

static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    struct checkpoint_watched *t = track;
    struct checkpoints *c = t->checkpoints;
    struct checkpoint_call *thread = &t->open[0].call;
    struct checkpoint_log *log = log_of(c, t->number);

    if (log != NULL && ARENA_ROOM(&c->arena, log->roots, log->roots_capacity, log->n_roots + 1)) {
        struct checkpoint_root *root = &log->roots[log->n_roots++];
        *root = (struct checkpoint_root){.frame = frame, .callees = thread->callees};
        memcpy(root->end, ticks, sizeof(root->end));
    } else {
        c->useless = true;
    }
    thread->callees = ticks[0] - thread->begin[0];
    if (t->to != NULL)
        c->to->re_root(t->to, frame, ticks);
}

/* What is open then stays so: see checkpoint_part.c. */
static void end(void *track, const uint64_t *ticks)
{
    struct checkpoint_watched *t = track;
    struct checkpoints *c = t->checkpoints;
    struct checkpoint_log *log = log_of(c, t->number);

    if (log != NULL)
        memcpy(log->end, ticks, sizeof(log->end));
    for (size_t i = 0; i < t->n_open; i++) {
        struct checkpoint_level *call = &t->open[i];
        if (i + 1 < t->n_open) {
            call->call.callee = call[1].call.frame;
            memcpy(call->call.end, call[1].call.begin, sizeof(call->call.end));
        }
        if (call->kept != UINT32_MAX)
            c->calls[call->kept] = call->call;
    }
    if (t->to != NULL)
        c->to->end(t->to, ticks);
}

static void stay(void *track, const uint64_t *ticks)
{
    const struct checkpoint_watched *t = track;

    if (t->to != NULL && t->checkpoints->to->stay != NULL)
        t->checkpoints->to->stay(t->to, ticks);
}

uint64_t checkpoints_first(const struct checkpoints *c)
{
    return c->list[0].offset;
}

void builder_checkpoints(struct builder *b, struct checkpoints *c)
{
    c->watcher = (struct watcher){watch, begin, enter, leave, re_root, end, NULL, stay, NULL};
    c->to = b->watcher;
    c->builder = b;
    b->watcher = &c->watcher;
    b->checkpoints = c;
    b->checkpoint_at = c->every;
}

/* ---- taking ---- */

/* The call gets a number, if it has none yet. */
static bool keep(struct checkpoints *c, struct checkpoint_level *call)
{
    if (call->kept != UINT32_MAX)
        return true;
    if (c->n_calls >= UINT32_MAX || !ARENA_ROOM(&c->arena, c->calls, c->calls_capacity, c->n_calls + 1))
        return false;
    call->kept = (uint32_t)c->n_calls++;
    c->calls[call->kept] = call->call;
    return true;
}

static bool copy_stack(struct checkpoints *c, struct checkpoint_watched *t, struct checkpoint_track *to)
{
    to->open = arena_array(&c->arena, t->n_open, sizeof(*to->open));
    for (; to->open != NULL && to->n_open < t->n_open; to->n_open++) {
        struct checkpoint_level *call = &t->open[to->n_open];
        if (!keep(c, call))
            return false;
        to->open[to->n_open] = (struct checkpoint_open){call->kept, call->call.callees};
    }
    return to->open != NULL;
}

static bool copy_track(struct checkpoints *c, const struct fold_track *t, struct checkpoint_track *to)
{
    to->id = t->id;
    to->records = t->records;
    to->re_roots = t->re_roots;
    memcpy(to->last, t->last, sizeof(to->last));
    memcpy(to->wrapped, t->wrapped, sizeof(to->wrapped));
    memcpy(to->wrap_record, t->wrap_record, sizeof(to->wrap_record));
    return t->records == 0 || (t->watched != NULL && copy_stack(c, t->watched, to));
}

static bool take(struct builder *b, struct checkpoints *c, uint64_t offset, const void *state,
                 size_t state_bytes)
{
    if (!ARENA_ROOM(&c->arena, c->list, c->capacity, c->n + 1) ||
        (b->n_tracks > 0 && log_of(c, (uint32_t)b->n_tracks - 1) == NULL))
        return false;
    struct checkpoint *point = &c->list[c->n];
    *point =
        (struct checkpoint){.offset = offset, .state_bytes = state_bytes, .n_tracks = (uint32_t)b->n_tracks};
    point->state = state_bytes > 0 ? arena_copy(&c->arena, state, state_bytes) : NULL;
    if (state_bytes > 0 && point->state == NULL)
        return false;
    point->tracks = arena_array(&c->arena, b->n_tracks, sizeof(*point->tracks));
    for (size_t i = 0; i < b->n_tracks; i++)
        if (point->tracks == NULL || !copy_track(c, &b->tracks[i], &point->tracks[i]))
            return false;
    c->n++;
    return true;
}

bool builder_wants_checkpoint(const struct builder *b)
{
    return b->checkpoints != NULL && !b->checkpoints->full && b->n_events >= b->checkpoint_at;
}

void checkpoints_give_up(struct checkpoints *c)
{
    c->useless = true;
}

/* Without one of them nothing behind it could be read. */
void builder_defines(struct builder *b, uint64_t offset, uint64_t bytes)
{
    struct checkpoints *c = b->checkpoints;

    if (c == NULL)
        return;
    if (c->n_definitions > 0 && c->definitions[c->n_definitions - 1].to == offset) {
        c->definitions[c->n_definitions - 1].to += bytes;
        return;
    }
    if (ARENA_ROOM(&c->arena, c->definitions, c->definitions_capacity, c->n_definitions + 1))
        c->definitions[c->n_definitions++] = (struct checkpoint_range){offset, offset + bytes};
    else
        c->useless = true;
}

void builder_checkpoint(struct builder *b, uint64_t offset, const void *state, size_t state_bytes)
{
    struct checkpoints *c = b->checkpoints;

    bool taken = take(b, c, offset, state, state_bytes);

    if (!taken && !c->useless && checkpoints_thin(c))
        taken = take(b, c, offset, state, state_bytes);
    c->full = !taken;
    b->checkpoint_at = b->n_events + c->every;
    if (taken)
        fold_latest_time(b); /* each track's next record is told to checkpoints_next */
}

/* Where the clock of the track's next record stands; see large_step in fold.c. The record is not counted yet. */
static uint64_t next_reading(const struct builder *b, const struct fold_track *t, uint32_t clock,
                             uint64_t reading)
{
    const uint64_t round = UINT64_C(1) << 32, half = round / 2;
    uint64_t now = reading + t->wrapped[clock];
    bool behind_wrap = t->wrap_record[clock] > 0 && t->records == t->wrap_record[clock];

    if (now - t->last[clock] <= half)
        return now;
    if (b->wraps && now < t->last[clock] && t->last[clock] - now > half)
        return now + round;
    return now < t->last[clock] || behind_wrap ? t->last[clock] : now;
}

void checkpoints_next(struct builder *b, const struct event *e)
{
    struct checkpoints *c = b->checkpoints;
    const struct fold_track *t = &b->tracks[e->track];
    uint64_t next[BUILDER_CLOCKS_MAX] = {0};

    if (e->track >= c->n_logs || t->records == 0)
        return;
    for (uint32_t clock = 0; clock < b->layout.n_times; clock++)
        next[clock] = next_reading(b, t, clock, e->clock[clock]);
    for (size_t i = c->logs[e->track].unknown_from; i < c->n; i++) {
        struct checkpoint *point = &c->list[i];
        if (e->track >= point->n_tracks || point->tracks[e->track].records == 0)
            continue;
        memcpy(point->tracks[e->track].next, next, sizeof(next));
        point->tracks[e->track].has_next = true;
    }
    c->logs[e->track].unknown_from = c->n;
}
