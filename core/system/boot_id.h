/* Which run of the machine this is. What was written and not synced is as it was written until the machine, or its
 * kernel, goes down; behind that it may be there with the right name and length, and without its bytes. */
#pragma once

#include <stdbool.h>

#include "core/must_check.h"

enum { BOOT_CHARS = 36 };

/* A text that is another one after each start of the machine: the kernel's, in `path`
 * (/proc/sys/kernel/random/boot_id, see random(4)), or, if that cannot be read, one that is another one
 * each time. False when the system has no randomness for that. */
bool boot_id(const char *path, char out[BOOT_CHARS + 1]) MUST_CHECK;
