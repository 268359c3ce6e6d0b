/* Archives: which member is meant, and what cannot be unpacked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"

static void test_members(void **state)
{
    struct buf v1 = packed_plain_input("v1"), v3 = packed_plain_input("v3"), zip = {0};
    struct str one = buf_view(&v1), three = buf_view(&v3);

    (void)state;
    packing_zip_member(&zip, &(struct packing_member){.name = "a/", .flags = 8});
    packing_zip_member(&zip,
                       &(struct packing_member){.name = "__MACOSX/a/._x", .bytes = STR("y"), .method = 8});
    packing_zip_member(&zip, &(struct packing_member){.name = "empty", .method = 8, .flags = 8});
    packing_zip_member(&zip,
                       &(struct packing_member){.name = "a/1.trace", .bytes = one, .method = 8, .flags = 8});
    packing_zip_member(
        &zip, &(struct packing_member){.name = "__MACOSX/z", .bytes = three, .method = 8, .flags = 8});
    size_t n = zip.n;
    packing_zip_end(&zip);
    packed_assert_same_as_plain(&zip, "v1");
    zip.n = n;
    packing_zip_member(
        &zip, &(struct packing_member){.name = "b\x1b[31m", .bytes = three, .method = 8, .flags = 8});
    packing_zip_member(&zip,
                       &(struct packing_member){.name = "c", .bytes = STR("Dear reader"), .zip64 = true});
    packing_zip_end(&zip);
    packed_assert_answer(buf_view(&zip), "The zip archive has 3 files: a/1.trace, b\xe2\x90\x9b[31m, c.");
    packed_assert_answer(buf_view(&zip), "curl -F member=NAME");
    for (size_t i = 0; i < 2; i++) {
        struct buf answer = packed_member_answer(buf_view(&zip), i == 0 ? "a/1.trace" : "b\xe2\x90\x9b[31m");
        struct buf expected = packed_answer_to(i == 0 ? one : three);
        assert_true(str_eq(packed_without_fact(&answer), buf_view(&expected)));
        buf_free(&answer);
        buf_free(&expected);
    }
    packed_assert_member_answer(buf_view(&zip), "c", "unknown file format");
    packed_assert_member_answer(buf_view(&zip), "a/", "no such file in the archive");
    packed_assert_member_answer(buf_view(&zip), "d", "It has: a/1.trace, b\xe2\x90\x9b[31m, c.");
    packed_assert_member_answer(one, "a", "no archive");
    packed_assert_member_answer(STR(""), "a", "no archive");
    buf_clear(&zip);
    packing_gzip(&zip, one);
    packed_assert_member_answer(buf_view(&zip), "a", "no archive");
    buf_free(&zip);
    buf_free(&v1);
    buf_free(&v3);
}

static void test_many_members(void **state)
{
    struct buf zip = {0}, answer;
    char name[200];

    (void)state;
    for (unsigned i = 1; i <= 1000; i++) {
        struct buf b = {0};
        memset(name, 'n', sizeof(name));
        buf_printf(&b, "%u", i);
        memcpy(name, b.p, b.n);
        name[i < 20 ? b.n : sizeof(name) - 1] = '\0';
        buf_free(&b);
        packing_zip_member(&zip, &(struct packing_member){.name = name, .bytes = STR("x"), .method = 8});
    }
    packing_zip_end(&zip);
    answer = packed_answer_to(buf_view(&zip));
    assert_true(packed_contains(&answer, "has 1000 files: 1, 2, 3"));
    assert_true(packed_contains(&answer, "19, ...nnn"));
    assert_true(packed_contains(&answer, "nnn (#20) and 980 more."));
    buf_free(&answer);
    buf_free(&zip);
}

static void test_what_cannot_be_unpacked(void **state)
{
    static const struct {
        uint16_t method, flags;
        const char *said;
    } CASES[] = {{8, 1, "is encrypted"},
                 {99, 1, "is encrypted"},
                 {8, 9, "is encrypted"},
                 {12, 0, "packed by a method that is not read here"},
                 {9, 8, "packed by a method that is not read here"},
                 {0, 8, "is stored without its size before it"}};
    struct buf plain = packed_plain_input("v3"), zip = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct packing_member m = {
            .name = "secret", .bytes = buf_view(&plain), .method = CASES[i].method, .flags = CASES[i].flags};
        buf_clear(&zip);
        packing_zip_member(&zip, &m);
        packing_zip_end(&zip);
        packed_assert_answer(buf_view(&zip), CASES[i].said);
        packed_assert_answer(buf_view(&zip), " 36 18:cannot be unpacked");
        if (!(CASES[i].flags & 8)) {
            zip.n -= 46;
            packing_zip(&zip, "other", buf_view(&plain));
            packed_assert_answer(buf_view(&zip), "2 files: secret, other");
            packed_assert_member_answer(buf_view(&zip), "other", "fact 6:packed");
            packed_assert_member_answer(buf_view(&zip), "secret", CASES[i].said);
        }
    }
    packed_assert_answer(STR("PK\7\x08PK\3\4 whatever it is"), "spread over several files");
    buf_clear(&zip);
    buf_z(&zip, "PK00");
    packing_zip(&zip, "a", buf_view(&plain));
    packed_assert_same_as_plain(&zip, "v3");
    buf_free(&zip);
    buf_free(&plain);
}

/* Names are compared to their ends, and what they do not tell apart has its place beside it. */
static void test_names(void **state)
{
    struct buf plain = packed_plain_input("v3"), zip = {0};
    char alike[2][700];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        memset(alike[i], 'd', sizeof(alike[i]));
        memcpy(alike[i] + sizeof(alike[i]) - 9, i == 0 ? "/1.trace" : "/2.trace", 9);
    }
    for (unsigned i = 0; i < 4; i++) {
        bool streamed = i % 2 != 0, longest = i >= 2;
        const char *first = alike[0] + (longest ? 0 : 400), *second = alike[1] + (longest ? 0 : 400);
        uint16_t flags = streamed ? 8 : 0;
        buf_clear(&zip);
        packing_zip_member(&zip, &(struct packing_member){.name = "empty", .method = 8, .flags = flags});
        packing_zip_member(
            &zip, &(struct packing_member){.name = first, .bytes = STR("x"), .method = 8, .flags = flags});
        packing_zip_member(&zip, &(struct packing_member){
                                     .name = second, .bytes = buf_view(&plain), .method = 8, .flags = flags});
        packing_zip_member(&zip,
                           &(struct packing_member){
                               .name = "twice", .bytes = buf_view(&plain), .method = 8, .flags = flags});
        packing_zip_member(
            &zip, &(struct packing_member){.name = "twice", .bytes = STR("y"), .method = 8, .flags = flags});
        packing_zip_end(&zip);
        packed_assert_answer(buf_view(&zip), "4 files: ...ddd");
        packed_assert_answer(buf_view(&zip), longest ? " (#1), ...ddd" : "d/1.trace (#1), ...ddd");
        packed_assert_answer(buf_view(&zip), " (#2), twice (#3), twice (#4).");
        packed_assert_answer(buf_view(&zip), "by its place, as #2");
        char name[2][UNPACK_MEMBER_BYTES + 1], again[UNPACK_MEMBER_BYTES + 1];
        unpack_member_name(str_of(first), name[0]);
        unpack_member_name(str_of(second), name[1]);
        unpack_member_name(str_of(name[0]), again);
        assert_string_equal(name[0], again);
        packed_assert_member_answer(buf_view(&zip), name[0], "unknown file format");
        packed_assert_member_answer(buf_view(&zip), name[1], "fact 6:packed");
        packed_assert_member_answer(buf_view(&zip), "#1", "unknown file format");
        packed_assert_member_answer(buf_view(&zip), "#2", "fact 6:packed");
        packed_assert_member_answer(buf_view(&zip), "#4", "unknown file format");
        packed_assert_member_answer(buf_view(&zip), "#5", "no such file in the archive");
        packed_assert_member_answer(buf_view(&zip), "#0", "no such file in the archive");
        packed_assert_member_answer(buf_view(&zip), "twice", streamed ? "fact 6:packed" : "packed-same-name");
    }
    buf_free(&zip);
    buf_free(&plain);
}

