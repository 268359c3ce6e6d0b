/* What a number counts, and so how it is written for people. */
#pragma once

enum unit {
    UNIT_NS, /* nanoseconds */
    UNIT_BYTES,
    UNIT_COUNT /* calls, samples, objects; the last one */
};

/* For programs. */
static inline const char *unit_word(enum unit unit)
{
    static const char *const WORDS[] = {[UNIT_NS] = "ns", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

    return WORDS[unit];
}
