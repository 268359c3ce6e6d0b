#include "runs/check.h"

#include <stdlib.h>

const char *const CHECK_STATES[] = {"PASS", "FAIL", "INCONCLUSIVE"};

enum { LARGE_ENOUGH = 1000 }; /* one of so many parts of the total */

static const double LEVEL = 0.05; /* of false findings, and what an interval of 95 % leaves out */

/* ---- what is worked with ---- */

/* A method, thread or total that a rule fits. */
struct candidate {
    struct str name;
    enum check_state state;
    struct check_measure measure;
    struct rank_more more;
};

/* The value of each run by which something is judged. */
struct by_value {
    struct str name;
    enum unit unit;
    uint32_t *of;              /* its index, by run: those of A, then those of B */
    uint64_t large_a, large_b; /* a thousandth of the median of the total */
};

struct rule_work {
    struct check_rule *rule;
    struct by_value by;
    struct candidate *list;
    size_t n, capacity;
};

/* Where the reading of a digest is. */
struct cursor {
    struct str rest;
    struct run_digest_row row;
    bool at_row;
    uint64_t n; /* rows so far */
};

struct work {
    const struct check_input *in;
    struct arena *arena;
    struct rank_scratch scratch;
    struct check *c;
    uint32_t n;                       /* runs of both */
    uint64_t *numbers;                /* of each run, one of which is judged: A, then B */
    struct cursor *cursors;           /* of each run */
    struct by_value by;               /* the first value */
    const struct run_digest *damaged; /* one whose methods are not as they should be; NULL: none is */
    struct rule_work *rules;          /* as many as c->rules */
    size_t changed_capacity, added_capacity, gone_capacity;
};

static const struct run_digest *digest_of(const struct work *w, uint32_t run)
{
    return run < w->in->n_a ? &w->in->a[run] : &w->in->b[run - w->in->n_a];
}

static struct rank_groups groups_of(const struct work *w)
{
    return (struct rank_groups){w->numbers, w->numbers + w->in->n_a, w->in->n_a, w->in->n_b};
}

static uint64_t not_negative(int64_t number)
{
    return number < 0 ? 0 : (uint64_t)number;
}

/* ---- one number of all runs ---- */

static void sort_groups(struct work *w)
{
    rank_sort(w->numbers, w->in->n_a);
    rank_sort(w->numbers + w->in->n_a, w->in->n_b);
}

static bool all_equal(const struct rank_groups *g)
{
    return g->a[0] == g->a[g->n_a - 1] && g->b[0] == g->b[g->n_b - 1] && g->a[0] == g->b[0];
}

/* Of w->numbers, which are sorted. Equal runs need not be many. */
static void measure(struct work *w, enum rank_of of, struct check_measure *m)
{
    struct rank_groups g = groups_of(w);
    struct rank_result r;

    rank_test(&g, of, &w->scratch, &r);
    *m = (struct check_measure){.median_a = rank_median(g.a, g.n_a),
                                .median_b = rank_median(g.b, g.n_b),
                                .p = r.p,
                                .change = r.estimate,
                                .low = r.low,
                                .high = r.high,
                                .has_interval = r.has_interval};
    if (all_equal(&g)) {
        m->low = m->high = m->change;
        m->has_interval = true;
    }
}

/* What a rule allows, as a measure has it: no change, the limit, and twice the limit. */
struct limits {
    double none, once, twice;
};

static struct limits limits_of(const struct fail_rule *rule)
{
    static const double PARTS = 1000000; /* of a share: a rule counts in 1/10000 of a percent */
    double limit = (double)rule->limit;

    return rule->is_percent ? (struct limits){1, 1 + limit / PARTS, 1 + 2 * (limit / PARTS)}
                            : (struct limits){0, limit, 2 * limit};
}

static enum check_state state_of(const struct fail_rule *rule, const struct check_measure *m)
{
    struct limits limits = limits_of(rule);

    if (m->change > limits.once)
        return m->low > limits.none ? CHECK_FAIL : CHECK_INCONCLUSIVE;
    return m->high <= limits.twice ? CHECK_PASS : CHECK_INCONCLUSIVE;
}

/* Either the interval has to leave out no change, or has to end at twice the limit. As a share of what is measured. */
static double room_of(const struct fail_rule *rule, const struct check_measure *m)
{
    struct limits limits = limits_of(rule);
    bool is_above = m->change > limits.once;

    if (rule->is_percent)
        return is_above ? m->change - 1 : limits.twice / (m->change > 0 ? m->change : 1) - 1;
    double level = (double)(m->median_a > m->median_b ? m->median_a : m->median_b);
    return (is_above ? m->change : limits.twice - m->change) / (level > 0 ? level : 1);
}

