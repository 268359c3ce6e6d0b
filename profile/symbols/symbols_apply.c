/* TRANSFORM: nameless frames get the names that symbols know. */
#include <string.h>

#include "profile/rename/rename.h"
#include "profile/symbols/symbols.h"
#include "profile/symbols/unnamed.h"

enum { LISTED_MOST = 5 /* libraries in one sentence */ };

struct naming {
    struct rename base;
    const struct symbols *symbols;
    uint32_t *question; /* of each frame, from 1; 0: it is not asked for */
    uint64_t asked, named;
};

static bool append_name(struct naming *n, const struct profile_frame *was, const struct symbols_name *name,
                        bool inlined)
{
    struct profile_frame frame = *was;

    frame.kind = inlined ? FRAME_KIND_INLINED : was->kind;
    frame.nameless = false;
    frame.name = builder_string(n->base.table, name->function);
    frame.file = builder_string(n->base.table, name->file);
    frame.line = name->line;
    return frame.name != STRING_NONE && frame.file != STRING_NONE && rename_append(&n->base, &frame);
}

static bool name_frame(struct naming *n, frame_id id)
{
    const struct profile_frame *frame = &n->base.before->frames[id];
    uint32_t question = n->question[id];
    const struct symbols_question *q = question > 0 ? &n->symbols->questions[question - 1] : NULL;
    uint32_t names = q == NULL ? 0 : q->n;
    bool ok = true;

    rename_frame_begins(&n->base, &n->base.sets[0], id);
    if (names == 0)
        ok = rename_append(&n->base, frame);
    for (uint32_t i = names; ok && i-- > 0;)
        ok = append_name(n, frame, &n->symbols->names[q->first + i], i + 1 < names);
    rename_frame_ends(&n->base, &n->base.sets[0], id);
    n->asked += frame->nameless;
    n->named += names > 0;
    return ok;
}

static bool name_frames(struct naming *n)
{
    const struct symbols *s = n->symbols;

    n->question = arena_array(n->base.arena, n->base.before->n_frames, sizeof(*n->question));
    if (n->question == NULL || !rename_begin(&n->base, s->strings.seed, NULL, NULL))
        return false;
    for (uint32_t i = 0; i < s->n_questions; i++)
        n->question[s->questions[i].frame] = i + 1;
    for (frame_id i = 0; i < n->base.before->n_frames; i++)
        if (!name_frame(n, i))
            return false;
    return true;
}

/* ---- what is said about it ---- */

/* What the reading of the file said of nameless frames is not true any more. */
static bool drop_old_warning(struct naming *n, struct profile *p)
{
    struct str code = str_of(warning_name(WARN_NO_NAMES));
    struct profile_warning *kept = arena_array(n->base.arena, p->n_warnings, sizeof(*kept));
    uint32_t n_kept = 0;

    if (kept == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_warnings; i++)
        if (!str_eq(p->warnings[i].code, code))
            kept[n_kept++] = p->warnings[i];
    bool had = n_kept < p->n_warnings;
    struct buf b = {0};
    p->warnings = kept;
    p->n_warnings = n_kept;
    bool ok = rename_warning(&n->base, p, WARN_NO_NAMES, had ? n->asked - n->named : 0, &b);
    buf_free(&b);
    return ok;
}

static void put_library(struct buf *b, const struct profile *p, const struct unnamed *list,
                        const struct unnamed_module *m)
{
    struct str build_id = profile_string(p, m->build_id);

    buf_str(b, str_behind_last(profile_string(p, m->module), '/'));
    buf_z(b, " (");
    if (build_id.n > 0) {
        buf_z(b, "build id ");
        buf_str(b, build_id);
        buf_z(b, ", ");
    }
    buf_fixed(b, unnamed_permille(list, m), 1);
    buf_z(b, " %)");
}

/* Warns of the libraries in this state, the heaviest of which are listed. */
static bool warn_of(struct naming *n, struct profile *p, const struct unnamed *list, enum symbols_state state,
                    enum warning_code code)
{
    struct buf b = {0};
    uint64_t count = 0;

    for (uint32_t i = 0; i < list->n; i++) {
        const struct unnamed_module *m = &list->modules[i];
        if (m->state != state || m->module == STRING_EMPTY)
            continue;
        if (count < LISTED_MOST) {
            buf_z(&b, count > 0 ? ", " : "Without symbols: ");
            put_library(&b, p, list, m);
        }
        count++;
    }
    if (count > LISTED_MOST)
        buf_printf(&b, ", and %llu more", (unsigned long long)(count - LISTED_MOST));
    buf_z(&b, count > 0 ? ". " : "");
    bool ok = b.failed ? rename_no_memory(&n->base) : rename_warning(&n->base, p, code, count, &b);
    buf_free(&b);
    return ok;
}

/* Libraries that were named by their name alone. */
static uint64_t by_name(const struct symbols *s)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < s->n_modules; i++)
        count += s->modules[i].state == SYMBOLS_BY_NAME;
    return count;
}

/* `p` has its frames from before, and the states of their libraries already. */
static bool add_warnings(struct naming *n, struct profile *p)
{
    const struct symbols *s = n->symbols;
    struct unnamed list;
    struct buf b = {0};

    bool ok = unnamed_list(p, n->base.arena, &list) && drop_old_warning(n, p) &&
              warn_of(n, p, &list, SYMBOLS_MISSING, WARN_SYMBOLS_MISSING) &&
              warn_of(n, p, &list, SYMBOLS_OTHER, WARN_SYMBOLS_OTHER) &&
              rename_warning(&n->base, p, WARN_SYMBOLS_BY_NAME, by_name(s), &b) &&
              rename_warning(&n->base, p, WARN_SYMBOLS_UNREAD, s->failed_files, &b) &&
              rename_warning(&n->base, p, WARN_SYMBOLS_UNUSED, n->asked == 0, &b);
    buf_free(&b);
    return ok;
}

const struct profile *symbols_apply(const struct profile *p, const struct symbols *s, struct arena *arena)
{
    struct naming n = {.base = {.before = p, .arena = arena}, .symbols = s};
    struct profile named = *p;
    struct profile_symbols *found = arena_alloc(arena, sizeof(*found));
    struct symbols_module *modules = arena_array(arena, s->n_modules, sizeof(*modules));

    if (found == NULL || modules == NULL)
        return NULL;
    if (s->n_modules > 0)
        memcpy(modules, s->modules, s->n_modules * sizeof(*modules));
    *found = (struct profile_symbols){modules, s->n_modules};
    named.symbols = found;
    if (!name_frames(&n) || !rename_fact_number(&n.base, &named, "symbolized_frames", n.named) ||
        !rename_fact_number(&n.base, &named, "nameless_frames", n.asked) || !add_warnings(&n, &named))
        return NULL;
    return rename_finish(&n.base, &named);
}
