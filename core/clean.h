/* Text from outside, made fit to be shown: invalid UTF-8, control characters, bidirectional controls and
 * noncharacters become visible replacements. The escapers for each language stand on this one walk. */
#pragma once

#include "core/buf.h"

/* Takes one character off the front of *s (s->n > 0) and returns the code point to show in its place: itself;
 * U+2400.. for C0 controls and U+2421 for DEL; U+FFFD for C1, bidirectional and line-separating controls,
 * the byte order mark, noncharacters, surrogates, and each maximal ill-formed part (Unicode 15, 3.9, table 3-8). */
uint32_t clean_next(struct str *s);

/* Appends the code point in UTF-8. */
void clean_put(struct buf *b, uint32_t code_point);

/* Code points that clean_next yields for s: how many cells of a monospace font the text takes. */
size_t clean_length(struct str s);

/* Cleaned, otherwise as it is: for text outputs. */
void clean_text(struct buf *b, struct str s);
/* Cleaned and escaped for XML or HTML, as content or inside a quoted attribute. */
void clean_xml(struct buf *b, struct str s);
/* Cleaned and escaped for the inside of a JSON string; safe inside a script element as well. */
void clean_json(struct buf *b, struct str s);
/* Cleaned, for one field of a log line: a blank, `"`, `=` and `\` are escaped with a backslash. */
void clean_log(struct buf *b, struct str s);

/* Whether cleaning would leave all of it as it is. */
bool clean_is_text(struct str s);

/* Whether s is well-formed UTF-8; its last sequence may be cut by the end. */
bool clean_is_utf8(struct str s);

/* The longest prefix of at most `limit` bytes that does not cut a UTF-8 sequence. */
struct str clean_cut(struct str s, size_t limit);
