/* Folded profiles kept in memory, the most recently used ones, up to a number of bytes. Saves reading an
 * upload again; nothing depends on it. Any thread. */
#ifndef SERVER_CACHE_H
#define SERVER_CACHE_H

#include "server/convert.h"

struct cache;

struct cache *cache_new(uint64_t limit_bytes); /* NULL: no memory */
void cache_free(struct cache *c);              /* NULL is fine */
/* A reference of the caller's own, or NULL. `source` is what record_source makes; under the empty text of its
 * failure nothing is kept. */
struct folded *cache_get(struct cache *c, const char *source);
/* Takes a reference of its own. One that is larger than the limit is not kept. */
void cache_put(struct cache *c, const char *source, struct folded *f);

#endif
