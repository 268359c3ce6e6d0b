/* What is kept of uploads, and the protocol by which an acknowledged upload survives a crash at any point, without a
 * lock across two calls of the store:
 *
 *     bytes/<id>                        the bytes of the upload, its own
 *     uploads/<id>.json                 the record: a small JSON object
 *     uploads/<id>/<n>                  the record as changes have made it, n from 2 on: the highest one counts
 *     gone/<id>                         a tombstone: the upload was deleted or has expired; answered with 410 for
 *                                       RECORD_GONE_DAYS
 *     names/<period>/<sha256>           a mapping, or symbols, which many uploads may need
 *     names/<period>/<sha256>.for/<id>  empty; says that the upload <id> may need that file
 *     views/ab/<sha256>/..              views of such bytes, which can be drawn again at any time
 *     spaces/<space>/..                 what the list of a space says of the upload (record_entry.h)
 *     shown/<id>/..                     views of it that machines share (views/shared_views.h), in a bucket alone
 *
 * An upload is put in this order, each object durable before the next: its files of names and its bytes, in any order, the
 * .for of each file, the record. Behind that it is acknowledged. Its bytes may be put before it is known whether they can be
 * read: those of one that is refused go at once. It ends in the order tombstone, views, bytes, revisions, record; its shared views go
 * once more with the tombstone. So
 * a crash between two steps leaves objects that nobody needs, and never a record without its bytes. What is left, a
 * sweep finds: bytes of a tombstone, and bytes without a record that were put a day ago. An upload that takes more
 * than half a day from its first object to its record fails.
 *
 * A change reads the highest revision and puts the next one, which nobody else can put then: of two that meet the
 * later one finds it there, and begins again. So each change is made of the one before it. The
 * revisions below the last eight go; the first one stays until the end. An upload expires by a revision, too, an empty one, so that a change of its expiry
 * either comes before that, or finds no upload any more.
 *
 * Files of names are shared, and nothing that is shared is removed while somebody may be about to use it: a period is
 * RECORD_PERIOD_S of the clock, and who needs a file uses that of the present period, or puts it there. A sweep removes
 * files without a .for, and each .for that its record does not need, only in periods before the last one. So a mapping
 * stays for up to two periods behind the end of its last upload. Clocks may be hours apart for that. */
#pragma once

#include "core/str.h"
#include "server/store/record_keys.h"
#include "server/store/record_text.h"
#include "server/store/store.h"

enum { RECORD_GONE_DAYS = 30 };

enum record_state {
    RECORD_FOUND,
    RECORD_NONE,  /* never was, or gone for more than RECORD_GONE_DAYS */
    RECORD_GONE,  /* deleted, or expired at now_s; with a record object still there *r is filled, so that it
                     can be  deleted: r->id is empty otherwise */
    RECORD_AWAY,  /* The object store does not answer: nothing is known. */
    RECORD_STALE, /* Only of record_cache_read: it does not answer, and *r is what was found lately. */
    RECORD_BROKEN /* there, but not readable as a record */
};

enum record_field {
    RECORD_NAME = 1,
    RECORD_EXPIRY = 2,
    RECORD_APP = 4,
    RECORD_READERS = 8,
    RECORD_SPACE = 16 /* space, labels and mark */
};

/* Puts the .for of each file of names, then the record; the bytes and those files were put before, the first of them
 * at the Unix time begun_s. After STORE_OK the upload is acknowledged, and stays. STORE_FAILED also for a record that
 * record_read would call broken. After a failure no record is left, if the store still takes deletes; it may be tried
 * again, or is discarded. */
enum store_result record_write(struct store *s, const struct record *r, int64_t begun_s) MUST_CHECK;

/* Removes the bytes of an upload whose record could not be written. */
enum store_result record_discard(struct store *s, const char *id);

/* How many bytes of the store go with the upload: those of the members of one archive go with the last of them. */
uint64_t record_bytes_alone(struct store *s, const char *id);

enum record_state record_read(struct store *s, struct str id, int64_t now_s, struct record *r);

