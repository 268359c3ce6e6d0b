/* Numbers that look random and are the same at every run. The state is where they begin: any number, another one for
 * other numbers. */
#pragma once

#include <stdint.h>

uint64_t random_next(uint64_t *state);

/* One of 0 .. n - 1, of which there must be one. */
uint32_t random_below(uint64_t *state, uint32_t n);

/* About `level`, as runs of one program are: nearly normally distributed, with that deviation in percent of it. */
uint64_t random_noisy(uint64_t *state, uint64_t level, unsigned percent);
