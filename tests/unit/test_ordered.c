/* Items that are made side by side are taken in their order, each once; and what ends the work ends it for all. */
#include "tests/support/unit.h"

#include <stdatomic.h>
#include <string.h>

#include "core/system/ordered.h"
#include "core/system/threads.h"
#include "tests/support/random.h"

enum { ITEMS = 400, JOBS = 4, NEVER = ITEMS };

static void run(const struct parallel *p, const struct parallel_job *jobs, unsigned n)
{
    (void)p;
    threads_parallel(jobs, n);
}

struct work {
    uint64_t of_place[ORDERED_PLACES_MAX];
    bool in_use[ORDERED_PLACES_MAX];
    atomic_uint made;
    unsigned taken;
    uint64_t ends_made, ends_taken; /* which item is the one that ends it there; NEVER: none */
    uint64_t waits_every;
};

/* So long that threads come to stand before each other. */
static void work_for(uint64_t item)
{
    uint64_t random = item + 1;
    volatile uint32_t sum = 0;

    for (uint32_t n = random_below(&random, 20000); n > 0; n--)
        sum += random_below(&random, 2);
}

static bool make(void *context, struct ordered *o, unsigned worker, unsigned place, uint64_t item)
{
    struct work *w = context;

    assert_true(worker < JOBS && place < ORDERED_PLACES_MAX && !w->in_use[place]);
    w->in_use[place] = true;
    w->of_place[place] = item;
    work_for(item);
    if (item % w->waits_every == 0) {
        if (!ordered_wait(o, item))
            return false;
        assert_int_equal(w->taken, item); /* nobody changes it before this item is made */
    }
    atomic_fetch_add(&w->made, 1);
    return item != w->ends_made;
}

static bool take(void *context, unsigned place)
{
    struct work *w = context;

    assert_true(w->in_use[place]);
    assert_int_equal(w->of_place[place], w->taken);
    w->taken++;
    w->in_use[place] = false;
    return w->of_place[place] != w->ends_taken;
}

static bool done(struct work *w, unsigned jobs, uint64_t n)
{
    const struct ordered_does does = {make, take, w};
    const struct parallel parallel = {.jobs = jobs, .run = run};

    return ordered_run(jobs > 1 ? &parallel : NULL, jobs, n, &does);
}

TEST(each_item_is_taken_once_in_its_order)
{
    for (unsigned jobs = 1; jobs <= JOBS; jobs++)
        for (uint64_t waits = 1; waits <= ITEMS; waits *= 7) {
            struct work w = {.ends_made = NEVER, .ends_taken = NEVER, .waits_every = waits};
            assert_true(done(&w, jobs, ITEMS));
            assert_int_equal(w.taken, ITEMS);
            assert_int_equal(atomic_load(&w.made), ITEMS);
        }
}

TEST(nothing_and_one_item)
{
    for (uint64_t n = 0; n < 2; n++) {
        struct work w = {.ends_made = NEVER, .ends_taken = NEVER, .waits_every = 1};
        assert_true(done(&w, JOBS, n));
        assert_int_equal(w.taken, n);
    }
}

/* What comes behind the one that was the last is not taken, and all threads end. */
TEST(an_end_is_an_end_for_all)
{
    for (unsigned jobs = 1; jobs <= JOBS; jobs++)
        for (uint64_t at = 0; at < ITEMS; at += 37) {
            struct work w = {.ends_made = at, .ends_taken = NEVER, .waits_every = 5};
            assert_false(done(&w, jobs, ITEMS));
            assert_true(w.taken <= at);
            w = (struct work){.ends_made = NEVER, .ends_taken = at, .waits_every = 5};
            assert_false(done(&w, jobs, ITEMS));
            assert_int_equal(w.taken, at + 1);
        }
}