/* Puts these fields of *r, a sum of them, into the stored record; all else of that stays. STORE_NOT_FOUND:
 * the upload is not there, or was deleted meanwhile. STORE_WAITS: it is not in the object store yet (store_waits). Of two that meet both are kept, and of one field the later one.
 * One that took more than ten minutes fails.
 *
 * A delete puts the tombstone first and removes the revisions then. Either the tombstone is there when this has put
 * its revision, and this removes it again; or it is put later, and the delete finds the revision. */
enum store_result record_change(struct store *s, const struct record *r, unsigned fields,
                                int64_t now_s) MUST_CHECK;
/* The same; *before is the record that was changed, and *r all of what it became. */
enum store_result record_change_told(struct store *s, struct record *r, unsigned fields, int64_t now_s,
                                     struct record *before) MUST_CHECK;

/* Gives the upload the mapping or the symbols that *r names, "" is none, and *r what it is now. The file was put
 * before, at the Unix time begun_s. STORE_NOT_FOUND as above. */
enum store_result record_change_names(struct store *s, struct record *r, enum record_names_file which,
                                      int64_t begun_s, int64_t now_s) MUST_CHECK;

/* Puts the tombstone, then removes the entry in a space, views, bytes and record. What is gone already is success. The tombstone is synced
 * to the disk, the removals are not: if a power cut brings the record back, record_read says RECORD_GONE with *r
 * filled, and a second delete finishes the work. */
enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s) MUST_CHECK;

/* Whether there is a tombstone. Who puts a view looks behind the put, and removes it again if there is one: either
 * that finds the tombstone, or the delete finds the view. */
bool record_is_gone(struct store *s, const char *id);

/* Does what record_delete does, if the upload has expired at now_s or was deleted in part; *expired says
 * whether it was so. The tombstone is from gone_s: of a clock that is ahead of a believed time, too.
 *
 * On a full disk there may be no room for a revision and a tombstone. Then at least the bytes can go, and the record
 * says by its own expiry that it is gone, until a later call ends it: but only an hour after the expiry, when no change
 * is under way any more that has seen the upload alive. */
enum store_result record_expire(struct store *s, struct str id, int64_t now_s, int64_t gone_s,
                                bool *expired) MUST_CHECK;

/* Removes the tombstone of `id` if it is older than RECORD_GONE_DAYS and no record is left. */
enum store_result record_forget(struct store *s, struct str id, int64_t now_s, bool *forgotten) MUST_CHECK;

/* Removes bytes without a record, if there is a tombstone or they were put before before_s; *removed says whether it
 * did. Any other object is left alone. */
enum store_result record_remove_bytes(struct store *s, const struct store_object *object, int64_t before_s,
                                      bool *removed) MUST_CHECK;

/* Removes a .for whose upload does not need the file, or a file of names without a .for, in periods before the last
 * one. Any other object is left alone. */
enum store_result record_remove_names(struct store *s, const char *key, int64_t now_s,
                                      bool *removed) MUST_CHECK;

/* Removes an entry that does not count any more. Any other object is left alone. */
enum store_result record_remove_entry(struct store *s, const char *key, int64_t now_s,
                                      bool *removed) MUST_CHECK;

/* The record as it is, whether it has expired or was deleted: never RECORD_GONE. */
enum record_state record_load(struct store *s, struct str id, struct record *r);

/* After a call of the store that failed, with errno as it left it. `what` could not be done to the upload: "stored",
 * "changed", "deleted". */
void store_access_failed(const struct log *log, enum store_result result, const char *what,
                         struct diag *diag);

/* The bytes of an upload are not those that came. */
void record_say_damaged(struct diag *diag);

/* The bytes of an upload, with their digest in hex, or a file of its names: an open read-only descriptor, the caller's to close, and how many
 * there are. -1: diag. */
int store_access_bytes(struct store *store, const struct log *log, const char *id, const char *sha256,
                       uint64_t *bytes, struct diag *diag) MUST_CHECK;
int store_access_names(struct store *store, const struct log *log, const struct record_names *names,
                       enum record_names_file which, uint64_t *bytes, struct diag *diag) MUST_CHECK;
