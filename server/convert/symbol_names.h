/* The names of a profile's nameless frames from files of symbols: has them read, and applies what they say. */
#ifndef SERVER_CONVERT_SYMBOL_NAMES_H
#define SERVER_CONVERT_SYMBOL_NAMES_H

#include "core/arena.h"
#include "core/hash.h"
#include "profile/profile.h"
#include "server/symbols/symbol_search.h"

enum { SYMBOL_NAMES_SECONDS = 60 /* of processor time, for one child */ };

/* The profile with the names that the files tell, in the arena; `p` itself without sources. As map_names (map_names.h). */
const struct profile *symbol_names(const struct profile *p, const struct symbol_sources *sources,
                                   struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                   struct diag *diag) __attribute__((warn_unused_result));

#endif
