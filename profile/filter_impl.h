/* What the steps of a filter (filter.c) hand to the making of the profile (filter_result.c). */
#ifndef PROFILE_FILTER_IMPL_H
#define PROFILE_FILTER_IMPL_H

#include "profile/filter.h"

/* Arrays of profile->n_nodes; see filter.c. */
struct filter_stacks {
    const struct profile *profile;
    bool *there;
    node_id *up;
    node_id *new_up; /* while a step is applied */
    node_id *to;
};

/* The root of the node's track. */
node_id filter_root(const struct filter_stacks *s, node_id node);

/* The profile of the stacks. NULL: the arena gives no more. */
const struct profile *filter_result(const struct filter_stacks *s, const struct profile_filtered *filtered,
                                    struct arena *a) __attribute__((warn_unused_result));

#endif
