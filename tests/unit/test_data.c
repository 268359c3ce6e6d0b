/* DATA: what a reader makes of it is the tree, whatever the budget; pieces put together are the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "render/data.h"
#include "render/data_number.h"
#include "render/origin.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

/* --- a reader, as the header describes it --- */

enum { NODES_MAX = 4000, FRAMES_MAX = 4000, STACK_MAX = 4000 };

struct read_node {
    uint32_t depth, line; /* line: 0 = root, else 1 + index */
    uint64_t self[MEASURES_MAX];
    bool stub;
    uint64_t place, shown, hidden_children, hidden_nodes, hidden_total[MEASURES_MAX];
};

struct read_frame {
    uint64_t rank, origin, colour;
    struct str text; /* of the memory below */
};

struct data_read {
    char *memory; /* unescaped */
    struct str header;
    struct read_frame *frames;
    struct read_node *nodes;
    uint32_t n_frames, n_nodes, n_values;
    uint64_t scale[MEASURES_MAX];
    bool derived[MEASURES_MAX];
    char *texts;
};

static uint64_t number(struct str *s)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 5) {
        assert_true(s->n > 0);
        const char *digit = memchr(DIGITS, s->p[0], sizeof(DIGITS) - 1);
        assert_non_null(digit);
        s->p++, s->n--;
        value |= (uint64_t)((digit - DIGITS) & 31) << shift;
        if (digit - DIGITS < 32)
            return value;
    }
}

static void known_numbers(void **state)
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

    (void)state;
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        char text[DATA_NUMBER_BYTES_MAX];
        struct str s = {text, (size_t)(data_number(text, KNOWN[i].value) - text)};
        assert_true(str_eq(s, str_of(KNOWN[i].text)));
        assert_true(number(&s) == KNOWN[i].value);
        assert_int_equal(s.n, 0);
    }
}

/* What an XML parser makes of it. */
static struct str unescape(char *to, struct str xml)
{
    static const struct {
        struct str entity;
        char c;
    } ENTITIES[] = {{STR_INIT("&lt;"), '<'}, {STR_INIT("&gt;"), '>'}, {STR_INIT("&amp;"), '&'}};
    char *start = to;

    while (xml.n > 0) {
        size_t taken = 1;
        assert_true(xml.p[0] != '<' && xml.p[0] != '>');
        char c = xml.p[0];
        for (size_t i = 0; xml.p[0] == '&' && i < 3; i++)
            if (str_starts(xml, ENTITIES[i].entity)) {
                c = ENTITIES[i].c;
                taken = ENTITIES[i].entity.n;
            }
        assert_true(xml.p[0] != '&' || taken > 1);
        *to++ = c;
        xml.p += taken, xml.n -= taken;
    }
    return (struct str){start, (size_t)(to - start)};
}

/* The values that the header lists, of which only this is of interest here. */
static void read_values(struct data_read *r)
{
    static const struct str SCALE = STR_INIT("\"scale\":"), DERIVED = STR_INIT(",\"derived\":");
    struct str rest = r->header;

    for (size_t at; (at = str_find_str(rest, SCALE)) < rest.n;) {
        rest.p += at + SCALE.n, rest.n -= at + SCALE.n;
        size_t comma = str_find(rest, ',');
        assert_true(str_to_u64((struct str){rest.p, comma}, 10, &r->scale[r->n_values]));
        rest.p += comma, rest.n -= comma;
        assert_true(str_starts(rest, DERIVED));
        r->derived[r->n_values++] = rest.p[DERIVED.n] == 't';
    }
    assert_true(r->n_values > 0);
}

static void read_frames(struct data_read *r, struct str *rest)
{
    struct str line, last = {NULL, 0};
    uint64_t rank = 0;

    while (str_split(rest, '\n', &line) && line.n > 0) {
        assert_true(r->n_frames < FRAMES_MAX);
        uint64_t step = number(&line), prefix = number(&line), origin = number(&line), colour = number(&line);
        assert_true(r->n_frames == 0 || step > 0);
        assert_true(prefix <= last.n);
        char *text = r->texts;
        for (size_t i = 0; i < prefix; i++) {
            assert_true((unsigned char)last.p[i] < 0x80);
            text[i] = last.p[i];
        }
        memcpy(text + prefix, line.p, line.n);
        last = (struct str){text, prefix + line.n};
        r->texts += last.n;
        rank += step;
        r->frames[r->n_frames++] = (struct read_frame){rank, origin, colour, last};
    }
}

