/* Archives: which member is meant, what they are called, and what cannot be unpacked. */
#include "tests/support/unit.h"

#include <locale.h>
#include <string.h>

#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/test_input.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
enum { STORED, DEFLATED = 8, ENCRYPTED = 1, STREAMED = 8, UTF8 = 0x800 };

/* The archive with its directory, or one that lost it. */
static struct buf archive_of(const struct packing_member *members, size_t n, bool whole)
{
    struct buf zip = {0};

    if (whole)
        packing_zip_archive(&zip, members, n);
    for (size_t i = 0; i < n && !whole; i++)
        packing_zip_member(&zip, &members[i]);
    if (!whole)
        packing_zip_end(&zip);
    return zip;
}

static void assert_answers(const struct packing_member *members, size_t n, const char *member,
                           const char *text)
{
    for (unsigned whole = 0; whole < 2; whole++) {
        struct buf zip = archive_of(members, n, whole);
        if (member == NULL)
            packed_assert_answer(buf_view(&zip), text);
        else
            packed_assert_member_answer(buf_view(&zip), member, text);
        buf_free(&zip);
    }
}

static void assert_member_is(const struct packing_member *members, size_t n, const char *member,
                             struct str plain)
{
    struct buf expected = packed_answer_to(plain);

    for (unsigned whole = 0; whole < 2; whole++) {
        struct buf zip = archive_of(members, n, whole), answer = packed_member_answer(buf_view(&zip), member);
        assert_true(str_eq(packed_without_fact(&answer), buf_view(&expected)));
        buf_free(&answer);
        buf_free(&zip);
    }
    buf_free(&expected);
}

TEST(test_members)
{
    struct buf v1 = packed_plain_input("v1"), v3 = packed_plain_input("v3"), gzip = {0};
    struct str one = buf_view(&v1), three = buf_view(&v3);
    const struct packing_member members[] = {
        {.name = "a/"},
        {.name = "__MACOSX/a/._x", .bytes = STR("y"), .method = DEFLATED},
        {.name = "empty", .method = DEFLATED, .flags = STREAMED},
        {.name = "stored empty", .flags = STREAMED, .zip64 = true},
        {.name = "a/1.trace", .bytes = one, .method = DEFLATED, .flags = STREAMED},
        {.name = "__MACOSX/z", .bytes = three, .method = DEFLATED, .flags = STREAMED},
        {.name = "b\x1b[31m", .bytes = three, .method = DEFLATED, .flags = STREAMED | UTF8},
        {.name = "c", .bytes = STR("Dear reader")},
    };
    enum { ALL = LENGTH(members), ONE_USABLE = 6 };

    for (unsigned whole = 0; whole < 2; whole++) {
        struct buf zip = archive_of(members, ONE_USABLE, whole);
        packed_assert_same_as_plain(&zip, "v1");
        buf_free(&zip);
    }
    assert_answers(
        members, ALL, NULL,
        "The zip archive has 3 files: a/1.trace (Android method trace), b\xe2\x90\x9b[31m (Android method "
        "trace), c.");
    assert_answers(members, ALL, NULL, "Choose one by its name, or by its place in this list, as #2.");
    assert_member_is(members, ALL, "a/1.trace", one);
    assert_member_is(members, ALL, "b\xe2\x90\x9b[31m", three);
    assert_answers(members, ALL, "c", "unknown file format");
    assert_answers(members, ALL, "a/", "no such file in the archive");
    assert_answers(members, ALL, "empty", "no such file in the archive");
    assert_answers(members, ALL, "d", "It has: a/1.trace, b\xe2\x90\x9b[31m, c.");
    packed_assert_member_answer(one, "a", "no archive");
    packed_assert_member_answer(STR(""), "a", "no archive");
    packing_gzip(&gzip, one);
    packed_assert_member_answer(buf_view(&gzip), "a", "no archive");
    buf_free(&gzip);
    buf_free(&v1);
    buf_free(&v3);
}

TEST(test_many_members)
{
    enum { N = 1000, NAME_BYTES = 200 };
    static char names[N][NAME_BYTES];
    static struct packing_member members[N];

    for (unsigned i = 0; i < N; i++) {
        struct buf b = {0};
        memset(names[i], 'n', NAME_BYTES - 1);
        buf_printf(&b, "%u", i + 1);
        memcpy(names[i], b.p, b.n);
        names[i][i < 19 ? b.n : NAME_BYTES - 1] = '\0';
        buf_free(&b);
        members[i] = (struct packing_member){.name = names[i], .bytes = STR("x"), .method = DEFLATED};
    }
    assert_answers(members, N, NULL, "has 1000 files, none of which is read here: 1, 2, 3");
    assert_answers(members, N, NULL, "19, ...nnn");
    assert_answers(members, N, NULL, "nnn (#20) and 980 more.");
}

