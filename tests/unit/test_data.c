/* DATA: what a reader makes of it is the tree, whatever the budget. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/clean.h"
#include "render/names/palette.h"
#include "render/svg/data.h"
#include "tests/support/data_read.h"
#include "tests/support/fake_profile.h"
#include "tests/support/random.h"

TEST(known_numbers)
{
    static const struct {
        uint64_t value;
        const char *text;
    } KNOWN[] = {{0, "0"},
                 {31, "V"},
                 {32, "W1"},
                 {33, "X1"},
                 {1023, "_V"},
                 {1024, "WW1"},
                 {UINT64_MAX, "____________F"}};

    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        char text[DATA_NUMBER_BYTES_MAX];
        struct str s = {text, (size_t)(data_number(text, KNOWN[i].value) - text)};
        assert_true(str_eq(s, str_of(KNOWN[i].text)));
        assert_true(data_read_number(&s) == KNOWN[i].value);
        assert_int_equal(s.n, 0);
    }
}

/* --- the whole, within a budget --- */

/* How many are heavier: the slow way. */
static uint32_t position(const struct tree *t, uint32_t place)
{
    uint64_t total = tree_total(t, place, 0);
    uint32_t before = 0;

    for (uint32_t i = 0; i < t->n; i++)
        before += tree_total(t, i, 0) > total || (tree_total(t, i, 0) == total && i < place);
    return before;
}

static void check_frame(const struct data_embedded *e, const struct rendering *r, uint32_t place,
                        const struct data_read_node *n)
{
    const struct tree *t = e->data.tree;
    frame_id id = tree_frame(t, place);
    struct buf expected = {0};

    if (id == FRAME_NONE) {
        assert_int_equal(n->line, 0);
        return;
    }
    assert_true(n->line > 0);
    const struct data_read_frame *f = &e->read.frames[n->line - 1];
    if (id >= t->n_frames) {
        buf_char(&expected, '\t');
        clean_text(&expected, names_track(r->input.names, id - t->n_frames));
        buf_char(&expected, '\t');
        assert_int_equal(f->rank, t->n_frames + names_track_rank(r->input.names, id - t->n_frames));
        assert_int_equal(f->origin, ORIGIN_TRACK);
    } else {
        struct frame_parts parts = names_parts(r->input.names, id);
        clean_text(&expected, parts.scope);
        buf_char(&expected, '\t');
        clean_text(&expected, parts.name);
        buf_char(&expected, '\t');
        clean_text(&expected, parts.signature);
        assert_int_equal(f->rank, names_rank(r->input.names, id));
        assert_int_equal(f->origin, names_of(r->input.names, id)->origin);
        assert_true(f->colour < PALETTE_CLASSES);
    }
    assert_true(str_eq(f->text, buf_view(&expected)));
    buf_free(&expected);
}

static void check_node(const struct data_embedded *e, const struct rendering *r, uint32_t place,
                       const struct data_read_node *n, uint32_t budget)
{
    const struct tree *t = e->data.tree;
    uint64_t shown = 0, hidden = 0, hidden_nodes = 0, totals[MEASURES_MAX] = {0};

    check_frame(e, r, place, n);
    assert_int_equal(n->depth, t->depth[place]);
    for (uint32_t child = place + 1; child < place + t->size[place]; child += t->size[child]) {
        if (position(t, child) <= budget) { /* the root is the 0-th */
            shown++;
            continue;
        }
        hidden++;
        hidden_nodes += t->size[child];
        for (uint32_t i = 0; i < e->data.n_measures; i++)
            totals[i] += tree_total(e->full, child, e->data.column[i]);
    }
    assert_int_equal(n->stub, hidden > 0);
    for (uint32_t i = 0; i < e->data.n_measures; i++) {
        assert_true(n->self[i] == tree_self(e->full, place, e->data.column[i]));
        assert_true(!n->stub || n->hidden_total[i] == totals[i]);
    }
    if (!n->stub)
        return;
    assert_int_equal(n->place, place);
    assert_int_equal(n->shown, shown);
    assert_int_equal(n->hidden_children, hidden);
    assert_int_equal(n->hidden_nodes, hidden_nodes);
}

