/* What a number counts, and so how it is written for people. */
#ifndef CORE_UNIT_H
#define CORE_UNIT_H

enum unit {
    UNIT_NS, /* nanoseconds */
    UNIT_BYTES,
    UNIT_COUNT /* calls, samples, objects */
};

#endif
