#include "tests/support/unit.h"

#include <errno.h>
#include <stdlib.h>

enum { TESTS_MAX = 256 };

static struct unit_test *first;

/* The compiler runs the constructors of a file in any order. */
void unit_add(struct unit_test *test)
{
    struct unit_test **at = &first;

    while (*at != NULL && (*at)->line < test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

int main(void)
{
    struct CMUnitTest tests[TESTS_MAX];
    size_t n = 0;

    for (const struct unit_test *t = first; t != NULL; t = t->next) {
        if (n == TESTS_MAX)
            abort();
        tests[n++] = t->test;
    }
    return _cmocka_run_group_tests(program_invocation_short_name, tests, n, NULL, NULL);
}
