/* Archives within an archive: those that hold one recording are read as if they had come alone. */
#include "tests/support/unit.h"

#include "tests/support/hostile.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/sanitized.h"
#include "tests/support/systrace_bytes.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
enum { DEFLATED = 8, STREAMED = 8, BENCHMARKS = 2, MEMBERS_MAX = 300 };

/* Archives as programs write them, and as they may be. The last ones can be read from their front only (what they hold is
 * deflated, or the directory of an archive in them would be taken for theirs), or are within a stream. */
enum form { ZIP, TAR, FORMS_INNER, ZIP_WITHOUT_DIRECTORY = FORMS_INNER, TAR_GZIP, FORMS };

static struct buf archive_of(enum form form, const struct packing_member *members, size_t n)
{
    struct buf b = {0}, packed = {0};

    if (form == ZIP)
        packing_zip_archive(&b, members, n);
    for (size_t i = 0; i < n && form == ZIP_WITHOUT_DIRECTORY; i++) {
        struct packing_member member = members[i];
        member.method = DEFLATED;
        packing_zip_member(&b, &member);
    }
    if (form == ZIP_WITHOUT_DIRECTORY)
        packing_zip_end(&b);
    if (form == TAR || form == TAR_GZIP)
        packing_tar(&b, members, n);
    if (form != TAR_GZIP)
        return b;
    packing_gzip(&packed, buf_view(&b));
    buf_free(&b);
    return packed;
}

/* What AndroidX writes for an iteration of a benchmark: the i-th one begins later. */
static struct buf recording_of(unsigned i)
{
    struct buf trace = {0}, memory = {0}, zip = {0};

    systrace_put_clocks(&trace, 1010 + i, 0);
    systrace_put(&trace, 100 * i);
    systrace_put_track_events(&memory, 0, false);
    const struct packing_member members[] = {
        {.name = "Trace.pb", .bytes = buf_view(&trace), .method = DEFLATED, .flags = STREAMED},
        {.name = "InMemoryTrace.pb", .bytes = buf_view(&memory), .method = DEFLATED, .flags = STREAMED}};
    packing_zip_archive(&zip, members, LENGTH(members));
    buf_free(&trace);
    buf_free(&memory);
    return zip;
}

static void assert_answers(const struct buf *bytes, const char *member, const char *text)
{
    if (member == NULL)
        packed_assert_answer(buf_view(bytes), text);
    else
        packed_assert_member_answer(buf_view(bytes), member, text);
}

/* The member is what these bytes are alone, but for what is said of packing and of the benchmark. */
static void assert_same_as_alone(const struct buf *archive, const char *member, struct str alone)
{
    struct buf expected = packed_answer_to(alone), answer = packed_member_answer(buf_view(archive), member);
    struct str said = packed_without_fact(&answer);

    assert_true(str_eq(said, packed_without_fact(&expected)));
    buf_free(&answer);
    buf_free(&expected);
}

/* ---- what is read ---- */

