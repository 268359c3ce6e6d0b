/* Functions that only give memory to their caller: what they took counts for it. */
#pragma once

#include "profile/frame/frame_text.h"

/* By the parts of its name. */
bool frame_allocates(const struct frame_parts *parts);
