/* Folds events and samples into a tree while they are read: memory is O(distinct stacks), not O(events).
 * Repairs broken nesting by the rules below and counts every repair as a warning.
 *
 * Clock rules, per track and clock: the clocks start at the track's first event. On every event the time
 * since the track's last event goes to the frame on top (to the root's self if none is open), then the
 * event is applied. Time that goes back is clamped to 0 and counted.
 *
 * Clocks of 32 bits: a step back of more than 2^31 is a wrap. A step forward of more than 2^31 right
 * behind a wrap is a late record of before it: time that goes back. "Right behind" holds for the next
 * record of the track that is not late. The first reading of wall time of a track takes the round of the
 * clock that is nearest to the latest wall time of all tracks so far, the earlier one of two: all threads
 * share one wall clock, so they share its wraps too.
 *
 * Nesting rules: an exit on an empty stack re-roots: the exiting frame becomes the parent of everything
 * seen so far at the track's root, and the root's self becomes its self. An exit of a frame deeper in the
 * stack pops to it, of one not on the stack is counted and ignored (builder_frame_redefined: the same
 * method). Frames open at the end are counted; they hold their time up to the last event. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/hash.h"
#include "profile/profile.h"
#include "profile/warning.h"

struct builder;
struct call_log_writer;

enum event_action {
    EVENT_ENTER,
    EVENT_EXIT,
    EVENT_UNROLL,  /* exit by an exception */
    EVENT_UNKNOWN, /* time is credited, the event is counted and ignored */
    EVENT_STATE    /* time is credited, and nothing else happens: the thread's state has changed */
};

enum { BUILDER_CLOCKS_MAX = PROFILE_CLOCKS_MAX, EVENT_CLOCKS_MAX = 2 /* of struct event */ };

struct event {
    uint32_t track; /* from builder_track */
    frame_id frame; /* from builder_frame; FRAME_NONE for an exit that carries none */
    enum event_action action;
    uint32_t at; /* bytes from where builder_events takes it to stand; 0 where all records are equally long */
    uint64_t clock[EVENT_CLOCKS_MAX]; /* ticks, in the order of the times; see builder_clocks */
};

/* NULL when the arena gives no more. */
struct builder *builder_new(struct arena *arena, struct hash_seed seed) MUST_CHECK;

/* Declares what each node measures, once, before the first event or sample:
 *
 *   times    what the clocks of an event measure, in their order: wall time, thread CPU time, or both in this order,
 *            all in ns; behind both also the states of a thread, by the order of their roles, each of which has a
 *            clock that goes on while the thread is in it; none for samples
 *   values   what is counted. Of events their calls, and nothing else (ROLE_CALLS). Of samples the values that come with
 *            each, in the order of builder_sample
 *
 * In the profile the times come first, then the values. Names are not empty and all different. False when
 * the arena gives no more, and of a declaration that breaks these rules: builder_failed tells which. */
bool builder_values(struct builder *b, const struct profile_value *times, uint32_t n_times,
                    const struct profile_value *values, uint32_t n_values) MUST_CHECK;

/* Declares more values, of samples and series beside events; behind builder_values with times, before the first track.
 * They come last in the profile. Events of such a builder come by builder_event. False as above. */
bool builder_values_beside(struct builder *b, const struct profile_value *values,
                           uint32_t n_values) MUST_CHECK;

/* Says that the values of samples may be below 0: they are int64_t. Behind builder_values, before the
 * first sample. */
void builder_signed(struct builder *b);

/* Says that allocations were sampled, one for so many bytes on average. */
void builder_sampled(struct builder *b, uint64_t bytes);

/* Declares one time as another, at any time before the end: where only the end of a file says what its
 * clock measured. The rules are those of builder_values. */
bool builder_redeclare_time(struct builder *b, uint32_t time, const struct profile_value *as) MUST_CHECK;

/* Ticks of the events' clocks: nanoseconds each, and whether they wrap at 2^32. No reading is larger than that, and
 * than INT64_MAX where they do not wrap. Default: 1000 (µs), wrapping. */
void builder_clocks(struct builder *b, uint32_t ns_per_tick, bool wraps_at_32_bits);

/* Tells nameless frames apart by their addresses, for symbols. Call it before the first frame. */
void builder_keep_addresses(struct builder *b);

/* Makes a track of each value of the label with this key, where samples have labels (format.h). An empty key: tracks
 * are as the format has them. The key is copied. Call it before the format begins, which asks for it. False when
 * the arena gives no more. */
bool builder_split(struct builder *b, struct str key) MUST_CHECK;
struct str builder_split_key(const struct builder *b);

