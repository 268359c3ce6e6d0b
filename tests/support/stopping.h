/* Readings that are told to end when they have asked their stop so many times. */
#pragma once

#include "core/str.h"

/* How often a reading may ask behind the time that it was told to end. */
enum { STOPPING_ASKED_MAX = 64 };

/* Reads them to the end, and then `times` times up to a random question. Returns what was wrong, and NULL
 * if nothing was: after its end a reading asks a few times at most, makes no profile, and says that it was
 * ended. *asked is how often the whole reading asks. */
const char *stopping_tried(struct str bytes, unsigned times, uint64_t random, unsigned *asked);
