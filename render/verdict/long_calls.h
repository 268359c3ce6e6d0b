/* What single calls of the main thread tell, as far as they last long: verdict_wants_spans asks for them. Silent where there
 * are none. */
#ifndef RENDER_VERDICT_LONG_CALLS_H
#define RENDER_VERDICT_LONG_CALLS_H

#include "render/verdict/analysis.h"

struct rule;
struct finding;

/* Rows of rules.c. */
bool long_calls_messages(const struct rule *r, const struct analysis *a, struct finding *f);
bool long_calls_outlier(const struct rule *r, const struct analysis *a, struct finding *f);

/* The longest call of a method that waits so; 0: none is known. */
uint64_t long_calls_wait(const struct analysis *a, enum wait_kind kind);

#endif
