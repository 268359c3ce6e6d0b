/* Reading from one checkpoint to another. */
#include <string.h>

#include "core/number.h"
#include "profile/calls/checkpoints_impl.h"
#include "profile/watcher.h"

/* ---- which part ---- */

static uint64_t ns_of(const struct profile *p, uint64_t ticks)
{
    return number_multiply(ticks, p->ns_per_tick);
}

static bool is_before(const struct checkpoint *point, const struct profile *p, uint64_t from_ns)
{
    for (uint32_t i = 0; i < point->n_tracks; i++)
        if (point->tracks[i].records > 0 && ns_of(p, point->tracks[i].last[0]) >= from_ns)
            return false;
    return true;
}

/* The track's next record, and so all that follow, are behind the window, or there is none. */
static bool has_passed(const struct checkpoint_track *t, const struct profile *p, uint64_t to_ns)
{
    return ns_of(p, t->last[0]) > to_ns || !t->has_next || ns_of(p, t->next[0]) > to_ns;
}

/* Tracks that have not begun begin behind the window. */
static bool is_behind(const struct checkpoints *c, const struct checkpoint *point, const struct profile *p,
                      uint64_t to_ns)
{
    uint32_t begun = 0, before = 0;

    for (uint32_t i = 0; i < point->n_tracks; i++) {
        begun += point->tracks[i].records > 0;
        if (point->tracks[i].records > 0 && !has_passed(&point->tracks[i], p, to_ns))
            return false;
    }
    for (uint32_t i = 0; i < p->n_tracks; i++)
        before += p->tracks[i].begin_ns < to_ns;
    /* Those that have begun may have begun behind the window, too. */
    for (uint32_t i = 0; i < point->n_tracks; i++)
        before += point->tracks[i].records > 0 &&
                  ns_of(p, c->calls[point->tracks[i].open[0].call].begin[0]) >= to_ns;
    return before == begun;
}

void checkpoints_part(const struct checkpoints *c, const struct profile *p, const struct window *window,
                      struct checkpoint_part *part)
{
    *part = (struct checkpoint_part){
        .checkpoints = c, .profile = p, .to = UINT64_MAX, .window_to_ns = window->to_ns};
    if (c->useless)
        return;
    for (size_t i = 0; i < c->n && is_before(&c->list[i], p, window->from_ns); i++)
        part->begin = &c->list[i];
    for (size_t i = 0; i < c->n && part->end == NULL && window->to_ns != WINDOW_NO_END; i++)
        if (is_behind(c, &c->list[i], p, window->to_ns))
            part->end = &c->list[i];
    /* What has passed the window has reached it: the end is not before the beginning. */
    part->from = part->begin != NULL ? part->begin->offset : 0;
    if (part->begin != NULL) {
        part->state = part->begin->state;
        part->state_bytes = part->begin->state_bytes;
        part->definitions = c->definitions;
    }
    while (part->n_definitions < c->n_definitions && c->definitions[part->n_definitions].from < part->from)
        part->n_definitions++; /* whole ones: at a checkpoint stands a record */
    part->to = part->end != NULL ? part->end->offset : UINT64_MAX;
}

uint64_t checkpoints_bytes(const struct checkpoints *c, const struct profile *p, const struct window *window)
{
    struct checkpoint_part part;

    checkpoints_part(c, p, window, &part);
    uint64_t from = part.begin != NULL ? part.from : c->list[0].offset;
    uint64_t to = part.end != NULL ? part.to : c->list[c->n - 1].offset;
    return to - from;
}

/* ---- reading it ---- */

static bool add_frames(const struct profile *p, struct builder *b)
{
    for (frame_id i = (frame_id)b->n_frames; i < p->n_frames; i++) {
        struct profile_frame frame = p->frames[i];
        string_id *const names[] = {&frame.scope, &frame.name,   &frame.signature,
                                    &frame.file,  &frame.module, &frame.build_id};
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            *names[k] = builder_string(b, profile_string(p, *names[k]));
            if (*names[k] == STRING_NONE)
                return false;
        }
        if (builder_frame(b, &frame) != i)
            return false;
    }
    return b->n_frames == p->n_frames;
}

/* The tracks that have begun there, by their ids. */
static bool index_tracks(const struct checkpoint *point, struct builder *b, struct idmap *map)
{
    idmap_init(map, b->arena, b->seed);
    for (uint32_t i = 0; point != NULL && i < point->n_tracks; i++)
        if (point->tracks[i].records > 0 && !idmap_set(map, point->tracks[i].id, i))
            return false;
    return true;
}

bool checkpoints_begin(struct checkpoint_part *part, struct builder *b)
{
    const struct checkpoint *point = part->begin;

    if (!add_frames(part->profile, b) || !index_tracks(part->begin, b, &part->begins) ||
        !index_tracks(part->end, b, &part->ends))
        return false;
    part->told = arena_array(b->arena, point != NULL ? point->n_tracks : 0, sizeof(*part->told));
    for (uint32_t i = 0; point != NULL && i < point->n_tracks; i++)
        b->latest = point->tracks[i].last[0] > b->latest ? point->tracks[i].last[0] : b->latest;
    b->part = part;
    return part->told != NULL;
}

static void tell_skip(const struct builder *b, void *watched, uint64_t ticks)
{
    if (b->watcher->skip != NULL && ticks > 0)
        b->watcher->skip(watched, ticks);
}

