/* What a mapping.txt says of the names that a profile has: the way back from the names of a release build
 * (residual ones) to those of the sources (original ones).
 *
 *     mapping_new, mapping_want_profile (or mapping_want)     which names are asked for
 *     mapping_class, mapping_wants_method, mapping_add, ..    what the file says of them: called by its reader
 *     mapping_resolve                                         what one name was
 *     mapping_share_count                                     how many names it knows
 *
 * Nothing is kept of names that nobody asked for, so that memory grows with the profile and not with the
 * file. All of it lives in one arena. Pure; one thread.
 *
 * A line of the file says that a range of lines of a residual method was a method of the sources.
 * Consecutive lines with the same range are a stack of inlined calls, the innermost first: they are one
 * group here. Source: the mapping format of R8, doc/retrace.md, and ProGuard's manual, chapter "retrace". */
#pragma once

#include "core/idmap.h"
#include "core/strtab.h"
#include "profile/frame/frame_text.h"

#define MAPPING_NONE UINT32_MAX

enum {
    MAPPING_MEMBERS_MAX = 8192,  /* lines that are kept of one residual method of one class */
    MAPPING_GROUP_MAX = 64,      /* lines that are kept of one group: calls are not inlined so deep */
    MAPPING_CANDIDATES_MAX = 32, /* of one name */
    MAPPING_ID_BYTES_MAX = 128   /* of the id and the hash that a file says of itself */
};

enum mapping_member_flag {
    MAPPING_RANGE = 1, /* from and to are said */
    MAPPING_PLACE_PAIR =
        2,              /* Its lines in the sources are said as two numbers: it is not the place of a call. */
    MAPPING_OUTLINE = 4 /* a piece that several methods share: to be passed over where callers are known */
};

/* One line of the file. */
struct mapping_member {
    string_id owner;    /* its class in the sources; STRING_EMPTY: that of the residual class */
    string_id name;     /* in the sources */
    string_id params;   /* types in the sources, with commas between them */
    string_id returns;  /* type in the sources */
    string_id residual; /* descriptor in the release build, where the file says it; else STRING_EMPTY */
    uint32_t from, to;  /* lines in the release build */
    uint32_t group;     /* lines of one group have the same number */
    uint32_t next;      /* of the same residual method; MAPPING_NONE: the last */
    unsigned flags;     /* a sum of enum mapping_member_flag */
};

struct mapping_class {
    string_id residual;
    string_id original; /* STRING_EMPTY: the file has not said it */
    string_id file;     /* source file; or STRING_EMPTY */
};

struct mapping_method {
    uint32_t first, last; /* members; MAPPING_NONE: none */
    uint32_t members;
    struct mapping_memo *memos; /* what was answered already: see mapping.c */
};

struct mapping {
    struct arena *arena;
    struct strtab strings;
    struct idmap class_of; /* residual name -> class */
    struct mapping_class *classes;
    size_t n_classes, classes_capacity;
    struct idmap method_of; /* class << 32 | residual name -> method */
    struct mapping_method *methods;
    size_t n_methods, methods_capacity;
    struct mapping_member *members;
    size_t n_members, members_capacity;
    uint32_t group; /* of the last member */
    uint32_t group_members;

    /* What the file says of itself, set by its reader; or empty. */
    char id[MAPPING_ID_BYTES_MAX + 1], hash[MAPPING_ID_BYTES_MAX + 1];
    uint64_t ignored; /* lines that were not understood, or not kept */
    bool cut;         /* The file is not whole, or was changed since it was written. */
};

/* NULL: the arena gives no more, as of all that follows that returns false. */
struct mapping *mapping_new(struct arena *arena, struct hash_seed seed) MUST_CHECK;

/* ---- what is asked for, before the file is read ---- */

/* A method `scope`.`name` of a release build; all classes that its descriptor names are asked for as well. */
bool mapping_want(struct mapping *m, struct str scope, struct str name, struct str signature) MUST_CHECK;
bool mapping_want_profile(struct mapping *m, const struct profile *p) MUST_CHECK;
/* Class and method of a frame, as mappings are asked for them. Where a frame is one word without a package
 * (`a.b`), they are what they would be if it is a method: a mapping that has the class tells that it is. */
struct frame_parts mapping_parts(const struct profile *p, const struct profile_frame *frame);

/* ---- what the file says ---- */

/* The class of that residual name, or MAPPING_NONE: nobody asks for it. */
uint32_t mapping_class(const struct mapping *m, struct str residual);
/* The first original name counts; *different says whether it is another one. */
bool mapping_set_class(struct mapping *m, uint32_t class, struct str original, bool *different) MUST_CHECK;
bool mapping_set_file(struct mapping *m, uint32_t class, struct str file) MUST_CHECK;
/* The method of that residual name, or MAPPING_NONE. */
uint32_t mapping_method(const struct mapping *m, uint32_t class, struct str residual);
/* Appends a line to the method; `same_group`: it belongs to the same stack as the last one. Returns its
 * number; MAPPING_NONE if the arena gives no more, or the method has MAPPING_MEMBERS_MAX or the group
 * MAPPING_GROUP_MAX (then m->ignored counts it, and `ok` stays true). */
uint32_t mapping_add(struct mapping *m, uint32_t method, const struct mapping_member *member, bool same_group,
                     bool *ok);
/* ---- what a name was ---- */

/* One frame of a release build. */
struct mapping_question {
    struct str scope, name;
    struct str signature; /* descriptor; empty: not known */
};

struct mapping_frame {
    struct str scope, name;
    struct str signature; /* descriptor in the sources; empty where the question had none */
    struct str file;      /* empty: not known */
    uint32_t candidate;   /* frames with the same number are one stack, the innermost first */
};

enum mapping_found {
    MAPPING_FOUND_NOTHING, /* the file does not have the class: only types in the signature may be others */
    MAPPING_FOUND_CLASS,   /* it has the class, but no method of that name, which so was not renamed */
    MAPPING_FOUND_NAME,    /* it has methods of that name, but with other types: none of them is this one */
    MAPPING_FOUND_METHOD
};

/* Zeroed before its first use; may be used again. Its frames live in the mapping's arena. */
struct mapping_answer {
    enum mapping_found found;
    struct mapping_frame *frames;
    size_t n_frames, capacity;
    uint32_t n_candidates; /* at least 1; more: the file does not tell which of them it was */
    bool outline;          /* not a method of the sources, but a piece of several of them */
};

bool mapping_resolve(struct mapping *m, const struct mapping_question *q,
                     struct mapping_answer *answer) MUST_CHECK;

/* The original name of a class, or the name itself. */
struct str mapping_class_name(const struct mapping *m, struct str residual);

/* ---- how many of the names are known: the figures by which it is told whether a mapping fits ---- */

/* Names that are no platform's, and those of them that the mapping knows. Zeroed before the first is counted. */
struct mapping_share {
    uint64_t asked, known;
};

/* Whether a mapping is asked about a frame of this kind at all. */
bool mapping_share_is_java(enum frame_kind kind);

/* Whether the class may be one of the app's, or of what the app brings along: its package is no
 * platform's, or it has none, as R8 leaves classes with -repackageclasses. */
bool mapping_share_is_app(struct str scope);

/* Counts one name, as mapping_parts gives it. `scoped`: the frame itself says of which class it is. A
 * method that the mapping leaves out was not renamed, so a short name is not such a method's. */
void mapping_share_count(struct mapping_share *s, const struct frame_parts *parts, bool scoped,
                         enum mapping_found found);

/* So few are known that it is probably the mapping of another build. */
bool mapping_share_is_few(const struct mapping_share *s);
