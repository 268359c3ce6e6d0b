#include "profile/rename/rename_watch.h"

#include "profile/rename/rename.h"

struct renaming {
    struct watcher watcher; /* first */
    struct watcher *to;
    const struct profile_mapped *mapped;
    struct arena *arena;
};

struct renamed_track {
    const struct renaming *renaming;
    const struct rename_set *set;
    void *track;      /* of the watcher that is passed on to */
    uint32_t *depths; /* as how many frames each open one was told of; not used if all became one */
    size_t n, capacity;
};

/* A file that has changed since it was read first may have more frames. It is refused in the end; here it must do no harm. */
static frame_id known(const struct renamed_track *t, frame_id frame)
{
    return frame < t->renaming->mapped->before->n_frames ? frame : 0;
}

/* A track that came to nothing is in no set. */
static uint32_t set_of(const struct profile_mapped *mapped, uint32_t id)
{
    const struct profile_track *t = profile_track_by_id(mapped->before, id);

    return t != NULL ? mapped->set[t - mapped->before->tracks] : 0;
}

static void *track(struct watcher *w, uint32_t id)
{
    struct renaming *r = (struct renaming *)w;
    void *inner = r->to->track(r->to, id);
    struct renamed_track *t = inner != NULL ? arena_alloc(r->arena, sizeof(*t)) : NULL;

    if (t != NULL)
        *t = (struct renamed_track){
            .renaming = r, .set = &r->mapped->sets[set_of(r->mapped, id)], .track = inner};
    return t;
}

static bool begin(void *track, const uint64_t *ticks)
{
    struct renamed_track *t = track;

    return t->renaming->to->begin(t->track, ticks);
}

static bool push(struct renamed_track *t, uint32_t depth)
{
    struct arena *a = t->renaming->arena;

    if (!ARENA_ROOM(a, t->depths, t->capacity, t->n + 1))
        return false;
    t->depths[t->n++] = depth;
    return true;
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct renamed_track *t = track;
    const struct profile_mapped *mapped = t->renaming->mapped;
    frame_id id = known(t, frame);
    uint32_t first = t->set->first[id], count = t->set->count[id];

    if (!mapped->single && !push(t, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!t->renaming->to->enter(t->track, mapped->list[first + i], ticks))
            return false;
    return true;
}

static void leave(void *track, const uint64_t *ticks)
{
    struct renamed_track *t = track;
    uint32_t count = t->renaming->mapped->single ? 1 : t->n > 0 ? t->depths[--t->n] : 0;

    while (count-- > 0)
        t->renaming->to->leave(t->track, ticks);
}

/* Of calls, each of which stayed one. */
static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    struct renamed_track *t = track;
    frame_id id = known(t, frame);

    if (t->set->count[id] > 0)
        t->renaming->to->re_root(t->track, t->renaming->mapped->list[t->set->first[id]], ticks);
}

static void end(void *track, const uint64_t *ticks)
{
    struct renamed_track *t = track;

    t->renaming->to->end(t->track, ticks);
}

static bool sample(void *track, const uint64_t *values, const uint64_t *ticks)
{
    struct renamed_track *t = track;

    return t->renaming->to->sample(t->track, values, ticks);
}

static void stay(void *track, const uint64_t *ticks)
{
    struct renamed_track *t = track;

    t->renaming->to->stay(t->track, ticks);
}

static void skip(void *track, uint64_t ticks)
{
    struct renamed_track *t = track;

    t->renaming->to->skip(t->track, ticks);
}

/* Frames may have been renamed more than once: those of the last time are told what the time before made of them. */
struct watcher *rename_watcher(const struct profile *p, struct watcher *w, struct arena *arena)
{
    for (; w != NULL && p->mapped != NULL; p = p->mapped->before) {
        struct renaming *r = p->mapped->before->n_frames > 0 ? arena_alloc(arena, sizeof(*r)) : NULL;
        if (r == NULL && p->mapped->before->n_frames > 0)
            return NULL;
        if (r == NULL)
            continue;
        *r = (struct renaming){{track, begin, enter, leave, re_root, end, w->sample != NULL ? sample : NULL,
                                w->stay != NULL ? stay : NULL, w->skip != NULL ? skip : NULL},
                               w,
                               p->mapped,
                               arena};
        w = &r->watcher;
    }
    return w;
}
