/* Records that were read a moment ago. Looking at an upload's record and its tombstone takes two files, which is
 * more than all the rest of sending a view that is in memory. A record is given from memory within the second in
 * which it was read, of an object store within the next one, too, and only as long as the store has not changed: who is told that an upload is deleted finds it
 * deleted. While an object store does not answer, what was found within the last hour is given, and said to be stale. Any
 * thread. */
#pragma once

#include "server/store/record.h"

struct record_cache;

struct record_cache *record_cache_new(struct store *s); /* NULL: no memory, or no randomness for the table */
void record_cache_free(struct record_cache *c);         /* NULL is fine */

/* As record_cache_read, if that would not ask the store; else false. `id` is a valid one. */
bool record_cache_find(struct record_cache *c, struct str id, int64_t now_s, enum record_state *state,
                       struct record *r) MUST_CHECK;

/* Behind a network, whether what was found of this id is soon too old, and nobody asks the store for it yet: then the caller
 * has record_cache_renew called at once on another thread, so that who looks at an upload again and again never waits. */
bool record_cache_ages(struct record_cache *c, struct str id, int64_t now_s) MUST_CHECK;
/* Asks the store. `asks` is false where nobody will: there is no thread for it. */
void record_cache_renew(struct record_cache *c, struct str id, int64_t now_s, bool asks);

/* Before a change of the upload by this machine, or its end, is answered: it is read again, also where the store is away. */
void record_cache_forget(struct record_cache *c, struct str id);

/* As record_read. */
enum record_state record_cache_read(struct record_cache *c, struct str id, int64_t now_s, struct record *r);