/* ---- rules ---- */

/* Judges w->numbers, which are sorted. False: no memory. */
static bool judge(struct work *w, struct rule_work *r, struct str name)
{
    const struct fail_rule *rule = &r->rule->rule;

    if (!ARENA_ROOM(w->arena, r->list, r->capacity, r->n + 1))
        return false;
    struct candidate *c = &r->list[r->n++];
    *c = (struct candidate){.name = name};
    measure(w, rule->is_percent ? RANK_RATIO : RANK_DIFFERENCE, &c->measure);
    c->state = state_of(rule, &c->measure);
    if (c->state == CHECK_INCONCLUSIVE) {
        struct rank_groups g = groups_of(w);
        c->more = rank_more_runs(&g, room_of(rule, &c->measure));
    }
    return true;
}

static bool judge_total(struct work *w, struct rule_work *r)
{
    for (uint32_t i = 0; i < w->n; i++)
        w->numbers[i] = not_negative(digest_of(w, i)->values[r->by.of[i]].total);
    sort_groups(w);
    return judge(w, r, STR("total"));
}

/* A rule about a step that a run lacks stays without a judgement. */
static bool judge_step(struct work *w, struct rule_work *r)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct run_digest_value *step = run_digest_find_step(digest_of(w, i), r->rule->rule.pattern);
        if (step == NULL || step->unit != r->by.unit)
            return true;
        w->numbers[i] = not_negative(step->total);
    }
    sort_groups(w);
    return judge(w, r, r->rule->rule.pattern);
}

static bool judge_thread(struct work *w, struct rule_work *r)
{
    struct run_digest_row row;
    bool found = false;

    for (uint32_t i = 0; i < w->n; i++) {
        bool here = run_digest_find_thread(digest_of(w, i), r->rule->rule.pattern, &row);
        w->numbers[i] = here ? not_negative(row.inclusive[r->by.of[i]]) : 0;
        found = found || here;
    }
    sort_groups(w);
    return !found || judge(w, r, r->rule->rule.pattern);
}

/* How many runs on each side let one of so many methods be a finding. */
static struct rank_more more_for_many(const struct work *w, size_t methods)
{
    uint32_t each = 1;

    while (each <= RANK_MORE_MAX &&
           rank_least_p(w->in->n_a + each, w->in->n_b + each) * (double)methods > LEVEL)
        each++;
    return (struct rank_more){each, true};
}

/* Of several methods only findings fail. False: no memory. */
static bool correct_for_many(struct work *w, struct rule_work *r)
{
    double *p = arena_lend(w->arena, r->n, sizeof(*p));

    if (p == NULL)
        return false;
    for (size_t i = 0; i < r->n; i++)
        p[i] = r->list[i].measure.p;
    double largest = rank_false_discoveries(p, (uint32_t)r->n, LEVEL);
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i].state == CHECK_FAIL && r->list[i].measure.p > largest) {
            r->list[i].state = CHECK_INCONCLUSIVE;
            r->list[i].more = more_for_many(w, r->n);
        }
    arena_release(w->arena, p, r->n, sizeof(*p));
    return true;
}

static enum check_state worse(enum check_state a, enum check_state b)
{
    static const int RANK[] = {[CHECK_PASS] = 0, [CHECK_INCONCLUSIVE] = 1, [CHECK_FAIL] = 2};

    return RANK[a] > RANK[b] ? a : b;
}

/* Ratios would put first what is new, however small. */
static bool grew_more(const struct check_measure *m, const struct check_measure *than)
{
    bool fell = m->median_b < m->median_a, than_fell = than->median_b < than->median_a;

    if (fell || than_fell)
        return than_fell && (!fell || m->median_a - m->median_b < than->median_a - than->median_b);
    return m->median_b - m->median_a > than->median_b - than->median_a;
}

static bool settle_rule(struct work *w, struct rule_work *r)
{
    struct check_rule *rule = r->rule;
    const struct candidate *shown = NULL;

    rule->n_fitting = (uint32_t)r->n;
    rule->is_there = rule->is_there || r->n > 0;
    bool is_judged = rule->rule.of == FAIL_RULE_STEP ? r->n > 0 : rule->is_there;
    rule->state = is_judged ? CHECK_PASS : CHECK_INCONCLUSIVE;
    if (r->n > 1 && !correct_for_many(w, r))
        return false;
    for (size_t i = 0; i < r->n; i++) {
        rule->state = worse(rule->state, r->list[i].state);
        rule->n_failing += r->list[i].state == CHECK_FAIL;
    }
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i].state == rule->state &&
            (shown == NULL || grew_more(&r->list[i].measure, &shown->measure)))
            shown = &r->list[i];
    if (shown != NULL) {
        rule->subject = shown->name;
        rule->measure = shown->measure;
        rule->more = shown->more;
    }
    return true;
}

