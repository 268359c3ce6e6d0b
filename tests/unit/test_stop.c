/* Work is told to end early: by its own stop, by one above it, and through the arena of the job. */
#include "tests/support/unit.h"

#include "core/arena.h"

TEST(test_first_reason_counts)
{
    struct stop stop = {0};

    assert_int_equal(stop_asked(&stop), STOP_NONE);
    assert_int_equal(stop_asked(NULL), STOP_NONE);
    stop_ask(&stop, STOP_DEADLINE);
    stop_ask(&stop, STOP_LEFT);
    assert_int_equal(stop_asked(&stop), STOP_DEADLINE);
}

TEST(test_one_above_is_asked_too)
{
    struct stop service = {0}, job = {.above = &service}, other = {.above = &service};

    stop_ask(&job, STOP_LEFT);
    assert_int_equal(stop_asked(&other), STOP_NONE);
    stop_ask(&service, STOP_SERVICE);
    assert_int_equal(stop_asked(&job), STOP_LEFT);
    assert_int_equal(stop_asked(&other), STOP_SERVICE);
}

TEST(test_arena_keeps_its_first_failure)
{
    struct stop stop = {0};
    struct arena arena;

    arena_init(&arena, 1 << 10);
    arena.stop = &stop;
    assert_false(arena_stopped(&arena));
    assert_null(arena_alloc(&arena, 1 << 20));
    stop_ask(&stop, STOP_LEFT);
    assert_true(arena_stopped(&arena));
    assert_int_equal(arena.failure, ARENA_LIMIT);
    arena_free(&arena);
    assert_true(arena_stopped(&arena)); /* the stop stays with the arena */
    assert_int_equal(arena.failure, ARENA_STOPPED);
}

TEST(test_says_why)
{
    static const struct {
        enum stop_reason reason;
        enum diag_kind kind;
        const char *title;
    } CASES[] = {
        {STOP_LEFT, DIAG_BUSY, "not made to its end"},
        {STOP_DEADLINE, DIAG_LIMIT, "too much work"},
        {STOP_SERVICE, DIAG_BUSY, "the service is stopping"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct stop stop = {0};
        struct diag diag = {0};
        stop_ask(&stop, CASES[i].reason);
        assert_false(stop_say(&stop, &diag));
        assert_int_equal(diag.kind, CASES[i].kind);
        assert_string_equal(diag.title, CASES[i].title);
    }
}
