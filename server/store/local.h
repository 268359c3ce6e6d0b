/* Objects as files of a directory of this machine: what is kept of uploads where the store is a directory, and views and
 * copies, which can be made again, wherever the store is. An object appears whole or not at all. Any thread.
 *
 * An evictable object has a time of last use, which tells the sweep what nobody needs any more. It is kept as the file's
 * time of modification. A put sets it; local_use sets it only if it is more than an hour old, so that reading popular
 * objects does not write to the disk. It survives kill -9; after a power cut it may be as old as the object. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "core/buf.h"
#include "core/diag.h"
#include "server/store/object.h"

struct local;

enum local_durability {
    LOCAL_DURABLE, /* data and name are on the disk when put returns */
    LOCAL_EVICTABLE /* after a power cut it may be gone, or there with other bytes: a key should not outlive the boot */
};

/* Opens or creates the directory (0700), sweeps temporary files that an earlier run left, and takes a lock so
 * that no two services share it as their own. NULL: diag says what to do. */
struct local *local_open(const char *directory, struct diag *diag);

/* The directory of a store, only to list and read, also while a service uses it. NULL: diag. */
struct local *local_open_to_read(const char *directory, struct diag *diag);

void local_close(struct local *l); /* NULL is fine */

/* An object on its way in: a file without a key. A zeroed one is no file, and discarding it does nothing. */
struct local_temp {
    struct local *local;
    int fd; /* for reading back; written by local_temp_write only */
    bool open;
    off_t written;         /* bytes */
    int sync_errno;        /* why local_temp_sync failed; 0: it has not */
    char name[80];         /* empty where the file system can hold a file without one */
    struct s3_parts *sent; /* what a bucket has of it (store_put_parts); NULL: nothing */
};

enum store_result local_temp_open(struct local *l, struct local_temp *t) MUST_CHECK;

/* Appends all or nothing. After STORE_FULL it may be tried again with the same bytes; after STORE_FAILED
 * only a discard makes sense. */
enum store_result local_temp_write(struct local_temp *t, const void *p, size_t n) MUST_CHECK;

/* Has the disk take what is written so far, also while another thread writes more: the commit waits for the
 * rest alone, and tells of a failure. */
void local_temp_sync(struct local_temp *t);

/* Nothing more will be written, and the commit is some time away: the disk can begin with the last bytes
 * of a large file. */
void local_temp_is_whole(const struct local_temp *t);

/* Gives the file its key, and closes t. After STORE_FULL t may still be open: then only the name found no
 * room, and the commit may be tried again. */
enum store_result local_temp_commit(struct local *l, struct local_temp *t, const char *key,
                                    enum local_durability durability) MUST_CHECK;

void local_temp_discard(struct local *l, struct local_temp *t);

/* The same bytes under another key, which take no room of their own. STORE_NOT_FOUND: there is nothing to copy. */
enum store_result local_link(struct local *l, const char *from, const char *key,
                             enum local_durability durability) MUST_CHECK;

/* All that was put before is durable, evictable objects as well. Takes until the disk has it. */
enum store_result local_sync(struct local *l) MUST_CHECK;

enum store_result local_put(struct local *l, const char *key, struct str bytes,
                            enum local_durability durability) MUST_CHECK;

/* Durable; replaces the object that is there, if one is, in one step: who reads gets the one or the other, also
 * after a power cut. */
enum store_result local_replace(struct local *l, const char *key, struct str bytes) MUST_CHECK;

/* An open read-only descriptor, the caller's to close, and the size in bytes. */
enum store_result local_get(struct local *l, const char *key, int *fd, uint64_t *bytes) MUST_CHECK;

/* The same, and the object was used now. */
enum store_result local_use(struct local *l, const char *key, int *fd, uint64_t *bytes) MUST_CHECK;

/* Appends the whole object; STORE_FAILED, with nothing appended, if it is larger than `limit`. For small
 * objects. */
enum store_result local_read(struct local *l, const char *key, size_t limit, struct buf *out) MUST_CHECK;

/* Fills *o, which borrows the key. */
enum store_result local_look(struct local *l, const char *key, struct store_object *o) MUST_CHECK;

/* Not synced: after a power cut the object may be back. Takes the folder along when it was the last in one of
 * the second or third level. */
enum store_result local_delete(struct local *l, const char *key);

/* Calls each(context, object) for the objects whose key begins with the folder `prefix` ("uploads/"), in no
 * order, until it returns false; it may delete the object. One that comes or goes meanwhile may be seen or
 * not. STORE_OK also if there are none. */
enum store_result local_list(struct local *l, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object),
                             void *context) MUST_CHECK;

/* Whether an object could be put: writes a little, and takes it away again. Nobody is told of a full disk for it. */
enum store_result local_probe(struct local *l) MUST_CHECK;

/* From now on, full(context) is called whenever a write ends with STORE_FULL, on the thread that wrote: it
 * should do no more than tell another one. Once, before other threads use the store; NULL, when they do no
 * more, ends it. */
void local_on_full(struct local *l, void (*full)(void *context), void *context);
