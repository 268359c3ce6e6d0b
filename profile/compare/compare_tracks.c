/* Which tracks of the runs are one. Each track has a key: its name, and of a name with numbers the name with `#` for each. The
 * tracks of one key stand together, by run and weight; a key with numbers is one group, of others the n-th of each run are. */
#include <stdlib.h>
#include <string.h>

#include "core/idmap.h"
#include "profile/compare/compare_impl.h"

struct entry {
    string_id key; /* in a table of its own */
    bool pool;     /* the name has numbers */
    uint32_t run, track, id;
    uint64_t weight;
    uint32_t nth;   /* of its run and key, the heaviest first; of a pool 0 */
    uint32_t group; /* its first entry */
};

struct grouping {
    struct comparing *c;
    struct strtab keys;
    struct entry *entries;
    uint32_t n;
    uint32_t *order; /* groups: indexes of their first entries */
    uint32_t n_groups;
    struct idmap used; /* ids that are taken */
    uint32_t next_id;
    struct buf name;
};

static const struct profile_track *track_of(const struct grouping *g, const struct entry *e)
{
    return &g->c->runs[e->run].profile->tracks[e->track];
}

static struct str name_of(const struct grouping *g, const struct entry *e)
{
    return profile_string(g->c->runs[e->run].profile, track_of(g, e)->name);
}

/* ---- keys ---- */

/* Appends the name with `#` for numbers; whether it has any. */
static bool put_pool_name(struct buf *b, struct str name)
{
    bool pool = false, within = false;

    for (size_t i = 0; i < name.n; i++) {
        bool digit = name.p[i] >= '0' && name.p[i] <= '9';
        if (!digit || !within)
            buf_char(b, digit ? '#' : name.p[i]);
        within = digit;
        pool = pool || digit;
    }
    return pool;
}

/* Process ids are numbers in the names of groups: they tell no process from another. Values of labels with different numbers are
 * different values. */
static bool put_key(struct buf *b, const struct profile *p, const struct profile_track *t)
{
    bool pool = t->kind != TRACK_LABEL && put_pool_name(b, profile_string(p, t->name));

    if (t->kind == TRACK_LABEL)
        buf_str(b, profile_string(p, t->name));
    buf_char(b, '\0');
    put_pool_name(b, profile_string(p, t->group));
    buf_char(b, '\0');
    buf_str(b, profile_string(p, t->part));
    buf_char(b, '\0');
    buf_char(b, (char)('0' + (int)t->kind));
    return pool;
}

static bool put_entry(struct grouping *g, uint32_t run, uint32_t track, bool alone)
{
    const struct profile *p = g->c->runs[run].profile;
    struct entry *e = &g->entries[g->n++];

    *e = (struct entry){.run = run, .track = track, .id = p->tracks[track].id};
    e->weight = profile_total(p, p->tracks[track].first, 0);
    buf_clear(&g->name);
    if (!alone)
        e->pool = put_key(&g->name, p, &p->tracks[track]);
    if (g->name.failed)
        g->c->scratch->failure = ARENA_NO_MEMORY;
    e->key = g->name.failed ? STRING_NONE : strtab_add(&g->keys, buf_view(&g->name));
    return e->key != STRING_NONE;
}

static bool put_entries(struct grouping *g)
{
    uint32_t n = 0;
    bool alone = true;

    for (uint32_t r = 0; r < g->c->n_runs; r++) {
        if (__builtin_add_overflow(n, g->c->runs[r].profile->n_tracks, &n))
            return false;
        alone = alone && g->c->runs[r].profile->n_tracks == 1;
    }
    g->entries = arena_array(g->c->scratch, n, sizeof(*g->entries));
    g->order = arena_array(g->c->scratch, n, sizeof(*g->order));
    if (g->entries == NULL || g->order == NULL)
        return false;
    for (uint32_t r = 0; r < g->c->n_runs; r++)
        for (uint32_t i = 0; i < g->c->runs[r].profile->n_tracks; i++)
            if (!put_entry(g, r, i, alone))
                return false;
    return true;
}

/* ---- groups ---- */

