/* From a demo script to the records of its thread: reads the lines, then does what they say. Times vary a
 * little from call to call, but the same way each time. */
#ifndef SERVER_DEMO_DEMO_PLAY_H
#define SERVER_DEMO_DEMO_PLAY_H

#include "core/strtab.h"
#include "server/demo/demo_script.h"
#include "server/demo/trace_writer.h"

struct demo_records {
    struct trace_record *p; /* in the arena */
    size_t n, capacity;
};

/* Appends what the thread does: every call that begins also ends. The index of a method is the id of its text
 * in `methods`, as the scripts spell it. False when the arena gives no more, or for a line that makes no
 * sense. */
bool demo_play(const struct demo_thread *thread, struct strtab *methods, struct demo_records *out)
    __attribute__((warn_unused_result));

#endif
