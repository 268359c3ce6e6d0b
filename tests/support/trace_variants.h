/* One recording, written in every variant of an Android method trace that is no regular file. */
#pragma once

#include "core/buf.h"
#include "profile/build/builder.h"

/* Methods are numbers from 0 on; 0 to 3 are listed, as a.B.m0 .. a.B.m3. Times are µs. */
struct variant_event {
    uint16_t thread;
    uint8_t method;
    enum event_action action;
    uint32_t cpu, wall;
};

enum variant {
    VARIANT_S1,      /* streaming, version 0xf1, one clock */
    VARIANT_S2,      /* streaming, one clock */
    VARIANT_S2_WIDE, /* the same in 14 bytes, against its header */
    VARIANT_S3,      /* streaming, two clocks */
    VARIANT_A4,      /* ART version 2, layouts as in parser/android/v2.h */
    VARIANT_A5,
    VARIANT_B4,
    VARIANT_B5,
    VARIANT_C4, /* µs */
    VARIANT_C5,
    VARIANT_D4, /* C in ns */
    VARIANT_D5,
    VARIANT_D5_SPLIT, /* each block in two, the second one going on with the numbers of the first one */
    VARIANT_E4,
    VARIANT_E5,
    VARIANT_E5_COUNTER, /* times are those of a counter of 19.2 MHz */
    VARIANT_F6,
    VARIANTS
};

extern const char *const VARIANT_NAMES[VARIANTS];

/* How a file differs from the usual one. */
struct variant_options {
    const char *clock; /* of a single clock; NULL: "wall" */
    bool no_summary;
    bool cpu_alone; /* a single clock holds the CPU times */
    bool not_streaming;
    uint32_t events_per_block; /* 0: all events of a thread in one */
};

bool variant_is_dual(enum variant v);
bool variant_is_v2(enum variant v);

void variant_put(struct buf *b, enum variant v, const struct variant_event *events, size_t n,
                 const struct variant_options *options);

/* Two threads, 1 and 700, calls and recursion, an unroll, and one frame that stays open. Exits match. */
extern const struct variant_event VARIANT_HEALTHY[];
extern const size_t VARIANT_HEALTHY_COUNT;

/* The LEB128 numbers of a value. */
void variant_uleb(struct buf *b, uint64_t value);
void variant_sleb(struct buf *b, uint64_t value);
