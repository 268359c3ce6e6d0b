/* Texts, ranks and colours of frames; the sorting below them; text cut to cells. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "render/names/names.h"
#include "tests/support/builder_fixture.h"
#include "tests/support/fake_profile.h"

TEST(texts)
{
    struct fake *f = fake_new();
    struct arena a;

    arena_init(&a, 1 << 20);
    frame_id both = fake_frame(f, STR("a.B"), STR("c"), STR("(I)V"));
    frame_id name = fake_frame(f, STR(""), STR("main"), STR(""));
    frame_id scope = fake_frame(f, STR("a.B"), STR(""), STR(""));
    frame_id none = fake_frame(f, STR(""), STR(""), STR(""));
    frame_id init = fake_frame(f, STR("a.B"), STR("<init>"), STR("()V"));
    frame_id odd = fake_frame(f, STR("a"), STR("b\x01"), STR("\xff"));
    fake_track(f, 7, STR("main"));
    struct names *n = names_new(fake_finish(f), &a);
    assert_non_null(n);
    assert_true(str_eq(names_frame(n, both), STR("a.B.c")));
    assert_true(str_eq(names_of(n, both)->full, STR("a.B.c(I)V")));
    assert_true(names_of(n, both)->plain);
    assert_false(names_of(n, both)->overloaded);
    assert_true(str_eq(names_parts(n, both).scope, STR("a.B")));
    assert_true(str_eq(names_parts(n, both).name, STR("c")));
    assert_true(str_eq(names_parts(n, both).signature, STR("(I)V")));
    assert_true(str_eq(names_parts(n, none).name, names_frame(n, none)));
    assert_true(str_eq(names_frame(n, name), STR("main")));
    assert_true(str_eq(names_frame(n, scope), STR("a.B")));
    assert_true(names_frame(n, none).n > 0);
    assert_true(str_eq(names_frame(n, init), STR("a.B.<init>")));
    assert_true(str_eq(names_of(n, init)->full, STR("a.B.&lt;init&gt;()V")));
    assert_false(names_of(n, init)->plain);
    assert_true(str_eq(names_frame(n, odd), STR("a.b\x01")));
    assert_true(str_eq(names_of(n, odd)->full, STR("a.b␁�")));
    assert_true(str_eq(names_track(n, 0), STR("[main tid=7]")));
    arena_free(&a);
    fake_free(f);
}

TEST(ranks)
{
    static const char *const SORTED[][2] = {
        {"a", ""}, {"a.b", "()V"}, {"a.b", "(I)V"}, {"a.b", "(I)V"}, {"a.bc", ""}, {"a$1.b", ""}, {"b", ""},
    };
    enum { N = sizeof(SORTED) / sizeof(SORTED[0]) };
    static const unsigned ORDER[N] = {5, 2, 6, 0, 3, 4, 1};
    struct fake *f = fake_new();
    struct arena a;

    arena_init(&a, 1 << 20);
    for (unsigned i = 0; i < N; i++)
        fake_frame(f, STR(""), str_of(SORTED[ORDER[i]][0]), str_of(SORTED[ORDER[i]][1]));
    fake_track(f, 2, STR("x"));
    fake_track(f, 10, STR("x"));
    fake_track(f, 11, STR("a"));
    struct names *n = names_new(fake_finish(f), &a);
    assert_non_null(n);
    /* '$' sorts before '.', and of two equal frames the first one made comes first. */
    bool taken[N] = {false};
    for (unsigned i = 0; i < N; i++) {
        uint32_t rank = names_rank(n, i);
        assert_true(rank < N && !taken[rank]);
        taken[rank] = true;
        assert_int_equal(names_of(n, i)->overloaded, strcmp(SORTED[ORDER[i]][0], "a.b") == 0);
        for (unsigned j = 0; j < N; j++) {
            int texts_order = str_cmp(names_frame(n, i), names_frame(n, j));
            int order = texts_order != 0 ? texts_order : strcmp(SORTED[ORDER[i]][1], SORTED[ORDER[j]][1]);
            if (order != 0)
                assert_int_equal(order < 0, rank < names_rank(n, j));
            else
                assert_int_equal(i < j, rank < names_rank(n, j));
        }
    }
    assert_int_equal(names_track_rank(n, 0), 2);
    assert_int_equal(names_track_rank(n, 1), 1);
    assert_int_equal(names_track_rank(n, 2), 0);
    arena_free(&a);
    fake_free(f);
}

