#include "tests/support/fuzzing.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/profile_dump.h"
#include "tests/support/test_input.h"

void fuzzing_check(bool holds)
{
    if (!holds)
        abort();
}

struct str fuzzing_copy(const void *p, size_t n)
{
    char *copy = malloc(n + (n == 0));

    fuzzing_check(copy != NULL);
    if (n > 0)
        memcpy(copy, p, n);
    return (struct str){copy, n};
}

struct str fuzzing_line(struct str *rest)
{
    struct str line;

    return str_split(rest, '\n', &line) ? line : STR("");
}

void fuzzing_cut_points(const uint8_t *data, size_t size, size_t cuts[FUZZING_CUTS])
{
    const size_t n = FUZZING_CUTS;

    for (size_t i = 0; i < n; i++)
        cuts[i] = size < 2 * n ? size : (data[size - 1 - i] * 256u + data[size - 1 - n - i]) % (size + 1);
    test_input_sort_cuts(cuts, n);
}

void fuzzing_reader(struct str beginning, const uint8_t *data, size_t size)
{
    static const struct reader_limits LIMITS = {
        .methods = 1000, .threads = 1000, .line_bytes = 64, .name_bytes = 20};
    struct buf input = {0}, whole = {0}, cut = {0};
    size_t cuts[FUZZING_CUTS];

    buf_str(&input, beginning);
    buf_bytes(&input, data, size);
    fuzzing_check(!input.failed && buf_reserve(&input, 1)); /* never NULL */
    fuzzing_cut_points((const uint8_t *)input.p, input.n, cuts);
    profile_dump_cut(&whole, &LIMITS, input.p, input.n, NULL, 0);
    profile_dump_cut(&cut, &LIMITS, input.p, input.n, cuts, FUZZING_CUTS);
    fuzzing_check(!whole.failed && !cut.failed && str_eq(buf_view(&whole), buf_view(&cut)));
    buf_free(&input);
    buf_free(&whole);
    buf_free(&cut);
}
