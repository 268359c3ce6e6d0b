/* Streaming parser for multipart/form-data (RFC 7578, RFC 2046): bytes in any pieces, parts out, nothing
 * copied but the headers of a part. Finds delimiters with memmem, so that bodies full of CR LF stay fast.
 *
 * Strict where readers differ from each other, because that is where bodies are forged: line ends are CR LF,
 * headers are not folded, nothing is named twice, no transfer encoding. What stands before the first
 * delimiter and behind the last is passed over, up to a number of bytes each. A part of
 * multipart/mixed is data like any other. Memory does not depend on the body, time is linear in it. One
 * thread at a time. */
#pragma once

#include "core/diag.h"
#include "core/str.h"

/* Takes the word before the first parameter off the front of *value, trimmed. */
struct str mime_word(struct str *value);

enum mime_next { MIME_END, MIME_PARAMETER, MIME_MALFORMED };

struct mime_parameter {
    struct str name;
    struct str value; /* without its quotes; escapes are still in it if it was quoted */
    bool quoted;
};

/* Takes the next parameter off the front of *rest, which is what mime_word left. An empty one (`;;`) is
 * passed over. */
enum mime_next mime_parameter(struct str *rest, struct mime_parameter *parameter);

/* `\"` and `\\` become `"` and `\`, in place; any other backslash is one, as browsers send it. The new
 * length. */
size_t mime_unescape(char *p, size_t n);

/* `UTF-8'en'%e2%82%ac%20rates` (RFC 5987): decodes in place and gives the text within it; it may hold any
 * bytes. False if it is not UTF-8 by its own word, or not of that form. */
bool mime_decode_extended(char *p, size_t n, struct str *text) MUST_CHECK;

enum {
    MULTIPART_BOUNDARY_MAX = 70, /* RFC 2046, 5.1.1 */
    MULTIPART_PREAMBLE_BYTES_MAX = 8192,
    MULTIPART_EPILOGUE_BYTES_MAX = 8192,
    MULTIPART_HEADER_BYTES_MAX = 8192, /* of one part */
    MULTIPART_PARTS_MAX = 64
};

struct multipart_part {
    struct str name;
    struct str filename; /* without folders; any bytes but CR, LF, NUL, except that filename* can bring those
                            too; empty when a form was sent without a file chosen */
    bool has_filename;   /* a file field */
    struct str content_type; /* may be empty */
};

/* Each returns false to stop: then multipart_feed returns false too, and the diag is the handler's to set. */
struct multipart_handler {
    bool (*begin)(void *context, const struct multipart_part *part); /* slices valid during the call */
    bool (*data)(void *context, const char *p, size_t n);            /* n > 0; in order; any pieces */
    bool (*end)(void *context);                                      /* the part is complete */
    void *context;
};
struct multipart; /* about 10 KiB */

/* Takes the boundary out of a Content-Type value. False (diag: DIAG_USAGE) if it is not multipart/form-data
 * with a usable boundary; accepts quoted values and parameters behind it. */
bool multipart_boundary(struct str content_type, char boundary[MULTIPART_BOUNDARY_MAX + 1],
                        struct diag *diag) MUST_CHECK;

/* A boundary as multipart_boundary gives it. NULL when the system gives no memory. */
struct multipart *multipart_new(const char *boundary, struct multipart_handler handler);
void multipart_free(struct multipart *m); /* NULL is fine */

/* False when the body is malformed (DIAG_USAGE) or the handler stopped; from then on it stays false. */
bool multipart_feed(struct multipart *m, const char *p, size_t n, struct diag *diag) MUST_CHECK;

/* After the last byte: false (DIAG_USAGE) unless there was a part, and the closing delimiter. */
bool multipart_finish(struct multipart *m, struct diag *diag) MUST_CHECK;
