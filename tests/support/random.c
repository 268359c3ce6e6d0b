#include "tests/support/random.h"

/* Steele, Lea and Flood's SplitMix64. */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(random_next(state) % n);
}

/* Twelve equal parts add up to nearly a normal distribution, whose deviation is one part. */
uint64_t random_noisy(uint64_t *state, uint64_t level, unsigned percent)
{
    enum { PARTS = 12, PART = 100000 };
    int64_t sum = -PARTS * PART / 2;

    for (unsigned i = 0; i < PARTS; i++)
        sum += random_below(state, PART);
    return level + (uint64_t)((int64_t)level * sum / PART * (int)percent / 100);
}