static void tell_roots(struct builder *b, void *watched, const struct checkpoint_log *log, size_t from,
                       size_t to, const uint64_t *first, uint64_t *told)
{
    for (size_t i = from; i < to; i++) {
        const struct checkpoint_root *root = &log->roots[i];
        tell_skip(b, watched, root->callees - *told);
        b->watcher->re_root(watched, root->frame, root->end);
        *told = root->end[0] - first[0];
    }
}

/* All that encloses the beginning, as if it were entered now; told of calls that are over is how long they took. */
static bool tell_open(const struct checkpoint_part *part, struct builder *b, void *watched, uint32_t nth)
{
    const struct checkpoints *c = part->checkpoints;
    const struct checkpoint_track *from = &part->begin->tracks[nth];
    const uint64_t *first = watched != NULL ? c->calls[from->open[0].call].begin : NULL;
    uint64_t told = 0;

    if (watched == NULL)
        return true;
    if (!b->watcher->begin(watched, first))
        return false;
    tell_roots(b, watched, &c->logs[nth], 0, from->re_roots, first, &told);
    tell_skip(b, watched, from->open[0].callees - told);
    for (uint32_t i = 1; i < from->n_open; i++) {
        const struct checkpoint_call *call = &c->calls[from->open[i].call];
        if (!b->watcher->enter(watched, call->frame, call->begin))
            return false;
        tell_skip(b, watched, from->open[i].callees);
    }
    if (b->watcher->stay != NULL)
        b->watcher->stay(watched, from->last);
    return true;
}

bool checkpoints_resume(struct builder *b, struct fold_track *t)
{
    uint32_t at = idmap_get(&b->part->begins, t->id);

    if (at == IDMAP_NONE)
        return true;
    const struct checkpoint_track *from = &b->part->begin->tracks[at];
    const struct checkpoint_call *calls = b->part->checkpoints->calls;
    b->part->told[at] = true;
    t->use = FOLD_EVENTS;
    t->records = from->records;
    t->re_roots = from->re_roots;
    t->first = calls[from->open[0].call].begin[0];
    memcpy(t->last, from->last, sizeof(t->last));
    memcpy(t->wrapped, from->wrapped, sizeof(t->wrapped));
    memcpy(t->wrap_record, from->wrap_record, sizeof(t->wrap_record));
    node_id node = fold_root(b, t);
    for (uint32_t i = 1; i < from->n_open && node != NODE_NONE; i++)
        node = fold_child(b, node, calls[from->open[i].call].frame);
    t->current = node;
    return node != NODE_NONE && tell_open(b->part, b, t->watched, at);
}

/* ---- behind it ---- */

/* Of what is never left, the outermost call that the watcher does not know yet. */
static bool tell_callee(struct builder *b, void *watched, const struct checkpoint_call *call)
{
    return call->callee == FRAME_NONE || b->watcher->enter(watched, call->callee, call->end);
}

/* A track that goes on behind the part. Of the calls that are open there it is known when they end and how long their callees took;
 * of all others behind it, that they are callees of these, and what turns out to enclose all. */
static bool pass(const struct checkpoint_part *part, struct builder *b, void *watched, uint32_t nth)
{
    const struct checkpoints *c = part->checkpoints;
    const struct checkpoint_track *t = &part->end->tracks[nth];
    const struct checkpoint_log *log = &c->logs[nth];
    const struct checkpoint_call *call = &c->calls[t->open[0].call];
    uint64_t told = t->open[0].callees, last = 0;
    uint32_t i = t->n_open;

    if (b->watcher->stay != NULL)
        b->watcher->stay(watched, ns_of(part->profile, t->last[0]) > part->window_to_ns ? t->last : t->next);
    while (i-- > 1) {
        call = &c->calls[t->open[i].call];
        tell_skip(b, watched, call->callees - t->open[i].callees - last);
        if (!call->ended)
            break;
        b->watcher->leave(watched, call->end);
        last = call->end[0] - call->begin[0];
    }
    if (i == 0) {
        call = &c->calls[t->open[0].call];
        told += last;
        tell_roots(b, watched, log, t->re_roots, log->n_roots, call->begin, &told);
        tell_skip(b, watched, call->callees - told);
    }
    if (!tell_callee(b, watched, call))
        return false;
    b->watcher->end(watched, log->end);
    return true;
}

static bool end_track(const struct checkpoint_part *part, struct builder *b, void *watched, uint32_t id,
                      const uint64_t *last)
{
    uint32_t nth = idmap_get(&part->ends, id);

    if (nth != IDMAP_NONE && part->end->tracks[nth].has_next)
        return pass(part, b, watched, nth);
    b->watcher->end(watched, last);
    return true;
}

/* Tracks without a record in the part are told now. */
static bool end_silent(const struct checkpoint_part *part, struct builder *b)
{
    for (uint32_t i = 0; part->begin != NULL && i < part->begin->n_tracks; i++) {
        const struct checkpoint_track *t = &part->begin->tracks[i];
        void *watched = t->records > 0 && !part->told[i] ? b->watcher->track(b->watcher, t->id) : NULL;
        if (!tell_open(part, b, watched, i) ||
            (watched != NULL && !end_track(part, b, watched, t->id, t->last)))
            return false;
    }
    return true;
}

bool checkpoints_end(const struct checkpoint_part *part, struct builder *b)
{
    if (b->n_frames != part->profile->n_frames)
        return false;
    for (size_t i = 0; i < b->n_tracks; i++) {
        const struct fold_track *t = &b->tracks[i];
        if (t->root != NODE_NONE && t->watched != NULL && !end_track(part, b, t->watched, t->id, t->last))
            return false;
    }
    return end_silent(part, b);
}
