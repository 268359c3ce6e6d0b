#include "core/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sanitizer.h"

/* In whole huge pages: what is not touched takes none. */
static size_t whole(size_t bytes)
{
    return (bytes + MEMORY_LARGE_BYTES - 1) / MEMORY_LARGE_BYTES * MEMORY_LARGE_BYTES;
}

#if SANITIZED

/* AddressSanitizer sees the ends of its own blocks, and who lost one. ThreadSanitizer does not see mremap: it takes what is
 * mapped later at the old addresses for the block that was there. */
static void *large_new(size_t bytes)
{
    return calloc(1, bytes);
}

static void *large_resize(void *block, size_t old_bytes, size_t bytes)
{
    (void)old_bytes;
    return realloc(block, bytes);
}

static void large_free(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

#else

static void *map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p != MAP_FAILED ? p : NULL;
}

static size_t misplaced(const void *p)
{
    return (uintptr_t)p % MEMORY_LARGE_BYTES;
}

/* Only what lies between two borders of huge pages can be one. Linux begins large blocks there from 6.7 on; before, what is
 * too much on both sides is given back. */
static void *map_aligned(size_t bytes)
{
    char *p = map(bytes);

    if (p == NULL || misplaced(p) == 0)
        return p;
    munmap(p, bytes);
    p = map(bytes + MEMORY_LARGE_BYTES);
    if (p == NULL)
        return NULL;
    size_t before = (MEMORY_LARGE_BYTES - misplaced(p)) % MEMORY_LARGE_BYTES;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + bytes, MEMORY_LARGE_BYTES - before);
    return p + before;
}

static void *large_new(size_t bytes)
{
    void *p = map_aligned(whole(bytes));

    if (p != NULL)
        (void)madvise(p, whole(bytes), MADV_HUGEPAGE); /* else in small ones */
    return p;
}

/* A huge page stays one only where it moves to a border of huge pages. */
static void *large_resize(void *block, size_t old_bytes, size_t bytes)
{
    size_t old = whole(old_bytes), wanted = whole(bytes);

    if (mremap(block, old, wanted, 0) != MAP_FAILED)
        return block;
    void *to = map_aligned(wanted);
    if (to == NULL)
        return NULL;
    /* Where this fails, the system may have unmapped `to` already, and another thread may have mapped something there: then
     * it stays as it is, addresses without memory. */
    void *grown = mremap(block, old, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    return grown != MAP_FAILED ? grown : NULL;
}

static void large_free(void *block, size_t bytes)
{
    munmap(block, whole(bytes));
}

#endif

/* From one side of the border to the other. */
static void *moved(void *block, size_t old_bytes, size_t bytes)
{
    void *to = bytes < MEMORY_LARGE_BYTES ? malloc(bytes) : large_new(bytes);

    if (to != NULL && block != NULL) {
        memcpy(to, block, old_bytes < bytes ? old_bytes : bytes);
        memory_free(block, old_bytes);
    }
    return to;
}

void *memory_resize(void *block, size_t old_bytes, size_t bytes)
{
    bool was_large = old_bytes >= MEMORY_LARGE_BYTES, is_large = bytes >= MEMORY_LARGE_BYTES;

    if (was_large != is_large)
        return moved(block, old_bytes, bytes);
    return is_large ? large_resize(block, old_bytes, bytes) : realloc(block, bytes);
}

void memory_free(void *block, size_t bytes)
{
    if (bytes < MEMORY_LARGE_BYTES)
        free(block);
    else if (block != NULL)
        large_free(block, bytes);
}

size_t memory_taken(size_t bytes)
{
    return bytes < MEMORY_LARGE_BYTES ? bytes : whole(bytes);
}
