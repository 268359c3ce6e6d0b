/* The samples of a report-sample file: their stacks, events, times, and the time that a thread was off the CPU. */
#ifndef PARSER_SIMPLEPERF_SAMPLES_H
#define PARSER_SIMPLEPERF_SAMPLES_H

#include "parser/simpleperf/names.h"

enum { EVENTS_MAX = PROFILE_VALUES_MAX - 1, UNWINDING_CODES = 9, NO_EVENT = EVENTS_MAX };

/* A thread, once it has a sample. Of one that went off the CPU the sample waits until it is known how long it stayed there. */
struct sampled_thread {
    uint32_t track;
    bool waits;
    uint64_t time;
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
