/* The log of calls: all that a builder was told in the order of time, after repair, in few bytes. It is
 * written while the bytes of a profile are read:
 *
 *     w = call_log_writer_new(&arena, &sink, CALL_LOG_BLOCK_BYTES);
 *     builder_log(builder, w);                              before the first track
 *     .. the reading, to its end ..
 *     ok = call_log_finish(w, profile);
 *
 * and read by replay.h, whole or in part. It belongs to the profile as it was read: frame ids are those of
 * the profile before names, filters and windows.
 *
 * The layout, in the byte order of the machine, which the magic number tells:
 *
 *   blocks   of about CALL_LOG_BLOCK_BYTES, longer where stacks are deep. A block is a sequence of records of all tracks, in the
 *            order of the file. Before the first record of a track in a block stands the stack that is open there, so that a
 *            reading can begin at any block.
 *   footer   an array of each of the structs below: tracks, parts, roots, calls, blocks
 *   trailer  struct call_log_trailer
 *
 * A record is a control byte (call_log_record.h) and a few bytes: the frame of an enter, how far each clock
 * went since the track's last record, and the values of a sample.
 *
 * A call that is open where its track has a new block is in the footer, with its beginning, its end and
 * the time of its callees: so a reading of some blocks knows all of these calls.
 *
 * Damage is noticed by checks of the footer and of each block, and never believed. What passes these but
 * was made with intent is harmless: every index and size is looked at before it is used. */
#pragma once

#include "core/arena.h"
#include "profile/profile.h"

struct call_log_writer;

enum { CALL_LOG_BLOCK_BYTES = 64 << 10 };

/* Another layout has another number, and so has a machine with its bytes in another order. */
#define CALL_LOG_MAGIC UINT64_C(0x33736c6c61636661)

/* ---- what is in it ---- */

enum call_log_flag {
    CALL_LOG_OPEN = 1,     /* never left: `end` is the last record of its track */
    CALL_LOG_INNERMOST = 2 /* of those, the innermost of its track */
};

/* A call that some block begins in, or that encloses a track from its beginning (a root). Clocks in ticks. */
struct call_log_call {
    frame_id frame;
    uint32_t flags;
    uint64_t begin[PROFILE_CLOCKS_MAX], end[PROFILE_CLOCKS_MAX];
    uint64_t callees; /* first clock: time of its callees */
    uint64_t at;      /* the number of the record that left it, among all of the log */
};

/* What one block has of one track. */
struct call_log_part {
    uint32_t block, offset;     /* where the track comes first in the block */
    uint64_t first_at, last_at; /* first clock: before the first record there, and at the last one */
};

struct call_log_track {
    uint32_t id; /* of the profile's track */
    uint32_t pad;
    uint64_t first_part, n_parts; /* in the order of time */
    uint64_t first_root, n_roots; /* the one that was left first, and is innermost, comes first */
    uint64_t begin[PROFILE_CLOCKS_MAX], end[PROFILE_CLOCKS_MAX]; /* first and last record */
    uint64_t uncalled;                                           /* first clock: time in no call */
    uint64_t n_open;                                             /* calls that are never left */
};

struct call_log_block {
    uint64_t offset, bytes;
    uint64_t check;
};

struct call_log_trailer {
    uint64_t n_tracks, n_parts, n_roots, n_calls, n_blocks;
    uint32_t n_clocks, n_values; /* of a record; of a sample */
    uint32_t n_frames, pad;
    uint64_t footer_check; /* of the footer, in parts: see log_check_footer */
    uint64_t check;        /* of what stands above */
    uint64_t magic;
};

/* ---- writing ---- */

/* Takes the bytes, one piece behind the other. False: it cannot. */
struct call_log_sink {
    bool (*put)(void *context, const void *p, size_t n);
    void *context;
};

/* Lives in the arena, and takes from it what is open, and what the footer has; NULL when it gives no more. */
struct call_log_writer *call_log_writer_new(struct arena *arena, const struct call_log_sink *sink,
                                            size_t block_bytes) MUST_CHECK;

/* For the builder, whose tracks have the numbers. Times never go back within a track, and its first record
 * begins it. `ticks` are two at least; where there is one clock, the second one is 0. Failures are kept until
 * the end. */