static void check_embedded(struct rendering *r, uint32_t budget)
{
    struct data_embedded e;
    uint32_t n = 0;

    r->view.embed_nodes = budget;
    data_embedded(&e, r);
    const struct tree *t = e.data.tree;
    uint32_t expected = budget < t->n - 1 ? budget : t->n - 1;
    assert_int_equal(e.n, expected);
    assert_int_equal(e.read.n_nodes, 1 + expected);
    assert_int_equal(data_read_header(&e.read, "\"nodes\":"), t->n - 1);
    assert_int_equal(data_read_header(&e.read, "\"embedded\":"), expected);
    for (uint32_t place = 0; place < t->n; place++)
        if (position(t, place) <= budget)
            check_node(&e, r, place, &e.read.nodes[n++], budget);
    assert_int_equal(n, e.read.n_nodes);
    data_embedded_free(&e);
}

TEST(any_budget)
{
    uint64_t seed = 1;

    for (uint32_t round = 0; round < 60; round++) {
        uint32_t n = 1 + random_below(&seed, 60);
        struct fake *f = fake_random(&seed, 1 + round % 3, n, round % 2 == 0);
        const struct profile *p = fake_finish(f);
        static const char *const VALUES[] = {"wall", "cpu", "calls", "waiting"};
        for (int mode = 0; mode < 3; mode++) {
            struct rendering r;
            rendering_init(&r, p);
            r.view.tracks = (enum view_tracks)mode;
            strcpy(r.view.value, VALUES[round % 4]);
            r.view.order = ORDER_WEIGHT; /* makes no difference here */
            for (uint32_t budget = 0; budget < 3 * n + 4; budget += 1 + budget / 3)
                check_embedded(&r, budget);
            rendering_free(&r);
        }
        fake_free(f);
    }
}

/* As many of the heaviest as there is room for, or nearly. */
TEST(budget_of_bytes)
{
    uint64_t seed = 4101842887655102017u;
    struct rendering r;
    struct data_embedded e;
    size_t whole, fixed;

    rendering_of(&r, fake_random(&seed, 1, 3000, true));
    data_embedded(&e, &r);
    whole = e.out.n;
    assert_int_equal(e.n, 2999);
    data_embedded_free(&e);
    r.view.embed_bytes = 0;
    data_embedded(&e, &r);
    fixed = e.out.n;
    assert_int_equal(e.n, 0);
    data_embedded_free(&e);
    uint32_t last = 0;
    for (size_t bytes = fixed; bytes < whole; bytes += (whole - fixed) / 10) {
        r.view.embed_bytes = bytes;
        data_embedded(&e, &r);
        assert_true(e.out.n <= bytes);
        assert_true(e.n >= last);
        assert_true(bytes < fixed + 4000 || e.out.n > bytes - bytes / 5);
        last = e.n;
        uint32_t found = e.n;
        data_embedded_free(&e);
        r.view.embed_bytes = UINT64_C(4000000);
        check_embedded(&r, found > 300 ? 300 : found);
        r.view.embed_nodes = 200000;
    }
    assert_true(last > 1000);
    const uint64_t enough[] = {whole, UINT64_MAX - whole, UINT64_MAX};
    for (size_t i = 0; i < sizeof(enough) / sizeof(enough[0]); i++) {
        r.view.embed_bytes = enough[i];
        data_embedded(&e, &r);
        assert_int_equal(e.n, 2999);
        data_embedded_free(&e);
    }
    rendering_free(&r);
}

/* --- the header --- */

/* The presets are those of a table of their own: here only that they stand there. */
static void without_presets(struct str header, struct buf *b)
{
    struct str mark = STR("\"presets\":{\"own-code\":\"hide=origin:");
    size_t from = str_find_str(header, mark);

    assert_true(from < header.n);
    struct str rest = {header.p + from, header.n - from};
    size_t to = str_find_str(rest, STR("},")) + 2;
    buf_bytes(b, header.p, from);
    buf_bytes(b, rest.p + to, rest.n - to);
    assert_false(b->failed);
}

