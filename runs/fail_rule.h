/* Rules that a comparison must not break: `aflamed diff --fail-if RULE`, and those of a check.
 *
 *     [VALUE_incl:|VALUE_excl:]PATTERN>N%      growth of B over A in percent of A
 *     [VALUE_incl:|VALUE_excl:]PATTERN>NUNIT   growth itself: ns, us, ms, s; B, KiB, MiB, GiB; no unit for counts
 *
 * Without a value it is the first one, inclusive. PATTERN is compared with the whole name of a method, in upper and lower
 * case; `*` stands for any text. `total` is the value over all threads that count, `thread:NAME` that over a thread;
 * `step:NAME` is a step of the recording, such as step:start, and has no value in front. */
#pragma once

#include "core/diag.h"
#include "core/str.h"
#include "core/unit.h"

enum fail_rule_of { FAIL_RULE_METHODS, FAIL_RULE_TOTAL, FAIL_RULE_THREAD, FAIL_RULE_STEP };

struct fail_rule {
    struct str text;
    struct str value; /* empty: the first one */
    bool exclusive;
    enum fail_rule_of of;
    struct str pattern; /* of methods; or the name of the thread, or of the step */
    bool is_percent;
    uint64_t limit; /* in 1/10000 of a percent, or in the unit's smallest part */
    enum unit unit; /* unless in percent */
};

/* The slices are of `text`. False: diag, DIAG_USAGE. */
bool fail_rule_parse(struct str text, struct fail_rule *rule, struct diag *diag) MUST_CHECK;

/* Sets diag, DIAG_USAGE: the rule is not understood, and why. Always false. */
bool fail_rule_refuse(struct str text, const char *why, struct diag *diag);

/* Whether the whole name is like the pattern. */
bool fail_rule_fits(const struct fail_rule *rule, struct str name);
