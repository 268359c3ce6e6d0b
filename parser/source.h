/* Where the bytes of a file come from: memory, a file, a pipe, an upload that is still arriving.
 *
 * The parser makes no calls to the system and knows no threads. Who owns the bytes gives it a struct source_input, whose
 * functions may block: the reader is straight code on a thread that may wait. */
#ifndef PARSER_SOURCE_H
#define PARSER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_input {
    /* Copies up to n > 0 bytes from place `at` on to `to`, and returns how many. Waits until there is at least one, or none
     * will ever come: 0 only at the end of the bytes, or behind it. -1: they cannot be had; who gave this function knows
     * why. */
    ptrdiff_t (*read_at)(void *context, uint64_t at, void *to, size_t n);
    /* Sets the length of the whole, and waits until it is known. False: as -1 above.
     * NULL: a pipe or the like. Each byte can be read once, in their order, and what needs the whole file is refused. */
    bool (*size)(void *context, uint64_t *bytes);
    /* The member of an archive that is meant, as it was asked for; "" or NULL: none is named. For inputs of which it may be
     * named behind their bytes, as in a form: it is called once at most, when read_at has returned 0 or size has returned,
     * and may wait. What it returns is copied. NULL: nobody names one late. */
    const char *(*member)(void *context);
    void *context;
};

#endif
