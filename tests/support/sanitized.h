/* Whether this is a build with a sanitizer, which is ten to twenty times slower: heavy tests do less there. The ordinary build does
 * all of it. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Tests of each place of some bytes go on by so many of them. Seven is prime to 8: each bit of a byte has its turn. */
enum { PLACES_STEP = SANITIZED ? 7 : 1 };
