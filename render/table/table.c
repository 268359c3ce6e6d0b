#include "render/table/table.h"

#include <assert.h>
#include <stdlib.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/number.h"
#include "core/order.h"
#include "core/sha256.h"
#include "profile/filter/filter.h"
#include "profile/frame/own_code.h"
#include "render/names/names.h"
#include "render/view/asked.h"
#include "render/view/view.h"

/* ---- changes of a pair ---- */

static char *put_sign(char *to, struct net n)
{
    if (n.below)
        *to++ = '-';
    return to;
}

static char *as_text(char *to, struct net n)
{
    return number_u64(put_sign(to, n), n.size);
}

void net_put(struct buf *b, struct net n)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text, (size_t)(as_text(text, n) - text));
}

void net_put_json(struct json *j, const char *key, struct net n)
{
    char text[NUMBER_BYTES_MAX + 1];

    json_put_raw(j, key, (struct str){text, (size_t)(as_text(text, n) - text)});
}

void net_put_value(struct buf *b, enum unit unit, struct net n, unsigned digits)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text, (size_t)(number_value(put_sign(text, n), unit, n.size, digits) - text));
}

void net_put_percent(struct buf *b, struct net part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text,
              (size_t)(number_percent(whole > 0 ? put_sign(text, part) : text, part.size, whole) - text));
}

/* ---- walking the nodes ---- */

/* One pass over the nodes that a table counts, along their stacks: table and detail are both made by it. */

struct walk {
    const struct table *table;
    walk_leave *leave;
    void *context;
    const struct measure *waiting; /* NULL: the table has no such measure */
    uint32_t *open;                /* by row: how often it is on the stack */
    struct walk_node *stack;
    size_t depth, capacity;
    struct arena *arena;
};

static void leave_top(struct walk *w)
{
    struct walk_node *top = &w->stack[--w->depth], *parent = w->depth > 0 ? top - 1 : NULL;

    w->leave(w->context, w->table, top, parent);
    if (parent != NULL)
        parent->waiting = number_add(parent->waiting, top->waiting);
    if (top->row != TABLE_NO_ROW)
        w->open[top->row]--;
}

static bool enter(struct walk *w, node_id node, uint32_t row)
{
    if (!ARENA_ROOM(w->arena, w->stack, w->capacity, w->depth + 1))
        return false;
    w->stack[w->depth++] = (struct walk_node){
        .node = node,
        .row = row,
        .outermost = row == TABLE_NO_ROW || w->open[row]++ == 0,
        .waiting = w->waiting != NULL ? measure_self(w->table->profile, w->waiting, node) : 0};
    return true;
}

/* `row`: of all nodes where rows are tracks. */
static bool walk_track(struct walk *w, const struct profile_track *track, uint32_t row)
{
    const struct table *t = w->table;
    const struct profile *p = t->profile;

    assert(w->depth == 0);
    for (node_id node = track->first; node < track->first + track->count; node++) {
        frame_id frame = p->node_frame[node];
        while (w->depth > 0 && w->stack[w->depth - 1].node != p->node_parent[node])
            leave_top(w);
        if (t->row_of_frame != NULL)
            row = frame == FRAME_NONE ? TABLE_NO_ROW : t->row_of_frame[frame];
        if (!enter(w, node, row))
            return false;
    }
    while (w->depth > 0)
        leave_top(w);
    return true;
}

bool walk_nodes(const struct table *t, walk_leave *leave, void *context, struct arena *arena)
{
    struct walk w = {.table = t, .leave = leave, .context = context, .arena = arena};
    bool ok = true;

    for (uint32_t m = 0; m < t->n_measures; m++)
        if (t->measures[m].waiting)
            w.waiting = &t->measures[m];
    w.open = arena_array(arena, t->n, sizeof(*w.open));
    if (w.open == NULL)
        return false;
    for (uint32_t i = 0; ok && i < t->n_tracks; i++)
        ok = walk_track(&w, &t->profile->tracks[t->tracks[i]], i);
    arena_release(arena, w.stack, w.capacity, sizeof(*w.stack));
    return ok;
}

/* ---- groups ---- */

/* Which row of the table a frame belongs to. */

struct grouper {
    const struct profile *profile;
    const struct names *names;
    struct groups *groups;
};

/* The name of the frame's row, raw. */
static struct str groups_name(const struct names *names, enum table_group kind, frame_id frame)
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

/* ---- the table ---- */

/* How many numbers of table.sums belong to one row. They stand together, since rows are visited in no order. */
static inline size_t table_stride(const struct table *t)
{
    return 2u * t->n_counted + 2u;
}

