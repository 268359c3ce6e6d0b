/* tar archives, as they are and packed by gzip and zstd: members, what each is, cuts and damage. */
#include "tests/support/unit.h"

#include "tests/support/hostile.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"

/* A tar.zst needs more memory than these tests have: it has one of its own. */
enum form { TAR, TAR_GZIP, FORMS, TAR_ZSTD = FORMS };

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static struct buf archive_of(enum form form, const struct packing_member *members, size_t n)
{
    struct buf tar = {0}, packed = {0};

    packing_tar(&tar, members, n);
    if (form == TAR)
        return tar;
    if (form == TAR_GZIP)
        packing_gzip(&packed, buf_view(&tar));
    else
        packing_zstd(&packed, buf_view(&tar));
    buf_free(&tar);
    return packed;
}

static void assert_answers(enum form form, const struct packing_member *members, size_t n, const char *member,
                           const char *text)
{
    struct buf b = archive_of(form, members, n);

    if (member == NULL)
        packed_assert_answer(buf_view(&b), text);
    else
        packed_assert_member_answer(buf_view(&b), member, text);
    buf_free(&b);
}

TEST(test_the_only_file)
{
    struct buf v3 = packed_plain_input("v3");
    const struct packing_member members[] = {
        {.name = "a/"}, {.name = "empty", .bytes = STR("")}, {.name = "a/1.trace", .bytes = buf_view(&v3)}};

    for (enum form form = TAR; form < FORMS; form++) {
        struct buf b = archive_of(form, members, LENGTH(members));
        packed_assert_same_as_plain(&b, "v3");
        buf_free(&b);
    }
    buf_free(&v3);
}

TEST(test_several)
{
    struct buf v3 = packed_plain_input("v3");
    const struct packing_member members[] = {{.name = "b", .bytes = STR("a;b 1\n")},
                                             {.name = "readme", .bytes = STR("Dear reader")},
                                             {.name = "a/1.trace", .bytes = buf_view(&v3)}};

    for (enum form form = TAR; form < FORMS; form++) {
        assert_answers(form, members, 3, NULL,
                       "has 3 files: b (Folded stacks), readme, a/1.trace (Android method trace).");
        assert_answers(form, members, 3, "b", "fact 6:packed");
        assert_answers(form, members, 3, "#3", "android-trace");
        assert_answers(form, members, 3, "readme", "unknown file format");
        assert_answers(form, members, 3, "c", "no such file in the archive");
        /* Only one of them is something that is read. */
        assert_answers(form, members + 1, 2, NULL, "android-trace");
        assert_answers(form, members + 1, 1, NULL, "unknown file format");
    }
    buf_free(&v3);
}

/* An archive within an archive, and a stream within one, are one layer too many. */
TEST(test_one_layer)
{
    const struct packing_member stacks = {.name = "b", .bytes = STR("a;b 1\n")};
    struct buf inner = archive_of(TAR_GZIP, &stacks, 1), twice = {0};
    const struct packing_member member = {.name = "b.tar.gz", .bytes = buf_view(&inner)};

    for (enum form form = TAR; form < FORMS; form++)
        assert_answers(form, &member, 1, NULL, "packed twice");
    packing_gzip(&twice, buf_view(&inner));
    packed_assert_answer(buf_view(&twice), "packed twice");
    buf_free(&inner);
    buf_free(&twice);
}

TEST(test_damage)
{
    const struct packing_member members[] = {{.name = "readme", .bytes = STR("Dear reader")},
                                             {.name = "b", .bytes = STR("a;b 1\na;c 2\n")}};

    for (enum form form = TAR; form < FORMS; form++) {
        struct buf b = archive_of(form, members, LENGTH(members));
        hostile_cuttings("tar", &b);
        hostile_truncations("tar", &b);
        if (form != TAR)
            hostile_bit_flips("tar", &b);
        buf_free(&b);
    }
}

/* Less than a header is no archive to libarchive. */
TEST(test_less_than_a_header)
{
    const struct packing_member member = {.name = "b", .bytes = STR("a;b 1\n")};
    struct buf tar = archive_of(TAR, &member, 1);

    packed_assert_answer((struct str){tar.p, 300}, "packed file cut");
    buf_free(&tar);
}

/* More than one block of the unpacker, and of libarchive. */
TEST(test_large)
{
    struct buf log = {0}, stacks = {0};

    for (unsigned i = 0; i < 200000; i++)
        buf_printf(&log, "line %u of prose\n", i * 2654435761u);
    for (unsigned i = 0; i < 20000; i++)
        buf_printf(&stacks, "a;b%u 1\n", i);
    const struct packing_member members[] = {{.name = "log", .bytes = buf_view(&log)},
                                             {.name = "b", .bytes = buf_view(&stacks)}};
    for (enum form form = TAR; form < FORMS; form++) {
        assert_answers(form, members, 2, NULL, "fact 6:packed");
        assert_answers(form, members, 2, "log", "unknown file format");
    }
    struct buf b = archive_of(TAR_GZIP, members, 2);
    struct buf answer =
        packed_answer_within(buf_view(&b), (struct unpack_limits){stacks.n + 1000, 2000}, (size_t)64 << 20);
    assert_true(packed_contains(&answer, "unpacks to too much"));
    buf_free(&answer);
    buf_free(&b);
    buf_free(&log);
    buf_free(&stacks);
}

TEST(test_zstd)
{
    struct buf v3 = packed_plain_input("v3");
    const struct packing_member members[] = {{.name = "readme", .bytes = STR("Dear reader")},
                                             {.name = "a/1.trace", .bytes = buf_view(&v3)}};
    const struct unpack_limits limits = {1 << 20, 200};
    struct buf b = archive_of(TAR_ZSTD, members, 2);
    struct buf answer = packed_answer_within(buf_view(&b), limits, (size_t)256 << 20);

    assert_true(packed_contains(&answer, "tar.zst (a/1.trace), "));
    buf_free(&answer);
    answer = packed_answer_within(buf_view(&b), limits, (size_t)64 << 20);
    assert_true(packed_contains(&answer, "Unpacking the tar.zst archive needs more than the limit"));
    buf_free(&answer);
    buf_free(&b);
    buf_free(&v3);
}
