/* What must hold of any input of any format: the answer does not depend on how the bytes arrive, and damage
 * is answered, soon and without a crash. Failures fail the running cmocka test. */
#pragma once

#include "core/buf.h"
#include "parser/reader.h"

/* Each byte alone, two pieces cut anywhere, and random cuttings give the same answer. */
void hostile_cuttings(const char *name, const struct buf *bytes);

/* The file cut at each byte, and with each bit flipped: an answer in under a second. */
void hostile_truncations(const char *name, const struct buf *bytes);
void hostile_bit_flips(const char *name, const struct buf *bytes);
/* All three. */
void hostile_damage(const char *name, const struct buf *bytes);

/* Reads the file; the profile's arena is the caller's to free. NULL: *diag. */
const struct profile *hostile_read(struct arena *arena, const void *p, size_t n, struct diag *diag);

/* The same of a good file. */
const struct profile *hostile_read_good(struct arena *arena, const struct buf *bytes);

/* The same, and the bytes are freed: of a good file, and of one that has to be refused with `words` in its
 * title or detail. */
const struct profile *hostile_read_well(struct arena *arena, struct buf *bytes);
void hostile_refused(struct buf *bytes, enum diag_kind kind, const char *words);

/* Appends a line per node of the track: its name behind a - for each caller, its kind, and its own values,
 * less what was taken off them. */
void hostile_put_stacks(struct buf *b, const struct profile *p, uint32_t track);

/* Appends one line per track and node: names, wall, cpu (in ns, - if there is none) and calls. */
void hostile_describe(struct buf *b, const struct profile *p);
