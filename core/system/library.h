/* Shared libraries that most commands never call. To load them, with all that they need themselves, takes longer than
 * many commands do; so they are not linked, but opened when they are first called. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/must_check.h"

struct library_function {
    const char *name;
    size_t offset; /* of the pointer to it, in the table */
};

/* Opens the library, which stays open until the program ends, and sets the table's pointers to its functions. False: it is
 * not there, or not all of them are. */
bool library_open(const char *file, const struct library_function *functions, size_t n,
                  void *table) MUST_CHECK;
