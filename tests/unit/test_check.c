/* Checks of made runs: what fails, passes and is not known, how often wrongly, and how it is written. */
#include "tests/support/unit.h"

#include <string.h>

#include "runs/check.h"
#include "tests/support/random.h"

enum { ARENA_BYTES = 64 << 20, RUNS_MAX = 60, METHODS_MAX = 40 };

/* ---- made runs ---- */

/* Of one run: what its methods cost by themselves and with what they call. The total is that of `total`. */
struct made {
    const char *names[METHODS_MAX]; /* in order */
    int64_t inclusive[METHODS_MAX];
    uint32_t n;
    int64_t total, in_main;
};

struct fixture {
    struct arena arena;
    struct buf texts[2][RUNS_MAX];
    struct run_digest digests[2][RUNS_MAX];
    uint32_t n[2];
    struct check check;
};

static struct fixture f;

static void begin_runs(void)
{
    arena_init(&f.arena, ARENA_BYTES);
    f.n[0] = f.n[1] = 0;
}

static void end_runs(void)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < f.n[side]; i++)
            buf_free(&f.texts[side][i]);
    arena_free(&f.arena);
}

static void put_number(struct buf *b, int64_t number)
{
    buf_printf(b, "\t%lld", (long long)number);
}

static void add_run(unsigned side, const struct made *m)
{
    uint32_t i = f.n[side]++;
    struct buf *b = &f.texts[side][i];
    struct diag diag = {0};

    *b = (struct buf){0};
    buf_z(b, "aflamed-digest\t1\nvalue\twall\tns");
    put_number(b, m->total);
    buf_z(b, "\nvalue\tallocated\tbytes");
    put_number(b, m->total * 2);
    buf_z(b, "\nthread\tcom.app\tmain");
    put_number(b, m->in_main);
    put_number(b, m->in_main * 2);
    buf_printf(b, "\nmethods\t%u\t0\n", m->n);
    for (uint32_t k = 0; k < m->n; k++) {
        buf_printf(b, "%s\t1", m->names[k]);
        put_number(b, m->inclusive[k]);
        put_number(b, m->inclusive[k] / 2);
        put_number(b, m->inclusive[k] * 2);
        put_number(b, 0);
        buf_char(b, '\n');
    }
    assert_true(run_digest_open(&f.digests[side][i], buf_view(b), &diag));
}

/* A run of one method that is all. */
static void add_simple(unsigned side, int64_t cost)
{
    add_run(side, &(struct made){{"com.app.A.a"}, {cost}, 1, cost, cost});
}

static bool try_rules(const char *const *texts, uint32_t n, struct diag *diag)
{
    struct fail_rule rules[8];
    struct check_input in = {f.digests[0], f.digests[1], f.n[0], f.n[1], rules, n};

    for (uint32_t i = 0; i < n; i++)
        assert_true(fail_rule_parse(str_of(texts[i]), &rules[i], diag));
    return check_run(&in, &f.arena, &f.check, diag);
}

/* NULL: no rule. */
static enum check_state state_by(const char *rule)
{
    struct diag diag = {0};

    if (!try_rules(&rule, rule != NULL, &diag))
        fail_msg("%s", diag.detail);
    return f.check.state;
}

static bool near(double value, double expected)
{
    return value > expected - 1e-9 && value < expected + 1e-9;
}

static void assert_str(struct str s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.p, expected, s.n);
}

/* ---- the three states ---- */

TEST(equal_runs_pass)
{
    for (uint32_t n = 1; n <= 5; n += 2) {
        begin_runs();
        for (uint32_t i = 0; i < n; i++) {
            add_simple(0, 1000000);
            add_simple(1, 1000000);
        }
        assert_int_equal(state_by(NULL), CHECK_PASS);
        assert_int_equal(state_by("total>0%"), CHECK_PASS);
        assert_int_equal(state_by("total>0ns"), CHECK_PASS);
        assert_int_equal(f.check.n_changed, 0);
        end_runs();
    }
}