/* ---- methods ---- */

/* A pattern is also like a name without the module, and without the signature, that stand behind it. */
static bool fits(const struct fail_rule *rule, struct str name)
{
    struct str cut = name;
    size_t module = str_find_str(name, STR(" ["));

    if (fail_rule_fits(rule, name))
        return true;
    cut.n = module;
    if (module < name.n && fail_rule_fits(rule, cut))
        return true;
    cut.n = str_find(cut, '(');
    return cut.n > 0 && cut.n < name.n && fail_rule_fits(rule, cut);
}

/* The numbers of the runs that have the row. */
static void take_numbers(struct work *w, const struct by_value *by, struct str name, bool exclusive)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const struct cursor *at = &w->cursors[i];
        bool here = at->at_row && str_eq(at->row.name, name);
        const int64_t *of = exclusive ? at->row.exclusive : at->row.inclusive;
        w->numbers[i] = here ? not_negative(of[by->of[i]]) : 0;
    }
    sort_groups(w);
}

static bool is_large(const struct work *w, const struct by_value *by)
{
    struct rank_groups g = groups_of(w);
    uint64_t a = rank_median(g.a, g.n_a), b = rank_median(g.b, g.n_b);

    return (a > 0 && a >= by->large_a) || (b > 0 && b >= by->large_b);
}

static bool judge_method(struct work *w, struct rule_work *r, struct str name)
{
    const struct fail_rule *rule = &r->rule->rule;
    bool is_one = str_find(rule->pattern, '*') == rule->pattern.n;

    if (rule->of != FAIL_RULE_METHODS || !fits(rule, name))
        return true;
    r->rule->is_there = true;
    take_numbers(w, &r->by, name, rule->exclusive);
    return (!is_one && !is_large(w, &r->by)) || judge(w, r, name);
}

static bool is_in(const struct work *w, struct str name, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (w->cursors[i].at_row && str_eq(w->cursors[i].row.name, name))
            return true;
    return false;
}

static bool add_method(struct work *w, struct check_method **list, uint32_t *n, size_t *capacity,
                       struct check_method *m)
{
    if (!ARENA_ROOM(w->arena, *list, *capacity, (size_t)*n + 1))
        return false;
    (*list)[(*n)++] = *m;
    return true;
}

/* Whether it changed. All that are tested are kept until the end, for the number of findings depends on all of them. */
static bool test_method(struct work *w, struct str name)
{
    struct check *c = w->c;
    struct check_method m = {.name = name};
    bool in_a = is_in(w, name, 0, w->in->n_a), in_b = is_in(w, name, w->in->n_a, w->n);

    take_numbers(w, &w->by, name, false);
    if (!is_large(w, &w->by))
        return true;
    measure(w, RANK_RATIO, &m.measure);
    take_numbers(w, &w->by, name, true);
    struct rank_groups self = groups_of(w);
    m.self_a = rank_median(self.a, self.n_a);
    m.self_b = rank_median(self.b, self.n_b);
    if (!in_a)
        return add_method(w, &c->added, &c->n_added, &w->added_capacity, &m);
    if (!in_b)
        return add_method(w, &c->gone, &c->n_gone, &w->gone_capacity, &m);
    return add_method(w, &c->changed, &c->n_changed, &w->changed_capacity, &m);
}

/* ---- all methods, in the order of their names ---- */

/* A digest is checked while it is read: the names come in order, to the end, and are as many as it says. */
static void advance(struct work *w, uint32_t run)
{
    struct cursor *at = &w->cursors[run];
    const struct run_digest *d = digest_of(w, run);
    struct str before = at->at_row ? at->row.name : STR("");

    at->at_row = run_digest_next_method(d, &at->rest, &at->row);
    at->n += at->at_row;
    if (at->at_row ? str_cmp(before, at->row.name) >= 0 : at->rest.n > 0 || at->n != d->n_methods)
        w->damaged = d;
}

