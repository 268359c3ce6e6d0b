/* Libraries that are opened when they are needed. */
#include "tests/support/unit.h"

#include <archive.h>

#include "core/system/library.h"

struct functions {
    int (*abs)(int number);
    void *missing;
};

static int begun;

static bool cannot_begin(void)
{
    begun++;
    return false;
}

TEST(functions_of_a_library)
{
    static const struct library_function ALL[] = {
        {"abs", offsetof(struct functions, abs)},
        {"aflamed_is_no_function", offsetof(struct functions, missing)}};
    struct functions f = {NULL, NULL};

    struct library all = {.file = "libc.so.6", .functions = ALL, .n = 1, .table = &f},
                   more = {.file = "libc.so.6", .functions = ALL, .n = 2, .table = &f},
                   none = {.file = "libaflamed-is-no-library.so.0", .functions = ALL, .n = 1, .table = &f},
                   refused = {
                       .file = "libc.so.6", .functions = ALL, .n = 1, .table = &f, .begin = cannot_begin};

    assert_true(library_ready(&all));
    assert_int_equal(f.abs(-3), 3);
    assert_false(library_ready(&more));
    assert_false(library_ready(&none));
    assert_false(library_ready(&refused));
    assert_false(library_ready(&refused));
    assert_int_equal(begun, 1);
    assert_true(library_ready(&all));
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