TEST(one_run_each_decides_nothing)
{
    begin_runs();
    add_simple(0, 1000000);
    add_simple(1, 2000000);
    assert_int_equal(state_by("total>5%"), CHECK_INCONCLUSIVE);
    assert_false(f.check.rules[0].measure.has_interval);
    assert_int_equal(f.check.rules[0].more.runs, 3);
    assert_true(f.check.rules[0].more.of_each);
    assert_int_equal(state_by("total>200%"), CHECK_INCONCLUSIVE);
    end_runs();
}

/* Counts have no noise: from four of each on it is known. */
TEST(steady_runs_decide)
{
    begin_runs();
    for (unsigned i = 0; i < 4; i++) {
        add_simple(0, 1000000);
        add_simple(1, 1100000);
    }
    assert_int_equal(state_by("total>5%"), CHECK_FAIL);
    assert_true(near(f.check.rules[0].measure.change, 1.1));
    assert_int_equal(state_by("total>20%"), CHECK_PASS);
    assert_int_equal(state_by("total>0.05ms"), CHECK_FAIL);
    assert_true(near(f.check.rules[0].measure.change, 100000));
    assert_int_equal(state_by("total>0.2ms"), CHECK_PASS);
    assert_int_equal(state_by("allocated_incl:total>150KiB"), CHECK_FAIL);
    assert_int_equal(state_by("allocated_excl:com.app.A.a>0B"), CHECK_PASS);
    assert_int_equal(state_by("thread:main>5%"), CHECK_FAIL);
    assert_int_equal(state_by("thread:com.app>5%"), CHECK_FAIL);
    assert_int_equal(state_by("thread:Binder>5%"), CHECK_INCONCLUSIVE);
    assert_int_equal(f.check.rules[0].n_fitting, 0);
    end_runs();
}

TEST(all_rules_count)
{
    static const char *const RULES[] = {"total>50%", "com.app.B.*>5%", "com.app.A.a>5%"};
    struct diag diag = {0};

    begin_runs();
    for (unsigned i = 0; i < 4; i++) {
        add_simple(0, 1000000);
        add_simple(1, 1100000);
    }
    assert_true(try_rules(RULES, 1, &diag));
    assert_int_equal(f.check.state, CHECK_PASS);
    assert_true(try_rules(RULES, 2, &diag));
    assert_int_equal(f.check.state, CHECK_INCONCLUSIVE);
    assert_true(try_rules(RULES, 3, &diag));
    assert_int_equal(f.check.state, CHECK_FAIL);
    end_runs();
}

/* ---- methods ---- */

#define MANY_NAMES                                                                                       \
    {                                                                                                    \
        "a.A.big(I)V", "a.A.gone", "a.A.new", "a.A.small", "b.B.f(int) [lib.so]", "b.B.f(long) [lib.so]" \
    }

/* The last two take the same in both, the first is 20 % slower in B. */
static void add_many(unsigned side, int64_t by)
{
    struct made m = {.names = MANY_NAMES,
                     .inclusive = {side == 0 ? 1000000 : 1200000, side == 0 ? 50000 : 0,
                                   side == 0 ? 0 : 60000, side == 0 ? 100 : 300, 400000, 500000},
                     .n = 6,
                     .total = 2000000,
                     .in_main = 1000000};

    for (uint32_t i = 0; i < m.n; i++)
        if (m.inclusive[i] == 0) {
            memmove(&m.names[i], &m.names[i + 1], (m.n - i - 1) * sizeof(m.names[0]));
            memmove(&m.inclusive[i], &m.inclusive[i + 1], (m.n - i - 1) * sizeof(m.inclusive[0]));
            m.n--;
        }
    for (uint32_t i = 0; i < m.n; i++)
        m.inclusive[i] += by;
    add_run(side, &m);
}

static void begin_many(unsigned n)
{
    begin_runs();
    for (unsigned i = 0; i < n; i++) {
        add_many(0, i);
        add_many(1, i);
    }
}

