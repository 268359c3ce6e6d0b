#include "server/spaces/expiry.h"

enum { HOUR_S = 3600 };

bool expiry_parse(struct str text, uint64_t max_s, uint64_t *seconds)
{
    uint64_t unit_s = EXPIRY_DAY_S, n;

    text = str_trim(text);
    if (text.n > 1 && (text.p[text.n - 1] == 'h' || text.p[text.n - 1] == 'd')) {
        unit_s = text.p[text.n - 1] == 'h' ? HOUR_S : EXPIRY_DAY_S;
        text.n--;
    }
    if (!str_to_u64(text, 10, &n) || n == 0 || n > max_s / unit_s)
        return false;
    *seconds = n * unit_s;
    return true;
}

/* ---- by labels ---- */

struct rule {
    struct str key, value;
    uint64_t seconds;
};

/* Takes the next item off the front. *bad: it is none. False: none is left. Blank ones are passed over. */
static bool next_rule(struct str *rules, struct rule *rule, bool *bad)
{
    struct str item = STR("");

    while (item.n == 0)
        if (rules->n == 0 || !str_split(rules, ';', &item))
            return false;
        else
            item = str_trim(item);
    size_t blank = str_find_last(item, ' ');
    struct str label = str_trim((struct str){item.p, blank < item.n ? blank : 0});
    struct str time = {item.p + blank, item.n - blank};
    size_t equal = str_find(label, '=');
    rule->key = (struct str){label.p, equal};
    rule->value = equal < label.n ? (struct str){label.p + equal + 1, label.n - equal - 1} : STR("");
    *bad = blank == item.n || rule->value.n == 0 || !label_key_valid(rule->key) ||
           !expiry_parse(time, UINT64_MAX, &rule->seconds);
    return true;
}

bool expiry_rules_valid(struct str rules)
{
    struct rule rule;
    bool bad = false;

    while (!bad && next_rule(&rules, &rule, &bad)) {
    }
    return !bad;
}

uint64_t expiry_rules_longest(struct str rules)
{
    struct rule rule;
    uint64_t longest = 0;
    bool bad;

    while (next_rule(&rules, &rule, &bad))
        longest = !bad && rule.seconds > longest ? rule.seconds : longest;
    return longest;
}

bool expiry_of_labels(struct str rules, const struct labels *labels, uint64_t *seconds)
{
    struct rule rule;
    bool bad;

    while (next_rule(&rules, &rule, &bad)) {
        struct str value = labels_value(labels, rule.key);
        if (bad || value.p == NULL || (!str_eq(rule.value, STR("*")) && !str_eq(rule.value, value)))
            continue;
        *seconds = rule.seconds;
        return true;
    }
    return false;
}
