/* The body of POST /p/<id>/mapping and /p/<id>/symbols: a form with that file and the upload's token,
 * which may be as large as an upload. Calling sequence, all from the request's own thread:
 * names_upload_begin_.. -> names_upload_data .. -> names_upload_end. */
#pragma once

#include "core/sha256.h"
#include "server/convert/mapping_fit.h"
#include "server/http/route.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/symbols/symbol_search.h"

struct names_file {
    struct local *local; /* NULL: there is none */
    struct local_temp temp;
    struct sha256 *hash;
    enum record_names_file which;
    struct mapping_fit *check;    /* of a mapping */
    char head[SYMBOL_HEAD_BYTES]; /* of symbols: the beginning, by which they are checked */
    size_t head_bytes;
    uint64_t bytes;
    char sha256[RECORD_SHA256_CHARS + 1]; /* "" until its end */
    uint32_t period;                      /* in which it was put; 0 until then */
};

/* False: diag; also if there is one already. */
bool names_file_begin(struct names_file *f, enum record_names_file which, const struct service *service,
                      struct diag *diag) MUST_CHECK;

/* False: diag; also behind its end, which another field of the form without bytes may reach again. */
bool names_file_data(struct names_file *f, const struct service *service, struct str bytes,
                     struct diag *diag) MUST_CHECK;
bool names_file_end(struct names_file *f, struct diag *diag) MUST_CHECK;

/* Puts it into the store, among those of the present period; takes until the disk has it. False: diag. */
bool names_file_keep(struct names_file *f, const struct service *service, struct diag *diag) MUST_CHECK;
void names_file_free(struct names_file *f); /* may be called twice */

/* In place of an id: the mapping that fits the profile's names best is to be named, and none is to be taken. */
#define NAMES_UPLOAD_FIND "by-names"

/* The steps of the two bodies, for struct route_body (server/http/route.h). */
enum exchange_step names_upload_begin_mapping(struct exchange *x);
enum exchange_step names_upload_begin_symbols(struct exchange *x);
enum body_step names_upload_data(struct exchange *x, const char *p, size_t *n);

struct names_upload {
    enum record_names_file which;
    struct names_file file; /* file.local is NULL: what is there is to be taken away */
    struct buf token;       /* of the form; empty if it has none */
    struct buf
        known; /* id of a mapping of the service's own that is to be taken, or NAMES_UPLOAD_FIND; or empty */
    struct buf known_file;       /* the same by its file; or empty */
    struct buf from, from_token; /* another upload, whose mapping is to be taken, and its token; or empty */
    bool has_begun;              /* some of the body has come */
    bool refused;                /* what comes is passed over */

    /* The room's own. */
    struct exchange *exchange;
    struct multipart *multipart;
    struct diag diag;
    struct buf *field; /* that is being read; NULL: the file */
    bool seen;         /* the field of the file */
    bool unnamed;      /* no file was chosen in the form */
    uint64_t bytes;
};

/* What has come, as long as the exchange lives. NULL: the form is not good; x->reply says why. */
struct names_upload *names_upload_end(struct exchange *x);
