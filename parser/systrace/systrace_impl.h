/* The inside of the reader of system traces.
 *
 *   systrace_base.c     the table of records; clocks; names of processes
 *   systrace.c          packets and sequences
 *   systrace_ftrace.c   the kernel's events, and the text of atrace in them
 *   systrace_track.c    track events and descriptors
 *   systrace_name.c     what sections are called
 *   systrace_people.c   processes and threads, and which is which
 *   systrace_binder.c   calls of other processes: what they ask for
 *   systrace_counter.c  counters: numbers that change in time
 *   systrace_frames.c   frames that the app showed
 *   systrace_note.c     what is said of one section beside its name
 *   systrace_order.c    records brought into the order of time
 *   systrace_states.c   records in the order of time: whose they are, and in which state each thread is
 *   systrace_wake.c     who woke whom
 *   systrace_slices.c   sections as calls of tracks, and all of it told to the builder
 *   systrace_result.c   whose trace it is; facts and warnings
 *
 * Ids come from the file and are looked up in maps, never used as indexes. */
#pragma once

#include "core/idmap.h"
#include "core/protobuf.h"
#include "parser/systrace/systrace.h"

#define SY_NONE UINT32_MAX

enum {
    SY_DEPTH_MAX = 512, /* as the reference reader of these traces has it */
    SY_CPUS_MAX = 1024,
    SY_KNOWN_NAMES = 256,
    SY_RECENT = 256,
    SY_PHASES = 4,
    SY_CLOCK_MONOTONIC = 3,
    SY_CLOCK_RAW = 5,
    SY_CLOCK_BOOT = 6,
    SY_CLOCK_OF_SEQUENCE = 64 /* from here on up to 127 */
};

/* ---- records ---- */

/* What a record is. In the table `thread` is a tid, and from systrace_states.c on the thread's number. */
enum sy_kind {
    SY_IGNORED,
    SY_PROCESS,    /* a: pid, b: extra (id: uid + 1, value: parent's pid, name) */
    SY_THREAD,     /* thread: tid, a: tgid, b: name; rank in `state` */
    SY_PACKAGE,    /* a: uid, b: name */
    SY_DESCRIPTOR, /* a: descriptor */
    SY_TRACK,      /* b: extra */
    SY_SWITCH,     /* thread: who stops, a: who goes on, b: why it stops */
    SY_COMPACT,    /* a: who goes on, b: why the other one stops; who it is, the CPU's last switch says */
    SY_WAKING,     /* a: who is woken; from systrace_states.c on a: who woke it */
    SY_WAKING_COMPACT,
    SY_BLOCKED, /* a: who was, b: 1: for input or output */
    SY_NEW,     /* thread: who makes it, a: the new one, b: flags of clone */
    SY_COMM,    /* a: tid, b: name */
    SY_RENAME,  /* the same, by the thread itself */
    SY_FREE,    /* a: tid */
    SY_BEGIN,   /* a: tgid or 0, b: name */
    SY_END,     /* a: tgid or 0 */
    SY_INSTANT, /* as SY_BEGIN */
    SY_ASYNC,   /* a: tgid, b: extra (id: cookie, value: hash of the track's name, phase) */
    SY_BINDER,  /* a: number of the transaction, b: flags and whom it asks */
    SY_RECEIVED, /* a: number of the transaction; from systrace_states.c on b: the record that sent it, or SY_NONE */
    SY_FAILED /* the thread's transaction has no answer */
};

enum {
    SY_BINDER_REPLY = 1,
    SY_BINDER_ONE_WAY = 2,
    SY_BINDER_FAILED = 4,
    SY_BINDER_TO = 3 /* bits below the pid that is asked */
};

struct sy_record {
    uint64_t time;
    uint32_t thread, a, b;
    uint16_t rank; /* of equal times: packets, track events, then the CPUs */
    uint8_t kind;
    uint8_t state; /* enum sy_state, of the thread that stops, or is woken or new */
};

