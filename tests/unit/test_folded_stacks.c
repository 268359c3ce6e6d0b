/* Folded stacks: what counts as a line, which files are taken for it, and sizes without end. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "parser/reader.h"
#include "profile/warning.h"
#include "tests/support/hostile.h"
#include "tests/support/test_input.h"

struct fixture {
    struct arena arena;
    struct reader_limits limits;
    struct reader reader;
    struct buf bytes;
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

static void read_bytes(struct fixture *f, const void *p, size_t n)
{
    arena_free(&f->arena);
    assert_true(reader_init(&f->reader, &f->arena, &f->limits, (struct hash_seed){15, 16}));
    f->profile = test_input_read(&f->reader, (struct str){p, n});
    assert_int_equal(f->profile == NULL, f->reader.diag.kind != DIAG_NONE);
    assert_true(f->profile == NULL || str_eq(f->profile->format, STR("folded-stacks")));
}

static void read_buf(struct fixture *f)
{
    assert_false(f->bytes.failed);
    read_bytes(f, f->bytes.p, f->bytes.n);
}

/* A node's text, self and total, in pre-order; then the warnings. */
static void dump(struct buf *b, const struct profile *p)
{
    for (node_id node = 1; node < p->n_nodes; node++) {
        for (node_id up = p->node_parent[node]; up != 0; up = p->node_parent[up])
            buf_char(b, '-');
        buf_str(b, profile_string(p, p->frames[p->node_frame[node]].name));
        buf_printf(b, "%s %llu/%llu\n", (p->node_flags[node] & NODE_RECURSIVE) != 0 ? "*" : "",
                   (unsigned long long)profile_self(p, node, 0),
                   (unsigned long long)profile_total(p, node, 0));
    }
    for (uint32_t i = 0; i < p->n_warnings; i++) {
        buf_printf(b, "%s %llu", p->warnings[i].code.p, (unsigned long long)p->warnings[i].count);
        if (p->warnings[i].has_offset)
            buf_printf(b, " %llu", (unsigned long long)p->warnings[i].offset);
        buf_char(b, '\n');
    }
}

static void dumps_as(struct fixture *f, const char *expected)
{
    struct buf b = {0};

    if (f->profile == NULL)
        fail_msg("%s: %s", f->reader.diag.title, f->reader.diag.detail);
    dump(&b, f->profile);
    assert_buf(&b, expected);
}

static void reads_as(struct fixture *f, const char *text, const char *expected)
{
    read_bytes(f, text, strlen(text));
    dumps_as(f, expected);
}

/* ---- lines ---- */

TEST_WITH(stacks_add_up, set_up, tear_down)
{
    reads_as(*state, "a;b 3\na;b;c 4\na;b 5\n", "a 0/12\n-b 8/12\n--c 4/4\n");
    reads_as(*state, "a;b 0\n", "a 0/0\n-b 0/0\n");
    reads_as(*state, "a;a;b;a 2\n", "a 0/2\n-a* 0/2\n--b 0/2\n---a* 2/2\n");
}

TEST_WITH(the_whole_is_one_track, set_up, tear_down)
{
    struct fixture *f = *state;

    reads_as(f, "a;b 3\nc;d 4\n", "a 0/3\n-b 3/3\nc 0/4\n-d 4/4\n");
    assert_int_equal(f->profile->n_tracks, 1);
    assert_int_equal(f->profile->tracks[0].id, 1);
    assert_int_equal(f->profile->tracks[0].records, 2);
    assert_int_equal(profile_self(f->profile, 0, 0), 0);
    assert_int_equal(profile_total(f->profile, 0, 0), 7);
    assert_int_equal(f->profile->n_values, 1);
    assert_true(str_eq(f->profile->values[0].name, STR("samples")));
    assert_int_equal(f->profile->values[0].unit, UNIT_COUNT);
}

