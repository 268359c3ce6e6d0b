/* Objects of a bucket of an S3-compatible object store: get, put, look, delete, list. Requests are signed by libcurl (AWS
 * signature version 4), which is loaded when the first bucket is opened: no other command pays for it.
 *
 * A request that may be sent again is sent again, to the next endpoint if there are several, a few times and with random
 * pauses; how often all requests together may be sent again is bounded, so that a store in trouble is not asked ever
 * more. What is not known is never told as "not found".
 *
 * Keys are [a-z0-9/._-], as those of the store (server/store/store.h). Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/stop.h"
#include "core/str.h"

struct s3;

enum s3_result {
    S3_OK,
    S3_EXISTS,      /* of a put: the key is there */
    S3_NOT_FOUND,   /* the store says that it has no such object */
    S3_FULL,        /* a quota is used up */
    S3_DENIED,      /* keys, bucket or address are wrong: to try again does not help */
    S3_UNAVAILABLE, /* it cannot be reached, or is in trouble; what a put did is not known */
    S3_CORRUPT,     /* other bytes arrived than were sent */
    S3_ENDED        /* of a get or a list: who takes wanted no more */
};

struct s3_settings {
    /* http(s)://HOST[:PORT], several with commas; "{bucket}" in it stands for the bucket, which is else the first part of
     * the path. */
    const char *endpoints;
    const char *region;
    /* The access key and the secret, a line each, and a session token, if there is one. NULL or empty: the usual
     * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the environment. */
    const char *keys_file;
    /* An attempt to send or fetch a file has failed when it was slower than 64 KiB a second for so long; 0: 20.
     * What is small may take a quarter of it, or five seconds if that is more. */
    unsigned stalled_s;
    /* Of a large file, which is sent in parts; 0: 16 MiB. Object stores want at least 5 MiB. */
    uint64_t part_bytes;
    const struct stop *stop; /* ends what sends or fetches a file; NULL: nothing does */
};

/* Whether that is the name of a bucket and not of a directory: it begins with "s3://". */
bool s3_is_named(const char *name);

/* `name` is "s3://BUCKET" or "s3://BUCKET/PREFIX"; the prefix is up to three folders as in keys, and stands before every
 * key. Asks nothing yet. Copies the settings. NULL: diag. */
struct s3 *s3_open(const char *name, const struct s3_settings *settings, struct diag *diag) MUST_CHECK;
void s3_close(struct s3 *s); /* when no request is under way; NULL is fine */

/* Whether the stop of its settings was asked for: what was not answered since then says nothing of the object store. */
bool s3_is_stopped(const struct s3 *s);

/* All results but S3_OK, S3_EXISTS, S3_NOT_FOUND and S3_ENDED set diag. */

/* Calls take(context, bytes, n) for the bytes of the object in order, once each, until it returns false. Whether they are
 * the right ones is the caller's to check: what it has taken is worth nothing before S3_OK. */
enum s3_result s3_get(struct s3 *s, const char *key, bool (*take)(void *context, const char *p, size_t n),
                      void *context, struct diag *diag) MUST_CHECK;

/* The same for a small object, which comes soon or not at all. */
enum s3_result s3_get_small(struct s3 *s, const char *key,
                            bool (*take)(void *context, const char *p, size_t n), void *context,
                            struct diag *diag) MUST_CHECK;

/* A file that is put while it grows: what was sent of it in parts. Nobody sees anything before s3_put. */
struct s3_parts;
uint64_t s3_part_bytes(const struct s3 *s);

/* Sends the whole parts that there are in the first `bytes` bytes of the file and were not sent yet. *parts is NULL before
 * the first call; what is there behind any call, also one that failed, goes into s3_put or is dropped. */
enum s3_result s3_put_parts(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                            struct diag *diag) MUST_CHECK;

/* Takes the parts away. *parts, which was not NULL, is NULL then, whatever became of it. */
enum s3_result s3_drop_parts(struct s3 *s, struct s3_parts **parts, struct diag *diag) MUST_CHECK;
/* The same without asking the store: a rule of the bucket ends them. *parts may be NULL. */
void s3_forget_parts(struct s3_parts **parts);

/* The first `bytes` bytes of the file, whose digest (in hex) the store checks; only if the key is not there. What was sent
 * in *parts is not sent again, and each part has a digest of its own; `parts` may be NULL. *parts is NULL behind S3_OK; else
 * the call may be tried again. Of two who put a file in
 * parts at the same time both may succeed (with Ceph 16, not with Amazon S3): they have to put the same bytes. */
enum s3_result s3_put(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                      const char *sha256, struct diag *diag) MUST_CHECK;

/* The same with bytes in memory. */
enum s3_result s3_put_text(struct s3 *s, const char *key, struct str text, struct diag *diag) MUST_CHECK;

/* What the store tells of an object. */
struct s3_object {
    const char *key;
    uint64_t bytes;
    int64_t time_s; /* Unix time when it was put, by the store's clock; 0: it does not say */
};

/* Whether the object is there. Fills *o, which borrows the key. */
enum s3_result s3_look(struct s3 *s, const char *key, struct s3_object *o, struct diag *diag) MUST_CHECK;

/* The bytes of the object `from` under another key as well, whatever is there. The store copies them. */
enum s3_result s3_copy(struct s3 *s, const char *from, const char *key, struct diag *diag) MUST_CHECK;

/* S3_OK also if it was not there. */
enum s3_result s3_delete(struct s3 *s, const char *key, struct diag *diag) MUST_CHECK;

/* Calls each(context, object) for the objects below the folder `prefix` ("blobs/") in the order of their keys, until
 * it returns false. Keys that are none of ours are passed over. */
enum s3_result s3_list(struct s3 *s, const char *prefix,
                       bool (*each)(void *context, const struct s3_object *object), void *context,
                       struct diag *diag) MUST_CHECK;

/* Seconds that the store's clock was ahead of ours with its last answer; signatures are refused beyond 15 minutes. */
int64_t s3_clock_ahead_s(const struct s3 *s);
