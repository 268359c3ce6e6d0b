/* The samples of a report-sample file: their stacks, events, times, and the time that a thread was off the
 * CPU; and what they refer to by numbers: files with their symbols, and threads. All of that may stand
 * behind the samples that use it, so the file is gone through once for it. */
#ifndef PARSER_SIMPLEPERF_SIMPLEPERF_SAMPLES_H
#define PARSER_SIMPLEPERF_SIMPLEPERF_SAMPLES_H

#include "core/idmap.h"
#include "parser/format.h"

/* ---- names ---- */

struct names_of_file {
    string_id path;
    struct str base; /* of the path: without its folders */
    enum frame_kind kind;
    size_t first, n; /* of its symbols */
};

struct names_of_thread {
    uint32_t process;
    string_id name;
};

/* How a method ran, as a call chain says it. */
enum execution { EXECUTION_NATIVE, EXECUTION_INTERPRETED, EXECUTION_COMPILED, EXECUTION_ART, EXECUTIONS };

struct sampled_names {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct idmap file_ids, thread_ids; /* -> place below */
    struct names_of_file *files;
    size_t n_files, files_capacity;
    struct names_of_thread *threads;
    size_t n_threads, threads_capacity;
    string_id *symbols; /* of all files */
    frame_id
        *frames; /* by symbol, two each: as its file says, and as a Java method; FRAME_NONE: not made yet */
    size_t n_symbols, symbols_capacity, frames_capacity;
};

void sampled_names_init(struct sampled_names *s, struct builder *b, const struct reader_limits *limits,
                        struct diag *diag);
/* Messages File and Thread. False: diag. */
bool sampled_names_file(struct sampled_names *s, struct str message, uint64_t offset);
bool sampled_names_thread(struct sampled_names *s, struct str message, uint64_t offset);
/* A name, cut to the limit. STRING_NONE: no memory. */
string_id sampled_names_text(struct sampled_names *s, struct str text, uint64_t offset);

/* ---- samples ---- */

enum { EVENTS_MAX = PROFILE_VALUES_MAX - 1, UNWINDING_CODES = 9, NO_EVENT = EVENTS_MAX };

/* A thread, once it has a sample. Of one that went off the CPU the sample waits until it is known how long
 * it stayed there. */
struct sampled_thread {
    uint32_t track;
    bool waits;
    uint64_t time;
    uint64_t on_ns;   /* when it was last told to be on the CPU again; 0: never */
    frame_id *frames; /* root first */
    size_t n, capacity;
    uint64_t values[PROFILE_VALUES_MAX];
};

/* Entries of call chains that came before, by their bytes: most come many times, and so need not be read again. */
enum { KNOWN_ENTRIES = 8192, KNOWN_ENTRY_BYTES_MIN = 8, KNOWN_ENTRY_BYTES_MAX = 16 };

struct known_entry {
    uint64_t first, last; /* 8 bytes of it from both ends, which together are all */
    uint32_t n;           /* bytes; 0: none */
    frame_id frame;
};

struct samples {
    struct sampled_names *names;
    struct known_entry *known; /* KNOWN_ENTRIES, each where the hash of its bytes says; NULL: no sample yet */
    uint32_t n_events;
    uint32_t
        switch_event; /* which event says that a thread goes off the CPU; NO_EVENT: none, or nothing says for how long */
    uint64_t begin_ns;       /* the earliest time of the file */
    struct idmap thread_ids; /* -> place below */
    struct sampled_thread *threads;
    size_t n_threads, threads_capacity;
    frame_id *frames;
    size_t capacity;
    uint64_t unwinding[UNWINDING_CODES]; /* samples by their error; 0: none */
};

void samples_init(struct samples *s, struct sampled_names *names);
/* Messages Sample and ContextSwitch. False: diag. */
bool samples_add(struct samples *s, struct str message, uint64_t offset);
bool samples_switch(struct samples *s, struct str message);
/* After the last one: what still waits, and what the errors were. False: diag. */
bool samples_end(struct samples *s);

/* The time of a Sample or ContextSwitch. */
uint64_t samples_time(struct str message, uint32_t field);

#endif
