#include "render/table/diff_words.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/compare/compare.h"
#include "render/table/diff.h"

/* ---- rules ---- */

enum { QUOTED_BYTES = 120, NAMED_MAX = 3, RULE_DIGITS = 4, PERCENT_DECIMALS = 4 };

static const struct {
    const char *word;
    enum unit unit;
    unsigned decimals; /* of what is written, down to the unit's smallest part .. */
    uint64_t factor;   /* .. times this */
} UNITS[] = {
    /* The longer words first: "ms" ends with "s". */
    {"ns", UNIT_NS, 0, 1},
    {"us", UNIT_NS, 3, 1},
    {"\xc2\xb5s", UNIT_NS, 3, 1},
    {"ms", UNIT_NS, 6, 1},
    {"s", UNIT_NS, 9, 1},
    {"KiB", UNIT_BYTES, 0, 1 << 10},
    {"MiB", UNIT_BYTES, 0, 1 << 20},
    {"GiB", UNIT_BYTES, 0, 1 << 30},
    {"B", UNIT_BYTES, 0, 1},
    {"", UNIT_COUNT, 0, 1},
};

/* ---- reading ---- */

static bool refuse(struct str text, const char *why, struct diag *diag)
{
    struct buf b = {0};

    clean_text(&b, clean_cut(text, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "rule not understood",
             "A rule is [VALUE_incl:|VALUE_excl:]PATTERN>N% or >Nms, such as total>5%.",
             "--fail-if %.*s: %s.", (int)b.n, b.n > 0 ? b.p : "", why);
    buf_free(&b);
    return false;
}

static bool read_limit(struct diff_rule *rule, struct str number)
{
    if (str_ends(number, STR("%"))) {
        number = str_trim((struct str){number.p, number.n - 1});
        rule->is_percent = true;
        return str_to_fixed(number, PERCENT_DECIMALS, &rule->limit);
    }
    size_t i = 0;
    while (!str_ends(number, str_of(UNITS[i].word))) /* the last one ends every text */
        i++;
    number = str_trim((struct str){number.p, number.n - strlen(UNITS[i].word)});
    rule->unit = UNITS[i].unit;
    return str_to_fixed(number, UNITS[i].decimals, &rule->limit) &&
           !__builtin_mul_overflow(rule->limit, UNITS[i].factor, &rule->limit);
}

/* Native names hold colons: only what ends like a column is a value. */
static void read_value(struct diff_rule *rule)
{
    size_t colon = str_find(rule->pattern, ':');
    struct str before = {rule->pattern.p, colon};

    if (colon == rule->pattern.n || before.n <= 5)
        return;
    rule->exclusive = str_ends(before, STR("_excl"));
    if (!rule->exclusive && !str_ends(before, STR("_incl")))
        return;
    rule->value = (struct str){before.p, before.n - 5};
    rule->pattern = str_trim((struct str){rule->pattern.p + colon + 1, rule->pattern.n - colon - 1});
}

bool diff_rule_parse(struct str text, struct diff_rule *rule, struct diag *diag)
{
    size_t at = str_find_last(text, '>');

    *rule = (struct diff_rule){.text = text};
    if (at == text.n)
        return refuse(text, "it has no >", diag);
    rule->pattern = str_trim((struct str){text.p, at});
    read_value(rule);
    if (rule->pattern.n == 0)
        return refuse(text, "it names no method in front of the >", diag);
    return read_limit(rule, str_trim((struct str){text.p + at + 1, text.n - at - 1})) ||
           refuse(text, "behind the > stands no number of %, ns, us, ms, s, B, KiB, MiB, GiB, or of counts",
                  diag);
}

/* ---- looking ---- */

/* Whether the whole text is like the pattern. Goes back to the latest star only, which suffices. */
static bool is_like(struct str text, struct str pattern)
{
    size_t t = 0, p = 0, star = SIZE_MAX, from = 0;

    while (t < text.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.n && pattern.p[p] == text.p[t]) {
            p++, t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

static bool has_passed(const struct diff_rule *rule, struct diff_pair pair)
{
    __extension__ typedef unsigned __int128 u128;

    if (pair.b <= pair.a || !diff_counts(pair))
        return false;
    if (!rule->is_percent)
        return pair.b - pair.a > rule->limit;
    /* 100 % of A in 1/10000 of a percent; a difference of 64 bits has room for it in 128. */
    return (u128)(pair.b - pair.a) * 1000000u > (u128)rule->limit * pair.a;
}

struct rule_found {
    uint32_t rows[NAMED_MAX]; /* those that have grown most, the most first */
    uint32_t n;               /* of all */
};

static struct diff_pair pair_of(const struct diff_rule *rule, const struct table *t, uint32_t row,
                                uint32_t value)
{
    return rule->exclusive ? diff_exclusive(t, row, value) : diff_inclusive(t, row, value);
}

static void keep_rule_row(struct rule_found *f, const struct diff_rule *rule, const struct table *t,
                          uint32_t row, uint32_t value)
{
    uint32_t kept = f->n < NAMED_MAX ? f->n : NAMED_MAX, at = kept;
    uint64_t size = diff_size(pair_of(rule, t, row, value));

    f->n++;
    while (at > 0 && size > diff_size(pair_of(rule, t, f->rows[at - 1], value)))
        at--;
    order_insert(f->rows, &kept, NAMED_MAX, at, &row, sizeof(row));
}

static void say_growth(struct buf *b, enum unit unit, struct diff_pair pair)
{
    buf_char(b, ' ');
    diff_put_change(b, unit, pair);
    buf_z(b, " (");
    diff_put_percent(b, pair);
    buf_z(b, ", ");
    buf_value(b, unit, pair.a, RULE_DIGITS);
    buf_z(b, " -> ");
    buf_value(b, unit, pair.b, RULE_DIGITS);
    buf_char(b, ')');
}

static void say_rule(struct buf *b, const struct diff_rule *rule)
{
    buf_z(b, "passed: ");
    clean_text(b, rule->text);
    buf_z(b, ": ");
}

static void say_rows(struct buf *b, const struct diff_rule *rule, const struct table *t, uint32_t value,
                     const struct rule_found *f)
{
    say_rule(b, rule);
    if (f->n > 1)
        buf_printf(b, "%u of them: ", f->n);
    for (uint32_t i = 0; i < f->n && i < NAMED_MAX; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        clean_text(b, table_name(t, f->rows[i]));
        say_growth(b, t->diff->values[value].unit, pair_of(rule, t, f->rows[i], value));
    }
    buf_z(b, f->n > NAMED_MAX ? ", ...\n" : "\n");
}

/* False: diag. */
static bool find_value(const struct diff_rule *rule, const struct table *t, uint32_t *value,
                       struct diag *diag)
{
    const struct table_diff *d = t->diff;
    struct buf b = {0};

    *value = rule->value.n > 0 ? diff_value_named(d, rule->value) : 0;
    if (*value < d->n_values)
        return rule->is_percent || rule->unit == d->values[*value].unit ||
               refuse(rule->text, "the value is not measured in this unit", diag);
    buf_z(&b, "the profiles do not share this value; they have ");
    diff_list_values(d, &b);
    buf_char(&b, '\0');
    refuse(rule->text, b.failed ? "the profiles do not share this value" : b.p, diag);
    buf_free(&b);
    return false;
}

bool diff_rule_check(const struct diff_rule *rule, const struct table *t, struct buf *says, bool *passed,
                     struct diag *diag)
{
    struct rule_found f = {.n = 0};
    uint32_t value;
    bool matches = false;

    if (!find_value(rule, t, &value, diag))
        return false;
    if (str_eq(rule->pattern, STR("total"))) {
        if (has_passed(rule, t->diff->total[value])) {
            *passed = true;
            say_rule(says, rule);
            clean_text(says, t->diff->values[value].label);
            say_growth(says, t->diff->values[value].unit, t->diff->total[value]);
            buf_char(says, '\n');
        }
        return true;
    }
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row] || !is_like(table_name(t, row), rule->pattern))
            continue;
        matches = true;
        if (has_passed(rule, pair_of(rule, t, row, value)))
            keep_rule_row(&f, rule, t, row, value);
    }
    if (f.n > 0) {
        *passed = true;
        say_rows(says, rule, t, value, &f);
    } else if (!matches) {
        buf_z(says, "warning: --fail-if ");
        clean_text(says, rule->text);
        buf_z(says, ": no method on either side has such a name.\n");
    }
    return true;
}

