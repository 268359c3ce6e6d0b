/* Things that are made once: who waits, what stays, and what is made anew. */
#include "tests/support/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "core/system/once.h"

static atomic_uint ended; /* things that were ended */

static void end_thing(void *context, struct once_thing *thing)
{
    (void)context;
    (void)thing;
    ended++;
}

static const struct once_kind KIND = {.thing_bytes = sizeof(struct once_thing), .end = end_thing};

static char VALUE[1]; /* only its address counts */

/* Makes the thing, of so many bytes, and uses it no more. */
static void put(struct once *o, const char *key, uint64_t bytes)
{
    bool begins;
    struct once_thing *t = once_enter(o, str_of(key), NULL, &begins);

    assert_true(t != NULL && begins);
    once_keep(o, t);
    assert_true(once_end(o, t, VALUE, bytes));
    once_release(o, t);
}

static bool has(struct once *o, const char *key)
{
    struct once_thing *t = once_look(o, str_of(key));

    if (t != NULL)
        once_release(o, t);
    return t != NULL;
}

TEST(the_least_recently_used_goes)
{
    uint64_t limit = 40;
    struct once *o = once_new(&KIND, &limit);

    put(o, "a", 10);
    put(o, "b", 10);
    put(o, "c", 10);
    assert_true(has(o, "a")); /* now b is the oldest */
    put(o, "d", 15);
    assert_false(has(o, "b"));
    assert_true(has(o, "a") && has(o, "c") && has(o, "d"));
    put(o, "e", 40); /* drives out the rest */
    assert_true(has(o, "e"));
    assert_false(has(o, "a") || has(o, "c") || has(o, "d"));
    put(o, "f", 41); /* too large */
    assert_false(has(o, "f"));
    assert_true(has(o, "e"));
    const struct once_counts counts = once_counts(o);
    assert_int_equal(counts.bytes, 40);
    assert_int_equal(counts.evicted, 4); /* f was never kept */
    once_free(o);
}

TEST(what_grows_counts_as_it_is)
{
    uint64_t limit = 40;
    struct once *o = once_new(&KIND, &limit);

    put(o, "a", 10);
    put(o, "b", 10);
    struct once_thing *t = once_look(o, STR("b"));
    assert_non_null(t);
    once_resize(o, t, 35); /* a has to go, when b is not used any more */
    once_release(o, t);
    assert_false(has(o, "a"));
    assert_true(has(o, "b"));
    t = once_look(o, STR("b"));
    once_resize(o, t, 41); /* too large alone */
    once_release(o, t);
    assert_false(has(o, "b"));
    put(o, "c", 40); /* nothing of b counts any more */
    assert_true(has(o, "c"));
    once_free(o);
}

TEST(what_is_used_stays)
{
    uint64_t limit = 0;
    struct once *o = once_new(&KIND, &limit);
    bool begins;

    ended = 0;
    struct once_thing *t = once_enter(o, STR("a"), NULL, &begins);
    assert_true(begins);
    assert_true(once_end(o, t, VALUE, 10));
    struct once_thing *again = once_enter(o, STR("a"), NULL, &begins);
    assert_false(begins);
    assert_ptr_equal(again, t);
    once_release(o, t);
    assert_true(has(o, "a"));
    once_release(o, again);
    assert_false(has(o, "a"));
    assert_int_equal(ended, 1);
    once_free(o);
    once_free(NULL);
}

struct watch {
    struct once_watch watch; /* first */
    unsigned waited, decided;
};

static void note_wait(struct once_watch *w)
{
    ((struct watch *)w)->waited++;
}

static void note_decided(struct once_watch *w)
{
    ((struct watch *)w)->decided++;
}

TEST(failures_are_told_and_not_kept)
{
    uint64_t limit = 100;
    struct once *o = once_new(&KIND, &limit);
    struct watch watches[2] = {{.watch = {note_wait, note_decided, NULL, false}},
                               {.watch = {note_wait, note_decided, NULL, false}}};
    struct once_thing *things[2];
    bool begins[2];

    for (int i = 0; i < 2; i++)
        things[i] = once_enter(o, STR("a"), &watches[i].watch, &begins[i]);
    assert_true(begins[0] && !begins[1]);
    assert_ptr_equal(things[0], things[1]);
    once_unwatch(o, things[1], &watches[1].watch); /* has left */
    diag_set(&things[0]->diag, DIAG_IO, "broken", "", "Broken.");
    assert_true(once_end(o, things[0], NULL, 0));
    assert_int_equal(watches[0].waited, 1);
    assert_int_equal(watches[0].decided, 1);
    assert_int_equal(watches[1].decided, 0);
    assert_int_equal(things[0]->diag.kind, DIAG_IO);
    put(o, "a", 1); /* anew, while the failure is still looked at */
    for (int i = 0; i < 3; i++)
        once_release(o, things[0]); /* the maker, and both who waited */
    assert_true(has(o, "a"));
    once_free(o);
}

