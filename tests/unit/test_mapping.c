/* mapping.txt: its lines and comments, what a name was, and profiles whose names it tells. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "parser/mapping/mapping_reader.h"
#include "profile/mapping/mapping_apply.h"
#include "profile/rename/rename.h"
#include "profile/transform/transform.h"
#include "tests/support/builder_fixture.h"

enum { MIB = 1 << 20 };

static const struct hash_seed SEED = {3, 5};

struct fixture {
    struct arena arena;
    struct mapping *mapping;
    struct mapping_answer answer;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    arena_init(&f->arena, 64 * MIB);
    f->mapping = mapping_new(&f->arena, SEED);
    assert_non_null(f->mapping);
}

static void end(struct fixture *f)
{
    arena_free(&f->arena);
}

static void want(struct fixture *f, const char *scope, const char *name, const char *signature)
{
    assert_true(mapping_want(f->mapping, str_of(scope), str_of(name), str_of(signature)));
}

/* In pieces of so many bytes. */
static bool feed(struct fixture *f, struct str text, size_t piece, struct diag *diag)
{
    struct mapping_reader *r = mapping_reader_new(f->mapping);
    bool ok = true;

    assert_non_null(r);
    for (size_t i = 0; ok && i < text.n; i += piece)
        ok = mapping_reader_feed(r, text.p + i, text.n - i < piece ? text.n - i : piece);
    ok = ok && mapping_reader_finish(r);
    *diag = *mapping_reader_diag(r);
    mapping_reader_free(r);
    return ok;
}

static void read_all(struct fixture *f, const char *text)
{
    struct diag diag;

    assert_true(feed(f, str_of(text), SIZE_MAX, &diag));
}

/* `found scope.name signature | ..`, the innermost first. */
static void ask(struct fixture *f, const char *scope, const char *name, const char *signature,
                const char *expected)
{
    struct mapping_question q = {str_of(scope), str_of(name), str_of(signature)};
    struct buf b = {0};

    assert_true(mapping_resolve(f->mapping, &q, &f->answer));
    buf_u64(&b, f->answer.found);
    for (size_t i = 0; i < f->answer.n_frames; i++) {
        const struct mapping_frame *a = &f->answer.frames[i];
        buf_printf(&b, "%s %.*s.%.*s%.*s",
                   i > 0 && a->candidate != f->answer.frames[i - 1].candidate ? " |" : "", (int)a->scope.n,
                   a->scope.p, (int)a->name.n, a->name.p, (int)a->signature.n, a->signature.p);
    }
    assert_buf(&b, expected);
}

/* ---- names ---- */

static const char OVERLOADS[] =
    "# compiler: R8\n"
    "# pg_map_id: 1a2b3c4\n"
    "com.example.Shop -> a.b:\n"
    "    int count -> a\n"
    "    1:3:void open(int):10:12 -> a\n"
    "    4:4:void open(int):14 -> a\n"
    "    1:1:java.lang.String find(com.example.Item,long[]):20:20 -> a\n"
    "    1:1:void close():30:30 -> b\n"
    "    1:1:boolean com.example.Base.same(java.lang.Object):40:40 -> c\n"
    "    # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(La/c;)Z\"}\n"
    "    1:1:void first():50:50 -> d\n"
    "    2:2:void second():60:60 -> d\n"
    "com.example.Item -> a.c:\n";

static void want_shop(struct fixture *f)
{
    static const char *const NAMES[] = {"a", "b", "c", "d", "e"};

    for (size_t i = 0; i < 5; i++)
        want(f, "a.b", NAMES[i], "(La/c;[J)Ljava/lang/String;");
    want(f, "x.y", "z", "(La/c;)V");
}