TEST(patterns_fit)
{
    static const struct {
        const char *rule;
        enum check_state state;
        uint32_t fitting;
        const char *subject;
    } CASES[] = {
        {"a.A.big>5%", CHECK_FAIL, 1, "a.A.big(I)V"},
        {"a.A.big(I)V>5%", CHECK_FAIL, 1, "a.A.big(I)V"},
        {"a.A.bi>5%", CHECK_INCONCLUSIVE, 0, ""},
        {"a.A.b*>5%", CHECK_FAIL, 1, "a.A.big(I)V"},
        {"*.f>5%", CHECK_PASS, 2, NULL},
        {"b.B.f(int)>5%", CHECK_PASS, 1, "b.B.f(int) [lib.so]"},
        {"b.B.f(long) [lib.so]>5%", CHECK_PASS, 1, "b.B.f(long) [lib.so]"},
        {"*[lib.so]>5%", CHECK_PASS, 2, NULL},
        {"*>5%", CHECK_FAIL, 5, "a.A.big(I)V"},
        {"a.A.small>5%", CHECK_FAIL, 1, "a.A.small"}, /* named, it counts, however small */
        {"a.A.sma*>5%", CHECK_PASS, 0, ""},
        {"a.A.gone>5%", CHECK_PASS, 1, "a.A.gone"},
        {"a.A.new>5%", CHECK_FAIL, 1, "a.A.new"},
    };

    begin_many(8);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_int_equal(state_by(CASES[i].rule), CASES[i].state);
        assert_int_equal(f.check.rules[0].n_fitting, CASES[i].fitting);
        if (CASES[i].subject != NULL)
            assert_str(f.check.rules[0].subject, CASES[i].subject);
    }
    end_runs();
}

TEST(changed_methods_are_named)
{
    begin_many(8);
    (void)state_by(NULL);
    assert_int_equal(f.check.n_tested, 3);
    assert_true(f.check.can_be_sure);
    assert_int_equal(f.check.n_sure, 1);
    assert_int_equal(f.check.n_changed, 1);
    assert_str(f.check.changed[0].name, "a.A.big(I)V");
    assert_int_equal(f.check.changed[0].self_b - f.check.changed[0].self_a, 100000);
    assert_int_equal(f.check.n_added, 1);
    assert_str(f.check.added[0].name, "a.A.new");
    assert_int_equal(f.check.n_gone, 1);
    assert_str(f.check.gone[0].name, "a.A.gone");
    end_runs();
}

/* Four against four have 70 arrangements: of 40 methods none can be told from chance, neither by the list nor by a rule. */
TEST(few_runs_prove_nothing_of_many_methods)
{
    static char names[METHODS_MAX][8];
    struct made m = {.n = METHODS_MAX, .total = 40000000, .in_main = 1};
    uint64_t seed = 1;

    begin_runs();
    for (uint32_t k = 0; k < METHODS_MAX; k++) {
        names[k][0] = 'm';
        names[k][1] = (char)('0' + k / 10);
        names[k][2] = (char)('0' + k % 10);
        m.names[k] = names[k];
    }
    for (unsigned run = 0; run < 8; run++) {
        for (uint32_t k = 0; k < METHODS_MAX; k++)
            m.inclusive[k] = (int64_t)random_noisy(&seed, run >= 4 && k == 7 ? 1300000 : 1000000, 1);
        add_run(run / 4, &m);
    }
    assert_int_equal(state_by("m07>5%"), CHECK_FAIL);
    assert_int_equal(state_by("m*>5%"), CHECK_INCONCLUSIVE);
    assert_str(f.check.rules[0].subject, "m07");
    assert_in_range(f.check.rules[0].more.runs, 1, 6);
    assert_false(f.check.can_be_sure);
    assert_int_equal(f.check.n_sure, 0);
    assert_true(f.check.n_changed > 0);
    assert_str(f.check.changed[0].name, "m07");
    end_runs();
}

/* ---- how often ---- */

