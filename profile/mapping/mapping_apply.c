/* From the names of a release build to those of its sources: frames are renamed, one by one in traces of
 * calls; in profiles of samples a frame may become several, or none. */
#include "profile/mapping/mapping_apply.h"

#include "profile/frame/frame_text.h"
#include "profile/rename/rename.h"

struct renamer {
    struct rename base;
    const struct mapping_use *mappings;
    uint32_t n_mappings;
    bool samples; /* The profile has samples without times: nothing else is made of its bytes. */
    struct mapping_share share;
    uint64_t ambiguous;
};

/* ---- frames ---- */

/* All that is not a name stays as it was. */
static bool append_answer(struct renamer *r, const struct profile_frame *was, const struct mapping_frame *is,
                          struct str name, bool inlined)
{
    struct profile_frame frame = *was;

    frame.kind = inlined ? FRAME_KIND_INLINED : was->kind;
    frame.nameless = false;
    frame.scope = builder_string(r->base.table, is->scope);
    frame.name = builder_string(r->base.table, name);
    frame.signature = builder_string(r->base.table, is->signature);
    if (is->file.n > 0)
        frame.file = builder_string(r->base.table, is->file);
    return frame.scope != STRING_NONE && frame.name != STRING_NONE && frame.signature != STRING_NONE &&
           frame.file != STRING_NONE && rename_append(&r->base, &frame);
}

/* Several: the names of all candidates, each the method that is no inlined one, with its class where that
 * is another. */
static bool append_candidates(struct renamer *r, const struct profile_frame *was,
                              const struct mapping_answer *a)
{
    struct mapping_frame one = a->frames[0];
    struct buf names = {0};

    one.signature = (struct str){"", 0};
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct mapping_frame *f = &a->frames[i];
        if (i + 1 < a->n_frames && a->frames[i + 1].candidate == f->candidate)
            continue;
        if (names.n == 0)
            one = *f;
        buf_z(&names, names.n > 0 ? " | " : "");
        if (!str_eq(f->scope, one.scope)) {
            buf_str(&names, f->scope);
            buf_char(&names, '.');
        }
        buf_str(&names, f->name);
    }
    r->ambiguous++;
    bool ok =
        names.failed ? rename_no_memory(&r->base) : append_answer(r, was, &one, buf_view(&names), false);
    buf_free(&names);
    return ok;
}

/* The method alone is what a call was of; a sample was in the innermost of all. */
static bool append_stack(struct renamer *r, const struct profile_frame *was, const struct mapping_answer *a)
{
    if (!r->samples)
        return append_answer(r, was, &a->frames[a->n_frames - 1], a->frames[a->n_frames - 1].name, false);
    for (size_t i = a->outline ? 0 : a->n_frames; i-- > 0;)
        if (!append_answer(r, was, &a->frames[i], a->frames[i].name, i + 1 < a->n_frames))
            return false;
    return true;
}

/* The best answer of all mappings is put into *best. */
static bool ask(struct renamer *r, uint64_t mask, const struct mapping_question *q,
                struct mapping_answer *answers, struct mapping_answer **best)
{
    *best = NULL;
    for (uint32_t i = 0; i < r->n_mappings; i++) {
        struct mapping *m = r->mappings[i].mapping;
        if ((mask >> i & 1) == 0)
            continue;
        if (!mapping_resolve(m, q, &answers[i])) {
            r->base.arena->failure = m->arena->failure;
            return false;
        }
        if (*best == NULL || answers[i].found > (*best)->found)
            *best = &answers[i];
    }
    return true;
}

static bool append_best(struct renamer *r, const struct profile_frame *frame, const struct frame_parts *parts,
                        const struct mapping_answer *best)
{
    if (best->found == MAPPING_FOUND_NOTHING && str_eq(best->frames[0].signature, parts->signature))
        return rename_append(&r->base, frame);
    return best->n_candidates > 1 ? append_candidates(r, frame, best) : append_stack(r, frame, best);
}

static bool rename_frame(struct renamer *r, struct rename_set *set, frame_id id,
                         struct mapping_answer *answers)
{
    const struct profile_frame *frame = &r->base.before->frames[id];
    struct frame_parts parts = mapping_parts(r->base.before, frame);
    struct mapping_question q = {.scope = parts.scope, .name = parts.name, .signature = parts.signature};
    struct mapping_answer *best = NULL;

    rename_frame_begins(&r->base, set, id);
    if (parts.scope.n > 0 && mapping_share_is_java(frame->kind) && !ask(r, set->mask, &q, answers, &best))
        return false;
    uint64_t ambiguous = r->ambiguous;
    if (best == NULL ? !rename_append(&r->base, frame) : !append_best(r, frame, &parts, best))
        return false;
    if (best != NULL && set->used[id] != 0)
        mapping_share_count(&r->share, &parts, frame_parts_of(r->base.before, frame).scope.n > 0,
                            best->found);
    else
        r->ambiguous = ambiguous;
    rename_frame_ends(&r->base, set, id);
    return true;
}

