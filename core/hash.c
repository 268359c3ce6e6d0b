#include "core/hash.h"

#include <string.h>

struct sip {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotl(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline __attribute__((always_inline)) void sip_round(struct sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static inline __attribute__((always_inline)) void sip_word(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

uint64_t hash_bytes(struct hash_seed seed, const void *p, size_t n)
{
    const unsigned char *bytes = p;
    struct sip s = {seed.k0 ^ 0x736f6d6570736575u, seed.k1 ^ 0x646f72616e646f6du,
                    seed.k0 ^ 0x6c7967656e657261u, seed.k1 ^ 0x7465646279746573u};
    uint64_t word;
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        memcpy(&word, bytes + i, 8);
        sip_word(&s, word);
    }
    word = (uint64_t)n << 56;
    for (size_t k = 0; i + k < n; k++)
        word |= (uint64_t)bytes[i + k] << (8 * k);
    sip_word(&s, word);
    s.v2 ^= 0xff;
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
