#include "profile/compare/compare_rules.h"

#include <string.h>

/* What stands behind a rule's word, and is replaced with it. */
enum run {
    RUN_DIGITS,
    RUN_HEX,
    RUN_WORD,        /* up to the end of a component: `.`, `;`, `/` or a bracket */
    RUN_LAST_DIGITS, /* as RUN_WORD; only the digits behind the last `$` are replaced */
    RUN_LAST_WORD,   /* as RUN_WORD; all that stands behind the last `$` is replaced */
    RUN_KIND_DIGITS, /* letters, which stay, and digits */
    RUN_TOKEN        /* letters, digits, `_` and `-`, ended by `==` */
};

struct rule {
    const char *label; /* for people */
    unsigned parts;    /* enum compare_part */
    const char *word;  /* what comes first */
    enum run run;
    unsigned least; /* bytes of the run; fewer are left as they are */
    const char *to; /* in the place of word and run; NULL: the word, what stays of the run, and a star */
};

/* THE TABLE, in the order in which the rules are applied. Where the names come from:
 * - `$$Lambda`: the JDK's hidden classes of lambdas, with a counter and an address; `lambda$..$0` is javac's name of their code,
 *   `..$lambda$0` and `..$lambda-0` is Kotlin's
 * - `-$$Lambda$Class$hash`, `$$ExternalSyntheticLambda0`, `$$InternalSynthetic..`, `$r8$lambda$hash`, `-$$Nest$..`: D8's and R8's
 * - `access$000`: javac's accessors of private members, which newer compilers call `-$$Nest$..`
 * - `/data/app/~~random==/package-random==/`: where Android puts an app at each installation
 * - `.llvm.123`, `.part.0`, `::h0123456789abcdef`: copies of functions by LLVM, GCC and rustc */
static const struct rule RULES[] = {
    {"lambdas", COMPARE_NAMES, "-$$Lambda$", RUN_LAST_WORD, 1, NULL},
    {"lambdas", COMPARE_NAMES, "$$Lambda$", RUN_DIGITS, 1, NULL},
    {"lambdas", COMPARE_NAMES, "$r8$lambda$", RUN_WORD, 1, NULL},
    {"lambdas", COMPARE_NAMES, "lambda$", RUN_LAST_DIGITS, 1, NULL},
    {"lambdas", COMPARE_NAMES, "lambda-", RUN_DIGITS, 1, NULL},
    {"hidden classes", COMPARE_NAMES, "/0x", RUN_HEX, 1, NULL},
    {"synthetic classes", COMPARE_NAMES, "$$ExternalSynthetic", RUN_KIND_DIGITS, 1, NULL},
    {"synthetic classes", COMPARE_NAMES, "$$InternalSynthetic", RUN_WORD, 1, NULL},
    {"accessors", COMPARE_NAMES, "-$$Nest$", RUN_WORD, 1, "access$*"},
    {"accessors", COMPARE_NAMES, "access$", RUN_DIGITS, 1, "access$*"},
    {"proxies", COMPARE_NAMES, "$Proxy", RUN_DIGITS, 1, NULL},
    {"proxies", COMPARE_NAMES, "jdk.proxy", RUN_DIGITS, 1, NULL},
    {"generated accessors", COMPARE_NAMES, "MethodAccessor", RUN_DIGITS, 1, NULL},
    {"generated accessors", COMPARE_NAMES, "ConstructorAccessor", RUN_DIGITS, 1, NULL},
    {"anonymous classes", COMPARE_NAMES, "$", RUN_DIGITS, 1, NULL},
    {"copies of functions", COMPARE_NAMES, ".llvm.", RUN_DIGITS, 1, NULL},
    {"copies of functions", COMPARE_NAMES, ".constprop.", RUN_DIGITS, 1, NULL},
    {"copies of functions", COMPARE_NAMES, ".isra.", RUN_DIGITS, 1, NULL},
    {"copies of functions", COMPARE_NAMES, ".part.", RUN_DIGITS, 1, NULL},
    {"copies of functions", COMPARE_NAMES, "::h", RUN_HEX, 16, NULL},
    {"places of apps", COMPARE_MODULE, "/~~", RUN_TOKEN, 1, NULL},
    {"places of apps", COMPARE_MODULE, "-", RUN_TOKEN, 12, NULL},
};

