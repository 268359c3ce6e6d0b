/* The values of Content-Type and Content-Disposition: a word and its parameters, `form-data; name="a";
 * filename="b"` (RFC 2045, 5.1; RFC 2183), as clients write them. */
#ifndef SERVER_HTTP_MESSAGE_MIME_H
#define SERVER_HTTP_MESSAGE_MIME_H

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
bool mime_decode_extended(char *p, size_t n, struct str *text) __attribute__((warn_unused_result));

#endif
