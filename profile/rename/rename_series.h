/* The moments of a profile whose frames were renamed. */
#ifndef PROFILE_RENAME_RENAME_SERIES_H
#define PROFILE_RENAME_RENAME_SERIES_H

#include "core/arena.h"
#include "profile/profile.h"

/* `to` with the moments of `from`, each of whose nodes became the node `became` of `to`: changes of one moment are summed. NULL when
 * the arena gives no more. */
const struct profile *rename_series(const struct profile *from, const node_id *became,
                                    const struct profile *to, struct arena *arena)
    __attribute__((warn_unused_result));

#endif
