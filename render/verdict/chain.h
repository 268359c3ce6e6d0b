/* The path on which most of a thread's time goes down: from the heaviest own method, or else from the thread
 * itself, to callees as long as one of them has more than half of what the first one took. Where no callee
 * has, but one method somewhere below has, as when two callees share one, the path goes on with that. */
#pragma once

#include "render/verdict/analysis.h"

enum { CHAIN_LINKS_MAX = 40 };

struct chain_link {
    frame_id frame;
    uint64_t took;  /* as in analysis.h, within the link above it */
    uint64_t calls; /* 0 where calls are not counted */
};

struct chain {
    struct chain_link links[CHAIN_LINKS_MAX];
    uint32_t n;        /* 0: no method has enough */
    uint32_t last_own; /* the link of the last own method; n: none is own */
    uint32_t below;    /* the first link of other code below it; n: there is none */
    bool from_own;     /* the first link is an own method */
    /* Not from_own: the method of the last link that is no allocator, with what it took wherever it was called. */
    struct chain_link end;
    uint64_t running; /* of what the first link took, time on a CPU; 0 where this was not recorded */
};

/* Lives in the arena; NULL when it gives no more. */
const struct chain *chain_new(const struct analysis *a, struct arena *arena) MUST_CHECK;
