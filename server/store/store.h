/* The store: all that is kept of uploads, as objects by key. It is a directory of this machine, or a bucket of an object
 * store that several machines share; both do what an object store can do, and nothing else: no lock across two calls, no
 * time of use. Keys are "folder/../name" of [a-z0-9._-] and never contain a client's words. An object appears whole or not
 * at all, and never changes. Any thread; a call may take as long as the network, unless the store is a directory.
 *
 * Beside it, each machine has a directory of its own (local.h) for what can be made again: views, and copies of what was
 * uploaded. Where the store is a directory, it is the same one. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "core/system/log.h"
#include "server/store/local.h"
#include "server/store/object.h"

struct store;
struct s3;

/* The store that is this directory; see local_open. NULL: diag says what to do. */
struct store *store_open(const char *directory, struct diag *diag);

/* The store that is this bucket, which the store owns from now on, also if it cannot be opened; `directory` is this
 * machine's. Asks the bucket nothing yet. What the bucket refuses is a line of the log. NULL: diag. */
struct store *store_open_bucket(struct s3 *bucket, const char *directory, const struct log *log,
                                struct diag *diag);

void store_close(struct store *s); /* NULL is fine */

/* This machine's directory. */
struct local *store_local(struct store *s);

/* Whether a call may take as long as the network. */
bool store_is_remote(const struct store *s);

/* Whether the object store did not answer the last call. *asks: the next call asks it again; the others fail at once. */
bool store_is_away(struct store *s, bool *asks);

/* Uploads that wait on this machine for a bucket that did not answer when they came (waiting.c). Once, behind
 * store_open_bucket and before other threads use the store. `accepts`: new ones may wait, as long as all that wait have at most
 * most_bytes; without it, those of an earlier run are sent all the same. False: diag. */
bool store_keep_waiting(struct store *s, bool accepts, uint64_t most_bytes, struct diag *diag) MUST_CHECK;
/* Whether an upload may be put though the object store is away. */
bool store_accepts_alone(const struct store *s);
/* Whether the upload with this id waits: it cannot be changed yet. */
bool store_waits(struct store *s, const char *id);
struct store_waiting {
    uint64_t uploads, bytes;
};
struct store_waiting store_waiting(const struct store *s);
/* Sends what waits, one upload after the other while go_on(context). STORE_OK: nothing has failed. */
enum store_result store_send_waiting(struct store *s, const struct log *log, bool (*go_on)(void *context),
                                     void *context) MUST_CHECK;

/* Durable when it returns STORE_OK or STORE_EXISTS: what is there already stays. */
enum store_result store_put(struct store *s, const char *key, struct str bytes) MUST_CHECK;

/* The same with a file on its way in, of store_local(), and its digest in hex; closes t. What was sent of it before stays to be dropped
 * unless it succeeds. After STORE_FULL and
 * STORE_UNAVAILABLE t may still be open, and the call may be tried again. */
enum store_result store_put_file(struct store *s, struct local_temp *t, const char *key,
                                 const char *sha256) MUST_CHECK;

/* A file that still grows is taken in parts of this size. */
uint64_t store_part_bytes(const struct store *s);
/* Sends the whole parts of the file's first `bytes` bytes that were not sent yet; a directory has the disk take them. Nobody
 * sees them before store_put_file, to which they save time and nothing else: whether they could be sent is not told. Not beside
 * another call with the same file. */
void store_put_parts(struct store *s, struct local_temp *t, const char *key, uint64_t bytes);
/* What was sent, and is not put, goes again: behind the last call with t, or before it is put under another key. */
void store_drop_parts(struct store *s, struct local_temp *t);

/* Whether this machine has the bytes with this digest, of an object of the bucket. */
bool store_has_copy(struct store *s, const char *sha256);

/* The same bytes under another key, durable. STORE_NOT_FOUND: there is nothing to copy. */
enum store_result store_copy(struct store *s, const char *from, const char *key) MUST_CHECK;

/* A file with the bytes of the object: an open read-only descriptor, the caller's to close, and the size in bytes. `sha256`
 * is their digest in hex: what comes over a network is compared with it, and kept on this machine for the next who asks. */
enum store_result store_get(struct store *s, const char *key, const char *sha256, int *fd,
                            uint64_t *bytes) MUST_CHECK;

/* Appends the whole object; STORE_FAILED, with nothing appended, if it is larger than `limit`. For small objects. */
enum store_result store_read(struct store *s, const char *key, size_t limit, struct buf *out) MUST_CHECK;

/* STORE_OK if the object is there. */
enum store_result store_exists(struct store *s, const char *key) MUST_CHECK;

/* Fills *o, which borrows the key. */
enum store_result store_look(struct store *s, const char *key, struct store_object *o) MUST_CHECK;

/* Not synced: after a power cut the object may be back. */
enum store_result store_delete(struct store *s, const char *key);

/* Calls each(context, object) for the objects whose key begins with the folder `prefix` ("uploads/"), in no
 * order, until it returns false; it may delete the object. One that comes or goes meanwhile may be seen or
 * not. STORE_OK also if there are none. */
enum store_result store_list(struct store *s, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object),
                             void *context) MUST_CHECK;

/* A number that has changed whenever a delete or a put of this machine has returned: what was read since it had this
 * value is still so, unless another machine has changed it. */
uint64_t store_changes(const struct store *s);

/* Whether an object could be put. */
enum store_result store_probe(struct store *s) MUST_CHECK;

/* Who counts the evictable bytes of this machine's directory is asked before a copy is kept there, and told behind it:
 * see sweep_take_view_room and sweep_view_put. Once, before other threads use the store. */
struct store_room {
    bool (*take)(void *context, uint64_t bytes); /* NULL: no copies are kept */
    void (*put)(void *context, uint64_t bytes, bool kept);
    void *context;
};
void store_keep_copies(struct store *s, const struct store_room *room);
