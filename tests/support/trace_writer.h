/* Writes regular Android method traces, the layout that parser/android/trace.c documents: keys, the list of
 * threads, the list of methods, the binary header, then records, each appended to a buffer in that order. The
 * buffer's sticky error is the only failure. Any thread. */
#pragma once

#include "core/buf.h"

enum trace_action { TRACE_ENTER, TRACE_EXIT, TRACE_UNROLL };

enum trace_clock {
    TRACE_CPU,
    TRACE_WALL,
    TRACE_DUAL,   /* needs version 3 */
    TRACE_GLOBAL, /* what version 1 calls wall time */
    TRACE_CLOCKS
};

struct trace_format {
    unsigned version; /* 1, 2 or 3 */
    enum trace_clock clock;
};

struct trace_keys {
    uint64_t elapsed_us, records;
    uint64_t overhead_ns; /* what taking one time costs; only told */
    uint32_t pid;         /* 0: not told */
    const char *vm;       /* "art", "dalvik" */
};

struct trace_record {
    uint16_t thread; /* version 1: up to 255 */
    uint32_t method; /* index; the file's id is four times that */
    enum trace_action action;
    uint32_t cpu_us, wall_us; /* the format's clock says which of them is written */
};

/* The word of the key section: "thread-cpu", "wall", "dual", "global". */
const char *trace_writer_clock(enum trace_clock clock);

/* Up to the line that begins the list of threads. */
void trace_writer_keys(struct buf *out, struct trace_format f, const struct trace_keys *keys);
void trace_writer_thread(struct buf *out, uint16_t id, struct str name);
/* Between the last thread and the first method. */
void trace_writer_methods(struct buf *out);
/* The class is dotted. Traces before version 3 get a line number, too, the one that means unknown. */
void trace_writer_method(struct buf *out, struct trace_format f, uint32_t method, struct str class_name,
                         struct str name, struct str signature, struct str file);
/* Between the last method and the first record. */
void trace_writer_header(struct buf *out, struct trace_format f, uint64_t start_us);
void trace_writer_record(struct buf *out, struct trace_format f, const struct trace_record *r);
