/* What one sweep does: it removes from the store what nobody needs any more. Knows records, bytes, names and
 * views, and no threads: see sweep.h for when it runs.
 *
 * In this order:
 *     records    expired ones, and deleted ones of which a crash or a power cut left something, become tombstones, and
 *                their bytes and views go; those whose bytes are missing are logged
 *     tombstones are forgotten after RECORD_GONE_DAYS
 *     bytes      without a record go, if they have a tombstone or were put long ago (unneeded_before_s)
 *     names      files of earlier periods that no upload needs
 *     views      of bytes that no record has, and not used lately (unneeded_before_s); not used for
 *                SWEEP_VIEW_DAYS; and the least recently used ones above the limit, down to nine tenths of it
 *
 * It holds no lock, and record.h says why that does no harm to uploads, changes and other sweeps. It can be cut off
 * by kill -9 between any two calls: what is half done is done by the next sweep. Memory grows by a few bytes for each
 * upload, and is the same for ten views and for ten million: they are counted by age in classes of ten minutes; a
 * second walk, only when there is too much, removes the oldest classes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/log.h"
#include "server/store/store.h"

/* ---- the index ----
 *
 * What a sweep remembers of the uploads: so that the next one reads only the records that have changed. A record is a new
 * object with each change, so its number tells whether it is the same.
 *
 * Takes about a hundred bytes for each upload. Of one thread. */

struct sweep_index;

struct sweep_index *sweep_index_new(void);    /* NULL: no memory, or no randomness */
void sweep_index_free(struct sweep_index *x); /* NULL is fine */

/* Those that were listed by the sweep under way, or by the last one behind its end. */
size_t sweep_index_count(const struct sweep_index *x);
/* Whether the last sweep has seen the whole store, and found memory for all of it. */
bool sweep_index_is_whole(const struct sweep_index *x);

enum { SWEEP_VIEW_DAYS = 30 };

enum sweep_what {
    SWEEP_ALL,
    SWEEP_UPLOADS, /* those that have expired become tombstones; nothing else */
    SWEEP_VIEWS
};

struct kept;

struct sweep_plan {
    enum sweep_what what;
    int64_t now_s;             /* Unix time, by which uploads expire and views are old */
    int64_t clock_s;           /* the same by the clock that times of use are taken from: see sweep.h */
    int64_t unneeded_before_s; /* what nobody needs is removed if it was last used before this time */
    uint64_t view_bytes_most;  /* limit of the views, in bytes of whole blocks on the disk */
    bool full;                 /* the disk is: at least half of the views go */
    /* Asked before every object; it may sleep. False ends the sweep. */
    bool (*go_on)(void *context);
    /* A record that the index has with the same number is not read again: it saves requests, where they cost. Else each sweep
     * finds what is damaged. */
    bool believes_index;
    struct kept *kept; /* counted anew by SWEEP_ALL; may be NULL */
    void *context;
};

/* What was done: numbers of objects, and bytes, each as sweep_on_disk has it. */
struct sweep_done {
    uint64_t expired, forgotten,
        refs; /* refs: what said that an upload needs a file of names, or listed it in a space */
    uint64_t blobs, blob_bytes; /* bytes of uploads, and files of names */
    uint64_t upload_bytes;      /* of uploads and names that stayed, with `counted` */
    bool counted;               /* All uploads and names were listed. */
    uint64_t views, view_bytes;
    uint64_t kept_bytes; /* of the views that stayed; only as far as it was counted, if the sweep was ended */
    int64_t next_expires_s; /* when the first of the uploads that stayed expires; INT64_MAX: none was seen */
    bool cut_off;           /* go_on has ended it: not all was seen */
    uint64_t broken;        /* records that are not readable or have no bytes */
    uint64_t failed;        /* what the store refused: logged, and tried again by the next sweep */
};

/* `index` has what earlier sweeps of this store have seen: a record is read once, unless it changes. `log` may be NULL. */
struct sweep_done sweep_pass(struct store *s, struct sweep_index *index, const struct log *log,
                             const struct sweep_plan *plan);

/* How many bytes of whole blocks an object of this size takes on the disk. */
uint64_t sweep_on_disk(uint64_t bytes);