/* Whatever the program's locale: what is marked as UTF-8 is that, and bytes that are none are shown as such. */
TEST(test_names_of_every_script)
{
    static const char *const LOCALES[] = {"C", "C.UTF-8"};
    const struct packing_member members[] = {
        {.name = "\xc3\xa4\xe2\x98\x83", .bytes = STR("x"), .flags = UTF8},
        {.name = "\xc3\xb6", .bytes = STR("a;b 1\n")},
        {.name = "\xe4\xf6", .bytes = STR("c;d 2\n")},
    };

    for (size_t i = 0; i < LENGTH(LOCALES); i++) {
        assert_non_null(setlocale(LC_ALL, LOCALES[i]));
        assert_answers(members, LENGTH(members), NULL,
                       "3 files: \xc3\xa4\xe2\x98\x83, \xc3\xb6 (Folded stacks), ");
        assert_answers(members, LENGTH(members), "\xc3\xb6", "fact 6:packed");
        assert_answers(members, LENGTH(members), "\xc3\xa4\xe2\x98\x83", "unknown file format");
        assert_string_equal(setlocale(LC_ALL, NULL), LOCALES[i]);
    }
    setlocale(LC_ALL, "C");
}

/* Names are compared to their ends, and what they do not tell apart has its place beside it. */
TEST(test_names_alike)
{
    struct buf plain = packed_plain_input("v3");
    char alike[2][700];

    for (size_t i = 0; i < 2; i++) {
        memset(alike[i], 'd', sizeof(alike[i]));
        memcpy(alike[i] + sizeof(alike[i]) - 9, i == 0 ? "/1.trace" : "/2.trace", 9);
    }
    for (unsigned i = 0; i < 4; i++) {
        bool longest = i >= 2;
        const char *first = alike[0] + (longest ? 0 : 400), *second = alike[1] + (longest ? 0 : 400);
        uint16_t flags = i % 2 != 0 ? STREAMED : 0;
        const struct packing_member members[] = {
            {.name = "empty", .method = DEFLATED, .flags = flags},
            {.name = first, .bytes = STR("x"), .method = DEFLATED, .flags = flags},
            {.name = second, .bytes = buf_view(&plain), .method = DEFLATED, .flags = flags},
            {.name = "twice", .bytes = buf_view(&plain), .method = DEFLATED, .flags = flags},
            {.name = "twice", .bytes = STR("y"), .method = DEFLATED, .flags = flags},
        };
        enum { N = LENGTH(members) };
        char name[2][UNPACK_MEMBER_BYTES + 1], again[UNPACK_MEMBER_BYTES + 1];
        assert_answers(members, N, NULL, "4 files: ...ddd");
        assert_answers(members, N, NULL, longest ? " (#1), ...ddd" : "d/1.trace (#1), ...ddd");
        assert_answers(members, N, NULL,
                       " (#2) (Android method trace), twice (#3) (Android method trace), twice (#4).");
        unpack_member_name(str_of(first), name[0]);
        unpack_member_name(str_of(second), name[1]);
        unpack_member_name(str_of(name[0]), again);
        assert_string_equal(name[0], again);
        assert_answers(members, N, name[0], "unknown file format");
        assert_answers(members, N, name[1], "fact 6:packed");
        assert_answers(members, N, "#1", "unknown file format");
        assert_answers(members, N, "#2", "fact 6:packed");
        assert_answers(members, N, "#4", "unknown file format");
        assert_answers(members, N, "#5", "no such file in the archive");
        assert_answers(members, N, "#0", "no such file in the archive");
        assert_answers(members, N, "twice", "packed-same-name");
    }
    buf_free(&plain);
}

TEST(test_what_cannot_be_unpacked)
{
    static const struct {
        uint16_t method, flags;
        const char *said;
    } CASES[] = {{DEFLATED, ENCRYPTED, "is encrypted"},
                 {99, ENCRYPTED, "is encrypted"},
                 {12, 0, "packed by a method that is not read here"},
                 {14, 0, "packed by a method that is not read here"}};
    struct buf plain = packed_plain_input("v3"), zip = {0};

    for (size_t i = 0; i < LENGTH(CASES); i++) {
        const struct packing_member members[] = {
            {.name = "secret", .bytes = buf_view(&plain), .method = CASES[i].method, .flags = CASES[i].flags},
            {.name = "other", .bytes = buf_view(&plain), .method = DEFLATED},
        };
        assert_answers(members, 1, NULL, CASES[i].said);
        assert_answers(members, 1, NULL, "18:cannot be unpacked");
        assert_answers(members, 2, NULL, "2 files: secret, other");
        assert_answers(members, 2, "other", "fact 6:packed");
        assert_answers(members, 2, "secret", CASES[i].said);
    }
    packed_assert_answer(STR("PK\7\x08PK\3\4 whatever it is"), "spread over several files");
    buf_z(&zip, "PK00");
    packing_zip(&zip, "a", buf_view(&plain));
    packed_assert_same_as_plain(&zip, "v3");
    buf_free(&zip);
    buf_free(&plain);
}

