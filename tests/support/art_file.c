#include "tests/support/art_file.h"

#include "tests/support/unit.h"

int art_file_setup(void **state)
{
    static struct art_file file;

    file = (struct art_file){.name = ""};
    arena_init(&file.arena, 1);
    *state = &file;
    return 0;
}

int art_file_teardown(void **state)
{
    struct art_file *f = *state;

    arena_free(&f->arena);
    buf_free(&f->bytes);
    return 0;
}

void art_file_put(struct art_file *f, enum variant v, const struct variant_options *options)
{
    buf_clear(&f->bytes);
    f->name = VARIANT_NAMES[v];
    variant_put(&f->bytes, v, VARIANT_HEALTHY, VARIANT_HEALTHY_COUNT, options);
}

void art_file_read(struct art_file *f)
{
    arena_free(&f->arena);
    f->profile = hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag);
    if (f->profile == NULL)
        fail_msg("%s: %s", f->diag.title, f->diag.detail);
}

void art_file_check_unusable(struct art_file *f, const char *title, uint64_t offset)
{
    arena_free(&f->arena);
    assert_null(hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag));
    assert_int_equal(f->diag.kind, DIAG_UNUSABLE);
    assert_string_equal(f->diag.title, title);
    assert_int_equal(f->diag.offset, offset);
}

void art_file_check(const struct art_file *f, const char *expected)
{
    struct buf text = {0};

    hostile_describe(&text, f->profile);
    if (!str_eq(buf_view(&text), str_of(expected)))
        fail_msg("%s:\n%.*s\nexpected:\n%s", f->name, (int)text.n, text.p, expected);
    buf_free(&text);
}

const char *const ART_FILE_DUAL = "1 main\n"
                                  "  . 100000 10000 0\n"
                                  "  a.B.m0 8980000 22000 1\n"
                                  "  >a.B.m1 291000 6000 2\n"
                                  "  >>a.B.m1 19000 2000 1\n"
                                  "  >a.B.m3 100000 50000 1\n"
                                  "  a.B.m2 60500000 3910000 1\n"
                                  "  >a.B.m3 0 0 1\n"
                                  "700 worker\n"
                                  "  . 0 0 0\n"
                                  "  a.B.m2 379000 2000 1\n"
                                  "  >a.B.m1 59600000 5000 1\n";

const char *const ART_FILE_WALL = "1 main\n"
                                  "  . 100000 - 0\n"
                                  "  a.B.m0 8980000 - 1\n"
                                  "  >a.B.m1 291000 - 2\n"
                                  "  >>a.B.m1 19000 - 1\n"
                                  "  >a.B.m3 100000 - 1\n"
                                  "  a.B.m2 60500000 - 1\n"
                                  "  >a.B.m3 0 - 1\n"
                                  "700 worker\n"
                                  "  . 0 - 0\n"
                                  "  a.B.m2 379000 - 1\n"
                                  "  >a.B.m1 59600000 - 1\n";

/* The counter's ticks are rounded up, and down again to ns. */
static const char *const COUNTED = "1 main\n"
                                   "  . 100000 10000 0\n"
                                   "  a.B.m0 8980000 22000 1\n"
                                   "  >a.B.m1 291041 6000 2\n"
                                   "  >>a.B.m1 18959 2000 1\n"
                                   "  >a.B.m3 100000 50000 1\n"
                                   "  a.B.m2 60500000 3910000 1\n"
                                   "  >a.B.m3 0 0 1\n"
                                   "700 worker\n"
                                   "  . 0 0 0\n"
                                   "  a.B.m2 379010 2000 1\n"
                                   "  >a.B.m1 59600000 5000 1\n";

const char *art_file_expected(enum variant v)
{
    return v == VARIANT_E5_COUNTER ? COUNTED : variant_is_dual(v) ? ART_FILE_DUAL : ART_FILE_WALL;
}
