/* pprof profiles: stacks, values and their order, inlined lines, labels, what leads nowhere, and damage. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/hostile.h"
#include "tests/support/pprof_bytes.h"
#include "tests/support/profile_checks.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/test_input.h"

/* A node's text, kind and own values, in pre-order. */
static void dump(struct buf *b, const struct profile *p)
{
    for (uint32_t t = 0; t < p->n_tracks; t++) {
        buf_char(b, '[');
        buf_str(b, profile_string(p, p->tracks[t].name));
        buf_z(b, "]\n");
        hostile_put_stacks(b, p, t);
    }
    buf_char(b, '\0');
}

static const struct profile *read_with(struct arena *arena, const struct pprof_options *options)
{
    struct buf b = {0};

    pprof_put(&b, options);
    return hostile_read_well(arena, &b);
}

static void reads_as(const struct pprof_options *options, const char *expected)
{
    struct arena arena;
    struct buf b = {0};

    dump(&b, read_with(&arena, options));
    assert_string_equal(b.p, expected);
    buf_free(&b);
    arena_free(&arena);
}

static void values_are(const struct profile *p, const char *first, const char *second, const char *third)
{
    const char *const names[] = {first, second, third};

    assert_int_equal(p->n_values, 3);
    for (uint32_t i = 0; i < 3; i++)
        if (!str_eq(p->values[i].name, str_of(names[i])))
            fail_msg("%u: %.*s", i, (int)p->values[i].name.n, p->values[i].name.p);
}

TEST(stacks_and_values)
{
    static const char EXPECTED[] =
        "[all stacks]\nmain  0 0 0\n-work(int; char)  0 0 0\n--inlined inlined 0 1 10000000\n"
        "-libfoo.so+0x101e  -4 2 20000000\n-unknown  8 3 30000000\n";

    reads_as(&(struct pprof_options){0}, EXPECTED);
    reads_as(&(struct pprof_options){.packed = true}, EXPECTED);
    reads_as(&(struct pprof_options){.strings_first = true}, EXPECTED);
}

TEST(which_value_is_first)
{
    struct arena arena;

    values_are(read_with(&arena, &(struct pprof_options){0}), "in-use-space", "samples", "cpu");
    arena_free(&arena);
    values_are(read_with(&arena, &(struct pprof_options){.default_type = "cpu"}), "cpu", "samples",
               "in-use-space");
    arena_free(&arena);
    values_are(read_with(&arena, &(struct pprof_options){.default_type = "main"}), "in-use-space", "samples",
               "cpu");
    arena_free(&arena);
}

TEST(what_values_mean)
{
    struct arena arena;
    const struct profile *p =
        read_with(&arena, &(struct pprof_options){.default_type = "samples", .positive = true});

    assert_int_equal(p->values[0].unit, UNIT_COUNT);
    assert_int_equal(p->values[0].role, ROLE_SAMPLES);
    assert_int_equal(p->values[1].unit, UNIT_NS);
    assert_true(str_eq(p->values[1].label, STR("CPU time")));
    assert_int_equal(p->values[2].unit, UNIT_BYTES);
    assert_true(str_eq(p->values[2].label, STR("In-use Space")));
    profile_check_fact(p, "elapsed_ns", "5000");
    arena_free(&arena);
}

TEST(an_empty_value_is_not_the_first)
{
    struct buf b = {0}, body = {0};
    struct arena arena;

    for (unsigned i = 1; i < 3; i++) {
        proto_put_number(&body, 1, i);
        proto_put_message(&b, 1, &body);
    }
    proto_put_number(&body, 2, 5);
    proto_put_number(&body, 2, 0);
    proto_put_message(&b, 2, &body);
    for (unsigned i = 0; i < 3; i++)
        proto_put_text(&b, 6, i == 0 ? "" : "Same?");
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_true(str_eq(p->values[0].name, STR("same-")));
    assert_true(str_eq(p->values[1].name, STR("same--2")));
    assert_int_equal(profile_total(p, 0, 0), 5);
    buf_free(&b);
    buf_free(&body);
    arena_free(&arena);
}

