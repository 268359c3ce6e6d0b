/* Output "folded", against lines that are made one by one and then sorted. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "render/names/names.h"
#include "tests/support/fake_profile.h"
#include "tests/support/random.h"
#include "tests/support/rendering.h"

static void check(struct rendering *r, const char *expected)
{
    assert_true(rendering_run(r, &OUTPUT_FOLDED));
    assert_string_equal(rendering_text(r), expected);
}

TEST(lines)
{
    struct fake *f = fake_thread(STR("main"));
    struct rendering r;

    fake_stack(f, "", 9000, 0, 0);
    fake_stack(f, "foo", 5999, 0, 1);
    fake_stack(f, "foo;bar", 5000, 0, 1);
    fake_stack(f, "foo$1", 7000, 0, 1);
    fake_stack(f, "foo$1;bar", 999, 0, 1);
    fake_stack(f, "a.B.run(I)V", 1999, 0, 1);
    fake_stack(f, "a.B.run(J)V", 1999, 0, 1);
    fake_stack(f, "a.B.run(J)V;x", 1000, 2000, 1);
    fake_stack(f, "a.B.run(I)V;x", 1000, 0, 1);
    rendering_of(&r, f);
    check(&r, "a.B.run 2\na.B.run;x 2\nfoo 5\nfoo$1 7\nfoo;bar 5\n");
    r.view.value[0] = '\0';
    strcpy(r.view.value, "calls");
    check(&r, "a.B.run 2\na.B.run;x 2\nfoo 1\nfoo$1 1\nfoo$1;bar 1\nfoo;bar 1\n");
    strcpy(r.view.value, "cpu");
    check(&r, "a.B.run;x 2\n");
    strcpy(r.view.value, "waiting");
    check(&r, "a.B.run 2\na.B.run;x 1\nfoo 5\nfoo$1 7\nfoo;bar 5\n");
    r.view.tracks = TRACKS_ALL;
    strcpy(r.view.value, "cpu");
    check(&r, "[main tid=1];a.B.run;x 2\n");
    rendering_free(&r);
}

TEST(several_tracks)
{
    struct fake *f = fake_new();
    struct rendering r;

    fake_usual_values(f);
    fake_track(f, 2, STR("Binder:1"));
    fake_stack(f, "a", 1500, 0, 1);
    fake_stack(f, "", 1500, 0, 1);
    fake_track(f, 10, STR("Binder;1"));
    fake_stack(f, "a", 1500, 0, 1);
    fake_track(f, 11, STR("idle"));
    fake_stack(f, "a", 0, 0, 1);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_ALL;
    check(&r, "[Binder:1 tid=10];a 1\n[Binder:1 tid=2];a 1\n");
    r.view.tracks = TRACKS_MERGED;
    check(&r, "a 2\n");
    r.view.tracks = TRACKS_LISTED;
    r.view.n_track_ids = 2;
    r.view.track_ids[0] = 2;
    r.view.track_ids[1] = 11;
    check(&r, "[Binder:1 tid=2];a 1\n");
    r.view.n_track_ids = 1;
    r.view.track_ids[0] = 11;
    check(&r, "");
    rendering_free(&r);
}

TEST(hostile_names)
{
    struct fake *f = fake_new();
    struct rendering r;
    const uint64_t one[3] = {1000, 0, 1};

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("main"));
    fake_child(f, root, fake_frame(f, STR("a;b"), STR("c\nd"), STR("")), one);
    fake_child(f, root, fake_frame(f, STR("a:b"), STR("c\nd"), STR("")), one);
    fake_child(f, root, fake_frame(f, STR(""), STR("\xff\xfe"), STR("")), one);
    fake_child(f, root, fake_frame(f, STR(""), STR("nul\0nul"), STR("")), one);
    rendering_of(&r, f);
    check(&r, "a:b.c␊d 2\nnul␀nul 1\n�� 1\n");
    rendering_free(&r);
}

/* --- against the obvious way --- */

enum { NODES = 400, LINE_BYTES = 4096 };

struct line {
    struct str stack;
    uint64_t n;
    char *text;
};

