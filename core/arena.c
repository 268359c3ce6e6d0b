#include "core/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/sanitizer.h"

#if defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum {
    ALIGNMENT = alignof(max_align_t),
    FIRST_BLOCK_BYTES = 16 << 10,
    BLOCK_BYTES_MAX = MEMORY_LARGE_BYTES,
    LARGE_BYTES = 32 << 10 /* arrays from here on have a block of their own, which realloc can extend */
};

struct arena_block {
    alignas(max_align_t) struct arena_block *next;
    struct arena_block *previous; /* of large blocks only */
    size_t bytes;                 /* with this header */
    int file; /* that the block lies in, all of it; -1: in memory. Of large blocks only. */
};

void arena_init(struct arena *a, size_t limit_bytes)
{
    if (limit_bytes > SIZE_MAX / 4)
        limit_bytes = SIZE_MAX / 4; /* so that no size is ever near its end */
    *a = (struct arena){.limit_bytes = limit_bytes};
}

static void free_block(const struct arena *a, struct arena_block *block)
{
    if (block->file < 0)
        memory_free(block, block->bytes);
    else
        a->files.free(a->files.place, block, block->bytes, block->file);
}

static void free_list(const struct arena *a, struct arena_block *block)
{
    while (block != NULL) {
        struct arena_block *next = block->next;
        UNPOISON(block, block->bytes);
        free_block(a, block);
        block = next;
    }
}

void arena_free(struct arena *a)
{
    free_list(a, a->blocks);
    free_list(a, a->large);
    *a = (struct arena){.limit_bytes = a->limit_bytes, .stop = a->stop, .files = a->files};
}

static void *fail(struct arena *a, enum arena_failure why)
{
    if (a->failure == ARENA_OK)
        a->failure = why;
    return NULL;
}

/* Takes `bytes` from the system, and charges what they take to the ceiling; `old` is NULL or a block that is replaced. */
static struct arena_block *take(struct arena *a, struct arena_block *old, size_t bytes)
{
    size_t old_bytes = old == NULL ? 0 : old->bytes;
    size_t taken = memory_taken(bytes), old_taken = memory_taken(old_bytes);

    /* The old block is part of used_bytes, and what is taken is at most the limit here: neither difference goes below zero. */
    if (taken > a->limit_bytes || a->used_bytes - old_taken > a->limit_bytes - taken)
        return fail(a, ARENA_LIMIT);
    struct arena_block *block = memory_resize(old, old_bytes, bytes);
    if (block == NULL)
        return fail(a, ARENA_NO_MEMORY);
    a->used_bytes += taken - old_taken;
    block->bytes = bytes;
    block->file = -1;
    return block;
}

/* The same in a file, into which a block of memory moves. NULL, without a failure of the arena: there is no room. */
static struct arena_block *take_file(struct arena *a, struct arena_block *old, size_t bytes)
{
    int fd = old != NULL ? old->file : -1;
    size_t old_bytes = 0;
    void *p = NULL;

    if (old != NULL && fd >= 0) {
        p = old;
        old_bytes = old->bytes;
    }
    fd = a->files.grow(a->files.place, fd, &p, old_bytes, bytes);
    if (fd < 0)
        return NULL;
    struct arena_block *block = p;
    if (old != NULL && old_bytes == 0) {
        a->used_bytes -= memory_taken(old->bytes);
        memcpy(block, old, old->bytes);
        memory_free(old, old->bytes);
    }
    block->bytes = bytes;
    block->file = fd;
    return block;
}

static bool add_block(struct arena *a, size_t need)
{
    size_t bytes = a->blocks == NULL ? FIRST_BLOCK_BYTES : a->blocks->bytes * 2;

    if (bytes > BLOCK_BYTES_MAX)
        bytes = BLOCK_BYTES_MAX;
    while (bytes > FIRST_BLOCK_BYTES && memory_taken(bytes) > a->limit_bytes - a->used_bytes)
        bytes /= 2;
    if (bytes < need + sizeof(struct arena_block))
        bytes = need + sizeof(struct arena_block);
    struct arena_block *block = take(a, NULL, bytes);
    if (block == NULL)
        return false;
    block->next = a->blocks;
    block->previous = NULL;
    a->blocks = block;
    a->next = (char *)(block + 1);
    a->end = (char *)block + bytes;
    POISON(a->next, (size_t)(a->end - a->next));
    return true;
}

void arena_trim(struct arena *a)
{
    struct arena_block *block = a->blocks;

    if (block == NULL)
        return;
    size_t taken = memory_taken(block->bytes);
    UNPOISON(a->next, (size_t)(a->end - a->next));
    block->bytes = memory_trim(block, block->bytes, (size_t)(a->next - (char *)block));
    a->end = (char *)block + block->bytes;
    POISON(a->next, (size_t)(a->end - a->next));
    a->used_bytes -= taken - memory_taken(block->bytes);
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    if (arena_stopped(a))
        return NULL;
    if (bytes > a->limit_bytes)
        return fail(a, ARENA_LIMIT);
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded == 0)
        rounded = ALIGNMENT;
    if ((size_t)(a->end - a->next) < rounded && !add_block(a, rounded))
        return NULL;
    void *p = a->next;
    a->next += rounded;
    UNPOISON(p, bytes);
    return a->blocks->bytes >= MEMORY_LARGE_BYTES ? p : memset(p, 0, bytes); /* a large block is zeroed */
}

