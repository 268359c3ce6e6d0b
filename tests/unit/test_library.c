/* Libraries that are opened when they are needed. */
#include "tests/support/unit.h"

#include <archive.h>

#include "core/system/library.h"

struct functions {
    int (*abs)(int number);
    void *missing;
};

TEST(functions_of_a_library)
{
    static const struct library_function ALL[] = {
        {"abs", offsetof(struct functions, abs)},
        {"aflamed_is_no_function", offsetof(struct functions, missing)}};
    struct functions f = {NULL, NULL};

    assert_true(library_open("libc.so.6", ALL, 1, &f));
    assert_int_equal(f.abs(-3), 3);
    assert_false(library_open("libc.so.6", ALL, 2, &f));
    assert_false(library_open("libaflamed-is-no-library.so.0", ALL, 1, &f));
}

TEST(an_archive)
{
    struct archive *a = archive_read_new();

    assert_non_null(a);
    archive_set_error(a, 5, "stopped");
    assert_int_equal(archive_errno(a), 5);
    assert_int_equal(archive_read_free(a), ARCHIVE_OK);
    assert_int_equal(archive_read_free(NULL), ARCHIVE_OK);
}