TEST(the_output_of_benchmarks)
{
    static const char LIST[] =
        "{\"benchmarks\":[{\"name\":\"startup\",\"className\":\"a.StartupBenchmark\",\"profilerOutputs\":["
        "{\"filename\":\"startup_iter000.perfetto-trace\"},{\"filename\":\"startup_iter001.perfetto-trace\"}]}]}";
    struct buf one[BENCHMARKS] = {recording_of(0), recording_of(1)};
    const struct packing_member members[] = {
        {.name = "out/app-benchmarkData.json", .bytes = {LIST, sizeof(LIST) - 1}, .method = DEFLATED},
        {.name = "out/startup_iter000.perfetto-trace", .bytes = buf_view(&one[0]), .method = DEFLATED},
        {.name = "out/startup_iter001.perfetto-trace", .bytes = buf_view(&one[1]), .method = DEFLATED},
        {.name = "out/notes.txt", .bytes = STR("Dear reader")}};

    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf archive = archive_of(form, members, LENGTH(members));
        assert_answers(
            &archive, NULL,
            "has 4 files: out/app-benchmarkData.json, StartupBenchmark.startup iteration 0 (#2) (Perfetto "
            "trace), StartupBenchmark.startup iteration 1 (#3) (Perfetto trace), out/notes.txt.");
        for (size_t i = 0; i < BENCHMARKS; i++) {
            assert_same_as_alone(&archive, members[1 + i].name, buf_view(&one[i]));
            assert_answers(&archive, members[1 + i].name,
                           "perfetto-trace), zip (Trace.pb and 1 more of the same recording), ");
            assert_answers(&archive, members[1 + i].name, "StartupBenchmark.startup");
        }
        assert_same_as_alone(&archive, "#3", buf_view(&one[1]));
        buf_free(&archive);
    }
    for (size_t i = 0; i < BENCHMARKS; i++)
        buf_free(&one[i]);
}

/* Whatever packs it, and whatever is beside it that is not read. */
TEST(one_recording)
{
    struct buf v3 = packed_plain_input("v3");
    const struct packing_member inside[] = {
        {.name = "a/b/"},
        {.name = "a/b/notes.txt", .bytes = STR("Dear reader"), .method = DEFLATED},
        {.name = "a/b/empty", .method = DEFLATED, .flags = STREAMED},
        {.name = "a/b/1.trace", .bytes = buf_view(&v3), .method = DEFLATED, .flags = STREAMED},
        {.name = "a/c.png", .bytes = STR("\x89PNG"), .method = DEFLATED}};

    for (enum form inner = ZIP; inner <= ZIP_WITHOUT_DIRECTORY; inner++) {
        struct buf packed = archive_of(inner, inside, LENGTH(inside));
        for (unsigned i = 0; i < 8; i++) {
            const struct packing_member members[] = {
                {.name = "readme", .bytes = STR("Dear reader")},
                {.name = "1.zip", .bytes = buf_view(&packed), .method = i % 2 != 0 ? DEFLATED : 0}};
            struct buf archive = archive_of((enum form)(i / 2), members, LENGTH(members));
            packed_assert_same_as_plain(&archive, "v3");
            buf_free(&archive);
        }
        buf_free(&packed);
    }
    buf_free(&v3);
}

/* Of one name, the first is chosen by it, the others by their places; parts of a recording may share one. */
TEST(the_same_names)
{
    struct buf one[BENCHMARKS] = {recording_of(0), recording_of(1)}, trace = {0}, twice = {0};
    const struct packing_member members[] = {{.name = "a", .bytes = buf_view(&one[0])},
                                             {.name = "a", .bytes = buf_view(&one[1])}};

    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf archive = archive_of(form, members, LENGTH(members));
        assert_answers(&archive, NULL, "has 2 files: a (#1) (Perfetto trace), a (#2) (Perfetto trace).");
        assert_answers(&archive, "a", "packed-same-name");
        assert_same_as_alone(&archive, "#2", buf_view(&one[1]));
        buf_free(&archive);
    }
    systrace_put(&trace, 0);
    const struct packing_member parts[] = {{.name = "Trace.pb", .bytes = buf_view(&trace)},
                                           {.name = "Trace.pb", .bytes = buf_view(&trace)}};
    packing_zip_archive(&twice, parts, LENGTH(parts));
    const struct packing_member outer[] = {{.name = "Trace.pb", .bytes = buf_view(&twice)},
                                           {.name = "Other.pb", .bytes = buf_view(&twice)}};
    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf archive = archive_of(form, outer, LENGTH(outer));
        /* Archives are recordings of their own, whatever they are called. */
        assert_answers(&archive, NULL, "has 2 files: Trace.pb (Perfetto trace), Other.pb (Perfetto trace).");
        assert_same_as_alone(&archive, "Other.pb", buf_view(&twice));
        buf_free(&archive);
    }
    buf_free(&twice);
    buf_free(&trace);
    for (size_t i = 0; i < BENCHMARKS; i++)
        buf_free(&one[i]);
}

