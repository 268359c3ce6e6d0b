/* Traces that are no regular files: streaming ones (0xf3), and ART's version 2 in its layouts A to E, with
 * both clocks. What they look like is written in parser/android/stream.c and parser/android/v2.h.
 * In version 2 the records of a thread stand together, in blocks: those that are not full yet are kept
 * here. */
#pragma once

#include "tests/support/trace_writer.h"

enum packets_layout {
    PACKETS_NONE, /* a regular file */
    PACKETS_STREAM,
    PACKETS_A,
    PACKETS_B,
    PACKETS_C,
    PACKETS_D, /* C in ns */
    PACKETS_E,
    PACKETS_LAYOUTS
};

/* A block that grows. */
struct packets_block {
    uint16_t thread;
    uint32_t records;
    uint64_t first, word, wall, cpu, method; /* what the next record's numbers count from */
    uint32_t first_wall, first_cpu;
    struct buf body;
};

/* The word on the command line, "stream", "a", ...; NULL: there is none. */
const char *packets_word(enum packets_layout layout);

void packets_begin(struct buf *out, enum packets_layout layout, uint64_t start_us);
void packets_thread(struct buf *out, enum packets_layout layout, uint16_t id, struct str name);
/* `line` as it stands in a list of methods. */
void packets_method(struct buf *out, enum packets_layout layout, uint32_t method, struct str line);
/* The block is its thread's own, zeroed at first. */
void packets_record(struct buf *out, enum packets_layout layout, struct packets_block *b,
                    const struct trace_record *r);
/* What is left of a block. */
void packets_block_end(struct buf *out, enum packets_layout layout, struct packets_block *b);
/* Behind the last block. */
void packets_end(struct buf *out, enum packets_layout layout, const struct trace_keys *keys);
