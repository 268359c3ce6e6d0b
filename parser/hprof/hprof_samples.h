/* What the two hprof sampling formats share: threads, stacks (called TRACE there), and how often each was seen. All of them
 * are known by numbers, may come in any order, and are put together at the end.
 *
 * Each thread is a track. Stacks that name no thread are one track together. A stack is cut at the recorder's depth: its
 * innermost frames are kept, and nothing says that others were there. So one that is as deep as that is counted. */
#ifndef PARSER_HPROF_HPROF_SAMPLES_H
#define PARSER_HPROF_HPROF_SAMPLES_H

#include "core/idmap.h"
#include "parser/format.h"

struct hprof_stack {
    uint32_t thread; /* 0: none is named */
    size_t first;    /* of its frames, the innermost first */
    size_t n;
    uint64_t count;
    bool listed; /* else only its count is known */
};

struct hprof {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct idmap threads, stacks; /* number -> place in the lists */
    string_id *names;             /* of the threads */
    size_t n_names, names_capacity;
    struct hprof_stack *list;
    size_t n_stacks, stacks_capacity;
    uint32_t current; /* the stack that was begun last */
    frame_id *frames; /* of all stacks */
    size_t n_frames, frames_capacity;
    uint64_t declared, counted; /* samples */
    bool has_counts;            /* the part with the counts began */
    uint32_t depth;             /* to which stacks are kept; 0: the file does not say */
};

/* All of these return false when diag is set. */
bool hprof_begin(struct hprof *h, struct reading *r);
bool hprof_thread(struct hprof *h, uint32_t thread, struct str name, uint64_t offset);
/* A new stack, whose frames follow, the innermost first; what was listed under that number before is forgotten. */
bool hprof_stack(struct hprof *h, uint32_t stack, uint32_t thread, uint64_t offset);
/* The next frame of the stack that was begun last. */
bool hprof_frame(struct hprof *h, frame_id frame);
bool hprof_count(struct hprof *h, uint32_t stack, uint64_t count);
/* A name, cut to the limit. STRING_NONE: diag is set. */
string_id hprof_name(struct hprof *h, struct str name, uint64_t offset);
/* Puts the samples into the builder; says so if there are none. */
bool hprof_finish(struct hprof *h);

/* Refuses a heap dump. Always false. */
bool hprof_refuse_dump(struct diag *diag);
/* Sets diag if it is not set: memory or a limit. Always false. */
bool hprof_failed(struct hprof *h);

#endif
