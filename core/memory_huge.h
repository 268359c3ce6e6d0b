/* Blocks of whole huge pages, of the system's own: see memory.h. Each begins at a border of huge pages and is zeroed. */
#pragma once

#include <stddef.h>

#include "core/must_check.h"

enum { HUGE_BYTES = 2 << 20 };

/* NULL: the system has no more. A block may move, without being copied; if it cannot grow it is as it was. */
void *huge_new(size_t bytes) MUST_CHECK;
void *huge_resize(void *block, size_t old_bytes, size_t bytes) MUST_CHECK;
void huge_free(void *block, size_t bytes);
/* What a block of so many bytes takes, if all of it is touched. */
size_t huge_taken(size_t bytes);
