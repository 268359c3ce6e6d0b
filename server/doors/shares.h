/* What each may upload: so many at a time, so many a minute, so many bytes a day; and how much work that may be.
 * Each is a person who is known, or an address. What was not used comes back bit by bit: a whole share in a minute,
 * or in a day. Any thread.
 *
 * An upload is paid for when its bytes have come, whatever becomes of it: so one may go beyond the share, and the next
 * waits for longer. Work that is beyond the share is never refused: it is done when others have none (shares_behind). */
#pragma once

#include "core/buf.h"
#include "server/config/config.h"

struct shares;

/* Whom an upload is counted with; those beyond are forgotten, the least recent first. */
enum { SHARES_MAX = 4096, SHARES_NAME_BYTES = 120 };

/* Whether the configuration limits anything. */
bool shares_wanted(const struct config *config);

/* NULL: no memory. */
struct shares *shares_new(const struct config *config);
void shares_free(struct shares *s); /* NULL is fine */

/* What is left of a share, and when something comes back. */
struct share_left {
    uint64_t uploads, uploads_s; /* whole ones; seconds until there is one more */
    uint64_t bytes, bytes_s;     /* seconds until the share is whole again */
    uint64_t retry_s;            /* of a refusal: when to try again */
    const char *why;             /* of a refusal, as a sentence; else NULL */
};

/* Begins an upload. False: left->why, and nothing is counted. */
bool shares_begin(struct shares *s, struct str name, int64_t now_s, struct share_left *left) MUST_CHECK;
/* Bytes of one that was begun; the time of a processor that it has taken; and its end. */
void shares_pay(struct shares *s, struct str name, uint64_t bytes, int64_t now_s);
void shares_pay_work(struct shares *s, struct str name, uint64_t us, int64_t now_s);
void shares_end(struct shares *s, struct str name);
/* Whether the work for this one has to wait behind that for others. */
bool shares_behind(struct shares *s, struct str name, int64_t now_s);
void shares_look(struct shares *s, struct str name, int64_t now_s, struct share_left *left);

/* All that is not whole, as text, and back: so that a new start of the service does not give everybody a new share. What
 * cannot be understood of a text is passed over. */
void shares_put(struct shares *s, struct buf *b);
void shares_take(struct shares *s, struct str text);
