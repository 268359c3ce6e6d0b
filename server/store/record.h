/* What is kept about an upload beside its bytes. An upload is three objects of the store, and a fourth
 * when it has ended:
 *
 *     blobs/ab/<sha256>       the bytes, once for all uploads of equal content
 *     refs/<sha256>/<id>      empty; says that the upload <id> needs that blob
 *     uploads/<id>.json       the record: a small JSON object, replaced as a whole when name or expiry change
 *     gone/<id>               a tombstone: the upload was deleted or has expired; answered with 410 for RECORD_GONE_DAYS
 *
 * A mapping of the upload is a blob as well, and so are symbols, each with a ref of its own beside that of
 * the bytes.
 *
 * They are written in this order, each durable before the next, and the upload is acknowledged after the
 * third. They are removed in the order tombstone, record, ref; the blob is the sweep's. So a crash between
 * two steps leaves objects that nobody needs, which the sweep removes, and never a record without its
 * bytes. A crash within a change of mapping or symbols may leave a ref of the ones that the record does not name: such a
 * ref, and its blob, are removed when the upload has ended. */
#ifndef SERVER_STORE_RECORD_H
#define SERVER_STORE_RECORD_H

#include "core/str.h"
#include "server/store/store.h"

struct record_cache;

enum {
    RECORD_ID_CHARS = 26, /* 128 random bits in lower-case base32, [a-z2-7] */
    RECORD_SHA256_BYTES = 32,
    RECORD_SHA256_CHARS = 2 * RECORD_SHA256_BYTES,
    RECORD_MEMBER_BYTES = 512
};

/* True if it has the form of an id: the only client text that ever becomes part of a key. */
bool record_id_valid(struct str id);

/* A new id, or a new delete token: random bits from the system. False if it gives none. */
bool record_new_secret(char out[RECORD_ID_CHARS + 1]) __attribute__((warn_unused_result));

/* 64 digits of lower-case hex. */
bool record_sha256_valid(struct str hex);

/* SHA-256. False: the library has no memory. */
bool record_sha256(const void *p, size_t n, uint8_t digest[RECORD_SHA256_BYTES])
    __attribute__((warn_unused_result));
/* A digest in lower-case hex. */
void record_hex(const uint8_t digest[RECORD_SHA256_BYTES], char out[RECORD_SHA256_CHARS + 1]);
/* SHA-256 in lower-case hex. Empty text, which is no digest, if the library has no memory. */
void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1]);

/* Files that came beside the bytes of an upload and tell its names: each is a blob of its own, by its
 * digest; "" is none. */
enum record_names_file { RECORD_MAPPING, RECORD_SYMBOLS, RECORD_NAMES_FILES };

struct record_names {
    char of[RECORD_NAMES_FILES][RECORD_SHA256_CHARS + 1];
};

/* "mapping", "symbols": as in records, forms and URLs. */
extern const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES];

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

enum record_match {
    RECORD_OTHER,
    RECORD_MATCHES,
    RECORD_NO_MEMORY /* to hash the token */
};

enum record_field { RECORD_NAME = 1, RECORD_EXPIRY = 2, RECORD_APP = 4, RECORD_READERS = 8 };

/* A record, and the text of its object, uploads/<id>.json. What is read may have been written by an older
 * version, a failing disk, or an operator: all of it is checked, and taken as it is or not at all. Knows
 * no store. Any thread. */

enum { RECORD_NAME_BYTES = 255, RECORD_APP_BYTES = 200, RECORD_OWNER_BYTES = 100 };

struct record {
    char id[RECORD_ID_CHARS + 1];
    /* What the client called the file. Written: any bytes. Read: cleaned (core/clean.h), still to be escaped.
     */
    char name[RECORD_NAME_BYTES + 1];
    char sha256[RECORD_SHA256_CHARS + 1]; /* of the bytes as uploaded */
    char member[RECORD_MEMBER_BYTES + 1]; /* of an archive, that was chosen, cleaned; or "" */
    char app[RECORD_APP_BYTES + 1];       /* packages that the owner said are the app's own, cleaned; or "" */
    struct record_names names;            /* files that tell its names */
    char owner[RECORD_OWNER_BYTES + 1];   /* who uploaded it (server/doors/who.h), cleaned; "": not known */
    bool team;                            /* readers "team": only who is known may read it */
    char token_sha256[RECORD_SHA256_CHARS +
                      1];         /* of the delete token; "" only with an owner, who needs none */
    char format[32];              /* name of the input format: printable ASCII */
    uint64_t size;                /* bytes */
    int64_t created_s, expires_s; /* Unix time, from 1970 to 9999 */
    uint64_t warnings;            /* how many kinds */
};
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

/* Constant-time comparison of the token's hash. */
enum record_match record_token_matches(const struct record *r, struct str token);

/* Puts these fields of *r, a sum of them, into the stored record; all else of that stays. STORE_NOT_FOUND:
 * the upload is not there, or was deleted meanwhile. Changes are made one after the other: of two that
 * meet both are kept, and of one field the later one.
 *
 * It needs no lock against a delete, which puts the tombstone first and removes the record then. Either
 * the tombstone is there when this has replaced the record, and this removes the record again; or it is
 * put later, and the delete removes the record after that. */
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
 * Here the ref goes first. On a full disk there may be no room for a tombstone; then at least the blob can
 * go, and the record says by its own expiry that it is gone, until a later call ends it. The look at the
 * expiry and the removal of the ref happen under the lock of the store, under which record_change confirms
 * that the ref is still there: so a change of the expiry either comes in time or fails. */
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

/* What the client calls the upload, cleaned as record_read cleans it, so that no byte of it ends it early;
 * what is too long is cut. False: no memory. */
bool record_set_name(struct record *r, struct str name) __attribute__((warn_unused_result));

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
