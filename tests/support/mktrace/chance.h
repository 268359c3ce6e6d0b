/* Numbers that look random and are the same every time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

static inline uint64_t chance_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* SplitMix64 (Steele, Lea and Flood, 2014): streams with different numbers have nothing in common. */
static inline struct chance chance_new(uint64_t seed, uint64_t stream)
{
    return (struct chance){chance_mix(seed + chance_mix(stream + 1))};
}

static inline uint64_t chance_draw(struct chance *c)
{
    return chance_mix(c->state += 0x9e3779b97f4a7c15u);
}

static inline uint32_t chance_below(struct chance *c, uint32_t limit)
{
    return (uint32_t)((chance_draw(c) >> 32) * limit >> 32);
}

static inline bool chance_percent(struct chance *c, uint32_t p)
{
    return chance_below(c, 100) < p;
}

/* 1 or more: each further one with this chance. */
static inline uint32_t chance_run(struct chance *c, uint32_t more_permille, uint32_t limit)
{
    uint32_t n = 1;

    while (n < limit && chance_below(c, 1000) < more_permille)
        n++;
    return n;
}
