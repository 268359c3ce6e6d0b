#include "tests/support/profile_checks.h"

#include "tests/support/unit.h"

const struct profile_warning *profile_warned(const struct profile *p, enum warning_code code)
{
    for (uint32_t i = 0; i < p->n_warnings; i++)
        if (str_eq(p->warnings[i].code, str_of(warning_name(code))))
            return &p->warnings[i];
    return NULL;
}

uint64_t profile_warned_count(const struct profile *p, enum warning_code code)
{
    const struct profile_warning *w = profile_warned(p, code);

    return w == NULL ? 0 : w->count;
}

void profile_check_warning(const struct profile *p, enum warning_code code, uint64_t count, uint64_t offset)
{
    const struct profile_warning *w = profile_warned(p, code);

    if (w == NULL)
        fail_msg("no warning %s", warning_name(code));
    assert_int_equal(w->count, count);
    assert_int_equal(w->has_offset, offset != WARNING_NO_OFFSET);
    if (w->has_offset)
        assert_int_equal(w->offset, offset);
}

void profile_check_fact(const struct profile *p, const char *name, const char *expected)
{
    struct str got = profile_fact(p, str_of(name));

    if (!str_eq(got, str_of(expected)))
        fail_msg("%s is %.*s, not %s", name, (int)got.n, got.p, expected);
}
