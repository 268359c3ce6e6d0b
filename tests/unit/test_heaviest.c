/* The heaviest of a list: as sorting finds them. */
#include "tests/support/unit.h"

#include "render/tree/tree.h"
#include "tests/support/random.h"

enum { N_MAX = 200 };

/* The slow way: how many come before this one. */
static uint32_t position(const uint64_t *totals, uint32_t n, uint32_t at)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < n; i++)
        before += totals[i] > totals[at] || (totals[i] == totals[at] && i < at);
    return before;
}

static void check(const uint64_t *totals, const uint32_t *places, uint32_t n)
{
    for (uint32_t k = 0; k <= n + 1; k++) {
        struct heaviest_cut cut = heaviest_cut(totals, places, n, k);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(heaviest_takes(cut, totals[i], places[i]), position(totals, n, i) < k);
    }
}

TEST(as_sorted)
{
    static const uint64_t MASKS[] = {0,         1, 3, 0xff, 0xff00, 0xffffffff, UINT64_C(0xff000000000000ff),
                                     UINT64_MAX};
    uint64_t totals[N_MAX], seed = 1;
    uint32_t places[N_MAX];

    for (uint32_t n = 0; n <= N_MAX; n += 1 + n / 4)
        for (size_t mask = 0; mask < sizeof(MASKS) / sizeof(MASKS[0]); mask++) {
            for (uint32_t i = 0; i < n; i++) {
                totals[i] = random_next(&seed) & MASKS[mask];
                places[i] = 3 * i + 1;
            }
            check(totals, places, n);
        }
}

TEST(at_the_ends_of_the_range)
{
    const uint64_t totals[] = {UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX - 1};
    const uint32_t places[] = {0, 1, 2, 3, UINT32_MAX - 1};

    check(totals, places, 5);
}
