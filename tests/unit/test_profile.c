/* Look-ups in a profile: values, tracks, their order by weight, facts. */
#include "tests/support/unit.h"

#include "profile/profile.h"

enum { TRACKS_MAX = 64 };

/* A profile whose tracks have one node each. Values: wall, cpu, calls. */
struct fixture {
    struct profile profile;
    struct profile_track tracks[TRACKS_MAX];
    uint64_t totals[TRACKS_MAX * 3];
};

static const struct profile_value WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL};
static const struct profile_value CPU = {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU};
static const struct profile_value CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};

static void make(struct fixture *f, uint32_t n_tracks)
{
    *f = (struct fixture){.profile = {.n_values = 3, .values = {WALL, CPU, CALLS}}};
    for (uint32_t i = 0; i < n_tracks; i++)
        f->tracks[i] = (struct profile_track){.id = 10 * i + 5, .first = i, .count = 1};
    f->profile.tracks = f->tracks;
    f->profile.n_tracks = n_tracks;
    f->profile.n_nodes = n_tracks;
    f->profile.node_self = f->profile.node_total = f->totals;
}

TEST(values)
{
    struct fixture f;

    make(&f, 0);
    assert_int_equal(profile_value_by_role(&f.profile, ROLE_WALL), 0);
    assert_int_equal(profile_value_by_role(&f.profile, ROLE_CPU), 1);
    assert_int_equal(profile_value_by_role(&f.profile, ROLE_CALLS), 2);
    assert_int_equal(profile_value_by_role(&f.profile, ROLE_OTHER), 3);
    assert_int_equal(profile_value_by_name(&f.profile, STR("calls")), 2);
    assert_int_equal(profile_value_by_name(&f.profile, STR("cpu")), 1);
    assert_int_equal(profile_value_by_name(&f.profile, STR("cp")), 3);
    assert_int_equal(profile_value_by_name(&f.profile, STR("")), 3);
}

TEST(tracks_by_id)
{
    struct fixture f;

    for (uint32_t n = 0; n < 9; n++) {
        make(&f, n);
        for (uint32_t id = 0; id < 100; id++) {
            const struct profile_track *track = profile_track_by_id(&f.profile, id);
            if (id % 10 == 5 && id / 10 < n)
                assert_ptr_equal(track, &f.tracks[id / 10]);
            else
                assert_null(track);
        }
        assert_null(profile_track_by_id(&f.profile, UINT32_MAX));
    }
}

TEST(weight_is_cpu_where_there_is_one)
{
    struct fixture f;

    make(&f, 0);
    f.profile.n_times = 2;
    assert_int_equal(profile_weight_value(&f.profile), 1);
    f.profile.n_times = 0; /* samples, of which there is none */
    assert_int_equal(profile_weight_value(&f.profile), 0);
    f.profile.n_times = 2;
    f.profile.values[1] = CALLS;
    assert_int_equal(profile_weight_value(&f.profile), 0);
}

TEST(places_of_numbers)
{
    static const uint32_t LIST[] = {0, 3, 4, 9, UINT32_MAX};
    const uint32_t n = sizeof(LIST) / sizeof(*LIST);

    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(profile_place(LIST, n, LIST[i]), i);
    assert_int_equal(profile_place(LIST, n, 1), n);
    assert_int_equal(profile_place(LIST, n, 10), n);
    assert_int_equal(profile_place(LIST, n - 1, UINT32_MAX), n - 1);
    assert_int_equal(profile_place(NULL, 0, 0), 0);
}

TEST(order_by_weight)
{
    static const uint64_t CPU_NS[] = {5, 0, UINT64_MAX, 5, 7, 0};
    static const uint32_t EXPECTED[] = {2, 4, 0, 3, 1, 5}; /* equal ones by id */
    struct fixture f;
    uint32_t order[6];

    make(&f, 6);
    for (uint32_t i = 0; i < 6; i++) {
        f.totals[i * 3] = 100 - i; /* wall: does not count */
        f.totals[i * 3 + 1] = CPU_NS[i];
    }
    profile_tracks_by_weight(&f.profile, order);
    assert_memory_equal(order, EXPECTED, sizeof(EXPECTED));
    f.tracks[2].kind = f.tracks[3].kind = TRACK_ASYNC; /* behind all threads */
    profile_tracks_by_weight(&f.profile, order);
    assert_memory_equal(order, ((const uint32_t[]){4, 0, 1, 5, 2, 3}), sizeof(order));
}

