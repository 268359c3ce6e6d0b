/* Keyed hashing for tables whose keys come from outside: who does not know the seed cannot make keys collide.
 * The seed never shows in any output. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
    uint64_t k0, k1;
};

/* SipHash-1-3 (Aumasson and Bernstein, https://www.aumasson.jp/siphash/). */
uint64_t hash_bytes(struct hash_seed seed, const void *p, size_t n);

/* For fixed-size keys: two rounds of multiply-and-fold over the keyed value. */
static inline uint64_t hash_u64(struct hash_seed seed, uint64_t key)
{
    __extension__ typedef unsigned __int128 u128;
    u128 m = (u128)(key ^ seed.k0) * (seed.k1 | 1);
    uint64_t folded = (uint64_t)m ^ (uint64_t)(m >> 64);
    m = (u128)(folded ^ seed.k1) * 0x9e3779b97f4a7c15u;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}
