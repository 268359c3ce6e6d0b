#include "profile/compare/compare.h"

#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "profile/compare/compare_impl.h"
#include "profile/compare/compare_rules.h"
#include "profile/thread_time.h"

enum { NAMED_MAX = 8 }; /* values named in a message */

#define NO_COLUMN UINT32_MAX

/* ---- what is measured by all ---- */

/* Of each base its value in each run. The last base may be waiting, which no run has as a value. */
struct shared {
    struct profile_compared *to;
    uint32_t *value; /* [base * n_runs + run]: a column, or NO_COLUMN: the run has only 0 */
    bool waits;      /* the last base is waiting */
    uint32_t *wall, *cpu;
};

static uint32_t value_like(const struct profile *p, const struct profile_value *v)
{
    uint32_t i = profile_value_by_name(p, v->name);

    return i < p->n_values && p->values[i].unit == v->unit ? i : p->n_values;
}

static bool is_shared(const struct comparing *c, const struct profile_value *v, uint32_t *value)
{
    for (uint32_t r = 0; r < c->n_runs; r++) {
        value[r] = value_like(c->runs[r].profile, v);
        if (value[r] == c->runs[r].profile->n_values)
            return false;
    }
    return true;
}

static void put_values(struct buf *b, const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_values && i < NAMED_MAX; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        clean_text(b, p->values[i].name);
    }
}

/* Always false. */
static bool refuse_nothing(const struct comparing *c, uint32_t n_a, struct diag *diag)
{
    const struct profile *a = c->runs[0].profile, *b = c->runs[n_a].profile;
    struct buf in_a = {0}, in_b = {0};

    put_values(&in_a, a);
    put_values(&in_b, b);
    diag_set(diag, DIAG_UNUSABLE, "nothing to compare",
             "Compare two profiles that measure the same: values are the same by name and unit.",
             "No value is measured by all. A (%.*s) has %.*s; B (%.*s) has %.*s.", (int)a->format_label.n,
             a->format_label.p, (int)in_a.n, in_a.n > 0 ? in_a.p : "", (int)b->format_label.n,
             b->format_label.p, (int)in_b.n, in_b.n > 0 ? in_b.p : "");
    buf_free(&in_a);
    buf_free(&in_b);
    return false;
}

static void find_waiting(const struct comparing *c, struct shared *s)
{
    struct profile_compared *to = s->to;

    s->waits = true;
    for (uint32_t r = 0; r < c->n_runs; r++)
        s->waits = s->waits && profile_waits(c->runs[r].profile, &s->wall[r], &s->cpu[r]);
    if (s->waits && to->n_bases < PROFILE_VALUES_MAX)
        to->bases[to->n_bases++] =
            (struct profile_value){STR("waiting"), STR("waiting time"), UNIT_NS, ROLE_OTHER};
    else
        s->waits = false;
}

/* Of the base that was added last, if a run has values below 0: what goes down, as a base of its own.
 * False: the arena gives no more. */
static bool add_minus(const struct comparing *c, struct shared *s)
{
    struct profile_compared *to = s->to;
    const struct profile_value *base = &to->bases[to->n_bases - 1];
    const uint32_t *value = &s->value[(size_t)(to->n_bases - 1) * c->n_runs];
    uint32_t *minus = &s->value[(size_t)to->n_bases * c->n_runs];
    struct buf name = {0}, label = {0};
    bool any = false;

    for (uint32_t r = 0; r < c->n_runs; r++) {
        const struct profile *p = c->runs[r].profile;
        minus[r] = p->minus[value[r]] > 0 ? p->minus[value[r]] : NO_COLUMN;
        any = any || minus[r] != NO_COLUMN;
    }
    if (!any)
        return true;
    buf_str(&name, base->name);
    buf_z(&name, "-less");
    buf_str(&label, base->label);
    buf_z(&label, " that went down");
    char *said = name.failed ? NULL : arena_copy(c->scratch, name.p, name.n);
    char *words = label.failed ? NULL : arena_copy(c->scratch, label.p, label.n);
    if (name.failed || label.failed)
        c->scratch->failure = ARENA_NO_MEMORY;
    if (said != NULL && words != NULL)
        to->bases[to->n_bases++] =
            (struct profile_value){{said, name.n}, {words, label.n}, base->unit, ROLE_OTHER};
    buf_free(&name);
    buf_free(&label);
    return said != NULL && words != NULL;
}