TEST(names_are_told_by_types)
{
    struct fixture f;

    begin(&f);
    want_shop(&f);
    read_all(&f, OVERLOADS);
    ask(&f, "a.b", "a", "(I)V", "3 com.example.Shop.open(I)V");
    ask(&f, "a.b", "a", "(La/c;[J)Ljava/lang/String;",
        "3 com.example.Shop.find(Lcom/example/Item;[J)Ljava/lang/String;");
    ask(&f, "a.b", "a", "(La/c;[J)V", "3 com.example.Shop.find(Lcom/example/Item;[J)Ljava/lang/String;");
    ask(&f, "a.b", "a", "(D)La/c;", "2 com.example.Shop.a(D)Lcom/example/Item;");
    ask(&f, "a.b", "c", "(La/c;)Z", "3 com.example.Base.same(Ljava/lang/Object;)Z");
    ask(&f, "a.b", "d", "", "3 com.example.Shop.first | com.example.Shop.second");
    ask(&f, "a.b", "e", "(La/c;)V", "1 com.example.Shop.e(Lcom/example/Item;)V");
    ask(&f, "x.y", "z", "(La/c;)V", "0 x.y.z(Lcom/example/Item;)V");
    assert_string_equal(f.mapping->id, "1a2b3c4");
    assert_int_equal(f.mapping->ignored, 0);
    assert_false(f.mapping->cut);
    end(&f);
}

TEST(any_cut_of_the_bytes_gives_the_same)
{
    for (size_t piece = 1; piece < 40; piece++) {
        struct fixture f;
        struct diag diag;
        begin(&f);
        want_shop(&f);
        assert_true(feed(&f, str_of(OVERLOADS), piece, &diag));
        ask(&f, "a.b", "a", "(I)V", "3 com.example.Shop.open(I)V");
        ask(&f, "a.b", "c", "(La/c;)Z", "3 com.example.Base.same(Ljava/lang/Object;)Z");
        assert_int_equal(f.mapping->ignored, 0);
        end(&f);
    }
}

/* Cut at any byte, or with any bit flipped: read, or refused with a reason; and what is asked then has an answer. */
TEST(any_damage_is_answered)
{
    size_t n = strlen(OVERLOADS);

    for (size_t i = 0; i < 9 * n; i++) {
        struct fixture f;
        struct diag diag;
        char *text = malloc(n);
        size_t left = i < n ? i : n;
        assert_non_null(text);
        memcpy(text, OVERLOADS, n);
        if (i >= n)
            text[(i - n) / 8] = (char)(text[(i - n) / 8] ^ 1 << (i - n) % 8);
        begin(&f);
        want_shop(&f);
        bool ok = feed(&f, (struct str){text, left}, 1 + i % 31, &diag);
        assert_int_equal(ok, diag.kind == DIAG_NONE);
        struct mapping_question q = {STR("a.b"), STR("a"), STR("(I)V")};
        assert_true(mapping_resolve(f.mapping, &q, &f.answer));
        end(&f);
        free(text);
    }
}

TEST(only_what_is_asked_for_is_kept)
{
    struct fixture f;
    struct buf text = {0};
    struct diag diag;

    begin(&f);
    want_shop(&f);
    for (unsigned i = 0; i < 20000; i++)
        buf_printf(&text, "com.other.Class%u -> q.a%u:\n    1:1:void method%u():1:1 -> a\n", i, i, i);
    buf_z(&text, OVERLOADS);
    size_t before = f.arena.used_bytes;
    assert_true(feed(&f, buf_view(&text), 1000, &diag));
    assert_true(f.arena.used_bytes - before < MIB / 4);
    ask(&f, "a.b", "b", "()V", "3 com.example.Shop.close()V");
    buf_free(&text);
    end(&f);
}

TEST(inlined_frames_are_a_stack)
{
    struct fixture f;

    begin(&f);
    want(&f, "a", "a", "");
    want(&f, "a", "b", "");
    read_all(&f, "app.Main -> a:\n"
                 "    1:1:void run():10:10 -> a\n"
                 "    2:4:void app.Help.inner(int):30:32 -> a\n"
                 "    2:4:void run():11 -> a\n"
                 "    0:65535:void app.Help.inner(int):30:32 -> b\n"
                 "    0:65535:void stop():11 -> b\n");
    ask(&f, "a", "a", "", "3 app.Main.run");
    ask(&f, "a", "b", "", "3 app.Help.inner app.Main.stop");
    end(&f);
}

