/* What benchmarks write beside their recordings: of which benchmark and iteration each one is. */
#include "tests/support/unit.h"

#include <stdio.h>

#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/test_input.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* By androidx.benchmark's BenchmarkData.kt and ResultWriter.kt. The second benchmark has its members in another order. */
static const char LIST[] =
    "{\"context\": {\"build\": {\"model\": \"Pixel 3\", \"version\": {\"sdk\": 31}}, \"payload\": {}},\n"
    " \"benchmarks\": [\n"
    "  {\"name\": \"startup\", \"params\": {}, \"className\": \"com.example.StartupBenchmark\",\n"
    "   \"metrics\": {\"timeToInitialDisplayMs\": {\"minimum\": 301.5, \"maximum\": 347.881076, \"median\": 320.25,\n"
    "                                          \"runs\": [347.881076, 301.5]}},\n"
    "   \"sampledMetrics\": {\"frameDurationCpuMs\": {\"P50\": 4.1, \"P90\": 7.9, \"P95\": 9.0, \"P99\": 15.2,\n"
    "                                             \"runs\": [[4.1, 7.9], [15.2]]}},\n"
    "   \"repeatIterations\": 2,\n"
    "   \"profilerOutputs\": [\n"
    "    {\"type\": \"PerfettoTrace\", \"label\": \"Trace Iteration 0\", \"filename\": \"Startup_startup_iter000_1.txt\"},\n"
    "    {\"type\": \"PerfettoTrace\", \"label\": \"1\", \"filename\": \"Startup_startup_iter001_2.txt\"},\n"
    "    {\"type\": \"PerfettoTrace\", \"label\": \"Trace Iteration 12\", \"filename\": \"without number\"}]},\n"
    "  {\"profilerOutputs\": [{\"filename\": \"Sort_methodTracing.txt\", \"label\": \"Method Trace\"}],\n"
    "   \"metrics\": {\"timeNs\": {\"median\": 1101.5, \"runs\": [1001.0, 1300.0]}, \"allocationCount\": {\"median\": 3}},\n"
    "   \"className\": \"Sort\", \"name\": \"sort[size=1000]\"}]}\n";

/* Facts of benchmarks, or "title: detail". */
static struct buf answer_of(struct str bytes, const char *member)
{
    static const char *const NAMES[] = {"benchmark", "benchmark_iteration", "benchmark_metrics"};
    struct buf answer = {0};
    struct arena arena;
    struct reader r;

    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    if (member != NULL)
        reader_choose(&r, str_of(member));
    const struct profile *p = test_input_read(&r, bytes);
    if (p == NULL)
        buf_printf(&answer, "%s: %s", r.diag.title, r.diag.detail);
    for (size_t i = 0; p != NULL && i < LENGTH(NAMES); i++) {
        struct str value = profile_fact(p, str_of(NAMES[i]));
        if (value.n > 0)
            buf_printf(&answer, "%s=%.*s\n", NAMES[i], (int)value.n, value.p);
    }
    for (uint32_t i = 0; p != NULL && i < p->n_warnings; i++)
        buf_printf(&answer, "warning %.*s\n", (int)p->warnings[i].code.n, p->warnings[i].code.p);
    assert_false(answer.failed);
    arena_free(&arena);
    return answer;
}

static void expect(struct str bytes, const char *member, const char *expected)
{
    struct buf answer = answer_of(bytes, member);

    buf_char(&answer, '\0');
    assert_string_equal(answer.p, expected);
    buf_free(&answer);
}

