/* What readers of JSON profiles and of perf's text keep until the file says what it means, and how they tell the
 * builder of it then. Values have to be declared before the first sample, while in these files units, names and tables
 * may stand behind the samples; so samples are kept in columns, and stacks as rows that refer to each other. */
#pragma once

#include "core/idmap.h"
#include "parser/format.h"
#include "parser/json/json_in.h"

#define COLUMN_NONE INT64_MIN /* in place of a number */
#define STACK_NONE  UINT32_MAX

/* ---- columns of numbers ---- */

/* Numbers of 32 bits, or of 64 from the first one on that needs them. */
struct json_column {
    int32_t *narrow; /* NULL where wide is not */
    int64_t *wide;
    size_t n, capacity;
};

/* False: no memory. */
bool json_column_add(struct json_column *c, struct arena *arena, int64_t value) MUST_CHECK;
/* Appends an array of numbers, each times 10^decimals; what is no number is COLUMN_NONE. False: no memory. */
bool json_column_read(struct json_column *c, struct json_in *in, int decimals) MUST_CHECK;

/* COLUMN_NONE also behind the end. */
static inline int64_t json_column_at(const struct json_column *c, size_t i)
{
    if (i >= c->n)
        return COLUMN_NONE;
    if (c->wide != NULL)
        return c->wide[i];
    return c->narrow[i] == INT32_MIN ? COLUMN_NONE : c->narrow[i];
}

/* ---- names ---- */

/* The frame with this name; a JVM descriptor at its end is its signature. `with` has the rest of what is known of it. FRAME_NONE:
 * no memory. */
frame_id json_frame(struct builder *b, string_id name, const struct profile_frame *with);
/* The text behind the last / or \. */
struct str json_base_name(struct str path);
/* A frame without a name: `libfoo.so[+1a2b]`. */
bool json_is_nameless(struct str name, uint64_t *address);
frame_id json_nameless_frame(struct builder *b, string_id path, uint64_t address, struct profile_frame with);

/* The tracks of a file. */
struct json_tracks {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct idmap ids; /* that are taken */
    uint32_t n, next_id;
};

void json_tracks_init(struct json_tracks *t, struct reading *r);
/* A new track; its id is its number, if no other has that. NODE_NONE: diag. */
uint32_t json_track(struct json_tracks *t, string_id name, const struct track_words *words);
/* The same of a name that says all: `main tid=1`, `com.example pid=71`, `com.example pid=71 heap=malloc` are that thread,
 * process and heap. Any other one is what `otherwise` says. */
uint32_t json_track_by_name(struct json_tracks *t, string_id name, const struct track_words *otherwise);
/* `com.example (7657)`, or `process 7657`. STRING_NONE: no memory. */
string_id json_group(struct builder *b, struct str name, struct str pid);
/* The number of a process; 0: the text is none. */
uint32_t json_process(struct str pid);

/* ---- stacks ---- */

/* Rows of stacks: each is a frame on top of another stack, which may stand anywhere in the table. */
struct json_stacks {
    struct builder *builder;
    struct arena *arena;
    uint32_t *parent; /* STACK_NONE: none; another one that is not in the table: bad, counted */
    uint32_t *frame;
    size_t n, parents_capacity, frames_capacity;
    const frame_id
        *frames; /* what `frame` is an index of, if `indexed`; another one is an unknown frame, counted */
    size_t n_frames;
    bool indexed;          /* else it is a frame_id, or STACK_NONE: the row adds nothing to its parent */
    struct idmap children; /* (parent, frame) -> row: of json_stack_child */
    node_id *node;         /* by row, of the track at hand */
    uint32_t *turn;        /* by row: when that was found */
    size_t nodes_capacity, turns_capacity, n_known; /* rows from n_known on are not looked up yet */
    uint32_t now;
    uint32_t track;
    frame_id unknown;
    uint32_t *way; /* scratch */
    size_t way_capacity;
};

void json_stacks_init(struct json_stacks *s, struct builder *b);
/* False: no memory. */
bool json_stack_add(struct json_stacks *s, uint32_t parent, uint32_t frame) MUST_CHECK;
/* The row of this frame on top of that stack, made if it is new. STACK_NONE: no memory. */
uint32_t json_stack_child(struct json_stacks *s, uint32_t parent, uint32_t frame);
/* The frame of a row, or of an index. FRAME_NONE: no memory. */
frame_id json_stack_frame(struct json_stacks *s, uint32_t frame);
/* What stack `row` is of this track; the root of STACK_NONE. NODE_NONE: no memory. */
node_id json_stack_node(struct json_stacks *s, uint32_t track, uint32_t row);

/* ---- values ---- */

enum json_value { JSON_WALL, JSON_CPU, JSON_SAMPLES, JSON_BYTES, JSON_VALUES };

/* The values that the file has, in the order in which they first come, and the samples of each. */
struct json_values {
    struct builder *builder;
    uint32_t n;
    uint32_t place[JSON_VALUES]; /* from 1; 0: there is none */
    enum json_value used[JSON_VALUES];
    bool is_signed;
    bool fractions;     /* a warning is due */
    struct str name;    /* what the file calls its only value; empty: it does not say */
    struct idmap parts; /* node and value -> what amounts leave below a whole number, in millionths */
};

/* What a sample has of one value. */
struct json_amount {
    int64_t whole;
    uint32_t millionths; /* more than that */
};

struct json_amount json_amount_of_millionths(int64_t millionths);

void json_values_need(struct json_values *v, enum json_value value);
/* Of samples, in ns where they have times. False: no memory. */
bool json_values_declare(struct json_values *v) MUST_CHECK;
/* Adds a sample; amounts by enum json_value. `at_ns` COLUMN_NONE: it has no time. False: no memory. */
bool json_values_add(struct json_values *v, uint32_t track, node_id node,
                     const struct json_amount amounts[JSON_VALUES], int64_t at_ns) MUST_CHECK;