/* ---- words ---- */

/* Sentences about the value that was asked for, of a table of methods: the change of the total, what grew
 * in own code and elsewhere, what shrank, what is new and gone, and what is left out as noise, which is:
 *
 *     a method that both sides call fewer than DIFF_NOISE_CALLS times and that changed by less than a thousandth of the total
 *     one whose time changed by no more than its calls and what a reading of the clock costs, as the file says, multiplied
 *     one that both sides, which count samples and no calls, saw fewer than DIFF_NOISE_SAMPLES times by itself and which changed by
 *     less than a thousandth of the total
 *
 * A sentence that would say nothing is left out. Appends them to `out`, which is empty, each ended by a
 * newline; names are cleaned. `says` tells where each sentence and each name stands. */
enum { DIFF_NOISE_CALLS = 3, DIFF_NOISE_SAMPLES = 5 };

enum { DIGITS = 4, NOISE_SHARE = 1000 };

/* The rows of one sentence. */
enum sort {
    OWN_GREW,
    OTHERS_GREW,
    SHRANK,
    NEW,
    GONE,
    NOISE_OF_CALLS,
    NOISE_OF_CLOCK,
    NOISE_OF_SAMPLES,
    SORTS
};

struct found {
    uint32_t rows[DIFF_NAMED_MAX]; /* those that changed most, the most first */
    uint32_t n;                    /* of all */
    uint64_t size;                 /* sum of the changes */
};