static void read_node(struct data_read *r, struct str *rest, const struct read_node *before)
{
    struct read_node *n = &r->nodes[r->n_nodes];
    uint64_t up = number(rest);

    *n = (struct read_node){.stub = up & 1};
    assert_true(before == NULL ? up >> 1 == 0 : up >> 1 <= before->depth);
    n->depth = before == NULL ? 0 : before->depth + 1 - (uint32_t)(up >> 1);
    n->line = (uint32_t)number(rest);
    assert_true(n->line <= r->n_frames);
    for (uint32_t i = 0; i < r->n_values; i++)
        if (!r->derived[i])
            n->self[i] = number(rest) * r->scale[i];
    for (uint32_t i = 0; i < r->n_values; i++)
        if (r->derived[i])
            n->self[i] = n->self[0] > n->self[1] ? n->self[0] - n->self[1] : 0; /* wall and cpu */
    if (!n->stub)
        return;
    n->place = number(rest);
    n->shown = number(rest);
    n->hidden_children = number(rest);
    n->hidden_nodes = number(rest);
    for (uint32_t i = 0; i < r->n_values; i++)
        n->hidden_total[i] = number(rest) * r->scale[i];
}

static void data_read(struct data_read *r, struct str data)
{
    *r = (struct data_read){.memory = malloc(data.n + 1 + data.n * 64 + (1 << 20))};
    r->frames = calloc(FRAMES_MAX, sizeof(*r->frames));
    r->nodes = calloc(NODES_MAX, sizeof(*r->nodes));
    assert_non_null(r->memory);
    struct str rest = unescape(r->memory, data);
    r->texts = r->memory + data.n;
    assert_true(str_split(&rest, '\n', &r->header));
    read_values(r);
    read_frames(r, &rest);
    assert_true(rest.n > 0 && rest.p[rest.n - 1] == '\n');
    for (rest.n--; rest.n > 0; r->n_nodes++) {
        assert_true(r->n_nodes < NODES_MAX);
        read_node(r, &rest, r->n_nodes == 0 ? NULL : &r->nodes[r->n_nodes - 1]);
    }
    assert_true(r->n_nodes > 0);
}

static void data_read_free(struct data_read *r)
{
    free(r->memory);
    free(r->frames);
    free(r->nodes);
}

static uint64_t header_number(const struct data_read *r, const char *key)
{
    size_t at = str_find_str(r->header, str_of(key));
    struct str rest = {r->header.p + at + strlen(key), r->header.n - at - strlen(key)};
    uint64_t value;

    assert_true(at < r->header.n);
    size_t n = 0;
    while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
        n++;
    assert_true(str_to_u64((struct str){rest.p, n}, 10, &value));
    return value;
}

/* --- random profiles --- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Few different weights, so that many are equal; sometimes none at all. */
static struct fake *random_profile(uint64_t *seed, uint32_t n_tracks, uint32_t n_nodes, bool thousands)
{
    static const char *const NAMES[] = {"com.example.shop.Cart", "com.example.shop.Cart$1",
                                        "android.os.Looper",     "\xc3\xa9t\xc3\xa9.B",
                                        "\xc3\xa9t\xc3\xa9.C",   "a<b>&\"c"};
    struct fake *f = fake_new();
    frame_id frames[24];

    fake_usual_values(f);
    for (uint32_t i = 0; i < 24; i++) {
        char method[2] = {(char)('a' + i / 6), '\0'};
        frames[i] =
            fake_frame(f, str_of(NAMES[i % 6]), str_of(method), i % 5 == 0 ? STR("(I<T>)V") : STR("()V"));
    }
    for (uint32_t track = 0; track < n_tracks; track++) {
        uint32_t *nodes = calloc(n_nodes, sizeof(*nodes));
        assert_non_null(nodes);
        nodes[0] = fake_track(f, 10 + track, track == 1 ? STR("<t>\t\x01") : STR("main"));
        for (uint32_t i = 1; i < n_nodes; i++) {
            uint64_t unit = thousands ? 1000 : 1, wall = next_random(seed) % 4 * unit;
            uint64_t self[3] = {wall, next_random(seed) % 3 * unit, next_random(seed) % 3};
            uint32_t parent = nodes[next_random(seed) % 3 == 0 ? i - 1 : next_random(seed) % i];
            nodes[i] = fake_child(f, parent, frames[next_random(seed) % 24], self);
        }
        free(nodes);
    }
    return f;
}

