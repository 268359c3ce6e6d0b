/* Plays a log of calls to a sink: what each track was in, record by record, with the frames of a profile.
 * The only place that knows which calls are open.
 *
 * A track is told as follows. begin: its first record. Then enter, leave, sample and stay, each at the
 * time of its record, t->now; from t->last up to it the stack was as it was told before. Calls that were
 * entered before the track's first record are entered with it, those that enclose others first: so all
 * that encloses a call is known when it is entered. Behind them comes one stay. end: the last record,
 * t->now. Behind it the calls that are never left are left, the innermost first.
 *
 * With a window only what lies in it is told in full: all records from the window's beginning to its end,
 * and around it at least what is open there, each call with its true beginning and end. What is open at
 * the window's beginning is entered at its true times, one call behind the other; what is open at its end
 * is left at its true times, as far as it ever is. Tracks of which nothing lies in the window are not
 * told. While what is open is entered, t->resumes; one stay ends that. Only the blocks of the log that
 * this needs are read.
 *
 * Without in_order the tracks are told in any order. In order they take turns as in the file, and leave
 * one behind the other as there; calls that are never left come at the very end, track by track.
 *
 * In pieces, blocks of the log are played in any order, without a window: so replays of one request play pieces side by side. A piece
 * tells of each track that it has: begin; what is open there is entered, with t->resumes, and where the track goes on from
 * an earlier piece with t->goes_on; one stay; and then its records. Of one track alone its last piece tells the end, too; of all
 * tracks, whose ends come behind all pieces, another replay does, ends_only, of those alone that have calls that are never left:
 * begin, then end, then these calls are left.
 *
 * One by one, each track is told to its end before the next one begins, in the order of the request. The work is
 * that of all tracks together, and not that of a replay for each, which would look at all tracks each time. */
#pragma once

#include "profile/calls/time_window.h"
#include "profile/log/call_log.h"
#include "profile/profile.h"

struct rename_set;

enum span_flag {
    SPAN_BEFORE = 1, /* entered before the track's first record, where it begins here */
    SPAN_OPEN = 2,   /* never left: ends with the track's last record, unless the sink lets it last longer */
    SPAN_INNERMOST = 4 /* of those, the innermost one: told only to sinks of a replay */
};

/* A call that is open. */
struct replay_call {
    frame_id frame;
    uint8_t flags;                     /* SPAN_BEFORE */
    uint64_t callees;                  /* first clock: of its callees that were left */
    const struct call_log_call *known; /* what the log says of it as a whole; NULL: nothing */

    /* These fields belong to the sinks. They are zero when the call is entered. */
    node_id node;
    bool kept, marked;
    uint64_t given_ns;

    uint64_t begin[PROFILE_CLOCKS_MAX]; /* as many as the log has clocks, and at least two */
};

/* A track. Open calls move when another one is entered. */
struct replay_track {
    uint32_t nth; /* of the request's tracks */
    const struct profile_track *of;
    struct replay_call *open; /* the first one stands for the track, and has no frame */
    size_t n_open;
    uint64_t last[PROFILE_CLOCKS_MAX], now[PROFILE_CLOCKS_MAX]; /* ticks */
    uint64_t uncalled;        /* of the whole track: time in no call, up to its last record; first clock */
    bool resumes;             /* what is open at the beginning is being entered */
    bool goes_on;             /* the track's first record is not told: it stands before what is played */
    struct replay_sums *sums; /* the sink's; NULL: each record is told */

    /* Of replay.c. */
    size_t open_capacity;
    const struct call_log_track *log;
    const struct rename_set *const *sets;
    uint64_t part, from_part, to_part; /* the next one; those that are played: [from, to) */
    /* Where frames become several or none: as how many calls each call of the log is open. */
    uint32_t *made;
    size_t n_made, made_capacity;
};

/* A call that ends. */
struct replay_left {
    const struct replay_call *call; /* t->open[level] */
    size_t level;                   /* its depth: 1 if nothing but the track is above it */
    uint64_t self;                  /* ticks of the first clock: without its callees */
    uint8_t flags;                  /* enum span_flag */
};

