/* What a table of a comparison holds beside what it counts: each number on both sides (see diff.h for how
 * it is made). */
#pragma once

#include "profile/compare/compare.h"
#include "profile/transform/transform.h"
#include "render/table/table.h"
#include "render/view/asked.h"

/* One number on both sides, in the profile's unit. */
struct diff_pair {
    uint64_t a, b;
    uint64_t spread; /* of the runs of A, or of B, whichever is larger; 0 for one run each */
};

/* The medians of the runs of each side. `of_run`: of each run its number, of the base. */
struct diff_pair diff_pair_of_runs(const struct profile_compared *c, const struct compare_scale *scale,
                                   uint32_t base, const uint64_t *of_run);

struct diff_value {
    struct str name, label;
    enum unit unit;
};

struct table_diff {
    struct diff_value values[PROFILE_VALUES_MAX]; /* the bases of the comparison, but for its calls */
    uint32_t n_values;
    uint32_t value;                       /* which of them was asked for */
    uint32_t base_of[PROFILE_VALUES_MAX]; /* of each value, its base in the comparison */
    unsigned wide;                        /* enum diff_wide */
    const struct diff_request *request;
    enum diff_only only;
    bool has_calls;
    uint32_t calls_base;           /* with has_calls */
    struct compare_scale scale;    /* that the pairs were made with */
    bool all;                      /* rows that do not differ, too */
    const struct diff_pair *pairs; /* by row: inclusive and exclusive by value, calls */
    struct diff_pair total[PROFILE_VALUES_MAX], top[PROFILE_VALUES_MAX]; /* by value, as in struct table */
};

/* Which of the values has this name, or n_values. */
uint32_t diff_value_named(const struct table_diff *d, struct str name);
/* The names of all, with commas in between. */
void diff_list_values(const struct table_diff *d, struct buf *b);

struct diff_pair diff_inclusive(const struct table *t, uint32_t row, uint32_t value);
struct diff_pair diff_exclusive(const struct table *t, uint32_t row, uint32_t value);
struct diff_pair diff_calls(const struct table *t, uint32_t row); /* zero where none are counted */

/* How large the change is, whichever side is larger. */
uint64_t diff_size(struct diff_pair pair);
bool diff_counts(struct diff_pair pair);

/* Whether the row is one of those that were asked for. */
bool diff_wants(const struct table *t, uint32_t row);
