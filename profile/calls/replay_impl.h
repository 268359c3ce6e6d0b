/* Of the files of replay.h. */
#pragma once

#include "core/number.h"
#include "profile/calls/replay.h"
#include "profile/log/call_log_record.h"

enum { RENAMES_MAX = 4 };

#define NO_TRACK UINT32_MAX

struct shape {
    uint8_t kind, frame_bytes, clock_bytes, cpu_bytes, cpu_at, bytes;
};

struct replay {
    struct replay_request request;
    const struct call_log *log;
    struct arena *arena;
    bool prepared, ended;
    struct replay_sink ends; /* With ends_only: what is told behind the last block. */
    uint64_t next;           /* block */
    struct replay_track *tracks;
    uint32_t from, to;    /* those of them that are told now */
    uint32_t *nth_of;     /* by the number of the log's track: the request's, or NO_TRACK */
    uint32_t *needed;     /* by block: how many parts of it are played */
    uint8_t *room;        /* for a block that does not lie in memory */
    const uint8_t *block; /* that is played */
    const struct profile_mapped *renames[RENAMES_MAX]; /* the first one that was made first */
    uint32_t n_renames;
    bool single; /* each frame became one */
    bool damaged;
    uint32_t n_clocks, n_frames; /* of the log */

    /* While a block is played. */
    uint32_t *members; /* the tracks that came into it: the log's numbers */
    size_t n_members, members_capacity;
    const uint8_t *p, *end;
    unsigned records;
    uint32_t came; /* tracks that are played, and came into the block */
    uint64_t values[PROFILE_VALUES_MAX];
    struct shape shapes[UINT8_MAX + 1]; /* by the control byte */
};

static inline bool replay_damaged(struct replay *r)
{
    r->damaged = true;
    return false;
}

static inline uint64_t replay_ns(const struct replay *r, uint64_t ticks)
{
    return number_multiply(ticks, r->request.profile->ns_per_tick);
}

/* Finds the tracks in the log, and which of its blocks are played. False: damaged, or the arena gave no more. */
bool replay_prepare(struct replay *r);
/* Which of the track's parts is the one of this block; n_parts: none. */
uint64_t replay_part_of(const struct replay *r, const struct replay_track *t, uint64_t block);
