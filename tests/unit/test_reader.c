/* The reader: any cutting of an input gives the same answer, any ceiling of memory an answer. */
#include "tests/support/unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "parser/format.h"
#include "parser/reader.h"
#include "tests/support/profile_dump.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_bytes.h"

enum { RANDOM_CUTTINGS = 200, SAMPLE_CUTTINGS = 8, CUTS_MAX = 12 };

static const struct hash_seed SEED = {3, 4};

/* Limits that the small inputs pass, beside the usual ones. */
static const struct reader_limits TIGHT = {
    .methods = 100, .threads = 100, .line_bytes = 64, .name_bytes = 16};

/* Rising offsets, some of them equal: pieces may be empty. */
static size_t random_cuts(uint64_t *state, size_t *cuts, size_t n)
{
    size_t n_cuts = 1 + random_below(state, CUTS_MAX);

    for (size_t i = 0; i < n_cuts; i++)
        cuts[i] = random_below(state, (uint32_t)n + 1);
    test_input_sort_cuts(cuts, n_cuts);
    return n_cuts;
}

static struct buf bytes_of(const struct trace_input *input)
{
    struct buf bytes = {0};

    input->put(&bytes);
    assert_false(bytes.failed);
    return bytes;
}

static const struct trace_input *input_named(const char *name)
{
    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++)
        if (strcmp(TRACE_INPUTS[i].name, name) == 0)
            return &TRACE_INPUTS[i];
    fail_msg("no input is called %s", name);
    return NULL;
}

static struct buf answer_to(const struct reader_limits *limits, const struct buf *bytes, const size_t *cuts,
                            size_t n_cuts)
{
    struct buf answer = {0};

    profile_dump_cut(&answer, limits, bytes->p, bytes->n, cuts, n_cuts);
    assert_false(answer.failed);
    return answer;
}

static void check_cut(const struct reader_limits *limits, const struct buf *bytes, const struct buf *expected,
                      const size_t *cuts, size_t n_cuts)
{
    struct buf answer = answer_to(limits, bytes, cuts, n_cuts);

    if (!str_eq(buf_view(&answer), buf_view(expected))) {
        buf_char(&answer, '\0');
        print_message("cut into %zu pieces, at %zu first:\n%s\nuncut:\n%.*s\n", n_cuts + 1, cuts[0], answer.p,
                      (int)expected->n, expected->p);
        fail();
    }
    buf_free(&answer);
}

/* Each byte alone, two pieces cut anywhere, and random cuttings. */
static void check_cuttings(const struct reader_limits *limits, const struct buf *bytes)
{
    struct buf expected = answer_to(limits, bytes, NULL, 0);
    size_t *each = calloc(bytes->n + 1, sizeof(*each)), cuts[CUTS_MAX];
    uint64_t state = 1;

    assert_non_null(each);
    for (size_t i = 0; i <= bytes->n; i++)
        each[i] = i;
    check_cut(limits, bytes, &expected, each, bytes->n + 1);
    for (size_t i = 0; i <= bytes->n; i += PLACES_STEP)
        check_cut(limits, bytes, &expected, &each[i], 1);
    for (unsigned i = 0; i < RANDOM_CUTTINGS; i++)
        check_cut(limits, bytes, &expected, cuts, random_cuts(&state, cuts, bytes->n));
    free(each);
    buf_free(&expected);
}

TEST(cut_anywhere)
{
    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++) {
        struct buf bytes = bytes_of(&TRACE_INPUTS[i]);
        check_cuttings(&READER_LIMITS_DEFAULT, &bytes);
        buf_free(&bytes);
    }
}

TEST(cut_anywhere_with_long_lines)
{
    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++) {
        struct buf bytes = bytes_of(&TRACE_INPUTS[i]);
        check_cuttings(&TIGHT, &bytes);
        buf_free(&bytes);
    }
}

/* A limit may fall on any byte of a line, even within a section's name. */
TEST(cut_anywhere_with_any_line_limit)
{
    static const uint32_t LINE_BYTES[] = {0, 1, 4, 5, 8, 17};
    struct buf bytes = bytes_of(input_named("odd-lines"));

    for (size_t i = 0; i < sizeof(LINE_BYTES) / sizeof(*LINE_BYTES); i++) {
        struct reader_limits limits = TIGHT;
        limits.line_bytes = LINE_BYTES[i];
        check_cuttings(&limits, &bytes);
    }
    buf_free(&bytes);
}

