#include "profile/symbols/unnamed.h"

#include <stdlib.h>

#include "core/idmap.h"
#include "core/number.h"

/* Of one library, while the nodes are walked through. */
struct walking {
    const struct profile *p;
    uint32_t *of_frame; /* its library, from 1; 0: it has a name */
    node_id *ends;      /* of each node: behind its last descendant */
    node_id *until;     /* of each library: what is below a node that was counted ends here */
    uint32_t value;
};

/* Of the library in the symbols' list, which is sorted. */
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
