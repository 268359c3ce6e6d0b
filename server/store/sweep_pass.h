/* What one sweep does: it removes from the store what nobody needs any more. Knows records, refs, blobs and
 * views, and no threads: see sweep.h for when it runs.
 *
 * In this order, so that one sweep takes an expired upload's bytes along:
 *     records    expired ones, and deleted ones of which a power cut brought parts back, become tombstones;
 *                those whose blob is missing are logged
 *     tombstones are forgotten after RECORD_GONE_DAYS
 *     refs       without a record, and not used for a day (for minutes when the disk is full)
 *     blobs      without a ref, likewise
 *     views      not used for SWEEP_VIEW_DAYS: also what was drawn from bytes that are gone; and the least
 *                recently used ones above the limit, down to nine tenths of it
 *
 * Each step can be cut off by kill -9 between any two calls: what is half done is done by the next sweep. That
 * no upload in progress loses its blob or its ref is record.h's care. Memory is the same for ten views and for
 * ten million: they are counted by age in classes of ten minutes; a second walk, only when there is too much,
 * removes the oldest classes. */
#ifndef SERVER_STORE_SWEEP_PASS_H
#define SERVER_STORE_SWEEP_PASS_H

#include "core/system/log.h"
#include "server/store/store.h"

enum { SWEEP_VIEW_DAYS = 30 };

struct sweep_plan {
    int64_t now_s;            /* Unix time */
    uint64_t view_bytes_most; /* limit of the views, in bytes of whole blocks on the disk */
    bool full;                /* the disk is: at least half of the views go */
    bool views_only;          /* nothing else is swept */
    /* Asked before every object; it may sleep. False ends the sweep. */
    bool (*go_on)(void *context);
    void *context;
};

/* What was done: numbers of objects, and bytes. */
struct sweep_done {
    uint64_t expired, forgotten, refs;
    uint64_t blobs, blob_bytes;
    uint64_t views, view_bytes;
    uint64_t kept_bytes; /* of the views that stayed; only as far as it was counted, if the sweep was ended */
    uint64_t broken;     /* records that are not readable or have no blob */
    uint64_t failed;     /* what the store refused: logged, and tried again by the next sweep */
};

/* `log` may be NULL. */
struct sweep_done sweep_pass(struct store *s, const struct log *log, const struct sweep_plan *plan);

/* How many bytes of whole blocks an object of this size takes on the disk. */
uint64_t sweep_on_disk(uint64_t bytes);

#endif
