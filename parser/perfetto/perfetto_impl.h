/* The inside of the reader of Perfetto traces. A trace is a sequence of packets
 * (protos/perfetto/trace/trace_packet.proto of github.com/google/perfetto), of which this reader takes
 * heap profiles of heapprofd, CPU samples, names of processes and threads, symbols and deobfuscation; all
 * others are passed over.
 *
 *   perfetto.c            FORMAT: the bytes as packets, compressed ones too; one packet, and the state of its sequence; the end
 *   perfetto_interned.c   what packets of a sequence refer to by ids, what these mean, and what the whole trace has of it, each once
 *   perfetto_heap.c       heap profiles
 *   perfetto_samples.c    CPU samples
 *   perfetto_names.c      processes and threads; symbols and deobfuscated names, and the frames that a profile has of all this
 *   perfetto_result.c     all of it as tracks of a profile
 *
 * Names may stand behind all that they belong to, so the builder is told of stacks at the end only. Until
 * then there is memory for each distinct stack, for each change of a heap's stack from dump to dump, and
 * 24 bytes for each CPU sample. */
#pragma once

#include "core/idmap.h"
#include "core/protobuf.h"
#include "parser/format.h"
#include "parser/systrace/systrace.h"

#define PERFETTO_NONE UINT32_MAX

/* ---- perfetto_interned.c: of the whole trace ---- */

struct pf_mapping {
    string_id path, build_id;
    uint64_t load_bias, map_offset; /* of the first such mapping; as in struct profile_frame */
};

enum pf_frame_kind { PF_KIND_UNKNOWN, PF_KIND_NATIVE, PF_KIND_KERNEL, PF_KIND_INTERPRETED, PF_KIND_JIT };

struct pf_frame {
    uint32_t mapping; /* or PERFETTO_NONE */
    string_id name, file;
    uint32_t line; /* 0: not known */
    uint8_t kind;  /* as the file says */
    uint64_t rel_pc;
};

/* A stack is the path from its last frame's entry to the root. */
struct pf_stack {
    uint32_t up; /* the stack without its last frame, or PERFETTO_NONE */
    uint32_t frame;
};

struct pf_stacks {
    struct pf_mapping *mappings;
    size_t n_mappings, mappings_capacity;
    struct pf_frame *frames;
    size_t n_frames, frames_capacity;
    struct pf_stack *stacks;
    size_t n_stacks, stacks_capacity;
    struct idmap mapping_ids, frame_ids, stack_ids;
};

/* ---- perfetto_interned.c: of a sequence ---- */

enum pf_kind {
    PF_FUNCTION,
    PF_BUILD_ID,
    PF_PATH,
    PF_SOURCE,
    PF_MAPPING,
    PF_FRAME,
    PF_STACK,
    PF_TASK,
    PF_KINDS
};

struct pf_raw_mapping {
    uint64_t build_id, load_bias;
    uint64_t exact_offset, start_offset; /* in the file: of the mapping, and of the library in an APK */
    uint32_t first, n;                   /* of the path's parts, in lists */
    uint32_t known;                      /* what it was resolved to, or PERFETTO_NONE */
};

struct pf_raw_frame {
    uint64_t function, mapping, rel_pc, source;
    uint32_t line;
    uint8_t kind;
    uint32_t known;
};

struct pf_raw_stack {
    uint64_t id;
    uint32_t first, n; /* of its frames, in lists */
    uint32_t known;
    uint32_t done, built; /* so many of its frames are known, and are this stack */
    uint64_t tried;       /* how many entries there were when it was resolved in vain */
    /* The heap of its last sample, or PERFETTO_NONE, and the counters of the two: see pf_heaps. */
    uint32_t heap, last, base;
};

struct pf_task {
    uint32_t pid, tid;
};

struct pf_interned {
    struct idmap ids[PF_KINDS]; /* of strings: string_id; of others: index of the arrays here */
    struct pf_raw_mapping *mappings;
    struct pf_raw_frame *frames;
    struct pf_raw_stack *stacks;
    struct pf_task *tasks;
    uint64_t *lists;
    size_t n_mappings, n_frames, n_stacks, n_tasks, n_lists;
    size_t mappings_capacity, frames_capacity, stacks_capacity, tasks_capacity, lists_capacity;
    /* The stack behind the one that was looked up last: dumps mostly name stacks in the order of their entries. */
    size_t next_stack;
    bool one_space; /* of Android 10: all strings are PF_FUNCTION */
};

