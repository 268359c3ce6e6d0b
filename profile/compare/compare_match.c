/* Which frames of the runs are one: by identity in the builder, then what is left by its normal form.
 *
 * A frame is left if it is missing in a run. Frames of one normal form are put into *slots* in the order
 * of their names: each into the first slot that has no frame of the same run yet. Of two runs so the first
 * of one is paired with the first of the other, the second with the second. */
#include <stdlib.h>
#include <string.h>

#include "core/idmap.h"
#include "profile/compare/compare_impl.h"
#include "profile/compare/compare_rules.h"

/* ---- which frames are the same ---- */

enum {
    SLOTS_TRIED = 64
}; /* of several runs, so that no file makes it quadratic; of two the first one fits */

/* A frame that is missing in a run. */
struct left {
    string_id key; /* normal form, in a table of its own */
    frame_id frame;
    uint32_t runs; /* a bit for each that has it */
    uint8_t rule;
    struct str text, signature;
};

struct slot {
    uint32_t runs;
    uint32_t best; /* index of the left frame of the smallest name */
    uint32_t used; /* how many frames are in it */
    uint8_t rule;
};

struct pairing {
    struct comparing *c;
    struct strtab keys;
    struct left *left;
    uint32_t n_left;
    struct slot *slots;
    uint32_t *slot_of; /* by index of left */
    frame_id *becomes; /* by frame of the comparison */
    struct buf text, normal, scratch;
};

/* ---- by identity ---- */

static bool put_string(struct comparing *c, const struct profile *p, string_id *known, string_id *id)
{
    if (known[*id] == STRING_NONE)
        known[*id] = builder_string(c->builder, profile_string(p, *id));
    *id = known[*id];
    return *id != STRING_NONE;
}

static bool put_frame(struct comparing *c, struct compare_run *run, string_id *known, frame_id frame)
{
    const struct profile *p = run->profile;
    struct profile_frame f = p->frames[frame];

    if (!put_string(c, p, known, &f.scope) || !put_string(c, p, known, &f.name) ||
        !put_string(c, p, known, &f.signature) || !put_string(c, p, known, &f.file) ||
        !put_string(c, p, known, &f.module) || !put_string(c, p, known, &f.build_id))
        return false;
    run->frame[frame] = builder_frame(c->builder, &f);
    return run->frame[frame] != FRAME_NONE;
}

static bool put_frames(struct comparing *c, struct compare_run *run)
{
    const struct profile *p = run->profile;
    string_id *known = arena_lend(c->scratch, p->n_strings, sizeof(*known));

    run->frame = arena_array(c->scratch, p->n_frames, sizeof(*run->frame));
    bool ok = known != NULL && run->frame != NULL;
    if (ok && p->n_strings > 0)
        memset(known, 0xff, p->n_strings * sizeof(*known));
    for (frame_id i = 0; ok && i < p->n_frames; i++) {
        ok = put_frame(c, run, known, i);
        if (ok && run->frame[i] >= c->n_frames)
            c->n_frames = run->frame[i] + 1;
    }
    arena_release(c->scratch, known, p->n_strings, sizeof(*known));
    return ok;
}

/* ---- normal forms ---- */

static void put_text(struct buf *b, const struct profile *p, const struct profile_frame *f)
{
    struct str scope = profile_string(p, f->scope), name = profile_string(p, f->name);

    buf_clear(b);
    buf_str(b, scope);
    if (scope.n > 0 && name.n > 0)
        buf_char(b, '.');
    buf_str(b, name);
}

static unsigned put_normal(struct pairing *g, struct str text, enum compare_part part)
{
    unsigned rule = compare_normalise(text, part, &g->normal, &g->scratch);

    buf_char(&g->normal, '\0');
    return rule;
}

static bool copied(struct arena *a, struct str *s)
{
    char *copy = arena_copy(a, s->p, s->n);

    s->p = copy;
    return copy != NULL;
}

/* The key of a frame: what the rules leave of its text, and of its signature and module and its kind where
 * all runs have these. The build id is no part of it: each build has another one. */
