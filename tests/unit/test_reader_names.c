/* Names in a file of their own: beside the input, or in the same archive. They are used as if they stood
 * behind it. */
#include "tests/support/unit.h"

#include "tests/support/hostile.h"
#include "tests/support/packed_answers.h"
#include "tests/support/packing.h"
#include "tests/support/perfetto_bytes.h"
#include "tests/support/test_input.h"

/* Stacks with their values, or "title: detail". */
static struct buf answer_with(struct str bytes, const char *member, struct str names)
{
    struct test_input input = {.bytes = names};
    const struct source_input beside = test_input_of(&input);
    struct buf answer = {0};
    struct arena arena;
    struct reader r;

    arena_init(&arena, 64 << 20);
    assert_true(reader_init(&r, &arena, &PACKED_LIMITS, (struct hash_seed){1, 2}));
    if (member != NULL)
        reader_choose(&r, str_of(member));
    if (names.p != NULL)
        assert_true(reader_attach(&r, &beside));
    const struct profile *p = test_input_read(&r, bytes);
    if (p != NULL)
        hostile_describe(&answer, p);
    else
        buf_printf(&answer, "%s: %s", r.diag.title, r.diag.detail);
    for (uint32_t i = 0; p != NULL && i < p->n_warnings; i++)
        buf_printf(&answer, "%.*s %llu\n", (int)p->warnings[i].code.n, p->warnings[i].code.p,
                   (unsigned long long)p->warnings[i].count);
    assert_false(answer.failed);
    arena_free(&arena);
    return answer;
}

static void expect_same(struct buf *answer, const struct buf *expected)
{
    if (!str_eq(buf_view(answer), buf_view(expected)))
        fail_msg("%.*s\nand not %.*s", (int)answer->n, answer->p, (int)expected->n, expected->p);
    buf_free(answer);
}

struct bytes {
    struct buf trace, names, packed_names, whole;
    struct buf expected; /* of the whole */
};

static int set_up(void **state)
{
    static struct bytes b;

    b = (struct bytes){.trace = {0}};
    perfetto_put(&b.trace, &(struct perfetto_options){.names = false});
    perfetto_put_names(&b.names);
    packing_gzip(&b.packed_names, buf_view(&b.names));
    perfetto_put(&b.whole, &(struct perfetto_options){.names = true});
    b.expected = answer_with(buf_view(&b.whole), NULL, (struct str){NULL, 0});
    *state = &b;
    return packed_contains(&b.expected, "inner") ? 0 : -1;
}

static int tear_down(void **state)
{
    struct bytes *b = *state;

    buf_free(&b->trace);
    buf_free(&b->names);
    buf_free(&b->packed_names);
    buf_free(&b->whole);
    buf_free(&b->expected);
    return 0;
}

TEST_WITH(attached, set_up, tear_down)
{
    struct bytes *b = *state;
    struct buf packed = {0}, answer;

    packing_gzip(&packed, buf_view(&b->trace));
    answer = answer_with(buf_view(&b->trace), NULL, buf_view(&b->names));
    expect_same(&answer, &b->expected);
    answer = answer_with(buf_view(&b->trace), NULL, buf_view(&b->packed_names));
    expect_same(&answer, &b->expected);
    answer = answer_with(buf_view(&packed), NULL, buf_view(&b->names));
    expect_same(&answer, &b->expected);
    buf_free(&packed);
}

/* What is cut is told of, and does not swallow the names. */
TEST_WITH(attached_to_a_cut_trace, set_up, tear_down)
{
    struct bytes *b = *state;
    struct buf answer;

    for (size_t n = b->trace.n - 5; n < b->trace.n; n++) {
        answer = answer_with((struct str){b->trace.p, n}, NULL, buf_view(&b->names));
        assert_true(packed_contains(&answer, "outer"));
        assert_true(packed_contains(&answer, "cut-record 1"));
        buf_free(&answer);
    }
}