/* Its maker has ended since nobody waited; who came between that and its end has it made anew. */
TEST(who_comes_while_a_making_is_dropped_has_it_made)
{
    uint64_t limit = 100;
    struct once *o = once_new(&KIND, &limit);
    struct stop maker = {0};
    struct watch late = {.watch = {note_wait, note_decided, NULL, false}};
    bool begins;

    struct once_thing *t = once_enter(o, STR("a"), NULL, &begins);
    t->stop.above = &maker;
    stop_ask(&maker, STOP_LEFT);
    assert_int_equal(stop_asked(&t->stop), STOP_LEFT);
    stop_say(&t->stop, &t->diag);
    assert_ptr_equal(once_enter(o, STR("a"), &late.watch, &begins), t);
    assert_false(begins);
    assert_false(once_end(o, t, NULL, 0));
    assert_int_equal(t->diag.kind, DIAG_NONE);
    assert_int_equal(stop_asked(&t->stop), STOP_NONE);
    assert_true(once_end(o, t, VALUE, 1));
    assert_int_equal(late.decided, 1);
    once_release(o, t);
    once_release(o, t);
    once_free(o);
}

/* Who has entered counts, though it does not wait yet: it would be told that its own client has left. */
TEST(who_enters_before_a_making_is_dropped_has_it_made)
{
    uint64_t limit = 100;
    struct once *o = once_new(&KIND, &limit);
    struct stop maker = {0};
    bool begins;

    struct once_thing *t = once_enter(o, STR("a"), NULL, &begins);
    t->stop.above = &maker;
    stop_ask(&maker, STOP_LEFT);
    stop_say(&t->stop, &t->diag);
    assert_ptr_equal(once_enter(o, STR("a"), NULL, &begins), t);
    assert_false(begins);
    assert_false(once_end(o, t, NULL, 0));
    assert_int_equal(stop_asked(&t->stop), STOP_NONE);
    once_release(o, t); /* It leaves, too. */
    assert_int_equal(stop_asked(&t->stop), STOP_LEFT);
    stop_say(&t->stop, &t->diag);
    assert_true(once_end(o, t, NULL, 0));
    once_release(o, t);
    once_free(o);
}

/* Somebody else brings what is being made. */
TEST(the_first_value_counts)
{
    static char other[1];
    uint64_t limit = 100;
    struct once *o = once_new(&KIND, &limit);
    bool begins;

    struct once_thing *maker = once_enter(o, STR("a"), NULL, &begins),
                      *second = once_enter(o, STR("a"), NULL, &begins);
    assert_true(once_end(o, second, other, 1));
    assert_true(once_decided(o, maker));
    assert_true(once_end(o, maker, VALUE, 1));
    assert_ptr_equal(maker->value, other);
    once_release(o, maker);
    once_release(o, second);
    once_free(o);
}

/* ---- threads ---- */

enum { THREADS = 12, ROUNDS = 2000, KEYS = 5 };

struct crowd {
    struct once *once;
    struct turns *turns;
    atomic_uint making[KEYS], made, used;
};

static void *use_many(void *argument)
{
    struct crowd *c = argument;
    struct stop stop = {0};
    struct turn turn;

    turn_init(&turn, c->turns, TURN_ANSWER, argument, &stop);
    turn_take(&turn);
    for (unsigned i = 0; i < ROUNDS; i++) {
        char key[2] = {(char)('a' + i % KEYS), '\0'};
        bool begins;
        struct once_thing *t = once_enter(c->once, str_of(key), NULL, &begins);
        if (begins) {
            assert_int_equal(atomic_fetch_add(&c->making[i % KEYS], 1), 0); /* one at a time */
            turn_next(&turn);
            atomic_fetch_add(&c->made, 1);
            if (i % 3 == 0)
                once_keep(c->once, t);
            atomic_fetch_sub(&c->making[i % KEYS], 1);
            assert_true(once_end(c->once, t, VALUE, 10));
        } else {
            assert_true(once_wait(c->once, t, &turn));
        }
        assert_ptr_equal(t->value, VALUE);
        atomic_fetch_add(&c->used, 1);
        once_release(c->once, t);
    }
    turn_end(&turn);
    return NULL;
}

TEST(by_threads)
{
    uint64_t limit = 25;
    struct crowd c = {.once = once_new(&KIND, &limit), .turns = turns_new(2, false)};
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_many, &c), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(c.used, THREADS * ROUNDS);
    assert_in_range(c.made, KEYS, THREADS * ROUNDS - 1);
    once_free(c.once);
    turns_free(c.turns);
}
