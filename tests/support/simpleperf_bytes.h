/* Writes a small simpleperf report-sample file: two threads, two events, times off the CPU, what lists
 * them at the end. */
#pragma once

#include "core/buf.h"

struct simpleperf_options {
    bool meta_last;  /* the events stand at the end, too */
    bool no_off_cpu; /* nothing says for how long threads were off the CPU */
    bool no_end;
    bool on_first;     /* a thread is on the CPU again in front of the sample with which it went off */
    bool silent_first; /* an event stands in front of the two, of which there is no sample */
};

void simpleperf_put(struct buf *b, const struct simpleperf_options *options);
/* The header alone, and a record of the message in `body`, which is emptied. */
void simpleperf_put_header(struct buf *b);
void simpleperf_put_record(struct buf *b, uint32_t field, struct buf *body);
