/* Content codings of request bodies (RFC 9110, 8.4): gzip and zstd, one at a time. Of a raw body the coded bytes are the
 * upload, and are unpacked where any packed upload is; a coded form is unpacked here, before it is a form. */
#ifndef SERVER_CODING_H
#define SERVER_CODING_H

#include "parser/unpack.h"
#include "server/config.h"

#define CODING_ACCEPTED "gzip, zstd"

/* Of a Content-Encoding field. *packer is NULL for none, and for identity. False: another coding, or several. */
bool coding_find(struct str field, const struct packer **packer) __attribute__((warn_unused_result));

/* Whether a raw body begins as its coding says. False: diag. */
bool coding_agrees(const struct packer *packer, struct str head, struct diag *diag)
    __attribute__((warn_unused_result));

/* A coded form while it arrives; at most CODING_MEMORY_BYTES. */
struct coding;

/* Windows are as small as RFC 9659 has them for content codings. */
enum { CODING_WINDOW_BYTES = 8 << 20, CODING_MEMORY_BYTES = CODING_WINDOW_BYTES + (1 << 20) };

/* A piece of a body that comes out as a few MiB at most, whatever it is. */
enum { CODING_PIECE_BYTES = 128 };

/* `sink` as in unpack.h. NULL: diag. */
struct coding *coding_new(const struct packer *packer, const struct config *config,
                          bool (*sink)(void *context, const uint8_t *p, size_t n), void *context,
                          struct diag *diag) __attribute__((warn_unused_result));
/* False: diag, or the sink wanted no more. */
bool coding_feed(struct coding *c, const void *p, size_t n, struct diag *diag)
    __attribute__((warn_unused_result));
/* After the last byte. A body that is cut or damaged is refused. False as above. */
bool coding_finish(struct coding *c, struct diag *diag) __attribute__((warn_unused_result));
void coding_free(struct coding *c); /* NULL is fine */

#endif
