/* Every stage sees every chunk in order; the queue fills and empties; the end is told once. */
#include "tests/support/unit.h"
#include <stdatomic.h>
#include <string.h>

#include "server/upload/stage.h"

enum { CHUNKS = 100, CHUNK_PART = 1000 };

struct world {
    struct task_queue queue;
    struct pool *pool;
    struct chunk_pool chunks;
    struct stages stages;
    unsigned seen[STAGES_MAX]; /* chunks, by stage */
    bool disorder;
    atomic_uint rooms, drains;
};

static void look(struct world *w, unsigned stage, const uint8_t *p, size_t n)
{
    uint32_t number;

    memcpy(&number, p, sizeof(number));
    if (n != CHUNK_PART || number != w->seen[stage])
        w->disorder = true;
    w->seen[stage]++;
}

static void look_0(void *world, const uint8_t *p, size_t n)
{
    look(world, 0, p, n);
}

static void look_1(void *world, const uint8_t *p, size_t n)
{
    look(world, 1, p, n);
}

static void look_2(void *world, const uint8_t *p, size_t n)
{
    look(world, 2, p, n);
}

static void note_room(void *world)
{
    atomic_fetch_add(&((struct world *)world)->rooms, 1);
}

static void note_drained(void *world)
{
    atomic_fetch_add(&((struct world *)world)->drains, 1);
}

/* The pool is stopped: its tasks run when it is started, or in pool_stop. */
static void world_init(struct world *w, unsigned workers, unsigned stages, size_t limit_bytes)
{
    *w = (struct world){.pool = pool_new(workers, false), .queue = {.task_class = TASK_INPUT}};
    assert_non_null(w->pool);
    chunk_pool_init(&w->chunks, 4);
    stages_init(&w->stages, w->pool, &w->queue, &w->chunks, stages, limit_bytes);
    w->stages.stage[0].work = look_0;
    w->stages.stage[1].work = look_1;
    w->stages.stage[2].work = look_2;
    w->stages.room = note_room;
    w->stages.drained = note_drained;
    w->stages.context = w;
}

static void world_free(struct world *w)
{
    pool_free(w->pool);
    stages_free(&w->stages);
    chunk_pool_free(&w->chunks);
}

static void push(struct world *w, uint32_t number)
{
    struct chunk *c = chunk_take(&w->chunks);

    assert_non_null(c);
    memset(c->bytes, 0, CHUNK_PART);
    memcpy(c->bytes, &number, sizeof(number));
    c->n = CHUNK_PART;
    stages_push(&w->stages, c);
}

static void all_lanes_see_all_in_order(void **state)
{
    (void)state;
    for (unsigned stages = 1; stages <= STAGES_MAX; stages++)
        for (unsigned workers = 1; workers <= 4; workers++) {
            struct world w;
            world_init(&w, workers, stages, SIZE_MAX);
            assert_true(pool_start(w.pool));
            for (uint32_t i = 0; i < CHUNKS; i++)
                push(&w, i);
            stages_end(&w.stages);
            pool_stop(w.pool);
            for (unsigned i = 0; i < STAGES_MAX; i++)
                assert_int_equal(w.seen[i], i < stages ? CHUNKS : 0);
            assert_false(w.disorder);
            assert_int_equal(atomic_load(&w.drains), 1);
            assert_int_equal(w.stages.queued_bytes, 0);
            world_free(&w);
        }
}

static void end_of_nothing_is_told_at_once(void **state)
{
    (void)state;
    struct world w;

    world_init(&w, 1, 3, SIZE_MAX);
    stages_end(&w.stages);
    assert_int_equal(atomic_load(&w.drains), 1);
    pool_stop(w.pool);
    assert_int_equal(atomic_load(&w.drains), 1);
    world_free(&w);
}

static void abort_drops_what_is_queued(void **state)
{
    (void)state;
    struct world w;

    world_init(&w, 1, 3, SIZE_MAX);
    for (uint32_t i = 0; i < CHUNKS; i++)
        push(&w, i);
    stages_abort(&w.stages);
    assert_int_equal(atomic_load(&w.drains), 0);
    pool_stop(w.pool);
    assert_int_equal(atomic_load(&w.drains), 1);
    assert_int_equal(w.seen[0] + w.seen[1] + w.seen[2], 0);
    assert_int_equal(w.stages.queued_bytes, 0);
    world_free(&w);
}

static void room_is_told_once_when_half_is_free(void **state)
{
    (void)state;
    struct world w;

    world_init(&w, 1, 2, 10 * CHUNK_PART);
    for (uint32_t i = 0; i < 10; i++)
        push(&w, i);
    assert_int_equal(w.stages.queued_bytes, 10 * CHUNK_PART);
    w.stages.full = true; /* as who found it full says */
    assert_true(pool_start(w.pool));
    stages_end(&w.stages);
    pool_stop(w.pool);
    assert_int_equal(atomic_load(&w.rooms), 1);
    assert_false(w.stages.full);
    world_free(&w);
}

static void nobody_asked_for_room(void **state)
{
    (void)state;
    struct world w;

    world_init(&w, 1, 2, CHUNK_PART);
    for (uint32_t i = 0; i < 10; i++)
        push(&w, i);
    stages_end(&w.stages);
    pool_stop(w.pool);
    assert_int_equal(atomic_load(&w.rooms), 0);
    assert_int_equal(w.seen[1], 10);
    world_free(&w);
}

static void spare_chunks_are_kept_up_to_a_number(void **state)
{
    (void)state;
    struct chunk_pool p;
    struct chunk *taken[3];

    chunk_pool_init(&p, 2);
    for (unsigned i = 0; i < 3; i++) {
        taken[i] = chunk_take(&p);
        assert_non_null(taken[i]);
        taken[i]->n = 7;
    }
    for (unsigned i = 0; i < 3; i++)
        chunk_give(&p, taken[i]);
    assert_int_equal(p.n_spare, 2);
    struct chunk *again = chunk_take(&p);
    assert_ptr_equal(again, taken[1]);
    assert_int_equal(again->n, 0);
    assert_int_equal(p.n_spare, 1);
    chunk_give(&p, again);
    chunk_pool_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lanes_see_all_in_order), cmocka_unit_test(end_of_nothing_is_told_at_once),
        cmocka_unit_test(abort_drops_what_is_queued), cmocka_unit_test(room_is_told_once_when_half_is_free),
        cmocka_unit_test(nobody_asked_for_room),      cmocka_unit_test(spare_chunks_are_kept_up_to_a_number),
    };
    return cmocka_run_group_tests_name("stage", tests, NULL, NULL);
}
