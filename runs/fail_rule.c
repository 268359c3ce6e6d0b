#include "runs/fail_rule.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"

enum { QUOTED_BYTES = 120, PERCENT_DECIMALS = 4 };

static const struct {
    const char *word;
    enum unit unit;
    unsigned decimals; /* A number is read with so many decimals, */
    uint64_t factor;   /* and multiplied by this: then it counts the unit's smallest part. */
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

bool fail_rule_refuse(struct str text, const char *why, struct diag *diag)
{
    struct buf b = {0};

    clean_text(&b, clean_cut(text, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "rule not understood",
             "A rule is [VALUE_incl:|VALUE_excl:]PATTERN>N% or >Nms, such as total>5%.",
             "--fail-if %.*s: %s.", (int)b.n, b.n > 0 ? b.p : "", why);
    buf_free(&b);
    return false;
}

static bool read_limit(struct fail_rule *rule, struct str number)
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
static void read_value(struct fail_rule *rule)
{
    size_t colon = str_find(rule->pattern, ':');
    struct str before = {rule->pattern.p, colon};

    if (colon == rule->pattern.n || before.n <= 5)
        return;
    rule->exclusive = str_ends(before, STR("_excl"));
    if (!rule->exclusive && !str_ends(before, STR("_incl")))
        return;
    rule->value = (struct str){before.p, before.n - 5};
    rule->pattern = str_trim(str_from(rule->pattern, colon + 1));
}

bool fail_rule_parse(struct str text, struct fail_rule *rule, struct diag *diag)
{
    static const struct {
        struct str word;
        enum fail_rule_of of;
    } KINDS[] = {{STR_INIT("thread:"), FAIL_RULE_THREAD}, {STR_INIT("step:"), FAIL_RULE_STEP}};
    size_t at = str_find_last(text, '>');

    *rule = (struct fail_rule){.text = text};
    if (at == text.n)
        return fail_rule_refuse(text, "it has no >", diag);
    rule->pattern = str_trim((struct str){text.p, at});
    read_value(rule);
    if (str_eq(rule->pattern, STR("total")))
        rule->of = FAIL_RULE_TOTAL;
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (rule->of == FAIL_RULE_METHODS && str_starts(rule->pattern, KINDS[i].word)) {
            rule->of = KINDS[i].of;
            rule->pattern = str_from(rule->pattern, KINDS[i].word.n);
        }
    if (rule->pattern.n == 0)
        return fail_rule_refuse(text, "it names no method in front of the >", diag);
    return read_limit(rule, str_trim(str_from(text, at + 1))) ||
           fail_rule_refuse(
               text, "behind the > stands no number of %, ns, us, ms, s, B, KiB, MiB, GiB, or of counts",
               diag);
}

/* Goes back to the latest star only, which suffices. */
bool fail_rule_fits(const struct fail_rule *rule, struct str name)
{
    const struct str text = name, pattern = rule->pattern;
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
