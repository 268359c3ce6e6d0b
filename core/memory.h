/* Blocks of memory in huge pages, where the system has them (transparent huge pages of Linux, of 2 MiB on most machines). The
 * first touch of a page costs a fault, and its price hardly depends on the page's size: in small pages the
 * faults can take as long as the work. Large blocks have huge pages of their own (memory_huge.h), those of some KiB share them
 * (memory_shared.h), and the smallest come of malloc. */
#pragma once

#include <stddef.h>

#include "core/memory_huge.h"
#include "core/must_check.h"

/* Large is what has a huge page or more. */
enum { MEMORY_LARGE_BYTES = HUGE_BYTES };

/* A block of `bytes` > 0, which `block` of old_bytes becomes, without copying where both are large; it may move. NULL and 0: a
 * new one, which is zeroed if it is large. NULL: the system has no more, and the block is as it was. */
void *memory_resize(void *block, size_t old_bytes, size_t bytes) MUST_CHECK;
void memory_free(void *block, size_t bytes); /* NULL is fine */
/* Gives back what lies behind `bytes` > 0 of a block of old_bytes, where that can be without moving it. Returns how many bytes
 * the block has from then on. */
size_t memory_trim(void *block, size_t old_bytes, size_t bytes) MUST_CHECK;
/* What a block of so many bytes takes, if all of it is touched. */
size_t memory_taken(size_t bytes);
/* The most of `bytes` that a block can have which takes no more than them. */
size_t memory_fitting(size_t bytes);