/* A key file and its data, in any order. */
TEST(two_files)
{
    struct buf v3 = packed_plain_input("v3");
    size_t key = str_find_str(buf_view(&v3), STR("*end\n")) + 5;
    const struct packing_member halves[] = {{.name = "x.key", .bytes = {v3.p, key}},
                                            {.name = "x.data", .bytes = {v3.p + key, v3.n - key}},
                                            {.name = "x.key", .bytes = {v3.p, key}}};

    for (unsigned from = 0; from < 2; from++) {
        struct buf zip = {0};
        packing_zip_archive(&zip, halves + from, 2);
        const struct packing_member members[] = {{.name = "readme", .bytes = STR("Dear reader")},
                                                 {.name = "x.zip", .bytes = buf_view(&zip)}};
        for (enum form form = ZIP; form < FORMS; form++) {
            struct buf archive = archive_of(form, members, LENGTH(members));
            assert_same_as_alone(&archive, "x.zip", buf_view(&zip));
            buf_free(&archive);
        }
        buf_free(&zip);
    }
    buf_free(&v3);
}

/* ---- what is not ---- */

static void assert_refused_inner(const struct packing_member *inside, size_t n, const char *text)
{
    for (enum form inner = ZIP; inner < FORMS_INNER; inner++) {
        struct buf packed = archive_of(inner, inside, n);
        const struct packing_member members[] = {{.name = "folder/x.zip", .bytes = buf_view(&packed)}};
        for (enum form form = ZIP; form < FORMS; form++) {
            struct buf archive = archive_of(form, members, 1);
            assert_answers(&archive, NULL, text);
            assert_answers(&archive, "folder/x.zip", text);
            buf_free(&archive);
        }
        buf_free(&packed);
    }
}

TEST(other_things)
{
    static const struct packing_member INSIDE[] = {{.name = "b", .bytes = STR_INIT("a;b 1\n")},
                                                   {.name = "c", .bytes = STR_INIT("a;c 1\n")},
                                                   {.name = "d", .bytes = STR_INIT("Dear reader")},
                                                   {.name = "e", .bytes = STR_INIT("Dear reader")}};
    struct buf none = {0}, archive = {0};

    assert_refused_inner(INSIDE, 2, "archive of 2 files: b (Folded stacks), c (Folded stacks).");
    assert_refused_inner(INSIDE, 2, "Unpack this one, and upload what it has.");
    assert_refused_inner(INSIDE + 2, 2, "archive of 2 files, none of which is read here: d, e.");
    assert_refused_inner(INSIDE + 2, 1, "unknown file format");
    assert_refused_inner(&(struct packing_member){.name = "d/"}, 1, "no file with anything in it");

    /* No choice beside what is one, and no recording if it is alone. */
    packing_zip_archive(&none, INSIDE + 2, 2);
    const struct packing_member members[] = {{.name = "sources.zip", .bytes = buf_view(&none)},
                                             {.name = "b", .bytes = STR("a;b 1\n")},
                                             {.name = "docs.zip", .bytes = buf_view(&none)}};
    packing_zip_archive(&archive, members, 2);
    assert_answers(&archive, NULL, "folded-stacks");
    buf_clear(&archive);
    packing_zip_archive(&archive, (const struct packing_member[]){members[0], members[2]}, 2);
    assert_answers(&archive, NULL,
                   "The zip archive has 2 files, none of which is read here: sources.zip, docs.zip.");
    /* What only begins as an archive does ends no other. */
    static const struct packing_member BEGINNINGS[] = {{.name = "1", .bytes = STR_INIT("PK\3\4")},
                                                       {.name = "2", .bytes = STR_INIT("PK\5\6")},
                                                       {.name = "3", .bytes = STR_INIT("PK\7\x08")},
                                                       {.name = "4", .bytes = STR_INIT("PK00")},
                                                       {.name = "b", .bytes = STR_INIT("a;b 1\n")}};
    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf outer = archive_of(form, BEGINNINGS, LENGTH(BEGINNINGS));
        assert_answers(&outer, NULL, "folded-stacks");
        buf_free(&outer);
    }
    buf_free(&archive);
    buf_free(&none);
}

