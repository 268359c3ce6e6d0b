/* What values mean, in words for people. */
#ifndef PROFILE_VALUE_WORDS_H
#define PROFILE_VALUE_WORDS_H

#include "profile/profile.h"

/* "bytes that were allocated and not released yet"; empty of a value that only its own name explains. */
struct str value_meaning(enum profile_role role);

/* "bytes", "time", "count" */
const char *value_unit_words(enum unit unit);

#endif
