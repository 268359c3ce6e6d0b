/* Android method traces: what the records of each version become, and files damaged in every place. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parser/reader.h"
#include "tests/support/profile_checks.h"
#include "tests/support/test_input.h"
#include "tests/support/trace_bytes.h"

struct fixture {
    struct arena arena;
    struct reader_limits limits;
    struct reader reader;
    struct buf bytes;
    size_t header; /* offset */
    const struct profile *profile;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    arena_init(&f->arena, (size_t)1 << 30);
    f->limits = READER_LIMITS_DEFAULT;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    buf_free(&f->bytes);
    arena_free(&f->arena);
    free(f);
    return 0;
}

/* Reads f->bytes from the beginning; f->profile is NULL if they are refused. */
static void read_all(struct fixture *f)
{
    assert_false(f->bytes.failed);
    arena_free(&f->arena);
    assert_true(reader_init(&f->reader, &f->arena, &f->limits, (struct hash_seed){13, 14}));
    f->profile = test_input_read(&f->reader, buf_view(&f->bytes));
    assert_int_equal(f->profile == NULL, f->reader.diag.kind != DIAG_NONE);
}

static void read_well(struct fixture *f)
{
    read_all(f);
    if (f->profile == NULL)
        fail_msg("%s: %s", f->reader.diag.title, f->reader.diag.detail);
}

static void read_input(struct fixture *f, const char *name)
{
    size_t i = 0;

    while (i < TRACE_INPUTS_COUNT && strcmp(TRACE_INPUTS[i].name, name) != 0)
        i++;
    assert_true(i < TRACE_INPUTS_COUNT);
    buf_clear(&f->bytes);
    TRACE_INPUTS[i].put(&f->bytes);
    read_all(f);
}

static void put_head(struct fixture *f, unsigned version, const char *clock, unsigned record_bytes)
{
    trace_bytes_keys(&f->bytes, version, clock);
    f->header = f->bytes.n;
    trace_bytes_header(&f->bytes, version, 32, record_bytes);
}

static void put(struct fixture *f, unsigned record_bytes, uint16_t thread, uint32_t method,
                enum event_action action, uint32_t time)
{
    trace_bytes_record(&f->bytes, record_bytes,
                       (struct trace_record){thread, method, action, {time, 2 * time}});
}

/* ---- records ---- */

static void check_values(const struct fixture *f, const char *first, const char *second)
{
    const struct profile *p = f->profile;

    assert_int_equal(p->n_values, second == NULL ? 2 : 3);
    assert_true(str_eq(p->values[0].name, str_of(first)));
    if (second != NULL)
        assert_true(str_eq(p->values[1].name, str_of(second)));
    assert_int_equal(p->values[p->n_values - 1].role, ROLE_CALLS);
}

TEST_WITH(each_version_has_its_records, set_up, tear_down)
{
    /* Of the main thread: 70 - 10 µs of wall time, 13 - 0 of its own. */
    static const struct {
        const char *input, *values[2];
        uint64_t totals_us[2];
    } CASES[] = {
        {"v1", {"cpu", NULL}, {13, 0}},
        {"v2-cpu", {"cpu", NULL}, {13, 0}},
        {"v2-wall", {"wall", NULL}, {13, 0}},
        {"v3", {"wall", "cpu"}, {60, 13}},
        {"v3-large-records", {"wall", "cpu"}, {60, 13}},
        {"v3-one-time", {"cpu", NULL}, {13, 0}},
        {"far-data", {"wall", NULL}, {13, 0}},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        read_input(f, CASES[i].input);
        assert_non_null(f->profile);
        check_values(f, CASES[i].values[0], CASES[i].values[1]);
        const struct profile_track *track = profile_track_by_id(f->profile, 1);
        assert_non_null(track);
        assert_int_equal(track->records, 6);
        assert_int_equal(track->calls, 3);
        for (uint32_t v = 0; v + 1 < f->profile->n_values; v++)
            assert_int_equal(profile_total(f->profile, track->first, v), 1000 * CASES[i].totals_us[v]);
    }
}

