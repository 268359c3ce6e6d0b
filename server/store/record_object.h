/* A record, and the text of its object, uploads/<id>.json. What is read may have been written by an older version, a failing
 * disk, or an operator: all of it is checked, and taken as it is or not at all. Knows no store. Any thread. */
#ifndef SERVER_STORE_RECORD_OBJECT_H
#define SERVER_STORE_RECORD_OBJECT_H

#include "server/store/record_id.h"

enum { RECORD_NAME_BYTES = 255, RECORD_APP_BYTES = 200 };

struct record {
    char id[RECORD_ID_CHARS + 1];
    /* What the client called the file. Written: any bytes. Read: cleaned (core/clean.h), still to be escaped.
     */
    char name[RECORD_NAME_BYTES + 1];
    char sha256[RECORD_SHA256_CHARS + 1]; /* of the bytes as uploaded */
    char member[RECORD_MEMBER_BYTES + 1]; /* of an archive, that was chosen, cleaned; or "" */
    char app[RECORD_APP_BYTES + 1];       /* packages that the owner said are the app's own, cleaned; or "" */
    struct record_names names;            /* files that tell its names */
    char token_sha256[RECORD_SHA256_CHARS + 1];
    char format[32];              /* name of the input format: printable ASCII */
    uint64_t size;                /* bytes */
    int64_t created_s, expires_s; /* Unix time, from 1970 to 9999 */
    uint64_t warnings;            /* how many kinds */
};

/* What the client calls the upload, cleaned as record_read cleans it, so that no byte of it ends it early; what is too
 * long is cut. False: no memory. */
bool record_set_name(struct record *r, struct str name) __attribute__((warn_unused_result));

/* Whether every field can be read back as it would be written. */
bool record_object_valid(const struct record *r);

/* The text, the caller's to free. NULL: no memory. */
char *record_object_write(const struct record *r) __attribute__((warn_unused_result));

/* False: not the record of this id; *r may have been filled in part then. */
bool record_object_read(struct str text, struct str id, struct record *r) __attribute__((warn_unused_result));

#endif
