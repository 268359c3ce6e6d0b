/* Inputs that are meant to be hard: each family stretches one thing as far as its size says, and a program
 * that is linear in all of them needs twice the time for twice the size. Regular traces with both clocks. */
#pragma once

#include "core/buf.h"

enum family {
    FAMILY_WIDE,    /* one method calls this many others */
    FAMILY_DEEP,    /* a stack of this depth, entered and left */
    FAMILY_METHODS, /* this many methods, each in a stack of its own */
    FAMILY_THREADS, /* this many threads (at most 65,535) of one call */
    FAMILY_TURNS,   /* 1,000 threads, and another one's turn at each of this many records */
    FAMILY_EXITS,   /* nothing but exits, so that each is the caller of all before it */
    FAMILY_ENTERS,  /* nothing but enters */
    FAMILY_EQUAL,   /* this many methods of one name, in one caller, that differ in their signatures */
    FAMILY_ALIENS,  /* a stack of this depth, and exits of methods that are not on it */
    FAMILY_MISSED,  /* every second exit is missing: the next one is of a method further down */
    FAMILIES
};

enum { FAMILY_SIZE_MAX = 1 << 24 };

extern const char *const FAMILY_NAMES[FAMILIES];

/* Appends the whole file. */
void family_put(struct buf *b, enum family family, uint32_t size);
