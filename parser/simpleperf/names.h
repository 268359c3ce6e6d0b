/* What a report-sample file lists by numbers: files with their symbols, and threads. All of it may stand behind the samples that
 * use it, so the file is gone through once for this. */
#ifndef PARSER_SIMPLEPERF_NAMES_H
#define PARSER_SIMPLEPERF_NAMES_H

#include "core/idmap.h"
#include "parser/format.h"

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

/* The frame of a symbol of a file; without one (-1) of an address there. FRAME_NONE: no memory. */
frame_id sampled_names_frame(struct sampled_names *s, uint64_t file, int64_t symbol, uint64_t address,
                             enum execution execution);
/* A new track for the thread. NODE_NONE: diag, or no memory. */
uint32_t sampled_names_track(struct sampled_names *s, uint32_t thread);

#endif