/* --- the whole, within a budget --- */

struct embedded {
    struct data data;
    const struct tree *full; /* with all columns */
    struct data_read read;
    struct buf out;
    uint32_t n;
};

static void embed(struct embedded *e, struct rendering *r)
{
    struct diag diag = {0};

    *e = (struct embedded){.n = 0};
    assert_true(view_resolve(&r->view, r->input.profile, &diag));
    assert_true(data_open(&e->data, &r->input, &diag));
    assert_true(data_put(&e->data, &e->out, &e->n, &diag));
    struct tree_spec spec = e->data.spec;
    spec.n_measures = e->data.n_measures;
    e->full = tree_new(&r->input, &spec, &diag);
    assert_non_null(e->full);
    data_read(&e->read, buf_view(&e->out));
}

static void embedded_free(struct embedded *e)
{
    data_read_free(&e->read);
    buf_free(&e->out);
}

/* How many are heavier: the slow way. */
static uint32_t position(const struct tree *t, uint32_t place)
{
    uint64_t total = tree_total(t, place, 0);
    uint32_t before = 0;

    for (uint32_t i = 0; i < t->n; i++)
        before += tree_total(t, i, 0) > total || (tree_total(t, i, 0) == total && i < place);
    return before;
}

static void check_frame(const struct embedded *e, const struct rendering *r, uint32_t place,
                        const struct read_node *n)
{
    const struct tree *t = e->data.tree;
    frame_id id = tree_frame(t, place);
    struct buf expected = {0};

    if (id == FRAME_NONE) {
        assert_int_equal(n->line, 0);
        return;
    }
    assert_true(n->line > 0);
    const struct read_frame *f = &e->read.frames[n->line - 1];
    if (id >= t->n_frames) {
        buf_char(&expected, '\t');
        clean_text(&expected, names_track(r->input.names, id - t->n_frames));
        buf_char(&expected, '\t');
        assert_int_equal(f->rank, t->n_frames + names_track_rank(r->input.names, id - t->n_frames));
        assert_int_equal(f->origin, ORIGIN_TRACK);
    } else {
        struct names_parts parts = names_parts(r->input.names, id);
        clean_text(&expected, parts.scope);
        buf_char(&expected, '\t');
        clean_text(&expected, parts.name);
        buf_char(&expected, '\t');
        clean_text(&expected, parts.signature);
        assert_int_equal(f->rank, names_rank(r->input.names, id));
        assert_int_equal(f->origin, names_of(r->input.names, id)->origin);
        assert_int_equal(f->colour, names_of(r->input.names, id)->colour);
    }
    assert_true(str_eq(f->text, buf_view(&expected)));
    buf_free(&expected);
}

static void check_node(const struct embedded *e, const struct rendering *r, uint32_t place,
                       const struct read_node *n, uint32_t budget)
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
    struct embedded e;
    uint32_t n = 0;

    r->view.embed_nodes = budget;
    embed(&e, r);
    const struct tree *t = e.data.tree;
    uint32_t expected = budget < t->n - 1 ? budget : t->n - 1;
    assert_int_equal(e.n, expected);
    assert_int_equal(e.read.n_nodes, 1 + expected);
    assert_int_equal(header_number(&e.read, "\"nodes\":"), t->n - 1);
    assert_int_equal(header_number(&e.read, "\"embedded\":"), expected);
    for (uint32_t place = 0; place < t->n; place++)
        if (position(t, place) <= budget)
            check_node(&e, r, place, &e.read.nodes[n++], budget);
    assert_int_equal(n, e.read.n_nodes);
    embedded_free(&e);
}

