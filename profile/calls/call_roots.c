#include "profile/calls/call_roots.h"

struct watched {
    struct call_roots_sink *sink;
    uint32_t nth; /* of the tracks */
};

struct call_roots_sink {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct arena *arena;
    const struct profile *profile;
    const uint32_t *tracks;
    uint32_t n_tracks;
    struct watched *watched;
    struct call_roots *roots;
    bool failed;
};

static void *watch(struct watcher *w, uint32_t id)
{
    struct call_roots_sink *s = (struct call_roots_sink *)(void *)w;

    for (uint32_t i = 0; i < s->n_tracks; i++)
        if (s->profile->tracks[s->tracks[i]].id == id)
            return s->profile->tracks[s->tracks[i]].re_roots > 0 ? &s->watched[i] : NULL;
    return NULL;
}

static bool begin(void *track, const uint64_t *ticks)
{
    (void)track, (void)ticks;
    return true;
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    (void)track, (void)frame, (void)ticks;
    return true;
}

static void leave(void *track, const uint64_t *ticks)
{
    (void)track, (void)ticks;
}

static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    const struct watched *t = track;
    struct call_roots *r = &t->sink->roots[t->nth];

    (void)ticks;
    if (ARENA_ROOM(t->sink->arena, r->frames, r->capacity, r->n + 1))
        r->frames[r->n++] = frame;
    else
        t->sink->failed = true;
}

struct call_roots_sink *call_roots_new(struct arena *arena, const struct profile *p, const uint32_t *tracks,
                                       uint32_t n_tracks)
{
    struct call_roots_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->watcher = (struct watcher){watch, begin, enter, leave, re_root, leave, NULL, NULL, NULL};
    s->arena = arena;
    s->profile = p;
    s->tracks = tracks;
    s->n_tracks = n_tracks;
    s->watched = arena_array(arena, n_tracks, sizeof(*s->watched));
    s->roots = arena_array(arena, n_tracks, sizeof(*s->roots));
    for (uint32_t i = 0; s->watched != NULL && i < n_tracks; i++)
        s->watched[i] = (struct watched){s, i};
    return s->watched != NULL && s->roots != NULL ? s : NULL;
}

struct watcher *call_roots_watcher(struct call_roots_sink *s)
{
    return &s->watcher;
}

const struct call_roots *call_roots_finish(const struct call_roots_sink *s)
{
    return s->failed ? NULL : s->roots;
}