TEST(header_in_full)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct data_embedded e;

    fake_value(f, "wall", UNIT_NS, ROLE_WALL);
    fake_value(f, "a&b=c\"<", UNIT_BYTES, ROLE_OTHER);
    fake_track(f, 7, STR("m\"<&\x01"));
    fake_stack(f, "com.example.shop.Cart.add(I)V", 2000, 3, 0);
    rendering_of(&r, f);
    strcpy(r.view.value, "a&b=c\"<");
    strcpy(r.view.method, "x.\"y\"");
    r.view.order = ORDER_WEIGHT;
    data_embedded(&e, &r);
    struct buf plain = {0};
    without_presets(e.read.header, &plain);
    assert_true(
        str_eq(buf_view(&plain),
               STR("{\"format\":\"aflamed-flame\",\"version\":2,\"root\":\"m\\\"\\u003c&"
                   "\xe2\x90\x81 (7)\",\"values\":["
                   "{\"name\":\"wall\",\"label\":\"wall\",\"unit\":\"ns\",\"role\":\"wall\","
                   "\"scale\":1000,\"derived\":false},"
                   "{\"name\":\"a&b=c\\\"\\u003c\",\"label\":\"a&b=c\\\"\\u003c\",\"unit\":"
                   "\"bytes\",\"role\":\"other\",\"scale\":1,"
                   "\"derived\":false}],\"options\":{\"view\":\"flame\",\"value\":\"a&b="
                   "c\\\"\\u003c\",\"order\":\"weight\","
                   "\"palette\":\"origin\",\"names\":\"short\",\"method\":\"x.\\\"y\\\"\",\"filters\":\"\"},"
                   "\"query\":\"value=a%26b%3Dc%22%3C\",\"nodes\":1,\"embedded\":1,\"side_by_"
                   "side\":false,\"merged\":false,\"track\":\"thread\",\"compared\":false,"
                   "\"app\":\"com.example.shop\",\"min\":0.5,\"node\":0,\"skip\":0}")));
    buf_free(&plain);
    data_embedded_free(&e);
    rendering_free(&r);
}

/* Merged threads may have waited more than their sums tell: then it is written. */
TEST(waiting_is_written_where_it_must_be)
{
    struct fake *f = fake_thread(STR("a"));
    struct rendering r;
    struct data_embedded e;

    fake_stack(f, "x", 10, 4, 1);
    fake_track(f, 2, STR("b"));
    fake_stack(f, "x", 10, 30, 1);
    rendering_of(&r, f);
    r.view.tracks = TRACKS_MERGED;
    data_embedded(&e, &r);
    assert_false(e.read.derived[3]);
    assert_true(e.read.nodes[1].self[3] == 6);
    data_embedded_free(&e);
    r.view.tracks = TRACKS_ALL;
    data_embedded(&e, &r);
    assert_true(e.read.derived[3]);
    assert_int_equal(e.read.n_nodes, 5);
    data_embedded_free(&e);
    rendering_free(&r);
}

TEST(too_little_memory)
{
    uint64_t seed = 99;
    struct rendering r;
    uint32_t n;

    rendering_of(&r, fake_random(&seed, 1, 2000, false));
    struct diag resolved = {0};
    assert_true(view_resolve(&r.view, r.input.profile, &resolved));
    r.view.embed_nodes = 100;
    for (size_t limit = 1 << 16;; limit += 1 << 14) {
        struct arena scratch;
        struct render_input in = r.input;
        struct diag diag = {0};
        struct data_tree data;
        struct buf out = {0};
        arena_init(&scratch, limit);
        in.scratch = &scratch;
        bool ok = data_tree_open(&data, &in, &diag) && data_put(&data, &out, &n, &diag);
        arena_free(&scratch);
        buf_free(&out);
        if (ok)
            break;
        assert_int_equal(diag.kind, DIAG_LIMIT);
        assert_true(limit < 1 << 24);
    }
    struct buf small = {.limit = 300};
    struct diag diag = {0};
    struct data_tree data;
    assert_true(data_tree_open(&data, &r.input, &diag));
    assert_false(data_put(&data, &small, &n, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    buf_free(&small);
    rendering_free(&r);
}
