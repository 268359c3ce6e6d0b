/* Names of C++ and Rust as compilers mangle them, made readable by libiberty. */
#pragma once

#include "core/buf.h"

/* Appends the readable name, cut at max bytes; or the name itself: if it is not mangled, or longer than
 * what is given to the library, which walks names by recursion. */
void demangle(struct buf *b, struct str name, size_t max);