/* What rare records have more. */
struct sy_extra {
    uint64_t id, value;
    uint64_t duration; /* of complete sections */
    string_id name, category, track_name;
    uint32_t descriptor;     /* of track events, or SY_NONE */
    uint32_t pid, tid;       /* of legacy track events without a track; 0: none */
    uint32_t notes, n_notes; /* the first of its notes, and how many it has */
    char phase;              /* of track events: B E X i b e n; of async sections: S F G H N */
    bool local;              /* the id is of the process */
};

/* ---- states ---- */

/* Behind SY_WALL, in the order of the clocks. */
enum sy_state {
    SY_RUNNING = 1,
    SY_RUNNABLE,
    SY_SLEEPING,
    SY_BLOCKED_STATE,
    SY_IO,
    SY_UNKNOWN,
    SY_CLOCKS,
    SY_GONE = SY_CLOCKS /* it has ended: unknown, if anything comes behind that */
};

/* ---- threads and processes ---- */

struct sy_process {
    uint32_t pid;
    string_id name;
    uint8_t rank;
    bool ended;
    bool has_uid;
    uint32_t uid;               /* within its user */
    uint64_t uuid;              /* of its descriptor; 0: none */
    uint32_t part;              /* of that one */
    uint64_t running, sections; /* what its threads ran; what its main thread was in sections */
    bool binds;                 /* has a section bindApplication */
};

struct sy_thread {
    uint32_t tid;
    uint32_t group;   /* a thread of the same process, on the way to the one that knows it; or itself */
    uint32_t process; /* of the one that knows it; SY_NONE: not known */
    uint32_t older;   /* thread with this tid, or SY_NONE */
    string_id name;
    uint8_t rank;
    bool ended;
    bool seen; /* has a record */
    bool has_sched;
    uint8_t state;    /* now; 0: none yet */
    uint32_t opened;  /* the record with which its state began, or SY_NONE */
    uint32_t stopped; /* the record with which it stopped, until it runs again; or SY_NONE */
    uint32_t asks;    /* the record of the transaction that it waits for, or SY_NONE */
    uint32_t serves;  /* that of the one that it received, until a section says what for; or SY_NONE */
    uint64_t uuid;    /* of its descriptor; 0: none */
    uint32_t part;    /* of that one */
    uint64_t first, last;

    /* While the builder is told. */
    uint64_t clocks[SY_CLOCKS];
    uint32_t own, tracks; /* its own track; the first of all of its tracks */
};

/* A track that was described. */
struct sy_descriptor {
    uint64_t uuid;        /* with the part, hashed */
    uint32_t part;        /* the file of the recording, from 0: each numbers its tracks for itself */
    uint64_t parent;      /* descriptor + 1; 0: none; UINT64_MAX: nothing has described it yet */
    string_id name;       /* STRING_EMPTY: none */
    string_id event_name; /* of its first event, where it has none */
    uint32_t pid, tid;
    bool has_thread, has_process;
    bool apart;    /* not the thread's own track */
    bool unmerged; /* siblings of its name are tracks of their own */
    bool resolved, failed, own;
    uint32_t thread, process; /* or SY_NONE */
    bool is_counter;
    bool is_incremental; /* events tell by how much it changes */
    string_id unit;
    int64_t multiplier, sum;
};

/* ---- tracks ---- */

struct sy_open {
    uint64_t begin, end; /* end: UINT64_MAX: open */
    string_id name, category;
};

struct sy_track {
    uint32_t track;  /* of the builder; SY_NONE: not told yet */
    uint32_t id;     /* of the profile's track */
    uint32_t thread; /* whose states it has; SY_NONE: nobody's */
    uint32_t process;
    uint32_t next; /* of the same thread */
    string_id name;
    struct sy_open *open;
    size_t n_open, open_capacity;
    size_t finished;  /* of these those with an end */
    uint64_t ignored; /* too deep */
};

/* A place of an asynchronous set: sections of one process and name that overlap stand in several. */
struct sy_slot {
    uint64_t cookie;
    uint64_t free_from; /* of instants */
    uint32_t n_open;
    bool used, has_cookie;
    uint32_t track, next;
};