struct words {
    const struct table *t;
    uint32_t value, samples; /* samples: the value that counts them, or n_values */
    struct found found[SORTS];
    struct diff_words *says;
};

static struct diff_pair pair_at(const struct words *w, uint32_t row)
{
    return diff_exclusive(w->t, row, w->value);
}

static bool is_small(const struct words *w, uint32_t row)
{
    struct diff_pair total = w->t->diff->total[w->value];
    uint64_t whole = total.a > total.b ? total.a : total.b;

    return diff_size(pair_at(w, row)) < whole / NOISE_SHARE;
}

static bool is_called_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_calls(w->t, row);

    return w->t->diff->has_calls && calls.a < DIFF_NOISE_CALLS && calls.b < DIFF_NOISE_CALLS &&
           is_small(w, row);
}

static bool is_of_clock(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_calls(w->t, row);
    uint64_t cost, overhead_ns = w->t->profile->compared->overhead_ns;

    return w->t->diff->values[w->value].unit == UNIT_NS &&
           (__builtin_mul_overflow(calls.a > calls.b ? calls.a : calls.b, overhead_ns, &cost) ||
            diff_size(pair_at(w, row)) <= cost);
}

static bool is_seen_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair samples;

    if (w->samples == w->t->diff->n_values || w->t->diff->has_calls)
        return false;
    samples = diff_exclusive(w->t, row, w->samples);
    return samples.a < DIFF_NOISE_SAMPLES && samples.b < DIFF_NOISE_SAMPLES && is_small(w, row);
}

static enum sort sort_of(const struct words *w, uint32_t row)
{
    struct diff_pair pair = pair_at(w, row), whole = diff_inclusive(w->t, row, w->value);

    if (is_called_seldom(w, row))
        return NOISE_OF_CALLS;
    if (is_of_clock(w, row))
        return NOISE_OF_CLOCK;
    if (is_seen_seldom(w, row))
        return NOISE_OF_SAMPLES;
    if (whole.a == 0)
        return NEW;
    if (whole.b == 0)
        return GONE;
    if (pair.b < pair.a)
        return SHRANK;
    return names_of(w->t->names, w->t->frame[row])->origin == ORIGIN_APP ? OWN_GREW : OTHERS_GREW;
}

static void keep_row(const struct words *w, struct found *f, uint32_t row)
{
    uint32_t kept = f->n < DIFF_NAMED_MAX ? f->n : DIFF_NAMED_MAX, at = kept;
    uint64_t size = diff_size(pair_at(w, row));

    f->n++;
    f->size = number_add(f->size, size);
    while (at > 0 && size > diff_size(pair_at(w, f->rows[at - 1])))
        at--;
    order_insert(f->rows, &kept, DIFF_NAMED_MAX, at, &row, sizeof(row));
}

static void find(struct words *w)
{
    for (uint32_t row = 0; row < w->t->n; row++)
        if (w->t->present[row] && pair_at(w, row).a != pair_at(w, row).b && diff_counts(pair_at(w, row)))
            keep_row(w, &w->found[sort_of(w, row)], row);
}

/* ---- sentences ---- */

/* What is said from here on, up to end_sentence. There are no more sentences than room. */
static struct diff_sentence *begin_sentence(const struct words *w, const struct buf *out)
{
    struct diff_sentence *s = &w->says->list[w->says->n++];

    *s = (struct diff_sentence){.at = out->n};
    return s;
}

static void end_sentence(struct diff_sentence *s, struct buf *out)
{
    s->n = out->n - s->at;
    buf_char(out, '\n');
}

static void put_name(const struct words *w, uint32_t row, struct diff_sentence *s, struct buf *out)
{
    size_t at = out->n;

    clean_text(out, table_name(w->t, row));
    s->methods[s->n_methods++] = (struct diff_mention){at, out->n - at};
}

static void put_calls(const struct words *w, uint32_t row, struct buf *out)
{
    struct diff_pair calls = diff_calls(w->t, row);

    if (!w->t->diff->has_calls)
        return;
    buf_z(out, ", ");
    buf_u64_grouped(out, calls.b);
    buf_z(out, calls.b == 1 ? " call" : " calls");
    if (calls.a == calls.b) {
        buf_z(out, " as before");
    } else {
        buf_z(out, " instead of ");
        buf_u64_grouped(out, calls.a);
    }
}

