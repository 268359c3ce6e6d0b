/* SHA-256 of bytes that are there whole, and what is made of it. Text that comes in pieces: core/sha256.h. Any thread. */
#pragma once

#include "core/sha256.h"

enum {
    DIGEST_CHARS = 2 * SHA256_BYTES, /* in hex */
    DIGEST_KEY_BYTES = 32,
    DIGEST_HMAC_BYTES_MAX = 192 /* of what is signed */
};

/* False: the library has no memory. */
bool digest_of(const void *p, size_t n, uint8_t digest[SHA256_BYTES]) MUST_CHECK;

/* HMAC (RFC 2104). False also if the text is too long. */
bool digest_hmac(const uint8_t key[DIGEST_KEY_BYTES], struct str text,
                 uint8_t digest[SHA256_BYTES]) MUST_CHECK;

/* The same of a key and a text of any length. */
bool digest_hmac_long(struct str key, struct str text, uint8_t digest[SHA256_BYTES]) MUST_CHECK;

/* In lower case. */
void digest_hex(const uint8_t digest[SHA256_BYTES], char out[DIGEST_CHARS + 1]);
/* digest_of in hex. Empty text, which is no digest, if the library has no memory. */
void digest_hex_of(const void *p, size_t n, char out[DIGEST_CHARS + 1]);
