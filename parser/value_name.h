/* The names of values that a file names itself (pprof's sample types, simpleperf's events), as URLs and
 * files have them: in lower case, with - for each character that is no letter or digit of ASCII. */
#pragma once

#include "profile/build/builder.h"

enum { VALUE_NAME_BYTES = 31 }; /* of a name, at most: what options of views hold */

/* Sets values[i].name of what the file calls `name`, other than those of the i values before: by a number
 * behind it. False when the arena gives no more. */
bool value_name_set(struct arena *arena, struct profile_value *values, uint32_t i,
                    struct str name) MUST_CHECK;

/* Sets values[i] of an event that perf and simpleperf sample. With `periods` clocks count ns, of which the first is CPU time; every
 * other event counts itself. False as above. */
bool value_name_event(struct builder *b, struct profile_value *values, uint32_t i, struct str event,
                      bool periods) MUST_CHECK;
