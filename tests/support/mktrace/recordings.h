/* Recordings that are no method traces, of about so many bytes: simpleperf's report-sample; Perfetto
 * traces of CPU samples, or of which a tenth, or nearly nothing, is a heap profile and the rest are
 * packets that are passed over; and system traces, which are sections of threads and the scheduler's switches. What they
 * look like is written in parser/simpleperf/simpleperf.c, parser/perfetto/perfetto.c and
 * parser/systrace/systrace_ftrace.c. */
#pragma once

#include "core/buf.h"
#include "tests/support/mktrace/calls.h"

enum recording {
    RECORDING_SIMPLEPERF,
    RECORDING_PERFETTO,
    RECORDING_SAMPLES,
    RECORDING_SKIPPED,
    RECORDING_SYSTEM,
    RECORDINGS
};

/* The word on the command line; NULL: there is none. */
const char *recording_word(enum recording recording);

/* Writes what has gathered in the buffer, and empties it. False: it cannot be written. */
typedef bool recording_flush(void *context, struct buf *out);

/* `t` is grown. False: no memory, or flush said so. */
bool recording_put(enum recording recording, struct calls *t, struct chance *c, uint64_t bytes,
                   recording_flush *flush, void *context) MUST_CHECK;