/* Notes a label that samples have. Behind PROFILE_LABELS_MAX labels the rest is left out. The key lives in the arena. */
void builder_label(struct builder *b, const struct profile_label *label);

/* Has the log of calls written (log/call_log.h), of events and of samples with times; before the first
 * track. The caller finishes it, behind builder_finish. */
void builder_log(struct builder *b, struct call_log_writer *log);
/* The same, but where the values are declared without times: nothing is written then. Before builder_values. */
void builder_log_events(struct builder *b, struct call_log_writer *log);

/* STRING_NONE / FRAME_NONE / NODE_NONE when the arena gives no more; then builder_failed. */
string_id builder_string(struct builder *b, struct str s) MUST_CHECK;
/* The same of a buffer, which is freed; STRING_NONE as well where the buffer failed. */
string_id builder_string_of(struct builder *b, struct buf *text) MUST_CHECK;
/* The same of at most `bytes` of a name, cut where a character begins; WARN_NAME_CUT at that offset of the
 * file if it is longer. */
string_id builder_name(struct builder *b, struct str name, uint32_t bytes, uint64_t offset) MUST_CHECK;
/* The text of a string, which stays. */
struct str builder_text_of(const struct builder *b, string_id id);
/* The frame with this identity (all but .file, .line and .address, of which the first that is not empty or
 * 0 stays). */
frame_id builder_frame(struct builder *b, const struct profile_frame *frame) MUST_CHECK;
/* A format may give the id of a method another name between two events: the method's frame was `earlier`, and is
 * `now` from here on. An exit of `now` leaves `earlier` where `now` itself is not open. False when the arena gives
 * no more. */
bool builder_frame_redefined(struct builder *b, frame_id now, frame_id earlier) MUST_CHECK;
/* Gives the frame the name and looks of another one; they stay two frames. Call it behind the last event. */
void builder_frame_rename(struct builder *b, frame_id frame, frame_id as);
/* A new track; its id must be unique. Tracks without event or sample do not come into the profile. */
uint32_t builder_track(struct builder *b, uint32_t id, string_id name) MUST_CHECK;
void builder_track_rename(struct builder *b, uint32_t track, string_id name);

/* What a new track is: a thread whose number is its id, unless this says something else. */
struct track_words {
    enum track_kind kind;
    uint32_t number;       /* tid or pid */
    string_id part, group; /* see struct profile_track; STRING_EMPTY: none */
    uint32_t process;      /* of a thread: its pid; 0: not known */
};
void builder_track_is(struct builder *b, uint32_t track, const struct track_words *words);

/* Says that the track is one of samples or changes beside events. Of the values of samples it can have n, from `first`
 * on; a track of which this is not said can have all. `of`: the id of the track with the same thread's events; 0: none. */
void builder_track_beside(struct builder *b, uint32_t track, uint32_t of, uint32_t first, uint32_t n);

/* Applies n events; the i-th stands at byte offset + i * stride + event.at of the file. False when the arena
 * gives no more, or no times were declared. */
bool builder_events(struct builder *b, const struct event *events, size_t n, uint64_t offset,
                    uint32_t stride) MUST_CHECK;

/* Applies one event with all its clocks, as many as times were declared; event->clock is not looked at. For more than
 * EVENT_CLOCKS_MAX times, and clocks that do not wrap. False as above. */
bool builder_event(struct builder *b, const struct event *event, const uint64_t *clocks,
                   uint64_t offset) MUST_CHECK;
/* The same, where since the track's last record only the first clock and the one of this number have gone on, since the thread
 * was in one state: the others are not looked at, but by the track's first record. Clock 0: the first one alone. */
bool builder_turn(struct builder *b, uint32_t track, enum event_action action, frame_id frame,
                  const uint64_t *clocks, uint32_t clock) MUST_CHECK;

/* The node of the stack frames[0 (outermost) .. n) below `above`, made where it is new; below the track's
 * root for NODE_NONE, and the root itself for no frames. A stack that comes again needs to be looked up
 * once only: nodes stay. NODE_NONE when the arena gives no more, or only events were declared. */
node_id builder_stack(struct builder *b, uint32_t track, node_id above, const frame_id *frames,
                      size_t n) MUST_CHECK;

/* Adds the sample's values, as many as were declared for samples, to the self of a node of that track. False of
 * NODE_NONE, when the arena gives no more, or only events were declared. */
bool builder_sample(struct builder *b, uint32_t track, node_id node, const uint64_t *values) MUST_CHECK;

/* The same of a sample with a time, in ticks of builder_clocks since the recording's start. The stack
 * holds until the track's next sample: so the log has it as calls. A sample of the root with values of 0
 * says that none holds. A track has samples with times, or without, or changes. A time that goes back is
 * taken for the latest one, and counted. */
