/* Arrays and texts come into order, equal ones in the order that they had; and sorting ends when the job
 * is told to. */
#include "tests/support/unit.h"

#include "core/order.h"
#include "tests/support/random.h"

enum { N = 200000, KEYS = 1000, ARENA_BYTES = 64 << 20 };

static bool key_before(const void *keys, uint32_t a, uint32_t b)
{
    const uint32_t *of = keys;

    return of[a] < of[b];
}

/* Keys that come several times, random for `random`; else falling. */
static uint32_t *new_keys(struct arena *arena, bool random)
{
    uint32_t *keys = arena_array(arena, N, sizeof(*keys));
    uint64_t state = 1;

    assert_non_null(keys);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = random ? random_below(&state, KEYS) : (N - i) / 3;
    return keys;
}

static uint32_t *new_ids(struct arena *arena)
{
    uint32_t *ids = arena_array(arena, N, sizeof(*ids));

    assert_non_null(ids);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i;
    return ids;
}

static void check_order(const uint32_t *ids, const uint32_t *keys)
{
    for (uint32_t i = 1; i < N; i++)
        if (keys[ids[i]] < keys[ids[i - 1]] || (keys[ids[i]] == keys[ids[i - 1]] && ids[i] < ids[i - 1]))
            fail_msg("%u and %u are not in order", i - 1, i);
}

TEST(arrays)
{
    for (unsigned random = 0; random < 2; random++) {
        struct arena arena;
        arena_init(&arena, ARENA_BYTES);
        uint32_t *ids = new_ids(&arena), *keys = new_keys(&arena, random);
        assert_true(order_array(ids, N, key_before, keys, &arena));
        check_order(ids, keys);
        assert_true(order_array(ids, N, key_before, keys, &arena)); /* once more, as they are */
        check_order(ids, keys);
        assert_true(order_array(ids, 0, key_before, keys, &arena));
        arena_free(&arena);
    }
}

/* So many that they are sorted in parts. */
TEST(texts)
{
    static char digits[KEYS][4];
    struct arena arena;

    arena_init(&arena, ARENA_BYTES);
    uint32_t *ids = new_ids(&arena), *keys = new_keys(&arena, true);
    struct str *all = arena_array(&arena, N, sizeof(*all));
    assert_non_null(all);
    for (uint32_t i = 0; i < KEYS; i++)
        for (uint32_t k = 0, rest = i; k < 3; k++, rest /= 10)
            digits[i][2 - k] = (char)('0' + rest % 10);
    for (uint32_t i = 0; i < N; i++)
        all[i] = (struct str){digits[keys[i]], 3};
    assert_true(order_strings(ids, N, all, &arena));
    check_order(ids, keys);
    arena_free(&arena);
}

TEST(ends_when_it_is_told_to)
{
    for (unsigned left_at = 2; left_at < 60; left_at += 7) {
        _Atomic unsigned asked = 0;
        const struct stop stop = {.asked = &asked, .left_at = left_at};
        struct arena arena;
        (void)state;
        arena_init(&arena, ARENA_BYTES);
        uint32_t *ids = new_ids(&arena), *keys = new_keys(&arena, true);
        arena.stop = &stop;
        assert_false(order_array(ids, N, key_before, keys, &arena));
        assert_int_equal(asked, left_at);
        assert_int_equal(arena.failure, ARENA_STOPPED);
        arena_free(&arena);
    }
}
