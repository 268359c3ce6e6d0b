/* Fields of preferences, as Accept and Accept-Encoding are (RFC 9110, 12.4): their members and how much each
 * is wanted. Pure. */
#pragma once

#include "core/buf.h"
#include "core/str.h"

enum { ACCEPT_NEVER = 0, ACCEPT_GLADLY = 1000 };

/* Takes the next member off the front of *field: its value without blanks and parameters, and its quality in
 * thousandths, ACCEPT_GLADLY where none is said. What is said and is no quality counts as ACCEPT_NEVER. False
 * at the end. */
bool accept_next(struct str *field, struct str *value, unsigned *quality);

/* Content codings (RFC 9110, 8.4): which one a client takes, and bytes in it. Pure but for memory; any
 * thread. */

enum encoding { ENCODING_IDENTITY, ENCODING_GZIP, ENCODING_ZSTD };

enum { ENCODING_SUFFIX_CHARS = 4 /* of the longest suffix */ };
const char *encoding_name(enum encoding e);   /* as in Content-Encoding */
const char *encoding_suffix(enum encoding e); /* of a stored object's key: "", ".gz", ".zst" */

/* What a client takes. Zeroed: identity only. */
struct encoding_choice {
    enum encoding best;
    bool plain; /* identity is fine as well */
};

/* Of an Accept-Encoding header (RFC 9110, 12.5.3). Where equally wanted, zstd goes before gzip and gzip before
 * identity. Without a header, or if nothing that it names can be made, identity. */
struct encoding_choice encoding_negotiate(struct str accept_encoding);

/* What to send of so many bytes: below a KiB there is nothing to win. */
enum encoding encoding_for(struct encoding_choice c, uint64_t bytes);

enum encoding_effort {
    ENCODING_KEPT, /* made once, sent to all: the files of the program */
    ENCODING_ONCE  /* made while somebody waits: speed counts */
};

/* Appends the encoded bytes; equal bytes give equal bytes. False, and out->failed, when memory is short or the
 * limit of `out` is reached. */
bool encoding_apply(enum encoding e, enum encoding_effort effort, struct str bytes,
                    struct buf *out) MUST_CHECK;
