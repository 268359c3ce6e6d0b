/* Blocks of some pages that share huge pages: see memory.h. A huge page is given back when its last block is, but for a few that
 * are kept for the next ones: what has been touched once costs no more faults. For all threads. */
#pragma once

#include <stddef.h>

#include "core/memory_huge.h"
#include "core/must_check.h"

/* Smaller blocks come of malloc; larger ones fill a huge page. */
enum { SHARED_LEAST_BYTES = 16 << 10, SHARED_MOST_BYTES = HUGE_BYTES - (4 << 10) };

/* Not zeroed. NULL: the system has no more. A block grows where it is if the pages behind it are free; else it is copied, and if
 * there is no room it is as it was. */
void *shared_new(size_t bytes) MUST_CHECK;
void *shared_resize(void *block, size_t old_bytes, size_t bytes) MUST_CHECK;
void shared_free(void *block, size_t bytes);
size_t shared_taken(size_t bytes);
