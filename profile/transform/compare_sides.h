/* TRANSFORM: a comparison as pictures show it. Of one of its bases three values: what A has, what B has, and the larger of the two
 * in each stack; of the calls, if there are any, what A and B have. Numbers of several runs are those of the first run of each
 * side. Scaling is by rational numbers: sums are rounded, not each node, so that the total of every stack is that of the
 * scaled comparison but for one. */
#ifndef PROFILE_TRANSFORM_COMPARE_SIDES_H
#define PROFILE_TRANSFORM_COMPARE_SIDES_H

#include "core/number.h"
#include "profile/compare/compare.h"

/* Each number of a run is multiplied with reference[base] and divided by own[value of the comparison], unless that is 0. */
struct compare_scale {
    uint64_t reference[PROFILE_VALUES_MAX];
    uint64_t own[PROFILE_VALUES_MAX];
};

/* What a number of that value and base becomes; rounded. */
static inline uint64_t compare_scaled(const struct compare_scale *s, uint32_t base, uint32_t value,
                                      uint64_t number)
{
    uint64_t own = s->own[value], reference = s->reference[base];

    return own == reference || own == 0 ? number : number_ratio(number, own, reference);
}

/* The values, in their order. */
enum { COMPARE_SIDE_A, COMPARE_SIDE_B, COMPARE_LARGER, COMPARE_CALLS_A, COMPARE_CALLS_B };

/* `calls`: a base, or n_bases: there are none. The result shares all but its values with `p`, and also what stands before filters
 * has these values. NULL: the arena gives no more. */
const struct profile *compare_sides(const struct profile *p, uint32_t base, uint32_t calls,
                                    const struct compare_scale *scale, struct arena *a)
    __attribute__((warn_unused_result));

#endif
