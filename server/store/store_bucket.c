/* The backend that is a bucket of an object store.
 *
 * Bytes that come from it are compared with their digest, and kept as a copy beside the views of the same bytes
 * (views/ab/<sha256>/bytes.<boot>), so that they are evicted, counted and removed as these are. An upload leaves such a copy
 * behind. Copies are not synced: their names say in which run of the machine they were written, as those of views do.
 *
 * When the object store does not answer, nobody waits for it again and again: for a while all calls fail at once, and then
 * one of them tries. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/boot_id.h"
#include "core/system/clock.h"
#include "core/system/digest.h"
#include "server/s3/s3.h"
#include "server/store/store_impl.h"

enum { PAUSE_LEAST_MS = 250, PAUSE_MOST_MS = 5000 };

struct store_bucket {
    struct s3 *s3;
    const struct log *log;
    char boot[BOOT_CHARS + 1];
    pthread_mutex_t lock; /* of what follows */
    /* The last call was not answered, and the next one waited so long. 0: it was answered. */
    int64_t pause_ms;
    int64_t again_ms; /* when the next one may try, on the monotonic clock */
    bool trying;      /* one does */
};

struct store_bucket *store_bucket_new(struct s3 *bucket, const struct log *log)
{
    struct store_bucket *b = calloc(1, sizeof(*b));

    if (b != NULL && boot_id("/proc/sys/kernel/random/boot_id", b->boot)) {
        b->s3 = bucket;
        b->log = log;
        pthread_mutex_init(&b->lock, NULL);
        return b;
    }
    s3_close(bucket);
    free(b);
    return NULL;
}

void store_bucket_free(struct store_bucket *b)
{
    if (b == NULL)
        return;
    s3_close(b->s3);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* ---- one call ---- */

/* Whether the object store is to be asked. */
static bool may_ask(struct store_bucket *b)
{
    pthread_mutex_lock(&b->lock);
    bool may = b->pause_ms == 0 || (!b->trying && clock_ms() >= b->again_ms);
    b->trying = b->trying || (may && b->pause_ms > 0);
    pthread_mutex_unlock(&b->lock);
    return may;
}

bool store_bucket_is_away(struct store_bucket *b, bool *asks)
{
    pthread_mutex_lock(&b->lock);
    bool away = b->pause_ms > 0;
    *asks = !away || clock_ms() >= b->again_ms;
    pthread_mutex_unlock(&b->lock);
    return away;
}

static int64_t longer(int64_t pause_ms)
{
    if (pause_ms == 0)
        return PAUSE_LEAST_MS;
    return pause_ms < PAUSE_MOST_MS / 2 ? 2 * pause_ms : PAUSE_MOST_MS;
}

/* True if the object store begins or ends to be away with this answer. */
static bool note_answer(struct store_bucket *b, bool away)
{
    pthread_mutex_lock(&b->lock);
    bool was_away = b->pause_ms > 0;
    b->pause_ms = away ? longer(b->pause_ms) : 0;
    b->again_ms = clock_ms() + b->pause_ms;
    b->trying = false;
    pthread_mutex_unlock(&b->lock);
    return away != was_away;
}

static enum store_result result_of(enum s3_result result)
{
    static const enum store_result RESULTS[] = {
        [S3_OK] = STORE_OK,           [S3_EXISTS] = STORE_EXISTS, [S3_NOT_FOUND] = STORE_NOT_FOUND,
        [S3_FULL] = STORE_FULL,       [S3_DENIED] = STORE_DENIED, [S3_UNAVAILABLE] = STORE_UNAVAILABLE,
        [S3_CORRUPT] = STORE_CORRUPT, [S3_ENDED] = STORE_FAILED};

    return RESULTS[result];
}

/* Behind a call that was let through by may_ask. */
static enum store_result answered(struct store_bucket *b, enum s3_result result, const struct diag *diag)
{
    if (s3_is_stopped(b->s3))
        return result_of(result);
    bool away = result == S3_UNAVAILABLE, turned = note_answer(b, away);

    if (turned && !away)
        LOG(b->log, LOG_INFO, "object-store-answers", LOG_STR("what", STR("the object store answers again")));
    if (turned && away)
        LOG(b->log, LOG_ERROR, "object-store-away", LOG_STR("why", str_of(diag->detail)));
    if (result == S3_DENIED || result == S3_CORRUPT || result == S3_FULL)
        LOG(b->log, LOG_ERROR, "object-store-refused", LOG_STR("why", str_of(diag->detail)));
    return result_of(result);
}

static enum store_result refuse_key(void)
{
    errno = EINVAL;
    return STORE_FAILED;
}

/* ---- small objects ---- */

struct reading {
    struct buf *out;
    size_t before, limit;
};

static bool take_text(void *reading, const char *p, size_t n)
{
    struct reading *r = reading;

    if (n > r->limit - (r->out->n - r->before))
        return false;
    buf_bytes(r->out, p, n);
    return !r->out->failed;
}

static enum store_result read_text(struct store *s, const char *key, size_t limit, struct buf *out)
{
    struct reading r = {out, out->n, limit};
    struct diag diag = {0};

    if (!store_key_valid(key))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    enum store_result result =
        answered(s->bucket, s3_get_small(s->bucket->s3, key, take_text, &r, &diag), &diag);
    if (result != STORE_OK)
        out->n = r.before;
    if (result == STORE_FAILED)
        errno = out->failed ? ENOMEM : EFBIG;
    return result;
}

/* Whether the bucket is there, and lets this service in, a get tells. (A look does not: its answer has no body that could
 * say what is missing.) */
static enum store_result ask_small(struct store *s)
{
    struct buf text = {0};
    enum store_result result = read_text(s, "keys/session", 1 << 10, &text);

    buf_free(&text);
    return result == STORE_NOT_FOUND ? STORE_OK : result;
}

/* As may_ask, for a file: that would keep all others waiting for the outcome, so something small is asked for before. */
static bool may_ask_for_file(struct store *s)
{
    bool asks;

    if (!store_bucket_is_away(s->bucket, &asks))
        return may_ask(s->bucket);
    return asks && ask_small(s) != STORE_UNAVAILABLE && may_ask(s->bucket);
}

/* ---- copies on this machine ---- */

void store_bucket_copy_key(const struct store_bucket *b, const char *sha256, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "views/%.2s/%s/bytes.%s", sha256, sha256, b->boot);
}