bool builder_sample_at(struct builder *b, uint32_t track, node_id node, const uint64_t *values,
                       uint64_t ticks) MUST_CHECK;

/* Declares the next moment of a track of a series. Its number, which counts from 0, is put into *moment. The moments
 * of a track must be in the order of time. False when they are not, and when the arena gives no more. */
bool builder_moment(struct builder *b, uint32_t track, uint64_t time_ns, uint32_t *moment) MUST_CHECK;
/* Adds to the self of a node (builder_stack) by how much its values changed from the moment before to this
 * one (from nothing to the first). In any order; several of one node and moment are added. What is below 0
 * in the end, where values are not signed, is set to 0 and counted. False as above. */
bool builder_change(struct builder *b, uint32_t track, uint32_t moment, node_id node,
                    const int64_t *changes) MUST_CHECK;

/* The counters of the recording, as the profile will have them; all of it lives in the builder's arena. */
void builder_counters(struct builder *b, const struct profile_counter *counters, uint32_t n,
                      const struct profile_reading *readings);

/* The same of the frames that the app showed, and of the steps of its start. */
void builder_screen_frames(struct builder *b, const struct profile_screen_frame *frames, uint32_t n);
/* Who woke whom, and what is said of single calls; sorted as the profile has them. */
void builder_wakes(struct builder *b, const struct profile_wake *wakes, uint32_t n);
void builder_notes(struct builder *b, const struct profile_note *notes, uint32_t n);
void builder_phases(struct builder *b, const struct profile_phase *phases, uint32_t n);

/* A trace in pieces, each of which has a builder of its own; see join.c.
 *
 * builder_piece makes the builder of a later piece, in an arena of its own: the same values and clocks are declared, and
 * the same frames are known, which are not there to be looked at. It is told tracks and events, whose exits name their
 * frames. NULL when the arena gives no more. False of builder_has_pieces: events of this builder cannot be told in pieces.
 *
 * builder_join adds a piece to what the pieces before have come to, as if its events had been told to `b`. `tracks` and
 * `frames` say what the piece's tracks, and its frames from b's number at the time of builder_piece on, are in b. */
enum builder_joined {
    BUILDER_JOINED,
    BUILDER_APART, /* What came before changes what this piece means: nothing was done. Its events have to be told. */
    BUILDER_NO_MEMORY
};
struct builder_joint {
    const uint32_t *tracks;
    const frame_id *frames;
    frame_id n_shared; /* frames that are the same in both */
    size_t n_frames;   /* of `frames` */
};
bool builder_has_pieces(const struct builder *b);
struct builder *builder_piece(const struct builder *of, struct arena *arena) MUST_CHECK;
enum builder_joined builder_join(struct builder *b, struct builder *piece,
                                 const struct builder_joint *joint) MUST_CHECK;

/* Counts a warning; `offset` is where it was found, or WARNING_NO_OFFSET. The smallest offset is kept. */
void builder_warn(struct builder *b, enum warning_code code, uint64_t count, uint64_t offset);
uint64_t builder_warned(const struct builder *b, enum warning_code code);

/* Both slices are copied. Facts appear in the order of the calls; a name that is there gets the new value,
 * so names should be few and the format's own. False when the arena gives no more. */
bool builder_fact(struct builder *b, struct str name, struct str value) MUST_CHECK;

/* Finds the mapping that belongs to the build: R8 names the source files of all its classes after it (r8-map-id-..).
 * Its id becomes the fact "build_map_id". Call it behind the last event. False when the arena gives no more. */
bool builder_find_build(struct builder *b) MUST_CHECK;

uint32_t builder_frame_count(const struct builder *b);
uint64_t builder_event_count(const struct builder *b);
/* Events and samples of one track, so far. */
uint64_t builder_track_records(const struct builder *b, uint32_t track);
/* How many calls of the track are open. */
uint64_t builder_track_open(const struct builder *b, uint32_t track);
uint64_t builder_ns_per_tick(const struct builder *b);
/* Of the time at this place of the declaration, in ns: the sum of what each track's events span, and the latest
 * reading. */
uint64_t builder_time_total_ns(const struct builder *b, uint32_t time);
uint64_t builder_time_latest_ns(const struct builder *b, uint32_t time);
struct arena *builder_arena(const struct builder *b);
struct hash_seed builder_seed(const struct builder *b);

/* After a function returned a failure: sets diag from it, a limit, memory, or a wrong declaration. Always
 * returns false. */
bool builder_failed(const struct builder *b, struct diag *diag);

/* Renumbers in pre-order and sums. The builder is used up. NULL when the arena gives no more. */
const struct profile *builder_finish(struct builder *b, struct str format,
                                     struct str format_label) MUST_CHECK;
