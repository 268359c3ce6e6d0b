/* One sentence of a verdict. */
#pragma once

#include "profile/profile.h"

enum { VERDICT_METHODS_MAX = 4, VERDICT_MENTIONS_MAX = 10 };

/* A method, a thread, or a range of time where the sentence names it. */
struct verdict_mention {
    size_t at, n; /* bytes of the text */
    bool is_method;
    frame_id frame;          /* of a method */
    uint32_t track;          /* index, if it is a thread */
    uint64_t from_ns, to_ns; /* since the trace's start; to_ns is 0 if it is no range */
};

struct verdict_sentence {
    const char *rule; /* a stable word: "json-on-main" */
    struct str text;  /* raw: names in it are not cleaned */
    const char *how;  /* how it was found, for people who doubt it */

    /* What shows it: the index of a track, or UINT32_MAX for none; a sandwich of the first method, if it
     * has methods. */
    uint32_t track;
    frame_id methods[VERDICT_METHODS_MAX];
    uint32_t n_methods;
    /* In their order; each links to a view of its own. */
    struct verdict_mention mentions[VERDICT_MENTIONS_MAX];
    uint32_t n_mentions;
    /* The query of the table of methods that shows it: "group=origin"; NULL: none does better. */
    const char *table;

    bool once;       /* left out where those in front of it name all of its methods */
    uint64_t weight; /* the larger, the further in front */
};
