/* What is kept about an upload beside its bytes. An upload is three objects of the store, and a fourth
 * when it has ended:
 *
 *     blobs/ab/<sha256>       the bytes, once for all uploads of equal content
 *     refs/<sha256>/<id>      empty; says that the upload <id> needs that blob
 *     uploads/<id>.json       the record: a small JSON object
 *     uploads/<id>/<n>        the record as changes have made it, n from 2 on: the highest one counts
 *     gone/<id>               a tombstone: the upload was deleted or has expired; answered with 410 for RECORD_GONE_DAYS
 *
 * A mapping of the upload is a blob as well, and so are symbols, each with a ref of its own beside that of
 * the bytes.
 *
 * Blob, ref and record are written in this order, each durable before the next, and the upload is acknowledged
 * after the third. They are removed in the order tombstone, revisions, record, ref; the blob is the sweep's. So a
 * crash between two steps leaves objects that nobody needs, which the sweep removes, and never a record without its
 * bytes.
 *
 * A change reads the highest revision and puts the next one, which nobody else can put then: of two that meet the
 * later one finds it there, and begins again. So changes need no lock, and each is made of the one before it. The
 * revisions below go; the first one stays until the end. An upload expires by a revision, too, an empty one, so that a
 * change of its expiry either comes before that, or finds no upload any more.
 * A crash within a change of mapping or symbols may leave a ref of the ones that the record does not name: such a
 * ref, and its blob, are removed when the upload has ended. */
#ifndef SERVER_STORE_RECORD_H
#define SERVER_STORE_RECORD_H

#include "core/str.h"
#include "server/store/record_text.h"
#include "server/store/store.h"

struct record_cache;

enum { RECORD_GONE_DAYS = 30 };

/* The bytes of an upload in the store, blobs/ab/<sha256>. */
enum { RECORD_BLOB_KEY_CHARS = sizeof("blobs/ab/") - 1 + RECORD_SHA256_CHARS };

/* The folder of all views that are made from those bytes, views/ab/<sha256>/. */
enum { RECORD_VIEWS_PREFIX_CHARS = sizeof("views/ab//") - 1 + RECORD_SHA256_CHARS };

enum record_state {
    RECORD_FOUND,
    RECORD_NONE,  /* never was, or gone for more than RECORD_GONE_DAYS */
    RECORD_GONE,  /* deleted, or expired at now_s; with a record object still there *r is filled, so that it
                     can be  deleted: r->id is empty otherwise */
    RECORD_BROKEN /* there, but not readable as a record */
};

enum record_field { RECORD_NAME = 1, RECORD_EXPIRY = 2, RECORD_APP = 4, RECORD_READERS = 8 };

void record_blob_key(const char *sha256, char key[RECORD_BLOB_KEY_CHARS + 1]);
void record_views_prefix(const char *sha256, char prefix[RECORD_VIEWS_PREFIX_CHARS + 1]);

/* Writes the ref, then the record, both durable; then it confirms: under the lock of the store it looks
 * whether blob and ref are still there. The blob was put before. After STORE_OK the upload is
 * acknowledged, and stays.
 *
 * Why it stays: who removes an unneeded blob or ref (below) looks for who needs it and removes it under
 * the same lock. If that happens before the confirmation, the confirmation finds the object missing and
 * fails. If it happens after, it finds the record, which needs the ref, or the ref, which needs the blob,
 * and removes nothing. It does not matter what clocks say or how long a thread sleeps between two steps.
 * Besides, such a removal is unlikely to hit an upload in progress: a put makes an old blob young. If it
 * does, this fails, and the upload can be sent again.
 *
 * STORE_FAILED also for a record that record_read would call broken. After a failure neither ref nor
 * record is left, if the store still takes deletes. */
enum store_result record_write(struct store *s, const struct record *r) __attribute__((warn_unused_result));
enum record_state record_read(struct store *s, struct str id, int64_t now_s, struct record *r);