/* Of another trace beside it only the names are taken. */
TEST_WITH(attached_trace, set_up, tear_down)
{
    struct bytes *b = *state;
    struct buf answer = answer_with(buf_view(&b->trace), NULL, buf_view(&b->whole));

    expect_same(&answer, &b->expected);
}

TEST_WITH(attached_in_vain, set_up, tear_down)
{
    struct bytes *b = *state;
    struct buf plain = answer_with(buf_view(&b->trace), NULL, (struct str){NULL, 0}),
               answer = answer_with(STR("a;b 1\n"), NULL, buf_view(&b->names));

    assert_true(packed_contains(&answer, "symbols-other-kind 1"));
    buf_free(&answer);
    answer = answer_with(buf_view(&b->trace), NULL, STR(""));
    expect_same(&answer, &plain);
    buf_free(&plain);
    /* Cut at any byte, or of other bytes: an answer. */
    for (size_t n = 0; n < b->names.n; n++) {
        answer = answer_with(buf_view(&b->trace), NULL, (struct str){b->names.p, n});
        assert_true(packed_contains(&answer, "main"));
        buf_free(&answer);
    }
    answer = answer_with(buf_view(&b->trace), NULL, STR("Dear reader"));
    assert_true(packed_contains(&answer, "main"));
    buf_free(&answer);
}

TEST_WITH(in_an_archive, set_up, tear_down)
{
    struct bytes *b = *state;
    const struct packing_member trace = {.name = "trace", .bytes = buf_view(&b->trace), .method = 8},
                                names = {.name = "symbols.pb", .bytes = buf_view(&b->names), .method = 8},
                                packed = {.name = "symbols.gz", .bytes = buf_view(&b->packed_names)},
                                readme = {.name = "readme", .bytes = STR("Dear reader")};
    const struct packing_member orders[][3] = {
        {trace, names, readme}, {names, trace, readme}, {readme, packed, trace}};
    void (*const packers[])(struct buf * b, const struct packing_member *members,
                            size_t n) = {packing_zip_archive, packing_tar};

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            struct buf archive = {0}, stream = {0}, answer;
            packers[k](&archive, orders[i], 3);
            answer = answer_with(buf_view(&archive), NULL, (struct str){NULL, 0});
            expect_same(&answer, &b->expected);
            answer = answer_with(buf_view(&archive), "trace", (struct str){NULL, 0});
            expect_same(&answer, &b->expected);
            packing_gzip(&stream, buf_view(&archive));
            answer = answer_with(k == 0 ? buf_view(&archive) : buf_view(&stream), NULL, buf_view(&b->names));
            expect_same(&answer, &b->expected);
            buf_free(&stream);
            buf_free(&archive);
        }
}

TEST_WITH(alone_in_an_archive, set_up, tear_down)
{
    struct bytes *b = *state;
    const struct packing_member members[] = {{.name = "symbols.pb", .bytes = buf_view(&b->names)},
                                             {.name = "stacks", .bytes = STR("a;b 1\n")}};
    struct buf archive = {0}, answer;

    packing_tar(&archive, members, 1);
    answer = answer_with(buf_view(&archive), NULL, (struct str){NULL, 0});
    assert_true(packed_contains(&answer, "symbols without a profile"));
    buf_free(&answer);
    buf_clear(&archive);
    /* They are of no use to other formats. */
    packing_tar(&archive, members, 2);
    answer = answer_with(buf_view(&archive), NULL, (struct str){NULL, 0});
    assert_true(packed_contains(&answer, "b"));
    assert_false(packed_contains(&answer, "symbols-other-kind"));
    buf_free(&answer);
    buf_free(&archive);
}

TEST_WITH(told_apart, set_up, tear_down)
{
    struct bytes *b = *state;

    assert_true(reader_is_names(b->names.p, b->names.n));
    assert_true(reader_is_names(b->packed_names.p, b->packed_names.n));
    assert_false(reader_is_names(b->trace.p, b->trace.n));
    assert_false(reader_is_names("\x7f"
                                 "ELF",
                                 4));
    assert_false(reader_is_names("", 0));
}
