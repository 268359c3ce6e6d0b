/* The inside of the store, shared by store.c (keys, reading, removing), store_write.c and store_open.c. */
#ifndef SERVER_STORE_STORE_IMPL_H
#define SERVER_STORE_STORE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/store/store.h"

/* The directory: objects under their keys, and two names of its own:
 *     lock     held with flock for as long as the store is open
 *     tmp/     objects on their way in, where the file system wants a name for them */
struct store {
    int top;       /* descriptor of the directory; every path is relative to it */
    int lock;      /* descriptor of the lock file */
    bool nameless; /* The file system can hold files without a name, and /proc is there to name them later. */
    pthread_mutex_t changing;     /* store_begin_change(); held before lock_for_all */
    pthread_mutex_t lock_for_all; /* store_lock(); nobody waits for another lock while holding it */
    void (*full)(void *context);  /* store_on_full() */
    void *full_context;
    atomic_uint_fast64_t changes; /* store_changes() */
};

/* What a step of a write has failed with, from errno, which stays as it is. Tells who asked for it (store_on_full) if the disk
 * is full. "Exists" and "not found" are failures here. */
enum store_result store_write_failure(const struct store *s);
/* STORE_FAILED with errno EINVAL. */
enum store_result store_refuse_key(void);
/* An object was removed, or a durable one put: store_changes moves on. */
void store_note_change(struct store *s);

/* A file without a name in tmp/, and its name later. -1 with errno. */
int store_open_nameless(const struct store *s);
int store_link_nameless(const struct store *s, int fd, const char *key);

#endif
