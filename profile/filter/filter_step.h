/* One step of a filter: a key, and the text behind it. What the keys mean is said in filter.h. */
#ifndef PROFILE_FILTER_FILTER_STEP_H
#define PROFILE_FILTER_FILTER_STEP_H

#include "core/str.h"

enum filter_key {
    FILTER_FOCUS,
    FILTER_IGNORE,
    FILTER_HIDE,
    FILTER_SHOW_FROM,
    FILTER_RECURSION,
    FILTER_PRESET,
    FILTER_KEYS
};

struct filter_step {
    enum filter_key key;
    struct str text;
};

enum {
    FILTER_STEPS_MAX = 32,       /* of one filter, a preset counted once */
    FILTER_TEXT_BYTES_MAX = 500, /* of one step */
    FILTER_BYTES_MAX = 2000      /* of the texts of all steps */
};

/* "focus", "ignore", ...: as in URLs. */
const char *filter_key_word(enum filter_key key);

/* Whether the text is one for the key: a pattern of filter_pattern.h, "collapse" or "collapse-all". Names of presets are known to
 * filter_presets.h alone: they are a problem here. NULL: it is; else what is wrong, as a sentence without capital and full
 * stop. */
const char *filter_step_problem(const struct filter_step *step) __attribute__((warn_unused_result));

#endif