static void any_budget(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t n = 1 + (uint32_t)(next_random(&seed) % 60);
        struct fake *f = random_profile(&seed, 1 + round % 3, n, round % 2 == 0);
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
static void budget_of_bytes(void **state)
{
    uint64_t seed = 4101842887655102017u;
    struct fake *f = random_profile(&seed, 1, 3000, true);
    struct rendering r;
    struct embedded e;
    size_t whole, fixed;

    (void)state;
    rendering_init(&r, fake_finish(f));
    embed(&e, &r);
    whole = e.out.n;
    assert_int_equal(e.n, 2999);
    embedded_free(&e);
    r.view.embed_bytes = 0;
    embed(&e, &r);
    fixed = e.out.n;
    assert_int_equal(e.n, 0);
    embedded_free(&e);
    uint32_t last = 0;
    for (size_t bytes = fixed; bytes < whole; bytes += (whole - fixed) / 10) {
        r.view.embed_bytes = bytes;
        embed(&e, &r);
        assert_true(e.out.n <= bytes);
        assert_true(e.n >= last);
        assert_true(bytes < fixed + 4000 || e.out.n > bytes - bytes / 5);
        last = e.n;
        uint32_t found = e.n;
        embedded_free(&e);
        r.view.embed_bytes = UINT64_C(4000000);
        check_embedded(&r, found > 300 ? 300 : found);
        r.view.embed_nodes = 200000;
    }
    assert_true(last > 1000);
    r.view.embed_bytes = whole;
    embed(&e, &r);
    assert_int_equal(e.n, 2999);
    embedded_free(&e);
    rendering_free(&r);
    fake_free(f);
}

/* --- pieces --- */

static void fetch(struct rendering *r, struct data_read *read, uint64_t node, uint64_t skip)
{
    r->view.node = (uint32_t)node;
    r->view.skip = (uint32_t)skip;
    assert_true(rendering_run(r, &OUTPUT_TREE));
    assert_true(r->out.n <= 64000);
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
    assert_int_equal(header_number(read, "\"node\":"), node);
    assert_int_equal(header_number(read, "\"skip\":"), skip);
    assert_int_equal(header_number(read, "\"embedded\":"), read->n_nodes - 1);
}

struct wanted {
    uint64_t node, skip, children, nodes, total[MEASURES_MAX];
};

/* Everything that stubs stand for is fetched; in the end each node was there once, with its self. */
static void pieces_make_the_whole(void **state)
{
    uint64_t seed = 1181783497276652981u;
    struct fake *f = random_profile(&seed, 2, 1800, false);
    struct rendering r;
    struct embedded e;
    struct wanted *stack = calloc(STACK_MAX, sizeof(*stack));
    uint32_t n = 0, seen = 0, fetched = 0;
    uint64_t sums[MEASURES_MAX] = {0}, expected[MEASURES_MAX] = {0};

    (void)state;
    assert_non_null(stack);
    rendering_init(&r, fake_finish(f));
    r.view.tracks = TRACKS_ALL;
    embed(&e, &r);
    for (uint32_t i = 0; i < e.read.n_nodes; i++)
        for (uint32_t v = 0; v < 4; v++)
            expected[v] += e.read.nodes[i].self[v];
    uint32_t all = e.read.n_nodes;
    embedded_free(&e);
    r.view.embed_nodes = 50;
    embed(&e, &r);
    struct data_read piece = e.read;
    struct wanted of = {0};
    for (;;) {
        uint64_t nodes = 0;
        for (uint32_t i = fetched > 0; i < piece.n_nodes; i++)
            for (uint32_t v = 0; v < 4; v++)
                sums[v] += piece.nodes[i].self[v];
        for (uint32_t i = 0; i < piece.n_nodes; i++) {
            const struct read_node *node = &piece.nodes[i];
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
    embedded_free(&e);
    free(stack);
    rendering_free(&r);
    fake_free(f);
}

/* More children than one piece can hold: skip leads on, and the shares are disjoint. */
static void one_wide_node(void **state)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct data_read piece;
    uint64_t skip = 0, sum = 0;
    char name[600];

    (void)state;
    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("t"));
    memset(name, 'n', sizeof(name));
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t self[3] = {1000 + i % 7, 0, 1};
        for (int j = 0; j < 10; j++) /* the first letters differ, so that nothing is a prefix */
            name[j] = (char)('a' + (i >> j & 1));
        fake_child(f, root, fake_frame(f, STR(""), (struct str){name, sizeof(name)}, STR("")), self);
    }
    rendering_init(&r, fake_finish(f));
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
    fake_free(f);
}

/* --- the header --- */