/* Puts these fields of *r, a sum of them, into the stored record; all else of that stays. STORE_NOT_FOUND:
 * the upload is not there, or was deleted meanwhile. Of two that meet both are kept, and of one field the later one.
 * One that took more than ten minutes fails.
 *
 * A delete puts the tombstone first and removes the revisions then. Either the tombstone is there when this has put
 * its revision, and this removes it again; or it is put later, and the delete finds the revision. */
enum store_result record_change(struct store *s, const struct record *r, unsigned fields, int64_t now_s)
    __attribute__((warn_unused_result));

/* Gives the upload another mapping or other symbols, "" is none, whose blob was put before, and *r what it
 * is now. The ref of the one before goes, and *before names it, if nothing else of the upload needs it; ""
 * else. STORE_NOT_FOUND as above. */
enum store_result record_change_names(struct store *s, struct record *r, enum record_names_file which,
                                      const char *sha256, int64_t now_s, char before[RECORD_SHA256_CHARS + 1])
    __attribute__((warn_unused_result));

/* Puts the tombstone, then removes the record, then the ref. What is gone already is success. The
 * tombstone is synced to the disk, the removals are not: if a power cut brings the record back,
 * record_read says RECORD_GONE with *r filled, and a second delete finishes the work. */
enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s)
    __attribute__((warn_unused_result));

/* Does what record_delete does, if the upload has expired at now_s or was deleted in part; *expired says
 * whether it was so. The tombstone is from gone_s: of a clock that is ahead of a believed time, too.
 *
 * On a full disk there may be no room for a revision and a tombstone. Then at least the blob can go, and the record
 * says by its own expiry that it is gone, until a later call ends it: but only an hour after the expiry, when no change
 * is under way any more that has seen the upload alive. */
enum store_result record_expire(struct store *s, struct str id, int64_t now_s, int64_t gone_s, bool *expired)
    __attribute__((warn_unused_result));

/* Removes the tombstone of `id` if it is older than RECORD_GONE_DAYS and no record is left. */
enum store_result record_forget(struct store *s, struct str id, int64_t now_s, bool *forgotten)
    __attribute__((warn_unused_result));

/* Removes the object refs/<sha256>/<id> if there is no record of the id, or the object blobs/ab/<sha256>
 * if it has no ref; but only if it was last used before before_s. *removed says whether it did. Any other
 * object is left alone. */
enum store_result record_remove_ref(struct store *s, const char *key, int64_t before_s, bool *removed)
    __attribute__((warn_unused_result));
enum store_result record_remove_blob(struct store *s, const char *key, int64_t before_s, bool *removed)
    __attribute__((warn_unused_result));

/* Whether an upload, or one that is just being kept, needs these bytes. */
enum store_result record_content_needed(struct store *s, const char *sha256, bool *needed)
    __attribute__((warn_unused_result));

/* After a call of the store that failed, with errno as it left it. `what` could not be done to the upload: "stored",
 * "changed", "deleted". */
void store_access_failed(const struct log *log, enum store_result result, const char *what,
                         struct diag *diag);

/* The bytes of an upload: an open read-only descriptor, the caller's to close, and how many there are. -1: diag. */
int store_access_blob(struct store *store, const struct log *log, const char *sha256, uint64_t *bytes,
                      struct diag *diag) __attribute__((warn_unused_result));

/* Records that were read a moment ago. Looking at an upload's record and its tombstone takes two files, which is
 * more than all the rest of sending a view that is in memory. A record is given from memory within the second in
 * which it was read, and only as long as the store has not changed: who is told that an upload is deleted finds it
 * deleted. Any thread. */

struct record_cache *record_cache_new(struct store *s); /* NULL: no memory, or no randomness for the table */
void record_cache_free(struct record_cache *c);         /* NULL is fine */

/* As record_read. */
enum record_state record_cache_read(struct record_cache *c, struct str id, int64_t now_s, struct record *r);

#endif