TEST_WITH(blanks_belong_to_frames, set_up, tear_down)
{
    reads_as(*state, "operator new (x);b c 3\n", "operator new (x) 0/3\n-b c 3/3\n");
    reads_as(*state, " \ta;b\t  3\n", "a 0/3\n-b 3/3\n");
    reads_as(*state, "a 7;b 3\n", "a 7 0/3\n-b 3/3\n");
}

TEST_WITH(frames_may_be_empty, set_up, tear_down)
{
    reads_as(*state, ";a;; 3\n", " 0/3\n-a 0/3\n--* 0/3\n---* 3/3\n");
}

TEST_WITH(line_ends, set_up, tear_down)
{
    reads_as(*state, "a;b 3\r\n\r\na;b 4\r\n", "a 0/7\n-b 7/7\n");
    reads_as(*state, "a;b 3\n\n\na;b 4", "a 0/7\n-b 7/7\n");
    reads_as(*state, "a;b 4\r", "a 0/4\n-b 4/4\n");
    /* Only the one before LF: this one is within the line. */
    reads_as(*state, "a;b\rc 4\n", "a 0/4\n-b\rc 4/4\n");
}

TEST_WITH(comments, set_up, tear_down)
{
    reads_as(*state, "# a;b 5\n#\na;b 1\n#a;b 3\na;#b 2\n", "a 0/3\n-b 1/1\n-#b 2/2\n");
}

TEST_WITH(other_lines_are_left_out, set_up, tear_down)
{
    reads_as(*state, "a;b 3\nno count\na;b 4\n", "a 0/7\n-b 7/7\nbad-folded-line 1 6\n");
    reads_as(*state,
             "a;b 3\na;b 1.5.\na;b -1\na;b 0x1\na;b \n 5\na;b 18446744073709551616\nword\na;b 1\na;b 1\n"
             "a;b 1\na;b 1\na;b 1\na;b 1\na;b 1\n",
             "a 0/10\n-b 10/10\nbad-folded-line 7 6\n");
}

/* The sum of a stack is rounded, not each of its counts. */
TEST_WITH(counts_with_decimals, set_up, tear_down)
{
    reads_as(*state, "a;b 1.5\na;b 1.5\na;c 0.4\na;d 0.3\na;d 0.3\na;e 2.\n",
             "a 0/6\n-b 3/3\n-c 0/0\n-d 1/1\n-e 2/2\nfractional-count 5 0\n");
    reads_as(*state, "a;b 0.9999999\na;b 1.x\na;b .5\na;b 1\n",
             "a 0/2\n-b 2/2\nbad-folded-line 2 14\nfractional-count 1 0\n");
}

TEST_WITH(two_counts, set_up, tear_down)
{
    struct fixture *f = *state;

    reads_as(f, "a;b 3 1\na;c 0 7\n# x\na;b 1 1\n", "a 0/4\n-b 4/4\n-c 0/0\n");
    assert_int_equal(f->profile->n_values, 2);
    assert_true(str_eq(f->profile->values[0].name, STR("before")));
    assert_true(str_eq(f->profile->values[1].name, STR("after")));
    assert_int_equal(profile_total(f->profile, 0, 1), 9);
    /* All lines have two, or what stands before the last count is of the frame. */
    reads_as(f, "a;b 3 1\na;c 7\n", "a 0/8\n-b 3 1/1\n-c 7/7\n");
}

/* The text in UTF-16, with its mark. */
static void put_utf_16(struct buf *b, const char *text, bool big_endian)
{
    buf_bytes(b, big_endian ? "\xfe\xff" : "\xff\xfe", 2);
    for (; *text != '\0'; text++) {
        char c = *text;
        buf_bytes(b, big_endian ? (const char[]){0, c} : (const char[]){c, 0}, 2);
    }
}

/* Reads f->bytes in pieces of at most so many bytes. */
static void read_in_pieces(struct fixture *f, size_t piece)
{
    struct test_input t = {.bytes = buf_view(&f->bytes), .random = piece, .largest = piece};
    const struct source_input in = test_input_of(&t);

    arena_free(&f->arena);
    assert_true(reader_init(&f->reader, &f->arena, &f->limits, (struct hash_seed){15, 16}));
    f->profile = reader_read(&f->reader, &in);
}