/* Each once, in order, and each frame has its own. */
TEST(packages)
{
    static const char *const FRAMES[] = {
        "com.example.b.C.d()V", "com.example.B.e()V", "a.B.c()V", "a.B.d()V",
        "com.other.X.y()V",     "Plain.run()V",       "main",     "com.example.b.C.f()V"};
    struct fake *f = fake_thread(STR("t"));
    struct arena arena;

    for (size_t i = 0; i < sizeof(FRAMES) / sizeof(FRAMES[0]); i++)
        fake_stack(f, FRAMES[i], 1, 0, 1);
    const struct profile *p = fake_finish(f);
    arena_init(&arena, 1 << 20);
    const struct names *n = names_new(p, &arena);
    assert_non_null(n);
    assert_int_equal(names_packages(n), 5); /* Plain a com.example com.other main */
    for (uint32_t i = 1; i < names_packages(n); i++)
        assert_true(str_cmp(names_package(n, i - 1), names_package(n, i)) < 0);
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = names_parts(n, i);
        assert_true(
            str_eq(names_package(n, names_of(n, i)->package), frame_package(parts.scope, parts.name)));
    }
    arena_free(&arena);
    fake_free(f);
}

TEST(out_of_memory)
{
    struct fake *f = fake_new();

    for (int i = 0; i < 2000; i++)
        fake_frame(f, STR("some.package.Of<Classes>"), STR("method"), STR("()V"));
    fake_track(f, 1, STR("main"));
    const struct profile *p = fake_finish(f);
    bool made = false;
    for (size_t limit = 1000; !made; limit += limit / 8) {
        struct arena a;
        arena_init(&a, limit);
        made = names_new(p, &a) != NULL;
        if (!made)
            assert_int_equal(a.failure, ARENA_LIMIT);
        arena_free(&a);
    }
    fake_free(f);
}

/* --- order --- */

static struct str *compared; /* qsort has no context */

static int by_text(const void *a, const void *b)
{
    uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
    int order = str_cmp(compared[ia], compared[ib]);

    return order != 0 ? order : (ia > ib) - (ia < ib);
}

TEST(strings_as_qsort)
{
    enum { N = 700, LENGTH = 40 };
    static struct str texts[N];
    static char bytes[N][LENGTH];
    static const char LETTERS[] = "\0\0ab.$\xff";
    uint32_t ids[N], expected[N], random = 1;
    struct arena a;

    arena_init(&a, 1 << 20);
    for (uint32_t n = 0; n <= N; n = n * 2 + 1) {
        for (uint32_t i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            size_t length = random >> 16 & 31, shared = random >> 22 & 15;
            for (size_t j = 0; j < length; j++) {
                random = random * 1664525 + 1013904223;
                bytes[i][j] = j < shared ? 'p' : LETTERS[(random >> 24) % (sizeof(LETTERS) - 1)];
            }
            texts[i] = (struct str){bytes[i], length};
            ids[i] = expected[i] = i;
        }
        compared = texts;
        qsort(expected, n, sizeof(expected[0]), by_text);
        assert_true(order_strings(ids, n, texts, &a));
        if (n > 0)
            assert_memory_equal(ids, expected, n * sizeof(ids[0]));
    }
    arena_free(&a);
}

static bool smaller(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *keys = context;

    return keys[a] < keys[b];
}

TEST(lists)
{
    enum { N = 5000 };
    static uint32_t keys[N], next[N];

    assert_int_equal(order_list(ORDER_NONE, next, smaller, keys), ORDER_NONE);
    for (uint32_t n = 1; n <= N; n = n * 3 / 2 + 1) {
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = i * 2654435761u >> 16 & (n / 3 | 7);
            next[i] = i + 1 < n ? i + 1 : ORDER_NONE;
        }
        uint32_t count = 1, at = order_list(0, next, smaller, keys);
        for (; next[at] != ORDER_NONE; at = next[at], count++) {
            assert_true(keys[at] <= keys[next[at]]);
            if (keys[at] == keys[next[at]])
                assert_true(at < next[at]);
        }
        assert_int_equal(count, n);
    }
}