/* What is left at the end may be more than the beginning of one record. */
TEST(any_prefix_byte_by_byte)
{
    struct buf bytes = bytes_of(input_named("v3-broken"));
    size_t *each = calloc(bytes.n, sizeof(*each));

    assert_non_null(each);
    for (size_t i = 0; i < bytes.n; i++)
        each[i] = i;
    for (; bytes.n > 0; bytes.n--) {
        struct buf expected = answer_to(&READER_LIMITS_DEFAULT, &bytes, NULL, 0);
        check_cut(&READER_LIMITS_DEFAULT, &bytes, &expected, each, bytes.n);
        buf_free(&expected);
    }
    free(each);
    buf_free(&bytes);
}

static void read_sample(const char *path, struct buf *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    assert_non_null(file);
    do {
        assert_true(buf_reserve(bytes, 65536));
        n = fread(bytes->p + bytes->n, 1, 65536, file);
        bytes->n += n;
    } while (n > 0);
    assert_false(ferror(file));
    fclose(file);
}

TEST(samples_cut_anywhere)
{
    const char *folder = getenv("AFLAMED_SAMPLES");
    char pattern[4096];
    glob_t found;
    uint64_t random = 4101842887655102017u;
    size_t cuts[CUTS_MAX];

    if (folder == NULL || *folder == '\0') {
        print_message("AFLAMED_SAMPLES does not name the folder of real profiles\n");
        skip();
    }
    snprintf(pattern, sizeof(pattern), "%s/samples/art/*.trace", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct buf bytes = {0};
        read_sample(found.gl_pathv[i], &bytes);
        struct buf expected = answer_to(&READER_LIMITS_DEFAULT, &bytes, NULL, 0);
        for (unsigned k = 0; k < SAMPLE_CUTTINGS; k++)
            check_cut(&READER_LIMITS_DEFAULT, &bytes, &expected, cuts, random_cuts(&random, cuts, bytes.n));
        buf_free(&expected);
        buf_free(&bytes);
    }
    globfree(&found);
}

/* ---- answers ---- */

static enum diag_kind kind_of(const struct buf *bytes, bool *has_offset)
{
    struct arena arena;
    struct reader r;

    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, SEED));
    const struct profile *p = test_input_read(&r, buf_view(bytes));
    enum diag_kind kind = r.diag.kind;
    *has_offset = r.diag.has_offset;
    assert_int_equal(p == NULL, kind != DIAG_NONE);
    if (kind != DIAG_NONE)
        assert_true(r.diag.title[0] != '\0' && r.diag.detail[0] != '\0' && r.diag.hint[0] != '\0');
    arena_free(&arena);
    return kind;
}

TEST(each_input_has_its_answer)
{
    enum diag_kind expected = DIAG_NONE;
    bool has_offset;

    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++) {
        const char *name = TRACE_INPUTS[i].name;
        struct buf bytes = bytes_of(&TRACE_INPUTS[i]);
        if (strcmp(name, "no-end") == 0)
            expected = DIAG_UNUSABLE;
        else if (strcmp(name, "word-alone") == 0)
            expected = DIAG_UNKNOWN;
        if (kind_of(&bytes, &has_offset) != expected)
            fail_msg("%s is not answered with %d", name, expected);
        assert_int_equal(has_offset, expected == DIAG_UNUSABLE);
        buf_free(&bytes);
    }
}

TEST(nothing_is_an_empty_file)
{
    struct buf nothing = {0};
    bool has_offset;

    assert_int_equal(kind_of(&nothing, &has_offset), DIAG_EMPTY);
    assert_false(has_offset);
}

/* Who has no profile is told what would be one: each family of formats, once. */
TEST(what_is_unknown_names_the_formats)
{
    static const char *const FAMILIES[] = {"Android method trace", "simpleperf recording", "Perfetto trace",
                                           "pprof profile",        "Java samples",         "Folded stacks"};
    struct arena arena;
    struct reader r;

    arena_init(&arena, 1 << 20);
    assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, SEED));
    assert_null(test_input_read(&r, STR("words")));
    assert_int_equal(r.diag.kind, DIAG_UNKNOWN);
    for (size_t i = 0; i < sizeof(FAMILIES) / sizeof(*FAMILIES); i++) {
        const char *named = strstr(r.diag.hint, FAMILIES[i]);
        assert_non_null(named);
        assert_null(strstr(named + 1, FAMILIES[i]));
    }
    arena_free(&arena);
}