static bool find_bases(const struct comparing *c, struct shared *s, struct diag *diag)
{
    const struct profile *first = c->runs[0].profile;
    struct profile_compared *to = s->to;

    for (uint32_t i = 0; i < first->n_values && to->n_bases < PROFILE_VALUES_MAX; i++)
        if (is_shared(c, &first->values[i], &s->value[(size_t)to->n_bases * c->n_runs])) {
            to->bases[to->n_bases++] = first->values[i];
            if (to->n_bases < PROFILE_VALUES_MAX && !add_minus(c, s))
                return false;
        }
    if (to->n_bases == 0)
        return refuse_nothing(c, to->n_a, diag);
    find_waiting(c, s);
    if (to->n_bases * c->n_runs <= PROFILE_VALUES_MAX)
        return true;
    return diag_set(diag, DIAG_USAGE, "too many runs", "Leave some out.",
                    "There is room for %u runs of profiles that measure as much as these do; these are %u.",
                    PROFILE_VALUES_MAX / to->n_bases, c->n_runs);
}

/* ---- values ---- */

/* Texts are copied by the builder, but for those of the bases, which the comparison keeps. */
static bool declare(struct comparing *c, struct shared *s, struct buf *names, struct diag *diag)
{
    struct profile_compared *to = s->to;
    struct profile_value values[PROFILE_VALUES_MAX];
    size_t ends[2 * PROFILE_VALUES_MAX], n = 0;

    for (uint32_t k = 0; k < to->n_bases; k++)
        for (uint32_t r = 0; r < c->n_runs; r++) {
            bool is_a = r < to->n_a;
            uint32_t number = is_a ? r + 1 : r - to->n_a + 1;
            char run[16] = "";
            if (c->n_runs > 2)
                *number_u64(run, number) = '\0';
            buf_str(names, to->bases[k].name);
            buf_printf(names, "_%c%s", is_a ? 'a' : 'b', run);
            ends[n++] = names->n;
            buf_str(names, to->bases[k].label);
            buf_printf(names, " of %c%s", is_a ? 'A' : 'B', run);
            ends[n++] = names->n;
            enum profile_role role = to->bases[k].role == ROLE_CALLS ? ROLE_CALLS : ROLE_OTHER;
            values[compare_value(to, k, r)] = (struct profile_value){.unit = to->bases[k].unit, .role = role};
        }
    if (names->failed) {
        c->scratch->failure = ARENA_NO_MEMORY;
        return false;
    }
    for (size_t i = 0, at = 0; i < n; at = ends[i++])
        *(i % 2 == 0 ? &values[i / 2].name : &values[i / 2].label) =
            (struct str){names->p + at, ends[i] - at};
    return builder_values(c->builder, NULL, 0, values, (uint32_t)(n / 2)) ||
           (c->arena->failure == ARENA_OK && builder_failed(c->builder, diag));
}

/* ---- the tree ---- */

static uint64_t column_self(const struct profile *p, node_id node, uint32_t column)
{
    return column == NO_COLUMN ? 0 : profile_self(p, node, column);
}

static void node_values(const struct comparing *c, const struct shared *s, uint32_t r, node_id node,
                        uint64_t *values)
{
    const struct profile *p = c->runs[r].profile;
    uint32_t stored = s->to->n_bases - (s->waits ? 1 : 0);

    for (uint32_t k = 0; k < stored; k++)
        values[compare_value(s->to, k, r)] = column_self(p, node, s->value[(size_t)k * c->n_runs + r]);
    if (s->waits)
        values[compare_value(s->to, stored, r)] = profile_waiting(p, node, s->wall[r], s->cpu[r]);
}

static bool add_run(struct comparing *c, const struct shared *s, uint32_t r)
{
    const struct profile *p = c->runs[r].profile;
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    node_id *to = arena_lend(c->scratch, p->n_nodes, sizeof(*to));
    bool ok = to != NULL;

    for (uint32_t t = 0; ok && t < p->n_tracks; t++) {
        node_id first = p->tracks[t].first;
        for (node_id i = first; ok && i < first + p->tracks[t].count; i++) {
            node_id parent = i == first ? NODE_NONE : to[p->node_parent[i]];
            frame_id frame = i == first ? FRAME_NONE : c->runs[r].frame[p->node_frame[i]];
            node_values(c, s, r, i, values);
            to[i] = builder_stack(c->builder, c->runs[r].track[t], parent, &frame, i > first);
            ok = builder_sample(c->builder, c->runs[r].track[t], to[i], values);
        }
    }
    arena_release(c->scratch, to, p->n_nodes, sizeof(*to));
    return ok;
}

/* ---- warnings ---- */

struct warnings {
    struct profile_warning *of;
    uint32_t n;
    struct arena *arena;
    struct buf text;
    bool failed;
};

