/* Libraries with nameless frames, and how much of the profile is in them: so that people know whose symbols to look for. */
#ifndef PROFILE_SYMBOLS_UNNAMED_H
#define PROFILE_SYMBOLS_UNNAMED_H

#include "core/arena.h"
#include "profile/symbols/symbols.h"

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
bool unnamed_list(const struct profile *p, struct arena *arena, struct unnamed *list)
    __attribute__((warn_unused_result));

/* How many tenths of a percent of the profile that is. */
uint32_t unnamed_permille(const struct unnamed *list, const struct unnamed_module *m);

#endif
