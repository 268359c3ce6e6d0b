/* The names of a profile from mapping.txt files: reads the files and applies them. */
#ifndef SERVER_CONVERT_MAP_NAMES_H
#define SERVER_CONVERT_MAP_NAMES_H

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "profile/profile.h"

/* More are no build's: an app and the parts that are delivered apart from it have one each. */
enum { MAP_NAMES_MAX = 16, MAP_NAMES_PACKAGE_BYTES = 255 };

struct map_names_files {
    int fds[MAP_NAMES_MAX];                                    /* regular files, read by pread */
    char packages[MAP_NAMES_MAX][MAP_NAMES_PACKAGE_BYTES + 1]; /* as struct mapping_use has it */
    uint32_t n;
};

/* The profile with the names that the files tell, in the arena; `p` itself without files. `seed` is for tables whose keys come from
 * outside; the work ends soon after `stop`, which may be NULL, was asked. NULL: diag, or the arena gives no more. */
const struct profile *map_names(const struct profile *p, const struct map_names_files *files,
                                struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                struct diag *diag) __attribute__((warn_unused_result));

#endif
