/* What a profile says of its file: facts and warnings. What is not as expected fails the running test. */
#pragma once

#include "profile/profile.h"
#include "profile/warning.h"

/* The warning, or NULL. */
const struct profile_warning *profile_warned(const struct profile *p, enum warning_code code);

/* How often; 0 without it. */
uint64_t profile_warned_count(const struct profile *p, enum warning_code code);

/* It is there with this count and this offset, which may be WARNING_NO_OFFSET. */
void profile_check_warning(const struct profile *p, enum warning_code code, uint64_t count, uint64_t offset);

void profile_check_fact(const struct profile *p, const char *name, const char *expected);
