/* Folded profiles kept in memory, the most recently used ones, up to a number of bytes. Saves reading an
 * upload again; nothing depends on it. Any thread. */
#ifndef SERVER_CONVERT_PROFILE_CACHE_H
#define SERVER_CONVERT_PROFILE_CACHE_H

#include "server/convert/convert.h"

struct profile_cache;

struct profile_cache *profile_cache_new(uint64_t limit_bytes); /* NULL: no memory */
void profile_cache_free(struct profile_cache *c);              /* NULL is fine */
/* A reference of the caller's own, or NULL. `source` is what record_source makes; under the empty text of its
 * failure nothing is kept. */
struct folded *profile_cache_get(struct profile_cache *c, const char *source);
/* Takes a reference of its own. One that is larger than the limit is not kept. */
void profile_cache_put(struct profile_cache *c, const char *source, struct folded *f);

#endif
