#include "core/memory_shared.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PAGE_BYTES = 4 << 10, PAGES = HUGE_BYTES / PAGE_BYTES, SPARES_MAX = 4 };

/* The first page of a huge page. The others are free, or part of a block. */
struct shared {
    struct shared *next, *previous; /* of those that have free pages: the empty ones last */
    size_t n_free;
    size_t longest; /* no more than so many free pages are side by side */
    bool used[PAGES];
};

static struct {
    pthread_mutex_t lock;
    struct shared *first, *last;
    size_t n_empty;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t pages_of(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

size_t shared_taken(size_t bytes)
{
    return pages_of(bytes) * PAGE_BYTES;
}

static struct shared *shared_of(void *block)
{
    return (struct shared *)((uintptr_t)block / HUGE_BYTES * HUGE_BYTES);
}

static size_t page_of(void *block)
{
    return (uintptr_t)block % HUGE_BYTES / PAGE_BYTES;
}

static bool is_empty(const struct shared *s)
{
    return s->n_free == PAGES - 1;
}

static void unlink_shared(struct shared *s)
{
    *(s->previous != NULL ? &s->previous->next : &all.first) = s->next;
    *(s->next != NULL ? &s->next->previous : &all.last) = s->previous;
}

static void link_shared(struct shared *s)
{
    s->previous = is_empty(s) ? all.last : NULL;
    s->next = is_empty(s) ? NULL : all.first;
    *(s->previous != NULL ? &s->previous->next : &all.first) = s;
    *(s->next != NULL ? &s->next->previous : &all.last) = s;
}

/* Where n free pages begin; 0: nowhere. A used page among those that are looked at, found from behind, rules out all places that
 * would have it. */
static size_t find_free(const struct shared *s, size_t n)
{
    size_t from = 1;

    while (from + n <= PAGES) {
        size_t free = 0;
        while (free < n && !s->used[from + n - 1 - free])
            free++;
        if (free == n)
            return from;
        from += n - free;
    }
    return 0;
}

static void take_pages(struct shared *s, size_t from, size_t n)
{
    if (is_empty(s))
        all.n_empty--;
    memset(&s->used[from], true, n);
    s->n_free -= n;
    if (s->n_free == 0)
        unlink_shared(s);
}

/* Returns the huge page if it has to go back to the system, which the caller does without the lock. */
static struct shared *give_pages(struct shared *s, size_t from, size_t n)
{
    if (s->n_free > 0)
        unlink_shared(s);
    memset(&s->used[from], false, n);
    s->n_free += n;
    s->longest = s->n_free;
    if (is_empty(s) && all.n_empty == SPARES_MAX)
        return s;
    if (is_empty(s))
        all.n_empty++;
    link_shared(s);
    return NULL;
}

/* A place in one of those that are there. */
static void *find(size_t n)
{
    for (struct shared *s = all.first; s != NULL; s = s->next) {
        if (n > s->longest)
            continue;
        size_t from = find_free(s, n);
        if (from > 0) {
            take_pages(s, from, n);
            return (char *)s + from * PAGE_BYTES;
        }
        s->longest = n - 1;
    }
    return NULL;
}

void *shared_new(size_t bytes)
{
    size_t n = pages_of(bytes);

    pthread_mutex_lock(&all.lock);
    void *block = find(n);
    pthread_mutex_unlock(&all.lock);
    if (block != NULL)
        return block;
    struct shared *s = huge_new(HUGE_BYTES);
    if (s == NULL)
        return NULL;
    s->n_free = s->longest = PAGES - 1;
    pthread_mutex_lock(&all.lock);
    all.n_empty++;
    link_shared(s);
    take_pages(s, 1, n);
    pthread_mutex_unlock(&all.lock);
    return (char *)s + PAGE_BYTES;
}

static void give(void *block, size_t from, size_t to)
{
    struct shared *s = shared_of(block);

    pthread_mutex_lock(&all.lock);
    struct shared *unneeded = give_pages(s, page_of(block) + from, to - from);
    pthread_mutex_unlock(&all.lock);
    if (unneeded != NULL)
        huge_free(unneeded, HUGE_BYTES);
}

static bool grows_there(void *block, size_t old_n, size_t n)
{
    struct shared *s = shared_of(block);
    size_t end = page_of(block) + old_n, more = n - old_n;
    bool is_free = end + more <= PAGES;

    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; is_free && i < more; i++)
        is_free = !s->used[end + i];
    if (is_free)
        take_pages(s, end, more);
    pthread_mutex_unlock(&all.lock);
    return is_free;
}

void *shared_resize(void *block, size_t old_bytes, size_t bytes)
{
    size_t old_n = pages_of(old_bytes), n = pages_of(bytes);

    if (n < old_n)
        give(block, n, old_n);
    if (n <= old_n || grows_there(block, old_n, n))
        return block;
    void *to = shared_new(bytes);
    if (to != NULL) {
        memcpy(to, block, old_bytes);
        shared_free(block, old_bytes);
    }
    return to;
}

void shared_free(void *block, size_t bytes)
{
    give(block, 0, pages_of(bytes));
}