static bool look_at_methods(struct work *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        w->cursors[i].rest = digest_of(w, i)->methods;
        advance(w, i);
    }
    for (uint64_t step = 0;; step++) {
        struct str name = {NULL, 0};
        for (uint32_t i = 0; i < w->n; i++)
            if (w->cursors[i].at_row && (name.p == NULL || str_cmp(w->cursors[i].row.name, name) < 0))
                name = w->cursors[i].row.name;
        if (name.p == NULL)
            return w->damaged == NULL;
        if (w->damaged != NULL || arena_stopped_at(w->arena, step) || !test_method(w, name))
            return false;
        for (uint32_t i = 0; i < w->c->n_rules; i++)
            if (!judge_method(w, &w->rules[i], name))
                return false;
        for (uint32_t i = 0; i < w->n; i++)
            if (w->cursors[i].at_row && str_eq(w->cursors[i].row.name, name))
                advance(w, i);
    }
}

static uint64_t change_of(const struct check_method *m)
{
    uint64_t a = m->measure.median_a, b = m->measure.median_b;

    return a > b ? a - b : b - a;
}

static int compare_methods(const void *a, const void *b)
{
    const struct check_method *x = a, *y = b;
    uint64_t change_x = change_of(x), change_y = change_of(y);

    if (x->is_sure != y->is_sure)
        return x->is_sure ? -1 : 1;
    if (change_x != change_y)
        return change_x > change_y ? -1 : 1;
    return str_cmp(x->name, y->name);
}

/* Leaves those that changed. False: no memory. */
static bool settle_methods(struct work *w)
{
    struct check *c = w->c;
    uint32_t n = 0;
    double *p = arena_lend(w->arena, c->n_changed, sizeof(*p));

    if (p == NULL)
        return false;
    c->n_tested = c->n_changed;
    c->can_be_sure = rank_least_p(c->n_a, c->n_b) * c->n_tested <= LEVEL;
    if (!c->can_be_sure)
        c->to_be_sure = more_for_many(w, c->n_tested);
    for (uint32_t i = 0; i < c->n_changed; i++)
        p[i] = c->changed[i].measure.p;
    double largest = rank_false_discoveries(p, c->n_changed, LEVEL);
    arena_release(w->arena, p, c->n_tested, sizeof(*p));
    for (uint32_t i = 0; i < c->n_changed; i++) {
        struct check_method *m = &c->changed[i];
        m->is_sure = m->measure.p <= largest;
        c->n_sure += m->is_sure;
        if (m->is_sure || m->measure.low > 1 || m->measure.high < 1)
            c->changed[n++] = *m;
    }
    c->n_changed = n;
    if (n > 1)
        qsort(c->changed, n, sizeof(*c->changed), compare_methods);
    if (c->n_added > 1)
        qsort(c->added, c->n_added, sizeof(*c->added), compare_methods);
    if (c->n_gone > 1)
        qsort(c->gone, c->n_gone, sizeof(*c->gone), compare_methods);
    return true;
}

/* ---- values ---- */

static bool refuse_value(const struct fail_rule *rule, const struct run_digest *d, struct diag *diag)
{
    struct buf b = {0};

    buf_z(&b, "a run does not measure this value; it has ");
    for (uint32_t i = 0; i < d->n_values; i++) {
        buf_z(&b, i == 0 ? "" : ", ");
        buf_str(&b, d->values[i].name);
    }
    buf_char(&b, '\0');
    fail_rule_refuse(rule->text, b.failed ? "a run does not measure this value" : b.p, diag);
    buf_free(&b);
    return false;
}

/* Finds the value in each run. `rule` is who asks. False: diag. */
static bool find_value(struct work *w, const struct fail_rule *rule, struct by_value *by, struct diag *diag)
{
    const struct run_digest *first = digest_of(w, 0);
    bool is_first = rule->value.n == 0;

    by->name = is_first ? first->values[0].name : rule->value;
    by->of = arena_array(w->arena, w->n, sizeof(*by->of));
    if (by->of == NULL)
        return diag_no_memory(diag, "No memory is left to compare the runs.");
    for (uint32_t i = 0; i < w->n; i++) {
        const struct run_digest *d = digest_of(w, i);
        int of = run_digest_value(d, by->name);
        if (of < 0)
            return refuse_value(rule, d, diag);
        if (i == 0)
            by->unit = d->values[of].unit;
        if (d->values[of].unit != by->unit)
            return fail_rule_refuse(rule->text, "the runs do not measure the value in one unit", diag);
        by->of[i] = (uint32_t)of;
        w->numbers[i] = not_negative(d->values[of].total);
    }
    sort_groups(w);
    struct rank_groups g = groups_of(w);
    by->large_a = rank_median(g.a, g.n_a) / LARGE_ENOUGH;
    by->large_b = rank_median(g.b, g.n_b) / LARGE_ENOUGH;
    return true;
}

