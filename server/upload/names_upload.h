/* The body of POST /p/<id>/mapping and /p/<id>/symbols: a form with that file and the upload's token, which may be as large as an upload.
 * Calling sequence, all from the request's own thread: names_upload_begin_.. -> names_upload_data .. -> names_upload_end. */
#ifndef SERVER_UPLOAD_NAMES_UPLOAD_H
#define SERVER_UPLOAD_NAMES_UPLOAD_H

#include "server/http/route.h"
#include "server/upload/names_file.h"

/* In place of an id: the mapping that fits the profile's names best is to be named, and none is to be taken. */
#define NAMES_UPLOAD_FIND "by-names"

/* As in struct route_body. */
enum exchange_step names_upload_begin_mapping(struct exchange *x);
enum exchange_step names_upload_begin_symbols(struct exchange *x);
enum body_step names_upload_data(struct exchange *x, const char *p, size_t *n);

struct names_upload {
    enum record_names_file which;
    struct names_file file; /* file.store is NULL: what is there is to be taken away */
    struct buf token;       /* of the form; empty if it has none */
    struct buf
        known; /* id of a mapping of the service's own that is to be taken, or NAMES_UPLOAD_FIND; or empty */
    struct buf known_file;       /* the same by its file; or empty */
    struct buf from, from_token; /* another upload, whose mapping is to be taken, and its token; or empty */

    /* The room's own. */
    struct exchange *exchange;
    struct multipart *multipart;
    struct diag diag;
    struct buf *field; /* that is being read; NULL: the file */
    bool seen;         /* the field of the file */
    bool unnamed;      /* .. of a form in which none was chosen */
    bool refused;      /* the rest is drained */
    uint64_t bytes;
};

/* What has come, as long as the exchange lives. NULL: the form is not good; x->reply says why. */
struct names_upload *names_upload_end(struct exchange *x);

#endif
