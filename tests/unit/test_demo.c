/* The demo trace, from the bytes that are uploaded to the graph: it has to be as good as it says it is. */
#include "tests/support/test_input.h"
#include "tests/support/unit.h"

#include "server/config/config_load.h"
#include "server/convert/convert.h"
#include "server/demo/demo.h"

static struct buf trace(void)
{
    struct buf b = {0};

    assert_true(demo_write(&b));
    return b;
}

static struct shared_profile *fold(const struct buf *b)
{
    struct test_input input = {.bytes = buf_view(b)};
    const struct source_input in = test_input_of(&input);
    struct config config;
    struct diag diag = {0};

    config_defaults(&config);
    struct conversion *f = conversion_new(&config);
    assert_non_null(f);
    struct shared_profile *folded = conversion_read(f, &in, &diag);
    assert_non_null(folded);
    return folded;
}

static const struct profile_track *track_named(const struct profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (str_eq(profile_string(p, p->tracks[i].name), str_of(name)))
            return &p->tracks[i];
    fail_msg("no thread %s", name);
    return NULL;
}

TEST(same_bytes_each_time)
{
    struct buf first = trace(), second = {0};

    buf_z(&second, "before");
    assert_true(demo_write(&second));
    assert_int_equal(second.n, first.n + 6);
    assert_memory_equal(second.p, "before", 6);
    assert_memory_equal(second.p + 6, first.p, first.n);
    assert_in_range(first.n, 100 << 10, 300 << 10);
    buf_free(&first);
    buf_free(&second);
}

/* Nothing to warn of; the header's numbers are those of the records; both clocks are there. */
TEST(complete)
{
    struct buf b = trace();
    struct shared_profile *f = fold(&b);
    const struct profile *p = shared_profile_get(f);
    uint64_t records = 0, declared = 0;

    for (uint32_t i = 0; i < p->n_warnings; i++)
        fail_msg("%.*s", (int)p->warnings[i].text.n, p->warnings[i].text.p);
    assert_true(str_eq(p->format, STR("android-trace")));
    assert_true(str_eq(profile_fact(p, STR("clock")), STR("dual")));
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        records += p->tracks[i].records;
        assert_int_equal(p->tracks[i].records, 2 * p->tracks[i].calls);
    }
    assert_true(str_to_u64(profile_fact(p, STR("declared_records")), 10, &declared));
    assert_int_equal(records, declared);
    shared_profile_free(f);
    buf_free(&b);
}

/* The first thread is the process's own and the busiest; wall time is more than CPU time in every thread, and
 * much more where the app waits for the network. */
TEST(threads_are_plausible)
{
    struct buf b = trace();
    struct shared_profile *f = fold(&b);
    const struct profile *p = shared_profile_get(f);
    uint32_t order[64], wall = profile_value_by_role(p, ROLE_WALL), cpu = profile_value_by_role(p, ROLE_CPU);

    assert_in_range(p->n_tracks, 12, 64);
    profile_tracks_by_weight(p, order);
    const struct profile_track *main_thread = &p->tracks[order[0]];
    assert_true(str_eq(profile_string(p, main_thread->name), STR("main")));
    assert_in_range(profile_total(p, main_thread->first, wall), 1600000000, 1900000000);
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        node_id root = p->tracks[i].first;
        assert_true(profile_total(p, root, wall) >= profile_total(p, root, cpu));
        assert_true(profile_total(p, root, cpu) > 0);
    }
    node_id network = track_named(p, "OkHttp https://api.recipes.example/...")->first;
    assert_true(profile_total(p, network, wall) > 4 * profile_total(p, network, cpu));
    shared_profile_free(f);
    buf_free(&b);
}

/* What a graph has to cope with is all there: recursion, overloads, initialisers, inner classes, lambdas. */
TEST(shows_what_there_is)
{
    struct buf b = trace();
    struct shared_profile *f = fold(&b);
    const struct profile *p = shared_profile_get(f);
    bool recursion = false, overload = false, init = false, clinit = false, lambda = false, deep = false;
    uint32_t depth[20000];

    assert_in_range(p->n_nodes, 400, 20000);
    for (node_id n = 0; n < p->n_nodes; n++) {
        depth[n] = p->node_parent[n] == NODE_NONE ? 0 : depth[p->node_parent[n]] + 1;
        recursion = recursion || (p->node_flags[n] & NODE_RECURSIVE) != 0;
        deep = deep || depth[n] > 35;
    }
    for (uint32_t i = 0; i < p->n_frames; i++) {
        const struct profile_frame *x = &p->frames[i];
        struct str name = profile_string(p, x->name), scope = profile_string(p, x->scope);
        init = init || str_eq(name, STR("<init>"));
        clinit = clinit || str_eq(name, STR("<clinit>"));
        lambda = lambda || str_find_str(scope, STR("$$ExternalSyntheticLambda")) < scope.n;
        for (uint32_t j = 0; j < i; j++)
            overload = overload || (p->frames[j].scope == x->scope && p->frames[j].name == x->name &&
                                    p->frames[j].signature != x->signature);
    }
    assert_true(recursion && overload && init && clinit && lambda && deep);
    shared_profile_free(f);
    buf_free(&b);
}

/* Signatures are descriptors, with every {Type} replaced; files are named after the outermost class. */
TEST(methods_are_well_formed)
{
    struct buf b = trace();
    struct shared_profile *f = fold(&b);
    const struct profile *p = shared_profile_get(f);

    for (uint32_t i = 0; i < p->n_frames; i++) {
        struct str scope = profile_string(p, p->frames[i].scope);
        struct str signature = profile_string(p, p->frames[i].signature);
        struct str file = profile_string(p, p->frames[i].file);
        assert_true(scope.n > 0 && str_find(scope, '/') == scope.n);
        assert_true(signature.n >= 3 && signature.p[0] == '(');
        assert_true(str_find(signature, '{') == signature.n && str_find(signature, '}') == signature.n);
        assert_true(str_ends(file, STR(".java")) || str_ends(file, STR(".kt")));
        assert_true(str_find(file, '$') == file.n);
    }
    shared_profile_free(f);
    buf_free(&b);
}

/* Of every limit on the output: the whole trace, or nothing and false. */
TEST(short_memory)
{
    struct buf whole = trace();

    for (size_t limit = 1; limit < whole.n; limit += limit / 2 + 1) {
        struct buf b;
        buf_init(&b, limit);
        assert_false(demo_write(&b));
        assert_int_equal(b.n, 0);
        buf_free(&b);
    }
    buf_free(&whole);
}
