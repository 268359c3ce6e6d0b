/* A large file as an object: sent in parts, each of which is tried again for itself, and put together by the store. The file
 * may still grow: its parts are sent as they are there. Nobody sees anything before the end. Parts that are not put together
 * are taken away, unless this program ends: a rule of the bucket should end them then (AbortIncompleteMultipartUpload). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sha256.h"
#include "core/system/digest.h"
#include "server/s3/s3_impl.h"

enum { PARTS_MAX = 10000, ID_BYTES = 1024 };

struct s3_parts {
    char key[S3_NAME_BYTES];
    uint64_t part_bytes, sent;
    unsigned n;             /* parts that were sent */
    struct sha256 *of_file; /* of what was sent; NULL: nobody asks for it */
    struct buf id;          /* of the upload, as it stands in a query */
    struct buf list;        /* what is put together, as the store wants to be told */
    struct buf query;       /* of the request */
};

static enum s3_result no_memory(struct diag *diag)
{
    diag_no_memory(diag, "No memory is left to send a file to the object store.");
    return S3_UNAVAILABLE;
}

/* Adds the next part of the file to its digest, and to that of all. False: diag. */
static bool add_part(const struct s3_parts *p, int fd, uint64_t bytes, struct sha256 *of_part,
                     struct diag *diag)
{
    char piece[64 << 10];

    for (uint64_t from = p->sent, end = from + bytes; from < end;) {
        size_t wanted = end - from < sizeof(piece) ? (size_t)(end - from) : sizeof(piece);
        ssize_t n = TEMP_FAILURE_RETRY(pread(fd, piece, wanted, (off_t)from));
        if (n <= 0)
            return diag_set(diag, DIAG_IO, "a file cannot be read", "",
                            "What should be sent as %s cannot be read: %s.", p->key,
                            n == 0 ? "it ends early" : strerror(errno));
        sha256_add(of_part, (struct str){piece, (size_t)n});
        if (p->of_file != NULL)
            sha256_add(p->of_file, (struct str){piece, (size_t)n});
        from += (uint64_t)n;
    }
    return true;
}

static bool end_digest(struct sha256 *hash, char hex[DIGEST_CHARS + 1])
{
    uint8_t digest[SHA256_BYTES];

    if (!sha256_end(hash, digest))
        return false;
    digest_hex(digest, hex);
    return true;
}

void s3_forget_parts(struct s3_parts **parts)
{
    struct s3_parts *p = *parts;

    if (p == NULL)
        return;
    *parts = NULL;
    sha256_free(p->of_file);
    buf_free(&p->id);
    buf_free(&p->list);
    buf_free(&p->query);
    free(p);
}

static enum s3_result begin(struct s3 *s, struct s3_parts *p, struct diag *diag)
{
    struct buf page = {0};
    struct s3_request r = {.method = "POST",
                           .key = p->key,
                           .query = STR("uploads="),
                           .text = "",
                           .page = &page,
                           .is_short = true};
    enum s3_result result = s3_send(s, &r, diag);
    struct str rest = buf_view(&page), id = STR("");

    if (result == S3_OK && s3_xml_next(&rest, STR("UploadId"), &id) && id.n > 0 && id.n < ID_BYTES) {
        buf_percent(&p->id, id);
    } else if (result == S3_OK) {
        diag_set(diag, DIAG_IO, "the object store is not fit", "", "It gave no id for an upload in parts.");
        result = S3_UNAVAILABLE;
    }
    buf_free(&page);
    buf_z(&p->list, "<CompleteMultipartUpload>");
    return result == S3_OK && p->id.failed ? no_memory(diag) : result;
}

/* *parts is NULL if nothing was begun. */
static enum s3_result begin_parts(struct s3 *s, struct s3_parts **parts, const char *key, uint64_t part_bytes,
                                  struct diag *diag)
{
    struct s3_parts *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return no_memory(diag);
    snprintf(p->key, sizeof(p->key), "%s", key);
    p->part_bytes = part_bytes;
    enum s3_result result = begin(s, p, diag);
    *parts = p;
    if (result != S3_OK)
        s3_forget_parts(parts);
    return result;
}

static enum s3_result send_part(struct s3 *s, struct s3_parts *p, int fd, uint64_t bytes, struct diag *diag)
{
    struct sha256 *of_part = sha256_new();
    char hex[DIGEST_CHARS + 1];

    buf_clear(&p->query);
    buf_printf(&p->query, "partNumber=%u&uploadId=", p->n + 1);
    buf_str(&p->query, buf_view(&p->id));
    bool ok = of_part != NULL && add_part(p, fd, bytes, of_part, diag);
    bool told = ok && end_digest(of_part, hex) && !p->query.failed;
    sha256_free(of_part);
    if (!told)
        return ok || of_part == NULL ? no_memory(diag) : S3_CORRUPT;
    struct s3_request r = {.method = "PUT",
                           .key = p->key,
                           .query = buf_view(&p->query),
                           .fd = fd,
                           .from_byte = p->sent,
                           .bytes = bytes,
                           .sha256 = hex};
    enum s3_result result = s3_send(s, &r, diag);
    if (result != S3_OK)
        return result;
    p->n++;
    p->sent += bytes;
    buf_printf(&p->list, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", p->n, r.etag);
    return result;
}

enum s3_result s3_put_parts(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                            struct diag *diag)
{
    enum s3_result result = *parts != NULL ? S3_OK : begin_parts(s, parts, key, s3_part_bytes(s), diag);
    struct s3_parts *p = *parts;