/* What is no profile is refused as soon as its beginning is there, not at the end. */
TEST(refused_at_once)
{
    static const char PERF_DATA[1 << 20] = "PERFILE2";
    struct test_input t = {.bytes = {PERF_DATA, sizeof(PERF_DATA)}, .largest = 1000};
    const struct source_input in = test_input_of(&t);
    struct arena arena;
    struct reader r;

    arena_init(&arena, 1 << 20);
    assert_true(reader_init(&r, &arena, &READER_LIMITS_DEFAULT, SEED));
    assert_null(reader_read(&r, &in));
    assert_int_equal(r.diag.kind, DIAG_FOREIGN);
    assert_true(t.read_bytes <= DETECT_BYTES_MAX + 1000);
    arena_free(&arena);
}

/* ---- ceilings ---- */

/* The profile's text, or none if the ceiling is too low: then for that reason alone. The arena has given out
 * `taken_bytes` before, so that its blocks end elsewhere. */
static bool within(size_t ceiling_bytes, size_t taken_bytes, const struct buf *bytes, struct buf *text)
{
    struct arena arena;
    struct reader r;
    const struct profile *p = NULL;

    arena_init(&arena, ceiling_bytes);
    if (arena_alloc(&arena, taken_bytes) != NULL && reader_init(&r, &arena, &READER_LIMITS_DEFAULT, SEED)) {
        struct test_input t = {.bytes = buf_view(bytes), .largest = 97};
        const struct source_input in = test_input_of(&t);
        p = reader_read(&r, &in);
        if (p != NULL)
            profile_dump(text, p);
        else
            assert_int_equal(r.diag.kind, DIAG_LIMIT);
        if (p == NULL && strstr(r.diag.detail, "job_memory_bytes") == NULL)
            fail_msg("the message names no limit: %s", r.diag.detail);
    }
    assert_int_equal(p == NULL, arena.failure == ARENA_LIMIT);
    assert_true(arena.used_bytes <= ceiling_bytes);
    arena_free(&arena);
    return p != NULL;
}

TEST(any_memory_ceiling)
{
    static const char *const NAMES[] = {"v3-broken", "long", "odd-lines", "folded", "folded-long"};

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        struct buf bytes = bytes_of(input_named(NAMES[i])), expected = {0}, text = {0};
        assert_true(within(SIZE_MAX, 0, &bytes, &expected));
        size_t ceiling = 0;
        while (!within(ceiling, 0, &bytes, &text))
            ceiling += 512;
        assert_true(ceiling > 0 && ceiling < 4 << 20);
        assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        for (unsigned more = 1; more < 100; more++) {
            buf_clear(&text);
            assert_true(within(ceiling + more * 1024, 0, &bytes, &text));
            assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        }
        for (size_t taken = 0; taken < 32768; taken += 48) {
            buf_clear(&text);
            if (within(ceiling / 2 + taken % 7 * ceiling / 10, taken, &bytes, &text))
                assert_true(str_eq(buf_view(&text), buf_view(&expected)));
        }
        buf_free(&text);
        buf_free(&expected);
        buf_free(&bytes);
    }
}

/* A line of megabytes that arrives byte by byte is looked at a few times, not once per byte. */
TEST(long_line_in_tiny_pieces)
{
    static const char *const BEGINNINGS[] = {"*version\n3\n*threads\n1\t", "a;b 1\na;c 2\na;"};
    const struct reader_limits limits = {
        .methods = 1, .threads = 1, .line_bytes = 16 << 20, .name_bytes = 4096};
    enum { LINE_BYTES = 4 << 20 };

    for (size_t i = 0; i < 2; i++) {
        struct arena arena;
        struct reader r;
        clock_t start = clock();
        arena_init(&arena, 256 << 20);
        assert_true(reader_init(&r, &arena, &limits, SEED));
        struct buf text = {0};
        buf_z(&text, BEGINNINGS[i]);
        for (size_t k = 0; k < LINE_BYTES; k++)
            buf_char(&text, 'x');
        buf_z(&text, " 7\n");
        struct test_input t = {.bytes = buf_view(&text), .largest = 1};
        const struct source_input in = test_input_of(&t);
        assert_int_equal(reader_read(&r, &in) != NULL, i == 1);
        buf_free(&text);
        assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
        arena_free(&arena);
    }
}