TEST(frames_have_their_place)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, &(struct pprof_options){0});
    bool found = false;

    for (uint32_t i = 0; i < p->n_frames; i++) {
        const struct profile_frame *f = &p->frames[i];
        if (!str_eq(profile_string(p, f->name), STR("inlined")))
            continue;
        found = true;
        assert_true(str_eq(profile_string(p, f->module), STR("/lib/libfoo.so")));
        assert_true(str_eq(profile_string(p, f->build_id), STR("abcd")));
        assert_true(str_eq(profile_string(p, f->file), STR("a.c")));
        assert_int_equal(f->line, 10);
        assert_int_equal(f->address, 0x1000 + 20);
    }
    assert_true(found);
    arena_free(&arena);
}

TEST(labels_of_threads)
{
    reads_as(&(struct pprof_options){.labels = true},
             "[ui]\nmain  0 0 0\n-work(int; char)  0 0 0\n--inlined inlined 0 1 10000000\n"
             "[all stacks]\nmain  0 0 0\n-libfoo.so+0x101e  -4 2 20000000\n-unknown  8 3 30000000\n");
}

/* Threads have the numbers that the tracks without one would get: it is found out once, not for each of them. */
TEST(numbers_that_are_taken)
{
    enum { THREADS = 40000 };
    struct buf b = {0}, body = {0}, label = {0};
    struct arena arena;
    char text[16];

    proto_put_text(&b, 6, "");
    proto_put_text(&b, 6, "samples");
    proto_put_text(&b, 6, "tid");
    proto_put_text(&b, 6, "thread_name");
    proto_put_number(&body, 1, 1);
    proto_put_message(&b, 1, &body);
    for (uint64_t i = 0; i < 2 * THREADS; i++) {
        bool has_id = i < THREADS;
        proto_put_number(&label, 1, has_id ? 2 : 3);
        proto_put_number(&label, has_id ? 3 : 2, has_id ? THREADS + 1 + i : 4 + i - THREADS);
        proto_put_number(&body, 2, 1);
        proto_put_message(&body, 3, &label);
        proto_put_message(&b, 2, &body);
        snprintf(text, sizeof(text), "t%u", (unsigned)i);
        if (has_id)
            proto_put_text(&b, 6, text);
    }
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_int_equal(p->n_tracks, 2 * THREADS);
    for (uint32_t i = 1; i < p->n_tracks; i++)
        assert_true(p->tracks[i - 1].id < p->tracks[i].id); /* each has its own */
    assert_int_equal(p->tracks[p->n_tracks - 1].id, 3 * THREADS);
    buf_free(&body);
    buf_free(&label);
    arena_free(&arena);
}

/* A string of a megabyte that every label and mapping refers to, and a location of so many lines that
 * every sample refers to, cost no more than short ones. */
TEST(what_is_long_and_often_referred_to)
{
    enum { SAMPLES = 20000, LINES = 20000, LONG = 1 << 20 };
    struct buf b = {0}, body = {0}, part = {0}, longest = {0};
    struct arena arena;

    for (size_t i = 0; i < LONG; i++)
        buf_char(&longest, 'x');
    buf_char(&longest, '\0');
    proto_put_text(&b, 6, "");
    proto_put_text(&b, 6, "samples");
    proto_put_text(&b, 6, "label");
    proto_put_text(&b, 6, longest.p);
    proto_put_text(&b, 6, "f");
    proto_put_number(&body, 1, 1);
    proto_put_message(&b, 1, &body);
    for (unsigned i = 0; i < SAMPLES; i++) {
        proto_put_number(&part, 1, 2);
        proto_put_number(&part, 2, 3);
        proto_put_number(&body, 1, 1);
        proto_put_number(&body, 2, 1);
        proto_put_message(&body, 3, &part);
        proto_put_message(&b, 2, &body);
    }
    proto_put_number(&body, 1, 1);
    for (unsigned i = 0; i < LINES; i++) {
        proto_put_number(&part, 1, 1);
        proto_put_message(&body, 4, &part);
    }
    proto_put_message(&b, 4, &body);
    proto_put_number(&body, 1, 1);
    proto_put_number(&body, 2, 4);
    proto_put_message(&b, 5, &body);
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_int_equal(p->n_tracks, 1);
    assert_int_equal(p->n_nodes, 1 + 257); /* the innermost lines, and the function itself */
    assert_int_equal(profile_total(p, p->tracks[0].first, 0), SAMPLES);
    assert_non_null(warning_of(p, WARN_BAD_REFERENCE));
    buf_free(&body);
    buf_free(&part);
    buf_free(&longest);
    arena_free(&arena);
}

