/* The calls of the store, and the backend that is a directory. */
#include "server/store/store.h"

#include <stdlib.h>

#include "server/s3/s3.h"
#include "server/store/store_impl.h"

/* ---- the directory ---- */

static enum store_result put_here(struct store *s, const char *key, struct str bytes)
{
    return local_put(s->local, key, bytes, LOCAL_DURABLE);
}

static enum store_result put_file_here(struct store *s, struct local_temp *t, const char *key,
                                       const char *sha256)
{
    (void)sha256;
    return local_temp_commit(s->local, t, key, LOCAL_DURABLE);
}

static enum store_result copy_here(struct store *s, const char *from, const char *key)
{
    return local_link(s->local, from, key, LOCAL_DURABLE);
}

static enum store_result get_here(struct store *s, const char *key, const char *sha256, int *fd,
                                  uint64_t *bytes)
{
    (void)sha256;
    return local_get(s->local, key, fd, bytes);
}

static enum store_result read_here(struct store *s, const char *key, size_t limit, struct buf *out)
{
    return local_read(s->local, key, limit, out);
}

static enum store_result look_here(struct store *s, const char *key, struct store_object *o)
{
    return local_look(s->local, key, o);
}

static enum store_result remove_here(struct store *s, const char *key)
{
    return local_delete(s->local, key);
}

static enum store_result list_here(struct store *s, const char *prefix,
                                   bool (*each)(void *context, const struct store_object *object),
                                   void *context)
{
    return local_list(s->local, prefix, each, context);
}

static enum store_result probe_here(struct store *s)
{
    return local_probe(s->local);
}

static void sync_here(struct store *s, struct local_temp *t, const char *key, uint64_t bytes)
{
    (void)s;
    (void)key;
    (void)bytes;
    local_temp_sync(t);
}

static const struct store_backend DIRECTORY = {.put = put_here,
                                               .put_file = put_file_here,
                                               .put_parts = sync_here,
                                               .copy = copy_here,
                                               .get = get_here,
                                               .read = read_here,
                                               .look = look_here,
                                               .remove = remove_here,
                                               .list = list_here,
                                               .probe = probe_here};

/* ---- opening ---- */

static struct store *open_with(const struct store_backend *backend, struct store_bucket *bucket,
                               const char *directory, struct diag *diag)
{
    struct store *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        store_bucket_free(bucket);
        diag_no_memory(diag, "The store cannot be opened.");
        return NULL;
    }
    s->backend = backend;
    s->bucket = bucket;
    s->local = local_open(directory, diag);
    if (s->local != NULL)
        return s;
    store_close(s);
    return NULL;
}

struct store *store_open(const char *directory, struct diag *diag)
{
    return open_with(&DIRECTORY, NULL, directory, diag);
}

struct store *store_open_bucket(struct s3 *bucket, const char *directory, const struct log *log,
                                struct diag *diag)
{
    struct store_bucket *b = store_bucket_new(bucket, log);

    if (b != NULL)
        return open_with(&STORE_BUCKET, b, directory, diag);
    diag_no_memory(diag, "The store cannot be opened.");
    return NULL;
}

void store_close(struct store *s)
{
    if (s == NULL)
        return;
    store_waiting_free(s->waiting);
    store_bucket_free(s->bucket);
    local_close(s->local);
    free(s);
}

struct local *store_local(struct store *s)
{
    return s->local;
}

bool store_is_remote(const struct store *s)
{
    return s->bucket != NULL;
}

bool store_is_away(struct store *s, bool *asks)
{
    *asks = true;
    return s->bucket != NULL && store_bucket_is_away(s->bucket, asks);
}

bool store_has_copy(struct store *s, const char *sha256)
{
    char key[STORE_KEY_BYTES];
    struct store_object o;

    if (s->bucket == NULL)
        return false;
    store_bucket_copy_key(s->bucket, sha256, key);
    return local_look(s->local, key, &o) == STORE_OK;
}

void store_keep_copies(struct store *s, const struct store_room *room)
{
    s->room = *room;
}

/* ---- the calls ---- */

/* Also behind a failure: the object may be there, or gone, all the same. */
static enum store_result changed(struct store *s, enum store_result result)
{
    atomic_fetch_add(&s->changes, 1);
    return result;
}

uint64_t store_changes(const struct store *s)
{
    return atomic_load(&s->changes);
}

enum store_result store_put(struct store *s, const char *key, struct str bytes)
{
    return changed(s, s->backend->put(s, key, bytes));
}

enum store_result store_put_file(struct store *s, struct local_temp *t, const char *key, const char *sha256)
{
    return changed(s, s->backend->put_file(s, t, key, sha256));
}

uint64_t store_part_bytes(const struct store *s)
{
    enum { SYNCED_BYTES = 8 << 20 };

    return s->bucket != NULL ? store_bucket_part_bytes(s->bucket) : SYNCED_BYTES;
}

void store_put_parts(struct store *s, struct local_temp *t, const char *key, uint64_t bytes)
{
    if (s->backend->put_parts != NULL)
        s->backend->put_parts(s, t, key, bytes);
}

void store_drop_parts(struct store *s, struct local_temp *t)
{
    if (t->sent != NULL)
        s->backend->drop_parts(s, t);
}

enum store_result store_copy(struct store *s, const char *from, const char *key)
{
    return changed(s, s->backend->copy(s, from, key));
}

enum store_result store_get(struct store *s, const char *key, const char *sha256, int *fd, uint64_t *bytes)
{
    return s->backend->get(s, key, sha256, fd, bytes);
}

enum store_result store_read(struct store *s, const char *key, size_t limit, struct buf *out)
{
    return s->backend->read(s, key, limit, out);
}

enum store_result store_look(struct store *s, const char *key, struct store_object *o)
{
    return s->backend->look(s, key, o);
}

enum store_result store_exists(struct store *s, const char *key)
{
    struct store_object o;

    return store_look(s, key, &o);
}

enum store_result store_delete(struct store *s, const char *key)
{
    return changed(s, s->backend->remove(s, key));
}

enum store_result store_list(struct store *s, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object), void *context)
{
    return s->backend->list(s, prefix, each, context);
}

enum store_result store_probe(struct store *s)
{
    return s->backend->probe(s);
}
