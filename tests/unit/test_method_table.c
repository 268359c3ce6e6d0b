/* Method ids to frames: the same answers from the array and from the map, whatever the ids are. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "parser/android/key_section.h"

static const struct hash_seed SEED = {5, 6};

struct fixture {
    struct arena arena;
    struct method_table table;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    arena_init(&f->arena, 64 << 20);
    method_table_init(&f->table, &f->arena, SEED);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    free(f);
    return 0;
}

TEST_WITH(an_empty_table_knows_nothing, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_int_equal(method_table_get(&f->table, 0), FRAME_NONE);
    assert_int_equal(method_table_get(&f->table, UINT64_MAX), FRAME_NONE);
    assert_true(method_table_set(&f->table, 0, 7));
    assert_int_equal(method_table_get(&f->table, 0), 7);
}

TEST_WITH(dense_ids_stand_in_an_array, set_up, tear_down)
{
    struct fixture *f = *state;

    for (uint32_t i = 0; i < 5000; i++)
        assert_true(method_table_set(&f->table, i * 8, i));
    assert_int_equal(f->table.map.count, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(method_table_get(&f->table, i * 8), i);
        assert_int_equal(method_table_get(&f->table, i * 8 + 4), FRAME_NONE);
    }
    assert_int_equal(method_table_get(&f->table, 5000 * 8), FRAME_NONE);
    assert_int_equal(method_table_get(&f->table, UINT32_MAX & ~3u), FRAME_NONE);
}

TEST_WITH(pointers_stay_in_a_map, set_up, tear_down)
{
    struct fixture *f = *state;
    const uint64_t base = 0x7f12345678;

    for (uint32_t i = 0; i < 100; i++)
        assert_true(method_table_set(&f->table, base + i * 4096, i));
    assert_true(method_table_set(&f->table, UINT64_MAX, 1000));
    assert_int_equal(f->table.n_dense, 0);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(method_table_get(&f->table, base + i * 4096), i);
    assert_int_equal(method_table_get(&f->table, UINT64_MAX), 1000);
    assert_int_equal(method_table_get(&f->table, UINT64_MAX - 3), FRAME_NONE);
}

/* Where the array begins to be worth its memory: one id more or less must not matter to the answers. */
TEST(either_side_of_the_threshold)
{
    for (uint64_t only = 1028; only <= 1036; only++) {
        struct arena arena;
        struct method_table t;
        arena_init(&arena, 1 << 20);
        method_table_init(&t, &arena, SEED);
        assert_true(method_table_set(&t, only << 2, 1));
        assert_int_equal(t.n_dense > 0, only < 8 + 1024);
        assert_int_equal(method_table_get(&t, only << 2), 1);
        assert_int_equal(method_table_get(&t, (only + 1) << 2), FRAME_NONE);
        assert_int_equal(method_table_get(&t, (only - 1) << 2), FRAME_NONE);
        arena_free(&arena);
    }
}

/* The first ones are too far for the array, which reaches all of them in the end. */
TEST_WITH(dense_ids_in_any_order, set_up, tear_down)
{
    enum { IDS = 100003, STEP = 54321 /* prime to each other */ };
    struct fixture *f = *state;

    for (uint32_t i = 0, id = STEP; i < IDS; i++, id = (id + STEP) % IDS)
        assert_true(method_table_set(&f->table, (uint64_t)id << 2, id));
    assert_true(f->table.map.count > 0 && f->table.map.count < IDS / 4);
    assert_true(f->table.n_dense >= IDS);
    for (uint32_t id = 0; id < IDS; id++)
        if (method_table_get(&f->table, (uint64_t)id << 2) != id)
            fail();
}

TEST_WITH(the_last_meaning_counts, set_up, tear_down)
{
    struct fixture *f = *state;
    const uint64_t near = 4, far = 2000 << 2, out = UINT64_C(1) << 40;

    for (frame_id frame = 10; frame < 13; frame++)
        for (unsigned again = 0; again < 200; again++) {
            assert_true(method_table_set(&f->table, near, frame + again));
            assert_true(method_table_set(&f->table, far, frame + again)); /* is reached on the way */
            assert_true(method_table_set(&f->table, out, frame + again));
            assert_int_equal(method_table_get(&f->table, near), frame + again);
            assert_int_equal(method_table_get(&f->table, far), frame + again);
            assert_int_equal(method_table_get(&f->table, out), frame + again);
        }
    assert_int_equal(f->table.map.count, 2);
    assert_true(f->table.n_dense > 2000 && f->table.n_dense < 10000);
}

/* No record holds such an id, but a table may list it. */
TEST_WITH(ids_with_action_bits, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(method_table_set(&f->table, 4, 1));
    assert_true(method_table_set(&f->table, 5, 2));
    assert_int_equal(method_table_get(&f->table, 4), 1);
    assert_int_equal(method_table_get(&f->table, 5), 2);
    assert_int_equal(method_table_get(&f->table, 6), FRAME_NONE);
    assert_true(method_table_set(&f->table, 6, 3));
    assert_int_equal(method_table_get(&f->table, 4), 1);
    assert_int_equal(method_table_get(&f->table, 6), 3);
}

TEST(no_memory_left)
{
    struct arena arena;
    struct method_table t;
    uint64_t id = 0;

    arena_init(&arena, 64 << 10);
    method_table_init(&t, &arena, SEED);
    while (method_table_set(&t, id, (frame_id)id))
        id += 4;
    assert_true(id > 0);
    assert_int_equal(arena.failure, ARENA_LIMIT);
    for (uint64_t known = 0; known < id; known += 4)
        assert_int_equal(method_table_get(&t, known), known);
    assert_int_equal(method_table_get(&t, id), FRAME_NONE);
    arena_free(&arena);
}