/* The text is what stands in w->text. */
static void put_warning(struct warnings *w, struct str code, uint64_t count)
{
    char *copy = w->text.failed ? NULL : arena_copy(w->arena, w->text.p, w->text.n);
    char *name = arena_copy(w->arena, code.p, code.n);

    if (w->text.failed)
        w->arena->failure = ARENA_NO_MEMORY;
    if (copy == NULL || name == NULL)
        w->failed = true;
    else
        w->of[w->n++] =
            (struct profile_warning){.code = {name, code.n}, .count = count, .text = {copy, w->text.n}};
    buf_clear(&w->text);
}

/* "12 methods were paired by a rule: 8 lambdas, 4 anonymous classes." Rules of one label are counted together. */
static void say_rules(const struct comparing *c, struct warnings *w)
{
    uint64_t all = c->by_rule[COMPARE_RULE_NONE];
    unsigned rules = 0;

    for (; compare_rule_label(rules) != NULL; rules++)
        all += c->by_rule[rules];
    if (all == 0)
        return;
    buf_u64_grouped(&w->text, all);
    buf_z(&w->text, all == 1 ? " method is paired by a rule, since its names differ:"
                             : " methods are paired by a rule, since their names differ:");
    const char *between = " ";
    for (unsigned i = 0; i < rules;) {
        const char *label = compare_rule_label(i);
        uint64_t n = 0;
        for (; i < rules && strcmp(compare_rule_label(i), label) == 0; i++)
            n += c->by_rule[i];
        if (n == 0)
            continue;
        buf_z(&w->text, between);
        buf_z(&w->text, label);
        buf_z(&w->text, " ");
        buf_u64_grouped(&w->text, n);
        between = ", ";
    }
    if (c->by_rule[COMPARE_RULE_NONE] > 0) {
        buf_z(&w->text, between);
        buf_z(&w->text, "of other builds or formats ");
        buf_u64_grouped(&w->text, c->by_rule[COMPARE_RULE_NONE]);
    }
    buf_z(&w->text, ". The bytewise smaller name is shown.");
    put_warning(w, STR("paired-by-rule"), all);
}

static void put_run(struct buf *b, const struct profile_compared *to, uint32_t r)
{
    buf_char(b, r < to->n_a ? 'A' : 'B');
    if (compare_runs(to) > 2)
        buf_u64(b, r < to->n_a ? r + 1 : r - to->n_a + 1);
}

/* Values that only some runs measure. */
static void say_unshared(const struct comparing *c, const struct shared *s, struct warnings *w)
{
    for (uint32_t r = 0; r < c->n_runs && !w->failed; r++) {
        const struct profile *p = c->runs[r].profile;
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->n_values; i++) {
            bool found = false;
            for (uint32_t k = 0; k < s->to->n_bases && !found; k++)
                found = str_eq(s->to->bases[k].name, p->values[i].name) &&
                        s->to->bases[k].unit == p->values[i].unit;
            if (found)
                continue;
            if (n++ > 0) {
                buf_z(&w->text, ", ");
            } else {
                put_run(&w->text, s->to, r);
                buf_z(&w->text, " (");
                clean_text(&w->text, p->format_label);
                buf_z(&w->text, ") has values that the other side has not, which are not compared: ");
            }
            clean_text(&w->text, p->values[i].name);
        }
        if (n == 0)
            continue;
        buf_char(&w->text, '.');
        put_warning(w, STR("value-not-shared"), n);
    }
}

static void repeat(const struct comparing *c, const struct profile_compared *to, struct warnings *w)
{
    for (uint32_t r = 0; r < c->n_runs; r++) {
        const struct profile *p = c->runs[r].profile;
        for (uint32_t i = 0; i < p->n_warnings && !w->failed; i++) {
            put_run(&w->text, to, r);
            buf_z(&w->text, ": ");
            buf_str(&w->text, p->warnings[i].text);
            put_warning(w, p->warnings[i].code, p->warnings[i].count);
        }
    }
}

static bool put_warnings(const struct comparing *c, const struct shared *s, struct profile *p)
{
    uint32_t room = 1 + c->n_runs + p->n_warnings;
    struct warnings w = {.arena = c->arena};

    for (uint32_t r = 0; r < c->n_runs; r++)
        room += c->runs[r].profile->n_warnings;
    w.of = arena_array(c->arena, room, sizeof(*w.of));
    if (w.of == NULL)
        return false;
    say_rules(c, &w);
    say_unshared(c, s, &w);
    for (uint32_t i = 0; i < p->n_warnings; i++) /* of sums that pass 64 bits */
        w.of[w.n++] = p->warnings[i];
    repeat(c, s->to, &w);
    buf_free(&w.text);
    p->warnings = w.of;
    p->n_warnings = w.n;
    return !w.failed;
}

/* ---- the comparison ---- */