TEST_WITH(encodings, set_up, tear_down)
{
    struct fixture *f = *state;

    reads_as(f,
             "\xef\xbb\xbf"
             "a;b 3\r\n",
             "a 0/3\n-b 3/3\n");
    for (unsigned big_endian = 0; big_endian < 2; big_endian++)
        for (size_t piece = 1; piece < 20; piece++) {
            buf_clear(&f->bytes);
            put_utf_16(&f->bytes, "a;b 3\r\n# c\r\n\r\nno count\na;b 4\na;c 5", big_endian);
            read_in_pieces(f, piece);
            dumps_as(f, "a 0/12\n-b 7/7\n-c 5/5\nbad-folded-line 1 30\n");
        }
}

/* Pairs, halves of pairs, and half a unit at the end. */
TEST_WITH(odd_utf_16, set_up, tear_down)
{
    static const char BYTES[] = "\xff\xfe\x3d\xd8\x00\xde;\0\xe4\0;\0\x3d\xd8;\0\x00\xde;\0b\0 \0"
                                "1\0\n";
    struct fixture *f = *state;

    read_bytes(f, BYTES, sizeof(BYTES) - 2);
    dumps_as(f, "\xf0\x9f\x98\x80 0/1\n-\xc3\xa4 0/1\n--\xef\xbf\xbd 0/1\n---\xef\xbf\xbd* 0/1\n----b 1/1\n");
}

TEST_WITH(long_lines_of_utf_16, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.line_bytes = 16;
    for (size_t piece = 1; piece < 70; piece++) {
        buf_clear(&f->bytes);
        put_utf_16(&f->bytes, "a;b 1\na;bcdef 3\na;b 4\n", false);
        read_in_pieces(f, piece);
        dumps_as(f, "a 0/5\n-b 5/5\nlong-line 1 14\n");
    }
}

TEST_WITH(sums_stay_at_their_end, set_up, tear_down)
{
    reads_as(*state, "a;b 18446744073709551615\na;b 1\na;b 1\n",
             "a 0/18446744073709551615\n-b 18446744073709551615/18446744073709551615\nvalue-overflow 2\n");
}

TEST_WITH(long_names_are_cut, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.name_bytes = 4;
    reads_as(f, "abcd;abcde 1\nabcdf;abc\xc3\xa4 2\n", "abcd 0/3\n-abcd* 1/1\n-abc 2/2\nname-cut 3 0\n");
}

/* Its count stands at its end. */
TEST_WITH(long_lines_are_left_out, set_up, tear_down)
{
    struct fixture *f = *state;

    f->limits.line_bytes = 8;
    reads_as(f, "a;b 1\na;bcde 2\na;bcdef 3\na;b 4\n#3456789012\na;bcdef 5",
             "a 0/7\n-b 5/5\n-bcde 2/2\nlong-line 3 15\n");
    reads_as(f, "a;b 1\nno count\na;bcdef 3\n", "a 0/1\n-b 1/1\nbad-folded-line 1 6\nlong-line 1 15\n");
    read_bytes(f, "a;bcdef 3\n", 10);
    assert_null(f->profile);
    assert_non_null(strstr(f->reader.diag.detail, "a count within the limit max_line_bytes of 8 bytes."));
}

/* ---- which files ---- */

TEST_WITH(detection, set_up, tear_down)
{
    static const struct {
        const char *text;
        enum diag_kind kind;
    } CASES[] = {
        {"a;b 1", DIAG_NONE},
        {"a;b 1\nnonsense\n", DIAG_NONE},
        {"# comment\n\n\na;b 1\n", DIAG_NONE},
        {"one 1\ntwo 2\nthree;four 3\n", DIAG_NONE},
        {"\xc3\xa4;\xff 1\n", DIAG_NONE},
        {"*version;b 1\n", DIAG_NONE},
        {"a;b 1\nnonsense\nmore\n", DIAG_UNKNOWN},
        {"one 1\ntwo 2\n", DIAG_UNKNOWN},
        {"a;b\n", DIAG_UNKNOWN},
        {"a;b 1\nbell\a;c 2\n", DIAG_UNKNOWN},
        {"# a;b 1\n", DIAG_UNKNOWN},
        {"\n\n\n", DIAG_UNKNOWN},
        {" ", DIAG_UNKNOWN},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        read_bytes(f, CASES[i].text, strlen(CASES[i].text));
        if (f->reader.diag.kind != CASES[i].kind)
            fail_msg("'%s': %d", CASES[i].text, (int)f->reader.diag.kind);
    }
}