TEST_WITH(threads_by_their_low_bits, set_up, tear_down)
{
    struct fixture *f = *state;

    read_input(f, "v3");
    assert_int_equal(f->profile->n_tracks, 2);
    const struct profile_track *track = profile_track_by_id(f->profile, 70000);
    assert_non_null(track);
    assert_true(str_eq(profile_string(f->profile, track->name), STR("worker")));
    assert_int_equal(f->profile->n_warnings, 0);
}

TEST_WITH(every_repair_is_told, set_up, tear_down)
{
    struct fixture *f = *state;
    static const struct {
        enum warning_code code;
        uint64_t count;
        unsigned record;
    } EXPECTED[] = {
        {WARN_RE_ROOTED, 1, 0},      {WARN_POPPED, 1, 5},         {WARN_IGNORED_EXIT, 1, 2},
        {WARN_TIME_BACK, 2, 8},      {WARN_CLOCK_WRAP, 1, 12},    {WARN_UNKNOWN_ACTION, 1, 9},
        {WARN_UNKNOWN_METHOD, 3, 7}, {WARN_UNKNOWN_THREAD, 1, 6}, {WARN_THREAD_ZERO, 2, 3},
    };

    put_head(f, 3, "dual", 14);
    size_t first = f->bytes.n;
    read_input(f, "v3-broken");
    assert_non_null(f->profile);
    for (size_t i = 0; i < sizeof(EXPECTED) / sizeof(*EXPECTED); i++)
        profile_check_warning(f->profile, EXPECTED[i].code, EXPECTED[i].count,
                              first + 14 * EXPECTED[i].record);
    assert_int_equal(f->profile->n_warnings, sizeof(EXPECTED) / sizeof(*EXPECTED) + 1);
    assert_int_equal(profile_warned(f->profile, WARN_OPEN_FRAMES)->count, 6);
    assert_true(
        str_eq(profile_string(f->profile, profile_track_by_id(f->profile, 7)->name), STR("Thread-7")));
}

/* Records that are left out end a batch: the offsets behind them must not shift. */
TEST_WITH(offsets_behind_records_left_out, set_up, tear_down)
{
    struct fixture *f = *state;

    put_head(f, 3, "dual", 14);
    size_t first = f->bytes.n;
    for (unsigned i = 0; i < 2000; i++)
        put(f, 14, i % 3 == 0 ? 0 : 1, 0x4, i % 3 == 1 ? EVENT_ENTER : EVENT_EXIT, i);
    put(f, 14, 1, 0x8, EVENT_UNKNOWN, 3000);
    put(f, 14, 0, 0, EVENT_ENTER, 0);
    put(f, 14, 1, 0x4, EVENT_ENTER, 2999);
    buf_char(&f->bytes, 'x');
    read_well(f);
    profile_check_warning(f->profile, WARN_THREAD_ZERO, 668, first);
    profile_check_warning(f->profile, WARN_UNKNOWN_ACTION, 1, first + 14 * 2000);
    profile_check_warning(f->profile, WARN_TIME_BACK, 2, first + 14 * 2002);
    profile_check_warning(f->profile, WARN_CUT_RECORD, 1, first + 14 * 2003);
    assert_int_equal(f->profile->tracks[0].records, 1335);
}

TEST_WITH(a_cut_record_has_its_offset, set_up, tear_down)
{
    struct fixture *f = *state;

    read_input(f, "cut-record");
    assert_non_null(f->profile);
    profile_check_warning(f->profile, WARN_CUT_RECORD, 1, f->bytes.n - 11);
    assert_int_equal(f->profile->tracks[0].records, 5);
}

TEST_WITH(unknown_methods_have_frames_of_their_own, set_up, tear_down)
{
    struct fixture *f = *state;

    put_head(f, 3, "dual", 14);
    size_t first = f->bytes.n;
    put(f, 14, 1, 0x4, EVENT_ENTER, 0);
    put(f, 14, 1, 0xfffffffc, EVENT_ENTER, 1);
    put(f, 14, 1, 0x10, EVENT_ENTER, 2);
    put(f, 14, 1, 0x10, EVENT_EXIT, 3);
    put(f, 14, 1, 0xfffffffc, EVENT_EXIT, 4);
    read_well(f);
    profile_check_warning(f->profile, WARN_UNKNOWN_METHOD, 4, first + 14);
    assert_int_equal(f->profile->n_nodes, 4);
    static const char *const NAMES[] = {"one", "unknown[0xfffffffc]", "unknown[0x10]"};
    for (node_id node = 1; node < 4; node++) {
        const struct profile_frame *frame = &f->profile->frames[f->profile->node_frame[node]];
        assert_true(str_eq(profile_string(f->profile, frame->name), str_of(NAMES[node - 1])));
    }
}

