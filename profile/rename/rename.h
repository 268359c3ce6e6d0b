/* What the transforms share that give frames other names: mapping_apply.c and symbols.c. Each frame
 * becomes a list of frames, the outermost first, which may be empty. A node becomes as many, of which the
 * last one has its own values. What became equal is joined.
 *
 *     rename_begin -> for each set and frame: rename_frame_begins, rename_append .., rename_frame_ends -> rename_finish
 *
 * Facts and warnings are added to the copy that rename_finish makes the result of. All of these return
 * false or NULL when the arena gives no more. */
#pragma once

#include "core/buf.h"
#include "profile/build/builder.h"

/* Tracks whose frames become the same ones. */
struct rename_set {
    uint64_t mask; /* what the caller knows it by */
    uint8_t *used; /* of each frame: it is in one of the tracks */
    uint32_t *first,
        *count; /* of each frame: where its frames stand in rename.list, and how many these are */
};

struct rename {
    const struct profile *before;
    struct arena *arena;
    struct builder *table; /* of the new strings and frames; strings of `before` keep their ids */

    uint32_t *set_of; /* of each track */
    struct rename_set *sets;
    size_t n_sets, sets_capacity;
    frame_id *list; /* what frames became */
    size_t n_list, list_capacity;
    node_id *last; /* of each node: the innermost that it became */
};

/* Zeroed but for `before` and `arena`. Tracks for which mask_of(context, track) is equal are a set; NULL:
 * all of them are one. */
bool rename_begin(struct rename *r, struct hash_seed seed,
                  uint64_t (*mask_of)(const void *context, const struct profile_track *t),
                  const void *context) MUST_CHECK;

void rename_frame_begins(struct rename *r, struct rename_set *set, frame_id frame);

bool rename_append(struct rename *r, const struct profile_frame *frame) MUST_CHECK;

void rename_frame_ends(struct rename *r, struct rename_set *set, frame_id frame);

/* `copy` is a copy of `before`, to which facts and warnings may have been added. */
const struct profile *rename_finish(struct rename *r, struct profile *copy) MUST_CHECK;

bool rename_no_memory(struct rename *r); /* always false */

bool rename_fact(struct rename *r, struct profile *copy, const char *name, struct str value) MUST_CHECK;

bool rename_fact_number(struct rename *r, struct profile *copy, const char *name, uint64_t value) MUST_CHECK;

/* Appends the warning behind the text that is in `b`, which is cleared. Nothing if `count` is 0. */
bool rename_warning(struct rename *r, struct profile *copy, enum warning_code code, uint64_t count,
                    struct buf *b) MUST_CHECK;

/* What a profile says whose frames were renamed. */
struct profile_mapped {
    const struct profile *before;
    const uint32_t *set; /* of each track of `before` */
    const struct rename_set *sets;
    const frame_id *list; /* see struct rename_set */
    bool single;          /* every frame became exactly one */
};

/* The profile as it was read, before frames were renamed. */
const struct profile *rename_original(const struct profile *p);

/* What a frame of the profile as it was read is called in this one, on that track: the innermost that it became; FRAME_NONE: it became
 * none. */
frame_id rename_became(const struct profile *p, uint32_t track, frame_id frame);