struct table_sums table_sums(const struct table *t, uint32_t row)
{
    const uint64_t *sums = t->sums + row * table_stride(t);
    const uint64_t *calls = sums + 2u * t->n_counted;

    return (struct table_sums){sums, sums + t->n_counted, calls[0], calls[1]};
}

struct str table_name(const struct table *t, uint32_t row)
{
    if (t->frame == NULL)
        return profile_string(t->profile, t->profile->tracks[t->tracks[row]].name);
    return groups_name(t->names, t->group, t->frame[row]);
}

uint32_t table_measure(const struct table *t, struct str name)
{
    uint32_t m = 0;

    while (m < t->n_measures && !str_eq(measure_key(t->measures[m].name), name))
        m++;
    return m;
}

/* ---- a profile's methods ---- */

/* Makes the table of a profile: see table.h for what it is. */

struct counter {
    struct table *table;
    uint64_t *sums;
    bool *present;
};

static void add_to(uint64_t *sum, uint64_t value)
{
    *sum = number_add(*sum, value);
}

static void count_calls(const struct table *t, uint64_t *calls, const struct walk_node *node)
{
    uint64_t n = profile_self(t->profile, node->node, t->calls_value);

    add_to(&calls[0], n);
    if (!node->outermost && t->row_of_frame != NULL)
        add_to(&calls[1], n);
}

static void count_node(void *context, const struct table *t, const struct walk_node *node,
                       const struct walk_node *parent)
{
    struct counter *c = context;
    uint64_t *sums = node->row != TABLE_NO_ROW ? c->sums + node->row * table_stride(t) : NULL;

    for (uint32_t m = 0; m < t->n_counted; m++) {
        uint64_t self = measure_self(t->profile, &t->measures[m], node->node);
        add_to(sums != NULL ? &sums[t->n_counted + m] : &c->table->top[m], self);
        if (sums != NULL && node->outermost)
            add_to(&sums[m], walk_total(t, node, m));
        if (parent == NULL)
            add_to(&c->table->total[m], walk_total(t, node, m));
    }
    if (sums == NULL)
        return;
    c->present[node->row] = true;
    if (t->has_calls)
        count_calls(t, &sums[2u * t->n_counted], node);
}

/* Only the tracks that can have the view's value. */
static void keep_of_value(struct table *t, const struct view_options *view, uint32_t *tracks)
{
    struct measure shown;
    uint32_t n = 0;

    if (!profile_is_mixed(t->profile) || !measure_by_name(t->profile, view->value, &shown))
        return;
    for (uint32_t i = 0; i < t->n_tracks; i++)
        if (track_has(&t->profile->tracks[tracks[i]], shown.value))
            tracks[n++] = tracks[i];
    t->n_tracks = n;
}

/* Lists the measures that the tracks can have. */
static uint32_t list_measures(const struct table *t, struct measure all[MEASURES_MAX])
{
    uint32_t n = measures_of(t->profile, all), kept = 0;

    for (uint32_t m = 0; m < n; m++) {
        bool has = !profile_is_mixed(t->profile);
        for (uint32_t i = 0; i < t->n_tracks && !has; i++)
            has = track_has(&t->profile->tracks[t->tracks[i]], all[m].value);
        if (has)
            all[kept++] = all[m];
    }
    return kept;
}

static void choose_measures(struct table *t)
{
    struct measure all[MEASURES_MAX];
    uint32_t n = list_measures(t, all);

    t->calls_value = profile_value_by_role(t->profile, ROLE_CALLS);
    for (uint32_t i = 0; i < n; i++)
        t->has_calls = t->has_calls || (!all[i].waiting && all[i].value == t->calls_value);
    t->has_calls = t->has_calls && t->profile->compared == NULL;
    for (uint32_t i = 0; i < n; i++)
        if (all[i].waiting || !t->has_calls || all[i].value != t->calls_value)
            t->measures[t->n_measures++] = all[i];
    t->n_counted = t->n_measures;
    for (uint32_t m = 0; m < t->n_measures; m++) {
        const struct measure *up = &t->measures[m];
        if (up->waiting || t->profile->minus[up->value] == 0)
            continue;
        t->minus[m] = t->n_counted;
        t->measures[t->n_counted] = *up;
        t->measures[t->n_counted++].value = t->profile->minus[up->value];
    }
    t->first_calls = t->n_counted;
}

static bool make_rows(struct table *t, struct arena *arena)
{
    struct groups g;

    if (t->group == GROUP_THREAD) {
        t->n = t->n_tracks;
        return true;
    }
    if (!groups_new(&g, t->profile, t->names, t->group, arena))
        return false;
    t->n = g.n;
    t->row_of_frame = g.of_frame;
    t->frame = g.frame;
    return true;
}

/* ---- what filters took out ---- */