TEST_WITH(facts_of_the_header, set_up, tear_down)
{
    struct fixture *f = *state;

    read_input(f, "v3-large-records");
    static const char *const EXPECTED[][2] = {
        {"overflow", "false"},   {"clock", "dual"},      {"vm", "art"},           {"version", "3"},
        {"start_us", "1234567"}, {"record_bytes", "23"}, {"listed_methods", "3"}, {"listed_threads", "2"}};
    assert_int_equal(f->profile->n_facts, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(str_eq(f->profile->facts[i].name, str_of(EXPECTED[i][0])));
        assert_true(str_eq(f->profile->facts[i].value, str_of(EXPECTED[i][1])));
    }
}

/* ---- limits ---- */

static void check_limit(const struct fixture *f, const char *key, uint64_t offset)
{
    assert_null(f->profile);
    assert_int_equal(f->reader.diag.kind, DIAG_LIMIT);
    assert_int_equal(f->reader.diag.offset, offset);
    assert_non_null(strstr(f->reader.diag.detail, key));
    assert_non_null(strstr(f->reader.diag.hint, "Record a shorter trace"));
}

static uint64_t offset_of(const struct fixture *f, const char *text)
{
    size_t at = str_find_str(buf_view(&f->bytes), str_of(text));

    assert_true(at < f->bytes.n);
    return at;
}

TEST_WITH(too_many_methods, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.methods = 3;
    read_input(f, "v3");
    assert_non_null(f->profile);
    f->limits.methods = 2;
    read_input(f, "v3");
    check_limit(f, "more methods than the limit", offset_of(f, "0x8\tc.D"));
}

TEST_WITH(too_many_listed_threads, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.threads = 2;
    read_input(f, "v3");
    assert_non_null(f->profile);
    f->limits.threads = 1;
    read_input(f, "v3");
    check_limit(f, "more threads than the limit", offset_of(f, "70000"));
}

/* Those that are recorded but not listed count as well. */
TEST_WITH(too_many_recorded_threads, set_up, tear_down)
{
    struct fixture *f = *state;

    put_head(f, 3, "dual", 14);
    for (uint16_t thread = 1; thread <= 5; thread++)
        put(f, 14, thread, 0x4, EVENT_ENTER, thread);
    f->limits.threads = 6;
    read_well(f);
    assert_int_equal(f->profile->n_tracks, 5);
    f->limits.threads = 5;
    read_all(f);
    check_limit(f, "more threads than the limit", f->bytes.n - 14);
}

TEST_WITH(names_are_cut, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.name_bytes = 3;
    read_input(f, "v3");
    assert_non_null(f->profile);
    const struct profile_track *track = profile_track_by_id(f->profile, 70000);
    assert_true(str_eq(profile_string(f->profile, track->name), STR("wor")));
    profile_check_warning(f->profile, WARN_NAME_CUT, 7, offset_of(f, "1\tmain"));
}

TEST_WITH(lines_are_cut, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.line_bytes = 12;
    read_input(f, "v3");
    assert_non_null(f->profile);
    profile_check_warning(f->profile, WARN_NAME_CUT, 4, offset_of(f, "data-file"));
    profile_check_warning(f->profile, WARN_BAD_KEY_LINE, 1, offset_of(f, "data-file"));
    assert_true(str_eq(profile_string(f->profile, f->profile->frames[0].signature), STR("(")));
}

/* ---- damage ---- */

TEST_WITH(a_header_cut_anywhere, set_up, tear_down)
{
    struct fixture *f = *state;

    put_head(f, 3, "dual", 14);
    put(f, 14, 1, 0x4, EVENT_ENTER, 0);
    for (size_t n = f->header; n < f->header + 32; n++) {
        f->bytes.n = n;
        read_all(f);
        assert_null(f->profile);
        assert_int_equal(f->reader.diag.kind, DIAG_UNUSABLE);
        assert_int_equal(f->reader.diag.offset, n < f->header + 18 ? f->header : f->header + 6);
        bool cut = strstr(f->reader.diag.title, "cut trace header") != NULL;
        assert_int_equal(cut, n >= f->header + 4 && n < f->header + 18);
    }
}

