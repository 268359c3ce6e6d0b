/* What must be true of any page. */
#pragma once

#include "core/buf.h"

/* What was written, terminated. */
const char *markup_text(struct buf *b);

/* How often a part stands in a text. */
size_t markup_count(const char *text, const char *part);

/* A document with one heading, in which every element that begins also ends, and nothing has a style of its own. */
void markup_check(const char *page);