/* The whole run differs by 3 %, and each method by 1 % more; the third of them is so much slower in B. */
static void add_noisy(unsigned side, uint64_t *seed, unsigned percent)
{
    struct made m = {.names = {"a.a", "b.b", "c.c", "d.d"}, .n = 4};
    static const unsigned COSTS[] = {40000000, 30000000, 20000000, 10000000};
    uint64_t speed = random_noisy(seed, 1000, 3);

    for (uint32_t k = 0; k < m.n; k++) {
        uint64_t cost = random_noisy(seed, COSTS[k] * speed / 1000, 1);
        m.inclusive[k] = (int64_t)(side == 1 && k == 2 ? cost * (100 + percent) / 100 : cost);
        m.total += m.inclusive[k];
    }
    add_run(side, &m);
}

static void count_states(const char *rule, uint32_t n_a, uint32_t n_b, unsigned percent, unsigned rounds,
                         unsigned of[3])
{
    uint64_t seed = 6;

    memset(of, 0, 3 * sizeof(of[0]));
    for (unsigned round = 0; round < rounds; round++) {
        begin_runs();
        for (uint32_t i = 0; i < n_a; i++)
            add_noisy(0, &seed, percent);
        for (uint32_t i = 0; i < n_b; i++)
            add_noisy(1, &seed, percent);
        of[state_by(rule)]++;
        end_runs();
    }
}

TEST(false_alarms_are_rare)
{
    unsigned of[3];

    count_states("total>5%", 5, 5, 0, 1000, of);
    assert_in_range(of[CHECK_FAIL], 0, 10);
    assert_in_range(of[CHECK_PASS], 950, 1000);
    count_states("total>5%", 50, 5, 0, 200, of);
    assert_in_range(of[CHECK_FAIL], 0, 2);
    assert_in_range(of[CHECK_PASS], 190, 200);
}

/* A growth of 5 % under noise of 3 %: five against five know it nearly every second time, and else that more runs are needed. */
TEST(a_slower_method_fails)
{
    unsigned of[3];

    count_states("c.c>2%", 5, 5, 5, 200, of);
    assert_in_range(of[CHECK_FAIL], 80, 200);
    assert_in_range(of[CHECK_PASS], 0, 4);
    count_states("c.c>2%", 50, 5, 5, 200, of);
    assert_in_range(of[CHECK_FAIL], 170, 200);
    assert_in_range(of[CHECK_PASS], 0, 2);
    count_states("c.c>2%", 20, 20, 5, 200, of);
    assert_in_range(of[CHECK_FAIL], 195, 200);
}

/* ---- refused ---- */

TEST(what_makes_no_sense_is_refused)
{
    static const char *const RULES[] = {"cpu_incl:total>5%", "total>5KiB", "allocated_incl:total>5ms"};

    begin_runs();
    add_simple(0, 1000000);
    add_simple(1, 1000000);
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
        struct diag diag = {0};
        assert_false(try_rules(&RULES[i], 1, &diag));
        assert_int_equal(diag.kind, DIAG_USAGE);
    }
    struct diag none = {0}, damaged = {0}, other = {0};
    f.digests[1][0].values[0].unit = UNIT_COUNT;
    assert_false(try_rules(NULL, 0, &other));
    assert_int_equal(other.kind, DIAG_USAGE);
    f.n[1] = 0;
    assert_false(try_rules(NULL, 0, &none));
    assert_int_equal(none.kind, DIAG_USAGE);
    f.n[1] = 1;
    f.digests[1][0].values[0].unit = UNIT_NS;
    f.digests[1][0].methods.n -= 2;
    assert_false(try_rules(NULL, 0, &damaged));
    assert_int_equal(damaged.kind, DIAG_UNUSABLE);
    end_runs();
}

TEST(runs_may_be_extreme)
{
    begin_runs();
    for (unsigned i = 0; i < 5; i++) {
        add_run(0, &(struct made){{"a", "b", "c"}, {0, INT64_MAX / 2, -5}, 3, -7, INT64_MIN / 2});
        add_run(1, &(struct made){{"a", "b", "d"}, {INT64_MAX / 2, 1, 0}, 3, INT64_MAX / 2, 1});
    }
    for (unsigned format = CHECK_TEXT; format <= CHECK_JSON; format++) {
        struct buf b = {0};
        assert_int_equal(state_by("*>5%"), CHECK_FAIL);
        check_write(&f.check, (enum check_format)format, &(struct check_links){.page = {NULL, 0}}, &b);
        assert_int_equal(state_by("total>1ns"), CHECK_FAIL);
        check_write(&f.check, (enum check_format)format, &(struct check_links){.page = {NULL, 0}}, &b);
        assert_false(b.failed);
        buf_free(&b);
    }
    end_runs();
}

