/* What symbols say of the nameless frames of a profile: which functions stand at their addresses.
 *
 *     symbols_new       which addresses are asked for, library by library
 *     symbols_found     .. of which a file was found, or only one of another build
 *     symbols_answer    what stands at one of them: called by who reads files of symbols
 *     symbols_apply     TRANSFORM: the profile with these names
 *
 * An address counts in the library's file, as its program headers place it (p_vaddr). Where the recorder
 * took the file to be shifted by less than it is (Android 10 did, and who knows offsets only), the reader
 * of the file corrects it with load_bias and map_offset; see bias_of in symbol_elf.c.
 *
 * Names only: values and ids of tracks stay as they were. A frame becomes the function that is there and,
 * inside it, those that were inlined. What nobody knows stays nameless. Pure; one thread. */
#pragma once

#include "core/arena.h"
#include "core/strtab.h"
#include "profile/profile.h"

enum symbols_state {
    SYMBOLS_MISSING, /* no file of this library was there */
    SYMBOLS_OTHER,   /* one of another build was */
    SYMBOLS_FOUND,   /* by its build id */
    SYMBOLS_BY_NAME, /* by its name: the recording does not say the build */
    SYMBOLS_STATES
};

enum { SYMBOLS_NAMES_MAX = 64 /* functions at one address */ };

/* The word for JSON: "missing", for example. */
const char *symbols_state_word(enum symbols_state state);

/* One function; text may be empty. */
struct symbols_name {
    struct str function, file;
    uint32_t line; /* or 0 */
};

struct symbols_question {
    frame_id frame;
    uint32_t first, n; /* the answer, in symbols.names: the innermost first */
};

/* A library, as the frames name it. */
struct symbols_module {
    string_id path, build_id; /* of the profile; the build id may be empty */
    enum symbols_state state;
    uint32_t first, n; /* its questions, by address */
};

struct symbols {
    const struct profile *profile;
    struct arena *arena;
    struct strtab strings;
    struct symbols_module *modules; /* ascending by path, then by build id: their ids, not their text */
    uint32_t n_modules;
    struct symbols_question *questions;
    uint32_t n_questions;
    struct symbols_name *names;
    size_t n_names, names_capacity;
    uint32_t failed_files; /* whose reading came to no good end: counted by who reads them */
};

/* NULL when the arena gives no more. The profile is to be one whose addresses were kept (builder_keep_addresses). */
struct symbols *symbols_new(const struct profile *p, struct arena *arena, struct hash_seed seed) MUST_CHECK;

/* A better state replaces the one that is there. */
void symbols_found(struct symbols *s, uint32_t module, enum symbols_state state);

/* A file of this very build was read, and it knows source files as well as functions: nothing more is
 * looked for then. */
bool symbols_is_done(const struct symbols *s, uint32_t module);

/* Replaces the answer to a question: n names, the innermost first, at most SYMBOLS_NAMES_MAX. Texts are
 * copied. False when the arena gives no more. */
bool symbols_answer(struct symbols *s, uint32_t question, const struct symbols_name *names,
                    uint32_t n) MUST_CHECK;

/* The profile with these names; the arena and `p`, which s was made of, must outlive it. It says as facts
 * how many frames were named ("symbolized_frames" of "nameless_frames"), and as warnings of which
 * libraries symbols are missing. NULL when the arena gives no more. */
const struct profile *symbols_apply(const struct profile *p, const struct symbols *s,
                                    struct arena *arena) MUST_CHECK;

/* What symbols were found for a profile. */
struct profile_symbols {
    const struct symbols_module *modules; /* in the order of struct symbols */
    uint32_t n_modules;
};

/* Libraries with nameless frames, and how much of the profile is in them: so that people know whose
 * symbols to look for. */

struct unnamed_module {
    string_id module, build_id; /* either may be empty */
    enum symbols_state state;
    uint32_t frames;
    uint64_t value; /* of stacks with such a frame, in the value by which tracks are ranked */
};

struct unnamed {
    struct unnamed_module *modules; /* those with most first */
    uint32_t n;
    uint64_t total; /* of the profile */
};

/* False when the arena gives no more. */
bool unnamed_list(const struct profile *p, struct arena *arena, struct unnamed *list) MUST_CHECK;

/* How many tenths of a percent of the profile that is. */
uint32_t unnamed_permille(const struct unnamed *list, const struct unnamed_module *m);
