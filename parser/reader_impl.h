/* The inside of the reader, shared by reader.c and reader_packing.c: what is said of how the input was packed, in facts and warnings of
 * the profile, and errors. */
#ifndef PARSER_READER_IMPL_H
#define PARSER_READER_IMPL_H

#include "parser/reader.h"

/* What the profile's readers have to know of the packing. False: diag. */
bool reader_note_packing(struct reader *r);
/* Nothing usable came out of what is cut or damaged: that is what to say, unless it is clear what it was. */
void reader_blame_damage(struct reader *r);
/* An archive that has nothing to read may be something as a whole, like an app. */
void reader_name_archive(struct reader *r, const struct source_input *file);

#endif
