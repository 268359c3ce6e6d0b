/* Keyed hashing. The SipHash-1-3 vectors are what CPython 3.11, which has its own SipHash-1-3, answers for
 * the bytes 0, 1, .. n-1 with PYTHONHASHSEED 0 (an all-zero key) and 7. */
#include "tests/support/unit.h"

#include "core/hash.h"

#include <string.h>

struct vector {
    size_t n;
    uint64_t hash;
};

static const struct hash_seed ZERO_SEED = {0, 0};
static const struct vector ZERO_VECTORS[] = {
    {1, 0x68a914128e01e473},  {2, 0x010bac45c41e3669},  {3, 0x4d4c9a4a8ef6e0ad},  {7, 0x2f098ab0c751325a},
    {8, 0xead411e67ebe2eea},  {9, 0x75927f9d95124362},  {15, 0xf30eb725bb91c9ea}, {16, 0x8972188433a5c5b7},
    {17, 0x4883c49a2c009c1d}, {63, 0x385d3e39e5f37359},
};

static const struct hash_seed SEVEN_SEED = {0x12c874a1806f0e3d, 0x470a89d2f9d2784f};
static const struct vector SEVEN_VECTORS[] = {
    {1, 0x7e255bf0210f9775},  {2, 0xe143141d79ac5dad},  {3, 0x3e839792e48ebc29},  {7, 0x987cfd95990dd34b},
    {8, 0x8450991e34fe08de},  {9, 0xa0a0a12bd6c44f35},  {15, 0x1517e7dc54a43f5b}, {16, 0x642bba6a6c24ebf5},
    {17, 0xcc54010f13010f0d}, {63, 0xb1eaa0579bb21aa3},
};

static void check_vectors(struct hash_seed seed, const struct vector *vectors, size_t n)
{
    uint8_t bytes[64];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < n; i++)
        assert_true(hash_bytes(seed, bytes, vectors[i].n) == vectors[i].hash);
}

TEST(known_answers)
{
    check_vectors(ZERO_SEED, ZERO_VECTORS, sizeof(ZERO_VECTORS) / sizeof(ZERO_VECTORS[0]));
    check_vectors(SEVEN_SEED, SEVEN_VECTORS, sizeof(SEVEN_VECTORS) / sizeof(SEVEN_VECTORS[0]));
}

TEST(place_in_memory_does_not_matter)
{
    uint8_t bytes[80] = {0};
    uint64_t expected = hash_bytes(SEVEN_SEED, "profile of a thread", 19);

    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(bytes + shift, "profile of a thread", 19);
        assert_true(hash_bytes(SEVEN_SEED, bytes + shift, 19) == expected);
    }
    assert_true(hash_bytes(SEVEN_SEED, NULL, 0) == hash_bytes(SEVEN_SEED, bytes, 0));
}

/* Zeros of different lengths differ only in their length. */
TEST(length_counts)
{
    static const uint8_t ZEROS[33];
    uint64_t seen[34];

    for (size_t n = 0; n <= 33; n++) {
        seen[n] = hash_bytes(ZERO_SEED, ZEROS, n);
        for (size_t i = 0; i < n; i++)
            assert_true(seen[i] != seen[n]);
    }
}

/* Keys that are multiples of a power of two, as method ids are, must not meet in the low bits. */
TEST(fixed_keys_spread)
{
    enum { KEYS = 4096, SLOTS = 8192 };
    static uint8_t taken[SLOTS];

    for (unsigned shift = 0; shift < 52; shift += 4) {
        unsigned used = 0;
        memset(taken, 0, sizeof(taken));
        for (uint64_t i = 0; i < KEYS; i++) {
            uint8_t *slot = &taken[hash_u64(SEVEN_SEED, i << shift) & (SLOTS - 1)];
            used += *slot == 0;
            *slot = 1;
        }
        /* 4096 balls in 8192 slots fill 3223 on average, with a deviation of 28. */
        assert_in_range(used, 3000, KEYS);
    }
}

TEST(seeds_differ)
{
    unsigned equal = 0;

    for (uint64_t i = 0; i < 1000; i++)
        equal += hash_u64(ZERO_SEED, i * 4) == hash_u64(SEVEN_SEED, i * 4);
    assert_int_equal(equal, 0);
    assert_true(hash_bytes(ZERO_SEED, "a", 1) != hash_bytes(SEVEN_SEED, "a", 1));
}