static uint64_t total_of(const struct profile *p, const struct profile_track *track, const struct measure *m)
{
    uint64_t sum = 0;

    if (!m->waiting)
        return profile_total(p, track->first, m->value);
    for (uint32_t i = 0; i < track->count; i++)
        add_to(&sum, measure_self(p, m, track->first + i));
    return sum;
}

/* Of one measure before the filters; what goes down, too. */
static void add_before(struct table *t, const struct profile_track *track, uint32_t m,
                       const struct measure *of)
{
    const struct profile *before = t->profile->filtered->before;

    add_to(&t->before[m], total_of(before, track, of));
    if (t->minus[m] > 0)
        add_to(&t->before[t->minus[m]], profile_minus_total(before, track->first, of->value));
}

/* A filtered profile has the tracks of the one before it, in the same order. */
static void count_before(struct table *t)
{
    const struct profile_filtered *filtered = t->profile->filtered;
    const struct profile *before = filtered->before;
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(before, all);

    t->filtered = true;
    t->emptied_by = filter_emptied_by(filtered, t->tracks, t->n_tracks);
    for (uint32_t i = 0; i < t->n_tracks; i++)
        for (uint32_t m = 0; m < t->n_measures; m++)
            for (uint32_t k = 0; k < n; k++)
                if (str_eq(all[k].name, t->measures[m].name))
                    add_before(t, &before->tracks[t->tracks[i]], m, &all[k]);
}

/* `of_value`: see methods_of_value. */
static const struct table *make_table(const struct profile *p, const struct names *names,
                                      const struct view_options *view, enum table_group group, bool of_value,
                                      struct arena *arena)
{
    struct table *t = arena_alloc(arena, sizeof(*t));
    struct counter c = {.table = t};

    if (t == NULL)
        return NULL;
    *t = (struct table){.profile = p, .names = names, .group = group};
    uint32_t *tracks = view_tracks(p, view, &t->n_tracks, arena);
    if (tracks == NULL)
        return NULL;
    t->tracks = tracks;
    if (of_value)
        keep_of_value(t, view, tracks);
    choose_measures(t);
    if (!make_rows(t, arena))
        return NULL;
    t->emptied_by = UINT32_MAX;
    if (p->filtered != NULL && t->n_tracks > 0)
        count_before(t);
    t->sums = c.sums = arena_array(arena, t->n, table_stride(t) * sizeof(*c.sums));
    t->present = c.present = arena_array(arena, t->n, sizeof(*c.present));
    return c.sums != NULL && c.present != NULL && walk_nodes(t, count_node, &c, arena) ? t : NULL;
}

const struct table *methods_new(const struct profile *p, const struct names *names,
                                const struct view_options *view, enum table_group group, struct arena *arena)
{
    return make_table(p, names, view, group, false, arena);
}

const struct table *methods_of_value(const struct profile *p, const struct names *names,
                                     const struct view_options *view, enum table_group group,
                                     struct arena *arena)
{
    return make_table(p, names, view, group, true, arena);
}

/* ---- ids of methods ---- */

/* The id of a method in links: the same in every profile and every run. It is the first 12 hexadecimal
 * digits of SHA-256 over the frame's scope, name, signature, module and kind, raw, with a NUL between two
 * of them. No frame has a kind yet: it is empty. Two methods of a profile can have one id, if somebody
 * tries long enough. */

bool table_frame_id(const struct profile *p, frame_id id_of, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    const struct profile_frame *frame = &p->frames[id_of];
    const string_id parts[] = {frame->scope, frame->name, frame->signature, frame->module};
    const struct str kind = str_of(frame_kind_word(frame->kind));
    uint8_t digest[SHA256_BYTES];

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        sha256_add(h, profile_string(p, parts[i]));
        sha256_add(h, (struct str){"", 1}); /* the NUL */
    }
    sha256_add(h, kind);
    if (!sha256_end(h, digest))
        return false;
    for (unsigned i = 0; i < TABLE_ID_DIGITS; i++)
        id[i] = DIGITS[(i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2]) & 0xf];
    id[TABLE_ID_DIGITS] = '\0';
    return true;
}

bool table_id(const struct table *t, uint32_t row, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
{
    return table_frame_id(t->profile, t->frame[row], h, id);
}

bool table_by_id(const struct table *t, struct str id, struct sha256 *h, uint32_t *rows, uint32_t max,
                 uint32_t *n)
{
    char of_row[TABLE_ID_DIGITS + 1];

    *n = 0;
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row])
            continue;
        if (!table_id(t, row, h, of_row))
            return false;
        if (!str_eq(str_of(of_row), id))
            continue;
        if (*n < max)
            rows[*n] = row;
        ++*n;
    }
    return true;
}
