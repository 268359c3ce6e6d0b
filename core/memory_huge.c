#include "core/memory_huge.h"

#include <stdint.h>
#include <sys/mman.h>

/* In whole huge pages: what is not touched takes none. */
size_t huge_taken(size_t bytes)
{
    return (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
}

static void *map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p != MAP_FAILED ? p : NULL;
}

static size_t misplaced(const void *p)
{
    return (uintptr_t)p % HUGE_BYTES;
}

/* Only what lies between two borders of huge pages can be one. Linux begins large blocks there from 6.7 on; before, what is
 * too much on both sides is given back. */
static void *map_aligned(size_t bytes)
{
    char *p = map(bytes);

    if (p == NULL || misplaced(p) == 0)
        return p;
    munmap(p, bytes);
    p = map(bytes + HUGE_BYTES);
    if (p == NULL)
        return NULL;
    size_t before = (HUGE_BYTES - misplaced(p)) % HUGE_BYTES;
    if (before > 0)
        munmap(p, before);
    munmap(p + before + bytes, HUGE_BYTES - before);
    return p + before;
}

void *huge_new(size_t bytes)
{
    void *p = map_aligned(huge_taken(bytes));

    if (p != NULL)
        (void)madvise(p, huge_taken(bytes), MADV_HUGEPAGE); /* else in small ones */
    return p;
}

/* A huge page stays one only where it moves to a border of huge pages. */
void *huge_resize(void *block, size_t old_bytes, size_t bytes)
{
    size_t old = huge_taken(old_bytes), wanted = huge_taken(bytes);

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

void huge_free(void *block, size_t bytes)
{
    munmap(block, huge_taken(bytes));
}
