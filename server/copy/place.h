/* Where objects are copied from and to: the directory of a store, or a bucket of an object store. Keys and objects are
 * the same in both. Any thread. */
#ifndef SERVER_COPY_PLACE_H
#define SERVER_COPY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/str.h"
#include "server/s3/s3.h"

struct place;

enum place_result {
    PLACE_OK,
    PLACE_GONE,  /* of a get: the object is not there any more */
    PLACE_FAILED /* diag */
};

/* "s3://BUCKET" or "s3://BUCKET/PREFIX", or a directory. A directory that is only read may be in use by a service; one
 * that is written to must not be. NULL: diag. */
struct place *place_open(const char *name, bool is_written, const struct s3_settings *settings,
                         struct diag *diag) __attribute__((warn_unused_result));
void place_close(struct place *p); /* NULL is fine */

/* The bucket's side; NULL: it is a directory. */
struct s3 *place_s3(struct place *p);

/* Calls each(context, key, bytes) for the objects below the folder, until it returns false. False: diag. */
bool place_list(struct place *p, const char *folder,
                bool (*each)(void *context, const char *key, uint64_t bytes), void *context,
                struct diag *diag) __attribute__((warn_unused_result));

/* A descriptor to read the whole object from, the caller's to close, and its size in bytes. */
enum place_result place_get(struct place *p, const char *key, int *fd, uint64_t *bytes, struct diag *diag)
    __attribute__((warn_unused_result));

/* `sha256` is the digest of the file, in hex. Durable when it returns true. One that is there already stays. */
bool place_put(struct place *p, const char *key, int fd, uint64_t bytes, const char *sha256,
               struct diag *diag) __attribute__((warn_unused_result));

#endif