void *arena_array(struct arena *a, size_t count, size_t element_bytes)
{
    if (element_bytes != 0 && count > SIZE_MAX / element_bytes)
        return fail(a, ARENA_LIMIT);
    return arena_alloc(a, count * element_bytes);
}

/* An array that has a block of its own. */
static struct arena_block *block_of(void *array, size_t bytes)
{
    return array != NULL && bytes >= LARGE_BYTES ? (struct arena_block *)array - 1 : NULL;
}

static void *grow_large(struct arena *a, void *array, size_t old_bytes, size_t new_bytes, bool in_file)
{
    struct arena_block *old = block_of(array, old_bytes);
    struct arena_block *block = (in_file ? take_file : take)(a, old, new_bytes + sizeof(struct arena_block));

    if (block == NULL)
        return NULL;
    if (old == NULL) {
        block->previous = NULL;
        block->next = a->large;
        if (array != NULL)
            memcpy(block + 1, array, old_bytes);
    }
    /* realloc may have moved the block: its neighbours have to point to the new place. */
    if (block->previous == NULL)
        a->large = block;
    else
        block->previous->next = block;
    if (block->next != NULL)
        block->next->previous = block;
    return block + 1;
}

/* How many bytes an array of old_bytes may have, where it has a block of its own. */
static size_t most_bytes(const struct arena *a, size_t old_bytes)
{
    size_t own = old_bytes >= LARGE_BYTES ? memory_taken(old_bytes + sizeof(struct arena_block)) : 0;
    size_t left = a->limit_bytes - (a->used_bytes - own);

    left = memory_fitting(left);
    return left > sizeof(struct arena_block) ? left - sizeof(struct arena_block) : 0;
}

static size_t larger(size_t capacity, size_t need)
{
    size_t wanted = capacity + capacity / 2;

    if (wanted < need)
        wanted = need;
    return wanted < 16 ? 16 : wanted;
}

void *arena_grow(struct arena *a, void *array, size_t *capacity, size_t need, size_t element_bytes)
{
    if (need <= *capacity && array != NULL)
        return array;
    if (arena_stopped(a))
        return NULL;
    size_t wanted = larger(*capacity, need);
    /* Half of the range, so that the header of a large block can be added without overflow. */
    if (wanted > SIZE_MAX / 2 / element_bytes)
        return fail(a, ARENA_LIMIT);

    size_t old_bytes = *capacity * element_bytes;
    size_t most = most_bytes(a, old_bytes) / element_bytes;
    if (wanted > most && most > need && most * element_bytes >= LARGE_BYTES)
        wanted = need + (most - need) / 2; /* near the ceiling by halves of what is left */
    size_t new_bytes = wanted * element_bytes;
    void *p;
    if (new_bytes >= LARGE_BYTES) {
        p = grow_large(a, array, old_bytes, new_bytes, false);
    } else {
        p = arena_alloc(a, new_bytes);
        if (p != NULL && array != NULL)
            memcpy(p, array, old_bytes);
    }
    if (p != NULL)
        *capacity = wanted;
    return p;
}

/* Whether an array of that size would take in memory what all others may need: these have no file. */
static bool is_crowded(const struct arena *a, size_t old_bytes, size_t bytes)
{
    size_t most = most_bytes(a, old_bytes);

    return bytes > most - most / 4;
}

void *arena_grow_file(struct arena *a, void *array, size_t *capacity, size_t need, size_t element_bytes)
{
    if (need <= *capacity && array != NULL)
        return array;
    if (arena_stopped(a))
        return NULL;
    size_t old_bytes = *capacity * element_bytes, wanted = larger(*capacity, need);
    const struct arena_block *old = block_of(array, old_bytes);
    bool had_file = old != NULL && old->file >= 0;
    bool may = a->files.grow != NULL && wanted <= SIZE_MAX / 2 / element_bytes &&
               need * element_bytes >= LARGE_BYTES &&
               (had_file || is_crowded(a, old_bytes, wanted * element_bytes));

    /* Near its bound by halves of what was wanted: one element at a time would be as many calls of the system. */
    for (size_t more = wanted - need; may; more /= 2) {
        void *p = grow_large(a, array, old_bytes, (need + more) * element_bytes, true);
        if (p != NULL) {
            *capacity = need + more;
            return p;
        }
        may = more > need / 64;
    }
    return had_file ? fail(a, ARENA_LIMIT) : arena_grow(a, array, capacity, need, element_bytes);
}

void *arena_lend(struct arena *a, size_t count, size_t element_bytes)
{
    size_t capacity = 0;

    return arena_grow(a, NULL, &capacity, count, element_bytes);
}

void arena_release(struct arena *a, void *array, size_t capacity, size_t element_bytes)
{
    if (array == NULL || capacity * element_bytes < LARGE_BYTES)
        return;
    struct arena_block *block = (struct arena_block *)array - 1;
    if (block->previous == NULL)
        a->large = block->next;
    else
        block->previous->next = block->next;
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->file < 0)
        a->used_bytes -= memory_taken(block->bytes);
    free_block(a, block);
}

bool arena_charge(struct arena *a, size_t bytes)
{
    if (bytes > a->limit_bytes || a->used_bytes > a->limit_bytes - bytes)
        return fail(a, ARENA_LIMIT) != NULL;
    a->used_bytes += bytes;
    return true;
}

void arena_discharge(struct arena *a, size_t bytes)
{
    a->used_bytes -= bytes;
}

char *arena_copy(struct arena *a, const void *p, size_t n)
{
    char *copy = arena_alloc(a, n);

    if (copy != NULL && n > 0)
        memcpy(copy, p, n);
    return copy;
}
