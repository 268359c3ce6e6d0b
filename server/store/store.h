/* Objects by key: get, put, exists, delete, list. The store is a directory, but its interface is kept to
 * what an object store can do. Keys are "folder/../name" of [a-z0-9._-] and never contain a client's
 * words. An object appears whole or not at all. It never changes, but it can be replaced as a whole. Any
 * thread.
 *
 * Each object has a time of last use, which tells the sweep what nobody needs any more. It is kept as the
 * file's time of modification. A put sets it; a get sets it only if it is more than an hour old, so that reading popular objects does not write to the disk. It survives kill
 * -9; after a power cut it may be as old as the object. */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/system/log.h"

struct store;

enum { STORE_KEY_BYTES = 200 }; /* with the terminating NUL */

enum store_result {
    STORE_OK,
    STORE_EXISTS, /* of a put: the key is there already; with content keys, success */
    STORE_NOT_FOUND,
    STORE_FULL,  /* no space or quota left on the device, or the file may not grow */
    STORE_FAILED /* errno says why; of a durable put, the object may be there all the same */
};

enum store_durability {
    STORE_DURABLE, /* data and name are on the disk when put returns */
    STORE_EVICTABLE /* after a power cut it may be gone, or there with other bytes: a key should not outlive the boot */
};

/* Opens or creates the directory (0700), sweeps temporary files that an earlier run left, and takes a lock so
 * that no two services share it as their own. NULL: diag says what to do. */
struct store *store_open(const char *directory, struct diag *diag);

/* The directory of a store, only to list and read, also while a service uses it. NULL: diag. */
struct store *store_open_to_read(const char *directory, struct diag *diag);

void store_close(struct store *s); /* NULL is fine */

/* From one to three folders and a name, each part of [a-z0-9._-] and not beginning with a dot; "tmp/" is the
 * store's own. Every other key makes a call return STORE_FAILED with errno EINVAL. */
bool store_key_valid(const char *key);

/* An object on its way in: a file without a key. A zeroed one is no file, and discarding it does nothing. */
struct store_temp {
    struct store *store;
    int fd; /* for reading back; written by store_temp_write only */
    bool open;
    off_t written; /* bytes */
    char name[80]; /* empty where the file system can hold a file without one */
};

enum store_result store_temp_open(struct store *s, struct store_temp *t) __attribute__((warn_unused_result));

/* Appends all or nothing. After STORE_FULL it may be tried again with the same bytes; after STORE_FAILED
 * only a discard makes sense. */
enum store_result store_temp_write(struct store_temp *t, const void *p, size_t n)
    __attribute__((warn_unused_result));

/* Nothing more will be written, and the commit is some time away: the disk can begin with the last bytes
 * of a large file. */
void store_temp_is_whole(const struct store_temp *t);

/* Gives the file its key, and closes t. After STORE_FULL t may still be open: then only the name found no
 * room, and the commit may be tried again. */
enum store_result store_temp_commit(struct store *s, struct store_temp *t, const char *key,
                                    enum store_durability durability) __attribute__((warn_unused_result));

void store_temp_discard(struct store *s, struct store_temp *t);

/* The same bytes under another key, which take no room of their own. STORE_NOT_FOUND: there is nothing to copy. */
enum store_result store_copy(struct store *s, const char *from, const char *key,
                             enum store_durability durability) __attribute__((warn_unused_result));

/* All that was put before is durable, evictable objects as well. Takes until the disk has it. */
enum store_result store_sync(struct store *s) __attribute__((warn_unused_result));

enum store_result store_put(struct store *s, const char *key, struct str bytes,
                            enum store_durability durability) __attribute__((warn_unused_result));

/* Durable; replaces the object that is there, if one is, in one step: who reads gets the one or the other, also
 * after a power cut. */
enum store_result store_replace(struct store *s, const char *key, struct str bytes)
    __attribute__((warn_unused_result));

/* An open read-only descriptor, the caller's to close, and the size in bytes. Counts as a use. */
enum store_result store_get(struct store *s, const char *key, int *fd, uint64_t *bytes)
    __attribute__((warn_unused_result));

/* Appends the whole object; STORE_FAILED, with nothing appended, if it is larger than `limit`. For small
 * objects that are read again and again: no use. */
enum store_result store_read(struct store *s, const char *key, size_t limit, struct buf *out)
    __attribute__((warn_unused_result));

/* STORE_OK if the object is there. */
enum store_result store_exists(struct store *s, const char *key) __attribute__((warn_unused_result));

struct store_object {
    const char *key;
    uint64_t bytes;
    uint64_t shares; /* how many objects have these bytes together (store_copy), at least 1 */
    int64_t used_s;  /* Unix time, on the clock of the store; to the hour, as said above */
};

/* Fills *o, which borrows the key. */
enum store_result store_look(struct store *s, const char *key, struct store_object *o)
    __attribute__((warn_unused_result));

/* Not synced: after a power cut the object may be back. Takes the folder along when it was the last in one of
 * the second or third level. */
enum store_result store_delete(struct store *s, const char *key);

/* The same for an evictable object, which store_changes does not count: what records say is still so. */
enum store_result store_evict(struct store *s, const char *key);

/* Calls each(context, object) for the objects whose key begins with the folder `prefix` ("uploads/"), in no
 * order, until it returns false; it may delete the object. One that comes or goes meanwhile may be seen or
 * not. STORE_OK also if there are none. */
enum store_result store_list(struct store *s, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object), void *context)
    __attribute__((warn_unused_result));

/* A number that has changed whenever a delete or a durable put has returned: what was read since it had this value
 * is still so, evictable objects apart, which may have been added. */
uint64_t store_changes(const struct store *s);

/* Whether an object could be put: writes a little, and takes it away again. Nobody is told of a full disk for it. */
enum store_result store_probe(struct store *s) __attribute__((warn_unused_result));

/* From now on, full(context) is called whenever a write ends with STORE_FULL, on the thread that wrote: it
 * should do no more than tell another one. Once, before other threads use the store; NULL, when they do no
 * more, ends it. */
void store_on_full(struct store *s, void (*full)(void *context), void *context);

/* The store as requests meet it: what it refuses is a line in the log, with the reason, and a sentence for
 * the client, without. Any thread. */

#endif
