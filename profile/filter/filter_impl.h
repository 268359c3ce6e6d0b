/* What the steps of a filter (filter.c), and what renames frames (rename.c), hand to the making of the profile
 * (filter.c). */
#pragma once

#include "profile/filter/filter.h"

/* The profile of the stacks; `filtered` is NULL of one that no filter has touched, which gets no value for
 * waiting. NULL: the arena gives no more. */
const struct profile *filter_result(struct filter_stacks *s, const struct profile_filtered *filtered,
                                    struct arena *a) MUST_CHECK;
