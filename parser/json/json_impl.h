/* The inside of this room: one JSON document while it is read. Members come in any order, so each family of formats
 * keeps what is its own, json_doc.c has what they share, and json_file.c asks for the profile when all has been seen. */
#pragma once

#include "parser/json/json_in.h"
#include "parser/json/json_stacks.h"

enum { JSON_NS_OF_MS = 6, JSON_NS_OF_US = 3, JSON_NS_OF_S = 9 }; /* decimals */

struct json_speedscope;
struct json_chrome;
struct json_firefox;

/* Nodes, samples and times of a CPU profile of V8 or Hermes. Several profiles share the arrays. */
struct json_js_node {
    uint32_t id, parent; /* ids as the file has them, or rows; STACK_NONE: none */
    string_id name, url;
    int32_t line; /* as the file has it; -1: none */
    uint32_t hits;
};

struct json_js_child {
    uint32_t id, parent;
};

struct json_js {
    struct json_js_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct json_js_child *children; /* which node says that another one is its child */
    size_t n_children, children_capacity;
    struct json_column ids, deltas; /* deltas are ns */
    bool parents_are_rows;          /* of the form with `head` */
    bool self_size;                 /* it is an allocation profile */
};

/* What of them is one profile. */
struct json_js_part {
    size_t nodes, n_nodes, children, n_children, ids, n_ids, deltas, n_deltas;
};

enum { JSON_KEYS_MAX = 64 };

struct json_doc {
    struct json_in *in; /* of the text at hand: that of the file, or one within a string */
    struct reading *r;
    struct builder *builder;
    struct arena *arena;
    struct diag *diag;
    struct json_tracks tracks;
    struct json_values values;
    uint64_t begin; /* offset of the document */

    /* Members of the outermost object. */
    struct str keys[JSON_KEYS_MAX];
    uint32_t n_keys;
    bool is_events;                     /* the file is an array of trace events */
    bool cut;                           /* the file ends within an array of trace events */
    struct json_speedscope *speedscope; /* of each family, what came of it so far; NULL: nothing */
    struct json_chrome *chrome;
    struct json_firefox *firefox;
    struct json_js js; /* of a CPU profile by itself */
    struct json_column timestamps;
    struct json_number start, end;
    bool has_start, has_end, has_nodes, has_head;
    struct str
        value_name; /* of what aflamed exported, and what the only value of the file is; empty: nothing says so */
};

/* All below return false with a diag, or where the arena gives no more. */

/* A name, cut to the limit. STRING_NONE: no memory. */
string_id json_name(struct json_doc *d, struct str text);
/* The next value is what our own exports say of their value: {"value":"cpu"}, or {"clock":"cpu"}. */
bool json_take_value_name(struct json_doc *d);
/* Refuses the file. Always false. */
bool json_refuse(struct json_doc *d, const char *title, const char *hint, const char *detail);

/* ---- members of the outermost object; their value is next ---- */

bool json_speedscope_schema(struct json_doc *d);
bool json_speedscope_profiles(struct json_doc *d);
bool json_speedscope_frames(struct json_doc *d); /* of `shared` */

bool json_chrome_events(struct json_doc *d);
bool json_chrome_frames(struct json_doc *d);  /* stackFrames */
bool json_chrome_samples(struct json_doc *d); /* those that refer to them: objects */

bool json_firefox_meta(struct json_doc *d);
bool json_firefox_libs(struct json_doc *d);
bool json_firefox_threads(struct json_doc *d);
bool json_firefox_processes(struct json_doc *d);
bool json_firefox_shared(struct json_doc *d, struct str key); /* a member of `shared` */

bool json_js_nodes(struct json_doc *d, struct json_js *js);
bool json_js_head(struct json_doc *d, struct json_js *js);

/* ---- what a document is, and its profile ---- */

bool json_is_chrome(const struct json_doc *d);
bool json_is_speedscope(const struct json_doc *d);
bool json_is_firefox(const struct json_doc *d);
bool json_finish_speedscope(struct json_doc *d);
bool json_finish_chrome(struct json_doc *d);
bool json_finish_firefox(struct json_doc *d);
bool json_finish_cpuprofile(struct json_doc *d);

/* Declares calls with wall time, and CPU time where `cpu` says so. */
bool json_declare_calls(struct json_doc *d, bool cpu);

/* ---- slices of trace events ---- */

enum json_slice_kind { JSON_SLICE_BEGIN, JSON_SLICE_END, JSON_SLICE_WHOLE };

struct json_slice {
    int64_t ts, dur, tts, tdur; /* ns; COLUMN_NONE: not there */
    uint32_t thread;            /* of struct json_chrome */
    frame_id frame;             /* FRAME_NONE: an end without a name */
    string_id name;
    enum json_slice_kind kind;
};

struct json_slices {
    struct json_slice *all;
    size_t n, capacity;
};

/* Tells the builder of the slices, whose values are declared; tracks by thread. */
bool json_fold_slices(struct json_doc *d, struct json_slices *slices, const uint32_t *tracks,
                      size_t n_threads, bool cpu);