enum { RULES_COUNT = sizeof(RULES) / sizeof(*RULES) };

_Static_assert((int)RULES_COUNT < (int)COMPARE_RULE_NONE, "a rule's number is not that of none");

const char *compare_rule_label(unsigned rule)
{
    return rule < RULES_COUNT ? RULES[rule].label : NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of(enum run run, char c)
{
    switch (run) {
    case RUN_DIGITS:
        return is_digit(c);
    case RUN_HEX:
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    case RUN_KIND_DIGITS:
        return is_digit(c) || is_letter(c);
    case RUN_TOKEN:
        return is_digit(c) || is_letter(c) || c == '_' || c == '-';
    case RUN_WORD:
    case RUN_LAST_DIGITS:
    case RUN_LAST_WORD:
        break;
    }
    return memchr(".;/()<>[", c, 8) == NULL;
}

static size_t run_bytes(enum run run, struct str rest)
{
    size_t n = 0;

    while (n < rest.n && is_of(run, rest.p[n]))
        n++;
    return n;
}

/* How many bytes at the beginning of a run of n bytes stay; n if the rule is not about it. *skip: how many bytes
 * behind the run belong to it. */
static size_t kept_bytes(enum run run, struct str rest, size_t n, size_t *skip)
{
    struct str all = {rest.p, n};
    size_t kept = 0;

    *skip = 0;
    switch (run) {
    case RUN_LAST_WORD:
        kept = str_find_last(all, '$');
        return kept < n ? kept + 1 : 0;
    case RUN_LAST_DIGITS:
        for (kept = n; kept > 0 && is_digit(rest.p[kept - 1]);)
            kept--;
        return kept == 0 || rest.p[kept - 1] == '$' ? kept : n;
    case RUN_KIND_DIGITS:
        while (kept < n && is_letter(rest.p[kept]))
            kept++;
        return kept;
    case RUN_TOKEN:
        *skip = 2;
        return rest.n - n >= 2 && memcmp(rest.p + n, "==", 2) == 0 ? 0 : n;
    default:
        return 0;
    }
}

/* Whether it changed anything. A run that does not fit is passed over as a whole: what begins later within
 * it has the same end and does not fit either. */
static bool apply(const struct rule *rule, struct str text, struct buf *out)
{
    struct str word = str_of(rule->word);
    bool changed = false;

    for (;;) {
        size_t at = str_find_str(text, word);
        if (at >= text.n)
            break;
        struct str rest = str_from(text, at + word.n);
        size_t n = run_bytes(rule->run, rest), skip = 0;
        size_t kept = n >= rule->least ? kept_bytes(rule->run, rest, n, &skip) : n;
        bool fits = kept < n;
        buf_bytes(out, text.p, at);
        if (fits && rule->to != NULL) {
            buf_z(out, rule->to);
        } else {
            buf_str(out, word);
            buf_bytes(out, rest.p, kept);
            buf_z(out, fits ? "*" : "");
        }
        size_t taken = n + (fits ? skip : 0);
        text = str_from(rest, taken);
        changed = changed || fits;
    }
    buf_str(out, text);
    return changed;
}

unsigned compare_normalise(struct str text, enum compare_part part, struct buf *out, struct buf *scratch)
{
    unsigned first = COMPARE_RULE_NONE;
    size_t begin = out->n;

    buf_str(out, text);
    for (unsigned i = 0; i < RULES_COUNT && !out->failed && !scratch->failed; i++) {
        struct str now = {out->p + begin, out->n - begin};
        if ((RULES[i].parts & part) == 0 || str_find_str(now, str_of(RULES[i].word)) >= now.n)
            continue;
        buf_clear(scratch);
        if (!apply(&RULES[i], now, scratch))
            continue;
        out->n = begin;
        buf_str(out, buf_view(scratch));
        first = first == COMPARE_RULE_NONE ? i : first;
    }
    out->failed = out->failed || scratch->failed;
    return first;
}
