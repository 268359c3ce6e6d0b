/* One upload without HTTP: what is made ahead is bounded, and what nobody was told of does not stay. */
#include "tests/support/unit.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/system/threads.h"
#include "core/system/timer.h"
#include "server/config/config_load.h"
#include "server/http/clients.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/progress.h"
#include "server/views/profiles.h"
#include "server/views/views.h"
#include "tests/support/scratch.h"
#include "tests/support/trace_bytes.h"

enum {
    THREADS = 16,
    RECORD_BYTES = 14,
    CALL_BYTES = 2 * RECORD_BYTES,
    LIGHT_BYTES = 64 << 10,
    WAIT_MOST_MS = 60000
};

/* A service with one worker and the turn for short work, which makes no previews. */
struct world {
    struct scratch scratch;
    struct config config;
    struct job_patience patience; /* of the next upload's client */
    unsigned calls;               /* of each thread in the next upload */
    struct service service;
    struct client *client;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct exchange x; /* who waits for an answer */
    bool suspended;
    struct exchange behind; /* another one, */
    bool behind_suspended;  /* with a share that is used up */
    struct turn blocker;    /* has the worker's turn while `blocked` */
    bool blocked;
};

static struct world *world; /* of the test that runs; an exchange's functions have no other way to it */

static void suspend(struct exchange *x, bool works)
{
    (void)works;
    pthread_mutex_lock(&world->lock);
    *(x == &world->x ? &world->suspended : &world->behind_suspended) = true;
    pthread_mutex_unlock(&world->lock);
}

static void resume(struct exchange *x)
{
    pthread_mutex_lock(&world->lock);
    *(x == &world->x ? &world->suspended : &world->behind_suspended) = false;
    pthread_cond_broadcast(&world->changed);
    pthread_mutex_unlock(&world->lock);
}

static bool stays(const struct exchange *x)
{
    (void)x;
    return false;
}

static int build(void **state)
{
    struct diag diag = {0};
    char path[512];

    world = calloc(1, sizeof(*world));
    assert_non_null(world);
    *state = world;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->changed, NULL);
    world->scratch = scratch_make();
    config_defaults(&world->config);
    world->patience = (struct job_patience){JOB_VIEWS, 600000};
    world->calls = 1 + LIGHT_BYTES / (THREADS * CALL_BYTES);
    world->config.open_jobs = 4;
    world->config.folds = 2;
    world->config.render_tracks = THREADS;
    world->config.answer_within_ms = 600000;
    world->config.sweep_interval_s = 3600;
    world->config.delete_within_s = 3;

    struct service *s = &world->service;
    s->config = &world->config;
    scratch_path(&world->scratch, "store", path, sizeof(path));
    s->store = store_open(path, &diag);
    assert_non_null(s->store);
    s->sweep = sweep_start(s->config, s->store, NULL);
    s->clients = clients_new(&(struct client_shares){1000, 1000});
    s->timers = timers_new();
    s->jobs = jobs_new(s);
    s->work = work_limits_new(s->config);
    s->turns = turns_new(1, true);
    s->threads = threads_new((const unsigned[THREADS_KINDS]){2, 8, 2, 4, 2, 1, 4}, THREADS_KINDS, 0);
    s->profiles = profiles_new(s);
    s->views = views_new(s);
    s->progresses = progresses_new();
    assert_true(s->sweep != NULL && s->clients != NULL && s->timers != NULL && s->jobs != NULL &&
                s->turns != NULL && s->threads != NULL && s->profiles != NULL && s->views != NULL &&
                s->progresses != NULL);
    world->client = client_ref(s->clients, NULL);
    return 0;
}

static int wreck(void **state)
{
    (void)state;
    struct service *s = &world->service;

    if (world->blocked) /* by a test that failed */
        turn_end(&world->blocker);
    threads_free(s->threads);
    sweep_stop(s->sweep);
    shares_free(s->shares);
    views_free(s->views);
    profiles_free(s->profiles);
    progresses_free(s->progresses);
    jobs_free(s->jobs);
    work_limits_free(s->work);
    timers_free(s->timers);
    client_unref(world->client);
    clients_free(s->clients);
    turns_free(s->turns);
    store_close(s->store);
    scratch_remove(&world->scratch);
    pthread_cond_destroy(&world->changed);
    pthread_mutex_destroy(&world->lock);
    free(world);
    return 0;
}

static bool comes_true(bool (*condition)(void))
{
    static const struct timespec PAUSE = {.tv_nsec = 5000000};

    for (unsigned i = 0; i < WAIT_MOST_MS / 5; i++) {
        if (condition())
            return true;
        nanosleep(&PAUSE, NULL);
    }
    return condition();
}

/* ---- uploads ---- */

