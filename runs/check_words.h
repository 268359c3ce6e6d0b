/* The words of a check that all of its formats have. Numbers have few digits, so that they are the same on all machines. */
#ifndef RUNS_CHECK_WORDS_H
#define RUNS_CHECK_WORDS_H

#include "runs/check.h"

enum { CHECK_DIGITS = 4, CHECK_SHOWN_MAX = 10, CHECK_LISTED_MAX = 200, CHECK_NAMED_MAX = 5 };

/* "slower" and "faster" of times, "larger" and "smaller" of others. */
const char *check_slower(const struct check *c);
const char *check_faster(const struct check *c);
/* Each appends: a share as +5.1 %; how two medians differ; a change and its interval as the rule has its limit; what else is to
 * be said of a rule, behind `before`; how many runs there are; how many methods were tested. Never markup. */
void check_put_percent(struct buf *b, double share);
void check_put_medians(struct buf *b, enum unit unit, uint64_t before, uint64_t behind);
void check_put_change(struct buf *b, const struct check_rule *r, double change);
void check_put_interval(struct buf *b, const struct check_rule *r);
void check_put_remark(struct buf *b, const struct check_rule *r, const char *before);
void check_put_runs(struct buf *b, const struct check *c);
void check_put_tested(struct buf *b, const struct check *c);
/* Which changed methods are shown: the first n of the list, those that grew and the others apart. */
bool check_grew(const struct check_method *m);
uint32_t check_n_shown(const struct check *c);
uint32_t check_count_shown(const struct check *c, bool of_growth);
/* The first rule that has the state of all, and how many have it. */
const struct check_rule *check_decisive(const struct check *c);
uint32_t check_count_rules(const struct check *c, enum check_state state);

#endif
