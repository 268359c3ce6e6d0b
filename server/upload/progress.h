/* What is known of uploads whose views are still being made: for status, event streams and long polls. An
 * upload appears here when it is durable, and goes when its last view is made; one that is not here is done,
 * or not there. Any thread. */
#pragma once

#include "server/http/exchange.h"
#include "server/store/record.h"

struct progresses;
struct progress;

struct progresses *progresses_new(void); /* NULL: no memory */
void progresses_free(struct progresses *all);
/* Wakes the watchers whose time is over. Called once a second. */
void progresses_tick(struct progresses *all);

/* ---- the job's side ---- */

struct progress_facts {
    char id[RECORD_ID_CHARS + 1];
    uint64_t bytes, records;
    char format[64];  /* for people */
    uint32_t n_views; /* that will be made */
    bool queued; /* It is read behind other files of its archive, or at once when somebody asks for it. */
};
/* NULL: no memory; then nobody can watch. facts->id is not looked at: nobody finds the upload before
 * progress_publish. */
struct progress *progress_begin(struct progresses *all, const struct progress_facts *facts);
void progress_publish(struct progress *p, const char *id);
/* One more view is made. Each of these takes NULL. */
void progress_view(struct progress *p, uint32_t track);
void progress_end(struct progress *p);

/* ---- the watcher's side ---- */

/* True if the upload is still being worked on: facts, and how many views are made. */
bool progress_look(struct progresses *all, struct str id, struct progress_facts *facts, uint32_t *n_made);

/* One request that watches an upload for more than `seen` views until `until_s` (monotonic); it lives as long as the
 * request (exchange_state). NULL: no memory. */
struct progress_watch;
struct progress_watch *progress_watch(struct exchange *x, struct str id, uint32_t seen,
                                      int64_t until_s) MUST_CHECK;

/* True: there is no news yet, and the exchange waits; the handler goes on with exchange_then, and asks again. False: more
 * views are made, the upload is done, or the time has come. */
bool progress_waits(struct progress_watch *w) MUST_CHECK;

/* The stream of a reply (reply_stream): text/event-stream of all that is known, then of what comes, until
 * the upload is done. The context is the watch. */
bool progress_events(void *watch, struct buf *out, bool *ended);