/* A trace with so many threads, whose times begin at `salt`. */
static void put_trace(struct buf *b, uint32_t salt)
{
    buf_z(b, "*version\n3\ndata-file-overflow=false\nclock=dual\nvm=art\n*threads\n");
    for (unsigned i = 1; i <= THREADS; i++)
        buf_printf(b, "%u\tthread %u\n", i, i);
    buf_z(b, "*methods\n0x4\ta.B\trun\t()V\tB.java\n*end\n");
    trace_bytes_header(b, 3, 32, RECORD_BYTES);
    for (uint32_t n = 0; n < world->calls; n++)
        for (uint16_t i = 1; i <= THREADS; i++) {
            const uint32_t begins = salt + 1000 * n, ends = begins + 10u * i;
            trace_bytes_record(b, RECORD_BYTES, (struct trace_record){i, 0x4, EVENT_ENTER, {5 * n, begins}});
            trace_bytes_record(b, RECORD_BYTES, (struct trace_record){i, 0x4, EVENT_EXIT, {5 * n + 5, ends}});
        }
}

static struct str no_field(const struct exchange *x, const char *name)
{
    (void)x;
    (void)name;
    return (struct str){NULL, 0};
}

static struct job *upload(struct exchange *x, const char *who, uint32_t salt)
{
    struct diag diag = {0};
    struct buf trace = {0};

    *x = (struct exchange){.service = &world->service,
                           .client = world->client,
                           .header = no_field,
                           .suspend = suspend,
                           .resume = resume,
                           .is_left = stays,
                           .who.by = who[0] == '\0' ? WHO_NOBODY : WHO_BY_TOKEN};
    snprintf(x->who.name, sizeof(x->who.name), "%s", who);
    struct job *job = job_new(x, &diag);
    assert_non_null(job);
    put_trace(&trace, salt);
    assert_true(job_push(job, trace.p, trace.n));
    buf_free(&trace);
    job_end(job, x,
            &(struct job_asked){STR("x.trace"), time(NULL), time(NULL) + 3600, false, STR(""), NULL, ""},
            &world->patience);
    return job;
}

/* Until it is time to answer it. */
static struct job *uploaded(uint32_t salt)
{
    struct job *job = upload(&world->x, "", salt);

    pthread_mutex_lock(&world->lock);
    while (world->suspended)
        pthread_cond_wait(&world->changed, &world->lock);
    pthread_mutex_unlock(&world->lock);
    return job;
}

/* Its previews that are not made yet. */
static uint32_t previews_ahead(struct job *job)
{
    struct progress_facts facts;
    struct job_result result;
    uint32_t made = 0;

    job_result(job, &result);
    assert_int_equal(result.diag.kind, DIAG_NONE);
    assert_true(result.complete);
    shared_bytes_unref(result.summary);
    job_told(job);
    job_release(job);
    return progress_look(world->service.progresses, str_of(result.record.id), &facts, &made) ? facts.n_views
                                                                                             : 0;
}

static bool count_object(void *context, const struct store_object *object)
{
    (void)object;
    ++*(size_t *)context;
    return true;
}

static size_t objects_below(const char *prefix)
{
    size_t n = 0;

    assert_int_equal(store_list(world->service.store, prefix, count_object, &n), STORE_OK);
    return n;
}

/* ---- previews ---- */

static void block_worker(void)
{
    turn_init(&world->blocker, world->service.turns, TURN_INPUT, NULL, NULL);
    turn_take(&world->blocker);
    world->blocked = true;
}

static void free_worker(void)
{
    turn_end(&world->blocker);
    world->blocked = false;
}

static bool no_preview_waits(void)
{
    return atomic_load(&world->service.jobs->views_ahead) == 0;
}

/* Uploads come while no preview can be made: those that find too many waiting have none made ahead, and
 * are answered all the same. When these are made there is room again. */
TEST_WITH(previews_that_wait_are_bounded, build, wreck)
{
    uint32_t ahead = 0;

    block_worker();
    for (uint32_t i = 0; i < 2 * JOB_AHEAD_MOST / THREADS; i++) {
        uint32_t n = previews_ahead(uploaded(1000 + i));
        assert_true(n == 0 || n == THREADS);
        ahead += n;
    }
    assert_in_range(ahead, JOB_AHEAD_MOST, JOB_AHEAD_MOST + THREADS);
    free_worker();
    assert_true(comes_true(no_preview_waits));
    block_worker();
    assert_int_equal(previews_ahead(uploaded(999)), THREADS);
    free_worker();
}

/* No view can be made meanwhile: summary, picture and previews all come later. */
TEST_WITH(a_link_waits_for_no_view, build, wreck)
{
    world->patience.views = 0;
    block_worker();
    assert_int_equal(previews_ahead(uploaded(7)), THREADS);
    assert_int_equal(atomic_load(&world->service.jobs->views_ahead), JOB_VIEWS + THREADS);
    assert_int_equal(objects_below("views/"), 0);
    free_worker();
    assert_true(comes_true(no_preview_waits));
    assert_int_equal(objects_below("views/"), JOB_VIEWS + THREADS);
}

