/* What is kept about an upload beside its bytes: one small JSON object, uploads/<id>.json, replaced as a whole when
 * its name or expiry changes. Deleting and expiring replaces nothing: a tombstone object beside it, gone/<id>, says gone (410) for 30
 * days. */
#ifndef SERVER_STORE_RECORD_H
#define SERVER_STORE_RECORD_H

#include "server/store/store.h"

enum {
    RECORD_ID_CHARS = 26, /* 128 random bits in lower-case base32, [a-z2-7] */
    RECORD_SHA256_CHARS = 64,
    RECORD_NAME_BYTES = 255,
    RECORD_MEMBER_BYTES = 512,
    RECORD_GONE_DAYS = 30
};

struct record {
    char id[RECORD_ID_CHARS + 1];
    /* What the client called the file. Written: any bytes. Read: cleaned (core/clean.h), still to be escaped.
     */
    char name[RECORD_NAME_BYTES + 1];
    char sha256[RECORD_SHA256_CHARS + 1]; /* of the bytes as uploaded */
    char member[RECORD_MEMBER_BYTES + 1]; /* of an archive, that was chosen, cleaned; or "" */
    char token_sha256[RECORD_SHA256_CHARS + 1];
    char format[32];              /* name of the input format: printable ASCII */
    uint64_t size;                /* bytes */
    int64_t created_s, expires_s; /* Unix time, from 1970 to 9999 */
    uint64_t warnings;            /* how many kinds */
};

/* True if it has the form of an id: the only client text that ever becomes part of a key. */
bool record_id_valid(struct str id);

/* A new id and delete token (both RECORD_ID_CHARS, from getrandom). False when the system has no randomness.
 */
bool record_new_secret(char out[RECORD_ID_CHARS + 1]) __attribute__((warn_unused_result));

/* What the client calls the upload, cleaned as record_read cleans it, so that no byte of it ends it early; what is too
 * long is cut. False: no memory. */
bool record_set_name(struct record *r, struct str name) __attribute__((warn_unused_result));

/* SHA-256 in lower-case hex. Empty text, which is no digest, if the library has no memory. */
void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1]);

/* Names the profile: the digest of the bytes, or, where a member was chosen, of that digest with the member.
 * Empty text as above. */
void record_source(const char *sha256, const char *member, char out[RECORD_SHA256_CHARS + 1]);

/* The bytes of an upload in the store, blobs/ab/<sha256>. */
enum { RECORD_BLOB_KEY_CHARS = sizeof("blobs/ab/") - 1 + RECORD_SHA256_CHARS };
void record_blob_key(const char *sha256, char key[RECORD_BLOB_KEY_CHARS + 1]);

/* Writes refs/<sha256>/<id>, then the record, both durable, then confirms: under the lock of the store it looks
 * whether blob and ref are still there. After STORE_OK the upload is acknowledged, and stays.
 *
 * Why it stays: who removes an unneeded blob or ref (below) looks and removes under the same lock. A removal
 * before the confirmation is seen by it; one after it sees the record, which keeps the ref, or the ref, which
 * keeps the blob. Neither clocks nor how long a thread sleeps between two steps come into it. That a removal
 * hits an upload in progress is unlikely besides, since a put makes an old blob young; it fails then, and may be
 * tried again.
 *
 * STORE_FAILED also for a record that record_read would call broken. After a failure neither is left, if the
 * store still takes deletes. */
enum store_result record_write(struct store *s, const struct record *r) __attribute__((warn_unused_result));

enum record_state {
    RECORD_FOUND,
    RECORD_NONE,  /* never was, or gone for more than RECORD_GONE_DAYS */
    RECORD_GONE,  /* deleted, or expired at now_s; with a record object still there *r is filled, so that it
                     can be  deleted: r->id is empty otherwise */
    RECORD_BROKEN /* there, but not readable as a record */
};
enum record_state record_read(struct store *s, struct str id, int64_t now_s, struct record *r);

enum record_match {
    RECORD_OTHER,
    RECORD_MATCHES,
    RECORD_NO_MEMORY /* to hash the token */
};
/* Constant-time comparison of the token's hash. */
enum record_match record_token_matches(const struct record *r, struct str token);

/* Replaces the stored record by this one, which may differ in name and expiry. STORE_NOT_FOUND: the upload is not
 * there, or was deleted meanwhile. Of two changes at once the later one stays.
 *
 * It needs no lock against a delete: that one leaves a tombstone first and removes the record then. If the
 * tombstone is there when this has replaced the record, this removes it; if it comes later, so does the removal. */
enum store_result record_change(struct store *s, const struct record *r, int64_t now_s)
    __attribute__((warn_unused_result));

/* Tombstone first, then the record, then the ref; the blob is the sweep's. What is gone already is success.
 * Deletes are not synced, the tombstone is: after a power cut record_read says RECORD_GONE with *r filled,
 * and a second delete finishes the work. */
enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s)
    __attribute__((warn_unused_result));

/* As record_delete, of an upload that has expired, or was half deleted; *expired says whether that was so. The
 * ref goes first: where a full disk has no room for a tombstone, the blob may go all the same, and the record
 * says itself that it is gone until a later call ends it. Whether it has expired is asked, and the ref removed,
 * under the lock of the store, under which record_change confirms that the ref is still there: a change comes in
 * time, or too late. */
enum store_result record_expire(struct store *s, struct str id, int64_t now_s, bool *expired)
    __attribute__((warn_unused_result));

/* Removes the tombstone of `id` if it is older than RECORD_GONE_DAYS and no record is left. */
enum store_result record_forget(struct store *s, struct str id, int64_t now_s, bool *forgotten)
    __attribute__((warn_unused_result));

/* ---- what nobody needs: of a crash between two steps, or the end of the last upload of some bytes ---- */

/* Removes the object refs/<sha256>/<id> if there is no record of the id, and the object blobs/ab/<sha256> if it
 * has no ref; only if it was last used before before_s. *removed says whether. Any other object is left alone.
 */
enum store_result record_remove_ref(struct store *s, const char *key, int64_t before_s, bool *removed)
    __attribute__((warn_unused_result));
enum store_result record_remove_blob(struct store *s, const char *key, int64_t before_s, bool *removed)
    __attribute__((warn_unused_result));

#endif
