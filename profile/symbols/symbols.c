#include "profile/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/idmap.h"
#include "core/number.h"
#include "core/strtab.h"
#include "profile/profile.h"
#include "profile/rename/rename.h"

const char *symbols_state_word(enum symbols_state state)
{
    static const char *const WORDS[SYMBOLS_STATES] = {"missing", "other-build", "found", "found-by-name"};

    return WORDS[state];
}

static bool is_asked(const struct profile_frame *f)
{
    return f->nameless && f->module != STRING_EMPTY;
}

/* Questions are in the order of module, build id and address. */
static int by_place(const void *a, const void *b, void *frames)
{
    const struct profile_frame *fa = (const struct profile_frame *)frames +
                                     ((const struct symbols_question *)a)->frame,
                               *fb = (const struct profile_frame *)frames +
                                     ((const struct symbols_question *)b)->frame;

    if (fa->module != fb->module)
        return fa->module < fb->module ? -1 : 1;
    if (fa->build_id != fb->build_id)
        return fa->build_id < fb->build_id ? -1 : 1;
    return fa->address != fb->address ? (fa->address < fb->address ? -1 : 1) : 0;
}

static bool collect(struct symbols *s)
{
    const struct profile *p = s->profile;
    uint32_t n = 0;

    for (frame_id i = 0; i < p->n_frames; i++)
        n += is_asked(&p->frames[i]);
    s->questions = arena_array(s->arena, n, sizeof(*s->questions));
    s->modules = arena_array(s->arena, n, sizeof(*s->modules));
    if (s->questions == NULL || s->modules == NULL)
        return false;
    for (frame_id i = 0; i < p->n_frames; i++)
        if (is_asked(&p->frames[i]))
            s->questions[s->n_questions++] = (struct symbols_question){.frame = i};
    qsort_r(s->questions, n, sizeof(*s->questions), by_place, (void *)(uintptr_t)p->frames);
    return true;
}

static void group(struct symbols *s)
{
    const struct profile_frame *frames = s->profile->frames;

    for (uint32_t i = 0; i < s->n_questions; i++) {
        const struct profile_frame *f = &frames[s->questions[i].frame];
        const struct symbols_module module = {.path = f->module, .build_id = f->build_id, .first = i};
        if (s->n_modules == 0 || s->modules[s->n_modules - 1].path != f->module ||
            s->modules[s->n_modules - 1].build_id != f->build_id)
            s->modules[s->n_modules++] = module;
        s->modules[s->n_modules - 1].n++;
    }
}

struct symbols *symbols_new(const struct profile *p, struct arena *arena, struct hash_seed seed)
{
    struct symbols *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct symbols){.profile = p, .arena = arena};
    if (!strtab_init(&s->strings, arena, seed) || !collect(s))
        return NULL;
    group(s);
    return s;
}

void symbols_found(struct symbols *s, uint32_t module, enum symbols_state state)
{
    if (state > s->modules[module].state)
        s->modules[module].state = state;
}

bool symbols_is_done(const struct symbols *s, uint32_t module)
{
    const struct symbols_module *m = &s->modules[module];

    if (m->state != SYMBOLS_FOUND)
        return false;
    for (uint32_t q = m->first; q < m->first + m->n; q++)
        if (s->questions[q].n > 0 && s->names[s->questions[q].first].file.n > 0)
            return true;
    return false;
}

static bool keep(struct symbols *s, struct str *text)
{
    string_id id = strtab_add(&s->strings, *text);

    if (id == STRING_NONE)
        return false;
    *text = strtab_get(&s->strings, id);
    return true;
}

bool symbols_answer(struct symbols *s, uint32_t question, const struct symbols_name *names, uint32_t n)
{
    if (!ARENA_ROOM(s->arena, s->names, s->names_capacity, s->n_names + n))
        return false;
    s->questions[question].first = (uint32_t)s->n_names;
    s->questions[question].n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct symbols_name *name = &s->names[s->n_names++];
        *name = names[i];
        if (!keep(s, &name->function) || !keep(s, &name->file))
            return false;
    }
    return true;
}

/* ---- libraries without names ---- */

/* Of one library, while the nodes are walked through. */
struct walking {
    const struct profile *p;
    uint32_t *of_frame; /* its library, from 1; 0: it has a name */
    node_id *ends;      /* of each node: behind its last descendant */
    node_id *until;     /* of each library: what is below a node that was counted ends here */
    uint32_t value;
};

