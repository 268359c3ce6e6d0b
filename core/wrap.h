/* Paragraphs for terminals: text broken into lines at its blanks. */
#pragma once

#include "core/buf.h"

/* Appends the text, whose words have one blank between them, in lines of at most `width` characters (a
 * longer word has a line of its own), each ended by a newline. The first line goes on behind `column`
 * characters that are there already, all others begin with `indent` blanks. The text is UTF-8; each code
 * point counts as one character. */
void wrap_text(struct buf *b, struct str text, size_t column, size_t indent, size_t width);