/* ---- tracks by a label ---- */

/* One of a sample: with a text, or a number and its unit. */
struct sample_label {
    const char *key, *text;
    int64_t number;
    const char *unit;
};

enum { SAMPLE_LABELS = 2, LABEL_STRINGS = 32 };

struct labelled {
    const char *strings[LABEL_STRINGS];
    size_t n;
};

static uint64_t place_of(struct labelled *l, const char *text)
{
    size_t i = 0;

    while (i < l->n && strcmp(l->strings[i], text) != 0)
        i++;
    assert_true(i < LABEL_STRINGS);
    if (i == l->n)
        l->strings[l->n++] = text;
    return i;
}

static void put_label(struct buf *sample, struct labelled *l, const struct sample_label *label)
{
    struct buf body = {0};

    proto_put_number(&body, 1, place_of(l, label->key));
    if (label->text != NULL) {
        proto_put_number(&body, 2, place_of(l, label->text));
    } else {
        proto_put_number(&body, 3, (uint64_t)label->number);
        if (label->unit != NULL)
            proto_put_number(&body, 4, place_of(l, label->unit));
    }
    proto_put_message(sample, 3, &body);
    buf_free(&body);
}

/* The n-th sample has the value 1 << n and one frame. */
static void put_labelled(struct buf *b, const struct sample_label (*samples)[SAMPLE_LABELS], size_t n)
{
    struct labelled l = {.strings = {""}, .n = 1};
    struct buf body = {0}, line = {0};

    proto_put_number(&body, 1, place_of(&l, "samples"));
    proto_put_number(&body, 2, place_of(&l, "count"));
    proto_put_message(b, 1, &body);
    for (size_t i = 0; i < n; i++) {
        proto_put_number(&body, 1, 1);
        proto_put_number(&body, 2, UINT64_C(1) << i);
        for (size_t k = 0; k < SAMPLE_LABELS && samples[i][k].key != NULL; k++)
            put_label(&body, &l, &samples[i][k]);
        proto_put_message(b, 2, &body);
    }
    proto_put_number(&line, 1, 1);
    proto_put_number(&body, 1, 1);
    proto_put_message(&body, 4, &line);
    proto_put_message(b, 4, &body);
    proto_put_number(&body, 1, 1);
    proto_put_number(&body, 2, place_of(&l, "f"));
    proto_put_message(b, 5, &body);
    for (size_t i = 0; i < l.n; i++)
        proto_put_text(b, 6, l.strings[i]);
    buf_free(&body);
    buf_free(&line);
}

/* NULL: *diag. */
static const struct profile *read_split(struct arena *arena, const struct buf *b, const char *key,
                                        uint32_t threads, struct diag *diag)
{
    struct reader_limits limits = READER_LIMITS_DEFAULT;
    struct str bytes = buf_view(b);
    struct reader r;

    limits.threads = threads;
    arena_init(arena, 16 << 20);
    assert_true(reader_init(&r, arena, &limits, (struct hash_seed){1, 2}));
    reader_split(&r, str_of(key));
    const struct profile *p = test_input_read(&r, bytes);
    *diag = r.diag;
    return p;
}

/* "NAME VALUE; .." of all tracks. */
static void tracks_are(const struct profile *p, const char *expected)
{
    struct buf b = {0};

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        buf_z(&b, i > 0 ? "; " : "");
        buf_str(&b, profile_string(p, p->tracks[i].name));
        buf_printf(&b, " %llu", (unsigned long long)profile_total(p, p->tracks[i].first, 0));
        assert_int_equal(p->tracks[i].kind, TRACK_LABEL);
    }
    assert_buf(&b, expected);
}