/* No frame of a profile has a line, so a range of lines says nothing about which method it was. */
TEST(ranges_choose_no_method)
{
    struct fixture f;

    begin(&f);
    for (const char *name = "abcd"; *name != '\0'; name++)
        want(&f, "a", (char[]){*name, '\0'}, "");
    read_all(&f, "app.Main -> a:\n"
                 "    1:4:void alpha(int):10:13 -> a\n"
                 "    void beta(long) -> a\n"
                 "    0:65535:void alpha(int):10:10 -> b\n"
                 "    void beta(long) -> b\n"
                 "    1:4:void gamma():10:13 -> b\n"
                 "    void alpha(int) -> c\n"
                 "    1:4:void alpha(int):10:13 -> c\n"
                 "    0:0:void app.Help.inner(int):30 -> d\n"
                 "    0:0:void alpha(int):11 -> d\n"
                 "    1:4:void alpha(int):10:13 -> d\n");
    ask(&f, "a", "a", "", "3 app.Main.alpha | app.Main.beta");
    ask(&f, "a", "a", "(J)V", "3 app.Main.beta(J)V");
    ask(&f, "a", "b", "", "3 app.Main.alpha | app.Main.beta | app.Main.gamma");
    ask(&f, "a", "c", "", "3 app.Main.alpha");
    ask(&f, "a", "d", "", "3 app.Main.alpha");
    end(&f);
}

/* ---- what is no mapping, or not whole ---- */

TEST(what_is_no_mapping_is_refused)
{
    static const struct str FILES[] = {
        STR_INIT("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\b\6\0\0\0"),
        STR_INIT(""),
        STR_INIT("# nothing\n"),
        STR_INIT("hello\nworld\n"),
        STR_INIT("    void a() -> b\n"),
    };

    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        struct fixture f;
        struct diag diag;
        begin(&f);
        assert_false(feed(&f, FILES[i], SIZE_MAX, &diag));
        assert_int_equal(diag.kind, DIAG_UNUSABLE);
        assert_string_equal(diag.title, "not a mapping");
        end(&f);
    }
}

TEST(a_line_without_end_is_refused_early)
{
    struct fixture f;
    struct diag diag;
    struct buf text = {0};

    begin(&f);
    for (unsigned i = 0; i < 3 * MIB / 8; i++)
        buf_z(&text, "abcdefgh");
    assert_false(feed(&f, buf_view(&text), 4096, &diag));
    assert_int_equal(diag.kind, DIAG_UNUSABLE);
    buf_free(&text);
    end(&f);
}

TEST(the_hash_tells_whether_it_is_whole)
{
    /* printf 'a.B -> a:\n    void c() -> d\n' | sha256sum */
    static const char HEAD[] = "# pg_map_hash: SHA-256 "
                               "276f4cd0461a9bd935ac7a30dcf5eb74773e9ac2857a524e3ad9e7bbc1108a13\n";
    static const char BODY[] = "a.B -> a:\n    void c() -> d\n";

    for (size_t cut = 0; cut < 12; cut++) {
        struct fixture f;
        struct buf text = {0};
        struct diag diag;
        begin(&f);
        want(&f, "a", "d", "");
        buf_z(&text, HEAD);
        buf_bytes(&text, BODY, sizeof(BODY) - 1 - cut);
        assert_true(feed(&f, buf_view(&text), 5, &diag));
        assert_int_equal(f.mapping->cut, cut > 0);
        buf_free(&text);
        end(&f);
    }
}

TEST(bad_lines_are_counted)
{
    struct fixture f;

    begin(&f);
    want(&f, "a", "b", "");
    read_all(&f, "x.Y -> a:\n"
                 "    what is this\n"
                 "    1:void c() -> b\n"
                 "    99999999999:1:void c() -> b\n"
                 "    1:1:void c(:2 -> b\n"
                 "    1:1:void c():2:3:4 -> b\n"
                 "\r\n"
                 "other.Name -> a:\n"
                 "    1:1:void wrong():2:3 -> b\n"
                 "    1:1:void c():2:3 -> b\n");
    assert_int_equal(f.mapping->ignored, 6);
    ask(&f, "a", "b", "", "1 x.Y.b");
    end(&f);
}