/* ---- counters ---- */

/* Whose a counter is. */
enum sy_owner {
    SY_OF_NOBODY,  /* of the device */
    SY_OF_CPU,     /* `who`: its number; the counter is its frequency */
    SY_OF_PROCESS, /* a pid: what its threads count */
    SY_OF_MEMORY,  /* a pid: its memory */
    SY_OF_THREAD,  /* a tid: the memory of its process */
    SY_OF_TRACK    /* a descriptor */
};

/* Behind an increment the sum of all of them; `value` is told times 10^decimals. */
struct sy_counter {
    enum sy_owner owner;
    uint32_t who;
    string_id name, unit;
    uint32_t decimals;
};

struct sy_count {
    uint64_t time;
    int64_t value;
    uint32_t counter;
};

/* ---- frames that are shown ---- */

/* As the recorder tells it, or a section of a main thread. */
struct sy_shown {
    uint64_t begin, end; /* end: 0: it is not told yet */
    uint64_t token;
    uint32_t pid, process; /* of a section: process; else SY_NONE */
    uint32_t causes;
    string_id phase; /* the section, where it is a step of the start; STRING_EMPTY: it is a frame */
    bool expected;   /* when it should be shown, not when it was */
};

/* ---- clocks and sequences ---- */

struct sy_reading {
    uint64_t clock, boot;
};

/* A clock, by when it was read together with the one that counts since the boot. */
struct sy_clock {
    struct sy_reading *readings;
    size_t n, capacity;
    uint64_t unit, last;
    bool incremental, broken;
};

struct sy_sequence {
    uint32_t default_clock;
    uint64_t default_track;
    bool has_default_track;
    uint32_t pid, tid; /* of a thread descriptor */
    int64_t reference_ns;
    bool has_reference;
    struct idmap names, categories, annotation_names, annotation_texts; /* iid -> string */
};

enum sy_lost {
    SY_LOST_STATES, /* a thread stops that did not run */
    SY_LOST_ENDS,   /* ends of what was not begun */
    SY_LOST_DEEP,   /* sections too deep */
    SY_LOST_OVERLAPS,
    SY_LOST_CPU,    /* bundles behind lost ones */
    SY_LOST_BUFFER, /* pieces that the recorder lost */
    SY_LOST_CLOCK,  /* records whose clock is not known */
    SY_LOST_TEXT,   /* texts of atrace that are none */
    SY_LOST_TRACKS, /* sections of more tracks than may be */
    SY_LOST_EVENTS, /* events that cannot be read */
    SY_LOST_COUNTS, /* readings of counters beyond those that are kept */
    SY_LOST_FRAMES, /* frames that were shown beyond those that are kept */
    SY_LOST_NOTES,  /* annotations beyond those that are kept */
    SY_LOST_OPEN,
    SY_LOST_LATE, /* records of before all CPUs have some */
    SY_LOST
};

/* An annotation of a track event. */
struct sy_note {
    string_id name, value;
};

/* A name as the file has it, and the one that it was given. */
struct sy_known_name {
    char text[58];
    uint8_t n;
    bool is_set;
    string_id id;
};

struct systrace {
    struct builder *builder;
    struct arena *arena;
    struct hash_seed seed;
    const struct reader_limits *limits;

    struct sy_record *records;
    size_t n_records, records_capacity;
    struct sy_extra *extras;
    size_t n_extras, extras_capacity;
    bool has_sched, has_sections, has_reasons;
    size_t n_wakings; /* since systrace_states.c: records of kind SY_WAKING */

    struct sy_sequence *sequences;
    size_t n_sequences, sequences_capacity;
    struct sy_clock *clocks;
    size_t n_clocks, clocks_capacity;
    struct idmap clock_ids;
    bool has_clocks;
    uint64_t latest, end_seen;
    uint32_t trace_clock;
    uint32_t part; /* the file of the recording, from 0 */

