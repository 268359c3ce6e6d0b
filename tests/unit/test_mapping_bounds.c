/* A mapping whose methods have very many lines: what one frame costs is bounded. */
#include "tests/support/unit.h"

#include <stdio.h>

#include "core/buf.h"
#include "parser/mapping/mapping_reader.h"
#include "profile/mapping/mapping.h"

static const struct hash_seed SEED = {3, 5};

enum { MIB = 1 << 20, FRAMES = 2000 };

static void read_text(struct mapping *m, struct buf *text)
{
    struct mapping_reader *r = mapping_reader_new(m);

    assert_non_null(r);
    assert_false(text->failed);
    assert_true(mapping_reader_feed(r, text->p, text->n) && mapping_reader_finish(r));
    mapping_reader_free(r);
    buf_free(text);
}

static void ask(struct mapping *m, struct mapping_answer *answer, const char *signature)
{
    struct mapping_question q = {.scope = STR("a"), .name = STR("x"), .signature = str_of(signature)};

    assert_true(mapping_resolve(m, &q, answer));
}

TEST(a_group_has_a_bounded_number_of_lines)
{
    struct mapping_answer answer = {0};
    struct arena arena;
    struct buf text = {0};

    arena_init(&arena, 64 * MIB);
    struct mapping *m = mapping_new(&arena, SEED);
    assert_true(m != NULL && mapping_want(m, STR("a"), STR("x"), STR("()V")));
    buf_z(&text, "A -> a:\n");
    for (unsigned i = 0; i < MAPPING_GROUP_MAX + 100; i++)
        buf_printf(&text, "    0:65535:void b%u() -> x\n", i);
    buf_z(&text, "    1:1:void c(int):1:1 -> x\n");
    read_text(m, &text);
    assert_int_equal(m->ignored, 100);
    assert_int_equal(m->n_members, MAPPING_GROUP_MAX + 1);
    assert_int_equal(m->group, 2);
    ask(m, &answer, "()V");
    assert_int_equal(answer.n_frames, MAPPING_GROUP_MAX);
    assert_int_equal(answer.n_candidates, 1);
    arena_free(&arena);
}

/* Candidates are looked for once for all frames that have the same. */
TEST(answers_are_remembered)
{
    struct mapping_answer answer = {0}, again = {0};
    struct arena arena;
    struct buf text = {0};
    char signature[64];

    arena_init(&arena, 64 * MIB);
    struct mapping *m = mapping_new(&arena, SEED);
    assert_true(m != NULL && mapping_want(m, STR("a"), STR("x"), STR("()V")));
    buf_z(&text, "A -> a:\n");
    for (unsigned i = 0; i + 2 < MAPPING_MEMBERS_MAX; i++)
        buf_printf(&text, "    %u:%u:void b%u():1:1 -> x\n", i + 2, i + 2, i % 2);
    buf_z(&text, "    1:1:int c(int):1:1 -> x\n    1:1:long d(int):1:1 -> x\n");
    read_text(m, &text);
    for (unsigned i = 0; i < FRAMES; i++) {
        snprintf(signature, sizeof(signature), "(LC%u;)V", i);
        ask(m, &answer, signature);
        assert_true(answer.n_candidates == 1 && str_eq(answer.frames[0].name, STR("x")));
        snprintf(signature, sizeof(signature), "()LC%u;", i);
        ask(m, &again, signature);
        assert_int_equal(again.n_candidates, 2);
        assert_true(str_eq(again.frames[1].name, STR("b1")));
    }
    ask(m, &answer, "(I)I");
    assert_true(answer.n_frames == 1 && str_eq(answer.frames[0].name, STR("c")));
    ask(m, &answer, "(I)J");
    assert_true(answer.n_frames == 1 && str_eq(answer.frames[0].name, STR("d")));
    ask(m, &answer, "(I)V");
    assert_int_equal(answer.n_frames, 2);
    ask(m, &answer, "");
    assert_int_equal(answer.n_frames, 4);
    assert_int_equal(answer.frames[0].signature.n, 0);
    arena_free(&arena);
}
