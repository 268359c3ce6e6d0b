#include "tests/support/fold_model.h"

#include <stdlib.h>
#include <string.h>

static void need(bool condition)
{
    if (!condition)
        abort();
}

static void *alloc(size_t count, size_t element_bytes)
{
    void *p = calloc(count, element_bytes);

    need(p != NULL);
    return p;
}

struct fold_model *fold_model_new(uint32_t n_tracks)
{
    struct fold_model *m = alloc(1, sizeof(*m));

    m->n_tracks = n_tracks;
    m->tracks = alloc(n_tracks, sizeof(*m->tracks));
    for (uint32_t i = 0; i < n_tracks; i++)
        m->tracks[i].paths = alloc(FOLD_MODEL_PATHS_MAX, sizeof(*m->tracks[i].paths));
    for (unsigned i = 0; i < WARNING_CODES; i++)
        m->offsets[i] = WARNING_NO_OFFSET;
    return m;
}

void fold_model_free(struct fold_model *m)
{
    for (uint32_t i = 0; i < m->n_tracks; i++)
        free(m->tracks[i].paths);
    free(m->tracks);
    free(m);
}

static bool same_path(const struct fold_path *a, const struct fold_path *b)
{
    return a->n == b->n && memcmp(a->frames, b->frames, a->n) == 0;
}

uint64_t *fold_model_values(struct fold_model_track *t, const struct fold_path *path)
{
    for (uint32_t i = 0; i < t->n_paths; i++)
        if (same_path(&t->paths[i].path, path))
            return t->paths[i].values;
    need(t->n_paths < FOLD_MODEL_PATHS_MAX);
    t->paths[t->n_paths].path = *path;
    return t->paths[t->n_paths++].values;
}

static void warn(struct fold_model *m, enum warning_code code, uint64_t offset)
{
    m->counts[code]++;
    if (offset < m->offsets[code])
        m->offsets[code] = offset;
}

/* So many rounds of a clock of 32 bits before this first reading that it is nearest to the latest wall
 * time of all tracks; the fewer of two that are as near. */
static uint64_t first_rounds(const struct fold_model *m, uint64_t reading)
{
    uint64_t latest = 0, best = 0, least = UINT64_MAX;

    for (uint32_t i = 0; i < m->n_tracks; i++)
        if (m->tracks[i].records > 0 && m->tracks[i].last[0] > latest)
            latest = m->tracks[i].last[0];
    for (uint64_t rounds = 0; rounds <= latest / UINT64_C(0x100000000) + 1; rounds++) {
        uint64_t at = rounds * UINT64_C(0x100000000) + reading;
        uint64_t distance = at > latest ? at - latest : latest - at;
        if (distance < least) {
            least = distance;
            best = rounds;
        }
    }
    return best;
}

static void pass_time(struct fold_model *m, struct fold_model_track *t, const struct event *e,
                      uint64_t offset)
{
    for (unsigned c = 0; c < FOLD_MODEL_CLOCKS; c++) {
        uint64_t now = e->clock[c] + t->added[c];
        if (now < t->last[c] && t->last[c] - now > UINT64_C(0x80000000)) {
            t->added[c] += UINT64_C(0x100000000);
            now += UINT64_C(0x100000000);
            warn(m, WARN_CLOCK_WRAP, offset);
            t->just_wrapped[c] = true;
        } else if (now < t->last[c] || (t->just_wrapped[c] && now - t->last[c] > UINT64_C(0x80000000))) {
            warn(m, WARN_TIME_BACK, offset);
            continue;
        } else {
            t->just_wrapped[c] = false;
        }
        fold_model_values(t, &t->stack)[c] += now - t->last[c];
        t->last[c] = now;
    }
}

/* Every path gets the frame in front; what the root had, the frame has. */
static void re_root(struct fold_model_track *t, uint8_t frame)
{
    const struct fold_path root = {0}, first = {1, {frame}};

    for (uint32_t i = 0; i < t->n_paths; i++) {
        struct fold_path *p = &t->paths[i].path;
        need(p->n < FOLD_MODEL_DEPTH_MAX);
        memmove(p->frames + 1, p->frames, p->n);
        p->frames[0] = frame;
        p->n++;
    }
    fold_model_values(t, &first)[FOLD_MODEL_CLOCKS] = 1;
    fold_model_values(t, &root);
}

static void leave(struct fold_model *m, struct fold_model_track *t, frame_id frame, uint8_t unknown,
                  uint64_t offset)
{
    unsigned n = t->stack.n;

    if (n == 0) {
        re_root(t, frame == FRAME_NONE ? unknown : (uint8_t)frame);
        warn(m, WARN_RE_ROOTED, offset);
    } else if (frame == FRAME_NONE || t->stack.frames[n - 1] == frame) {
        t->stack.n--;
    } else {
        while (n > 0 && t->stack.frames[n - 1] != frame)
            n--;
        warn(m, n > 0 ? WARN_POPPED : WARN_IGNORED_EXIT, offset);
        if (n > 0)
            t->stack.n = (uint16_t)(n - 1);
    }
}

static void enter(struct fold_model_track *t, frame_id frame)
{
    need(t->stack.n < FOLD_MODEL_DEPTH_MAX && frame <= UINT8_MAX);
    t->stack.frames[t->stack.n++] = (uint8_t)frame;
    fold_model_values(t, &t->stack)[FOLD_MODEL_CLOCKS]++;
}

void fold_model_event(struct fold_model *m, const struct event *e, uint8_t unknown, uint64_t offset)
{
    struct fold_model_track *t = &m->tracks[e->track];

    if (t->records == 0) {
        fold_model_values(t, &t->stack);
        t->added[0] = first_rounds(m, e->clock[0]) * UINT64_C(0x100000000);
        for (unsigned c = 0; c < FOLD_MODEL_CLOCKS; c++)
            t->last[c] = e->clock[c] + t->added[c];
    }
    t->records++;
    pass_time(m, t, e, offset);
    switch (e->action) {
    case EVENT_ENTER:
        enter(t, e->frame);
        break;
    case EVENT_EXIT:
    case EVENT_UNROLL:
        leave(m, t, e->frame, unknown, offset);
        break;
    case EVENT_STATE:
        break;
    case EVENT_UNKNOWN:
        warn(m, WARN_UNKNOWN_ACTION, offset);
        break;
    }
}

struct fold_path fold_model_path(const struct profile *p, node_id node, node_id root)
{
    struct fold_path path = {0};
    uint16_t n = 0;

    for (node_id id = node; id != root; id = p->node_parent[id])
        n++;
    need(n <= FOLD_MODEL_DEPTH_MAX);
    path.n = n;
    for (node_id id = node; id != root; id = p->node_parent[id])
        path.frames[--n] = (uint8_t)p->node_frame[id];
    return path;
}
