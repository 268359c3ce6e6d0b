/* SHA-256 of text that comes in pieces, by libcrypto. One object makes any number of digests, one after the other. */
#pragma once

#include <stdint.h>

#include "core/str.h"

enum { SHA256_BYTES = 32 };

struct sha256;

/* NULL: no memory. */
struct sha256 *sha256_new(void) MUST_CHECK;
void sha256_free(struct sha256 *h); /* NULL is fine */

/* Appends to the text of the digest that is being made. */
void sha256_add(struct sha256 *h, struct str piece);
/* Ends the digest; what is added next belongs to another one. False if the library failed at any step of it: then
 * `digest` is not written. */
bool sha256_end(struct sha256 *h, uint8_t digest[SHA256_BYTES]) MUST_CHECK;
