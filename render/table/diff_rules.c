#include "render/table/diff_rules.h"

#include <string.h>

#include "core/clean.h"
#include "core/order.h"

enum { QUOTED_BYTES = 120, NAMED_MAX = 3, DIGITS = 4, PERCENT_DECIMALS = 4 };

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

struct found {
    uint32_t rows[NAMED_MAX]; /* those that have grown most, the most first */
    uint32_t n;               /* of all */
};

static struct diff_pair pair_of(const struct diff_rule *rule, const struct table *t, uint32_t row,
                                uint32_t value)
{
    return rule->exclusive ? diff_exclusive(t, row, value) : diff_inclusive(t, row, value);
}

static void keep_row(struct found *f, const struct diff_rule *rule, const struct table *t, uint32_t row,
                     uint32_t value)
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
    buf_value(b, unit, pair.a, DIGITS);
    buf_z(b, " -> ");
    buf_value(b, unit, pair.b, DIGITS);
    buf_char(b, ')');
}

static void say_rule(struct buf *b, const struct diff_rule *rule)
{
    buf_z(b, "passed: ");
    clean_text(b, rule->text);
    buf_z(b, ": ");
}

static void say_rows(struct buf *b, const struct diff_rule *rule, const struct table *t, uint32_t value,
                     const struct found *f)
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
    struct found f = {.n = 0};
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
            keep_row(&f, rule, t, row, value);
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
