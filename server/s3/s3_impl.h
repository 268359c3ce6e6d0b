/* What the files of this room share: one request, and its attempts. */
#pragma once

#include "core/buf.h"
#include "server/s3/s3.h"

enum {
    S3_ENDPOINTS_MAX = 8,
    S3_NAME_BYTES = 256,    /* of an endpoint, a bucket, a prefix, a key */
    S3_SECRET_BYTES = 4096, /* of the longest line of keys: a session token */
    S3_ETAG_BYTES = 128,
    S3_PAGE_BYTES = 4 << 20, /* of a thousand keys, with much room */
    S3_ERROR_BYTES = 4096    /* of an answer that refuses, as far as it is read */
};

struct s3_keys {
    char access[S3_NAME_BYTES], secret[S3_NAME_BYTES];
    char session[S3_SECRET_BYTES]; /* "": none */
};

/* s3_settings.c: each reads and checks. False: diag. */
struct s3_name {
    char bucket[S3_NAME_BYTES];
    char prefix[S3_NAME_BYTES]; /* before every key: empty, or ends with '/' */
};
bool s3_read_name(const char *text, struct s3_name *name, struct diag *diag) MUST_CHECK;
bool s3_is_path(struct str path); /* [a-z0-9/._-], which stand for themselves in an address */
struct s3_endpoints {
    char of[S3_ENDPOINTS_MAX][2 * S3_NAME_BYTES]; /* with the bucket, without a slash at the end */
    size_t n;
};
bool s3_read_keys(const char *file, struct s3_keys *keys, struct diag *diag) MUST_CHECK;
bool s3_read_endpoints(const char *text, const char *bucket, struct s3_endpoints *endpoints,
                       struct diag *diag) MUST_CHECK;

struct s3_request {
    const char *method; /* GET, HEAD, PUT, POST, DELETE */
    const char *key;    /* behind the prefix; "" with a query: the bucket itself */
    struct str query;   /* as it is sent and signed: sorted, percent-encoded */
    const char *text;   /* what a PUT or POST sends; NULL: bytes of the file */
    int fd;
    uint64_t from_byte; /* of the file */
    uint64_t bytes;     /* of the file, from there on */
    const char *sha256; /* of what is sent, in hex; NULL: of nothing */
    const char
        *from;     /* of a PUT: the key of the object whose bytes it takes, instead of a file's; else NULL */
    bool creates;  /* only if the key is not there */
    bool is_short; /* no file is sent or fetched: it ends soon */
    bool (*take)(void *context, const char *p, size_t n); /* of a GET of an object */
    void *context;
    struct buf *page; /* of a GET of a list, and of a POST: what comes, whole; at most S3_PAGE_BYTES */

    /* The answer. */
    char etag[S3_ETAG_BYTES]; /* of the first attempt that had bytes; of a PUT what it told */
    uint64_t taken, length;   /* bytes that were taken; Content-Length of a HEAD */
    int64_t modified_s;       /* Last-Modified of a HEAD, as Unix time; 0: none */
    bool ended;               /* `take` wanted no more */
};

/* s3.c: sends the request until it has an answer that counts. */
enum s3_result s3_send(struct s3 *s, struct s3_request *r, struct diag *diag) MUST_CHECK;
/* s3_parts.c: as s3_put, always in parts. */
enum s3_result s3_end_parts(struct s3 *s, struct s3_parts **parts, const char *key, int fd, uint64_t bytes,
                            const char *sha256, struct diag *diag) MUST_CHECK;
const char *s3_prefix(const struct s3 *s);

/* s3_xml.c: The text of the next element of this name behind *rest, which is moved behind it. False: there is none. */
bool s3_xml_next(struct str *rest, struct str name, struct str *text);
/* Appends the text with its entities replaced. */
void s3_xml_text(struct buf *b, struct str text);