TEST(turned_round)
{
    uint32_t list[] = {1, 2, 3, 4, 5};

    order_reverse(list, 0);
    order_reverse(list, 1);
    order_reverse(list, 4);
    assert_memory_equal(list, ((uint32_t[]){4, 3, 2, 1, 5}), sizeof(list));
    order_reverse(list, 5);
    assert_memory_equal(list, ((uint32_t[]){5, 1, 2, 3, 4}), sizeof(list));
}

/* --- fit --- */

static void check_fit(struct str s, size_t cells, const char *xml)
{
    struct buf b = {0};

    fit_xml(&b, s, cells);
    assert_true(str_eq(buf_view(&b), str_of(xml)));
    buf_free(&b);
}

TEST(cells)
{
    assert_int_equal(fit_cells(STR("abc")), 3);
    assert_int_equal(fit_cells(STR("é\x01\xff")), 3);
    assert_int_equal(fit_cells(STR("漢字")), 4);
    assert_int_equal(fit_cells(STR("e\xcc\x81")), 1);
    assert_int_equal(fit_cells(STR("\xf0\x9f\x94\xa5")), 2);
    assert_int_equal(fit_in_px(1200, 12), 166);
    check_fit(STR("abcdef"), 6, "abcdef");
    check_fit(STR("abcdefg"), 6, "abcd..");
    check_fit(STR("abcd"), 3, "a..");
    check_fit(STR("abc"), 2, "");
    check_fit(STR("a<b>c&d"), 6, "a&lt;b&gt;..");
    check_fit(STR("漢字漢字"), 7, "漢字..");
    check_fit(STR("漢字漢字"), 5, "漢..");
    check_fit(STR(""), 5, "");
}

/* Marks take no room on the screen but must not carry a name of a megabyte into every frame. */
TEST(endless_marks)
{
    enum { MARKS = 10000 };
    struct buf name = {0}, b = {0};

    buf_char(&name, 'e');
    for (int i = 0; i < MARKS; i++)
        buf_bytes(&name, "\xcc\x81", 2);
    assert_int_equal(fit_cells(buf_view(&name)), 1);
    assert_false(fit_xml(&b, buf_view(&name), 10));
    assert_true(b.n > 2 && b.n < 100);
    buf_free(&b);
    buf_free(&name);
}

/* Why a stack ends is told by a frame of its own, which has a class of colours and words; a shared name has words. */
TEST_WITH(errors_and_shared_names, builder_set_up, builder_tear_down)
{
    static const struct profile_value VALUE = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT,
                                               ROLE_SAMPLES};
    static const struct {
        struct str name;
        enum frame_kind kind;
        enum origin origin;
        bool noted;
    } CASES[] = {{STR_INIT("ERROR MEMORY_INVALID"), FRAME_KIND_ERROR, ORIGIN_ERROR, true},
                 {STR_INIT("a.B.c [DEDUPED]"), FRAME_KIND_NATIVE, ORIGIN_NATIVE, true},
                 {STR_INIT("ERROR"), FRAME_KIND_NATIVE, ORIGIN_NATIVE, false}};
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    frame_id frames[3];

    assert_true(builder_values(b, NULL, 0, &VALUE, 1));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    for (size_t i = 0; i < 3; i++)
        frames[i] = builder_frame(
            b, &(struct profile_frame){.name = builder_string(b, CASES[i].name), .kind = CASES[i].kind});
    assert_true(
        builder_sample(b, track, builder_stack(b, track, NODE_NONE, frames, 3), (const uint64_t[]){1}));
    const struct profile *p = builder_finished(f);
    const struct names *n = names_new(p, &f->arena);
    for (node_id i = 1; i < 4; i++) {
        assert_int_equal(names_of(n, p->node_frame[i])->origin, CASES[i - 1].origin);
        assert_int_equal(frame_note(p, &p->frames[p->node_frame[i]]).n > 0, CASES[i - 1].noted);
    }
}