    uint32_t kernel;    /* version * 1000 + patch level, as 5.10 is 5010; 0: not known */
    bool new_states;    /* states as kernels from 4.14 on have them */
    bool has_preempted; /* a thread stops with a state that new kernels alone have */
    bool has_invalid;   /* a thread stops with a state that old kernels alone have */
    uint64_t started, valid_from;
    bool preserve;
    bool settled;               /* systrace_states.c has been through the records */
    bool part_has_clocks;       /* the part says how its clocks are related */
    bool clock_assumed;         /* one did not, and was read by the monotonic clock */
    struct idmap first_bundles; /* CPUs */
    uint64_t last_raw;          /* of ftrace clocks: the latest reading */
    uint64_t lost[SY_LOST], lost_at[SY_LOST];
    uint64_t offset;                                      /* of the packet at hand */
    struct sy_known_name known_names[SY_KNOWN_NAMES];     /* by their hashes; each holds the latest one */
    struct sy_known_name known_standards[SY_KNOWN_NAMES]; /* the same, of standard names: their own ids */
    struct idmap comms;                                   /* tid -> the latest name that a record gave it */
    struct sy_comm {
        char text[16];
        uint8_t n;
    } * comm_texts;
    size_t n_comms, comms_capacity;

    struct sy_descriptor *descriptors;
    size_t n_descriptors, descriptors_capacity;
    struct idmap descriptor_ids;

    struct sy_process *processes;
    struct sy_thread *threads;
    size_t n_processes, processes_capacity, n_threads, threads_capacity;
    struct idmap tids, pids, packages;
    struct sy_recent {
        uint32_t tid, thread;
    } recent[SY_RECENT]; /* of `tids`, what was looked up last, by the lower bits of the tid */
    uint32_t n_packages;
    string_id package, launched, highlighted;
    uint32_t highlighted_pid;
    uint32_t cpus[SY_CPUS_MAX]; /* the thread that runs there; SY_NONE */

    struct sy_counter *counters;
    size_t n_counters, counters_capacity;
    struct sy_count *counts;
    size_t n_counts, counts_capacity;
    struct idmap counter_ids;

    struct sy_note *notes;
    size_t n_notes, notes_capacity, note_bytes;
    const struct sy_extra *noted; /* the event at hand, while the builder is told; NULL: it has no notes */
    struct profile_note *told;    /* of calls */
    size_t n_told, told_capacity;

    struct sy_shown *shown;
    size_t n_shown, shown_capacity;
    struct idmap shown_ids;
    string_id do_frame;          /* "Choreographer#doFrame" */
    string_id bind;              /* "bindApplication" */
    string_id phases[SY_PHASES]; /* sections that are steps of a start */

    struct sy_track *tracks;
    size_t n_tracks, tracks_capacity;
    struct sy_slot *slots;
    size_t n_slots, slots_capacity;
    struct idmap slot_ids, track_of_descriptor, track_ids;
    frame_id *frames; /* by the ids of their names; FRAME_NONE: not told yet */
    size_t n_frames, frames_capacity;
    struct idmap senders; /* number of a transaction -> the record that sent it */
    struct idmap asked;   /* record that sent a transaction -> the method, as text */
    uint64_t began;       /* what the recording has beside sections begins so early */
    uint64_t begin, end, n_open_sections;
    uint32_t app; /* process, or SY_NONE */
    uint32_t next_id;
};

/* systrace_base.c */
/* The word with the number behind it; STRING_NONE: no memory. */
string_id sy_numbered(struct systrace *s, struct str word, uint32_t number);
/* "Process-7" where nobody names it; STRING_EMPTY for SY_NONE. */
string_id sy_process_name(struct systrace *s, uint32_t process);
/* The time of a reading of that clock, in the trace's; false: the clock is not known, which is counted. */
bool sy_time(struct systrace *s, uint32_t sequence, uint32_t clock, uint64_t ticks, uint64_t *time);
/* Counts what is lost, at the packet at hand. */
void sy_lost(struct systrace *s, enum sy_lost what, uint64_t n);
bool sy_grow(struct systrace *s) MUST_CHECK;
static inline bool sy_add(struct systrace *s, const struct sy_record *r)
{
    if (s->n_records >= s->records_capacity && !sy_grow(s))
        return false;
    s->records[s->n_records++] = *r;
    s->latest = r->time > s->latest ? r->time : s->latest;
    return true;
}
/* Adds a record with its extra fields. */
bool sy_add_extra(struct systrace *s, struct sy_record *r, const struct sy_extra *e) MUST_CHECK;
bool sy_relate(struct systrace *s, uint32_t sequence, uint32_t clock, uint64_t ticks,
               uint64_t boot) MUST_CHECK;
