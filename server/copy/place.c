#include "server/copy/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/system/folder.h"
#include "server/s3/s3.h"
#include "server/store/local.h"

enum { PIECE_BYTES = 256 << 10 };

struct place {
    struct local *local; /* of these two, one */
    struct s3 *s3;
};

/* ---- opening ---- */

struct place *place_open(const char *name, bool is_written, const struct s3_settings *settings,
                         struct diag *diag)
{
    struct place *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        diag_no_memory(diag, "No memory is left for the copy.");
        return NULL;
    }
    if (s3_is_named(name))
        p->s3 = s3_open(name, settings, diag);
    else
        p->local = is_written ? local_open(name, diag) : local_open_to_read(name, diag);
    if (p->s3 != NULL || p->local != NULL)
        return p;
    place_close(p);
    return NULL;
}

void place_close(struct place *p)
{
    if (p == NULL)
        return;
    local_close(p->local);
    s3_close(p->s3);
    free(p);
}

struct s3 *place_s3(struct place *p)
{
    return p->s3;
}

/* ---- list ---- */

struct listing {
    bool (*each)(void *context, const char *key, uint64_t bytes);
    void *context;
};

/* A bucket may have objects of others, whose keys no store takes. */
static bool list_key(void *listing, const struct s3_object *object)
{
    const struct listing *l = listing;

    return !store_key_valid(object->key) || l->each(l->context, object->key, object->bytes);
}

static bool list_object(void *listing, const struct store_object *object)
{
    const struct listing *l = listing;

    return l->each(l->context, object->key, object->bytes);
}

bool place_list(struct place *p, const char *folder,
                bool (*each)(void *context, const char *key, uint64_t bytes), void *context,
                struct diag *diag)
{
    struct listing l = {each, context};

    if (p->s3 != NULL) {
        enum s3_result result = s3_list(p->s3, folder, list_key, &l, diag);
        return result == S3_OK || result == S3_ENDED;
    }
    return local_list(p->local, folder, list_object, &l) == STORE_OK ||
           diag_set(diag, DIAG_IO, "a directory cannot be read", "", "%s: %m.", folder);
}

/* ---- get ---- */

/* A file without a name, for an object of a bucket. -1 with errno. */
static int scratch_file(void)
{
    const char *folder = getenv("TMPDIR");

    return file_open(AT_FDCWD, folder != NULL && folder[0] != '\0' ? folder : "/var/tmp", O_TMPFILE | O_RDWR);
}

struct fetch {
    int fd;
    uint64_t bytes;
    int error; /* errno of the file */
};

static bool take_piece(void *fetch, const char *p, size_t n)
{
    struct fetch *f = fetch;

    if (!file_write_all(f->fd, p, n)) {
        f->error = errno;
        return false;
    }
    f->bytes += n;
    return true;
}

static enum place_result get_from_bucket(struct s3 *s3, const char *key, int *fd, uint64_t *bytes,
                                         struct diag *diag)
{
    struct fetch f = {.fd = scratch_file()};
    enum s3_result result = S3_ENDED;

    if (f.fd >= 0)
        result = s3_get(s3, key, take_piece, &f, diag);
    else
        f.error = errno;
    if (result == S3_OK && lseek(f.fd, 0, SEEK_SET) == 0) {
        *fd = f.fd;
        *bytes = f.bytes;
        return PLACE_OK;
    }
    if (f.fd >= 0)
        close(f.fd);
    if (result == S3_ENDED)
        diag_set(diag, DIAG_IO, "no room for a temporary file", "Name another folder by TMPDIR.", "%s: %s.",
                 key, strerror(f.error));
    return result == S3_NOT_FOUND ? PLACE_GONE : PLACE_FAILED;
}

enum place_result place_get(struct place *p, const char *key, int *fd, uint64_t *bytes, struct diag *diag)
{
    if (p->s3 != NULL)
        return get_from_bucket(p->s3, key, fd, bytes, diag);
    enum store_result result = local_get(p->local, key, fd, bytes);
    if (result == STORE_FAILED)
        diag_set(diag, DIAG_IO, "a file cannot be read", "", "%s: %m.", key);
    return result == STORE_OK ? PLACE_OK : result == STORE_NOT_FOUND ? PLACE_GONE : PLACE_FAILED;
}

/* ---- put ---- */

static enum store_result fill(struct local_temp *t, int fd, uint64_t bytes)
{
    static const size_t PIECE = PIECE_BYTES;
    char *piece = malloc(PIECE);
    enum store_result result = piece == NULL ? STORE_FAILED : STORE_OK;

    for (uint64_t at = 0; result == STORE_OK && at < bytes;) {
        size_t wanted = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        ssize_t n = TEMP_FAILURE_RETRY(pread(fd, piece, wanted, (off_t)at));
        result = n > 0 ? local_temp_write(t, piece, (size_t)n) : STORE_FAILED;
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(piece);
    return result;
}

static enum store_result put_new(struct local *l, const char *key, int fd, uint64_t bytes)
{
    struct local_temp t;
    enum store_result result = local_temp_open(l, &t);

    if (result == STORE_OK)
        result = fill(&t, fd, bytes);
    if (result == STORE_OK)
        result = local_temp_commit(l, &t, key, LOCAL_DURABLE);
    local_temp_discard(l, &t);
    return result;
}

bool place_put(struct place *p, const char *key, int fd, uint64_t bytes, const char *sha256,
               struct diag *diag)
{
    if (p->s3 != NULL) {
        enum s3_result result = s3_put(p->s3, key, fd, bytes, sha256, diag);
        return result == S3_OK || result == S3_EXISTS;
    }
    enum store_result result = put_new(p->local, key, fd, bytes);
    return result == STORE_OK || result == STORE_EXISTS ||
           diag_set(diag, result == STORE_FULL ? DIAG_FULL : DIAG_IO, "a file cannot be written",
                    "Make room on the disk, and copy again: it goes on where it ended.", "%s: %m.", key);
}
