/* Time checkpoints: what a builder knows in between, every so many records, so that a window of time costs what its records cost
 * and not the whole file. They are taken while a profile's bytes are read a second time:
 *
 *     builder_checkpoints(reader.builder, checkpoints)        before the first byte; the reading is one from front to back
 *
 * and make a part of a later reading do:
 *
 *     checkpoints_part(checkpoints, profile, &window, &part);
 *     checkpoints_begin(&part, builder)        with all frames of the profile and a watcher, in front of the first record
 *     part.definitions, part.state             what the format has to know there
 *     builder_events ..                        the records of the file's bytes [part.from, part.to)
 *     checkpoints_end(&part, builder)          and no builder_finish
 *
 * The watcher is told what matters to the window, with frames and repairs of the whole reading, and of all that is open at its edges
 * the true times: at the beginning what encloses all so far, and the calls that are open; at the end when these, and those that
 * began since, are left. Of calls that lie outside it is told by how much they are callees of what is open (watcher.h: skip). So it
 * is for watchers that look at nothing but what lies in the window, and at calls that do so in part.
 *
 * Where the part begins no thread has reached the window, where it ends all have passed it: known from the records before and
 * behind each checkpoint, so that it is exact however late records are, and however long a thread has none.
 *
 * Memory is bounded: when the arena gives no more, no more checkpoints are taken, and those that are there stay good. */
#ifndef PROFILE_CALLS_CHECKPOINTS_H
#define PROFILE_CALLS_CHECKPOINTS_H

#include "core/arena.h"
#include "core/idmap.h"
#include "profile/build/builder.h"
#include "profile/calls/window.h"

struct checkpoints;
struct checkpoint;

/* With an arena of its own, of at most so many bytes. NULL: no memory. `profile`: of the first reading. */
struct checkpoints *checkpoints_new(const struct profile *profile, size_t limit_bytes)
    __attribute__((warn_unused_result));
void checkpoints_free(struct checkpoints *c); /* NULL is fine */
/* How many were taken; 0 also if they are of no use. */
size_t checkpoints_count(const struct checkpoints *c);
/* Of the first one, the place in the file; with one at least. */
uint64_t checkpoints_first(const struct checkpoints *c);

/* Of builder.h's events, takes checkpoints from now on. The builder and what is told it must not outlive *c. */
void builder_checkpoints(struct builder *b, struct checkpoints *c);

/* How many bytes are read for the window, of those between the first checkpoint and the last one; with one at least. */
uint64_t checkpoints_bytes(const struct checkpoints *c, const struct profile *p, const struct window *window);

/* Bytes [from, to) of the file. */
struct checkpoint_range {
    uint64_t from, to;
};

/* A part of the file, of which only the checkpoints know what it means. */
struct checkpoint_part {
    const struct checkpoints *checkpoints;
    const struct profile *profile;
    const struct checkpoint *begin, *end; /* NULL: from the first record on; up to the last one */
    uint64_t from, to; /* bytes of the file; 0: that of the first record, UINT64_MAX: all there is */
    /* What has to be read before it: bytes that define something, all there are in front of `from`; and the format's state there. */
    const struct checkpoint_range *definitions;
    size_t n_definitions;
    const void *state; /* of so many bytes; NULL: none */
    size_t state_bytes;
    uint64_t window_to_ns;
    struct idmap begins, ends; /* while it is read: track id -> its number in `begin` and `end` */
    bool *told;                /* by its number in `begin`: the watcher knows the track */
};

void checkpoints_part(const struct checkpoints *c, const struct profile *p, const struct window *window,
                      struct checkpoint_part *part);
/* Gives the builder all frames of the profile, whose ids it has then, as far as it does not have them yet; and the state of the
 * part's beginning. False: the arena gives no more, or the builder has other frames. */
bool checkpoints_begin(struct checkpoint_part *part, struct builder *b) __attribute__((warn_unused_result));
/* False as above: more frames turned up than the profile has. */
bool checkpoints_end(const struct checkpoint_part *part, struct builder *b)
    __attribute__((warn_unused_result));

#endif
