/* Calls and samples of a second reading, in the frames of a profile whose frames were renamed. */
#ifndef PROFILE_RENAME_RENAME_WATCH_H
#define PROFILE_RENAME_RENAME_WATCH_H

#include "core/arena.h"
#include "profile/watcher.h"

/* Passes calls on to `w`, with the frames of the renamed profile. `w` itself if nothing was renamed. Lives in the arena; NULL when it
 * gives no more. */
struct watcher *rename_watcher(const struct profile *p, struct watcher *w, struct arena *arena)
    __attribute__((warn_unused_result));

#endif
