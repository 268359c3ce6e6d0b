/* Names of methods and threads, as the trace lists them: made of words, the same for the same seed. */
#pragma once

#include "tests/support/trace_writer.h"

/* Appends the method's line. */
void names_put_method(struct buf *out, struct trace_format format, uint64_t seed, uint32_t method);
/* Appends the name of the n-th thread; 0 is the main thread. */
void names_put_thread(struct buf *out, uint32_t n);
