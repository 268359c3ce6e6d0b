/* One sentence of a verdict. */
#ifndef RENDER_VERDICT_SENTENCE_H
#define RENDER_VERDICT_SENTENCE_H

#include "profile/profile.h"

enum { VERDICT_METHODS_MAX = 4 };

struct verdict_sentence {
    const char *rule; /* a stable word: "json-on-main" */
    struct str text;  /* raw: names in it are not cleaned */
    const char *how;  /* how it was found, for people who doubt it */

    /* What shows it: the index of a track, or UINT32_MAX for none; a sandwich of the first method, if it has methods. The methods are
     * in the text as names_frame has them, and link to a view of their own. */
    uint32_t track;
    frame_id methods[VERDICT_METHODS_MAX];
    uint32_t n_methods;
    const char
        *table; /* query of the table of methods that shows it: "group=origin"; NULL: none does better */

    uint64_t weight; /* the larger, the further in front */
};

#endif
