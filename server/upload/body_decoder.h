/* Content codings of request bodies (RFC 9110, 8.4): gzip and zstd, one at a time. Of a raw body the coded bytes are the
 * upload, and are unpacked where any packed upload is; a coded form is unpacked here, before it is a form. */
#ifndef SERVER_UPLOAD_BODY_DECODER_H
#define SERVER_UPLOAD_BODY_DECODER_H

#include "parser/unpack/unpack.h"
#include "server/config/config.h"

#define BODY_DECODER_ACCEPTED "gzip, zstd"

/* Of a Content-Encoding field. *packer is NULL for none, and for identity. False: another coding, or several. */
bool body_decoder_find(struct str field, const struct packer **packer) __attribute__((warn_unused_result));

/* Whether a raw body begins as its coding says. False: diag. */
bool body_decoder_agrees(const struct packer *packer, struct str head, struct diag *diag)
    __attribute__((warn_unused_result));

/* A coded form while it arrives; at most BODY_DECODER_MEMORY_BYTES. */
struct body_decoder;

/* Windows are as small as RFC 9659 has them for content codings. */
enum {
    BODY_DECODER_WINDOW_BYTES = 8 << 20,
    BODY_DECODER_MEMORY_BYTES = BODY_DECODER_WINDOW_BYTES + (1 << 20)
};

/* A piece of a body that comes out as a few MiB at most, whatever it is. */
enum { BODY_DECODER_PIECE_BYTES = 128 };

/* `sink` as in unpack.h. NULL: diag. */
struct body_decoder *body_decoder_new(const struct packer *packer, const struct config *config,
                                      bool (*sink)(void *context, const uint8_t *p, size_t n), void *context,
                                      struct diag *diag) __attribute__((warn_unused_result));
/* False: diag, or the sink wanted no more. */
bool body_decoder_feed(struct body_decoder *c, const void *p, size_t n, struct diag *diag)
    __attribute__((warn_unused_result));
/* After the last byte. A body that is cut or damaged is refused. False as above. */
bool body_decoder_finish(struct body_decoder *c, struct diag *diag) __attribute__((warn_unused_result));
void body_decoder_free(struct body_decoder *c); /* NULL is fine */

#endif
