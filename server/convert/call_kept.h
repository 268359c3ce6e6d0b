/* Slices of tracks that wait for their turn: where the slices of a track have to stand together, and the file has those of all tracks
 * mixed. Of each track all of them are kept, in few bytes, or none: when there are too many, those of the track are dropped, which has
 * to be read again. One thread at a time. */
#ifndef SERVER_CONVERT_CALL_KEPT_H
#define SERVER_CONVERT_CALL_KEPT_H

#include "core/arena.h"
#include "profile/calls/call_slices.h"

struct call_kept;

/* For so many tracks of the profile, none of which is there yet, with so much room for all. Of the two clocks one is kept: that of the
 * CPU, or else the wall clock; taken slices have its time as both. NULL: there is no memory. */
struct call_kept *call_kept_new(uint32_t n_tracks, size_t room_bytes, bool by_cpu)
    __attribute__((warn_unused_result));
void call_kept_free(struct call_kept *k); /* NULL is fine */

/* Before a reading: tracks that are not there are empty, and there. */
void call_kept_begin(struct call_kept *k);
/* Puts one behind the others of its track. */
void call_kept_add(struct call_kept *k, const struct call_slice *slice);
/* Whether all that were added to the track are there. */
bool call_kept_has(const struct call_kept *k, uint32_t track);
/* Takes the next one of the track. False: there are no more; the track's memory is free then. */
bool call_kept_take(struct call_kept *k, uint32_t track, struct call_slice *slice);

#endif
