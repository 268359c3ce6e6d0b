/* The first sentence of a verdict: what took the time, and through which methods. */
#pragma once

#include "render/verdict/say.h"

struct rule;

/* A row of the table of rules. */
bool headline_find(const struct rule *r, const struct analysis *a, struct finding *f);

/* The main thread has next to nothing of what took the time: then no headline is about it. */
bool headline_main_rests(const struct analysis *a);

/* From so many thousandths of the active time on, the headline says what recording may have cost. */
enum { HEADLINE_COST_LEAST = 200 };

/* What reading the clocks may have cost, at most the active time; 0: nothing says it. *records: how often. */
uint64_t headline_cost(const struct analysis *a, uint64_t *records);

void headline_say_cost(struct finding *f, const struct analysis *a, uint64_t cost);

/* The method with the largest number; FRAME_NONE: all are 0. */
frame_id headline_largest(const struct analysis *a, const uint64_t *numbers);