/* Of a step that no run has, that of the rule: it fits. */
static void find_step_unit(const struct work *w, struct rule_work *r)
{
    const struct run_digest_value *step = NULL;

    for (uint32_t i = 0; step == NULL && i < w->n; i++)
        step = run_digest_find_step(digest_of(w, i), r->rule->rule.pattern);
    r->by.name = r->rule->rule.pattern;
    r->by.unit = step != NULL ? step->unit : r->rule->rule.unit;
    r->rule->is_there = step != NULL;
}

static bool find_values(struct work *w, struct diag *diag)
{
    struct fail_rule first = {.text = STR("total")};

    if (!find_value(w, &first, &w->by, diag))
        return false;
    for (uint32_t i = 0; i < w->c->n_rules; i++) {
        struct rule_work *r = &w->rules[i];
        const struct fail_rule *rule = &r->rule->rule;
        if (!find_value(w, rule, &r->by, diag))
            return false;
        if (rule->of == FAIL_RULE_STEP)
            find_step_unit(w, r);
        if (!rule->is_percent && rule->unit != r->by.unit)
            return fail_rule_refuse(rule->text, "the value is not measured in this unit", diag);
        r->rule->value = r->by.name;
        r->rule->unit = r->by.unit;
    }
    w->c->value = w->by.name;
    w->c->unit = w->by.unit;
    return true;
}

/* ---- all ---- */

static bool judge_all(struct work *w)
{
    for (uint32_t i = 0; i < w->c->n_rules; i++) {
        enum fail_rule_of of = w->rules[i].rule->rule.of;
        if ((of == FAIL_RULE_TOTAL && !judge_total(w, &w->rules[i])) ||
            (of == FAIL_RULE_STEP && !judge_step(w, &w->rules[i])) ||
            (of == FAIL_RULE_THREAD && !judge_thread(w, &w->rules[i])))
            return false;
    }
    if (!look_at_methods(w) || !settle_methods(w))
        return false;
    for (uint32_t i = 0; i < w->c->n_rules; i++) {
        if (!settle_rule(w, &w->rules[i]))
            return false;
        w->c->state = worse(w->c->state, w->rules[i].rule->state);
    }
    return w->arena->failure == ARENA_OK;
}

static bool prepare(struct work *w)
{
    const struct check_input *in = w->in;
    struct check *c = w->c;

    c->n_rules = in->n_rules > 0 ? in->n_rules : 1;
    c->rules = arena_array(w->arena, c->n_rules, sizeof(*c->rules));
    w->rules = arena_array(w->arena, c->n_rules, sizeof(*w->rules));
    w->numbers = arena_array(w->arena, w->n, sizeof(*w->numbers));
    w->cursors = arena_array(w->arena, w->n, sizeof(*w->cursors));
    if (c->rules == NULL || w->rules == NULL || w->numbers == NULL || w->cursors == NULL)
        return false;
    for (uint32_t i = 0; i < c->n_rules; i++) {
        c->rules[i] = (struct check_rule){.rule = {.text = STR("total>5%"),
                                                   .of = FAIL_RULE_TOTAL,
                                                   .pattern = STR("total"),
                                                   .is_percent = true,
                                                   .limit = 50000}};
        if (i < in->n_rules)
            c->rules[i].rule = in->rules[i];
        w->rules[i].rule = &c->rules[i];
    }
    return true;
}

bool check_run(const struct check_input *in, struct arena *arena, struct check *c, struct diag *diag)
{
    struct work w = {.in = in, .arena = arena, .scratch = {.arena = arena}, .c = c, .n = in->n_a + in->n_b};

    *c = (struct check){.n_a = in->n_a, .n_b = in->n_b};
    if (in->n_a == 0 || in->n_b == 0 || in->n_a > CHECK_RUNS_MAX || in->n_b > CHECK_RUNS_MAX)
        return diag_set(diag, DIAG_USAGE, "too few or too many runs", "",
                        "A check needs 1 to %d runs of either side.", CHECK_RUNS_MAX);
    if (!prepare(&w))
        return diag_no_memory(diag, "No memory is left to compare the runs.");
    if (!find_values(&w, diag))
        return false;
    if (judge_all(&w))
        return true;
    if (arena_stopped(arena))
        return false;
    return w.damaged != NULL ? run_digest_check(w.damaged, diag)
                             : diag_no_memory(diag, "No memory is left to compare the runs.");
}