TEST(recordings_of_benchmarks)
{
    static const struct packing_member MEMBERS[] = {
        {.name = "out/Startup_startup_iter000_1.txt", .bytes = STR_INIT("a;b 1\n")},
        {.name = "out/Startup_startup_iter001_2.txt", .bytes = STR_INIT("a;c 1\n"), .method = 8},
        {.name = "out/without number", .bytes = STR_INIT("a;d 1\n")},
        {.name = "out/com.example-benchmarkData.json", .bytes = {LIST, sizeof(LIST) - 1}, .method = 8},
        {.name = "Sort_methodTracing.txt", .bytes = STR_INIT("a;e 1\n")},
        {.name = "out/Sort_methodTracing.txt", .bytes = STR_INIT("a;f 1\n")},
    };
    static const char SAMPLED[] = ", frameDurationCpuMs P50 4.1 P90 7.9 P95 9.0 P99 15.2\n";
    void (*const packers[])(struct buf * b, const struct packing_member *members,
                            size_t n) = {packing_zip_archive, packing_tar};
    char text[300];

    for (size_t k = 0; k < LENGTH(packers); k++) {
        struct buf archive = {0};
        packers[k](&archive, MEMBERS, LENGTH(MEMBERS));
        snprintf(text, sizeof(text),
                 "benchmark=StartupBenchmark.startup\nbenchmark_iteration=0\n"
                 "benchmark_metrics=timeToInitialDisplayMs 347.881076%s",
                 SAMPLED);
        expect(buf_view(&archive), MEMBERS[0].name, text);
        snprintf(text, sizeof(text),
                 "benchmark=StartupBenchmark.startup\nbenchmark_iteration=1\n"
                 "benchmark_metrics=timeToInitialDisplayMs 301.5%s",
                 SAMPLED);
        expect(buf_view(&archive), "#2", text);
        snprintf(text, sizeof(text),
                 "benchmark=StartupBenchmark.startup\nbenchmark_iteration=12\n"
                 "benchmark_metrics=timeToInitialDisplayMs 320.25%s",
                 SAMPLED);
        expect(buf_view(&archive), MEMBERS[2].name, text);
        expect(buf_view(&archive), MEMBERS[4].name, ""); /* of another folder */
        expect(buf_view(&archive), MEMBERS[5].name,
               "benchmark=Sort.sort[size=1000]\nbenchmark_metrics=timeNs 1101.5, allocationCount 3\n");
        struct buf answer = answer_of(buf_view(&archive), NULL);
        assert_true(packed_contains(
            &answer,
            " archive has 6 files: StartupBenchmark.startup iteration 0 (#1) (Folded stacks), "
            "StartupBenchmark.startup iteration 1 (#2) (Folded stacks), StartupBenchmark.startup iteration 12 (#3) "
            "(Folded stacks), out/com.example-benchmarkData.json, Sort_methodTracing.txt (Folded stacks), "
            "Sort.sort[size=1000] Method Trace (#6) (Folded stacks)."));
        buf_free(&answer);
        buf_free(&archive);
    }
}

/* A recording that is alone in its archive needs no choice. */
TEST(one_recording)
{
    const struct packing_member members[] = {
        {.name = "benchmarkData.json", .bytes = {LIST, sizeof(LIST) - 1}, .method = 8},
        {.name = "Sort_methodTracing.txt", .bytes = STR("a;e 1\n")}};
    struct buf archive = {0}, stream = {0};

    packing_tar(&archive, members, LENGTH(members));
    packing_gzip(&stream, buf_view(&archive));
    expect(buf_view(&stream), NULL,
           "benchmark=Sort.sort[size=1000]\nbenchmark_metrics=timeNs 1101.5, allocationCount 3\n");
    buf_free(&stream);
    buf_free(&archive);
}

/* With the list cut at each byte, and with what is no list, the recording is read all the same, and without a warning. */
TEST(what_is_wrong_with_a_list_is_of_no_matter)
{
    struct buf deep = {0}, wide = {0};

    buf_z(&deep, "{\"context\":{},\"benchmarks\":");
    for (int i = 0; i < 100000; i++)
        buf_char(&deep, '[');
    buf_z(&wide, "{\"context\":{},\"benchmarks\":[{\"profilerOutputs\":[");
    for (int i = 0; i < 5000; i++)
        buf_printf(&wide, "{\"filename\":\"%d\",\"label\":\"%0300d\"},", i, i);
    buf_z(&wide, "{\"filename\":\"x.txt\"}]}]}");
    const struct str lists[] = {
        buf_view(&deep), buf_view(&wide), STR("\0\1\2"), STR("{\"benchmarks\": 7}"),
        STR("{\"benchmarks\": [7, null, {\"name\": {}, \"className\": [], \"metrics\": [{}], \"profilerOutputs\": {\"filename\": 1}},"
            " {\"profilerOutputs\": [1, {\"filename\": 2}, {\"filename\": null, \"label\": {}}]}]}")};
    for (size_t i = 0; i < sizeof(LIST) - 1 + LENGTH(lists); i++) {
        struct str list = i < sizeof(LIST) - 1 ? (struct str){LIST, i + 1} : lists[i - (sizeof(LIST) - 1)];
        const struct packing_member members[] = {
            {.name = "x.txt", .bytes = STR("a;b 1\n")},
            {.name = "benchmarkData.json", .bytes = list, .wrong_crc = i % 2 == 1}};
        struct buf archive = {0};
        packing_zip_archive(&archive, members, LENGTH(members));
        expect(buf_view(&archive), "x.txt", "");
        buf_free(&archive);
    }
    buf_free(&deep);
    buf_free(&wide);
}