TEST(no_deeper)
{
    const struct packing_member stacks = {.name = "b", .bytes = STR("a;b 1\n")};
    struct buf inner = {0}, stream = {0};

    packing_zip_archive(&inner, &stacks, 1);
    const struct packing_member one = {.name = "b.zip", .bytes = buf_view(&inner)};
    assert_refused_inner(&one, 1, "The file b.zip in the ");
    assert_refused_inner(&one, 1, "is an archive itself, the third one, and two are unpacked.");
    packing_gzip(&stream, buf_view(&inner));
    const struct packing_member packed = {.name = "b.zip.gz", .bytes = buf_view(&stream)};
    struct buf archive = archive_of(ZIP, &packed, 1);
    assert_answers(&archive, NULL, "packed twice");
    buf_free(&archive);
    buf_free(&stream);
    buf_free(&inner);
}

/* ---- limits ---- */

/* Two thousand times as much as is uploaded, neither archive by itself more than its limit. */
static void put_bomb(struct buf *bomb)
{
    enum { REPEATED = 200, TIMES = 300 };
    static struct packing_member members[TIMES];
    static const struct unpack_limits WIDE = {1 << 30, 1000000};
    struct buf line = {0}, text = {0}, inner = {0};

    for (size_t i = 0; i < REPEATED; i++)
        buf_printf(&line, "%zx", i * 2654435761u);
    for (size_t i = 0; i < 80; i++)
        buf_str(&text, buf_view(&line));
    for (size_t i = 0; i < TIMES; i++)
        members[i] = (struct packing_member){
            .name = "n", .bytes = buf_view(&text), .method = DEFLATED, .flags = STREAMED};
    packing_zip_archive(&inner, members, TIMES);
    packing_zip_archive(
        bomb, &(struct packing_member){.name = "x.zip", .bytes = buf_view(&inner), .method = DEFLATED}, 1);
    uint64_t out = (uint64_t)TIMES * text.n;
    assert_true(out > UNPACK_RATIO_FROM_BYTES && out / inner.n < 200 && inner.n / bomb->n < 200);
    assert_true(out / bomb->n > 400);
    struct buf answer = packed_answer_within(buf_view(bomb), WIDE, 64 << 20);
    assert_false(packed_contains(&answer, "unpacks to too much"));
    buf_free(&answer);
    buf_free(&inner);
    buf_free(&text);
    buf_free(&line);
}

TEST(bombs_within_bombs)
{
    struct buf bomb = {0};

    put_bomb(&bomb);
    assert_answers(&bomb, NULL, "unpacks to more than the limit of 200 bytes for each of its own");
    assert_answers(&bomb, "x.zip", "unpacks to more than the limit of 200 bytes for each of its own");
    buf_free(&bomb);
}

/* The limit of bytes counts what comes out of both archives. */
TEST(bytes_of_both)
{
    struct buf stacks = {0}, inner = {0}, outer = {0};

    for (unsigned i = 0; i < 20000; i++)
        buf_printf(&stacks, "a;b%u 1\n", i);
    packing_zip(&inner, "a", buf_view(&stacks));
    packing_zip(&outer, "a.zip", buf_view(&inner));
    for (unsigned fits = 0; fits < 2; fits++) {
        struct buf answer = packed_answer_within(
            buf_view(&outer), (struct unpack_limits){stacks.n + inner.n - 1 + fits, 200}, 64 << 20);
        assert_true(packed_contains(&answer, fits ? "fact 6:packed" : "unpacks to more than the limit of "));
        buf_free(&answer);
    }
    buf_free(&outer);
    buf_free(&inner);
    buf_free(&stacks);
}

