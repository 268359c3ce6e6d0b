/* Counters in formats of calls: numbers that changed while the calls were made (struct profile_counter). */
#pragma once

#include "render/calls/call_writer.h"

/* How many counters are written: none where the time of what is written is not that of their readings. */
uint32_t call_counters(const struct call_writer *w);

/* The pid of the process that the counter is of; 0: of none. */
uint32_t call_counter_process(const struct call_writer *w, const struct profile_counter *c);

/* Calls `put` for each reading of the counter that is in what is written, in the order of time. What held when a window begins is read
 * there. */
void call_each_reading(struct call_writer *w, const struct profile_counter *c,
                       void (*put)(struct call_writer *w, const struct profile_counter *c,
                                   const struct profile_reading *reading, struct buf *out),
                       struct buf *out);