/* A name that is no text stands so far behind its key that the key is no longer at hand. */
TEST(a_recording_without_a_name_ends_no_other)
{
    struct buf list = {0}, archive = {0};

    buf_z(&list, "{\"benchmarks\":[{\"name\":\"a\",\"profilerOutputs\":[{\"filename\":");
    for (int i = 0; i < 300000; i++)
        buf_char(&list, ' ');
    buf_z(&list, "1},{\"filename\":\"x.txt\"}]}]}");
    const struct packing_member members[] = {{.name = "x.txt", .bytes = STR("a;b 1\n")},
                                             {.name = "benchmarkData.json", .bytes = buf_view(&list)}};
    packing_zip_archive(&archive, members, LENGTH(members));
    expect(buf_view(&archive), "x.txt", "benchmark=a\n");
    buf_free(&archive);
    buf_free(&list);
}

/* A small archive whose list would take much. */
TEST(a_list_takes_no_more_memory_than_its_job_has)
{
    enum { LIMIT_BYTES = 8 << 20, BENCHMARKS = 500, RUNS = 1000 };
    struct buf list = {0}, archive = {0};
    struct benchmarks benchmarks = {.n = 0};
    struct arena job;

    buf_z(&list, "{\"benchmarks\":[{\"name\":\"a\",\"profilerOutputs\":[{\"filename\":\"x.txt\"}]}");
    for (int i = 0; i < BENCHMARKS; i++) {
        buf_z(&list, ",{\"metrics\":{\"m\":{\"runs\":[");
        for (int k = 0; k < RUNS; k++)
            buf_z(&list, "1,");
        buf_z(&list, "]}}}");
    }
    buf_z(&list, "]}");
    const struct packing_member members[] = {{.name = "benchmarkData.json", .bytes = buf_view(&list)}};
    packing_zip_archive(&archive, members, LENGTH(members));
    struct test_input input = {.bytes = buf_view(&archive)};
    const struct source_input in = test_input_of(&input);
    bool more;
    const struct packer *packer = unpack_detect(archive.p, archive.n, &more);
    arena_init(&job, LIMIT_BYTES);
    assert_non_null(arena_alloc(&job, LIMIT_BYTES / 2));
    const size_t before = job.used_bytes;
    benchmarks_read(&benchmarks, packer, &in, STR("benchmarkData.json"), &PACKED_LIMITS.unpacked, &job);
    assert_int_equal(benchmarks.n, 1);
    assert_int_equal(benchmarks.arena.failure, ARENA_LIMIT);
    assert_int_equal(job.used_bytes, before + benchmarks.arena.used_bytes);
    assert_true(job.used_bytes <= LIMIT_BYTES);
    benchmarks_free(&benchmarks);
    assert_int_equal(job.used_bytes, before);
    arena_free(&job);
    buf_free(&archive);
    buf_free(&list);
}

TEST(names_are_cleaned_and_cut)
{
    struct buf list = {0}, archive = {0};

    buf_z(&list, "{\"benchmarks\":[{\"name\":\"a\\u0007\\u202eb");
    for (int i = 0; i < 1000; i++)
        buf_char(&list, 'x');
    buf_z(&list,
          "\",\"className\":\"p.q.C\",\"profilerOutputs\":[{\"filename\":\"x.txt\",\"label\":\"\\n\"}]}]}");
    const struct packing_member members[] = {{.name = "x.txt", .bytes = STR("a;b 1\n")},
                                             {.name = "y.txt", .bytes = STR("a;b 1\n")},
                                             {.name = "benchmarkData.json", .bytes = buf_view(&list)}};
    packing_zip_archive(&archive, members, LENGTH(members));
    struct buf answer = answer_of(buf_view(&archive), "x.txt");
    assert_true(packed_contains(&answer, "benchmark=C.a\xe2\x90\x87\xef\xbf\xbd"
                                         "bxxx"));
    assert_true(answer.n < 200);
    buf_free(&answer);
    answer = answer_of(buf_view(&archive), NULL);
    assert_true(packed_contains(&answer, "xxx \xe2\x90\x8a (#1) (Folded stacks), y.txt (Folded stacks)"));
    buf_free(&answer);
    buf_free(&archive);
    buf_free(&list);
}