    while (result == S3_OK && p->n < PARTS_MAX - 1 && bytes - p->sent >= p->part_bytes)
        result = send_part(s, p, fd, p->part_bytes, diag);
    return result;
}

/* The query that is about all parts; true: no memory. */
static bool no_query(struct s3_parts *p)
{
    buf_clear(&p->query);
    buf_z(&p->query, "uploadId=");
    buf_str(&p->query, buf_view(&p->id));
    return p->query.failed;
}

enum s3_result s3_drop_parts(struct s3 *s, struct s3_parts **parts, struct diag *diag)
{
    struct s3_parts *p = *parts;
    enum s3_result result = no_query(p) ? no_memory(diag) : S3_OK;

    if (result == S3_OK) {
        struct s3_request r = {
            .method = "DELETE", .key = p->key, .query = buf_view(&p->query), .is_short = true};
        result = s3_send(s, &r, diag);
    }
    s3_forget_parts(parts);
    return result == S3_NOT_FOUND ? S3_OK : result;
}

/* The answer may have been lost of an attempt that put the parts together: the store does not know the upload any more then. */
static enum s3_result put_together(struct s3 *s, struct s3_parts *p, struct diag *diag)
{
    static const struct str DONE = STR_INIT("<CompleteMultipartUploadResult");
    char hex[DIGEST_CHARS + 1];
    struct buf page = {0};
    const size_t told_parts = p->list.n;
    struct s3_object o;

    buf_z(&p->list, "</CompleteMultipartUpload>");
    if (no_query(p) || p->list.failed)
        return no_memory(diag);
    digest_hex_of(p->list.p, p->list.n, hex);
    struct s3_request r = {.method = "POST",
                           .key = p->key,
                           .query = buf_view(&p->query),
                           .text = p->list.p,
                           .bytes = p->list.n,
                           .sha256 = hex,
                           .creates = true,
                           .page = &page};
    enum s3_result result = hex[0] != '\0' ? s3_send(s, &r, diag) : no_memory(diag);
    bool told = result == S3_OK && str_find_str(buf_view(&page), DONE) < page.n;
    buf_free(&page);
    p->list.n = told_parts; /* it may be tried again */
    if (result == S3_NOT_FOUND || (result == S3_OK && !told)) {
        result = s3_look(s, p->key, &o, diag);
        if (result == S3_NOT_FOUND || (result == S3_OK && o.bytes != p->sent)) {
            diag_set(diag, DIAG_IO, "the object store is in trouble", "Look at the object store.",
                     "The parts of %s could not be put together.", p->key);
            result = S3_UNAVAILABLE;
        }
    }
    return result;
}

/* Whether the bytes are those that were meant. */
static enum s3_result compare(struct s3_parts *p, const char *sha256, struct diag *diag)
{
    char hex[DIGEST_CHARS + 1];

    if (p->of_file == NULL)
        return S3_OK;
    if (!end_digest(p->of_file, hex))
        return no_memory(diag);
    if (strcmp(hex, sha256) == 0)
        return S3_OK;
    diag_set(diag, DIAG_IO, "a file has changed", "", "What should be sent as %s has other bytes by now.",
             p->key);
    return S3_CORRUPT;
}

/* A file that is there at once: it need not be sent if the object is there. */
static enum s3_result begin_whole(struct s3 *s, struct s3_parts **parts, const char *key, uint64_t bytes,
                                  struct diag *diag)
{
    uint64_t part_bytes = s3_part_bytes(s);
    struct s3_object there;
    enum s3_result result = s3_look(s, key, &there, diag);

    if (result != S3_NOT_FOUND)
        return result == S3_OK ? S3_EXISTS : result;
    while (bytes / part_bytes >= PARTS_MAX)
        part_bytes *= 2;
    result = begin_parts(s, parts, key, part_bytes, diag);
    if (result == S3_OK && ((*parts)->of_file = sha256_new()) == NULL)
        result = no_memory(diag);
    return result;
}

enum s3_result s3_end_parts(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                            const char *sha256, struct diag *diag)
{
    enum s3_result result = S3_OK;

    if (*parts != NULL && bytes / (*parts)->part_bytes >= PARTS_MAX)
        result = s3_drop_parts(s, parts, diag);
    if (result == S3_OK && *parts == NULL)
        result = begin_whole(s, parts, key, bytes, diag);
    struct s3_parts *p = *parts;

    while (result == S3_OK && p->sent < bytes) {
        uint64_t left = bytes - p->sent;
        result = send_part(s, p, fd, left < p->part_bytes ? left : p->part_bytes, diag);
    }
    if (result == S3_OK)
        result = compare(p, sha256, diag);
    if (result == S3_OK)
        result = put_together(s, p, diag);
    if (result == S3_OK)
        s3_forget_parts(parts);
    return result;
}
