/* Copies all that a store keeps of its uploads, from one place to another: a backup, a move, a restoration. Views are
 * left out, since they are made again, and so is the key that signs sessions: who reads a copy must not be able to make
 * sessions.
 *
 * The place it is copied from may be in use. Of what changes meanwhile this much is promised: a record that is copied
 * has its bytes copied, unless they are damaged. So records are listed first and copied last: whatever such a record
 * needs was there before the rest was listed.
 *
 * Objects never change; so what is at the other place already, with as many bytes, is not copied again, and a copy that
 * was ended goes on where it ended. Nothing is removed there. Bytes of uploads are compared with the digest in their record,
 * and files of names with their own names: one that differs is counted as damaged, and not copied. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "server/s3/s3.h"

/* ---- places ---- */

/* Where objects are copied from and to: the directory of a store, or a bucket of an object store. Keys and objects are
 * the same in both. Any thread. */
struct place;

/* "s3://BUCKET" or "s3://BUCKET/PREFIX", or a directory. A directory that is only read may be in use by a service; one
 * that is written to must not be. NULL: diag. */
struct place *place_open(const char *name, bool is_written, const struct s3_settings *settings,
                         struct diag *diag) MUST_CHECK;
void place_close(struct place *p); /* NULL is fine */

/* The bucket's side; NULL: it is a directory. */
struct s3 *place_s3(struct place *p);

/* Calls each(context, key, bytes) for the objects below the folder, until it returns false. False: diag. */
bool place_list(struct place *p, const char *folder,
                bool (*each)(void *context, const char *key, uint64_t bytes), void *context,
                struct diag *diag) MUST_CHECK;

/* ---- the copy ---- */

struct copy_counts {
    uint64_t copied, copied_bytes;
    uint64_t there;   /* at the other place already */
    uint64_t gone;    /* removed since they were listed */
    uint64_t damaged; /* not what their names say */
};

/* damaged(context, key) is called for each such object, by one thread at a time; it may be called on any. False: diag;
 * counts say what was done. */
bool copy_all(struct place *from, struct place *to, void (*damaged)(void *context, const char *key),
              void *context, struct copy_counts *counts, struct diag *diag) MUST_CHECK;
