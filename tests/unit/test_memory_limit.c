/* What memory there is, by files of control groups and limits of the process; and what the configuration
 * makes of it. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "server/config/config_keys.h"
#include "server/config/config_load.h"
#include "tests/support/scratch.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

struct groups {
    struct scratch scratch;
    char membership[300], hierarchy[300];
};

static struct groups begin(const char *membership)
{
    struct groups g = {.scratch = scratch_make()};

    scratch_write(&g.scratch, "cgroup", membership, strlen(membership));
    scratch_path(&g.scratch, "cgroup", g.membership, sizeof(g.membership));
    scratch_path(&g.scratch, "fs", g.hierarchy, sizeof(g.hierarchy));
    return g;
}

static void write_limit(const struct groups *g, const char *folder, const char *name, const char *text)
{
    char path[300], file[400];

    scratch_path(&g->scratch, "fs", path, sizeof(path));
    mkdir(path, 0700);
    for (const char *slash = strchr(folder, '/'); *folder != '\0' && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        snprintf(file, sizeof(file), "%s/%.*s", path, (int)(slash - folder), folder);
        mkdir(file, 0700);
    }
    snprintf(file, sizeof(file), "%s/%s", path, folder);
    mkdir(file, 0700);
    snprintf(file, sizeof(file), "fs/%s%s%s", folder, *folder == '\0' ? "" : "/", name);
    scratch_write(&g->scratch, file, text, strlen(text));
}

static void assert_limit(const struct groups *g, uint64_t bytes, enum memory_kind kind)
{
    struct memory_limit l = memory_limit(g->membership, g->hierarchy);

    assert_int_equal(l.kind, kind);
    if (bytes > 0)
        assert_int_equal(l.bytes, bytes);
    assert_in_range(l.bytes, 1, UINT64_MAX - 1);
}

/* A limit that is written, and what counts then; bytes 0: none. */
struct step {
    const char *folder, *file, *text;
    uint64_t bytes;
};

static void check_steps(const char *membership, const struct step *steps, size_t n)
{
    struct groups g = begin(membership);

    assert_limit(&g, 0, MEMORY_OF_MACHINE);
    for (size_t i = 0; i < n; i++) {
        write_limit(&g, steps[i].folder, steps[i].file, steps[i].text);
        assert_limit(&g, steps[i].bytes, steps[i].bytes == 0 ? MEMORY_OF_MACHINE : MEMORY_OF_GROUP);
    }
    scratch_remove(&g.scratch);
}

TEST(groups_of_version_2)
{
    static const struct step STEPS[] = {{"a/b", "memory.max", "max\n", 0},
                                        {"a", "memory.max", "300000000\n", 300000000},
                                        {"a/b", "memory.max", "200000000\n", 200000000}};

    check_steps("0::/a/b\n", STEPS, sizeof(STEPS) / sizeof(STEPS[0]));
}

/* Within a container the files of the group are those of the top. */
TEST(groups_of_version_1)
{
    static const struct step STEPS[] = {
        {"memory", "memory.limit_in_bytes", "9223372036854771712\n", 0},
        {"memory", "memory.limit_in_bytes", "100000000\n", 100000000},
        {"memory/docker/abc", "memory.limit_in_bytes", "90000000\n", 90000000}};

    check_steps("5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n", STEPS, sizeof(STEPS) / sizeof(STEPS[0]));
}

TEST(what_is_no_group_limits_nothing)
{
    static const char *const TEXTS[] = {"", "\n\n", "0", "0:", "0::", "nonsense", "4:memory", "::::\n:"};

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        struct groups g = begin(TEXTS[i]);
        assert_limit(&g, 0, MEMORY_OF_MACHINE);
        scratch_remove(&g.scratch);
    }
    struct memory_limit l = memory_limit("/nowhere", "/nowhere");
    assert_int_equal(l.kind, MEMORY_OF_MACHINE);
}

TEST(limits_of_the_process)
{
    struct rlimit before, less;

    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    less = (struct rlimit){3 * GIB / 2, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_DATA, &less), 0);
    struct memory_limit l = memory_limit("/nowhere", "/nowhere");
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_int_equal(l.kind, MEMORY_OF_ADDRESSES);
    assert_int_equal(l.bytes, 3 * GIB / 2);
    assert_string_equal(l.source, "ulimit -d");
    assert_in_range(memory_mapped(), MIB, UINT64_MAX);
}

/* ---- settling ---- */

static struct config settled(const struct config *c, uint64_t bytes, unsigned cores)
{
    const struct memory_limit limit = {bytes, MEMORY_OF_GROUP, "cgroup"};

    return config_settle(c, &limit, 0, cores);
}

TEST(large_machines_have_the_built_in_ceilings)
{
    struct config c, s;

    config_defaults(&c);
    s = settled(&c, 64 * GIB, 4);
    assert_int_equal(s.job_memory_bytes, c.job_memory_bytes);
    assert_int_equal(s.view_memory_bytes, c.view_memory_bytes);
    assert_int_equal(s.profile_cache_bytes, c.profile_cache_bytes);
    assert_int_equal(s.max_connections, c.max_connections);
    assert_int_equal(s.workers, 4);
    assert_int_equal(s.open_jobs, 8);
    assert_int_equal(s.folds, 4);
    s = settled(&c, UINT64_MAX, 3);
    assert_int_equal(s.workers, 3);
    assert_int_equal(s.job_memory_bytes, c.job_memory_bytes);
}

/* What may be kept of profiles may be taken half as often again by each upload, for the log of its calls. */
TEST(logs_of_uploads_count)
{
    struct config c;

    config_defaults(&c);
    struct config s = settled(&c, 64 * GIB, 4);
    const uint64_t before = config_ceiling(&s);
    s.profile_cache_bytes += 8 * MIB;
    assert_int_equal(config_ceiling(&s) - before, 8 * MIB + s.open_jobs * 4 * MIB);
}

/* Whatever there is, from 256 MiB on: all ceilings together fit. */
TEST(ceilings_fit_into_the_memory)
{
    struct config c;

    config_defaults(&c);
    for (uint64_t bytes = 256 * MIB; bytes < 1024 * GIB; bytes += bytes / 7) {
        for (unsigned cores = 1; cores <= 256; cores *= 4) {
            struct config s = settled(&c, bytes, cores);
            assert_in_range(config_ceiling(&s), 1, bytes / 4 * 3 + MIB);
            assert_in_range(s.job_memory_bytes, 8 * MIB, c.job_memory_bytes);
            assert_in_range(s.workers, 1, cores);
            assert_in_range(s.open_jobs, 2, 2 * (uint64_t)cores);
        }
    }
}

TEST(what_was_chosen_stays)
{
    struct config c;

    config_defaults(&c);
    assert_true(config_keys_set(&c, config_keys_find(&c, STR("job_memory_bytes")), STR("512M")));
    assert_true(config_keys_set(&c, config_keys_find(&c, STR("workers")), STR("7")));
    assert_true(config_keys_set(&c, config_keys_find(&c, STR("open_jobs")), STR("5")));
    struct config s = settled(&c, 256 * MIB, 2);
    assert_int_equal(s.job_memory_bytes, 512 * MIB);
    assert_int_equal(s.workers, 7);
    assert_int_equal(s.open_jobs, 5);
    assert_int_equal(s.folds, 1);
    assert_in_range(s.view_memory_bytes, 4 * MIB, 8 * MIB);
}
