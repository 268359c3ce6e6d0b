/* What fuzz targets share. Whatever does not hold aborts. */
#pragma once

#include "core/buf.h"

enum { FUZZING_CUTS = 4 };

/* Where to cut an input, by its last bytes, so that a file can be one as it is: rising, each at most `size`. */
void fuzzing_cut_points(const uint8_t *data, size_t size, size_t cuts[FUZZING_CUTS]);

/* A reader that gets the beginning and then the data answers the same in one piece and in several. */
void fuzzing_reader(struct str beginning, const uint8_t *data, size_t size);

/* The input as a slice of memory of its own; freed by the caller (its p). */
struct str fuzzing_copy(const void *p, size_t n);

/* The next field of an input of several, up to a line's end. */
struct str fuzzing_line(struct str *rest);

/* Aborts unless it holds. */
void fuzzing_check(bool holds);
