/* One arena per job: everything that a job builds lives in it, is counted against one ceiling and is
 * released at once. Freed and not yet given out memory is poisoned under AddressSanitizer. Not thread safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/stop.h"

enum arena_failure {
    ARENA_OK,
    ARENA_LIMIT,     /* the ceiling was reached */
    ARENA_NO_MEMORY, /* the system had no more */
    ARENA_STOPPED    /* The job was told to end: see arena_stopped. */
};

struct arena_block;

/* Where arrays of ARENA_ROOM_FILE go on when the ceiling leaves them no room. core/system/mapped_file.h has the functions and
 * their place. */
struct arena_files {
    int (*grow)(void *place, int fd, void **p, size_t old_bytes, size_t bytes); /* NULL: nowhere */
    void (*free)(void *place, void *p, size_t bytes, int fd);
    void *place;
};

struct arena {
    struct arena_block *blocks;
    struct arena_block *large; /* blocks of one array each */
    char *next, *end;          /* free part of the newest block */
    size_t used_bytes;         /* taken from the system, headers and the ends of pages included */
    size_t limit_bytes;
    enum arena_failure failure; /* of the first request that failed; sticky */
    const struct stop *stop; /* The job's; NULL: nothing ends it early. Set by the owner behind arena_init. */
    struct arena_files files; /* Set by the owner behind arena_init. */
};

void arena_init(struct arena *a, size_t limit_bytes);
/* Releases all; the arena may be used again, with its old limits, stop and files. */
void arena_free(struct arena *a);

/* Whether the job was told to end. If so, a->failure says so from now on, unless a request failed before;
 * then it stays ended: a loop that was left early may leave it to the next one to fail. */
static inline bool arena_stopped(struct arena *a)
{
    if (stop_asked(a->stop) == STOP_NONE)
        return a->failure == ARENA_STOPPED;
    if (a->failure == ARENA_OK)
        a->failure = ARENA_STOPPED;
    return true;
}

/* The same in a loop of short steps, which `step` counts: asks at one of many. */
enum { ARENA_STOP_STEPS = 1 << 12 };
static inline bool arena_stopped_at(struct arena *a, uint64_t step)
{
    return step % ARENA_STOP_STEPS == 0 && arena_stopped(a);
}

/* Zeroed memory, aligned for any object. NULL when the ceiling or the system's memory is reached, or the
 * job was told to end (a->failure says which); 0 bytes give a valid pointer. */
void *arena_alloc(struct arena *a, size_t bytes) MUST_CHECK;
void *arena_array(struct arena *a, size_t count, size_t element_bytes) MUST_CHECK;

/* Makes room for at least `need` elements in a growing array (NULL with capacity 0 at first): returns the
 * array, moved if it had to be, with *capacity raised; new elements are not zeroed. Grows by half at least,
 * in place where the system can; less where the ceiling would not allow it. NULL on failure, with the old array still valid. */
void *arena_grow(struct arena *a, void *array, size_t *capacity, size_t need,
                 size_t element_bytes) MUST_CHECK;

/* The same for a variable: ARENA_ROOM(a, list->items, list->capacity, list->n + 1) makes room for one more
 * item. False on failure, with the variables as they were. */
#define ARENA_ROOM(a, array, capacity, need) arena_room((a), &(array), &(capacity), (need), sizeof(*(array)))

/* The same for an array that is read and written from its begin to its end, and may be larger than memory: beyond the
 * ceiling it goes on in one of a->files, which the system keeps in memory as far as there is any. */
#define ARENA_ROOM_FILE(a, array, capacity, need) \
    arena_room_file((a), &(array), &(capacity), (need), sizeof(*(array)))

void *arena_grow_file(struct arena *a, void *array, size_t *capacity, size_t need,
                      size_t element_bytes) MUST_CHECK;

/* `array` is the address of a pointer to elements of any type. */
static inline bool arena_room_by(void *(*grow)(struct arena *, void *, size_t *, size_t, size_t),
                                 struct arena *a, void *array, size_t *capacity, size_t need,
                                 size_t element_bytes)
{
    void *p;

    memcpy(&p, array, sizeof(p));
    if (need <= *capacity && p != NULL)
        return true;
    p = grow(a, p, capacity, need, element_bytes);
    if (p == NULL)
        return false;
    memcpy(array, &p, sizeof(p));
    return true;
}

static inline bool arena_room(struct arena *a, void *array, size_t *capacity, size_t need,
                              size_t element_bytes)
{
    return arena_room_by(arena_grow, a, array, capacity, need, element_bytes);
}

static inline bool arena_room_file(struct arena *a, void *array, size_t *capacity, size_t need,
                                   size_t element_bytes)
{
    return arena_room_by(arena_grow_file, a, array, capacity, need, element_bytes);
}

/* An array for a while, not zeroed, that is given back by arena_release with the same count. NULL as arena_alloc. */
void *arena_lend(struct arena *a, size_t count, size_t element_bytes) MUST_CHECK;

/* Gives an array from arena_grow or arena_lend back before the arena ends. Small ones stay until arena_free. */
void arena_release(struct arena *a, void *array, size_t capacity, size_t element_bytes);

/* What is not used of the newest block goes back, of an arena that will hardly grow any more. */
void arena_trim(struct arena *a);

/* Counts memory that a library takes for the job by itself against the ceiling, until it is taken back. False when
 * there is no room for it. */
bool arena_charge(struct arena *a, size_t bytes) MUST_CHECK;
void arena_discharge(struct arena *a, size_t bytes);

/* Copy of n bytes; NULL as arena_alloc. */
char *arena_copy(struct arena *a, const void *p, size_t n) MUST_CHECK;
