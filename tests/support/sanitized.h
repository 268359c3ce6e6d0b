/* A build with a sanitizer is ten to twenty times slower: heavy tests do less there. The ordinary build does all of it. */
#pragma once

#include "core/sanitizer.h"

/* Tests of each place of some bytes go on by so many of them. Seven is prime to 8: each bit of a byte has its turn. */
enum { PLACES_STEP = SANITIZED ? 7 : 1 };