/* ---- perfetto_heap.c ---- */

struct pf_heap {
    uint32_t pid;
    string_id name;
    bool is_art;
    bool at_max;        /* what was held when most was held */
    uint64_t n_samples; /* with values */
    uint64_t interval;
};

struct pf_dump {
    uint32_t heap;
    uint64_t timestamp;
    uint32_t moment; /* of its track, at the end */
};

struct pf_values {
    int64_t bytes, count;
};

struct pf_pending {
    uint32_t heap, dump;
    uint64_t stack; /* interned id */
    struct pf_values allocated, freed;
};

struct pf_row {
    uint32_t heap, dump, stack;
    struct pf_values allocated, freed; /* since the dump before */
};

struct pf_counters {
    struct pf_values allocated, freed;
};

struct pf_heaps {
    struct pf_heap *heaps;
    struct pf_dump *dumps;
    struct pf_row *rows;
    size_t n_heaps, heaps_capacity, n_dumps, dumps_capacity, n_rows, rows_capacity;
    struct idmap heap_ids, dump_ids;
    /* What was counted last, by sequence, heap and stack; and what to add to counts, by these and the interned id. */
    struct pf_counters *counters;
    size_t n_counters, counters_capacity;
    struct idmap last_ids, base_ids;
};

/* ---- perfetto_samples.c ---- */

struct pf_sample {
    uint64_t time_ns;
    uint32_t thread, stack;
    uint64_t weight;
};

struct pf_thread {
    uint32_t pid, tid;
};

struct pf_waiting {
    uint64_t stack; /* interned id */
    uint64_t time_ns, weight;
    uint32_t thread;
};

struct pf_samples {
    struct pf_sample *samples;
    struct pf_thread *threads;
    size_t n_samples, samples_capacity, n_threads, threads_capacity;
    struct idmap thread_ids;
};

/* ---- perfetto.c ---- */

enum { PF_CLOCKS = 64, PF_FIELD_SYMBOLS = 61, PF_FIELD_DEOBFUSCATION = 64 /* of a packet */ };

struct pf_sequence {
    uint64_t number; /* among all */
    bool valid;      /* its interned data can be relied on */
    struct pf_interned interned, legacy;
    uint32_t default_clock;
    struct pf_task thread; /* of streaming samples */
    uint64_t reference_us;
    bool has_reference;
    bool has_index;
    uint64_t index;
    /* Samples of heaps until their dump ends, and of CPUs until their stacks are known. */
    struct pf_pending *pending;
    struct pf_waiting *waiting;
    size_t n_pending, pending_capacity, n_waiting, waiting_capacity;
};

/* The fields of one packet that mean something here. */
struct pf_packet {
    uint64_t timestamp, sequence, machine, flags;
    uint64_t time_ns; /* the timestamp by the clock that counts since the boot */
    uint32_t clock;
    bool cleared, dropped, has_time, has_sequence;
    struct str defaults, interned, process_tree, track, packages, clocks, deflate, zstd;
    uint32_t data_field; /* what it is; 0: nothing that is named */
    struct str data;
};

/* ---- perfetto_names.c: processes and threads ---- */

struct pf_people {
    struct idmap process_names, thread_names; /* pid, tid -> string_id */
    struct idmap process_uids;                /* pid -> uid within its user */
    struct idmap packages;                    /* uid within its user -> string_id */
};

/* ---- perfetto_names.c: frames ---- */

struct pf_line {
    string_id function, file;
    uint32_t line;
};

struct pf_symbol {
    uint32_t first, n; /* lines, the innermost first */
};

struct pf_member {
    string_id deobfuscated, package;
    uint32_t next; /* of the same obfuscated name, or PERFETTO_NONE */
    bool has_start, has_end;
    uint64_t start, end; /* lines */
};

struct pf_members {
    uint32_t last, n; /* of the list */
};

struct pf_expansion {
    uint32_t first, n; /* frames of the builder, the outermost first */
};

struct pf_names {
    struct pf_line *lines;
    struct pf_symbol *symbols;
    struct pf_member *members;
    frame_id *expanded;
    struct pf_expansion *expansions;
    struct pf_members *lists; /* by first member */
    size_t n_lines, lines_capacity, n_symbols, symbols_capacity, n_members, members_capacity, n_expanded,
        expanded_capacity, n_expansions, expansions_capacity, lists_capacity;
    struct idmap symbol_ids;    /* hash of path, build id and address -> symbol */
    struct idmap member_ids;    /* obfuscated class.method -> its first member */
    struct idmap expansion_ids; /* frame and package -> expansion */
};

