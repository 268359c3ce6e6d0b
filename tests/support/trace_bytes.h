/* Bytes of small input files, for tests of what reads them: pieces to build an Android method trace from, and
 * a table of whole files, good and damaged. */
#pragma once

#include "core/buf.h"
#include "profile/build/builder.h"

/* The lowest `bytes` bytes of value, little endian. */
void trace_bytes_le(struct buf *b, uint64_t value, unsigned bytes);

/* A key section with the threads 1 `main` and 70000 `worker`, and the methods 0x0 a.B.zero, 0x4 a.B.one and
 * 0x8 c.D.two, up to `*end`. */
void trace_bytes_keys(struct buf *b, unsigned version, const char *clock);

/* A binary header and what stands between it and the records; record_bytes is written as it is. */
void trace_bytes_header(struct buf *b, unsigned version, unsigned data_offset, unsigned record_bytes);

struct trace_record {
    uint16_t thread;
    uint32_t method;
    enum event_action action;
    uint32_t times[2]; /* as in the file: CPU before wall */
};

/* A record of this many bytes: 9 has a thread of one byte, from 14 on there are two times. */
void trace_bytes_record(struct buf *b, unsigned record_bytes, struct trace_record r);

/* A file and its name. */
struct trace_input {
    const char *name;
    void (*put)(struct buf *b);
};

extern const struct trace_input TRACE_INPUTS[];
extern const size_t TRACE_INPUTS_COUNT;
