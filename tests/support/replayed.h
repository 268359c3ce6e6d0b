/* A log of calls in memory, for tests of what is made by replaying it. Blocks are of a few bytes, of other
 * numbers from log to log, so that replays begin and end everywhere. */
#pragma once

#include "core/buf.h"
#include "profile/build/builder.h"
#include "profile/calls/replay.h"
#include "profile/log/call_log.h"

struct replayed {
    struct arena arena; /* of the writer */
    struct log_memory memory;
    struct call_log log;
    struct call_log_writer *writer;
    size_t block_bytes;
};

/* The next log has the nth kind of blocks, and not those that follow the last log's. */
void replayed_blocks(unsigned nth);
/* Has the builder write the log, before its first track. */
void replayed_begin(struct replayed *r, struct builder *b);
/* Behind builder_finish, which made the profile. */
void replayed_end(struct replayed *r, const struct profile *p);
void replayed_close(struct replayed *r);

/* A builder of calls with so many times, behind which `values` has what counts them. They go to the log, unless that is NULL.
 * It has frames 0 and on, "a", "b" and so on, and tracks 0 and on, whose ids begin with first_id, when it is told so. */
struct builder *replayed_open(struct replayed *log, struct arena *arena, const struct profile_value *values,
                              uint32_t n_times, uint32_t ns_per_tick, bool wraps_at_32_bits);
void replayed_letters(struct builder *b, uint32_t n);
void replayed_tracks(struct builder *b, uint32_t first_id, uint32_t n);
/* The profile, behind which the log is whole. */
const struct profile *replayed_finish(struct replayed *log, struct builder *b);

/* The bytes of a log, which a test may change. */
struct replayed_file {
    uint8_t *p;
    size_t n;
};

/* As long as *file stays. */
struct call_log_source replayed_source(struct replayed_file *file);

/* Replays: all tracks of the profile, unless the request names some. */
enum replay_end replayed_play(const struct replayed *r, const struct profile *p,
                              struct replay_request request);

/* All that a log tells as text, whatever its blocks: each record; and what is told of some windows of time, of which it
 * reads what these need. */
void replayed_dump(struct buf *b, const struct replayed *r, const struct profile *p);
