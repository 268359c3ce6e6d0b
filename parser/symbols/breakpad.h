/* Symbol files of Breakpad and Crashpad (dump_syms): text, a record to a line. Source: "Symbol Files"
 * among the documents of github.com/google/breakpad.
 *
 *     MODULE Linux arm64 <id> libfoo.so            the id: 16 bytes of the build id as a GUID, and an age of 0
 *     INFO CODE_ID <build id>
 *     FILE <number> <name>                         decimal
 *     INLINE_ORIGIN <number> <name>
 *     FUNC [m] <address> <bytes> <parameters> <name>     hexadecimal; what follows is of this function:
 *     INLINE <level> <line> <file> <origin> [<address> <bytes>]..    the call's place, then where the code is
 *     <address> <bytes> <line> <file>
 *     PUBLIC [m] <address> <parameters> <name>
 *     STACK ..                                     passed over, as is what makes no sense
 *
 * All of the file is in memory, and texts stand in it. Pure; one thread. */
#pragma once

#include "core/arena.h"
#include "core/idmap.h"
#include "profile/symbols/symbols.h"

enum { BREAKPAD_ID_CHARS = 32 /* of the module's id, without its age */ };

struct breakpad {
    struct str bytes;
    struct str id;       /* of the module, with its age */
    struct str build_id; /* or empty */
    struct str name;     /* of its file */
    /* The room's own. */
    struct arena *arena;
    struct idmap files, origins; /* number -> place in texts */
    struct str *texts;
    size_t n_texts, texts_capacity;
};

/* Whether the file begins as one. */
bool breakpad_detect(struct str head);

/* Reads what stands outside of functions. The bytes and the arena must outlive it. False: the arena gives
 * no more, or there is no MODULE. */
bool breakpad_open(struct breakpad *b, struct str bytes, struct arena *arena) MUST_CHECK;

/* Whether the module is that of a build id in hexadecimal digits. */
bool breakpad_is_of(const struct breakpad *b, struct str build_id);

/* Calls answer(context, i, names, n) for those of the addresses, which go up, that are in a function or
 * behind a public symbol; the innermost first. Ends when it returns false. */
void breakpad_answer(const struct breakpad *b, const uint64_t *addresses, size_t n,
                     bool (*answer)(void *context, size_t i, const struct symbols_name *names, uint32_t n),
                     void *context);
