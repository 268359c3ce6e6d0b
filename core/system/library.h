/* Shared libraries that most commands never call. To load them, with all that they need themselves, takes longer than
 * many commands do; so they are not linked, but opened when they are first called. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

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

/* A library that is opened once, whoever comes first, and stays open until the program ends. */
struct library {
    const char *file;
    const struct library_function *functions; /* that are used */
    size_t n;
    void *table; /* of the pointers to them, which are set when it is opened */
    bool (*begin)(
        void); /* NULL: nothing. Else it is called then, and says whether the library can be used. */
    atomic_int state;
};

#define LIBRARY_INIT(file_name, names, functions_table, begins)                           \
    {                                                                                     \
        .file = (file_name), .functions = (names), .n = sizeof(names) / sizeof(*(names)), \
        .table = &(functions_table), .begin = (begins)                                    \
    }

/* Opens it, if nobody has. False: it is not there, or not all of the functions are. For all threads. */
bool library_ready(struct library *library);
