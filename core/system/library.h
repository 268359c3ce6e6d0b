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

/* Lists of functions are macros that do something with each: F(result, name, parameters, arguments). A file that has one makes of it
 * the members of its `struct functions`, their names, and functions of these names that call them. */
#define LIBRARY_MEMBER(type, name, ...) __typeof__(name) *(name);
#define LIBRARY_ENTRY(type, name, ...)  {#name, offsetof(struct functions, name)},
#define LIBRARY_FORWARD(type, name, parameters, arguments) \
    type name parameters                                   \
    {                                                      \
        return library.name arguments;                     \
    }

/* Opens the library, which stays open until the program ends, and sets the table's pointers to its functions. False: it is
 * not there, or not all of them are. */
bool library_open(const char *file, const struct library_function *functions, size_t n,
                  void *table) MUST_CHECK;