/* Whatever is left of a file gives a profile or says why not; sanitizers watch the memory. */
TEST_WITH(cut_at_every_byte, set_up, tear_down)
{
    static const char *const NAMES[] = {"v1-broken", "v2-cpu", "v3-broken", "v3-large-records", "odd-lines"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        unsigned profiles = 0;
        read_input(f, NAMES[i]);
        for (size_t n = f->bytes.n; n > 0; n--) {
            f->bytes.n = n - 1;
            read_all(f);
            if (f->profile != NULL)
                profiles++;
            else
                assert_true(f->reader.diag.kind == DIAG_UNUSABLE || f->reader.diag.kind == DIAG_UNKNOWN ||
                            (n == 1 && f->reader.diag.kind == DIAG_EMPTY));
        }
        assert_true(profiles > 80);
    }
}

static void check_sums(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        for (uint32_t v = 0; v < p->n_values; v++) {
            const struct profile_track *t = &p->tracks[i];
            uint64_t sum = 0;
            for (node_id node = t->first; node < t->first + t->count; node++)
                sum += profile_self(p, node, v);
            assert_true(profile_total(p, t->first, v) == sum);
        }
}

TEST_WITH(every_bit_flipped, set_up, tear_down)
{
    static const char *const NAMES[] = {"v1", "v2-cpu", "v3", "v3-broken", "crlf"};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        unsigned profiles = 0;
        read_input(f, NAMES[i]);
        for (size_t bit = 0; bit < 8 * f->bytes.n; bit++) {
            f->bytes.p[bit / 8] = (char)(f->bytes.p[bit / 8] ^ 1 << bit % 8);
            read_all(f);
            f->bytes.p[bit / 8] = (char)(f->bytes.p[bit / 8] ^ 1 << bit % 8);
            if (f->profile == NULL)
                continue;
            check_sums(f->profile);
            profiles++;
        }
        /* Few bits make a file useless: those of *version, *end and the header. */
        assert_true(profiles > 5 * f->bytes.n && profiles < 8 * f->bytes.n);
    }
}

/* ---- size ---- */

TEST_WITH(many_threads_in_turn, set_up, tear_down)
{
    struct fixture *f = *state;
    clock_t start = clock();

    put_head(f, 3, "dual", 14);
    for (uint32_t round = 0; round < 8; round++)
        for (uint32_t thread = 1; thread <= 65535; thread++)
            put(f, 14, (uint16_t)thread, 0x4, round % 2 == 0 ? EVENT_ENTER : EVENT_EXIT, round);
    read_well(f);
    assert_int_equal(f->profile->n_tracks, 65535);
    assert_int_equal(f->profile->n_nodes, 2 * 65535);
    profile_check_warning(f->profile, WARN_UNKNOWN_THREAD, 65533, f->header + 32 + 14);
    assert_int_equal(profile_track_by_id(f->profile, 65535)->calls, 4);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
}

TEST_WITH(many_methods_and_facts, set_up, tear_down)
{
    struct fixture *f = *state;
    clock_t start = clock();

    buf_z(&f->bytes, "*version\n3\n");
    for (unsigned i = 0; i < 200000; i++)
        buf_printf(&f->bytes, "clock=dual%u\n", i);
    buf_z(&f->bytes, "clock=dual\n*methods\n");
    for (unsigned i = 0; i < 200000; i++)
        buf_printf(&f->bytes, "%#x\ta.C%u\tm\t()V\n", i << 2, i);
    buf_z(&f->bytes, "*end\n");
    trace_bytes_header(&f->bytes, 3, 32, 14);
    for (unsigned i = 0; i < 200000; i++)
        put(f, 14, 1, i << 2, EVENT_ENTER, i);
    read_well(f);
    assert_int_equal(f->profile->n_nodes, 200001);
    assert_int_equal(f->profile->n_facts, 6);
    assert_null(profile_warned(f->profile, WARN_UNKNOWN_METHOD));
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
}