/* The fact says what came of the member that is meant; the limits count the others as well. */
static void test_bytes_of_other_members(void **state)
{
    struct buf plain = packed_plain_input("v3"), zip = {0}, log = {0}, expected = {0};

    (void)state;
    for (size_t i = 0; i < 100000; i++)
        buf_printf(&log, "line %zu\n", i);
    packing_zip_member(&zip, &(struct packing_member){
                                 .name = "__MACOSX/log", .bytes = buf_view(&log), .method = 8, .flags = 8});
    packing_zip_member(&zip,
                       &(struct packing_member){.name = "a.trace", .bytes = buf_view(&plain), .method = 8});
    packing_zip_end(&zip);
    buf_printf(&expected, " -> %zu bytes;", plain.n);
    buf_char(&expected, '\0');
    packed_assert_answer(buf_view(&zip), expected.p);
    packed_assert_member_answer(buf_view(&zip), "a.trace", expected.p);
    struct buf more =
        packed_answer_within(buf_view(&zip), (struct unpack_limits){log.n + plain.n - 1, 200}, 64 << 20);
    assert_true(packed_contains(&more, "limit max_unpacked_bytes of "));
    buf_free(&more);
    buf_free(&expected);
    buf_free(&log);
    buf_free(&zip);
    buf_free(&plain);
}

