/* What a record holds, and the text of its object. What is read may have been written by an older version, a failing
 * disk, or an operator: all of it is checked, and taken as it is or not at all. Also the ids and digests by which
 * uploads and files are named. Knows no store. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/str.h"
#include "server/spaces/labels.h"

enum {
    RECORD_ID_CHARS = 26, /* 128 random bits in lower-case base32, [a-z2-7] */
    RECORD_SHA256_CHARS = 64,
    RECORD_MEMBER_BYTES = 512
};

/* True if it has the form of an id: the only client text that ever becomes part of a key. */
bool record_id_valid(struct str id);

/* A new id, or a new delete token: random bits from the system. False if it gives none. */
bool record_new_secret(char out[RECORD_ID_CHARS + 1]) MUST_CHECK;

/* 64 digits of lower-case hex. */
bool record_sha256_valid(struct str hex);

/* Files that came beside the bytes of an upload and tell its names: each by its digest, "" is none, and by the period
 * in which it was put (record.h), which says where it is and nothing of what it is. */
enum record_names_file { RECORD_MAPPING, RECORD_SYMBOLS, RECORD_NAMES_FILES };

struct record_names {
    char of[RECORD_NAMES_FILES][RECORD_SHA256_CHARS + 1];
    uint32_t period[RECORD_NAMES_FILES];
};

/* "mapping", "symbols": as in records, forms and URLs. */
extern const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES];

enum { RECORD_NAME_BYTES = 255, RECORD_APP_BYTES = 200, RECORD_OWNER_BYTES = 100, RECORD_MARK_BYTES = 32 };

struct record {
    char id[RECORD_ID_CHARS + 1];
    /* What the client called the file. Written: any bytes. Read: cleaned (core/clean.h), still to be escaped.
     */
    char name[RECORD_NAME_BYTES + 1];
    char sha256[RECORD_SHA256_CHARS + 1]; /* of the bytes as uploaded */
    char member[RECORD_MEMBER_BYTES + 1]; /* of an archive, that was chosen, cleaned; or "" */
    char app[RECORD_APP_BYTES + 1];       /* packages that the owner said are the app's own, cleaned; or "" */
    struct record_names names;            /* files that tell its names */
    char owner[RECORD_OWNER_BYTES + 1];   /* who uploaded it (server/doors/who.h), cleaned; "": not known */
    bool team;                            /* readers "team": only who is known may read it */
    bool ended;                           /* It has expired, and is being removed. */
    char token_sha256[RECORD_SHA256_CHARS +
                      1];             /* of the delete token; "" only with an owner, who needs none */
    char format[32];                  /* name of the input format: printable ASCII */
    uint64_t size;                    /* bytes */
    int64_t created_s, expires_s;     /* Unix time, from 1970 to 9999 */
    uint64_t warnings;                /* how many kinds */
    char space[SPACE_NAME_BYTES + 1]; /* where it is listed; "": nowhere */
    char mark[RECORD_MARK_BYTES + 1]; /* of its entry in the space (record_entry.h); "" of the first one */
    struct labels labels;
};

/* What the client calls the upload, cleaned as record_read cleans it, so that no byte of it ends it early;
 * what is too long is cut. False: no memory. */
bool record_set_name(struct record *r, struct str name) MUST_CHECK;

enum record_match {
    RECORD_OTHER,
    RECORD_MATCHES,
    RECORD_NO_MEMORY /* to hash the token */
};

/* Constant-time comparison of the token's hash. */
enum record_match record_token_matches(const struct record *r, struct str token);

/* Whether every field can be read back as it would be written. */
bool record_text_valid(const struct record *r);

/* Of the object of a record; ours are below 1 KiB, and twice the bytes of all labels. */
enum { RECORD_BYTES_MAX = 32768 };

/* The text, the caller's to free. NULL: no memory. */
char *record_text_write(const struct record *r);

/* False: not the record of this id; *r may have been filled in part then. */
bool record_text_read(struct str text, struct str id, struct record *r);
