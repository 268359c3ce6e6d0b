/* What the log of calls tells of the main thread of a system trace: when the app started, how long its frames were, and how
 * long one wait was. Sums of states are not made here: system_sums.h makes them of a profile, or of a window of it.
 *
 *     sink = system_log_new(&arena, p);
 *     replay(.. of sink->tracks, with system_log_replay(sink) ..);
 *     sink->log */
#pragma once

#include "core/arena.h"
#include "profile/calls/replay.h"
#include "profile/frame/sections.h"

/* Since the trace's start; to is 0 where there is none. */
struct system_range {
    uint64_t from_ns, to_ns;
};

struct system_log {
    struct system_range start; /* up to the end of the first frame */
    /* What it begins with: SECTION_BIND, or else SECTION_LAUNCH or SECTION_ACTIVITY. */
    enum section_kind begins;
    struct system_range launch; /* the same, as the system counts it */
    uint64_t drawn_ns;          /* the app has said that it is ready: the end of that; 0: it has not */

    uint64_t frames, late; /* on the main thread, from begin to end; longer than SCREEN_SLOW_NS */
    struct system_range longest_frame;

    uint64_t longest_runnable_ns;  /* at one time, without a CPU */
    struct system_range *runnable; /* when that was: ascending, apart from each other */
    uint32_t n_runnable;
    bool runnable_full;       /* there were more times than are kept */
    uint64_t longest_lock_ns; /* of one section, not within another one */
    frame_id longest_lock;
};

struct wake_chain;

/* What is read for a verdict of a system trace. */
struct system_times {
    const struct system_log *log;
    const struct profile *start; /* the window of the start; NULL: there is none */
    const struct profile *frame; /* that of the frame that system_worst_frame tells; NULL: there is none */
    /* By track: on a CPU while the main thread waited for one; NULL: nobody has looked. */
    const uint64_t *ran_ns;
    const struct wake_chain *wakes; /* of the longest wait of the main thread; NULL: nobody has looked */
};

struct system_log_sink {
    struct system_log log;
    const struct profile *p;
    const struct window *window;
    uint32_t *tracks, n_tracks; /* that are looked at: indexes of profile->tracks, ascending */

    /* Of system_log.c. */
    uint8_t *kind;     /* [n_frames]: enum section_kind */
    uint32_t runnable; /* which clock; n_times: none */
    bool waits;        /* the main thread is runnable, up to now */
    struct system_range activity;
};

/* The index of the app's main thread; n_tracks: there is none. */
uint32_t system_main(const struct profile *p);

/* `window`: only what lies in it counts; NULL: all. Lives in the arena; NULL when it gives no more. */
struct system_log_sink *system_log_new(struct arena *arena, const struct profile *p,
                                       const struct window *window) MUST_CHECK;
struct replay_sink system_log_replay(struct system_log_sink *s);

/* Behind the replay: where the start was. */
const struct system_log *system_log_finish(struct system_log_sink *s);

/* Of the frames that the system saw on the screen the one that came latest behind its deadline; NULL: none was late, or the system
 * did not look. */
const struct profile_screen_frame *system_worst_shown(const struct profile *p);
/* By how much that was; 0: nobody says. */
uint64_t system_shown_late_ns(const struct profile_screen_frame *x);
/* The frame that a verdict looks into: the worst one that was shown, or else the longest one on the main thread, if it is late. */
struct system_range system_worst_frame(const struct profile *p, const struct system_log *log);

/* Who ran while the main thread waited for a CPU: another replay, of all other threads.
 *
 *     rivals = system_rivals_new(&arena, p, log);
 *     replay(.. of rivals->tracks, with system_rivals_replay(rivals) ..);
 *     rivals->ran_ns, by track */
struct system_rivals {
    const struct system_log *log;
    const struct profile *p;
    uint32_t *tracks, n_tracks;
    uint64_t *ran_ns; /* [p->n_tracks] */
    uint32_t running; /* which clock */
};

/* Whether a thread waited for a CPU for more than a tenth of the time in which it ran or could have run. */
bool system_is_starved(uint64_t runnable_ns, uint64_t running_ns);

/* NULL: the arena gives no more. There are no tracks to replay where the main thread was not starved. */
struct system_rivals *system_rivals_new(struct arena *arena, const struct profile *p,
                                        const struct system_log *log) MUST_CHECK;
struct replay_sink system_rivals_replay(struct system_rivals *r);