TEST(one_method_has_a_bounded_number_of_lines)
{
    struct fixture f;
    struct buf text = {0};
    struct diag diag;

    begin(&f);
    want(&f, "a", "b", "");
    buf_z(&text, "x.Y -> a:\n");
    for (unsigned i = 0; i < MAPPING_MEMBERS_MAX + 10; i++)
        buf_printf(&text, "    %u:%u:void m%u():1:1 -> b\n", i + 1, i + 1, i);
    assert_true(feed(&f, buf_view(&text), 4096, &diag));
    assert_int_equal(f.mapping->ignored, 10);
    struct mapping_question q = {.scope = STR("a"), .name = STR("b"), .signature = STR("")};
    assert_true(mapping_resolve(f.mapping, &q, &f.answer));
    assert_int_equal(f.answer.n_candidates, MAPPING_CANDIDATES_MAX);
    buf_free(&text);
    end(&f);
}

/* ---- lines and comments ---- */

/* A name that a descriptor has many times is written as often. */
TEST(names_have_a_bounded_length)
{
    static const size_t LENGTHS[] = {4096, 4097, 1000000};
    struct buf text = {0}, signature = {0};
    struct fixture f;

    buf_char(&signature, '(');
    for (unsigned i = 0; i < 1300; i++)
        buf_z(&signature, "La;");
    buf_z(&signature, ")V");
    buf_char(&signature, '\0');
    for (size_t i = 0; i < 3; i++) {
        begin(&f);
        want(&f, "x", "m", signature.p);
        want(&f, "x", "n", "(La;)V");
        buf_clear(&text);
        for (size_t k = 0; k < LENGTHS[i]; k++)
            buf_char(&text, 'c');
        buf_z(&text, " -> a:\n    void no() -> n\nX -> x:\n    void m1() -> m\n    void ");
        for (size_t k = 0; k < LENGTHS[i]; k++)
            buf_char(&text, 'n');
        buf_z(&text, "() -> n\n");
        buf_char(&text, '\0');
        read_all(&f, text.p);
        assert_int_equal(f.mapping->ignored, i == 0 ? 0 : 2);
        assert_int_equal(mapping_class_name(f.mapping, STR("a")).n, i == 0 ? 4096 : 1);
        buf_clear(&text);
        buf_printf(&text, "2 X.m%s", signature.p); /* too long to be told */
        buf_char(&text, '\0');
        ask(&f, "x", "m", signature.p, text.p);
        end(&f);
    }
    buf_free(&text);
    buf_free(&signature);
}

TEST(lines_are_parted)
{
    static const char *const CLASSES[] = {"a.B- ->b.c:\n", "a.B--> b.c:\n"};

    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct buf text = {0};
        begin(&f);
        want(&f, "b.c", "m", "(I[Lx/Y;)[I");
        want(&f, "b.c", "n", "");
        buf_z(&text, CLASSES[i]);
        buf_z(&text, "    int field -> m\n"
                     "    1:2:int[] a.b.C$D.e(int,x.Y[]):3:4 -> m\n"
                     "    5:3:void <init>() -> n\n");
        buf_char(&text, '\0');
        read_all(&f, text.p);
        ask(&f, "b.c", "m", "(I[Lx/Y;)[I", "3 a.b.C$D.e(I[Lx/Y;)[I");
        ask(&f, "b.c", "n", "", "3 a.B-.<init>");
        assert_int_equal(f.mapping->ignored, 0);
        buf_free(&text);
        end(&f);
    }
}

TEST(what_is_no_class_line_is_counted)
{
    static const char *const LINES[] = {"a.B -> b.c\n", "a.B -> :\n", " -> b:\n"};

    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        struct buf text = {0};
        begin(&f);
        want(&f, "b", "m", "");
        buf_z(&text, "x.Y -> b:\n");
        buf_z(&text, LINES[i]);
        buf_char(&text, '\0');
        read_all(&f, text.p);
        assert_int_equal(f.mapping->ignored, 1);
        buf_free(&text);
        end(&f);
    }
}