void call_log_begin(struct call_log_writer *w, uint32_t track, uint32_t id, const uint64_t *ticks);
void call_log_enter(struct call_log_writer *w, uint32_t track, frame_id frame, const uint64_t *ticks);
void call_log_leave(struct call_log_writer *w, uint32_t track, const uint64_t *ticks);
void call_log_re_root(struct call_log_writer *w, uint32_t track, frame_id frame, const uint64_t *ticks);
void call_log_stay(struct call_log_writer *w, uint32_t track, const uint64_t *ticks);
void call_log_sample(struct call_log_writer *w, uint32_t track, const uint64_t *values,
                     const uint64_t *ticks);

/* Whether a record could not be written: what is told from then on is passed over. */
bool call_log_failed(const struct call_log_writer *w);

/* How many clocks a record has, and how many values a sample; before the first record. */
void call_log_shape(struct call_log_writer *w, uint32_t n_clocks, uint32_t n_values);

/* A piece of a log, which is written at the same time as what comes before it: see profile/build/join.c.
 *
 * call_log_piece makes the writer of a later piece, in an arena of its own, where the blocks stay. It does not know what
 * is open where it begins: what it leaves of that are re-roots for it. NULL when the arena gives no more.
 *
 * call_log_join puts the piece, which is used up, behind what `w` was told, as if its records had been told to `w`.
 * tracks[i] is the track of `w`, which has begun, that the piece's track i is. What the piece left is what is open
 * there, in this order, and frames are the same in both; at most two clocks, and no samples. False of
 * call_log_fits: the log would become long by it, because so much is open while the piece goes on. */
struct call_log_writer *call_log_piece(const struct call_log_writer *of, struct arena *arena) MUST_CHECK;
bool call_log_fits(const struct call_log_writer *w, const struct call_log_writer *piece,
                   const uint32_t *tracks);
void call_log_join(struct call_log_writer *w, struct call_log_writer *piece, const uint32_t *tracks);

/* Writes the rest, of a profile of so many frames. False: the arena gave no more (its failure says so), or
 * the sink took no more. */
bool call_log_finish(struct call_log_writer *w, uint32_t n_frames) MUST_CHECK;

/* ---- reading ---- */

/* Where the bytes are. read_at fills all n bytes, from the offset on; false: it cannot. Any thread. */
struct call_log_source {
    bool (*read_at)(void *context, uint64_t offset, void *to, size_t n);
    void *context;
    uint64_t size;
    /* Where n bytes lie in memory that nothing damages; NULL: not side by side. The function itself may be
     * NULL: nowhere. */
    const uint8_t *(*in_memory)(void *context, uint64_t offset, size_t n);
};

/* A log that was opened: its footer, which has been looked through. Constant; any thread. */
struct call_log {
    struct call_log_source source;
    struct call_log_trailer trailer;
    const struct call_log_track *tracks; /* as the builder numbered them; without parts: no record came */
    const struct call_log_part *parts;
    const struct call_log_call *roots, *calls;
    const struct call_log_block *blocks;
    void *memory; /* of the arrays */
    size_t memory_bytes;
};

/* Reads the footer. False: it is no log that can be read, or there is no memory for it (*memory_failed). */
bool call_log_open(struct call_log *log, const struct call_log_source *source,
                   bool *memory_failed) MUST_CHECK;
void call_log_close(struct call_log *log);
const uint8_t *call_log_block(const struct call_log *log, uint64_t block, uint8_t *room) MUST_CHECK;
size_t call_log_room(const struct call_log *log);

/* A log of calls in memory. */

/* In pieces of one size, so that a log that grows is never copied. Zeroed it is empty; it owns its memory
 * until log_memory_free. */
struct log_memory {
    uint8_t **pieces;
    size_t n, capacity;    /* pieces */
    uint64_t bytes, limit; /* that are there; that may be; 0: any number */
    bool full;             /* it took no more for the limit, not for want of memory */
};

/* Appends to the memory. */
struct call_log_sink log_memory_sink(struct log_memory *m);

/* Reads what is there; the memory stays as it is, and outlives the source. */
struct call_log_source log_memory_source(struct log_memory *m);
void log_memory_free(struct log_memory *m);