static int by_stack(const void *a, const void *b)
{
    return str_cmp(((const struct line *)a)->stack, ((const struct line *)b)->stack);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static struct str stack_of(const struct rendering *r, node_id node, struct arena *a)
{
    const struct profile *p = r->input.profile;
    char text[LINE_BYTES];
    size_t at = sizeof(text);

    for (; p->node_parent[node] != NODE_NONE; node = p->node_parent[node]) {
        struct buf b = {0};
        clean_text(&b, names_frame(r->input.names, p->node_frame[node]));
        assert_true(at > b.n + 1);
        if (at < sizeof(text))
            text[--at] = ';';
        for (size_t i = b.n; i-- > 0;)
            text[--at] = b.p[i] == ';' ? ':' : b.p[i];
        buf_free(&b);
    }
    return (struct str){arena_copy(a, text + at, sizeof(text) - at), sizeof(text) - at};
}

static void expect(const struct rendering *r, struct buf *expected)
{
    const struct profile *p = r->input.profile;
    struct arena a;
    size_t n = 0;

    arena_init(&a, (size_t)1 << 28);
    struct line *made = arena_array(&a, p->n_nodes, sizeof(*made));
    assert_non_null(made);
    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_parent[i] != NODE_NONE && profile_self(p, i, 0) >= 1000)
            made[n++] = (struct line){stack_of(r, i, &a), profile_self(p, i, 0) / 1000, NULL};
    qsort(made, n, sizeof(*made), by_stack);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && str_eq(made[kept - 1].stack, made[i].stack))
            made[kept - 1].n += made[i].n;
        else
            made[kept++] = made[i];
    for (size_t i = 0; i < kept; i++) {
        struct buf b = {0};
        buf_str(&b, made[i].stack);
        buf_char(&b, ' ');
        buf_u64(&b, made[i].n);
        buf_bytes(&b, "\n", 2);
        made[i].text = arena_copy(&a, b.p, b.n);
        buf_free(&b);
    }
    qsort(made, kept, sizeof(*made), by_text);
    for (size_t i = 0; i < kept; i++)
        buf_z(expected, made[i].text);
    buf_char(expected, '\0');
    arena_free(&a);
}

/* Names that sort where it hurts: prefixes of each other, blanks before digits, separators, equal ones. */
static const char *const NAMES[] = {
    "foo",   "foo 1", "foo 1 2", "foo 12", "foo$1", "foo!", "foo ",   "foo  ", "foo 9", "foo 10",
    "foo:x", "foo;x", "fo",      "f",      "foo/",  "foo0", "a\x01b", "foo -", "foo",   "foo\xff",
};

TEST(as_if_sorted)
{
    enum { N_NAMES = sizeof(NAMES) / sizeof(NAMES[0]) };

    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct fake *f = fake_new();
        struct rendering r;
        struct buf expected = {0};
        uint32_t nodes[NODES], n = 0;
        uint64_t random = seed;
        frame_id frames[N_NAMES];

        fake_usual_values(f);
        for (uint32_t i = 0; i < N_NAMES; i++)
            frames[i] = fake_frame(f, STR(""), str_of(NAMES[i]), STR(""));
        for (uint32_t track = 1; track <= 2; track++) {
            uint32_t begin = n;
            nodes[n++] = fake_track(f, track, STR("t"));
            for (; n < NODES / 2 * track; n++) {
                uint64_t self[3] = {random_below(&random, 3) * 700 * random_below(&random, 200), 0, 1};
                uint32_t up = begin + random_below(&random, n - begin) / (1 + seed % 4);
                up = up < begin ? begin : up;
                nodes[n] = fake_child(f, nodes[up], frames[random_below(&random, N_NAMES)], self);
            }
        }
        rendering_init(&r, fake_finish(f));
        r.view.tracks = TRACKS_MERGED;
        expect(&r, &expected);
        check(&r, expected.p);
        assert_true(r.out.n > 100);
        buf_free(&expected);
        rendering_free(&r);
        fake_free(f);
    }
}