/* What a sink that looks at times alone need not be told record by record. Where a track has one, records are added up in it
 * and not told: enters, leaves and stays before the time `until`, of frames whose class is below REPLAY_CLASSES. All others
 * are told as ever; the clocks of the last record before them are t->last. Who sets t->sums takes what is in it, and empties
 * it, when it is told anything of the track. */
enum { REPLAY_CLASSES = 16 };
struct replay_sums {
    /* Is told of the calls that are left, in place of the sink's function; NULL: nobody is. */
    bool (*leave)(void *context, struct replay_track *t, const struct replay_left *left);
    const uint8_t *class_of_frame; /* [n_frames of the profile] */
    uint64_t until[2];             /* ticks of the first two clocks */
    bool some;                     /* There is something in it. */
    uint64_t entered;              /* calls */
    /* Time by the class of the innermost call, without the class's highest bits. The second clock is added only where the first
     * one went on. */
    uint64_t ticks[2][REPLAY_CLASSES];
};

/* What is told; NULL: it is not. `context` is the request's. False ends the replay. */
struct replay_sink {
    /* Before all else, for each track that the log has; also for one of which nothing is in the window. */
    void (*found)(void *context, const struct replay_track *t);
    bool (*begin)(void *context, struct replay_track *t);
    bool (*enter)(void *context, struct replay_track *t); /* the call is on the stack */
    bool (*leave)(void *context, struct replay_track *t,
                  const struct replay_left *left); /* it is still on the stack, and ends at t->now */
    bool (*sample)(void *context, struct replay_track *t, const uint64_t *values);
    bool (*stay)(void *context, struct replay_track *t);
    bool (*end)(void *context, struct replay_track *t);
    void *context;

    /* leave is not told of calls that take fewer ticks of the first clock, but of those of the frames, of the profile, for
     * which `always` is not 0. NULL: there are none. */
    uint64_t least_ticks;
    const uint8_t *always;
};

struct replay_request {
    const struct call_log *log;
    /* The profile was read from the same bytes as the log. Frames are told as the profile names them (rename.h). */
    const struct profile *profile;
    const uint32_t *tracks; /* that are told: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    const struct window *window;                     /* NULL: all is told */
    bool to_the_end;                                 /* with a window: it ends with the log */
    bool in_order, one_by_one, in_pieces, ends_only; /* one of them at most */
    /* With a window: calls that are never left are in it for rest_ns longer than their track's records. */
    bool rests;
    bool looks_at_self; /* the sink looks at what calls are without their callees */
    struct replay_sink sink;
};

enum replay_end {
    REPLAY_MORE,
    REPLAY_DONE,    /* one by one: of the next track, also of one that the log does not have */
    REPLAY_DAMAGED, /* the log cannot be read, or is not of this profile */
    REPLAY_FAILED /* the arena gave no more (its failure says so, also where its job was stopped), or the sink ended it */
};

struct replay;

/* Takes memory for what is open, and for a block, from the arena, in which it lives; NULL when it gives no more. */
struct replay *replay_new(const struct replay_request *request, struct arena *arena) MUST_CHECK;
/* Plays the next block that is needed, and behind the last one what is open. Nothing can be played behind
 * another answer than REPLAY_MORE, but, one by one, the next track behind REPLAY_DONE. */
enum replay_end replay_step(struct replay *r) MUST_CHECK;

/* Whether the calls of the profile can be told in pieces: each frame of the log became one. */
bool replay_has_pieces(const struct profile *p);
/* In pieces: plays the blocks [from, to), as far as they are needed, of the request's nth track, or of all: REPLAY_ALL. */
#define REPLAY_ALL UINT32_MAX
enum replay_end replay_piece(struct replay *r, uint32_t nth, uint64_t from, uint64_t to) MUST_CHECK;

/* All steps at once. */
enum replay_end replay_all(const struct replay_request *request, struct arena *arena) MUST_CHECK;
