/* The profile table, written: which rows are shown in which order, and what the formats make of them. */
#include "tests/support/unit.h"

#include <string.h>

#include "render/table/table.h"
#include "render/table/table_format.h"
#include "tests/support/fake_profile.h"
#include "tests/support/rendering.h"

/* ---- which rows, in which order ---- */

static struct fake *few_methods(struct rendering *r)
{
    struct fake *f = fake_thread(STR("main"));

    fake_stack(f, "", 500, 500, 0);
    fake_stack(f, "b.B.run", 2999, 1999, 1);
    fake_stack(f, "b.B.run;a.A.run", 1000, 3000, 3);
    fake_stack(f, "c.C.Stop", 3999, 0, 2);
    fake_frame(f, STR("d.D"), STR("never"), STR("()V"));
    rendering_init(r, fake_finish(f));
    return f;
}

static struct table_request usual_table(void)
{
    struct asked usual;

    asked_defaults(&usual);
    return usual.table;
}

static bool set(struct table_request *request, struct str key, struct str value, struct diag *diag)
{
    struct asked asked = {.table = *request};
    bool ok = asked_set(&asked, KEYS_TABLE, key, value, diag);

    *request = asked.table;
    return ok;
}

static void check_order(struct rendering *r, const char *sort, const char *grep, const char *expected)
{
    const struct table *t = rendering_table(r, GROUP_METHOD);
    struct table_request request;
    struct selection s;
    struct diag d = {0};
    struct buf b = {0};

    request = usual_table();
    assert_true(sort[0] == '\0' || set(&request, STR("sort"), str_of(sort), &d));
    assert_true(set(&request, STR("grep"), str_of(grep), &d));
    assert_true(table_select(t, &request, str_of(r->view.value), &s, &r->arena, &d));
    assert_int_equal(s.n_present, 3);
    for (uint32_t i = 0; i < s.n; i++) {
        buf_z(&b, i == 0 ? "" : " ");
        buf_str(&b, table_name(t, s.rows[i]));
    }
    assert_buf(&b, expected);
}

TEST(order_and_filter)
{
    struct rendering r;
    struct fake *f = few_methods(&r);

    check_order(&r, "", "", "b.B.run c.C.Stop a.A.run"); /* equal wall times: by name */
    check_order(&r, "wall_incl", "", "b.B.run c.C.Stop a.A.run");
    check_order(&r, "-wall_incl", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "cpu_excl", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "waiting_incl", "", "c.C.Stop b.B.run a.A.run");
    check_order(&r, "calls", "", "a.A.run c.C.Stop b.B.run");
    check_order(&r, "recursive", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "class", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "-class", "", "c.C.Stop b.B.run a.A.run");
    check_order(&r, "method", "", "c.C.Stop a.A.run b.B.run");
    check_order(&r, "-method", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "line", "", "a.A.run b.B.run c.C.Stop");
    check_order(&r, "", "RUN", "b.B.run a.A.run");
    check_order(&r, "", "c.c.s", "c.C.Stop");
    check_order(&r, "", "never", "");
    strcpy(r.view.value, "cpu");
    check_order(&r, "", "", "b.B.run a.A.run c.C.Stop");
    strcpy(r.view.value, "calls");
    check_order(&r, "", "", "a.A.run c.C.Stop b.B.run");
    rendering_free(&r);
    fake_free(f);
}

TEST(range_of_rows)
{
    static const struct {
        uint32_t offset, limit, n;
    } CASES[] = {{0, UINT32_MAX, 3}, {0, 2, 2}, {2, 2, 1}, {3, 2, 0}, {UINT32_MAX - 1, UINT32_MAX, 0},
                 {0, 0, 0}};
    struct rendering r;
    struct fake *f = few_methods(&r);
    const struct table *t = rendering_table(&r, GROUP_METHOD);

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct table_request request = {.offset = CASES[i].offset, .limit = CASES[i].limit};
        struct selection s;
        struct diag d = {0};
        assert_true(table_select(t, &request, STR("wall"), &s, &r.arena, &d));
        assert_int_equal(s.n, CASES[i].n);
        assert_int_equal(s.n_matching, 3);
    }
    rendering_free(&r);
    fake_free(f);
}

TEST(refused_requests)
{
    static const char *const WRONG[][2] = {{"group", "methods"}, {"group", ""},          {"sort", ""},
                                           {"limit", "-1"},      {"limit", "x"},         {"limit", ""},
                                           {"offset", "1e3"},    {"limit", "4294967295"}};
    struct rendering r;
    struct fake *f = few_methods(&r);
    struct table_request request, before;
    struct selection s;
    char longer[TABLE_GREP_BYTES_MAX + 2];

    request = usual_table();
    before = request;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        struct diag d = {0};
        assert_false(set(&request, str_of(WRONG[i][0]), str_of(WRONG[i][1]), &d));
        assert_int_equal(d.kind, DIAG_USAGE);
        assert_non_null(strstr(d.detail, WRONG[i][0]));
    }
    memset(longer, 'a', sizeof(longer));
    struct diag d = {0};
    assert_false(set(&request, STR("grep"), (struct str){longer, sizeof(longer) - 1}, &d));
    assert_memory_equal(&request, &before, sizeof(request));
    assert_false(set(&request, STR("width"), STR("500"), &d));
    d = (struct diag){0};
    strcpy(request.sort, "wall_inc");
    assert_false(table_select(rendering_table(&r, GROUP_METHOD), &request, STR("wall"), &s, &r.arena, &d));
    assert_int_equal(d.kind, DIAG_USAGE);
    assert_non_null(strstr(d.detail, "wall_incl"));
    rendering_free(&r);
    fake_free(f);
}