string_id sy_string(struct systrace *s, struct str text);

/* systrace_ftrace.c */
bool sy_bundle(struct systrace *s, uint32_t sequence, struct str message) MUST_CHECK;

/* systrace_track.c */
bool sy_track_event(struct systrace *s, const struct systrace_packet *p, uint64_t time) MUST_CHECK;
bool sy_track_descriptor(struct systrace *s, const struct systrace_packet *p, uint64_t time) MUST_CHECK;
bool sy_thread_descriptor(struct systrace *s, const struct systrace_packet *p, struct str message,
                          uint64_t time) MUST_CHECK;
/* Whose track it is. False: memory. */
bool sy_resolve(struct systrace *s, uint32_t descriptor) MUST_CHECK;
uint32_t sy_descriptor(struct systrace *s, uint64_t uuid);

/* systrace_name.c */
/* The name that all sections of its kind share: numbers and addresses become `#`, and what follows a known beginning
 * goes. STRING_NONE when the arena gives no more. */
string_id sy_standard_name(struct systrace *s, struct str name);

/* The name of a track event: of a method as it is, else the standard one. STRING_NONE as above. */
string_id sy_event_name(struct systrace *s, struct str name);

struct sy_method {
    struct str scope, name, signature; /* the signature may be empty */
};

/* Whether this is a method as traces of methods write it: "package.Class.method", behind it nothing, "(..)R", or ": (..)R",
 * where (..)R is a descriptor (Java Virtual Machine Specification, 4.3.3). */
bool sy_method_of(struct str name, struct sy_method *method);

/* Whether this is a function of Kotlin as Compose tells of it (androidx.compose.runtime:runtime-tracing):
 * "package.Function (File.kt:12)", the line as sy_standard_name has left it. *file is "File.kt". A function outside of
 * classes is in the class that Kotlin makes for its file, FileKt. The scope is in `room`. */
enum { SY_SCOPE_BYTES = 1024 };
bool sy_composable_of(struct str name, struct sy_method *method, struct str *file, char room[SY_SCOPE_BYTES]);

/* systrace_people.c */
/* The numbers of threads and processes; SY_NONE when the arena gives no more. */
uint32_t sy_thread(struct systrace *s, uint32_t tid);
uint32_t sy_find(struct systrace *s, uint32_t tid, uint32_t pid);
uint32_t sy_process(struct systrace *s, uint32_t pid);
uint32_t sy_thread_of(struct systrace *s, uint32_t tid, uint32_t pid);
uint32_t sy_new_thread(struct systrace *s, uint32_t tid);
uint32_t sy_new_process(struct systrace *s, uint32_t pid);
uint32_t sy_process_of(const struct systrace *s, uint32_t thread);
void sy_associate(struct systrace *s, uint32_t a, uint32_t b);
void sy_end(struct systrace *s, uint32_t tid);
void sy_name_thread(struct systrace *s, uint32_t thread, string_id name, uint8_t rank);
void sy_name_process(struct systrace *s, uint32_t process, string_id name, uint8_t rank);
bool sy_is_main(const struct systrace *s, uint32_t thread);

/* systrace_binder.c */
/* A record of binder, in the order of time, whose thread is known: which transaction it belongs to. */
bool sy_binder_settle(struct systrace *s, uint32_t at) MUST_CHECK;
/* A section of the thread begins: it may say what the transaction asks for that the thread has received. */
bool sy_binder_section(struct systrace *s, uint32_t thread, string_id name) MUST_CHECK;
/* What the section of that record is called. STRING_NONE: the arena gives no more. */
string_id sy_binder_name(struct systrace *s, const struct sy_record *r);
bool sy_is_binder(const struct systrace *s, string_id name);

