/* The inside of a writer of a log of calls, shared by call_log.c, which writes what it is told, and call_log_join.c, which
 * puts a log behind another one. */
#pragma once

#include "profile/log/call_log.h"
#include "profile/log/call_log_record.h"

/* Writes the log of calls. Of each track it knows what is open, since a new block tells that, and a call
 * that is told there goes into the footer with its end. A block ends when its records are as long as it
 * should be, and as what it has told of stacks: so a file of deep stacks has longer blocks, and no log is
 * more than a few times as long as its records. */

#define NO_CALL UINT64_MAX

struct open_call {
    frame_id frame;
    uint64_t callees;
    uint64_t number;                    /* in the footer's calls, or NO_CALL */
    uint64_t begin[PROFILE_CLOCKS_MAX]; /* as many as there are clocks */
};

struct written_track {
    struct call_log_track footer;
    uint64_t last[PROFILE_CLOCKS_MAX];
    struct open_call *open; /* the first one stands for the track */
    size_t n_open, open_capacity;
    struct call_log_call *roots;
    size_t n_roots, roots_capacity;
    uint64_t block; /* the number of the last block that it is in, from 1 */
    uint32_t place; /* the so-manyth of that block */
    uint64_t part;  /* of the writer's parts: the one that is under way */
};

/* A part, and whose. */
struct written_part {
    struct call_log_part part;
    uint32_t track;
};

struct call_log_writer {
    struct arena *arena;
    struct call_log_sink sink;
    size_t block_bytes;
    uint32_t n_clocks, n_values;
    bool failed;

    struct written_track *tracks;
    size_t n_tracks, tracks_capacity;
    struct written_part *parts;
    size_t n_parts, parts_capacity;
    struct call_log_call *calls;
    size_t n_calls, calls_capacity;
    struct call_log_block *blocks;
    size_t n_blocks, blocks_capacity;

    uint8_t *bytes; /* of the block */
    size_t n, capacity;
    size_t close_at; /* so many bytes are enough */
    size_t told;     /* of them those that tell of stacks, and the footer's for these */
    uint32_t *members;
    size_t n_members, members_capacity;
    uint32_t current; /* the track that records are of, or UINT32_MAX */
    size_t run;       /* with it: where in the block its records begin */
    uint64_t offset;  /* of the block in the log */
    uint64_t at;      /* records so far */

    bool is_piece; /* It has no sink: its blocks stay in the arena. */
    struct kept_block {
        uint8_t *bytes;
        size_t room_bytes; /* of the room that begins with this block; 0: none does */
    } * kept;
    size_t n_kept, kept_capacity;
    uint8_t *room_next; /* for the next block */
    size_t room_left;
};

/* Room for n more bytes in the block, whose `bytes` may move. False: the writer has failed. */
bool call_log_grow(struct call_log_writer *w, size_t n);
static inline bool call_log_reserve(struct call_log_writer *w, size_t n)
{
    return (!w->failed && w->capacity - w->n >= n) || call_log_grow(w, n);
}

/* At most LOG_VARINT_MAX bytes; returns where they end. */
static inline uint8_t *call_log_varint(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(0x80 | (value & 0x7f));
    *to++ = (uint8_t)value;
    return to;
}
void call_log_put_varint(struct call_log_writer *w, uint64_t value);

static inline void call_log_clocks(const struct call_log_writer *w, uint64_t *to, const uint64_t *ticks)
{
    memcpy(to, ticks, LOG_FIRST_CLOCKS * sizeof(*to));
    for (uint32_t i = LOG_FIRST_CLOCKS; i < w->n_clocks; i++)
        to[i] = ticks[i];
}

/* The last open call of the track is one more, which begins at these ticks. */
bool call_log_push(struct call_log_writer *w, struct written_track *t, frame_id frame, const uint64_t *ticks);
/* The call has a place in the footer from now on. */
bool call_log_number(struct call_log_writer *w, struct open_call *call);

/* The block that is under way ends: call_log_close_block also says in its parts where their tracks are by then. */
void call_log_put_block(struct call_log_writer *w);
void call_log_close_block(struct call_log_writer *w);

/* The bytes of a record's clocks behind its control byte and its frame, written to `to`, where 16 bytes have room: how far
 * the first two clocks went. Returns where they end; *control gets their lengths. Lengths are made
 * without branches: a processor cannot guess them. */
static inline uint8_t *call_log_put_clock(uint8_t *to, uint64_t ticks, unsigned *control)
{
    unsigned bytes = (unsigned)(71 - __builtin_clzll(ticks | 1)) / 8 - (ticks == 0);
    unsigned code = bytes > 6 ? 7 : bytes;

    memcpy(to, &ticks, sizeof(ticks));
    *control |= code << LOG_KIND_BITS;
    return to + LOG_CLOCK_BYTES[code];
}

static inline uint8_t *call_log_put_second_clock(uint8_t *to, uint64_t ticks, unsigned *control)
{
    unsigned code = 0U + (ticks > 0) + (ticks >= 1 << 8) + (ticks >= 1 << 16);

    memcpy(to, &ticks, sizeof(ticks));
    *control |= code << (LOG_KIND_BITS + LOG_CLOCK_BITS);
    return to + LOG_CPU_BYTES[code];
}