TEST(comments_are_parted)
{
    struct fixture f;

    begin(&f);
    want(&f, "a", "m", "");
    read_all(&f, "x.Y -> a:\n"
                 "# {'id':'sourceFile', fileName : \"A b.kt\"}\n"
                 "# {\"id\":\"some.day\",\"x\":1}\n"
                 "    void n() -> m\n"
                 "    # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(La;)\"]}\n"
                 "    # {\"id");
    ask(&f, "a", "m", "", "3 x.Y.n");
    assert_true(str_eq(f.answer.frames[0].file, STR("A b.kt")));
    end(&f);
}

/* ---- profiles ---- */

static const struct profile_value BYTES[] = {
    {STR_INIT("unreleased"), STR_INIT("unreleased"), UNIT_BYTES, ROLE_UNRELEASED},
    {STR_INIT("allocated"), STR_INIT("allocated"), UNIT_BYTES, ROLE_ALLOCATED},
};

static frame_id java_frame(struct builder *b, const char *scope, const char *name, enum frame_kind kind)
{
    return builder_frame(b, &(struct profile_frame){.scope = builder_string(b, str_of(scope)),
                                                    .name = builder_string(b, str_of(name)),
                                                    .kind = kind});
}

/* The node of this text below the track's root; its number of frames with that name must be one. */
static node_id node_of(const struct profile *p, const char *name)
{
    node_id found = NODE_NONE;

    for (node_id i = 0; i < p->n_nodes; i++)
        if (p->node_frame[i] != FRAME_NONE &&
            str_eq(profile_string(p, p->frames[p->node_frame[i]].name), str_of(name))) {
            assert_int_equal(found, NODE_NONE);
            found = i;
        }
    assert_int_not_equal(found, NODE_NONE);
    return found;
}

static const struct profile *mapped(const struct profile *p, const char *text, struct fixture *f)
{
    begin(f);
    assert_true(mapping_want_profile(f->mapping, p));
    read_all(f, text);
    const struct profile *to = mapping_apply(p, &(struct mapping_use){f->mapping, {"", 0}}, 1, &f->arena);
    assert_non_null(to);
    return to;
}