static void put_rows(const struct words *w, const struct found *f, bool changes, struct diff_sentence *s,
                     struct buf *out)
{
    enum unit unit = w->t->diff->values[w->value].unit;

    for (uint32_t i = 0; i < f->n && i < DIFF_NAMED_MAX; i++) {
        buf_z(out, i == 0 ? " " : "; ");
        put_name(w, f->rows[i], s, out);
        buf_char(out, ' ');
        diff_put_change(out, unit, pair_at(w, f->rows[i]));
        if (!changes)
            continue;
        buf_z(out, " (");
        diff_put_percent(out, pair_at(w, f->rows[i]));
        put_calls(w, f->rows[i], out);
        buf_char(out, ')');
    }
    if (f->n > DIFF_NAMED_MAX) {
        buf_z(out, "; and ");
        buf_u64_grouped(out, f->n - DIFF_NAMED_MAX);
        buf_z(out, " more");
    }
    buf_char(out, '.');
}

static void say_total(const struct words *w, struct buf *out)
{
    const struct diff_value *v = &w->t->diff->values[w->value];
    struct diff_pair total = w->t->diff->total[w->value];
    struct diff_sentence *s = begin_sentence(w, out);

    buf_z(out, "B has ");
    buf_value(out, v->unit, total.b, DIGITS);
    buf_z(out, v->unit == UNIT_COUNT ? " " : " of ");
    clean_text(out, v->label);
    if (total.a == total.b || !diff_counts(total)) {
        buf_z(out, total.a == total.b ? ", as much as A." : ", as much as A within what its runs differ by.");
        end_sentence(s, out);
        return;
    }
    buf_z(out, ", ");
    buf_value(out, v->unit, diff_size(total), DIGITS);
    buf_z(out, total.b > total.a ? " more than A's " : " less than A's ");
    buf_value(out, v->unit, total.a, DIGITS);
    buf_z(out, " (");
    diff_put_percent(out, total);
    buf_z(out, ").");
    end_sentence(s, out);
}

static void say_sort(const struct words *w, enum sort sort, const char *words, enum diff_only only,
                     struct buf *out)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w, out);
    s->only = only;
    buf_z(out, words);
    put_rows(w, f, sort != NEW && sort != GONE, s, out);
    end_sentence(s, out);
}

static void say_noise(const struct words *w, enum sort sort, struct buf *out)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w, out);
    buf_printf(out, "Left out as noise: %u method%s ", f->n, f->n == 1 ? "" : "s");
    switch (sort) {
    case NOISE_OF_CALLS:
        buf_printf(out, "called fewer than %d times, ", DIFF_NOISE_CALLS);
        break;
    case NOISE_OF_CLOCK:
        buf_z(out, "that changed by no more than reading the clock costs, ");
        buf_value(out, UNIT_NS, w->t->profile->compared->overhead_ns, DIGITS);
        buf_z(out, " a call: ");
        break;
    default:
        buf_printf(out, "seen in fewer than %d samples, ", DIFF_NOISE_SAMPLES);
    }
    buf_value(out, w->t->diff->values[w->value].unit, f->size, DIGITS);
    buf_z(out, " together.");
    end_sentence(s, out);
}

static uint32_t find_samples(const struct table *t)
{
    uint32_t v = 0;

    while (v < t->diff->n_values && t->profile->compared->bases[t->diff->base_of[v]].role != ROLE_SAMPLES)
        v++;
    return v;
}

static bool is_time(const struct words *w)
{
    enum unit unit = w->t->diff->values[w->value].unit;

    return unit != UNIT_COUNT && unit != UNIT_BYTES;
}

void diff_words(const struct table *t, struct diff_words *says, struct buf *out)
{
    struct words w = {.t = t, .value = t->diff->value, .samples = find_samples(t), .says = says};

    says->n = 0;
    if (t->group != GROUP_METHOD)
        return;
    find(&w);
    say_total(&w, out);
    say_sort(&w, OWN_GREW,
             is_time(&w) ? "More self time in your own methods:"
                         : "More in your own methods, without what they call:",
             ONLY_MORE, out);
    say_sort(&w, OTHERS_GREW, "More in other methods:", ONLY_MORE, out);
    say_sort(&w, SHRANK, "Less:", ONLY_LESS, out);
    say_sort(&w, NEW, "Only in B:", ONLY_NEW, out);
    say_sort(&w, GONE, "Only in A:", ONLY_GONE, out);
    for (enum sort noise = NOISE_OF_CALLS; noise < SORTS; noise++)
        say_noise(&w, noise, out);
}
