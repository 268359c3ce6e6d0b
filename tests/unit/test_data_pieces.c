/* Pieces of DATA: put together they are the whole, however wide a node is. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "tests/support/data_read.h"
#include "tests/support/fake_profile.h"

enum { STACK_MAX = 4000 };

static void fetch(struct rendering *r, struct data_read *read, uint64_t node, uint64_t skip)
{
    r->view.node = (uint32_t)node;
    r->view.skip = (uint32_t)skip;
    assert_true(rendering_run(r, &OUTPUT_TREE));
    struct buf escaped = {0};
    clean_xml(&escaped, STR("")); /* a piece is not escaped: what the reader below wants is */
    for (size_t i = 0; i < r->out.n; i++) {
        char c = r->out.p[i];
        if (c == '<' || c == '>' || c == '&')
            buf_z(&escaped, c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
        else
            buf_char(&escaped, c);
    }
    data_read(read, buf_view(&escaped));
    buf_free(&escaped);
    assert_int_equal(data_read_header(read, "\"node\":"), node);
    assert_int_equal(data_read_header(read, "\"skip\":"), skip);
    assert_int_equal(data_read_header(read, "\"embedded\":"), read->n_nodes - 1);
    const bool whole = node == 0 && skip == 0 && r->view.embed_bytes > 64000;
    assert_true(r->out.n <= (whole ? r->view.embed_bytes : 64000) || read->n_nodes == 2);
}

struct wanted {
    uint64_t node, skip, children, nodes, total[MEASURES_MAX];
};

/* Everything that stubs stand for is fetched; in the end each node was there once, with its self. */
TEST(pieces_make_the_whole)
{
    uint64_t seed = 1181783497276652981u;
    struct rendering r;
    struct data_embedded e;
    struct wanted *stack = calloc(STACK_MAX, sizeof(*stack));
    uint32_t n = 0, seen = 0, fetched = 0;
    uint64_t sums[MEASURES_MAX] = {0}, expected[MEASURES_MAX] = {0};

    assert_non_null(stack);
    rendering_of(&r, fake_random(&seed, 2, 1800, false));
    r.view.tracks = TRACKS_ALL;
    data_embedded(&e, &r);
    for (uint32_t i = 0; i < e.read.n_nodes; i++)
        for (uint32_t v = 0; v < 4; v++)
            expected[v] += e.read.nodes[i].self[v];
    uint32_t all = e.read.n_nodes;
    data_embedded_free(&e);
    r.view.embed_nodes = 50;
    data_embedded(&e, &r);
    struct data_read piece = e.read;
    struct wanted of = {0};
    for (;;) {
        uint64_t nodes = 0;
        for (uint32_t i = fetched > 0; i < piece.n_nodes; i++)
            for (uint32_t v = 0; v < 4; v++)
                sums[v] += piece.nodes[i].self[v];
        for (uint32_t i = 0; i < piece.n_nodes; i++) {
            const struct data_read_node *node = &piece.nodes[i];
            if (!node->stub)
                continue;
            assert_true(n < STACK_MAX);
            stack[n] =
                (struct wanted){node->place, node->shown, node->hidden_children, node->hidden_nodes, {0}};
            memcpy(stack[n++].total, node->hidden_total, sizeof(node->hidden_total));
            nodes += node->hidden_nodes;
        }
        /* What the stub promised is in the piece, or in its stubs. */
        if (fetched > 0)
            assert_int_equal(of.nodes, piece.n_nodes - 1 + nodes);
        seen += piece.n_nodes - (fetched > 0);
        if (fetched > 0)
            data_read_free(&piece);
        if (n == 0)
            break;
        of = stack[--n];
        fetch(&r, &piece, of.node, of.skip);
        fetched++;
    }
    assert_true(fetched > 20);
    assert_int_equal(seen, all);
    for (uint32_t v = 0; v < 4; v++)
        assert_true(sums[v] == expected[v]);
    data_embedded_free(&e);
    free(stack);
    rendering_free(&r);
}

/* More children than one piece can hold: skip leads on, and the shares are disjoint. */
TEST(one_wide_node)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct data_read piece;
    uint64_t skip = 0, sum = 0;
    char name[600];

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("t"));
    memset(name, 'n', sizeof(name));
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t self[3] = {1000 + i % 7, 0, 1};
        for (int j = 0; j < 10; j++) /* the first letters differ, so that nothing is a prefix */
            name[j] = (char)('a' + (i >> j & 1));
        fake_child(f, root, fake_frame(f, STR(""), (struct str){name, sizeof(name)}, STR("")), self);
    }
    rendering_of(&r, f);
    fetch(&r, &piece, 0, 0); /* of the root it is what a picture carries */
    assert_int_equal(piece.n_nodes, 1001);
    data_read_free(&piece);
    r.view.embed_nodes = 0;
    r.view.embed_bytes = 0;
    for (int pieces = 0;; pieces++) {
        fetch(&r, &piece, 0, skip);
        assert_true(pieces < 20 && piece.n_nodes > 50);
        for (uint32_t i = 1; i < piece.n_nodes; i++)
            sum += piece.nodes[i].self[0];
        skip += piece.n_nodes - 1;
        bool more = piece.nodes[0].stub;
        assert_true(!more || piece.nodes[0].shown == skip);
        assert_true(!more || piece.nodes[0].hidden_children == 1000 - skip);
        data_read_free(&piece);
        if (!more)
            break;
    }
    assert_int_equal(skip, 1000);
    uint64_t expected = 0;
    for (uint32_t i = 0; i < 1000; i++)
        expected += 1000 + i % 7;
    assert_true(sum == expected);
    fetch(&r, &piece, 0, 5000);
    assert_int_equal(piece.n_nodes, 1);
    assert_false(piece.nodes[0].stub);
    data_read_free(&piece);
    r.view.node = 1001;
    assert_false(rendering_run(&r, &OUTPUT_TREE));
    assert_int_equal(r.diag.kind, DIAG_NOT_FOUND);
    rendering_free(&r);
}

/* However long the names are, a piece leads on: without a child in it, nobody would ever get further. */
TEST(a_piece_has_a_child)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct data_read piece;
    const uint64_t self[3] = {1000, 0, 1};
    char name[24000];

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("t"));
    memset(name, '\xff', sizeof(name)); /* three bytes each, as it is shown */
    for (int i = 0; i < 20; i++) {
        name[0] = (char)('a' + i);
        fake_child(f, root, fake_frame(f, STR(""), (struct str){name, sizeof(name)}, STR("")), self);
    }
    rendering_of(&r, f);
    r.view.embed_bytes = 0;
    for (uint64_t skip = 0; skip < 20; skip++) {
        fetch(&r, &piece, 0, skip);
        assert_int_equal(piece.n_nodes, 2);
        assert_int_equal(piece.nodes[0].stub, skip < 19);
        assert_true(skip == 19 || piece.nodes[0].shown == skip + 1);
        data_read_free(&piece);
    }
    rendering_free(&r);
}
