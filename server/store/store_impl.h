/* What the two backends of the store have in common. */
#pragma once

#include <stdatomic.h>

#include "server/store/store.h"

/* The calls of store.h, but for the count of changes. */
struct store_backend {
    enum store_result (*put)(struct store *s, const char *key, struct str bytes);
    enum store_result (*put_file)(struct store *s, struct local_temp *t, const char *key, const char *sha256);
    void (*put_parts)(struct store *s, struct local_temp *t, const char *key, uint64_t bytes);
    void (*drop_parts)(struct store *s, struct local_temp *t);
    enum store_result (*copy)(struct store *s, const char *from, const char *key);
    enum store_result (*get)(struct store *s, const char *key, const char *sha256, int *fd, uint64_t *bytes);
    enum store_result (*read)(struct store *s, const char *key, size_t limit, struct buf *out);
    enum store_result (*look)(struct store *s, const char *key, struct store_object *o);
    enum store_result (*remove)(struct store *s, const char *key);
    enum store_result (*list)(struct store *s, const char *prefix,
                              bool (*each)(void *context, const struct store_object *object), void *context);
    enum store_result (*probe)(struct store *s);
};

struct store_bucket; /* store_bucket.c */
struct waiting;      /* waiting.c */

struct store {
    const struct store_backend *backend;
    struct local *local;
    struct store_bucket *bucket; /* NULL: the store is the directory */
    struct waiting *waiting;     /* NULL: nothing waits, and nothing will */
    struct store_room room;
    atomic_uint_fast64_t changes; /* store_changes() */
};

extern const struct store_backend STORE_BUCKET;

void store_waiting_free(struct waiting *w); /* NULL is fine */

/* The bucket and what is known of it; NULL is fine. */
void store_bucket_free(struct store_bucket *b);
bool store_bucket_is_away(struct store_bucket *b, bool *asks);
/* The key of the copy on this machine of bytes with this digest. */
void store_bucket_copy_key(const struct store_bucket *b, const char *sha256, char key[STORE_KEY_BYTES]);
uint64_t store_bucket_part_bytes(const struct store_bucket *b);
/* Owns the bucket in any case. NULL: no memory. */
struct store_bucket *store_bucket_new(struct s3 *bucket, const struct log *log);
