#include "render/names/names.h"

#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "core/put.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/origin.h"
#include "profile/track.h"

struct names {
    const struct profile *profile;
    const struct names_frame *frames;
    struct own_code own;
    struct str *packages;
    uint32_t n_packages;
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

/* --- frames --- */

/* What all frames of a scope share. */
struct scope {
    bool known;
    uint8_t origin;
    bool listed;      /* one of its frames stands for all in the list of packages */
    uint32_t package; /* then */
};

struct maker {
    const struct profile *profile;
    struct arena *arena;
    struct names_frame *frames;
    struct scope *scopes; /* by string_id */
    struct buf escaped;
};

static struct scope classify(struct maker *m, const struct profile_frame *frame,
                             const struct frame_parts *parts)
{
    struct scope *kept = &m->scopes[frame->scope], made;
    bool keeps = profile_string(m->profile, frame->scope).n > 0;

    if (keeps && kept->known)
        return *kept;
    made = (struct scope){.known = true, .origin = (uint8_t)origin_of_scope(parts->scope)};
    if (keeps)
        *kept = made;
    return made;
}

/* As the tables know it. */
static uint8_t listed_origin(const struct profile *p, const struct profile_frame *frame,
                             const struct frame_parts *parts, enum origin of_scope)
{
    bool platform = of_scope == ORIGIN_JAVA || of_scope == ORIGIN_ANDROID;

    if (frame->kind == FRAME_KIND_ERROR)
        return ORIGIN_ERROR;
    /* Java methods have a module, too: what they were compiled into. */
    if (frame->kind != FRAME_KIND_JAVA &&
        (frame->kind == FRAME_KIND_NATIVE || frame->kind == FRAME_KIND_KERNEL ||
         profile_string(p, frame->module).n > 0))
        return ORIGIN_NATIVE;
    return platform && origin_is_idle(parts->scope, parts->name) ? ORIGIN_IDLE : (uint8_t)of_scope;
}

/* Text and signature in one piece, so that a name without special characters needs no second copy for XML. */
static bool make_frame(struct maker *m, frame_id id)
{
    const struct profile_frame *frame = &m->profile->frames[id];
    struct frame_parts parts = frame_parts_of(m->profile, frame);
    struct names_frame *made = &m->frames[id];
    struct scope scope = classify(m, frame, &parts);

    made->origin = listed_origin(m->profile, frame, &parts, (enum origin)scope.origin);
    char *text = arena_alloc(m->arena, parts.scope.n + 1 + parts.name.n + parts.signature.n);
    if (text == NULL)
        return false;
    char *end = put_str(text, parts.scope);
    if (parts.scope.n > 0 && parts.name.n > 0)
        *end++ = '.';
    end = put_str(end, parts.name);
    made->text = (struct str){text, (size_t)(end - text)};
    end = put_str(end, parts.signature);
    made->full = (struct str){text, (size_t)(end - text)};
    made->plain = is_plain(made->text);
    if (made->plain && is_plain(parts.signature))
        return true;
    buf_clear(&m->escaped);
    clean_xml(&m->escaped, made->full);
    char *copy = m->escaped.failed ? NULL : arena_copy(m->arena, m->escaped.p, m->escaped.n);
    made->full = (struct str){copy, m->escaped.n};
    return copy != NULL;
}

/* Runs of equal text in the sorted ids get the order of their signatures. */
static bool order_overloads(const struct maker *m, uint32_t *ids, struct str *signatures)
{
    uint32_t n = m->profile->n_frames;

    for (uint32_t i = 0; i < n; i++)
        signatures[i] = profile_string(m->profile, m->profile->frames[i].signature);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && str_eq(m->frames[ids[i]].text, m->frames[ids[end]].text);)
            end++;
        for (uint32_t j = i; end - i > 1 && j < end; j++)
            m->frames[ids[j]].overloaded = true;
        if (end - i > 1 && !order_strings(ids + i, end - i, signatures, m->arena))
            return false;
    }
    return true;
}

/* Fills ids[n_frames] in the order of rank. */
static bool rank_frames(struct maker *m, uint32_t *ids)
{
    uint32_t n = m->profile->n_frames;
    struct str *texts = arena_lend(m->arena, n, sizeof(*texts));
    struct str *signatures = arena_lend(m->arena, n, sizeof(*signatures));
    bool ok = texts != NULL && signatures != NULL;

    for (uint32_t i = 0; ok && i < n; i++) {
        ids[i] = i;
        texts[i] = m->frames[i].text;
    }
    ok = ok && order_strings(ids, n, texts, m->arena) && order_overloads(m, ids, signatures);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct names_frame *frame = &m->frames[ids[i]];
        bool same = i > 0 && frame->overloaded && str_eq(frame->text, m->frames[ids[i - 1]].text);
        frame->rank = i;
        frame->text_rank = same ? m->frames[ids[i - 1]].text_rank : i;
    }
    arena_release(m->arena, signatures, n, sizeof(*signatures));
    arena_release(m->arena, texts, n, sizeof(*texts));
    return ok;
}

/* --- packages --- */

/* The scope's record of a frame; NULL: it has none, and stands for itself. */
static struct scope *scope_of(const struct maker *m, frame_id id)
{
    uint32_t scope = m->profile->frames[id].scope;

    return profile_string(m->profile, scope).n > 0 ? &m->scopes[scope] : NULL;
}

/* One frame for each scope, and those without: ids[*n], with the names of their packages in keys[n_frames]. */
static void list_scopes(const struct maker *m, uint32_t *ids, struct str *keys, uint32_t *n)
{
    for (frame_id i = 0; i < m->profile->n_frames; i++) {
        struct scope *scope = scope_of(m, i);
        if (scope != NULL && scope->listed)
            continue;
        if (scope != NULL)
            scope->listed = true;
        struct frame_parts parts = frame_parts_of(m->profile, &m->profile->frames[i]);
        keys[i] = frame_package(parts.scope, parts.name);
        ids[(*n)++] = i;
    }
}