static void header_in_full(void **state)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct embedded e;

    (void)state;
    fake_value(f, "wall", UNIT_NS, ROLE_WALL);
    fake_value(f, "a&b=c\"<", UNIT_BYTES, ROLE_OTHER);
    fake_track(f, 7, STR("m\"<&\x01"));
    fake_stack(f, "com.example.shop.Cart.add(I)V", 2000, 3, 0);
    rendering_init(&r, fake_finish(f));
    strcpy(r.view.value, "a&b=c\"<");
    strcpy(r.view.method, "x.\"y\"");
    r.view.order = ORDER_WEIGHT;
    embed(&e, &r);
    assert_true(
        str_eq(e.read.header, STR("{\"format\":\"aflamed-flame\",\"version\":1,\"root\":\"m\\\"\\u003c&"
                                  "\xe2\x90\x81 (7)\",\"values\":["
                                  "{\"name\":\"wall\",\"label\":\"wall\",\"unit\":\"ns\",\"role\":\"wall\","
                                  "\"scale\":1000,\"derived\":false},"
                                  "{\"name\":\"a&b=c\\\"\\u003c\",\"label\":\"a&b=c\\\"\\u003c\",\"unit\":"
                                  "\"bytes\",\"role\":\"other\",\"scale\":1,"
                                  "\"derived\":false}],\"options\":{\"view\":\"flame\",\"value\":\"a&b="
                                  "c\\\"\\u003c\",\"order\":\"weight\","
                                  "\"palette\":\"origin\",\"names\":\"short\",\"method\":\"x.\\\"y\\\"\"},"
                                  "\"query\":\"value=a%26b%3Dc%22%3C\",\"nodes\":1,\"embedded\":1,\"side_by_"
                                  "side\":false,\"merged\":false,"
                                  "\"app\":\"com.example.shop\",\"min\":0.5,\"node\":0,\"skip\":0}")));
    embedded_free(&e);
    struct buf out = {0};
    data_put_empty(&r.input, STR("m <"), &out);
    assert_non_null(memmem(out.p, out.n, "\"root\":\"m \\u003c\"", 16));
    assert_non_null(memmem(out.p, out.n, "\"nodes\":0,\"embedded\":0", 22));
    assert_int_equal(out.p[out.n - 1], '\n');
    buf_free(&out);
    rendering_free(&r);
    fake_free(f);
}

/* Merged threads may have waited more than their sums tell: then it is written. */
static void waiting_is_written_where_it_must_be(void **state)
{
    struct fake *f = fake_new();
    struct rendering r;
    struct embedded e;

    (void)state;
    fake_usual_values(f);
    fake_track(f, 1, STR("a"));
    fake_stack(f, "x", 10, 4, 1);
    fake_track(f, 2, STR("b"));
    fake_stack(f, "x", 10, 30, 1);
    rendering_init(&r, fake_finish(f));
    r.view.tracks = TRACKS_MERGED;
    embed(&e, &r);
    assert_false(e.read.derived[3]);
    assert_true(e.read.nodes[1].self[3] == 6);
    embedded_free(&e);
    r.view.tracks = TRACKS_ALL;
    embed(&e, &r);
    assert_true(e.read.derived[3]);
    assert_int_equal(e.read.n_nodes, 5);
    embedded_free(&e);
    rendering_free(&r);
    fake_free(f);
}

static void too_little_memory(void **state)
{
    uint64_t seed = 99;
    struct fake *f = random_profile(&seed, 1, 2000, false);
    struct rendering r;
    uint32_t n;

    (void)state;
    rendering_init(&r, fake_finish(f));
    struct diag resolved = {0};
    assert_true(view_resolve(&r.view, r.input.profile, &resolved));
    r.view.embed_nodes = 100;
    for (size_t limit = 1 << 16;; limit += 1 << 14) {
        struct arena scratch;
        struct render_input in = r.input;
        struct diag diag = {0};
        struct data data;
        struct buf out = {0};
        arena_init(&scratch, limit);
        in.scratch = &scratch;
        bool ok = data_open(&data, &in, &diag) && data_put(&data, &out, &n, &diag);
        arena_free(&scratch);
        buf_free(&out);
        if (ok)
            break;
        assert_int_equal(diag.kind, DIAG_LIMIT);
        assert_true(limit < 1 << 24);
    }
    struct buf small = {.limit = 300};
    struct diag diag = {0};
    struct data data;
    assert_true(data_open(&data, &r.input, &diag));
    assert_false(data_put(&data, &small, &n, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    buf_free(&small);
    rendering_free(&r);
    fake_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(any_budget),
        cmocka_unit_test(budget_of_bytes),
        cmocka_unit_test(pieces_make_the_whole),
        cmocka_unit_test(one_wide_node),
        cmocka_unit_test(header_in_full),
        cmocka_unit_test(waiting_is_written_where_it_must_be),
        cmocka_unit_test(too_little_memory),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