static uint64_t elapsed(const struct profile *p)
{
    uint64_t begin, end;

    profile_times(p, &begin, &end);
    return end > begin ? end - begin : 0;
}

/* Of runs that are counted in records and calls, a track has the sums of its members. */
static bool put_tracks(const struct comparing *c, struct profile *p)
{
    struct profile_track *tracks = arena_array(c->arena, p->n_tracks, sizeof(*tracks));

    if (tracks == NULL)
        return false;
    if (p->n_tracks > 0)
        memcpy(tracks, p->tracks, p->n_tracks * sizeof(*tracks));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        tracks[i].records = 0;
    p->tracks = tracks;
    for (uint32_t i = 0; i < c->n_members; i++) {
        const struct compare_member *m = &c->members[i];
        struct profile_track *t = &tracks[profile_track_by_id(p, m->track) - p->tracks];
        const struct profile_track *from = profile_track_by_id(c->runs[m->run].profile, m->id);
        t->records = number_add(t->records, from->records);
        t->calls = number_add(t->calls, from->calls);
    }
    return true;
}

static bool init(struct comparing *c, struct shared *s, const struct compare_request *request)
{
    s->to = arena_alloc(c->arena, sizeof(*s->to));
    c->runs = arena_array(c->scratch, c->n_runs, sizeof(*c->runs));
    s->value = arena_array(c->scratch, (size_t)c->n_runs * (PROFILE_VALUES_MAX + 1), sizeof(*s->value));
    s->wall = arena_array(c->scratch, c->n_runs, sizeof(*s->wall));
    s->cpu = arena_array(c->scratch, c->n_runs, sizeof(*s->cpu));
    uint64_t *elapsed_ns = arena_array(c->arena, c->n_runs, sizeof(*elapsed_ns));
    c->builder = builder_new(c->arena, c->seed);
    if (s->to == NULL || c->runs == NULL || s->value == NULL || s->wall == NULL || s->cpu == NULL ||
        elapsed_ns == NULL || c->builder == NULL)
        return false;
    c->one_format = true;
    for (uint32_t r = 0; r < c->n_runs; r++) {
        c->runs[r].profile = request->runs[r];
        c->one_format = c->one_format && str_eq(request->runs[r]->format, request->runs[0]->format);
        elapsed_ns[r] = elapsed(request->runs[r]);
        uint64_t overhead_ns;
        if (str_to_u64(profile_fact(request->runs[r], STR("clock_overhead_ns")), 10, &overhead_ns) &&
            overhead_ns > s->to->overhead_ns)
            s->to->overhead_ns = overhead_ns;
        s->to->sampled = s->to->sampled || profile_is_sampled(request->runs[r]);
    }
    s->to->n_a = request->n_a;
    s->to->n_b = request->n_b;
    s->to->elapsed_ns = elapsed_ns;
    return true;
}

/* The texts of the bases are the runs', which end before the comparison. */
static bool keep_bases(struct comparing *c, struct profile_compared *to)
{
    for (uint32_t k = 0; k < to->n_bases; k++) {
        struct str *const texts[] = {&to->bases[k].name, &to->bases[k].label};
        for (size_t i = 0; i < 2; i++) {
            char *copy = arena_copy(c->arena, texts[i]->p, texts[i]->n);
            if (copy == NULL)
                return false;
            texts[i]->p = copy;
        }
    }
    return true;
}

static const struct profile *finish(struct comparing *c, struct shared *s)
{
    struct profile *p = arena_alloc(c->arena, sizeof(*p));

    for (uint32_t r = 0; r < c->n_runs; r++)
        if (!add_run(c, s, r))
            return NULL;
    const struct profile *made = builder_finish(c->builder, STR("comparison"), STR("comparison"));
    if (p == NULL || made == NULL)
        return NULL;
    *p = *made;
    s->to->paired = c->paired;
    s->to->members = c->members;
    s->to->n_members = c->n_members;
    p->compared = s->to;
    return put_tracks(c, p) && put_warnings(c, s, p) && keep_bases(c, s->to) ? p : NULL;
}

const struct profile *compare_new(const struct compare_request *request, struct hash_seed seed,
                                  struct arena *a, struct arena *scratch, struct diag *diag)
{
    struct comparing c = {
        .arena = a, .scratch = scratch, .seed = seed, .n_runs = request->n_a + request->n_b};
    struct shared s = {0};
    struct buf names = {0};

    bool ok = init(&c, &s, request) && find_bases(&c, &s, diag) && declare(&c, &s, &names, diag);
    buf_free(&names);
    ok = ok && compare_frames(&c) && compare_tracks(&c);
    return ok ? finish(&c, &s) : NULL;
}
