/* Perfetto traces whose few bytes ask for much: parts of paths, names of classes and lines of symbols that
 * come again and again. */
#include "tests/support/unit.h"

#include "tests/support/hostile.h"
#include "tests/support/profile_checks.h"
#include "tests/support/proto_bytes.h"

enum { NAME_BYTES = 4096, ARENA_BYTES = 64 << 20 };

static const struct profile *read_bytes(struct arena *arena, const struct buf *b)
{
    struct diag diag = {0};

    arena_init(arena, ARENA_BYTES);
    const struct profile *p = hostile_read(arena, b->p, b->n, &diag);
    if (p == NULL)
        fail_msg("%s: %s", diag.title, diag.detail);
    return p;
}

static void put_long(struct buf *b, uint32_t field, char c, size_t n)
{
    struct buf text = {0};

    while (n-- > 0)
        buf_char(&text, c);
    buf_char(&text, '\0');
    assert_false(text.failed);
    proto_put_text(b, field, text.p);
    buf_free(&text);
}

/* A sample of one frame of such a function, line and path: path_parts times the same part of the limit's length. */
static void put_sample(struct buf *b, const char *function, unsigned line, size_t path_parts)
{
    struct buf packet = {0}, data = {0}, m = {0};

    proto_put_number(&m, 1, 1);
    proto_put_text(&m, 2, function);
    proto_put_message(&data, 5, &m);
    proto_put_number(&m, 1, 1);
    put_long(&m, 2, 'p', path_parts > 0 ? NAME_BYTES : 1);
    proto_put_message(&data, 17, &m);
    proto_put_number(&m, 1, 1);
    for (size_t i = 0; i < path_parts + (path_parts == 0); i++)
        proto_put_number(&m, 7, 1);
    proto_put_message(&data, 19, &m);
    proto_put_number(&m, 1, 1);
    proto_put_number(&m, 2, 1);
    proto_put_number(&m, 3, 1);
    proto_put_number(&m, 4, 16);
    proto_put_number(&m, 6, line);
    proto_put_message(&data, 6, &m);
    proto_put_number(&m, 1, 1);
    proto_put_number(&m, 2, 1);
    proto_put_message(&data, 7, &m);
    proto_put_message(&packet, 12, &data);
    proto_put_number(&m, 2, 71);
    proto_put_number(&m, 3, 71);
    proto_put_number(&m, 4, 1);
    proto_put_message(&packet, 66, &m);
    proto_put_number(&packet, 10, 7);
    proto_put_number(&packet, 13, 1);
    proto_put_number(&packet, 8, 1000);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&data);
    buf_free(&m);
}

/* 12 GB of a path in 6 MB. */
TEST(parts_of_a_path_without_end)
{
    struct buf b = {0};
    struct arena arena;

    put_sample(&b, "f", 1, 3000000);
    const struct profile *p = read_bytes(&arena, &b);
    assert_int_equal(profile_warned_count(p, WARN_NAME_CUT), 1);
    assert_int_equal(p->n_tracks, 1);
    arena_free(&arena);
    buf_free(&b);
}

/* A member of a class, of that line; 0: of all. */
static void put_member(struct buf *class, const char *name, const char *original, unsigned line)
{
    struct buf m = {0};

    proto_put_text(&m, 1, name);
    proto_put_text(&m, 2, original);
    if (line > 0) {
        proto_put_number(&m, 3, line);
        proto_put_number(&m, 4, line);
    }
    proto_put_message(class, 4, &m);
    buf_free(&m);
}

static void put_class(struct buf *b, struct buf *class)
{
    struct buf packet = {0}, mapping = {0};

    proto_put_text(&mapping, 1, "com.example");
    proto_put_message(&mapping, 3, class);
    proto_put_message(&packet, 64, &mapping);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&mapping);
}

/* 800 GB of names in 8 MB. */
TEST(a_long_class_of_many_members)
{
    struct buf b = {0}, class = {0};
    struct arena arena;

    put_sample(&b, "f", 1, 0);
    put_long(&class, 1, 'c', 4 << 20);
    put_long(&class, 2, 'd', 4 << 20);
    for (unsigned i = 0; i < 100000; i++)
        put_member(&class, "a", "b", 0);
    put_class(&b, &class);
    const struct profile *p = read_bytes(&arena, &b);
    assert_int_equal(profile_warned_count(p, WARN_NAME_CUT), 200000);
    arena_free(&arena);
    buf_free(&b);
    buf_free(&class);
}

static uint32_t depth_of(const struct profile *p)
{
    uint32_t deepest = 0;

    for (node_id i = 0; i < p->n_nodes; i++) {
        uint32_t depth = 0;
        for (node_id up = i; p->node_parent[up] != NODE_NONE; up = p->node_parent[up])
            depth++;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* All of them contain the line: each was looked for from the beginning. */
TEST(many_members_of_one_name)
{
    static const char *const ORIGINALS[] = {"b", "c"};

    for (unsigned line = 0; line <= 1; line++) {
        struct buf b = {0}, class = {0};
        struct arena arena;
        put_sample(&b, "c.a", line, 0);
        proto_put_text(&class, 1, "c");
        proto_put_text(&class, 2, "d");
        for (unsigned i = 0; i < 300000; i++)
            put_member(&class, "a", ORIGINALS[i % 2], line);
        put_class(&b, &class);
        const struct profile *p = read_bytes(&arena, &b);
        assert_true(profile_warned_count(p, WARN_MAPPING_CUT) > 290000);
        assert_in_range(depth_of(p), 1, 256);
        arena_free(&arena);
        buf_free(&b);
        buf_free(&class);
    }
}

TEST(many_lines_of_one_symbol)
{
    struct buf b = {0}, packet = {0}, module = {0}, address = {0}, line = {0};
    struct arena arena;

    put_sample(&b, "f", 0, 0);
    proto_put_text(&module, 1, "/p");
    proto_put_number(&address, 1, 16);
    for (unsigned i = 0; i < 300000; i++) {
        proto_put_text(&line, 1, "g");
        proto_put_message(&address, 2, &line);
    }
    proto_put_message(&module, 3, &address);
    proto_put_message(&packet, 61, &module);
    proto_put_message(&b, 1, &packet);
    const struct profile *p = read_bytes(&arena, &b);
    assert_int_equal(profile_warned_count(p, WARN_NAME_CUT), 300000 - 256);
    assert_int_equal(depth_of(p), 256);
    arena_free(&arena);
    buf_free(&b);
    buf_free(&packet);
    buf_free(&module);
    buf_free(&address);
    buf_free(&line);
}
