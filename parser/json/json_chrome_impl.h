/* What is kept of trace events while they are read (json_chrome.c), which tracks their threads have, and what their samples
 * become (json_cpuprofile.c). */
#pragma once

#include "core/strtab.h"
#include "parser/json/json_impl.h"

enum { ID_BYTES = 64, KEY_BYTES = 2 * ID_BYTES + 2 };

struct json_chrome_thread {
    string_id name;   /* STRING_EMPTY: no event names it */
    uint32_t process; /* of processes */
    string_id tid;    /* of keys */
};

/* A piece of a CPU profile. */
struct json_chrome_chunk {
    int64_t ts;
    uint32_t profile; /* of keys: its process and its id */
    uint32_t thread;
    bool opens, whole;  /* it says which thread the profile is of; it is all of it */
    int64_t start, end; /* ns; COLUMN_NONE: it does not say */
    struct json_js_part part;
};

struct json_chrome_frame {
    string_id name;
    uint32_t parent; /* of keys; STACK_NONE: none */
    bool script;     /* its name has a place in it */
};

struct json_chrome_sample {
    int64_t ts;
    uint32_t thread, stack; /* of keys; STACK_NONE: none */
};

/* What is between two quotes in the file, and short. */
struct json_chrome_word {
    char p[ID_BYTES];
    size_t n;
};

struct json_chrome {
    struct json_chrome_word pid, tid, id; /* of the event at hand, where it has them */
    struct strtab keys; /* of threads, processes and profiles, and what else is known by a text */
    struct json_chrome_thread *threads;
    size_t n_threads, threads_capacity;
    string_id *groups; /* by process: its name */
    size_t n_processes, processes_capacity;
    string_id *pids;
    size_t pids_capacity;
    struct idmap thread_of, process_of; /* key -> place */
    char last_key[KEY_BYTES];           /* of the last thread */
    size_t last_key_bytes;
    uint32_t last_thread;
    struct json_slices slices;
    frame_id *frames; /* by name, of slices without a signature: FRAME_NONE: not made yet */
    size_t n_frames, frames_capacity;
    struct json_js js;
    struct json_chrome_chunk *chunks;
    size_t n_chunks, chunks_capacity;
    struct json_chrome_frame *rows; /* of stackFrames, by key */
    size_t n_rows, rows_capacity;
    struct json_chrome_sample *samples;
    size_t n_samples, samples_capacity;
    bool has_stack_frames, has_cpu, lasting, has_events;
    uint64_t others; /* events of phases that have no stack */
};

/* Makes the list of tracks by thread, which holds NODE_NONE for a thread without a track yet. NULL: no memory. */
uint32_t *json_chrome_no_tracks(struct json_doc *d);
/* The track of a thread, made once. NODE_NONE: diag, or no memory. */
uint32_t json_chrome_track(struct json_doc *d, uint32_t *tracks, uint32_t thread);

/* The profile of the file's CPU profiles, or of the samples beside its events. False: diag, or no memory. */
bool json_chrome_put_profiles(struct json_doc *d);
bool json_chrome_put_samples(struct json_doc *d);