/* The fact says what came of the member that is meant. The limits count what others unpack to where that
 * is done, to find their ends. */
TEST(test_bytes_of_other_members)
{
    struct buf plain = packed_plain_input("v3"), log = {0}, expected = {0};

    for (size_t i = 0; i < 100000; i++)
        buf_printf(&log, "line %zu\n", i);
    const struct packing_member members[] = {
        {.name = "__MACOSX/log", .bytes = buf_view(&log), .method = DEFLATED},
        {.name = "log", .bytes = buf_view(&log), .method = DEFLATED, .flags = STREAMED},
        {.name = "a.trace", .bytes = buf_view(&plain), .method = DEFLATED},
    };
    buf_printf(&expected, " -> %zu B;", plain.n);
    buf_char(&expected, '\0');
    assert_answers(members, LENGTH(members), "a.trace", expected.p);
    for (unsigned whole = 0; whole < 2; whole++) {
        struct buf zip = archive_of(members, LENGTH(members), whole);
        struct buf answer =
            packed_answer_within(buf_view(&zip), (struct unpack_limits){log.n - 1, 200}, 64 << 20);
        assert_true(packed_contains(&answer, whole ? "zip (a.trace)" : "more than the limit of "));
        buf_free(&answer);
        buf_free(&zip);
    }
    buf_free(&expected);
    buf_free(&log);
    buf_free(&plain);
}

/* libarchive keeps an entry for each member, which is charged before it is taken. */
TEST(test_memory_of_a_directory)
{
    enum { N = 20000 };
    static struct packing_member members[N];
    static const struct unpack_limits WIDE = {1 << 30, 1000000};

    for (size_t i = 0; i < N; i++)
        members[i] = (struct packing_member){.name = "x", .bytes = STR("x")};
    struct buf zip = archive_of(members, N, true);
    struct buf fits = packed_answer_within(buf_view(&zip), WIDE, 8 << 20);
    struct buf more = packed_answer_within(buf_view(&zip), WIDE, 4 << 20);
    assert_true(packed_contains(&fits, "has 20000 files"));
    assert_true(packed_contains(&more, "bytes of memory"));
    buf_free(&fits);
    buf_free(&more);
    buf_free(&zip);
}

/* A file that cannot be read again is no damaged archive. */
static ptrdiff_t fail_to_read(void *context, uint64_t offset, void *to, size_t n)
{
    struct test_input *whole = context;

    return offset + n > whole->bytes.n / 2 ? -1 : test_input_of(whole).read_at(whole, offset, to, n);
}

TEST(test_unreadable)
{
    struct buf zip = {0}, log = {0};
    struct arena arena;
    struct reader r;

    for (size_t i = 0; i < 100000; i++)
        buf_printf(&log, "line;line %zu\n", i * i);
    packing_zip(&zip, "log", buf_view(&log));
    struct test_input whole = {.bytes = buf_view(&zip)};
    struct source_input file = test_input_of(&whole);

    file.read_at = fail_to_read;
    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    assert_null(reader_read(&r, &file));
    assert_int_equal(r.diag.kind, DIAG_IO);
    arena_free(&arena);
    buf_free(&log);
    buf_free(&zip);
}

/* A pipe. */
TEST(test_without_the_file)
{
    struct buf zip = {0};
    struct arena arena;
    struct reader r;

    packing_zip(&zip, "a", STR("a;b 1\n"));
    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    struct test_input t = {.bytes = buf_view(&zip), .sequential = true};
    const struct source_input in = test_input_of(&t);
    assert_null(reader_read(&r, &in));
    assert_string_equal(r.diag.title, "cannot be read as it arrives");
    arena_free(&arena);
    buf_free(&zip);
}

/* What an archive is as a whole, where no member of it is meant. */
TEST(test_archive_of_another_kind)
{
    struct buf plain = packed_plain_input("v3");
    const struct packing_member members[] = {
        {.name = "AndroidManifest.xml", .bytes = STR("x")},
        {.name = "classes.dex", .bytes = STR("y"), .method = DEFLATED},
        {.name = "a.trace", .bytes = buf_view(&plain), .method = DEFLATED},
    };

    assert_answers(members, 2, NULL,
                   "not a recording of it. The zip archive has 2 files, none of which is read here: "
                   "AndroidManifest.xml, classes.dex.");
    assert_answers(members, 3, "a.trace", "fact 6:packed");
    buf_free(&plain);
}