static const struct sample_label LABELLED[][SAMPLE_LABELS] = {
    {{"path", "/x", 0, NULL}, {"bytes", NULL, 512, "bytes"}},
    {{"bytes", NULL, INT64_MIN, NULL}},
    {{"path", "/y", 0, NULL}, {"path", "/x", 0, NULL}},
    {{"path", "", 0, NULL}, {"bytes", NULL, 512, "bytes"}},
    {{"path", "/x", 0, NULL}, {"tid", NULL, 4711, NULL}}};

TEST(tracks_by_a_label)
{
    static const struct {
        const char *key, *expected;
    } SPLITS[] = {{"path", "/x 17; (no path) 10; /y 4"},
                  {"bytes", "512 bytes 9; -9223372036854775808 2; (no bytes) 20"},
                  {"tid", "(no tid) 15; 4711 16"}};
    struct buf b = {0};
    struct arena arena;
    struct diag diag;

    put_labelled(&b, LABELLED, 5);
    for (size_t i = 0; i < sizeof(SPLITS) / sizeof(SPLITS[0]); i++) {
        const struct profile *p = read_split(&arena, &b, SPLITS[i].key, 100, &diag);
        assert_non_null(p);
        tracks_are(p, SPLITS[i].expected);
        assert_true(str_eq(p->split, str_of(SPLITS[i].key)));
        arena_free(&arena);
    }
    const struct profile *p = read_split(&arena, &b, "", 100, &diag);
    assert_non_null(p);
    assert_int_equal(p->split.n, 0);
    assert_int_equal(p->n_labels, 3);
    assert_true(str_eq(p->labels[0].key, STR("path")) && p->labels[0].values == 2);
    assert_true(str_eq(p->labels[1].key, STR("bytes")) && p->labels[1].values == 2);
    assert_true(str_eq(p->labels[2].key, STR("tid")) && p->labels[2].values == 1);
    assert_int_equal(p->tracks[1].number, 4711);
    arena_free(&arena);
    buf_free(&b);
}

