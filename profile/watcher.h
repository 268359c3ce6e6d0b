/* Who is told of each call while a builder folds: made for a second reading of the same bytes, with what the first one
 * found. See builder_watch. */
#ifndef PROFILE_WATCHER_H
#define PROFILE_WATCHER_H

#include "profile/profile.h"

/* Times are ticks of all clocks, unwrapped, and never before the last ones of their track; frame ids, and what repairs
 * broken nesting, are those of the profile. False ends the fold: the builder's arena gives no more. */
struct watcher {
    /* A track that begins, by its id. What is returned is told of its calls; NULL: nobody is. */
    void *(*track)(struct watcher *w, uint32_t id);
    bool (*begin)(void *track, const uint64_t *ticks); /* its first record */
    bool (*enter)(void *track, frame_id frame, const uint64_t *ticks);
    void (*leave)(void *track, const uint64_t *ticks); /* the frame on top, of which there is one */
    void (*re_root)(void *track, frame_id frame,
                    const uint64_t *ticks);          /* a frame is left that encloses all so far */
    void (*end)(void *track, const uint64_t *ticks); /* its last record, if there was a first one */
    /* A sample of the stack that holds now, with the values of the profile. NULL: these are not told. */
    bool (*sample)(void *track, const uint64_t *values, const uint64_t *ticks);
    /* A record that neither enters nor leaves anything. NULL: these are not told. */
    void (*stay)(void *track, const uint64_t *ticks);
    /* Where a part of a file is read (calls/checkpoints.h): the call on top, or the track if none is open, has called others that are not
     * told, for so many ticks of the first clock. NULL: these are not told. */
    void (*skip)(void *track, uint64_t ticks);
};

#endif
