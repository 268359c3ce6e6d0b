/* What names an upload, its bytes and its profile: random ids, and digests. Knows no store. Any thread. */
#ifndef SERVER_STORE_RECORD_ID_H
#define SERVER_STORE_RECORD_ID_H

#include "core/str.h"

enum {
    RECORD_ID_CHARS = 26, /* 128 random bits in lower-case base32, [a-z2-7] */
    RECORD_SHA256_CHARS = 64,
    RECORD_MEMBER_BYTES = 512
};

/* True if it has the form of an id: the only client text that ever becomes part of a key. */
bool record_id_valid(struct str id);

/* A new id, or a new delete token: random bits from the system. False if it gives none. */
bool record_new_secret(char out[RECORD_ID_CHARS + 1]) __attribute__((warn_unused_result));

/* 64 digits of lower-case hex. */
bool record_sha256_valid(struct str hex);

/* SHA-256 in lower-case hex. Empty text, which is no digest, if the library has no memory. */
void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1]);

/* Files that came beside the bytes of an upload and tell its names: each is a blob of its own, by its digest; "" is none. */
enum record_names_file { RECORD_MAPPING, RECORD_SYMBOLS, RECORD_NAMES_FILES };
struct record_names {
    char of[RECORD_NAMES_FILES][RECORD_SHA256_CHARS + 1];
};
/* "mapping", "symbols": as in records, forms and URLs. */
extern const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES];

#endif
