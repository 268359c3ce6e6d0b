/* Bytes of stored objects that are asked for again and again, kept in memory by key: the most recently used
 * ones, up to a number of bytes. Only what is asked for twice within a while belongs here, so that a walk through
 * many views does not drive out the few that all look at. Nothing depends on it. Any thread. */
#ifndef SERVER_VIEWS_VIEW_CACHE_H
#define SERVER_VIEWS_VIEW_CACHE_H

#include "server/http/reply.h"

struct view_cache;

struct view_cache *view_cache_new(uint64_t limit_bytes); /* NULL: no memory, or no randomness for the table */
void view_cache_free(struct view_cache *h);              /* NULL is fine */

enum { VIEW_CACHE_USE_MS = 3600 * 1000 };

/* A reference of the caller's own, or NULL. *tell_store: the store does not know yet that the object is still used, and should
 * be told, or it may take it for the least recently used one. That is so once in VIEW_CACHE_USE_MS. */
struct shared_bytes *view_cache_get(struct view_cache *h, struct str key, int64_t now_ms, bool *tell_store)
    __attribute__((warn_unused_result));

/* After a miss: whether to put the object, which has so many bytes. It is if this was asked about it before, not
 * too long ago, and if it would not drive out most of the others. */
bool view_cache_worth(struct view_cache *h, struct str key, uint64_t bytes);

/* Takes a reference of its own, and copies the key. What is there already stays; what is too large is not
 * kept. */
void view_cache_put(struct view_cache *h, struct str key, struct shared_bytes *bytes, int64_t now_ms);

#endif
