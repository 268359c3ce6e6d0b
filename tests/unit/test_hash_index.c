/* The index by hash: things of equal hash stay apart, growth loses none, the arena's end. */
#include "tests/support/unit.h"

#include "core/hash_index.h"

enum { MIB = 1 << 20, THINGS = 20000 };

/* A thing is a number, its id that number as well. Returns its id, put in if it is new; HASH_INDEX_NONE: no room. */
static uint32_t add(struct hash_index *x, uint64_t hash, uint32_t thing)
{
    if (!hash_index_reserve(x))
        return HASH_INDEX_NONE;
    struct hash_index_slot *slot = hash_index_find(x, hash);
    while (slot->id != HASH_INDEX_NONE && slot->id != thing)
        slot = hash_index_next(x, slot);
    if (slot->id == HASH_INDEX_NONE)
        hash_index_put(x, slot, hash, thing);
    return slot->id;
}

/* All hashes of a kind go in, and are found again without going in twice. */
static void check(uint64_t (*hash_of)(uint32_t thing), uint32_t things)
{
    struct arena a;
    struct hash_index x;

    arena_init(&a, 4 * MIB);
    hash_index_init(&x, &a);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < things; i++)
            if (add(&x, hash_of(i), i) != i)
                fail();
    assert_int_equal(x.count, things);
    assert_true(x.n_slots >= 2 * (size_t)things);
    arena_free(&a);
}

static uint64_t spread(uint32_t thing)
{
    return hash_u64((struct hash_seed){3, 4}, thing);
}

/* The last slots, and behind them the first ones. */
static uint64_t at_the_end(uint32_t thing)
{
    return UINT64_MAX - thing % 4;
}

static uint64_t all_equal(uint32_t thing)
{
    (void)thing;
    return 0x123456789abcdef;
}

static uint64_t equal_but_for_the_upper_half(uint32_t thing)
{
    return (uint64_t)thing << 32;
}

TEST(hashes_of_any_kind)
{
    check(spread, THINGS);
    check(at_the_end, 1000);
    check(all_equal, 1000);
    check(equal_but_for_the_upper_half, 1000);
}

TEST(nothing_is_taken_before_it_is_needed)
{
    struct arena a;
    struct hash_index x;

    arena_init(&a, MIB);
    hash_index_init(&x, &a);
    assert_int_equal(a.used_bytes, 0);
    assert_true(hash_index_reserve(&x));
    assert_int_equal(hash_index_find(&x, 7)->id, HASH_INDEX_NONE);
    arena_free(&a);
}

/* What was in it before stays to be found. */
TEST(the_arena_ends)
{
    struct arena a;
    struct hash_index x;
    uint32_t n = 0;

    arena_init(&a, 64 << 10);
    hash_index_init(&x, &a);
    while (add(&x, spread(n), n) == n)
        n++;
    assert_true(n > 1000);
    assert_int_equal(a.failure, ARENA_LIMIT);
    assert_int_equal(x.count, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct hash_index_slot *slot = hash_index_find(&x, spread(i));
        while (slot->id != HASH_INDEX_NONE && slot->id != i)
            slot = hash_index_next(&x, slot);
        assert_int_equal(slot->id, i);
    }
    arena_free(&a);
}