/* Without CPU time a thread weighs what it was in frames, however long it waited in none. */
TEST(wall_time_in_no_frame_weighs_nothing)
{
    static const struct str NAMES[] = {STR_INIT("worker")};
    static const uint64_t WALL_NS[] = {90, 100, 50}, IN_NO_FRAME_NS[] = {80, 100, 20};
    uint64_t self[3 * 3] = {0};
    struct fixture f;
    uint32_t order[3];

    make(&f, 3);
    f.profile.node_self = self;
    f.profile.strings = NAMES;
    for (uint32_t i = 0; i < 3; i++) {
        f.totals[i * 3] = WALL_NS[i];
        self[i * 3] = IN_NO_FRAME_NS[i];
    }
    profile_tracks_by_weight(&f.profile, order);
    assert_memory_equal(order, ((const uint32_t[]){2, 0, 1}), sizeof(order));
    assert_int_equal(profile_heaviest(&f.profile), 2);
    assert_int_equal(profile_first_shown(&f.profile), 2);
    assert_int_equal(profile_work(&f.profile, &f.tracks[2], 0), 30);
}

TEST(what_is_shown_first)
{
    static const struct str NAMES[] = {STR_INIT("worker"), STR_INIT("main")};
    static const uint64_t CPU_NS[] = {5, 9, 7, 7, 1};
    struct fixture f;

    make(&f, 5);
    f.profile.strings = NAMES;
    for (uint32_t i = 0; i < 5; i++)
        f.totals[i * 3 + 1] = CPU_NS[i];
    assert_int_equal(profile_first_shown(&f.profile), 1);
    f.tracks[2].name = f.tracks[3].name = f.tracks[4].name = 1; /* a main of each of three processes */
    assert_int_equal(profile_first_shown(&f.profile), 2);
    f.totals[4 * 3 + 1] = 8;
    assert_int_equal(profile_first_shown(&f.profile), 4);
    f.tracks[4].kind = TRACK_ASYNC;
    assert_int_equal(profile_first_shown(&f.profile), 2);
    make(&f, 0);
    assert_int_equal(profile_first_shown(&f.profile), 0);
}

TEST(order_of_any_number)
{
    struct fixture f;
    uint32_t order[TRACKS_MAX];

    for (uint32_t n = 0; n <= TRACKS_MAX; n++) {
        bool seen[TRACKS_MAX] = {false};
        make(&f, n);
        for (uint32_t i = 0; i < n; i++)
            f.totals[i * 3 + 1] = (i * 37 + n) % 11;
        profile_tracks_by_weight(&f.profile, order);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(order[i] < n && !seen[order[i]]);
            seen[order[i]] = true;
            if (i == 0)
                continue;
            uint64_t before = f.totals[order[i - 1] * 3 + 1], here = f.totals[order[i] * 3 + 1];
            assert_true(before > here || (before == here && order[i - 1] < order[i]));
        }
    }
}

TEST(facts)
{
    static const struct profile_fact FACTS[] = {
        {STR_INIT("clock"), STR_INIT("dual")},
        {STR_INIT("vm"), STR_INIT("art")},
        {STR_INIT("clock"), STR_INIT("later")},
    };
    struct profile p = {.facts = FACTS, .n_facts = 3};

    assert_true(str_eq(profile_fact(&p, STR("vm")), STR("art")));
    assert_true(str_eq(profile_fact(&p, STR("clock")), STR("dual")));
    assert_int_equal(profile_fact(&p, STR("pid")).n, 0);
    p.n_facts = 0;
    assert_int_equal(profile_fact(&p, STR("vm")).n, 0);
}

TEST(cells)
{
    static const uint64_t SELF[] = {1, 2, 3, 4, 5, 6}, TOTAL[] = {10, 20, 30, 40, 50, 60};
    struct profile p = {.n_values = 2, .n_nodes = 3, .node_self = SELF, .node_total = TOTAL};

    assert_int_equal(profile_self(&p, 0, 1), 2);
    assert_int_equal(profile_self(&p, 2, 0), 5);
    assert_int_equal(profile_total(&p, 2, 1), 60);
}

TEST(times_of_all_tracks)
{
    struct profile_track tracks[] = {{.begin_ns = 20, .end_ns = 30}, {.begin_ns = 10, .end_ns = 15}};
    struct profile p = {.tracks = tracks, .n_tracks = 2};
    uint64_t begin, end;

    profile_times(&p, &begin, &end);
    assert_int_equal(begin, 10);
    assert_int_equal(end, 30);
    p.n_tracks = 0;
    profile_times(&p, &begin, &end);
    assert_true(begin == UINT64_MAX && end == 0);
}

/* Of sizes that are differences nobody can say how many samples they are. */
TEST(bytes_of_a_sample)
{
    struct profile p = {.sampled_bytes = 4096};

    assert_int_equal(profile_sample_bytes(&p), 4096);
    p.n_minus = 1;
    assert_int_equal(profile_sample_bytes(&p), 0);
}
