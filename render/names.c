#include "render/names.h"

#include <string.h>

#include "core/clean.h"
#include "render/number.h"
#include "render/order.h"
#include "render/palette.h"

struct names {
    const struct names_frame *frames;
    const struct str *tracks;
    const uint32_t *track_ranks;
};

#define BIT(c) (UINT64_C(1) << (c))

/* All controls and what XML escapes are below 64: a bit for each. No early end, which would cost more than it
 * saves. */
static bool is_plain(struct str s)
{
    static const uint64_t NOT_PLAIN = UINT32_MAX | BIT('<') | BIT('>') | BIT('&') | BIT('"') | BIT('\'');
    uint64_t found = 0;

    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        found |= c < 64 ? NOT_PLAIN >> c & 1 : c > 0x7e;
    }
    return found == 0;
}

static char *put(char *to, struct str s)
{
    if (s.n > 0)
        memcpy(to, s.p, s.n);
    return to + s.n;
}

/* Text and signature in one piece, so that a name without special characters needs no second copy for XML. */
static bool make_frame(const struct profile *p, const struct profile_frame *frame, struct names_frame *made,
                       struct buf *escaped, struct arena *arena)
{
    struct str scope = profile_string(p, frame->scope), name = profile_string(p, frame->name);
    struct str signature = profile_string(p, frame->signature);

    made->colour = palette_class(scope, name);
    if (scope.n + name.n == 0)
        name = STR("(no name)");
    char *text = arena_alloc(arena, scope.n + 1 + name.n + signature.n);
    if (text == NULL)
        return false;
    char *end = put(text, scope);
    if (scope.n > 0 && name.n > 0)
        *end++ = '.';
    end = put(end, name);
    made->text = (struct str){text, (size_t)(end - text)};
    end = put(end, signature);
    made->full = (struct str){text, (size_t)(end - text)};
    made->plain = is_plain(made->text);
    if (made->plain && is_plain(signature))
        return true;
    buf_clear(escaped);
    clean_xml(escaped, made->full);
    char *copy = escaped->failed ? NULL : arena_copy(arena, escaped->p, escaped->n);
    made->full = (struct str){copy, escaped->n};
    return copy != NULL;
}

/* Runs of equal text in the sorted ids get the order of their signatures. */
static bool order_overloads(const struct profile *p, uint32_t *ids, const struct str *texts,
                            struct str *signatures, struct arena *arena)
{
    for (uint32_t i = 0; i < p->n_frames; i++)
        signatures[i] = profile_string(p, p->frames[i].signature);
    for (uint32_t i = 0, end; i < p->n_frames; i = end) {
        for (end = i + 1; end < p->n_frames && str_eq(texts[ids[i]], texts[ids[end]]);)
            end++;
        if (end - i > 1 && !order_strings(ids + i, end - i, signatures, arena))
            return false;
    }
    return true;
}

static bool rank_frames(const struct profile *p, struct names_frame *frames, struct arena *arena)
{
    uint32_t n = p->n_frames;
    size_t ids_capacity = 0, texts_capacity = 0, signatures_capacity = 0;
    uint32_t *ids = arena_grow(arena, NULL, &ids_capacity, n, sizeof(*ids));
    struct str *texts = arena_grow(arena, NULL, &texts_capacity, n, sizeof(*texts));
    struct str *signatures = arena_grow(arena, NULL, &signatures_capacity, n, sizeof(*signatures));
    bool ok = ids != NULL && texts != NULL && signatures != NULL;

    for (uint32_t i = 0; ok && i < n; i++) {
        ids[i] = i;
        texts[i] = frames[i].text;
    }
    ok = ok && order_strings(ids, n, texts, arena) && order_overloads(p, ids, texts, signatures, arena);
    for (uint32_t i = 0; ok && i < n; i++)
        frames[ids[i]].rank = i;
    arena_release(arena, signatures, signatures_capacity, sizeof(*signatures));
    arena_release(arena, texts, texts_capacity, sizeof(*texts));
    arena_release(arena, ids, ids_capacity, sizeof(*ids));
    return ok;
}

static const struct names_frame *make_frames(const struct profile *p, struct arena *arena)
{
    struct names_frame *frames = arena_array(arena, p->n_frames, sizeof(*frames));
    struct buf escaped = {0};
    bool ok = frames != NULL;

    for (uint32_t i = 0; ok && i < p->n_frames; i++)
        ok = make_frame(p, &p->frames[i], &frames[i], &escaped, arena);
    if (escaped.failed && arena->failure == ARENA_OK)
        arena->failure = ARENA_NO_MEMORY;
    buf_free(&escaped);
    return ok && rank_frames(p, frames, arena) ? frames : NULL;
}

static bool make_track(const struct profile *p, const struct profile_track *track, struct str *label,
                       struct arena *arena)
{
    struct str name = profile_string(p, track->name);
    char *text = arena_alloc(arena, name.n + 32);

    if (text == NULL)
        return false;
    char *end = put(text, STR("["));
    end = put(end, name);
    end = put(end, STR(" tid="));
    end = number_u64(end, track->id);
    end = put(end, STR("]"));
    *label = (struct str){text, (size_t)(end - text)};
    return true;
}

static bool make_tracks(const struct profile *p, struct names *n, struct arena *arena)
{
    struct str *labels = arena_array(arena, p->n_tracks, sizeof(*labels));
    uint32_t *ids = arena_array(arena, p->n_tracks, sizeof(*ids));
    uint32_t *ranks = arena_array(arena, p->n_tracks, sizeof(*ranks));

    if (labels == NULL || ids == NULL || ranks == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        ids[i] = i;
        if (!make_track(p, &p->tracks[i], &labels[i], arena))
            return false;
    }
    if (!order_strings(ids, p->n_tracks, labels, arena))
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++)
        ranks[ids[i]] = i;
    n->tracks = labels;
    n->track_ranks = ranks;
    return true;
}

struct names *names_new(const struct profile *p, struct arena *arena)
{
    struct names *n = arena_alloc(arena, sizeof(*n));

    if (n == NULL)
        return NULL;
    n->frames = make_frames(p, arena);
    return n->frames != NULL && make_tracks(p, n, arena) ? n : NULL;
}

const struct names_frame *names_of(const struct names *n, frame_id frame)
{
    return &n->frames[frame];
}

struct str names_frame(const struct names *n, frame_id frame)
{
    return n->frames[frame].text;
}

uint32_t names_rank(const struct names *n, frame_id frame)
{
    return n->frames[frame].rank;
}

struct str names_track(const struct names *n, uint32_t track)
{
    return n->tracks[track];
}

uint32_t names_track_rank(const struct names *n, uint32_t track)
{
    return n->track_ranks[track];
}
