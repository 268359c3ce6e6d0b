/* A large file as an object: sent in parts, each of which is tried again for itself, and put together by the store. Nobody
 * sees anything before; parts that are never put together are taken away, unless this program ends: a rule of the bucket
 * should end them then (AbortIncompleteMultipartUpload). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sha256.h"
#include "core/system/digest.h"
#include "server/s3/s3_impl.h"

enum { PARTS_MAX = 10000, ID_BYTES = 1024 };

struct parts {
    struct s3 *s;
    const char *key;
    int fd;
    uint64_t bytes, part_bytes;
    struct buf id;    /* of the upload, as it stands in a query */
    struct buf list;  /* what is put together, as the store wants to be told */
    struct buf query; /* of the request */
};

/* Adds a part of the file to each of two digests. False: diag. */
static bool add_part(const struct parts *p, uint64_t from, uint64_t bytes, struct sha256 *of_part,
                     struct sha256 *of_file, struct diag *diag)
{
    char piece[16 << 10];

    while (bytes > 0) {
        size_t wanted = bytes < sizeof(piece) ? (size_t)bytes : sizeof(piece);
        ssize_t n = TEMP_FAILURE_RETRY(pread(p->fd, piece, wanted, (off_t)from));
        if (n <= 0)
            return diag_set(diag, DIAG_IO, "a file cannot be read", "",
                            "What should be sent as %s cannot be read: %s.", p->key,
                            n == 0 ? "it ends early" : strerror(errno));
        sha256_add(of_part, (struct str){piece, (size_t)n});
        sha256_add(of_file, (struct str){piece, (size_t)n});
        from += (uint64_t)n, bytes -= (uint64_t)n;
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

static enum s3_result no_memory(struct diag *diag)
{
    diag_no_memory(diag, "No memory is left to send a file to the object store.");
    return S3_UNAVAILABLE;
}

static enum s3_result begin(struct parts *p, struct diag *diag)
{
    struct buf page = {0};
    struct s3_request r = {.method = "POST",
                           .key = p->key,
                           .query = STR("uploads="),
                           .text = "",
                           .page = &page,
                           .is_short = true};
    enum s3_result result = s3_send(p->s, &r, diag);
    struct str rest = buf_view(&page), id = STR("");

    if (result == S3_OK && s3_xml_next(&rest, STR("UploadId"), &id) && id.n > 0 && id.n < ID_BYTES) {
        buf_percent(&p->id, id);
    } else if (result == S3_OK) {
        diag_set(diag, DIAG_IO, "the object store is not fit", "", "It gave no id for an upload in parts.");
        result = S3_UNAVAILABLE;
    }
    buf_free(&page);
    return result == S3_OK && p->id.failed ? no_memory(diag) : result;
}

static enum s3_result send_part(struct parts *p, unsigned number, uint64_t from, struct sha256 *of_file,
                                struct diag *diag)
{
    uint64_t left = p->bytes - from, bytes = left < p->part_bytes ? left : p->part_bytes;
    struct sha256 *of_part = sha256_new();
    char hex[DIGEST_CHARS + 1];

    buf_clear(&p->query);
    buf_printf(&p->query, "partNumber=%u&uploadId=", number);
    buf_str(&p->query, buf_view(&p->id));
    bool ok = of_part != NULL && add_part(p, from, bytes, of_part, of_file, diag);
    bool told = ok && end_digest(of_part, hex) && !p->query.failed;
    sha256_free(of_part);
    if (!told)
        return ok || of_part == NULL ? no_memory(diag) : S3_CORRUPT;
    struct s3_request r = {.method = "PUT",
                           .key = p->key,
                           .query = buf_view(&p->query),
                           .fd = p->fd,
                           .from_byte = from,
                           .bytes = bytes,
                           .sha256 = hex};
    enum s3_result result = s3_send(p->s, &r, diag);
    buf_printf(&p->list, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>", number, r.etag);
    return result;
}

static enum s3_result send_parts(struct parts *p, const char *sha256, struct diag *diag)
{
    struct sha256 *of_file = sha256_new();
    enum s3_result result = of_file != NULL ? S3_OK : no_memory(diag);
    char hex[DIGEST_CHARS + 1];
    unsigned number = 1;

    buf_z(&p->list, "<CompleteMultipartUpload>");
    for (uint64_t from = 0; result == S3_OK && from < p->bytes; from += p->part_bytes)
        result = send_part(p, number++, from, of_file, diag);
    buf_z(&p->list, "</CompleteMultipartUpload>");
    if (result == S3_OK && (p->list.failed || !end_digest(of_file, hex)))
        result = no_memory(diag);
    else if (result == S3_OK && strcmp(hex, sha256) != 0) {
        diag_set(diag, DIAG_IO, "a file has changed", "", "What should be sent as %s has other bytes by now.",
                 p->key);
        result = S3_CORRUPT;
    }
    sha256_free(of_file);
    return result;
}

/* The answer may have been lost of an attempt that put the parts together: the store does not know the upload any more then. */
static enum s3_result put_together(struct parts *p, struct diag *diag)
{
    static const struct str DONE = STR_INIT("<CompleteMultipartUploadResult");
    char hex[DIGEST_CHARS + 1];
    struct buf page = {0};
    struct s3_object o;

    digest_hex_of(p->list.p, p->list.n, hex);
    struct s3_request r = {.method = "POST",
                           .key = p->key,
                           .query = buf_view(&p->query),
                           .text = p->list.p,
                           .bytes = p->list.n,
                           .sha256 = hex,
                           .creates = true,
                           .page = &page};
    enum s3_result result = hex[0] != '\0' ? s3_send(p->s, &r, diag) : no_memory(diag);
    bool told = result == S3_OK && str_find_str(buf_view(&page), DONE) < page.n;
    buf_free(&page);
    if (result == S3_NOT_FOUND || (result == S3_OK && !told)) {
        result = s3_look(p->s, p->key, &o, diag);
        if (result == S3_NOT_FOUND || (result == S3_OK && o.bytes != p->bytes)) {
            diag_set(diag, DIAG_IO, "the object store is in trouble", "Look at the object store.",
                     "The parts of %s could not be put together.", p->key);
            result = S3_UNAVAILABLE;
        }
    }
    return result;
}

enum s3_result s3_put_parts(struct s3 *s, const char *key, int fd, uint64_t bytes, const char *sha256,
                            uint64_t part_bytes, struct diag *diag)
{
    struct parts p = {.s = s, .key = key, .fd = fd, .bytes = bytes, .part_bytes = part_bytes};

    struct s3_object there;

    while (bytes / p.part_bytes >= PARTS_MAX)
        p.part_bytes *= 2;
    enum s3_result result = s3_look(s, key, &there, diag);
    if (result != S3_NOT_FOUND)
        return result == S3_OK ? S3_EXISTS : result;
    result = begin(&p, diag);
    bool begun = result == S3_OK;
    if (begun)
        result = send_parts(&p, sha256, diag);
    if (begun) {
        buf_clear(&p.query);
        buf_z(&p.query, "uploadId=");
        buf_str(&p.query, buf_view(&p.id));
    }
    if (result == S3_OK)
        result = p.query.failed ? no_memory(diag) : put_together(&p, diag);
    if (begun && result != S3_OK && !p.query.failed) {
        struct s3_request r = {.method = "DELETE", .key = key, .query = buf_view(&p.query), .is_short = true};
        struct diag ignored = {0};
        (void)!s3_send(s, &r, &ignored);
    }
    buf_free(&p.id);
    buf_free(&p.list);
    buf_free(&p.query);
    return result;
}