/* As a streaming zip writes what has no bytes: stored, its size behind it. */
static void test_empty_files_of_a_stream(void **state)
{
    struct buf plain = packed_plain_input("v3"), zip = {0};

    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        buf_clear(&zip);
        packing_zip_member(&zip, &(struct packing_member){
                                     .name = "empty", .flags = 8, .zip64 = form & 1, .unmarked = form & 2});
        packing_zip_member(&zip, &(struct packing_member){
                                     .name = "a.trace", .bytes = buf_view(&plain), .method = 8, .flags = 8});
        packing_zip_member(&zip, &(struct packing_member){
                                     .name = "end", .flags = 8, .zip64 = form & 1, .unmarked = form & 2});
        packing_zip_end(&zip);
        packed_assert_same_as_plain(&zip, "v3");
        packed_assert_every_cut(buf_view(&zip));
        packed_assert_member_answer(buf_view(&zip), "a.trace", "fact 6:packed");
        packed_assert_member_answer(buf_view(&zip), "empty", "empty file");
        packed_assert_member_answer(buf_view(&zip), "none", "It has: a.trace.");
    }
    buf_free(&zip);
    buf_free(&plain);
}

/* Stored, its size behind it, and not empty: whatever it looks like, its end cannot be told. */
static void test_stored_files_of_a_stream(void **state)
{
    static const struct str CONTENTS[] = {
        STR_INIT("x"),
        STR_INIT("PK\3\4 an archive of its own, from its first byte on"),
        STR_INIT("PK\7\x08\0\0\0\0\0\0\0\0\0\0\0\0 and more of it"),
        STR_INIT("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    };
    struct buf zip = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(CONTENTS) / sizeof(*CONTENTS); i++) {
        buf_clear(&zip);
        packing_zip_member(&zip,
                           &(struct packing_member){.name = "stored", .bytes = CONTENTS[i], .flags = 8});
        packing_zip(&zip, "behind", STR("a;b 1\n"));
        packed_assert_answer(buf_view(&zip), " 36 18:cannot be unpacked");
        packed_assert_answer(buf_view(&zip),
                             "stored in the zip archive is stored without its size before it");
        packed_assert_every_cut(buf_view(&zip));
        packed_assert_member_answer(buf_view(&zip), "behind", "It has: stored, as far as it can be read.");
    }
    buf_free(&zip);
}

/* What an archive is as a whole, where no member of it is meant. */
static void test_archive_of_another_kind(void **state)
{
    struct buf plain = packed_plain_input("v3"), zip = {0};

    (void)state;
    packing_zip_member(&zip, &(struct packing_member){.name = "AndroidManifest.xml", .bytes = STR("x")});
    size_t n = zip.n;
    packing_zip_member(&zip, &(struct packing_member){.name = "classes.dex", .bytes = STR("y"), .method = 8});
    packing_zip_end(&zip);
    packed_assert_answer(
        buf_view(&zip),
        "not a recording of it. The zip archive has 2 files: AndroidManifest.xml, classes.dex.");
    zip.n = n;
    packing_zip(&zip, "a.trace", buf_view(&plain));
    packed_assert_member_answer(buf_view(&zip), "a.trace", "fact 6:packed");
    buf_free(&zip);
    buf_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_cannot_be_unpacked),
        cmocka_unit_test(test_bytes_of_other_members),
        cmocka_unit_test(test_empty_files_of_a_stream),
        cmocka_unit_test(test_stored_files_of_a_stream),
        cmocka_unit_test(test_archive_of_another_kind),
    };

    return cmocka_run_group_tests_name("unpack_zip", tests, NULL, NULL);
}