/* Keeps the file as a copy, if there is room. Closes t. */
static void keep_copy(struct store *s, struct local_temp *t, const char *sha256)
{
    char key[STORE_KEY_BYTES];
    const struct store_room *room = &s->room;
    uint64_t bytes = (uint64_t)t->written;

    if (room->take != NULL && room->take(room->context, bytes)) {
        store_bucket_copy_key(s->bucket, sha256, key);
        bool kept = local_temp_commit(s->local, t, key, LOCAL_EVICTABLE) == STORE_OK;
        room->put(room->context, bytes, kept);
    }
    local_temp_discard(s->local, t);
}

/* ---- get ---- */

struct fetch {
    struct local_temp *file;
    struct sha256 *hash;
    enum store_result result; /* of the file */
    int error;                /* its errno */
};

static bool take_piece(void *fetch, const char *p, size_t n)
{
    struct fetch *f = fetch;

    sha256_add(f->hash, (struct str){p, n});
    f->result = local_temp_write(f->file, p, n);
    f->error = errno;
    return f->result == STORE_OK;
}

/* Whether the bytes have this digest; NULL: any. */
static bool is_digest(struct sha256 *hash, const char *sha256)
{
    uint8_t digest[SHA256_BYTES];
    char hex[DIGEST_CHARS + 1];

    if (sha256 == NULL)
        return true;
    if (!sha256_end(hash, digest))
        return false;
    digest_hex(digest, hex);
    return strcmp(hex, sha256) == 0;
}

/* The object into a file of this machine. */
static enum store_result fetch_once(struct store *s, const char *key, const char *sha256,
                                    struct local_temp *t)
{
    struct fetch f = {.file = t, .hash = sha256_new()};
    struct diag diag = {0};
    enum store_result result = STORE_UNAVAILABLE;

    if (f.hash == NULL)
        result = STORE_FAILED; /* with errno of the memory */
    else if (may_ask_for_file(s))
        result = answered(s->bucket, s3_get(s->bucket->s3, key, take_piece, &f, &diag), &diag);
    if (f.result != STORE_OK) {
        result = f.result;
        errno = f.error;
    }
    if (result == STORE_OK && !is_digest(f.hash, sha256)) {
        LOG(s->bucket->log, LOG_ERROR, "bytes-damaged", LOG_STR("key", str_of(key)));
        result = STORE_CORRUPT;
    }
    sha256_free(f.hash);
    return result;
}

/* Wrong bytes are fetched once more: they may have been damaged on their way. */
static enum store_result fetch(struct store *s, const char *key, const char *sha256, struct local_temp *t)
{
    enum store_result result = STORE_CORRUPT;

    for (int i = 0; i < 2 && result == STORE_CORRUPT; i++) {
        local_temp_discard(s->local, t);
        result = local_temp_open(s->local, t);
        if (result == STORE_OK)
            result = fetch_once(s, key, sha256, t);
    }
    return result;
}

static enum store_result get(struct store *s, const char *key, const char *sha256, int *fd, uint64_t *bytes)
{
    char copy[STORE_KEY_BYTES];
    struct local_temp t = {0};

    if (!store_key_valid(key))
        return refuse_key();
    if (sha256 != NULL) {
        store_bucket_copy_key(s->bucket, sha256, copy);
        if (local_use(s->local, copy, fd, bytes) == STORE_OK)
            return STORE_OK;
    }
    enum store_result result = fetch(s, key, sha256, &t);
    if (result == STORE_OK) {
        *bytes = (uint64_t)t.written;
        *fd = lseek(t.fd, 0, SEEK_SET) == 0 ? fcntl(t.fd, F_DUPFD_CLOEXEC, 0) : -1;
        result = *fd >= 0 ? STORE_OK : STORE_FAILED;
    }
    if (result == STORE_OK && sha256 != NULL)
        keep_copy(s, &t, sha256);
    local_temp_discard(s->local, &t);
    return result;
}