/* Two names of a release build that were one in the sources. */
TEST_WITH(moments_are_joined_as_well, builder_set_up, builder_tear_down)
{
    static const int64_t CHANGES[2][3] = {{100, 0, -40}, {7, 20, 0}};
    struct builder_fixture *fixture = *state;
    struct builder *b = fixture->builder;
    struct fixture f;
    uint32_t moment;

    assert_true(builder_values(b, NULL, 0, BYTES, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    for (uint32_t m = 0; m < 3; m++) {
        assert_true(builder_moment(b, track, m * 1000, &moment));
        for (int i = 0; i < 2; i++) {
            const frame_id stack[] = {java_frame(b, "a", i == 0 ? "a" : "b", FRAME_KIND_JAVA),
                                      java_frame(b, "a", "c", FRAME_KIND_NATIVE)};
            assert_true(builder_change(b, track, moment, builder_stack(b, track, NODE_NONE, stack, 2),
                                       (const int64_t[]){CHANGES[i][m], 5}));
        }
    }
    const struct profile *p = mapped(builder_finished(fixture),
                                     "app.Main -> a:\n    void same(int) -> a\n    void same(long) -> b\n"
                                     "    void never() -> c\n",
                                     &f);
    assert_int_equal(p->n_nodes, 3);
    assert_int_equal(profile_self(p, node_of(p, "c"), 0), 87);
    assert_int_equal(profile_total(p, node_of(p, "same"), 0), 87);
    static const uint64_t SUMS[] = {107, 127, 87};
    for (uint32_t m = 0; m < 3; m++) {
        const struct profile *at = moment_apply(p, &(struct moment_request){m + 1, false, 0}, &f.arena);
        assert_non_null(at);
        assert_int_equal(profile_total(at, 0, 0), SUMS[m]);
        assert_int_equal(profile_total(at, node_of(at, "same"), 1), 10 * (m + 1));
    }
    end(&f);
}

TEST_WITH(samples_get_the_stacks_that_were_inlined, builder_set_up, builder_tear_down)
{
    struct builder_fixture *fixture = *state;
    struct builder *b = fixture->builder;
    struct fixture f;

    assert_true(builder_values(b, NULL, 0, BYTES, 2));
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    const frame_id stack[] = {java_frame(b, "a", "a", FRAME_KIND_UNKNOWN),
                              java_frame(b, "o", "o", FRAME_KIND_UNKNOWN),
                              java_frame(b, "a", "b", FRAME_KIND_UNKNOWN)};
    for (size_t n = 1; n <= 3; n++)
        assert_true(
            builder_sample(b, track, builder_stack(b, track, NODE_NONE, stack, n), (const uint64_t[]){n, 1}));
    const struct profile *p = mapped(builder_finished(fixture),
                                     "app.Main -> a:\n"
                                     "    0:0:void app.Help.inner():30 -> a\n"
                                     "    0:0:void run():11 -> a\n"
                                     "    void leaf() -> b\n"
                                     "shared.Piece -> o:\n"
                                     "    void piece() -> o\n"
                                     "    # {\"id\":\"com.android.tools.r8.outline\"}\n",
                                     &f);
    assert_int_equal(p->n_nodes, 4);
    assert_int_equal(p->node_parent[node_of(p, "leaf")], node_of(p, "inner"));
    assert_int_equal(p->node_parent[node_of(p, "inner")], node_of(p, "run"));
    assert_int_equal(p->frames[p->node_frame[node_of(p, "inner")]].kind, FRAME_KIND_INLINED);
    assert_int_equal(profile_self(p, node_of(p, "inner"), 0), 1 + 2);
    assert_int_equal(profile_self(p, node_of(p, "run"), 0), 0);
    assert_int_equal(profile_total(p, 0, 0), 6);
    end(&f);
}

/* Two apps that have the same residual names, and a process of which nothing is known. */
TEST_WITH(each_process_has_its_own_mapping, builder_set_up, builder_tear_down)
{
    static const char *const PROCESSES[] = {"com.one", "com.two:remote", "com.twofold", ""};
    static const char *const EXPECTED[] = {"one", "two", "a", "one"};
    static const char *const TEXTS[] = {"one.A -> a:\n    void one() -> a\n",
                                        "two.A -> a:\n    void two() -> a\n"};
    struct builder_fixture *fixture = *state;
    struct builder *b = fixture->builder;
    struct fixture f[2];
    struct mapping_use uses[2];

    assert_true(builder_values(b, NULL, 0, BYTES, 2));
    const frame_id frame = java_frame(b, "a", "a", FRAME_KIND_JAVA);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t track = builder_track(b, i, STRING_EMPTY);
        builder_track_is(b, track,
                         &(struct track_words){.kind = TRACK_THREAD,
                                               .number = i,
                                               .group = builder_string(b, str_of(PROCESSES[i]))});
        assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &frame, 1),
                                   (const uint64_t[]){1, 1}));
    }
    const struct profile *p = builder_finished(fixture);
    for (int i = 0; i < 2; i++) {
        begin(&f[i]);
        assert_true(mapping_want_profile(f[i].mapping, p));
        read_all(&f[i], TEXTS[i]);
        uses[i] = (struct mapping_use){f[i].mapping, i == 0 ? STR("com.one") : STR("com.two")};
    }
    const struct profile *to = mapping_apply(p, uses, 2, &f[0].arena);
    assert_non_null(to);
    for (uint32_t i = 0; i < 4; i++) {
        const struct profile_frame *made = &to->frames[to->node_frame[to->tracks[i].first + 1]];
        assert_true(str_eq(profile_string(to, made->name), str_of(EXPECTED[i])));
        assert_int_equal(to->mapped->list[to->mapped->sets[to->mapped->set[i]].first[frame]],
                         to->node_frame[to->tracks[i].first + 1]);
    }
    end(&f[0]);
    end(&f[1]);
}
