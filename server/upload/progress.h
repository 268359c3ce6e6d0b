/* What is known of uploads whose views are still being made: for status, event streams and long polls. An
 * upload appears here when it is durable, and goes when its last view is made; one that is not here is done,
 * or not there. Any thread. */
#ifndef SERVER_UPLOAD_PROGRESS_H
#define SERVER_UPLOAD_PROGRESS_H

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

/* Waits until more than `seen` views are made, the upload is done, or `until_s` (monotonic) has come: X_DONE
 * then. X_WAIT: suspended, ask again after the resume. */
enum exchange_step progress_wait(struct exchange *x, struct str id, uint32_t seen, int64_t until_s);

/* Text of the events after the first `*seen` of this upload, for text/event-stream; *seen is moved on.
 * X_WAIT: suspended, nothing written. X_DONE with *ended: that was the last event. */
enum exchange_step progress_events(struct exchange *x, struct str id, uint32_t *seen, struct buf *out,
                                   bool *ended);

/* When the exchange ends. */
void progress_abandon(struct exchange *x);

#endif