/* ---- formats ---- */

static void check_format(struct rendering *r, const char *format, const struct table_request *request,
                         const char *expected)
{
    struct diag d = {0};
    struct buf b = {0};

    assert_true(view_resolve(&r->view, r->input.profile, &d));
    assert_true(table_write(&r->input, request, table_format_by_name(str_of(format)), &b, &d));
    assert_buf(&b, expected);
}

TEST(formats)
{
    struct rendering r;
    struct fake *f = few_methods(&r);
    struct table_request request;

    request = usual_table();
    check_format(&r, "tsv", &request,
                 "class\tmethod\tsignature\tfile\tline\tmodule\tcalls\trecursive\twall_incl\twall_excl\tcpu_"
                 "incl\tcpu_excl\t"
                 "waiting_incl\twaiting_excl\n"
                 "b.B\trun\t\t\t\t\t1\t0\t3\t2\t4\t1\t1\t1\n"
                 "c.C\tStop\t\t\t\t\t2\t0\t3\t3\t0\t0\t3\t3\n"
                 "a.A\trun\t\t\t\t\t3\t0\t1\t1\t3\t3\t0\t0\n");
    request.limit = 1;
    check_format(
        &r, "txt", &request,
        "wall, 8.498 \xc2\xb5s in 1 track; 1 of 3 rows by wall_incl\n\n"
        "  incl %      incl  excl %      excl  calls+recur      mean  method\n"
        "   100 %  8.498 \xc2\xb5s  5.88 %    500 ns                         (toplevel)\n"
        "  47.1 %  3.999 \xc2\xb5s  35.3 %  2.999 \xc2\xb5s            1  3.999 \xc2\xb5s  b.B.run\n");
    rendering_free(&r);
    fake_free(f);
}

TEST(hostile_names)
{
    static const uint64_t SELF[3] = {1000, 1000, 1};
    struct fake *f = fake_new();
    struct rendering r;
    struct table_request request;

    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("main"));
    fake_child(f, root, fake_frame(f, STR("=1+1"), STR("a\tb\nc\"d,e"), STR("@x")), SELF);
    fake_child(f, root, fake_frame(f, STR("-a,b"), STR("+\x1b[m"), STR("\xff")), SELF);
    rendering_of(&r, f);
    request = usual_table();
    strcpy(request.sort, "class");
    strcpy(r.view.value, "cpu");
    request.group = GROUP_CLASS;
    check_format(&r, "csv", &request,
                 "class,calls,recursive,wall_incl,wall_excl,cpu_incl,cpu_excl,waiting_incl,waiting_excl\n"
                 "\"'-a,b\",1,0,1,1,1,1,0,0\n'=1+1,1,0,1,1,1,1,0,0\n");
    request.group = GROUP_METHOD;
    check_format(
        &r, "csv", &request,
        "class,method,signature,file,line,module,calls,recursive,wall_incl,wall_excl,cpu_incl,cpu_excl,"
        "waiting_incl,waiting_excl\n"
        "\"'-a,b\",'+\xe2\x90\x9b[m,\xef\xbf\xbd,,,,1,0,1,1,1,1,0,0\n"
        "'=1+1,\"a\xe2\x90\x89"
        "b\xe2\x90\x8a"
        "c\"\"d,e\",'@x,,,,1,0,1,1,1,1,0,0\n");
    check_format(&r, "tsv", &request,
                 "class\tmethod\tsignature\tfile\tline\tmodule\tcalls\trecursive\twall_incl\twall_excl\tcpu_"
                 "incl\tcpu_excl\t"
                 "waiting_incl\twaiting_excl\n"
                 "-a,b\t+\xe2\x90\x9b[m\t\xef\xbf\xbd\t\t\t\t1\t0\t1\t1\t1\t1\t0\t0\n"
                 "=1+1\ta\xe2\x90\x89"
                 "b\xe2\x90\x8a"
                 "c\"d,e\t@x\t\t\t\t1\t0\t1\t1\t1\t1\t0\t0\n");
    rendering_free(&r);
}

/* Memory that ends anywhere on the way is said, and nothing is read or written outside of it. */
TEST(without_memory)
{
    uint64_t seed = 7;
    struct rendering r;
    struct diag d = {0};
    size_t limit = 0;
    bool ok = false;

    rendering_of(&r, fake_random(&seed, 2, 200, false));
    assert_true(view_resolve(&r.view, r.input.profile, &d));
    for (; !ok; limit += 500) {
        struct arena scratch;
        struct buf out = {0};
        struct table_request request;
        d = (struct diag){0};
        arena_init(&scratch, limit);
        r.input.scratch = &scratch;
        request = usual_table();
        strcpy(request.sort, "class");
        ok = table_write(&r.input, &request, &TABLE_JSON, &out, &d);
        assert_true(ok || d.kind == DIAG_LIMIT);
        buf_free(&out);
        arena_free(&scratch);
    }
    assert_true(limit > 1000);
    rendering_free(&r);
}
