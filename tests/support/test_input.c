#include "tests/support/test_input.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

static ptrdiff_t read_at(void *context, uint64_t at, void *to, size_t n)
{
    struct test_input *t = context;
    size_t left = at < t->bytes.n ? t->bytes.n - (size_t)at : 0;
    size_t part = t->largest == 0 ? n : 1 + (size_t)(random_next(&t->random) % t->largest);

    if (t->sequential && at != t->read_bytes)
        return -1;
    if (t->fails_at > 0 && at >= t->fails_at)
        return -1;
    for (size_t i = 0; i < t->n_cuts; i++)
        if (t->cuts[i] > at) {
            part = part < t->cuts[i] - at ? part : t->cuts[i] - (size_t)at;
            break;
        }
    if (part > n)
        part = n;
    if (part > left)
        part = left;
    if (part > 0)
        memcpy(to, t->bytes.p + at, part);
    if (at + part > t->read_bytes)
        t->read_bytes = at + part;
    return (ptrdiff_t)part;
}

static bool size(void *context, uint64_t *bytes)
{
    const struct test_input *t = context;

    *bytes = t->bytes.n;
    return t->fails_at == 0;
}

static const char *member(void *context)
{
    const struct test_input *t = context;

    return t->member;
}

struct source_input test_input_of(struct test_input *t)
{
    return (struct source_input){
        .read_at = read_at, .size = t->sequential ? NULL : size, .member = member, .context = t};
}

static int by_size(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void test_input_sort_cuts(size_t *cuts, size_t n)
{
    qsort(cuts, n, sizeof(*cuts), by_size);
}

const struct profile *test_input_read(struct reader *r, struct str bytes)
{
    struct test_input t = {.bytes = bytes};
    const struct source_input in = test_input_of(&t);

    return reader_read(r, &in);
}