/* Each amount of memory either suffices or is told to be too little. */
TEST(memory_may_end)
{
    for (size_t limit = 1;; limit *= 2) {
        struct diag diag = {0};
        begin_many(5);
        arena_free(&f.arena);
        arena_init(&f.arena, limit);
        bool ok = try_rules((const char *const[]){"*>5%"}, 1, &diag);
        assert_true(ok || diag.kind == DIAG_NO_MEMORY);
        end_runs();
        if (ok)
            break;
    }
}

/* ---- formats ---- */

static void written(enum check_format format, const struct check_links *links, struct buf *b)
{
    static const char *const RULES[] = {"total>5%", "a.A.big>5%", "b.*>5%", "x>1ms"};
    struct diag diag = {0};

    begin_many(8);
    assert_true(try_rules(RULES, 4, &diag));
    check_write(&f.check, format, links, b);
    end_runs();
}

TEST(text)
{
    struct buf b = {0};

    written(CHECK_TEXT, &(struct check_links){.page = STR_INIT("https://host/s/x/series")}, &b);
    assert_buf(
        &b,
        "FAIL: 8 runs against 8 of the baseline\n"
        "\n"
        "PASS          total>5%: total 0 % (95 %: 0 % to 0 %), 2 ms -> 2 ms\n"
        "FAIL          a.A.big>5%: a.A.big(I)V +20 % (95 %: +20 % to +20 %), 1 ms -> 1.2 ms\n"
        "PASS          b.*>5%: b.B.f(int) [lib.so] 0 % (95 %: 0 % to 0 %), 400 µs -> 400 µs; 2 of 2 methods pass\n"
        "INCONCLUSIVE  x>1ms: nothing fits in any run: is the name right?\n"
        "\n"
        "Of 3 methods with a thousandth of the total 1 changed; of such findings at most 5 % are chance.\n"
        "\n"
        "slower:\n"
        "  +200 µs, +20 %, 1 ms -> 1.2 ms, by itself +100 µs: a.A.big(I)V\n"
        "\n"
        "new:\n"
        "  60 µs: a.A.new\n"
        "\n"
        "gone:\n"
        "  50 µs: a.A.gone\n"
        "\n"
        "https://host/s/x/series\n");
}

TEST(markdown)
{
    struct buf b = {0};

    written(CHECK_MARKDOWN,
            &(struct check_links){STR_INIT("https://host/p/x/m/"), STR_INIT("https://host/x.png"),
                                  STR_INIT("https://host/s/x/series")},
            &b);
    assert_buf(
        &b,
        "### FAIL: `a.A.big>5%`, +20 %\n"
        "\n"
        "8 runs against 8 of the baseline.\n"
        "\n"
        "| | rule | change | 95 % interval | baseline | now | |\n"
        "|---|---|--:|---|--:|--:|---|\n"
        "| PASS | `total>5%` | 0 % | 0 % to 0 % | 2 ms | 2 ms |  |\n"
        "| **FAIL** | `a.A.big>5%` | +20 % | +20 % to +20 % | 1 ms | 1.2 ms | [`a.A.big(I)V`](https://host/p/x/m/a.A.big%28I%29V) |\n"
        "| PASS | `b.*>5%` | 0 % | 0 % to 0 % | 400 µs | 400 µs | [`b.B.f(int) [lib.so]`](https://host/p/x/m/b.B.f%28int%29%20%5Blib.so%5D); 2 of 2 methods pass |\n"
        "| INCONCLUSIVE | `x>1ms` | | | | | nothing fits in any run: is the name right? |\n"
        "\n"
        "Of 3 methods with a thousandth of the total 1 changed; of such findings at most 5 % are chance.\n"
        "\n"
        "| slower | | baseline | now | by itself | method |\n"
        "|--:|--:|--:|--:|--:|---|\n"
        "| +200 µs | +20 % | 1 ms | 1.2 ms | +100 µs | [`a.A.big(I)V`](https://host/p/x/m/a.A.big%28I%29V) |\n"
        "\n"
        "New: [`a.A.new`](https://host/p/x/m/a.A.new).\n"
        "\n"
        "Gone: `a.A.gone`.\n"
        "\n"
        "![what the time went to](https://host/x.png)\n"
        "\n"
        "[all runs](https://host/s/x/series)\n");
}

