/* A check: the runs of a baseline, A, and those under test, B, judged by rules (fail_rule.h) and by the tests of rank_test.h.
 *
 *     FAIL           the estimated growth is above the limit, and the interval of 95 % holds no run without growth: it is large
 *                    enough, and it is real
 *     PASS           the estimate is not above the limit, and the interval ends below twice the limit: had it grown by much
 *                    more, that would have been seen. Also where all runs of both are equal
 *     INCONCLUSIVE   all else: too few runs, or too different ones; it is said how many more would decide
 *
 * A rule whose PATTERN has a `*` is judged for each method that fits and has at least a thousandth of the total in the median
 * of either group; one of them fails only if Benjamini and Hochberg, over all of them, let it. It fails if one does, and
 * passes if all do. Another pattern is the name of a method with or without what stands behind it, signature and module. Of
 * a rule that fits nothing in any run nothing is known: INCONCLUSIVE. All together fail if one rule does, and pass if all do.
 *
 * Which methods changed is tested for all that have a thousandth of the total, by the first value with all that they call.
 * Those that are called sure are findings of which at most 5 % are false (Benjamini and Hochberg); others changed by
 * themselves, at 5 %, but among so many methods that is bound to happen. A method that a run lacks cost nothing in it, and what
 * is negative counts as nothing.
 *
 * Any thread. */
#pragma once

#include "core/buf.h"
#include "runs/fail_rule.h"
#include "runs/rank_test.h"
#include "runs/run_digest.h"

enum { CHECK_RUNS_MAX = 100 }; /* of a group */

enum check_state { CHECK_PASS, CHECK_FAIL, CHECK_INCONCLUSIVE };

/* The words of the states, in their order: "PASS" is the first. */
extern const char *const CHECK_STATES[];

struct check_input {
    const struct run_digest *a, *b;
    uint32_t n_a, n_b; /* 1 to CHECK_RUNS_MAX */
    const struct fail_rule *rules;
    uint32_t n_rules; /* 0: total>5% */
};

/* One number of all runs. */
struct check_measure {
    uint64_t median_a, median_b;
    double p;
    double change, low, high; /* B/A, or B-A for a rule with a limit that is no percentage */
    bool has_interval;        /* else the runs are too few for one */
};

struct check_rule {
    struct fail_rule rule;
    enum check_state state;
    struct str value; /* by its name */
    enum unit unit;
    /* Methods that fit and are large enough; 1 for the total and a thread. 0: nothing was judged. */
    uint32_t n_fitting;
    uint32_t n_failing;
    bool is_there; /* Something fits, however small. */
    /* Of the one that grew most of those with the rule's state; n_fitting > 0: */
    struct str subject; /* of methods and threads the name, else "total" */
    struct check_measure measure;
    struct rank_more more; /* CHECK_INCONCLUSIVE: how many runs would decide */
};

struct check_method {
    struct str name;
    struct check_measure measure; /* with what it calls; .change is B/A */
    uint64_t self_a, self_b;      /* medians without */
    bool is_sure;
};

struct check {
    enum check_state state;
    uint32_t n_a, n_b;
    struct check_rule *rules;
    uint32_t n_rules;
    struct str value; /* the first one: what methods were tested by */
    enum unit unit;
    uint32_t n_tested;            /* methods */
    bool can_be_sure;             /* So many runs can show that a single one of so many methods changed. */
    struct rank_more to_be_sure;  /* how many more runs can, else */
    struct check_method *changed; /* sure ones first; of these the largest change of the median first */
    uint32_t n_changed, n_sure;
    struct check_method *added, *gone; /* that no run of the other group has; the heaviest first */
    uint32_t n_added, n_gone;
};

/* All lives in the arena, and slices are of the digests. False: diag, DIAG_USAGE for rules that do not fit what the runs
 * measure and for too many runs, DIAG_UNUSABLE for a damaged digest, DIAG_NO_MEMORY; it is not
 * set if the arena was told to end. */
bool check_run(const struct check_input *in, struct arena *arena, struct check *c,
               struct diag *diag) MUST_CHECK;

/* How it is written: for terminals, for the comment of a pull request, for programs. */
enum check_format { CHECK_TEXT, CHECK_MARKDOWN, CHECK_JSON, CHECK_HTML /* a part of a page */ };

/* What stands around it; empty: nothing. */
struct check_links {
    struct str method; /* with the name of a method behind it, percent-encoded, the address of its page */
    struct str image;  /* the address of a picture */
    struct str page;   /* the address of the page of all runs */
};

void check_write(const struct check *c, enum check_format format, const struct check_links *links,
                 struct buf *out);

/* ---- words, for others who tell of a check. Never markup ---- */

enum { CHECK_DIGITS = 4 };

/* A change as the rule has its limit. */
void check_put_change(struct buf *b, const struct check_rule *r, double change);
/* How many runs there are. */
void check_put_runs(struct buf *b, const struct check *c);
/* The first rule that has the state of all. */
const struct check_rule *check_decisive(const struct check *c);
