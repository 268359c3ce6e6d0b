#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory_shared.h"
#include "core/sanitizer.h"

enum kind { OF_MALLOC, SHARED, HUGE };

#if SANITIZED

/* AddressSanitizer sees the ends of its own blocks, and who lost one. ThreadSanitizer does not see mremap: it takes what is
 * mapped later at the old addresses for the block that was there. */
static enum kind kind_of(size_t bytes)
{
    (void)bytes;
    return OF_MALLOC;
}

#else

static enum kind kind_of(size_t bytes)
{
    if (bytes > SHARED_MOST_BYTES)
        return HUGE;
    return bytes < SHARED_LEAST_BYTES ? OF_MALLOC : SHARED;
}

#endif

static void *new_block(size_t bytes)
{
    switch (kind_of(bytes)) {
    case HUGE:
        return huge_new(bytes);
    case SHARED:
        return shared_new(bytes);
    case OF_MALLOC:
        break;
    }
    return bytes < MEMORY_LARGE_BYTES ? malloc(bytes) : calloc(1, bytes);
}

/* From one kind to another. */
static void *moved(void *block, size_t old_bytes, size_t bytes)
{
    void *to = new_block(bytes);

    if (to != NULL && block != NULL) {
        memcpy(to, block, old_bytes < bytes ? old_bytes : bytes);
        memory_free(block, old_bytes);
    }
    return to;
}

void *memory_resize(void *block, size_t old_bytes, size_t bytes)
{
    if (block == NULL || kind_of(old_bytes) != kind_of(bytes))
        return moved(block, old_bytes, bytes);
    switch (kind_of(bytes)) {
    case HUGE:
        return huge_resize(block, old_bytes, bytes);
    case SHARED:
        return shared_resize(block, old_bytes, bytes);
    case OF_MALLOC:
        break;
    }
    return realloc(block, bytes);
}

void memory_free(void *block, size_t bytes)
{
    if (block == NULL)
        return;
    switch (kind_of(bytes)) {
    case HUGE:
        huge_free(block, bytes);
        break;
    case SHARED:
        shared_free(block, bytes);
        break;
    case OF_MALLOC:
        free(block);
        break;
    }
}

/* Large blocks come in whole huge pages, and malloc may move a block of its own. */
size_t memory_trim(void *block, size_t old_bytes, size_t bytes)
{
    if (kind_of(old_bytes) != SHARED)
        return old_bytes;
    if (bytes < SHARED_LEAST_BYTES)
        bytes = SHARED_LEAST_BYTES; /* it stays one of its kind */
    return shared_resize(block, old_bytes, bytes) == block ? bytes : old_bytes;
}

size_t memory_fitting(size_t bytes)
{
    if (bytes < SHARED_LEAST_BYTES)
        return bytes;
    return bytes - bytes % (bytes < HUGE_BYTES ? shared_taken(1) : HUGE_BYTES);
}

size_t memory_taken(size_t bytes)
{
    if (bytes < SHARED_LEAST_BYTES)
        return bytes;
    return bytes > SHARED_MOST_BYTES ? huge_taken(bytes) : shared_taken(bytes);
}