TEST(json)
{
    struct buf b = {0};

    written(CHECK_JSON, &(struct check_links){.page = STR_INIT("https://host/s/x/series")}, &b);
    assert_buf(
        &b,
        "{\"state\":\"FAIL\",\"runs\":{\"baseline\":8,\"now\":8},\"rules\":[{\"rule\":\"total>5%\","
        "\"state\":\"PASS\",\"value\":\"wall\",\"unit\":\"ns\",\"fitting\":1,\"failing\":0,"
        "\"subject\":\"total\",\"baseline\":2000000,\"now\":2000000,\"change\":0,\"interval\":[0,0],\"p\":1},"
        "{\"rule\":\"a.A.big>5%\",\"state\":\"FAIL\",\"value\":\"wall\",\"unit\":\"ns\",\"fitting\":1,"
        "\"failing\":1,\"subject\":\"a.A.big(I)V\",\"baseline\":1000003,\"now\":1200003,\"change\":0.2,"
        "\"interval\":[0.2,0.2],\"p\":0.0001554},{\"rule\":\"b.*>5%\",\"state\":\"PASS\",\"value\":\"wall\","
        "\"unit\":\"ns\",\"fitting\":2,\"failing\":0,\"subject\":\"b.B.f(int) [lib.so]\",\"baseline\":400003,"
        "\"now\":400003,\"change\":0,\"interval\":[0,0],\"p\":1},{\"rule\":\"x>1ms\","
        "\"state\":\"INCONCLUSIVE\",\"value\":\"wall\",\"unit\":\"ns\",\"fitting\":0,\"failing\":0}],"
        "\"value\":\"wall\",\"unit\":\"ns\",\"tested\":3,\"sure\":1,\"changed\":[{\"method\":\"a.A.big(I)V\","
        "\"sure\":true,\"baseline\":1000003,\"now\":1200003,\"change\":0.2,\"interval\":[0.2,0.2],"
        "\"p\":0.0001554,\"self_baseline\":500001,\"self_now\":600001}],\"new\":[{\"method\":\"a.A.new\","
        "\"sure\":false,\"baseline\":0,\"now\":60003,\"change\":null,\"interval\":[null,null],"
        "\"p\":0.0001554,\"self_baseline\":0,\"self_now\":30001}],\"gone\":[{\"method\":\"a.A.gone\","
        "\"sure\":false,\"baseline\":50003,\"now\":0,\"change\":-1,\"interval\":[-1,-1],\"p\":0.0001554,"
        "\"self_baseline\":25001,\"self_now\":0}],\"page\":\"https://host/s/x/series\"}"
        "\n");
}

static void assert_says(enum check_format format, const char *const *words, size_t n)
{
    struct buf b = {0};

    check_write(&f.check, format, &(struct check_links){.page = {NULL, 0}}, &b);
    buf_char(&b, '\0');
    assert_false(b.failed);
    for (size_t i = 0; i < n; i++)
        if (strstr(b.p, words[i]) == NULL)
            fail_msg("does not say \"%s\":\n%s", words[i], b.p);
    buf_free(&b);
}