/* What its client waits for is made, but not written: it stays in memory. Nothing is made ahead. */
TEST_WITH(views_of_a_light_upload_are_in_memory_alone, build, wreck)
{
    world->calls = 1;
    assert_int_equal(previews_ahead(uploaded(7)), 0);
    assert_true(comes_true(no_preview_waits));
    assert_int_equal(objects_below("views/"), 0);
    const uint64_t both = views_counts(world->service.views).bytes;
    assert_true(both > 0);
    world->patience.views = 1;
    assert_int_equal(previews_ahead(uploaded(8)), 0);
    assert_in_range(views_counts(world->service.views).bytes, both + 1, 2 * both - 1);
    world->patience.views = 0;
    const uint64_t before = views_counts(world->service.views).bytes;
    assert_int_equal(previews_ahead(uploaded(9)), 0);
    assert_true(comes_true(no_preview_waits));
    assert_int_equal(views_counts(world->service.views).bytes, before);
}

/* So many that nobody looks at drive nothing out of memory. */
TEST_WITH(views_of_light_uploads_take_what_is_free, build, wreck)
{
    const uint64_t most = world->config.views_in_memory_bytes = 64 << 10;

    world->calls = 1;
    world->patience.views = 1;
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(previews_ahead(uploaded(i)), 0);
    const struct once_counts counts = views_counts(world->service.views);
    assert_in_range(counts.bytes, most / 2, most);
    assert_int_equal(counts.evicted, 0);
    assert_int_equal(objects_below("views/"), 0);
}

/* What memory has no room for at all is written. */
TEST_WITH(views_of_light_uploads_are_written_without_memory, build, wreck)
{
    world->config.views_in_memory_bytes = 0;
    world->calls = 1;
    assert_int_equal(previews_ahead(uploaded(7)), 0);
    assert_int_equal(objects_below("views/"), JOB_VIEWS);
    assert_int_equal(views_counts(world->service.views).bytes, 0);
}

/* Nor are they made of what had to be read again. */
TEST_WITH(no_view_is_made_ahead_of_a_profile_that_went, build, wreck)
{
    world->config.profile_cache_bytes = 0;
    world->patience.views = 0;
    block_worker();
    assert_int_equal(previews_ahead(uploaded(7)), THREADS);
    free_worker();
    assert_true(comes_true(no_preview_waits));
    assert_int_equal(objects_below("views/"), 0);
    assert_int_equal(objects_below("uploads/"), 1);
}

/* ---- an upload whose client has left ---- */

static bool nothing_is_stored(void)
{
    return objects_below("uploads/") + objects_below("bytes/") + objects_below("views/") == 0;
}

/* It was durable, and nobody was told its link. The bytes go like those of one that is deleted, although the store is
 * looked through an hour later. */
TEST_WITH(what_nobody_was_told_of_goes_with_its_bytes, build, wreck)
{
    struct job *job = uploaded(7);

    assert_false(nothing_is_stored());
    job_release(job);
    assert_true(comes_true(nothing_is_stored));
}

/* ---- whose turn it is ---- */

static bool is_answered(void)
{
    pthread_mutex_lock(&world->lock);
    bool answered = !world->behind_suspended;
    pthread_mutex_unlock(&world->lock);
    return answered;
}

/* While the worker is busy there is the turn for short work. It is not for who has had more work done than others. */
TEST_WITH(who_has_had_enough_waits_behind_others, build, wreck)
{
    struct service *s = &world->service;
    struct share_left left;
    int64_t now_s = (int64_t)time(NULL);

    world->config.work_seconds_per_minute = 1;
    s->shares = shares_new(s->config);
    assert_non_null(s->shares);
    assert_true(shares_begin(s->shares, STR("name:ann"), now_s, &left));
    shares_pay_work(s->shares, STR("name:ann"), UINT64_MAX, now_s);
    block_worker();
    struct job *ann = upload(&world->behind, "ann", 1);
    job_release(uploaded(2));
    assert_false(is_answered());
    free_worker();
    assert_true(comes_true(is_answered));
    job_release(ann);
    shares_end(s->shares, STR("name:ann"));
}

/* What a job has had of a processor is paid for when it ends. */
TEST_WITH(work_is_paid_for, build, wreck)
{
    struct service *s = &world->service;
    struct share_left left;
    struct buf text = {0};

    world->config.work_seconds_per_minute = 1000000;
    s->shares = shares_new(s->config);
    assert_non_null(s->shares);
    assert_true(shares_begin(s->shares, STR("name:ann"), (int64_t)time(NULL), &left));
    struct job *job = upload(&world->behind, "ann", 3);
    assert_true(comes_true(is_answered));
    job_release(job);
    threads_free(s->threads); /* behind the end of the job */
    s->threads = NULL;
    shares_put(s->shares, &text);
    assert_true(str_starts(buf_view(&text), STR("name:ann 0 0 99999")));
    buf_free(&text);
}
