/* What the main thread of a system trace did, as parts that add up to all of its time: exact sums over the states that the
 * scheduler told, of a profile or of a window of one.
 *
 * Time on a CPU, waiting for one, and waiting for input and output are what they are, in whatever section. All else the
 * innermost section explains of which it is known what it waits for (sections.h): a lock, another process, the garbage
 * collector. Without such a section the state is all that is known. */
#pragma once

#include "core/arena.h"
#include "render/verdict/system_log.h"

enum system_part {
    PART_RUNNING,
    PART_RUNNABLE,
    PART_IO,
    PART_LOCK,
    PART_BINDER,
    PART_GC,
    PART_SLEEPING,
    PART_BLOCKED,
    PART_UNKNOWN,
    PARTS
};

enum { SYSTEM_PATH_MAX = 8 };

struct system_part_sum {
    uint64_t ns;
    /* The section that has most of it: of a lock, a transaction or a collection that one, else the innermost
     * one; FRAME_NONE: most of it was in no section. */
    frame_id frame;
    uint64_t frame_ns;
    /* Of a lock, a transaction or a collection: the section around them that has most; FRAME_NONE: none. */
    frame_id within;
    uint64_t within_ns;
};

struct system_sums {
    uint64_t wall_ns;
    bool has_states; /* else there is wall time alone, and no part */
    struct system_part_sum part[PARTS];

    /* Where most of the time on a CPU was, or of wall time without states: from the outermost section on, each with half of
     * what the one above it has, down to one that explains what is within it. */
    struct {
        frame_id frame;
        uint64_t ns;
    } path[SYSTEM_PATH_MAX];
    uint32_t n_path;
};

/* Time in sections of locks, each counted once: a section within another one is the same wait. */
struct system_locks {
    uint64_t ns, calls;
    uint64_t *by_frame; /* [n_frames]: owner and method */
};

/* What rules of system traces look at. */
struct system_counts {
    const uint64_t *ran_ns; /* by track: while the main thread waited for a CPU; NULL: nobody has looked */
    const struct wake_chain *wakes; /* of the longest wait of the main thread; NULL: nobody has looked */
    const struct system_log *log;   /* NULL: nobody has read the log, and there is neither start nor frame */
    struct system_sums all;         /* of all that was recorded of the main thread */
    struct system_sums start,
        frame; /* of the start and of the longest frame; wall_ns is 0 where there is none */
    struct system_locks main, beside; /* of the main thread, and of the others of its process */
};

/* Of the profile whose main thread is at that index. Lives in the arena; NULL when it gives no more. */
const struct system_counts *system_counts_new(const struct profile *p, uint32_t main,
                                              const struct system_times *times,
                                              struct arena *arena) MUST_CHECK;