enum { PF_HELD_FIELDS = 160 };

struct perfetto {
    struct builder *builder;
    struct arena *arena;
    struct hash_seed seed;
    const struct reader_limits *limits;
    struct diag *diag;
    bool beside;     /* the bytes are of another file, of which only symbols and deobfuscated names count */
    uint64_t offset; /* of the packet at hand */
    uint64_t part;   /* the file of the recording, from 0 */

    struct pf_sequence *sequences;
    size_t n_sequences, sequences_capacity;
    struct idmap sequence_ids;
    int64_t to_boot_ns[PF_CLOCKS]; /* what to add to a clock */

    struct pf_stacks stacks;
    struct pf_heaps heaps;
    struct systrace *system; /* sections and the scheduler */
    struct pf_samples samples;
    struct pf_people people;
    struct pf_names names;

    uint8_t *unpacked; /* a compressed packet's packets */
    size_t unpacked_capacity;
    uint64_t unpacked_bytes; /* of all */
    uint64_t packets, held[PF_HELD_FIELDS];
};

/* All that return bool: false when diag is set, or the arena gives no more (then the end of the reading
 * sets diag). */

/* perfetto_interned.c */
void pf_warn(struct perfetto *t, enum warning_code code, uint64_t count);
/* The string, cut at the limit for names; STRING_NONE when the arena gives no more. */
string_id pf_string(struct perfetto *t, struct str s);
/* Likewise, the string that is in the buffer, which is freed. */
string_id pf_string_of(struct perfetto *t, struct buf *b);
/* Likewise, the first 64 bytes in hexadecimal. */
string_id pf_hex(struct perfetto *t, struct str bytes);
/* A keyed hash of n numbers, for idmaps: so good that equal ones are taken for equal numbers. */
uint64_t pf_key(const struct perfetto *t, const uint64_t *numbers, size_t n);

/* The same one of the whole trace, which is added if it is new. PERFETTO_NONE when the arena gives no more. */
uint32_t pf_frame(struct perfetto *t, const struct pf_frame *frame);
uint32_t pf_stack(struct perfetto *t, uint32_t up, uint32_t frame);
void pf_interned_init(struct perfetto *t, struct pf_interned *in, bool one_space);
void pf_interned_clear(struct perfetto *t, struct pf_interned *in);
bool pf_interned_add(struct perfetto *t, struct pf_interned *in, struct str data);
bool pf_interned_add_one(struct perfetto *t, struct pf_interned *in, enum pf_kind kind, struct str message);
/* The stack of that id, which stays where it is until something is added; NULL where it, or a part of it, is not there. */
bool pf_interned_stack(struct perfetto *t, struct pf_interned *in, uint64_t id, struct pf_raw_stack **stack);

/* perfetto_heap.c */
bool pf_heap_packet(struct perfetto *t, struct pf_sequence *s, struct str message);

/* perfetto_samples.c */
bool pf_perf_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p);
bool pf_streaming_samples(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p);
bool pf_stack_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p);
/* Those whose stacks were not known when they came: at the end of what they refer to. */
bool pf_samples_settle(struct perfetto *t, struct pf_sequence *s);

/* perfetto_names.c */
bool pf_process_tree(struct perfetto *t, struct str message);
bool pf_track_descriptor(struct perfetto *t, struct str message);
bool pf_packages_list(struct perfetto *t, struct str message);
/* Its name, or "Process-<pid>"; STRING_NONE when the arena gives no more. */
string_id pf_process_name(struct perfetto *t, uint32_t pid);
string_id pf_thread_name(struct perfetto *t, uint32_t tid);
/* STRING_EMPTY: not known. */
string_id pf_process_package(const struct perfetto *t, uint32_t pid);
bool pf_module_symbols(struct perfetto *t, struct str message);
bool pf_deobfuscation(struct perfetto *t, struct str message);
/* What a frame is shown as, for a process of that package; NULL when the arena gives no more. */
const struct pf_expansion *pf_expand(struct perfetto *t, uint32_t frame, string_id package);

/* perfetto_result.c */
/* UINT64_MAX: there is none. */
bool pf_result(struct perfetto *t);
