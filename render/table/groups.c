#include "render/table/groups.h"

#include <stdlib.h>

#include "core/order.h"
#include "profile/frame/origin.h"

struct grouper {
    const struct profile *profile;
    const struct names *names;
    struct groups *groups;
};

struct str groups_name(const struct names *names, enum table_group kind, frame_id frame)
{
    switch (kind) {
    case GROUP_CLASS:
        return names_parts(names, frame).scope;
    case GROUP_PACKAGE:
        return origin_package(names_parts(names, frame).scope);
    case GROUP_ORIGIN:
        return str_of(origin_word((enum origin)names_of(names, frame)->origin));
    case GROUP_METHOD:
    case GROUP_THREAD:
        break;
    }
    return names_frame(names, frame);
}

/* The frame begins a row, or belongs to the latest one. */
static void put_frame(struct groups *g, frame_id frame, bool begins)
{
    if (begins)
        g->frame[g->n++] = frame;
    g->of_frame[frame] = g->n - 1;
}

/* ---- methods ---- */

/* What the rank does not tell: frames of equal text and signature may still differ in these. */
static int compare_identity(const void *a, const void *b, void *context)
{
    const struct profile *p = context;
    const struct profile_frame *x = &p->frames[*(const frame_id *)a], *y = &p->frames[*(const frame_id *)b];
    const string_id pairs[][2] = {
        {x->signature, y->signature}, {x->scope, y->scope}, {x->name, y->name}, {x->module, y->module}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i][0] == pairs[i][1])
            continue;
        int order = str_cmp(profile_string(p, pairs[i][0]), profile_string(p, pairs[i][1]));
        if (order != 0)
            return order;
    }
    return 0;
}

/* Runs of equal text are few and short in honest files: sorting them by contents is cheap, and no file can make it
 * quadratic. */
static void group_methods(const struct grouper *g, frame_id *ids)
{
    struct profile *p = (struct profile *)(uintptr_t)g->profile; /* qsort_r's context is not const */
    uint32_t n = p->n_frames;

    for (frame_id i = 0; i < n; i++)
        ids[names_rank(g->names, i)] = i;
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t text = names_of(g->names, ids[i])->text_rank;
        for (end = i + 1; end < n && names_of(g->names, ids[end])->text_rank == text;)
            end++;
        if (end - i > 1)
            qsort_r(ids + i, end - i, sizeof(*ids), compare_identity, p);
        for (uint32_t j = i; j < end; j++)
            put_frame(g->groups, ids[j], j == i || compare_identity(&ids[j - 1], &ids[j], p) != 0);
    }
}

/* ---- by text ---- */

static bool group_by_text(const struct grouper *g, enum table_group kind, frame_id *ids, struct arena *arena)
{
    uint32_t n = g->profile->n_frames;
    struct str *texts = arena_lend(arena, n, sizeof(*texts));

    for (frame_id i = 0; texts != NULL && i < n; i++) {
        ids[i] = i;
        texts[i] = groups_name(g->names, kind, i);
    }
    bool ok = texts != NULL && order_strings(ids, n, texts, arena);
    for (uint32_t i = 0; ok && i < n; i++)
        put_frame(g->groups, ids[i], i == 0 || !str_eq(texts[ids[i]], texts[ids[i - 1]]));
    arena_release(arena, texts, n, sizeof(*texts));
    return ok;
}

bool groups_new(struct groups *g, const struct profile *p, const struct names *names, enum table_group kind,
                struct arena *arena)
{
    struct grouper grouper = {p, names, g};
    frame_id *ids = arena_lend(arena, p->n_frames, sizeof(*ids));

    *g = (struct groups){.of_frame = arena_array(arena, p->n_frames, sizeof(*g->of_frame)),
                         .frame = arena_array(arena, p->n_frames, sizeof(*g->frame))};
    bool ok = ids != NULL && g->of_frame != NULL && g->frame != NULL;
    if (ok && kind == GROUP_METHOD)
        group_methods(&grouper, ids);
    else if (ok)
        ok = group_by_text(&grouper, kind, ids, arena);
    arena_release(arena, ids, p->n_frames, sizeof(*ids));
    return ok;
}
