#include "render/tree/heaviest.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, TOP_SHIFT = 64 - DIGIT_BITS };

/* Those that are left are equal in the digits above `shift`. */
struct search {
    const uint64_t *totals;
    uint32_t n;
    uint64_t known; /* the digits found so far, zeros below */
    unsigned shift;
    uint32_t left;   /* nodes that have the known digits */
    uint32_t wanted; /* how many of them */
};

static bool has_known_digits(const struct search *s, uint64_t total)
{
    return s->shift == TOP_SHIFT || (total ^ s->known) >> (s->shift + DIGIT_BITS) == 0;
}

/* Finds the next digit of the total at which the cut is. */
static void find_digit(struct search *s)
{
    uint32_t counts[DIGITS] = {0};
    unsigned digit = DIGITS - 1;

    for (uint32_t i = 0; i < s->n; i++)
        if (has_known_digits(s, s->totals[i]))
            counts[s->totals[i] >> s->shift & (DIGITS - 1)]++;
    for (; counts[digit] < s->wanted; digit--)
        s->wanted -= counts[digit];
    s->known |= (uint64_t)digit << s->shift;
    s->left = counts[digit];
}

struct heaviest_cut heaviest_cut(const uint64_t *totals, const uint32_t *places, uint32_t n, uint32_t k)
{
    struct search s = {.totals = totals, .n = n, .shift = TOP_SHIFT, .left = n, .wanted = k};

    if (k == 0)
        return HEAVIEST_NONE;
    if (k >= n)
        return HEAVIEST_ALL;
    for (;; s.shift -= DIGIT_BITS) {
        find_digit(&s);
        if (s.wanted == s.left)
            return (struct heaviest_cut){s.known, UINT32_MAX};
        if (s.shift == 0)
            break;
    }
    uint32_t i = 0;
    for (;; i++)
        if (totals[i] == s.known && --s.wanted == 0)
            return (struct heaviest_cut){s.known, places[i] + 1};
}