/* Who has too few runs is told how many more decide, in each format. */
TEST(few_runs_are_told)
{
    static const char *const ONE[] = {"INCONCLUSIVE: 1 run against 1 of the baseline",
                                      "total 0 % (95 %: too few runs)", "run 3 more of each side",
                                      "none changed for sure. So few runs cannot"},
                             *const IN_JSON[] = {"\"interval\":null",
                                                 "\"more\":{\"runs\":3,\"of\":\"each\"}"},
                             *const NONE[] = {"No method has a thousandth of the total on both sides.",
                                              "more than 100 more runs would be needed"};

    begin_runs();
    add_run(0, &(struct made){{"a", "b"}, {90, 80}, 2, 1000000, 1});
    add_run(1, &(struct made){{"a", "b"}, {90, 80}, 2, 999000, 1});
    assert_int_equal(state_by("total>0.1ms"), CHECK_INCONCLUSIVE);
    assert_int_equal(f.check.rules[0].more.runs, 3);
    assert_int_equal(state_by("total>0.1us"), CHECK_INCONCLUSIVE);
    assert_int_equal(state_by("total>0%"), CHECK_INCONCLUSIVE);
    add_run(1, &(struct made){{"a", "b"}, {90, 80}, 2, 1001500, 1});
    assert_int_equal(state_by("total>0%"), CHECK_INCONCLUSIVE);
    assert_says(CHECK_TEXT, NONE, 2);
    end_runs();
    begin_runs();
    add_simple(0, 1000000);
    add_simple(1, 1000400);
    assert_int_equal(state_by("total>5%"), CHECK_INCONCLUSIVE);
    assert_says(CHECK_TEXT, ONE, 4);
    assert_says(CHECK_JSON, IN_JSON, 2);
    end_runs();
}

/* Of many only the first are shown. */
TEST(many_changes_are_cut)
{
    static const char *const TEXT[] = {"\n  and 10 more\n\nnew:", "\n  and 5 more\n\ngone:",
                                       "; 30 of 40 methods fail", "from 0 (95 %: from 0)"},
                             *const MARKDOWN[] = {"### FAIL: `*>5%`, from 0, and 1 more rule\n",
                                                  "\n10 more are slower.\n", ", and 5 more.\n"},
                             *const RULES[] = {"*>5%", "o00>5%"};
    static char names[METHODS_MAX][8];
    struct diag diag = {0};

    begin_runs();
    for (unsigned run = 0; run < 8; run++) {
        struct made m = {.n = 30, .total = 30000000, .in_main = 1};
        for (uint32_t k = 0; k < m.n; k++) {
            /* Twenty that both have, and ten of each side alone. */
            names[k][0] = (char)(k < 20 ? 'm' : 'n' + run / 4);
            names[k][1] = (char)('0' + k % 20 / 10);
            names[k][2] = (char)('0' + k % 10);
            m.names[k] = names[k];
            m.inclusive[k] = run < 4 || k >= 20 ? 1000000 : 1100000;
        }
        add_run(run / 4, &m);
    }
    assert_true(try_rules(RULES, 2, &diag));
    assert_int_equal(f.check.n_sure, 20);
    assert_int_equal(f.check.n_added, 10);
    assert_int_equal(f.check.n_gone, 10);
    assert_says(CHECK_TEXT, TEXT, 4);
    assert_says(CHECK_MARKDOWN, MARKDOWN, 3);
    end_runs();
}

/* A name cannot leave its cell, its code or its link. */
TEST(hostile_names_in_markdown)
{
    struct buf b = {0};

    begin_runs();
    for (unsigned i = 0; i < 5; i++) {
        add_run(0, &(struct made){{"a``|](x)<b> @all"}, {1000}, 1, 1000, 1});
        add_run(1, &(struct made){{"a``|](x)<b> @all"}, {2000}, 1, 1000, 1});
    }
    assert_int_equal(state_by("a*>5%"), CHECK_FAIL);
    check_write(&f.check, CHECK_MARKDOWN, &(struct check_links){.method = STR_INIT("https://host/a b)")}, &b);
    buf_char(&b, '\0');
    assert_non_null(strstr(b.p, "| [``` a``\\|](x)<b> @all ```](https://host/a%20b%29"
                                "a%60%60%7C%5D%28x%29%3Cb%3E%20%40all) |"));
    buf_free(&b);
    end_runs();
}