/* A line that the looked-at beginning cuts does not count, unless there is no other. */
TEST_WITH(detection_of_long_files, set_up, tear_down)
{
    struct fixture *f = *state;

    for (size_t first = 4080; first < 4110; first++) {
        buf_clear(&f->bytes);
        buf_z(&f->bytes, "a;");
        while (f->bytes.n < first)
            buf_char(&f->bytes, 'x');
        buf_z(&f->bytes, " 1\n\a bell\n\n");
        read_buf(f);
        /* The control character is only seen when it is near enough. */
        assert_int_equal(f->reader.diag.kind, first + 3 < 4096 ? DIAG_UNKNOWN : DIAG_NONE);
    }
}

/* Taken for folded stacks by its separators, but without a count anywhere. */
TEST_WITH(not_one_stack, set_up, tear_down)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 5000; i++)
        buf_z(&f->bytes, "a;");
    buf_z(&f->bytes, "\nb;c\n");
    read_buf(f);
    assert_int_equal(f->reader.diag.kind, DIAG_UNUSABLE);
    assert_true(f->reader.diag.has_offset);
    assert_int_equal(f->reader.diag.offset, 0);
}

/* ---- size ---- */

TEST_WITH(a_deep_stack, set_up, tear_down)
{
    enum { DEPTH = 400000 };
    struct fixture *f = *state;
    clock_t start = clock();

    for (unsigned i = 0; i < DEPTH; i++)
        buf_z(&f->bytes, i % 2 == 0 ? "a;" : "b;");
    buf_z(&f->bytes, "c 5\n");
    read_buf(f);
    assert_non_null(f->profile);
    assert_int_equal(f->profile->n_nodes, DEPTH + 2);
    assert_int_equal(profile_self(f->profile, DEPTH + 1, 0), 5);
    assert_int_equal(profile_total(f->profile, 1, 0), 5);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
}

TEST_WITH(a_wide_stack, set_up, tear_down)
{
    enum { WIDTH = 100000 };
    struct fixture *f = *state;
    clock_t start = clock();

    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < WIDTH; i++)
            buf_printf(&f->bytes, "a;f%u %u\n", i, i);
    read_buf(f);
    assert_non_null(f->profile);
    assert_int_equal(f->profile->n_nodes, WIDTH + 2);
    assert_true(profile_total(f->profile, 0, 0) == (uint64_t)WIDTH * (WIDTH - 1));
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
}

/* Cut at any byte, with any bit flipped, and in any pieces: an answer, soon, and of pieces the same one. */
TEST_WITH(any_damage, set_up, tear_down)
{
    static const char *const TEXTS[] = {"# made by hand\r\nmain;a_[k];b 3\r\nmain;c 4.5\r\n",
                                        "main;a 1 2\nmain;b 30 4\n main ; c  5 6 \n"};
    struct buf wide = {0}, bytes = {0};

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(*TEXTS); i++) {
        buf_z(&bytes, TEXTS[i]);
        hostile_damage("folded stacks", &bytes);
        buf_bytes(&wide, "\xff\xfe", 2);
        for (size_t c = 0; c < bytes.n; c++)
            buf_bytes(&wide, (const char[]){bytes.p[c], 0}, 2);
        hostile_damage("folded stacks in UTF-16", &wide);
        buf_clear(&bytes);
        buf_clear(&wide);
    }
    buf_free(&bytes);
    buf_free(&wide);
}