static bool put_key(struct pairing *g, struct left *l, const struct profile *p, const struct profile_frame *f)
{
    unsigned rule;

    buf_clear(&g->normal);
    put_text(&g->text, p, f);
    l->text = buf_view(&g->text);
    l->signature = profile_string(p, f->signature);
    rule = put_normal(g, l->text, COMPARE_NAMES);
    if (g->c->one_format) {
        unsigned second = put_normal(g, l->signature, COMPARE_NAMES);
        unsigned third = put_normal(g, profile_string(p, f->module), COMPARE_MODULE);
        buf_char(&g->normal, (char)('0' + (int)f->kind));
        rule = rule != COMPARE_RULE_NONE ? rule : second != COMPARE_RULE_NONE ? second : third;
    }
    l->rule = (uint8_t)rule;
    if (g->text.failed || g->normal.failed) {
        g->c->scratch->failure = ARENA_NO_MEMORY;
        return false;
    }
    l->key = strtab_add(&g->keys, buf_view(&g->normal));
    return l->key != STRING_NONE && copied(g->c->scratch, &l->text) && copied(g->c->scratch, &l->signature);
}

/* ---- what is left ---- */

static uint32_t all_runs(const struct comparing *c)
{
    uint32_t all = 0;

    for (uint32_t r = 0; r < c->n_runs; r++)
        all |= UINT32_C(1) << r;
    return all;
}

static bool find_left(struct pairing *g)
{
    struct comparing *c = g->c;
    uint32_t *runs = arena_array(c->scratch, c->n_frames, sizeof(*runs)), all = all_runs(c);
    size_t capacity = 0;

    if (runs == NULL)
        return false;
    for (uint32_t r = 0; r < c->n_runs; r++)
        for (frame_id i = 0; i < c->runs[r].profile->n_frames; i++)
            runs[c->runs[r].frame[i]] |= UINT32_C(1) << r;
    for (uint32_t r = 0; r < c->n_runs; r++) {
        const struct profile *p = c->runs[r].profile;
        for (frame_id i = 0; i < p->n_frames; i++) {
            frame_id frame = c->runs[r].frame[i];
            if (!ARENA_ROOM(c->scratch, g->left, capacity, g->n_left + 1u))
                return false;
            if (runs[frame] == all)
                continue;
            g->left[g->n_left] = (struct left){.frame = frame, .runs = runs[frame]};
            runs[frame] = all; /* once */
            if (!put_key(g, &g->left[g->n_left], p, &p->frames[i]))
                return false;
            g->n_left++;
        }
    }
    return true;
}

/* ---- order ---- */

/* Digits at the beginning, without zeros in front. */
static struct str number_at(struct str s)
{
    size_t n = 0;

    while (s.n > 0 && s.p[0] == '0')
        s = str_from(s, 1);
    while (n < s.n && is_digit(s.p[n]))
        n++;
    return (struct str){s.p, n};
}