/* ---- which mappings are asked ---- */

/* The process of a track, in words; empty: not known. */
static struct str process_of(const struct profile *p, const struct profile_track *t)
{
    bool itself = t->kind == TRACK_PROCESS || t->kind == TRACK_HEAP;

    return profile_string(p, itself ? t->name : t->group);
}

static bool is_for(const struct mapping_use *use, struct str process)
{
    size_t n = use->package.n;

    return n == 0 || process.n == 0 || str_eq(process, use->package) ||
           (str_starts(process, use->package) && process.p[n] == ':');
}

static uint64_t mask_of(const void *renamer, const struct profile_track *t)
{
    const struct renamer *r = renamer;
    struct str process = process_of(r->base.before, t);
    uint64_t mask = 0; /* bit i: the i-th mapping */

    for (uint32_t i = 0; i < r->n_mappings; i++)
        mask |= (uint64_t)is_for(&r->mappings[i], process) << i;
    return mask;
}

static bool rename_frames(struct renamer *r)
{
    struct mapping_answer *answers = arena_array(r->base.arena, r->n_mappings, sizeof(*answers));

    if (answers == NULL || !rename_begin(&r->base, r->mappings[0].mapping->strings.seed, mask_of, r))
        return false;
    for (size_t k = 0; k < r->base.n_sets; k++)
        for (frame_id i = 0; i < r->base.before->n_frames; i++)
            if (arena_stopped_at(r->base.arena, i) || !rename_frame(r, &r->base.sets[k], i, answers))
                return false;
    return true;
}

/* ---- what is said about it ---- */

/* The ids of all mappings that have one. */
static bool add_ids(struct renamer *r, struct profile *p, const char *name, size_t offset)
{
    struct buf ids = {0};

    for (uint32_t i = 0; i < r->n_mappings; i++) {
        const char *id = (const char *)r->mappings[i].mapping + offset;
        if (*id == '\0')
            continue;
        buf_z(&ids, ids.n > 0 ? ", " : "");
        buf_z(&ids, id);
    }
    bool ok = ids.failed ? rename_no_memory(&r->base)
                         : ids.n == 0 || rename_fact(&r->base, p, name, buf_view(&ids));
    buf_free(&ids);
    return ok;
}

static bool add_facts(struct renamer *r, struct profile *p)
{
    return add_ids(r, p, "map_id", offsetof(struct mapping, id)) &&
           add_ids(r, p, "map_hash", offsetof(struct mapping, hash)) &&
           (r->share.asked == 0 || (rename_fact_number(&r->base, p, "mapped_names", r->share.known) &&
                                    rename_fact_number(&r->base, p, "mappable_names", r->share.asked)));
}

static bool add_warnings(struct renamer *r, struct profile *p)
{
    bool few = r->share.asked > 0 && mapping_share_is_few(&r->share);
    uint64_t cut = 0, lines = 0;
    struct buf b = {0};

    for (uint32_t i = 0; i < r->n_mappings; i++) {
        cut += r->mappings[i].mapping->cut;
        lines += r->mappings[i].mapping->ignored;
    }
    if (few) {
        buf_z(&b, "The mapping knows only ");
        buf_u64_grouped(&b, r->share.known);
        buf_z(&b, " of ");
        buf_u64_grouped(&b, r->share.asked);
        buf_z(&b, " names that are not Android's. ");
    }
    bool ok = rename_warning(&r->base, p, WARN_MAPPING_FEW, few ? r->share.asked - r->share.known : 0, &b) &&
              rename_warning(&r->base, p, WARN_MAPPING_AMBIGUOUS, r->ambiguous, &b) &&
              rename_warning(&r->base, p, WARN_MAPPING_CUT, cut, &b) &&
              rename_warning(&r->base, p, WARN_MAPPING_LINES, lines, &b);
    buf_free(&b);
    return ok;
}

/* ---- the whole ---- */

const struct profile *mapping_apply(const struct profile *p, const struct mapping_use *mappings, uint32_t n,
                                    struct arena *arena)
{
    struct renamer r = {
        .base = {.before = p, .arena = arena}, .mappings = mappings, .n_mappings = n, .samples = !p->timed};
    struct profile renamed = *p;

    if (!rename_frames(&r) || !add_facts(&r, &renamed) || !add_warnings(&r, &renamed))
        return NULL;
    return rename_finish(&r.base, &renamed);
}
