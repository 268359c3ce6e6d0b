/* What single calls of the main thread tell, as far as they last long: verdict_wants_spans asks for them. Silent where there
 * are none. */
#pragma once

#include "render/verdict/analysis.h"

struct rule;
struct finding;

enum { LONG_CALLS_LEAST_NS = 16700000 }; /* a frame of a screen that is drawn 60 times a second */

/* Rows of rules.c. */
bool long_calls_messages(const struct rule *r, const struct analysis *a, struct finding *f);
bool long_calls_outlier(const struct rule *r, const struct analysis *a, struct finding *f);