/* Numbers by what they are worth, all else bytewise. */
static int compare_natural(struct str a, struct str b)
{
    while (a.n > 0 && b.n > 0) {
        if (is_digit(a.p[0]) && is_digit(b.p[0])) {
            struct str x = number_at(a), y = number_at(b);
            int order = x.n != y.n ? (x.n < y.n ? -1 : 1) : str_cmp(x, y);
            if (order != 0)
                return order;
            a = (struct str){x.p + x.n, a.n - (size_t)(x.p + x.n - a.p)};
            b = (struct str){y.p + y.n, b.n - (size_t)(y.p + y.n - b.p)};
        } else if (a.p[0] != b.p[0]) {
            return (unsigned char)a.p[0] < (unsigned char)b.p[0] ? -1 : 1;
        } else {
            a = str_from(a, 1);
            b = str_from(b, 1);
        }
    }
    return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

static int compare_left(const void *a, const void *b)
{
    const struct left *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    int order = compare_natural(x->text, y->text);
    order = order != 0 ? order : compare_natural(x->signature, y->signature);
    return order != 0 ? order : x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* ---- slots ---- */

static bool is_smaller(const struct left *a, const struct left *b)
{
    int order = str_cmp(a->text, b->text);

    order = order != 0 ? order : str_cmp(a->signature, b->signature);
    return order < 0 || (order == 0 && a->frame < b->frame);
}

/* left[begin, end) have one key. */
static void fill_slots(struct pairing *g, uint32_t begin, uint32_t end, uint32_t all)
{
    uint32_t n = 0, open = 0;

    for (uint32_t i = begin; i < end; i++) {
        const struct left *l = &g->left[i];
        while (open < n && g->slots[open].runs == all)
            open++;
        uint32_t at = open;
        while (at < n && (g->slots[at].runs & l->runs) != 0)
            at = at - open < SLOTS_TRIED ? at + 1 : n;
        if (at == n)
            g->slots[n++] = (struct slot){.best = i, .rule = COMPARE_RULE_NONE};
        struct slot *s = &g->slots[at];
        s->runs |= l->runs;
        s->used++;
        s->rule = l->rule < s->rule ? l->rule : s->rule;
        if (is_smaller(l, &g->left[s->best]))
            s->best = i;
        g->slot_of[i] = at;
    }
    for (uint32_t i = begin; i < end; i++)
        g->becomes[g->left[i].frame] = g->left[g->slots[g->slot_of[i]].best].frame;
    for (uint32_t i = 0; i < n; i++)
        if (g->slots[i].used > 1) {
            g->c->by_rule[g->slots[i].rule]++;
            g->c->paired[g->left[g->slots[i].best].frame] = 1;
        }
}

static bool pair_left(struct pairing *g)
{
    struct comparing *c = g->c;
    uint32_t all = all_runs(c);

    g->slots = arena_array(c->scratch, g->n_left, sizeof(*g->slots));
    g->slot_of = arena_array(c->scratch, g->n_left, sizeof(*g->slot_of));
    g->becomes = arena_array(c->scratch, c->n_frames, sizeof(*g->becomes));
    if (g->slots == NULL || g->slot_of == NULL || g->becomes == NULL)
        return false;
    for (frame_id i = 0; i < c->n_frames; i++)
        g->becomes[i] = i;
    if (g->n_left > 0)
        qsort(g->left, g->n_left, sizeof(*g->left), compare_left);
    for (uint32_t i = 0, end; i < g->n_left; i = end) {
        for (end = i + 1; end < g->n_left && g->left[end].key == g->left[i].key;)
            end++;
        fill_slots(g, i, end, all);
    }
    for (uint32_t r = 0; r < c->n_runs; r++)
        for (frame_id i = 0; i < c->runs[r].profile->n_frames; i++)
            c->runs[r].frame[i] = g->becomes[c->runs[r].frame[i]];
    return true;
}

bool compare_frames(struct comparing *c)
{
    struct pairing g = {.c = c};

    for (uint32_t r = 0; r < c->n_runs; r++)
        if (!put_frames(c, &c->runs[r]))
            return false;
    c->paired = arena_array(c->arena, c->n_frames, sizeof(*c->paired));
    bool ok =
        c->paired != NULL && strtab_init(&g.keys, c->scratch, c->seed) && find_left(&g) && pair_left(&g);
    buf_free(&g.text);
    buf_free(&g.normal);
    buf_free(&g.scratch);
    return ok;
}

/* ---- which tracks are the same ---- */

/* Which tracks of the runs are one. Each track has a key: its name, and of a name with numbers the name
 * with `#` for each. The tracks of one key stand together, by run and weight; a key with numbers is one
 * group, of others the n-th of each run are. */

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
        bool digit = is_digit(name.p[i]);
        if (!digit || !within)
            buf_char(b, digit ? '#' : name.p[i]);
        within = digit;
        pool = pool || digit;
    }
    return pool;
}

/* Process ids are numbers in the names of groups: they tell no process from another. Values of labels with
 * different numbers are different values. */
static bool tracks_put_key(struct buf *b, const struct profile *p, const struct profile_track *t)
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
        e->pool = tracks_put_key(&g->name, p, &p->tracks[track]);
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
    struct track_words words = {.kind = t->kind, .number = t->number, .process = t->process};

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