/* systrace_counter.c */
/* A reading. The counter is known by its owner, its name and its decimals. False: the arena gives no more. */
bool sy_count(struct systrace *s, const struct sy_counter *counter, uint64_t time, int64_t value) MUST_CHECK;
/* One whose name may say that it is in KB. */
bool sy_count_named(struct systrace *s, uint32_t pid, struct str name, uint64_t time,
                    int64_t value) MUST_CHECK;
/* Of a track that is a counter's: a whole number, or a fraction. */
bool sy_count_track(struct systrace *s, uint32_t descriptor, uint64_t time, int64_t value) MUST_CHECK;
bool sy_count_fraction(struct systrace *s, uint32_t descriptor, uint64_t time, double value) MUST_CHECK;
/* Events of the kernel: {member = 1, size = 2, curr = 3}, {state = 1, cpu_id = 2}. */
bool sy_count_memory(struct systrace *s, uint32_t tid, uint64_t time,
                     const struct protobuf_field *f) MUST_CHECK;
bool sy_count_frequency(struct systrace *s, uint64_t time, const struct protobuf_field *f) MUST_CHECK;
/* Packets. */
bool sy_count_processes(struct systrace *s, struct str stats, uint64_t time) MUST_CHECK;
bool sy_count_battery(struct systrace *s, struct str battery, uint64_t time) MUST_CHECK;
/* Tells the builder all of them, when it is known which process is the app. */
bool sy_tell_counters(struct systrace *s) MUST_CHECK;

/* systrace_frames.c */
/* FrameTimelineEvent, at the time of its packet. */
bool sy_frame_event(struct systrace *s, struct str event, uint64_t time) MUST_CHECK;
/* A section is called so for the first time: it may be a step of a start. */
void sy_frame_name(struct systrace *s, struct str text, string_id name);
static inline bool sy_is_phase(const struct systrace *s, string_id name)
{
    for (unsigned i = 0; i < SY_PHASES; i++)
        if (s->phases[i] == name && name != STRING_EMPTY)
            return true;
    return false;
}
/* A section of a main thread is over that is a frame (phase: STRING_EMPTY), or a step of a start. */
bool sy_frame_section(struct systrace *s, uint32_t process, string_id phase, uint64_t begin,
                      uint64_t end) MUST_CHECK;
/* Tells the builder those of the app. */
bool sy_tell_frames(struct systrace *s) MUST_CHECK;

/* systrace_note.c */
/* The annotations of a track event, for its record. False: the arena gives no more. */
bool sy_notes_read(struct systrace *s, const struct sy_sequence *q, struct str event,
                   struct sy_extra *e) MUST_CHECK;
bool sy_notes_interned(struct systrace *s, struct sy_sequence *q, const struct protobuf_field *f) MUST_CHECK;
/* Those of the event at hand, if it has some, are of this call, which began at that time. */
bool sy_notes_told(struct systrace *s, uint32_t track_id, frame_id frame, uint64_t begin) MUST_CHECK;
/* Tells the builder all of them. */
bool sy_tell_notes(struct systrace *s) MUST_CHECK;

/* systrace_wake.c */
/* Tells the builder who woke whom. */
bool sy_tell_wakes(struct systrace *s) MUST_CHECK;

/* systrace_order.c */
/* Sorts the records by time, then rank; equal ones keep their order. */
bool sy_sort(struct systrace *s) MUST_CHECK;

/* systrace_states.c */
bool sy_settle(struct systrace *s) MUST_CHECK;
/* While records are read: with what state a thread stops. */
void sy_see_state(struct systrace *s, uint32_t why);

/* systrace_slices.c */
bool sy_declare(struct systrace *s) MUST_CHECK;
bool sy_tell(struct systrace *s) MUST_CHECK;
