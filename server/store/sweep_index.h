/* What a sweep remembers of the uploads: so that the next one reads only the records that have changed. A record is a new
 * object with each change, so its number tells whether it is the same.
 *
 * Takes about a hundred bytes for each upload. Of one thread. */
#ifndef SERVER_STORE_SWEEP_INDEX_H
#define SERVER_STORE_SWEEP_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "core/str.h"
#include "server/store/record.h"

struct sweep_index;

struct swept_upload {
    char id[RECORD_ID_CHARS + 1];
    bool has_first, has_bytes; /* its first revision, and its bytes, were listed by this sweep */
    uint32_t revision;         /* the highest that was listed by this sweep */
    uint32_t read;             /* the revision that what follows is from; 0: it was never read */
    int64_t expires_s;
    uint64_t content;  /* sweep_index_content of its bytes */
    int64_t checked_s; /* when what says that it needs files, and what lists it, was looked at last */
};

struct sweep_index *sweep_index_new(void);    /* NULL: no memory, or no randomness */
void sweep_index_free(struct sweep_index *x); /* NULL is fine */

/* A sweep begins: no upload was listed yet, and those of the last one are remembered. */
void sweep_index_begin(struct sweep_index *x);
/* A revision of this upload was listed. */
void sweep_index_note(struct sweep_index *x, const char *id, uint32_t revision);
/* Those that were listed by the sweep under way, or by the last one behind its end. */
size_t sweep_index_count(const struct sweep_index *x);
struct swept_upload *sweep_index_at(struct sweep_index *x, size_t i);
/* NULL: it was not listed. */
struct swept_upload *sweep_index_find(struct sweep_index *x, const char *id);
/* The sweep ends. Unless it has seen the `whole` store, the next one remembers what this one did at its beginning. */
void sweep_index_end(struct sweep_index *x, bool whole);
/* Whether the last sweep has seen the whole store, and found memory for all of it. */
bool sweep_index_is_whole(const struct sweep_index *x);

/* For maps of such numbers. */
struct hash_seed sweep_index_seed(const struct sweep_index *x);
/* A number for a digest, or another text: of two texts it differs. */
uint64_t sweep_index_content(const struct sweep_index *x, struct str text);

#endif