/* Members are looked at one after the other, in the same memory. */
TEST(memory_of_many)
{
    static struct packing_member members[MEMBERS_MAX];
    struct buf inner = recording_of(0);

    for (size_t i = 0; i < MEMBERS_MAX; i++)
        members[i] = (struct packing_member){.name = "x", .bytes = buf_view(&inner)};
    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf archive = archive_of(form, members, MEMBERS_MAX);
        struct buf answer =
            packed_answer_within(buf_view(&archive), (struct unpack_limits){64 << 20, 200}, 12 << 20);
        assert_true(packed_contains(&answer, "has 300 files: x (#1) (Perfetto trace), "));
        buf_free(&answer);
        buf_free(&archive);
    }
    buf_free(&inner);
}

/* Looking for a recording ends soon; who chooses the file has it read whatever stands before it. */
TEST(many_files_before_a_recording)
{
    static struct packing_member members[MEMBERS_MAX + 1];
    struct buf inner = {0}, outer = {0};

    for (size_t i = 0; i < MEMBERS_MAX; i++)
        members[i] = (struct packing_member){.name = "x", .bytes = STR("Dear reader")};
    members[MEMBERS_MAX] = (struct packing_member){.name = "b", .bytes = STR("a;b 1\n")};
    packing_zip_archive(&inner, members, LENGTH(members));
    const struct packing_member outside[] = {{.name = "x.zip", .bytes = buf_view(&inner)},
                                             {.name = "readme", .bytes = STR("Dear reader")}};
    packing_zip_archive(&outer, outside, LENGTH(outside));
    assert_answers(&outer, NULL, "none of which is read here: x.zip, readme.");
    assert_same_as_alone(&outer, "x.zip", buf_view(&inner));
    buf_free(&outer);
    buf_free(&inner);
}

/* ---- damage ---- */

/* An inner archive that is cut gives what it gives alone. */
TEST(cut_inside)
{
    struct buf whole = recording_of(0);

    for (size_t n = 30; n < whole.n; n++) {
        const struct packing_member members[] = {
            {.name = "x.perfetto-trace", .bytes = {whole.p, n}, .method = DEFLATED}};
        for (enum form form = ZIP; form < FORMS; form++) {
            struct buf archive = archive_of(form, members, 1),
                       alone = packed_answer_to((struct str){whole.p, n}),
                       answer = packed_answer_to(buf_view(&archive));
            bool read = packed_contains(&alone, "\nfact 6:packed");
            struct str expected = read ? packed_without_fact(&alone) : buf_view(&alone),
                       said = read ? packed_without_fact(&answer) : buf_view(&answer);
            if (!str_eq(said, expected))
                fail_msg("cut at %zu: %.*s instead of %.*s", n, (int)said.n, said.p, (int)expected.n,
                         expected.p);
            buf_free(&archive);
            buf_free(&answer);
            buf_free(&alone);
        }
    }
    buf_free(&whole);
}

TEST(damage)
{
    struct buf stacks = {0};

    packing_zip(&stacks, "b", STR("a;b 1\na;c 2\n"));
    const struct packing_member members[] = {
        {.name = "readme", .bytes = STR("Dear reader")},
        {.name = "b.zip", .bytes = buf_view(&stacks), .method = DEFLATED}};
    for (enum form form = ZIP; form < FORMS; form++) {
        struct buf b = archive_of(form, members, LENGTH(members));
        hostile_cuttings("inner", &b);
        hostile_truncations("inner", &b);
        if (form == ZIP || (form != TAR && !SANITIZED))
            hostile_bit_flips("inner", &b);
        buf_free(&b);
    }
    buf_free(&stacks);
}