/* The state of the frame's library, which is looked for in the sorted list of the symbols. */
static enum symbols_state state_of(const struct profile_symbols *symbols, const struct profile_frame *f)
{
    uint32_t from = 0, to = symbols != NULL ? symbols->n_modules : 0;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const struct symbols_module *m = &symbols->modules[middle];
        if (m->path == f->module && m->build_id == f->build_id)
            return m->state;
        if (m->path < f->module || (m->path == f->module && m->build_id < f->build_id))
            from = middle + 1;
        else
            to = middle;
    }
    return SYMBOLS_MISSING;
}

/* One library for each module and build id of a nameless frame. */
static bool find_modules(struct walking *w, struct arena *a, struct unnamed *list)
{
    const struct profile *p = w->p;
    struct idmap known;
    size_t capacity = 0;

    idmap_init(&known, a, (struct hash_seed){0, 0}); /* ids of strings are ours */
    for (frame_id i = 0; i < p->n_frames; i++) {
        const struct profile_frame *f = &p->frames[i];
        uint64_t key = (uint64_t)f->module << 32 | f->build_id;
        if (!f->nameless)
            continue;
        uint32_t at = idmap_get(&known, key);
        if (at == IDMAP_NONE) {
            if (!ARENA_ROOM(a, list->modules, capacity, list->n + 1) || !idmap_set(&known, key, list->n))
                return false;
            at = list->n++;
            list->modules[at] = (struct unnamed_module){
                .module = f->module, .build_id = f->build_id, .state = state_of(p->symbols, f)};
        }
        if (at < list->n) /* It always is, which the static analyser cannot see. */
            list->modules[at].frames++;
        w->of_frame[i] = at + 1;
    }
    return true;
}

static void find_ends(struct walking *w)
{
    const struct profile *p = w->p;

    for (node_id i = p->n_nodes; i-- > 0;) {
        node_id parent = p->node_parent[i];
        if (w->ends[i] <= i)
            w->ends[i] = i + 1;
        if (parent != NODE_NONE && w->ends[parent] < w->ends[i])
            w->ends[parent] = w->ends[i];
    }
}

/* A stack counts once for a library: its outermost such frame does. */
static void add_values(struct walking *w, struct unnamed *list)
{
    const struct profile *p = w->p;

    for (node_id i = 0; i < p->n_nodes; i++) {
        uint32_t at = p->node_frame[i] == FRAME_NONE ? 0 : w->of_frame[p->node_frame[i]];
        if (at == 0 || i < w->until[at - 1])
            continue;
        w->until[at - 1] = w->ends[i];
        struct unnamed_module *m = &list->modules[at - 1];
        m->value = number_add(m->value, profile_total(p, i, w->value));
    }
}

static int by_value(const void *a, const void *b)
{
    const struct unnamed_module *ma = a, *mb = b;

    if (ma->value != mb->value)
        return ma->value > mb->value ? -1 : 1;
    return ma->module != mb->module ? (ma->module < mb->module ? -1 : 1)
                                    : (ma->build_id > mb->build_id) - (ma->build_id < mb->build_id);
}

bool unnamed_list(const struct profile *p, struct arena *arena, struct unnamed *list)
{
    struct walking w = {.p = p,
                        .of_frame = arena_array(arena, p->n_frames, sizeof(*w.of_frame)),
                        .value = profile_weight_value(p)};

    *list = (struct unnamed){.modules = NULL};
    if (w.of_frame == NULL || !find_modules(&w, arena, list))
        return false;
    if (list->n == 0)
        return true;
    w.ends = arena_array(arena, p->n_nodes, sizeof(*w.ends));
    w.until = arena_array(arena, list->n, sizeof(*w.until));
    if (w.ends == NULL || w.until == NULL)
        return false;
    find_ends(&w);
    add_values(&w, list);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        list->total = number_add(list->total, profile_total(p, p->tracks[i].first, w.value));
    qsort(list->modules, list->n, sizeof(*list->modules), by_value);
    return true;
}

uint32_t unnamed_permille(const struct unnamed *list, const struct unnamed_module *m)
{
    return list->total == 0 ? 0 : (uint32_t)((double)m->value * 1000 / (double)list->total);
}

/* ---- the profile with these names ---- */

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
        if (arena_stopped_at(n->base.arena, i) || !name_frame(n, i))
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
