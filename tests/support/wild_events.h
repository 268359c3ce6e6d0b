/* Random events of several threads, with every kind of repair: nesting that is broken, exits of what was
 * entered before, unknown actions, time that goes back, clocks that wrap. */
#pragma once

#include "profile/build/builder.h"

enum { WILD_TRACKS_MAX = 3, WILD_EVENTS_MAX = 250 };

/* Tracks and frames count from 0; two clocks of 32 bits. */
void wild_events(uint64_t *random, struct event *events, size_t n, uint32_t tracks, uint32_t frames);