static int by_weight(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_group(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->nth != y->nth)
        return x->nth < y->nth ? -1 : 1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The order in which groups get their ids: those of the first run first, by id. */
static int by_first_entry(const void *a, const void *b, void *context)
{
    const struct entry *entries = context, *x = &entries[*(const uint32_t *)a],
                       *y = &entries[*(const uint32_t *)b];

    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void find_groups(struct grouping *g)
{
    struct entry *e = g->entries;

    if (g->n == 0)
        return;
    qsort(e, g->n, sizeof(*e), by_weight);
    for (uint32_t i = 1; i < g->n; i++)
        if (!e[i].pool && e[i].key == e[i - 1].key && e[i].run == e[i - 1].run)
            e[i].nth = e[i - 1].nth + 1;
    qsort(e, g->n, sizeof(*e), by_group);
    for (uint32_t i = 0; i < g->n; i++) {
        bool begins = i == 0 || e[i].key != e[i - 1].key || e[i].nth != e[i - 1].nth;
        e[i].group = begins ? i : e[i - 1].group;
        if (begins)
            g->order[g->n_groups++] = i;
    }
    qsort_r(g->order, g->n_groups, sizeof(*g->order), by_first_entry, e);
}

/* ---- tracks ---- */

/* The first id of the group that is free, else the smallest free one. False: the arena gives no more. */
static bool choose_id(struct grouping *g, uint32_t group, uint32_t *id)
{
    uint32_t i = group;

    while (i < g->n && g->entries[i].group == group && idmap_get(&g->used, g->entries[i].id) != IDMAP_NONE)
        i++;
    if (i < g->n && g->entries[i].group == group) {
        *id = g->entries[i].id;
    } else {
        while (idmap_get(&g->used, g->next_id) != IDMAP_NONE)
            g->next_id++;
        *id = g->next_id;
    }
    return idmap_set(&g->used, *id, 0);
}

/* The name that all have, else that of the pool, else the bytewise smallest. */
static struct str group_name(struct grouping *g, uint32_t group)
{
    struct str smallest = name_of(g, &g->entries[group]);
    bool same = true;

    for (uint32_t i = group + 1; i < g->n && g->entries[i].group == group; i++) {
        struct str name = name_of(g, &g->entries[i]);
        int order = str_cmp(name, smallest);
        same = same && order == 0;
        smallest = order < 0 ? name : smallest;
    }
    struct str key = strtab_get(&g->keys, g->entries[group].key);
    return same || !g->entries[group].pool ? smallest : (struct str){key.p, str_find(key, '\0')};
}

/* Kind, number and the like are those of the group's first track. */
static bool put_words(struct grouping *g, uint32_t track, const struct entry *e)
{
    const struct profile *p = g->c->runs[e->run].profile;
    const struct profile_track *t = track_of(g, e);
    struct track_words words = {.kind = t->kind, .number = t->number};

    words.part = builder_string(g->c->builder, profile_string(p, t->part));
    words.group = builder_string(g->c->builder, profile_string(p, t->group));
    builder_track_is(g->c->builder, track, &words);
    return words.part != STRING_NONE && words.group != STRING_NONE;
}

static bool make_track(struct grouping *g, uint32_t group)
{
    struct comparing *c = g->c;
    uint32_t id;

    string_id name = builder_string(c->builder, group_name(g, group));
    if (name == STRING_NONE || !choose_id(g, group, &id))
        return false;
    uint32_t track = builder_track(c->builder, id, name);
    if (track == NODE_NONE || !put_words(g, track, &g->entries[group]))
        return false;
    for (uint32_t i = group; i < g->n && g->entries[i].group == group; i++) {
        const struct entry *e = &g->entries[i];
        c->runs[e->run].track[e->track] = track;
        struct compare_member *m = &c->members[c->n_members++];
        *m = (struct compare_member){.run = e->run, .track = id, .id = e->id};
        m->name = builder_string(c->builder, name_of(g, e));
        if (m->name == STRING_NONE)
            return false;
    }
    return true;
}

bool compare_tracks(struct comparing *c)
{
    struct grouping g = {.c = c, .next_id = 1};
    bool ok = strtab_init(&g.keys, c->scratch, c->seed) && put_entries(&g);

    idmap_init(&g.used, c->scratch, c->seed);
    c->members = ok ? arena_array(c->arena, g.n, sizeof(*c->members)) : NULL;
    ok = c->members != NULL;
    for (uint32_t r = 0; ok && r < c->n_runs; r++) {
        c->runs[r].track = arena_array(c->scratch, c->runs[r].profile->n_tracks, sizeof(uint32_t));
        ok = c->runs[r].track != NULL;
    }
    if (ok)
        find_groups(&g);
    for (uint32_t i = 0; ok && i < g.n_groups; i++)
        ok = make_track(&g, g.order[i]);
    buf_free(&g.name);
    return ok;
}
