/* Calls one by one as trace events of Chrome, as chrome://tracing, Perfetto and speedscope read them:
 *
 *     {"displayTimeUnit":"ns","traceEvents":[
 *     {"ph":"M","name":"thread_name","pid":1,"tid":T,"args":{"name":".."}},
 *     {"ph":"X","name":"a.B.c","ts":1.25,"dur":3,"tdur":2.5,"pid":1,"tid":T,"args":{"signature":"()V"}},
 *     ..]}
 *
 * A complete event (X) for each call; ts and dur are µs of the first clock, tdur of the CPU clock. The
 * order of events is free ("Trace Event Format", the document of the Chromium project). */
#ifndef RENDER_CALLS_CALL_CHROME_H
#define RENDER_CALLS_CALL_CHROME_H

#include "render/calls/call_writer.h"

/* The columns of a struct call_format. */
void call_chrome_begin(struct call_writer *w, struct buf *out);
void call_chrome_row(struct call_writer *w, const struct call_row *row, struct buf *out);
void call_chrome_end(struct call_writer *w, struct buf *out);

#endif
