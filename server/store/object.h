/* What the store and the directory of this machine (local.h) have in common: keys, results, and what is told of an
 * object. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/str.h"

enum { STORE_KEY_BYTES = 200 }; /* with the terminating NUL */

enum store_result {
    STORE_OK,
    STORE_EXISTS, /* of a put: the key is there already */
    STORE_NOT_FOUND,
    STORE_FULL,        /* no space or quota left, or the file may not grow */
    STORE_DENIED,      /* the object store refuses its keys, bucket or address: to try again does not help */
    STORE_UNAVAILABLE, /* the object store does not answer; of a put, the object may be there all the same */
    STORE_WAITS,       /* of a change: the upload is on this machine alone until the object store has it */
    STORE_CORRUPT,     /* the object has other bytes than were put */
    STORE_FAILED       /* errno says why; of a durable put, the object may be there all the same */
};

/* In words, for the log; of STORE_FAILED what errno says. */
const char *store_reason(enum store_result result);

/* From one to three folders and a name, each part of [a-z0-9._-] and not beginning with a dot; "tmp/" is for objects
 * on their way in. Every other key makes a call return STORE_FAILED with errno EINVAL. */
bool store_key_valid(const char *key);

/* Whether the path has from `least` to `most` such parts. */
bool store_path_valid(struct str path, size_t least, size_t most);

struct store_object {
    const char *key;
    uint64_t bytes;
    uint64_t shares; /* how many objects have these bytes together on this disk, at least 1 */
    /* Unix time when it was put, by the clock of the store; of an evictable file of this machine, when it was used
     * last, to the hour. 0: the store does not say. */
    int64_t time_s;
};