/* ---- put ---- */

static enum store_result put(struct store *s, const char *key, struct str bytes)
{
    struct diag diag = {0};

    if (!store_key_valid(key))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    return answered(s->bucket, s3_put_text(s->bucket->s3, key, bytes, &diag), &diag);
}

/* What was sent in parts goes with the failure, before all others wait for a store that is away. */
static enum s3_result put_or_drop(struct s3 *s3, struct local_temp *t, const char *key, const char *sha256,
                                  struct diag *diag)
{
    enum s3_result result = s3_put(s3, &t->sent, key, t->fd, (uint64_t)t->written, sha256, diag);
    struct diag ignored = {0};

    if (result != S3_FULL && t->sent != NULL)
        (void)!s3_drop_parts(s3, &t->sent, &ignored);
    return result;
}

static enum store_result put_file(struct store *s, struct local_temp *t, const char *key, const char *sha256)
{
    struct diag diag = {0};
    enum store_result result = STORE_UNAVAILABLE;

    if (!store_key_valid(key))
        result = refuse_key();
    else if (may_ask_for_file(s))
        result = answered(s->bucket, put_or_drop(s->bucket->s3, t, key, sha256, &diag), &diag);
    if (result == STORE_FULL || result == STORE_UNAVAILABLE)
        return result; /* it may be tried again, or be kept here */
    if (result == STORE_OK)
        keep_copy(s, t, sha256);
    local_temp_discard(s->local, t);
    return result;
}

/* What could not be sent is sent when more is there, or at the end. */
static void put_parts(struct store *s, struct local_temp *t, const char *key, uint64_t bytes)
{
    struct diag diag = {0};

    if (store_key_valid(key) && may_ask_for_file(s))
        (void)answered(s->bucket, s3_put_parts(s->bucket->s3, &t->sent, key, t->fd, bytes, &diag), &diag);
}

/* A store that is away is not waited for: a rule of the bucket ends what was not put together. */
static void drop_parts(struct store *s, struct local_temp *t)
{
    struct diag diag = {0};

    if (may_ask(s->bucket))
        (void)answered(s->bucket, s3_drop_parts(s->bucket->s3, &t->sent, &diag), &diag);
    s3_forget_parts(&t->sent);
}

uint64_t store_bucket_part_bytes(const struct store_bucket *b)
{
    return s3_part_bytes(b->s3);
}

static enum store_result copy(struct store *s, const char *from, const char *key)
{
    struct diag diag = {0};

    if (!store_key_valid(from) || !store_key_valid(key))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    return answered(s->bucket, s3_copy(s->bucket->s3, from, key, &diag), &diag);
}

/* ---- the rest ---- */

static enum store_result look(struct store *s, const char *key, struct store_object *o)
{
    struct diag diag = {0};
    struct s3_object found;

    if (!store_key_valid(key))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    enum store_result result = answered(s->bucket, s3_look(s->bucket->s3, key, &found, &diag), &diag);
    *o = (struct store_object){key, found.bytes, 1, found.time_s};
    return result;
}

static enum store_result take_away(struct store *s, const char *key)
{
    struct diag diag = {0};

    if (!store_key_valid(key))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    return answered(s->bucket, s3_delete(s->bucket->s3, key, &diag), &diag);
}

struct listing {
    bool (*each)(void *context, const struct store_object *object);
    void *context;
};

/* A bucket may have objects of others, whose keys no store takes. */
static bool list_one(void *listing, const struct s3_object *object)
{
    const struct listing *l = listing;
    const struct store_object o = {object->key, object->bytes, 1, object->time_s};

    return !store_key_valid(object->key) || l->each(l->context, &o);
}

static enum store_result list(struct store *s, const char *prefix,
                              bool (*each)(void *context, const struct store_object *object), void *context)
{
    struct listing l = {each, context};
    struct diag diag = {0};
    struct str folder = str_of(prefix);

    if (!str_ends(folder, STR("/")) || !store_path_valid((struct str){folder.p, folder.n - 1}, 1, 3))
        return refuse_key();
    if (!may_ask(s->bucket))
        return STORE_UNAVAILABLE;
    enum s3_result result = s3_list(s->bucket->s3, prefix, list_one, &l, &diag);
    return answered(s->bucket, result == S3_ENDED ? S3_OK : result, &diag);
}

/* A put would leave an object. */
static enum store_result probe(struct store *s)
{
    enum store_result result = local_probe(s->local);

    return result == STORE_OK ? ask_small(s) : result;
}

const struct store_backend STORE_BUCKET = {.put = put,
                                           .put_file = put_file,
                                           .put_parts = put_parts,
                                           .drop_parts = drop_parts,
                                           .copy = copy,
                                           .get = get,
                                           .read = read_text,
                                           .look = look,
                                           .remove = take_away,
                                           .list = list,
                                           .probe = probe};
