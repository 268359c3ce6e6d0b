/* Calls in the order of time as trace events of Chrome, as chrome://tracing, Perfetto and speedscope read them:
 *
 *     {"displayTimeUnit":"ns","otherData":{"clock":"wall"},"traceEvents":[
 *     {"ph":"M","name":"thread_name","pid":1,"tid":T,"args":{"name":".."}},
 *     {"ph":"B","name":"a.B.c","ts":1.25,"tts":1,"pid":1,"tid":T,"args":{"signature":"()V"}},
 *     {"ph":"E","name":"a.B.c","ts":4.25,"tts":3.5,"pid":1,"tid":T},
 *     ..]}
 *
 * ts is us of the first clock, which otherData names, tts of the CPU clock beside it. Each call has an event where it
 * begins (B) and one where it ends (E), so that calls that share both times with their callers nest as they did: of
 * complete events (X) a reader would have to guess which is the caller ("Trace Event Format", the document of the
 * Chromium project). */
#ifndef RENDER_CALLS_CALL_CHROME_H
#define RENDER_CALLS_CALL_CHROME_H

#include "render/calls/call_writer.h"

/* The columns of a struct call_format. */
void call_chrome_begin(struct call_writer *w, struct buf *out);
void call_chrome_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out);
void call_chrome_end(struct call_writer *w, struct buf *out);

#endif
