/* A file that tells names, a mapping.txt or symbols, as it arrives: checked, hashed and written to a temporary file of the store.
 *
 *     names_file_begin -> names_file_data .. -> names_file_end -> names_file_keep -> names_file_free
 *
 * Zeroed it is none. One thread at a time. */
#ifndef SERVER_UPLOAD_NAMES_FILE_H
#define SERVER_UPLOAD_NAMES_FILE_H

#include "core/sha256.h"
#include "server/convert/mapping_fit.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/store.h"
#include "server/symbols/symbol_search.h"

struct names_file {
    struct store *store; /* NULL: there is none */
    struct store_temp temp;
    struct sha256 *hash;
    enum record_names_file which;
    struct mapping_fit *check;    /* of a mapping */
    char head[SYMBOL_HEAD_BYTES]; /* of symbols: the beginning, by which they are checked */
    size_t head_bytes;
    uint64_t bytes;
    char sha256[RECORD_SHA256_CHARS + 1]; /* "" until its end */
};

/* False: diag; also if there is one already. */
bool names_file_begin(struct names_file *f, enum record_names_file which, const struct service *service,
                      struct diag *diag) __attribute__((warn_unused_result));
/* False: diag; also behind its end, which another field of the form without bytes may reach again. */
bool names_file_data(struct names_file *f, const struct service *service, struct str bytes, struct diag *diag)
    __attribute__((warn_unused_result));
bool names_file_end(struct names_file *f, struct diag *diag) __attribute__((warn_unused_result));
/* Makes it a blob of the store; takes until the disk has it. False: diag. */
bool names_file_keep(struct names_file *f, const struct service *service, struct diag *diag)
    __attribute__((warn_unused_result));
void names_file_free(struct names_file *f); /* may be called twice */

#endif