/* Overwrites ids[n_frames]. */
static bool number_packages(const struct maker *m, struct names *made, uint32_t *ids)
{
    uint32_t n_frames = m->profile->n_frames, n = 0;
    struct str *keys = arena_lend(m->arena, n_frames, sizeof(*keys));

    if (keys == NULL)
        return false;
    list_scopes(m, ids, keys, &n);
    made->packages = arena_array(m->arena, n, sizeof(*made->packages));
    bool ok = made->packages != NULL && order_strings(ids, n, keys, m->arena);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct scope *scope = scope_of(m, ids[i]);
        if (i == 0 || !str_eq(keys[ids[i]], keys[ids[i - 1]]))
            made->packages[made->n_packages++] = keys[ids[i]];
        m->frames[ids[i]].package = made->n_packages - 1;
        if (scope != NULL)
            scope->package = made->n_packages - 1;
    }
    for (frame_id i = 0; ok && i < n_frames; i++)
        if (scope_of(m, i) != NULL)
            m->frames[i].package = scope_of(m, i)->package;
    arena_release(m->arena, keys, n_frames, sizeof(*keys));
    return ok;
}

/* --- own code --- */

/* Finds the app's packages; what is not its own is a third party's. */
static bool settle_origins(struct maker *m, struct own_code *own)
{
    uint32_t n = m->profile->n_frames;
    uint8_t *origins = arena_lend(m->arena, n, sizeof(*origins));

    for (uint32_t i = 0; origins != NULL && i < n; i++)
        origins[i] = m->frames[i].origin;
    bool ok = origins != NULL && own_code_guess(m->profile, origins, own, m->arena);
    if (ok)
        own_code_settle(m->profile, own, origins);
    for (uint32_t i = 0; ok && i < n; i++)
        m->frames[i].origin = origins[i];
    arena_release(m->arena, origins, n, sizeof(*origins));
    return ok;
}

const struct names *names_with_own(const struct names *n, const struct profile *p, const struct own_code *own,
                                   struct arena *arena)
{
    struct names *made = arena_alloc(arena, sizeof(*made));
    struct names_frame *frames = arena_array(arena, p->n_frames, sizeof(*frames));
    uint8_t *origins = arena_array(arena, p->n_frames, sizeof(*origins));

    if (made == NULL || frames == NULL || origins == NULL)
        return NULL;
    *made = *n;
    made->own = *own;
    made->frames = frames;
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = frame_parts_of(p, &p->frames[i]);
        origins[i] = listed_origin(p, &p->frames[i], &parts, origin_of_scope(parts.scope));
    }
    own_code_settle(p, own, origins);
    for (frame_id i = 0; i < p->n_frames; i++) {
        frames[i] = n->frames[i];
        frames[i].origin = origins[i];
    }
    return made;
}

static bool make_frames(const struct profile *p, struct names *n, struct arena *arena)
{
    struct maker m = {.profile = p, .arena = arena};
    uint32_t *ids = arena_lend(arena, p->n_frames, sizeof(*ids));

    m.frames = arena_array(arena, p->n_frames, sizeof(*m.frames));
    m.scopes = arena_lend(arena, p->n_strings, sizeof(*m.scopes));
    bool ok = ids != NULL && m.frames != NULL && m.scopes != NULL;
    if (ok && p->n_strings > 0)
        memset(m.scopes, 0, p->n_strings * sizeof(*m.scopes));
    for (uint32_t i = 0; ok && i < p->n_frames; i++)
        ok = make_frame(&m, i);
    if (m.escaped.failed && arena->failure == ARENA_OK)
        arena->failure = ARENA_NO_MEMORY;
    buf_free(&m.escaped);
    ok = ok && rank_frames(&m, ids) && settle_origins(&m, &n->own) && number_packages(&m, n, ids);
    arena_release(arena, m.scopes, p->n_strings, sizeof(*m.scopes));
    arena_release(arena, ids, p->n_frames, sizeof(*ids));
    n->frames = m.frames;
    return ok;
}

/* --- tracks --- */

static bool make_track(const struct profile *p, const struct profile_track *track, struct str *label,
                       struct arena *arena)
{
    struct buf text = {0};

    track_label(&text, p, track);
    if (text.failed)
        arena->failure = ARENA_NO_MEMORY;
    *label = (struct str){text.failed ? NULL : arena_copy(arena, text.p, text.n), text.n};
    buf_free(&text);
    return label->p != NULL;
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
    n->profile = p;
    return make_frames(p, n, arena) && make_tracks(p, n, arena) ? n : NULL;
}

const struct names_frame *names_of(const struct names *n, frame_id frame)
{
    return &n->frames[frame];
}

struct str names_frame(const struct names *n, frame_id frame)
{
    return n->frames[frame].text;
}

void names_put_distinct(const struct names *n, const struct profile *p, frame_id frame, struct buf *b)
{
    buf_str(b, n->frames[frame].text);
    if (n->frames[frame].overloaded)
        buf_str(b, profile_string(p, p->frames[frame].signature));
}

struct frame_parts names_parts(const struct names *n, frame_id frame)
{
    return frame_parts_of(n->profile, &n->profile->frames[frame]);
}

uint32_t names_packages(const struct names *n)
{
    return n->n_packages;
}

struct str names_package(const struct names *n, uint32_t package)
{
    return n->packages[package];
}

const struct own_code *names_own(const struct names *n)
{
    return &n->own;
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
