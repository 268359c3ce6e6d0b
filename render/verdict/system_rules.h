/* Rules of system traces: rows of rules.c. All are silent for other profiles. */
#pragma once

#include "render/verdict/analysis.h"

struct rule;
struct finding;

bool system_find_start(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_start_times(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_states(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_frames(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_shown(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_starved(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_wait(const struct rule *r, const struct analysis *a, struct finding *f);
bool system_find_locks(const struct rule *r, const struct analysis *a, struct finding *f);

/* Whether the start is what the verdict begins with. */
bool system_has_start(const struct analysis *a);
