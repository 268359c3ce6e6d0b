/* The table of frames that an app showed too late: when, by how much, why, what its main thread and its RenderThread did
 * meanwhile, and the longest section in it. States and sections are not in a profile; a replay of its log tells them:
 *
 *     table = late_frames_new(&arena, p, window);
 *     replay(.. of table->tracks, with late_frames_replay(table) ..);
 *     format->write(&input, table, out, diag)
 *
 * Memory grows with the frames that are listed and the depth of stacks, not with the number of calls. */
#pragma once

#include "core/diag.h"
#include "profile/calls/replay.h"
#include "render/view/input.h"
#include "render/view/text_format.h"

enum { LATE_FRAMES_MAX = 500 /* listed: those with the longest delay */ };

/* They add up to the time that the thread was there for. */
enum late_state { LATE_RUNNING, LATE_RUNNABLE, LATE_WAITING, LATE_IO, LATE_UNKNOWN, LATE_STATES };

enum late_thread { LATE_MAIN, LATE_RENDER, LATE_THREADS };

struct late_frame {
    const struct profile_screen_frame *of;
    uint64_t over_ns; /* behind its deadline; 0: nobody says */
    uint64_t ns[LATE_THREADS][LATE_STATES];

    /* The section of one of the threads that took most of the frame. Those that are frames themselves do not count, nor does one that
     * another within it has more than half of, nor one with less than a tenth of the frame: so the innermost one that explains the time is told. `ns` is what of it lies in the
     * frame; 0: there is none. */
    struct {
        frame_id frame;
        uint32_t track; /* index of profile->tracks */
        uint64_t begin_ns, end_ns, ns;
    } longest;
};

struct late_frames {
    const struct profile *p;
    struct late_frame *list; /* the longest delay first; equal ones by time */
    uint32_t n;
    uint32_t frames, late;                   /* in the window */
    uint32_t tracks[LATE_THREADS], n_tracks; /* that are replayed: indexes of profile->tracks, ascending */
    uint32_t thread[LATE_THREADS];           /* the same by thread; p->n_tracks: there is none */
    bool has_states;

    /* Of late_frames.c. */
    uint32_t *by_begin;              /* places of the list */
    uint64_t *latest_end;            /* of the frames up to this place, by begin */
    struct late_edge *edges;         /* begin and end of each frame, by time */
    uint32_t next[LATE_THREADS];     /* the first edge that the thread has not come to */
    uint8_t *is_frame;               /* by frame of the profile: a section that is a frame itself */
    uint32_t clocks[LATE_STATES][2]; /* that are the state; n_times: none */
};

/* `window`: only frames that are partly in it are told; NULL: all. Lives in the arena; NULL when it gives no more. */
struct late_frames *late_frames_new(struct arena *arena, const struct profile *p,
                                    const struct window *window) MUST_CHECK;
struct replay_sink late_frames_replay(struct late_frames *t);

/* Calls `put` with the stable word of each cause of the bits, and its words for people. */
void late_causes(uint32_t causes, void (*put)(void *context, const char *word, const char *words),
                 void *context);

struct late_frames_format {
    struct text_format text;
    /* Appends to out. False: diag. */
    bool (*write)(const struct render_input *in, const struct late_frames *t, struct buf *out,
                  struct diag *diag);
};

extern const struct late_frames_format LATE_FRAMES_TXT, LATE_FRAMES_JSON;