TEST(labels_that_are_refused)
{
    struct buf b = {0};
    struct arena arena;
    struct diag diag;

    put_labelled(&b, LABELLED, 5);
    assert_null(read_split(&arena, &b, "Path", 100, &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    assert_non_null(
        strstr(diag.detail, "split=Path: no sample has this label. There are: path, bytes, tid."));
    arena_free(&arena);
    assert_null(read_split(&arena, &b, "path", 2, &diag)); /* and those without it make a third track */
    assert_int_equal(diag.kind, DIAG_LIMIT);
    assert_non_null(strstr(diag.detail, "split=path: the label has more values than the limit of 2 tracks."));
    arena_free(&arena);
    buf_clear(&b);
    pprof_put(&b, &(struct pprof_options){0});
    assert_null(read_split(&arena, &b, "path", 100, &diag));
    assert_non_null(strstr(diag.detail, "the samples of this profile have no labels"));
    arena_free(&arena);
    buf_clear(&b);
    buf_z(&b, "main;a 1\n");
    assert_null(read_split(&arena, &b, "path", 100, &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    assert_string_equal(diag.title, "no labels in this file");
    arena_free(&arena);
    buf_free(&b);
}

TEST(labels_that_are_damaged)
{
    struct buf b = {0};
    struct arena arena;
    struct diag diag;

    put_labelled(&b, LABELLED, 5);
    for (size_t bit = 0; bit < 8 * b.n; bit++) {
        b.p[bit / 8] = (char)(b.p[bit / 8] ^ 1 << bit % 8);
        const struct profile *p = read_split(&arena, &b, "path", 3, &diag);
        assert_true((p == NULL) == (diag.kind != DIAG_NONE));
        assert_true(p == NULL || p->n_tracks <= 3);
        arena_free(&arena);
        b.p[bit / 8] = (char)(b.p[bit / 8] ^ 1 << bit % 8);
    }
    buf_free(&b);
}

TEST(many_labels)
{
    enum { KEYS = PROFILE_LABELS_MAX + 6, VALUES = PROFILE_LABEL_VALUES_MAX + 10 };
    struct buf b = {0}, body = {0}, label = {0};
    struct arena arena;
    struct diag diag;
    char text[32];

    proto_put_number(&body, 1, 0);
    proto_put_message(&b, 1, &body);
    for (unsigned i = 0; i < VALUES; i++) {
        proto_put_number(&body, 2, 1);
        proto_put_number(&label, 1, 1);
        proto_put_number(&label, 3, i);
        proto_put_message(&body, 3, &label);
        for (unsigned k = 0; i == 0 && k < KEYS; k++) {
            proto_put_number(&label, 1, 1 + k);
            proto_put_number(&label, 3, 1);
            proto_put_message(&body, 3, &label);
        }
        proto_put_message(&b, 2, &body);
    }
    for (unsigned i = 0; i <= KEYS; i++) {
        snprintf(text, sizeof(text), i == 0 ? "" : "key%u", i);
        proto_put_text(&b, 6, text);
    }
    const struct profile *p = read_split(&arena, &b, "", 100, &diag);
    assert_non_null(p);
    assert_int_equal(p->n_labels, PROFILE_LABELS_MAX);
    assert_int_equal(p->labels[0].values, PROFILE_LABEL_VALUES_MAX);
    assert_int_equal(p->labels[1].values, 1);
    arena_free(&arena);
    p = read_split(&arena, &b, "key70", 100, &diag); /* which is not listed */
    assert_non_null(p);
    tracks_are(p, "1 1; (no key70) 10009");
    arena_free(&arena);
    buf_free(&b);
    buf_free(&body);
    buf_free(&label);
}

TEST(references_to_nothing)
{
    struct arena arena;
    const struct profile *p = read_with(&arena, &(struct pprof_options){0});

    profile_check_warning(p, WARN_BAD_REFERENCE, 1, WARNING_NO_OFFSET);
    profile_check_warning(p, WARN_DIFFERENCES, 1, WARNING_NO_OFFSET);
    assert_int_equal(p->n_warnings, 2);
    arena_free(&arena);
}

/* pprof leaves them out; here they are shown, which is said. */
TEST(frames_that_should_be_left_out)
{
    struct arena arena;
    struct buf b = {0};

    pprof_put(&b, &(struct pprof_options){0});
    proto_put_number(&b, 7, 1);
    profile_check_warning(hostile_read_well(&arena, &b), WARN_FRAMES_NOT_DROPPED, 1, WARNING_NO_OFFSET);
    arena_free(&arena);
    buf_clear(&b);
    pprof_put(&b, &(struct pprof_options){0});
    proto_put_number(&b, 7, 0);
    assert_int_equal(profile_warned_count(hostile_read_well(&arena, &b), WARN_FRAMES_NOT_DROPPED), 0);
    arena_free(&arena);
    buf_free(&b);
}

TEST(what_is_refused)
{
    struct buf b = {0}, body = {0};

    buf_z(&b, "--- contentionz 1 ---\ncycles/second = 3201000000\n");
    hostile_refused(&b, DIAG_FOREIGN, "profile of the old pprof");
    proto_put_number(&body, 1, 1);
    proto_put_message(&b, 1, &body);
    proto_put_text(&b, 6, "");
    hostile_refused(&b, DIAG_UNUSABLE, "no samples");
    proto_put_number(&body, 1, 1);
    proto_put_message(&b, 1, &body);
    proto_put_number(&body, 2, 1);
    proto_put_message(&b, 2, &body);
    hostile_refused(&b, DIAG_UNUSABLE, "profile without names");
    buf_free(&body);
}

TEST(any_damage)
{
    struct buf b = {0};

    for (unsigned i = 0; i < 4; i++) {
        buf_clear(&b);
        pprof_put(&b, &(struct pprof_options){.packed = i % 2, .strings_first = i / 2, .labels = true});
        hostile_damage("pprof", &b);
    }
    buf_free(&b);
}
