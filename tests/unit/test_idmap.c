/* The id map: growth, replacement, keys that collide, the arena's end. */
#include "tests/support/unit.h"

#include "core/idmap.h"
#include "tests/support/random.h"

enum { MIB = 1 << 20 };

static const struct hash_seed SEED = {0x0123456789abcdef, 0xfedcba9876543210};

TEST(empty)
{
    struct arena a;
    struct idmap m;

    arena_init(&a, MIB);
    idmap_init(&m, &a, SEED);
    assert_int_equal(idmap_get(&m, 0), IDMAP_NONE);
    assert_int_equal(idmap_get(&m, UINT64_MAX), IDMAP_NONE);
    assert_int_equal(a.used_bytes, 0);
    arena_free(&a);
}

TEST(set_and_replace)
{
    struct arena a;
    struct idmap m;

    arena_init(&a, MIB);
    idmap_init(&m, &a, SEED);
    assert_true(idmap_set(&m, 0, 5));
    assert_true(idmap_set(&m, UINT64_MAX, 6));
    assert_true(idmap_set(&m, 0, 0));
    assert_int_equal(idmap_get(&m, 0), 0);
    assert_int_equal(idmap_get(&m, UINT64_MAX), 6);
    assert_int_equal(idmap_get(&m, 1), IDMAP_NONE);
    assert_int_equal(m.count, 2);
    arena_free(&a);
}

static void check_many(uint64_t step)
{
    enum { KEYS = 50000 };
    struct arena a;
    struct idmap m;

    arena_init(&a, 64 * MIB);
    idmap_init(&m, &a, SEED);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_true(idmap_set(&m, i * step, i));
    assert_int_equal(m.count, KEYS);
    assert_true(m.capacity >= KEYS);
    for (uint32_t i = 0; i < KEYS; i++)
        if (idmap_get(&m, i * step) != i)
            fail();
    assert_int_equal(idmap_get(&m, KEYS * step), IDMAP_NONE);
    assert_int_equal(idmap_get(&m, step - 1), step == 1 ? 0 : IDMAP_NONE);
    arena_free(&a);
}

TEST(many)
{
    check_many(1);
    check_many(4);
    check_many(4096);
    check_many((uint64_t)1 << 40);
}

/* Keys picked so that all of them want one slot of a table of 16: the walk to the next free slot must wrap
 * round. */
TEST(collisions)
{
    enum { KEYS = 7 };
    struct arena a;
    struct idmap m;
    uint64_t keys[KEYS];
    uint32_t found = 0;

    for (uint64_t key = 0; found < KEYS; key++)
        if ((hash_u64(SEED, key) & 15) == 15)
            keys[found++] = key;
    arena_init(&a, MIB);
    idmap_init(&m, &a, SEED);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_true(idmap_set(&m, keys[i], i));
    assert_int_equal(m.capacity, 16);
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(idmap_get(&m, keys[i]), i);
    assert_int_equal(idmap_get(&m, keys[KEYS - 1] + 1), IDMAP_NONE);
    arena_free(&a);
}

/* Few keys in a table of 16, set and removed at random: what is removed is gone, and all others are still found. */
TEST(removed)
{
    enum { KEYS = 24, ROUNDS = 20000, MOST = 8 };
    struct arena a;
    struct idmap m;
    uint32_t there[KEYS] = {0};
    uint64_t random = 1;

    arena_init(&a, MIB);
    idmap_init(&m, &a, SEED);
    idmap_remove(&m, 0);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        uint32_t key = random_below(&random, KEYS);
        if (there[key] != 0 || m.count == MOST) {
            idmap_remove(&m, key);
            there[key] = 0;
        } else {
            assert_true(idmap_set(&m, key, round));
            there[key] = round;
        }
        size_t n = 0;
        for (uint32_t i = 0; i < KEYS; i++) {
            assert_int_equal(idmap_get(&m, i), there[i] != 0 ? there[i] : IDMAP_NONE);
            n += there[i] != 0;
        }
        assert_int_equal(m.count, n);
    }
    assert_int_equal(m.capacity, 16);
    arena_free(&a);
}

/* What was set before the arena's end is still there after it. */
TEST(the_arena_ends)
{
    struct arena a;
    struct idmap m;
    uint32_t n = 0;

    arena_init(&a, MIB);
    idmap_init(&m, &a, SEED);
    while (idmap_set(&m, n * 4, n))
        n++;
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_true(n > 1000);
    for (uint32_t i = 0; i < n; i++)
        if (idmap_get(&m, i * 4) != i)
            fail();
    assert_int_equal(idmap_get(&m, n * 4), IDMAP_NONE);
    arena_free(&a);
}
