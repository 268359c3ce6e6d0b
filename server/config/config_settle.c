#include "server/config/config_settle.h"

#include "server/config/config_keys.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

enum {
    FIXED_MIB = 32,      /* the program, its libraries, libmagic's table, buffers that are kept */
    JOBS_MOST = 2,       /* open jobs of each worker */
    CONNECTION_KIB = 32, /* each, by libmicrohttpd */
    FEWEST_CONNECTIONS = 64
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A part of the memory, between `floor` and the value that is there, unless somebody has chosen it. */
static void lower(const struct config *c, uint64_t *value, uint64_t part, uint64_t floor)
{
    if (!config_keys_given(c, value))
        *value = least(*value, most(part, floor));
}

/* Of the memory, what the service may plan with. Others run on a machine, and what is mapped is more than what is used. */
static uint64_t budget_of(const struct memory_limit *l, uint64_t mapped)
{
    if (l->bytes == UINT64_MAX)
        return UINT64_MAX;
    if (l->kind == MEMORY_OF_ADDRESSES)
        return l->bytes > mapped ? (l->bytes - mapped) / 4 * 3 : 0;
    return l->kind == MEMORY_OF_MACHINE ? l->bytes / 2 : l->bytes / 4 * 3;
}

/* The profile, the second reading for a view of time, and that for a list of calls: of these there are as many as folds. */
static uint64_t of_a_fold(const struct config *c)
{
    return 3 * c->job_memory_bytes;
}

static uint64_t of_views(const struct config *c)
{
    return (c->workers + 1) * 2 * c->view_memory_bytes + c->profile_cache_bytes + c->hot_bytes +
           c->answer_memory_bytes;
}

uint64_t config_ceiling(const struct config *c)
{
    return FIXED_MIB * MIB + of_views(c) + c->folds * of_a_fold(c) + c->open_jobs * c->job_memory_bytes;
}

/* Half of what is left is for uploads, half for profiles that are read again: at least one of each. */
static void settle_numbers(struct config *s, const struct config *c, uint64_t budget)
{
    uint64_t taken = FIXED_MIB * MIB + of_views(s);
    uint64_t left = budget > taken ? budget - taken : 0;

    s->folds = most(1, least(s->workers, left / 2 / of_a_fold(s)));
    left -= least(left, s->folds * of_a_fold(s));
    s->open_jobs =
        c->open_jobs > 0 ? c->open_jobs : most(2, least(JOBS_MOST * s->workers, left / s->job_memory_bytes));
}

struct config config_settle(const struct config *c, const struct memory_limit *limit, uint64_t mapped,
                            unsigned cores)
{
    uint64_t budget = budget_of(limit, mapped);
    struct config s = *c;

    if (s.workers == 0)
        s.workers = most(1, cores);
    lower(&s, &s.job_memory_bytes, budget / 10, 8 * MIB);
    lower(&s, &s.view_memory_bytes, budget / 32, 4 * MIB);
    lower(&s, &s.profile_cache_bytes, budget / 32, 0);
    lower(&s, &s.hot_bytes, budget / 64, 0);
    lower(&s, &s.answer_memory_bytes, budget / 16, 4 * MIB);
    lower(&s, &s.max_connections, budget / 8 / (CONNECTION_KIB * KIB), FEWEST_CONNECTIONS);
    settle_numbers(&s, c, budget);
    while (c->workers == 0 && s.workers > 1 && config_ceiling(&s) > budget) {
        s.workers--;
        settle_numbers(&s, c, budget);
    }
    return s;
}
