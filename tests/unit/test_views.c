/* Views through memory, store and pool, without HTTP. */
#include "core/system/digest.h"
#include "core/system/threads.h"
#include "core/system/timer.h"
#include "server/config/config_load.h"
#include "server/http/clients.h"
#include "server/views/views.h"

#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/system/folder.h"
#include "server/views/profiles.h"
#include "tests/support/scratch.h"

/* One stored profile, whose folded text is large enough for its views to be encoded. */
#define UPLOAD "aaaaaaaaaaaaaaaaaaaaaaaaaa"

struct world {
    struct clients *clients;
    struct client *client; /* that asks */
    struct scratch scratch;
    struct config config;
    struct service service;
    char sha256[RECORD_SHA256_CHARS + 1];
    pthread_mutex_t lock;
    pthread_cond_t resumed;
};

static struct world *world; /* of the test that runs; the exchange's functions have no other way to it */

struct requester {
    struct exchange x; /* first */
    bool suspended;
};

static void suspend(struct exchange *x, bool works)
{
    (void)works;
    pthread_mutex_lock(&world->lock);
    ((struct requester *)x)->suspended = true;
    pthread_mutex_unlock(&world->lock);
}

static void resume(struct exchange *x)
{
    pthread_mutex_lock(&world->lock);
    ((struct requester *)x)->suspended = false;
    pthread_cond_broadcast(&world->resumed);
    pthread_mutex_unlock(&world->lock);
}

static void client_init(struct requester *c)
{
    *c = (struct requester){
        .x = {.service = &world->service, .client = world->client, .suspend = suspend, .resume = resume}};
}

static void wait_until_resumed(struct requester *c)
{
    pthread_mutex_lock(&world->lock);
    while (c->suspended)
        pthread_cond_wait(&world->resumed, &world->lock);
    pthread_mutex_unlock(&world->lock);
}

static int build(void **state)
{
    struct diag diag = {0};
    struct buf text = {0};
    char key[RECORD_BYTES_KEY_CHARS + 1], path[512];

    world = calloc(1, sizeof(*world));
    assert_non_null(world);
    *state = world;
    world->clients = clients_new(&(struct client_shares){1000, 1000});
    assert_non_null(world->clients);
    world->client = client_ref(world->clients, NULL);
    world->scratch = scratch_make();
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->resumed, NULL);
    config_defaults(&world->config);
    world->service.config = &world->config;
    scratch_path(&world->scratch, "store", path, sizeof(path));
    world->service.store = store_open(path, &diag);
    assert_non_null(world->service.store);
    for (unsigned i = 0; i < 200; i++)
        buf_printf(&text, "main;com.example.Class%u.method;com.example.Deep.run %u\n", i, i + 1);
    digest_hex_of(text.p, text.n, world->sha256);
    record_bytes_key(UPLOAD, key);
    assert_int_equal(local_put(store_local(world->service.store), key, buf_view(&text), LOCAL_EVICTABLE),
                     STORE_OK);
    buf_free(&text);
    world->service.turns = turns_new(2, false);
    world->service.threads = threads_new((const unsigned[THREADS_KINDS]){2, 8, 2, 2, 2}, THREADS_KINDS, 0);
    world->service.timers = timers_new();
    world->service.profiles = profiles_new(&world->service);
    assert_non_null(world->service.profiles);
    world->service.views = views_new(&world->service);
    assert_non_null(world->service.views);
    return 0;
}

static int wreck(void **state)
{
    (void)state;
    threads_free(world->service.threads);
    timers_free(world->service.timers);
    views_free(world->service.views);
    profiles_free(world->service.profiles);
    turns_free(world->service.turns);
    store_close(world->service.store);
    scratch_remove(&world->scratch);
    pthread_cond_destroy(&world->resumed);
    pthread_mutex_destroy(&world->lock);
    client_unref(world->client);
    clients_free(world->clients);
    free(world);
    return 0;
}

static struct view_request request_for(const char *output, const char *accept_encoding)
{
    struct view_request r = {.output = output_by_name(str_of(output))};

    assert_non_null(r.output);
    memcpy(r.upload.sha256, world->sha256, sizeof(r.upload.sha256));
    memcpy(r.upload.upload, UPLOAD, sizeof(r.upload.upload));
    view_defaults(&r.options);
    r.encoding = encoding_negotiate(str_of(accept_encoding));
    return r;
}

static enum exchange_step take(struct exchange *x, const struct view_request *r, struct view_result *result,
                               void *context)
{
    (void)x;
    (void)r;
    *(struct view_result *)context = *result;
    return X_DONE;
}

/* Asks as a handler does; how often it waited comes in *waits. */
static struct view_result get(const struct view_request *r, unsigned *waits)
{
    struct requester c;
    struct view_result result;

    client_init(&c);
    *waits = 0;
    for (enum exchange_step step = views_get(&c.x, r, take, &result); step == X_WAIT; ++*waits) {
        wait_until_resumed(&c);
        step = exchange_go_on(&c.x);
    }
    exchange_end_states(&c.x);
    return result;
}

/* The bytes, wherever they are; the result is used up. */
static struct buf bytes_of(struct view_result *result)
{
    struct buf b = {0};

    assert_int_equal(result->diag.kind, DIAG_NONE);
    if (result->bytes != NULL)
        buf_str(&b, shared_bytes_view(result->bytes));
    else
        assert_true(file_read_all(result->fd, (size_t)result->file_bytes, &b));
    shared_bytes_unref(result->bytes);
    if (result->fd >= 0)
        close(result->fd);
    return b;
}

static struct buf get_bytes(const struct view_request *r, enum encoding expected)
{
    unsigned waits;
    struct view_result result = get(r, &waits);

    assert_int_equal(result.encoding, expected);
    return bytes_of(&result);
}

TEST_WITH(made_once_then_from_the_store_then_from_memory, build, wreck)
{
    struct view_request r = request_for("svg", "");
    unsigned waits;

    struct view_result made = get(&r, &waits);
    assert_int_equal(waits, 1);
    assert_non_null(made.bytes);
    struct buf first = bytes_of(&made);
    struct view_result stored = get(&r, &waits);
    assert_int_equal(waits, 0);
    assert_true(stored.fd >= 0);
    struct buf second = bytes_of(&stored);
    struct view_result again = get(&r, &waits), hot = get(&r, &waits);
    assert_ptr_equal(again.bytes, hot.bytes);
    struct buf third = bytes_of(&again), fourth = bytes_of(&hot);
    assert_true(str_eq(buf_view(&first), buf_view(&second)));
    assert_true(str_eq(buf_view(&first), buf_view(&third)));
    buf_free(&first);
    buf_free(&second);
    buf_free(&third);
    buf_free(&fourth);
}

TEST_WITH(hot_outlives_the_store, build, wreck)
{
    struct view_request r = request_for("svg", "");
    char key[VIEW_KEY_CHARS + 1];
    unsigned waits;

    for (int i = 0; i < 3; i++) {
        struct view_result result = get(&r, &waits);
        struct buf b = bytes_of(&result);
        buf_free(&b);
    }
    assert_true(view_key(&world->service, &r, ENCODING_IDENTITY, key));
    assert_int_equal(store_delete(world->service.store, key), STORE_OK);
    struct view_result result = get(&r, &waits);
    assert_int_equal(waits, 0);
    struct buf b = bytes_of(&result);
    buf_free(&b);
}

/* Its bytes were not synced: a power cut leaves the name, and nothing in it. */
TEST_WITH(a_view_of_another_boot_is_drawn_again, build, wreck)
{
    struct view_request r = request_for("svg", "");
    char key[VIEW_KEY_CHARS + 1], name[VIEW_KEY_CHARS + 8], path[512];
    unsigned waits;

    struct buf before = get_bytes(&r, ENCODING_IDENTITY);
    assert_true(view_key(&world->service, &r, ENCODING_IDENTITY, key));
    snprintf(name, sizeof(name), "store/%s", key);
    scratch_path(&world->scratch, name, path, sizeof(path));
    assert_int_equal(truncate(path, 0), 0);
    snprintf(world->service.boot, sizeof(world->service.boot), "another one");
    struct view_result result = get(&r, &waits);
    assert_int_equal(waits, 1);
    struct buf after = bytes_of(&result);
    assert_true(str_eq(buf_view(&before), buf_view(&after)));
    buf_free(&before);
    buf_free(&after);
}

TEST_WITH(encodings_are_objects_of_their_own, build, wreck)
{
    static const char *const FIELDS[] = {"gzip", "zstd"};
    char key[VIEW_KEY_CHARS + 1], plain_key[VIEW_KEY_CHARS + 1];
    struct view_request plain_request = request_for("svg", "");
    struct buf plain = {0};

    for (unsigned i = 0; i < 2; i++) {
        struct view_request r = request_for("svg", FIELDS[i]);
        enum encoding e = r.encoding.best;
        unsigned waits;
        struct view_result made = get(&r, &waits);
        assert_int_equal(waits, i == 0 ? 2 : 1); /* the second needs not to be drawn */
        assert_int_equal(made.encoding, e);
        struct buf first = bytes_of(&made), second = get_bytes(&r, e), third = get_bytes(&r, e);
        assert_true(str_eq(buf_view(&first), buf_view(&second)));
        assert_true(str_eq(buf_view(&first), buf_view(&third)));
        assert_true(view_key(&world->service, &r, e, key));
        assert_int_equal(store_exists(world->service.store, key), STORE_OK);
        buf_free(&plain);
        plain = get_bytes(&plain_request, ENCODING_IDENTITY);
        assert_true(first.n < plain.n);
        if (e == ENCODING_ZSTD)
            assert_int_equal(ZSTD_getFrameContentSize(first.p, first.n), plain.n);
        buf_free(&first);
        buf_free(&second);
        buf_free(&third);
    }
    assert_true(view_key(&world->service, &plain_request, ENCODING_IDENTITY, plain_key));
    assert_memory_equal(plain_key, key, strlen(plain_key));
    assert_string_equal(view_etag(key).p + RECORD_SHA256_CHARS, ".zst");
    buf_free(&plain);
}

TEST_WITH(evicted_plain_view_is_drawn_again, build, wreck)
{
    struct view_request r = request_for("folded", ""), encoded = request_for("folded", "gzip");
    char key[VIEW_KEY_CHARS + 1];

    struct buf b = get_bytes(&r, ENCODING_IDENTITY);
    assert_true(view_key(&world->service, &r, ENCODING_IDENTITY, key));
    assert_int_equal(store_delete(world->service.store, key), STORE_OK);
    struct buf e = get_bytes(&encoded, ENCODING_GZIP);
    assert_int_equal(store_exists(world->service.store, key), STORE_OK);
    buf_free(&b);
    buf_free(&e);
}

TEST_WITH(small_views_stay_plain, build, wreck)
{
    struct view_request r = request_for("svg", "gzip, zstd");
    const char text[] = "a;b 1\n";
    char key[RECORD_BYTES_KEY_CHARS + 1];

    r.output = output_by_name(STR("folded"));
    digest_hex_of(text, strlen(text), r.upload.sha256);
    memset(r.upload.upload, 'z', RECORD_ID_CHARS);
    record_bytes_key(r.upload.upload, key);
    assert_int_equal(local_put(store_local(world->service.store), key, str_of(text), LOCAL_EVICTABLE),
                     STORE_OK);
    for (int i = 0; i < 4; i++) {
        struct buf b = get_bytes(&r, ENCODING_IDENTITY);
        assert_true(str_eq(buf_view(&b), str_of(text)));
        buf_free(&b);
    }
    r.encoding = encoding_negotiate(STR("gzip, identity;q=0"));
    struct buf b = get_bytes(&r, ENCODING_GZIP);
    buf_free(&b);
}

TEST_WITH(failures_are_told, build, wreck)
{
    struct view_request r = request_for("svg", "zstd");
    unsigned waits;

    r.options.track_ids[0] = 77;
    r.options.n_track_ids = 1;
    struct view_result result = get(&r, &waits);
    assert_int_equal(result.diag.kind, DIAG_NOT_FOUND);
    assert_null(result.bytes);
    assert_int_equal(result.fd, -1);
    memset(r.upload.sha256, '0', RECORD_SHA256_CHARS);
    memset(r.upload.upload, 'y', RECORD_ID_CHARS);
    result = get(&r, &waits);
    assert_int_equal(result.diag.kind, DIAG_IO);
}

TEST_WITH(an_exchange_may_end_while_it_waits, build, wreck)
{
    struct view_request r = request_for("svg", "gzip");
    struct view_result result;
    struct requester c;

    client_init(&c);
    assert_int_equal(views_get(&c.x, &r, take, &result), X_WAIT);
    wait_until_resumed(&c);
    exchange_end_states(&c.x);
    assert_null(c.x.states);
    /* Also before the view is there: its maker finds nobody to resume. */
    client_init(&c);
    assert_int_equal(views_get(&c.x, &r, take, &result), X_WAIT);
    exchange_end_states(&c.x);
    struct buf b = get_bytes(&r, ENCODING_GZIP);
    buf_free(&b);
}

/* Nothing is made before all wait. */
TEST_WITH(uploads_and_requests_get_the_same_bytes, build, wreck)
{
    struct view_request r = request_for("svg", "");
    struct view_ahead ahead[2];
    struct view_result results[2], asked, found;
    struct requester c;
    struct turn turns[2];

    for (unsigned i = 0; i < 2; i++) {
        turn_init(&turns[i], world->service.turns, TURN_SMALL, NULL, NULL);
        turn_take(&turns[i]);
    }
    client_init(&c);
    views_begin(world->service.views, &r, world->client, &ahead[0]);
    assert_int_equal(views_get(&c.x, &r, take, &asked), X_WAIT);
    views_begin(world->service.views, &r, world->client, &ahead[1]);
    turn_end(&turns[1]);
    for (unsigned i = 0; i < 2; i++)
        views_await(world->service.views, &ahead[i], &turns[0], &results[i]);
    wait_until_resumed(&c);
    assert_int_equal(exchange_go_on(&c.x), X_DONE);
    for (unsigned i = 0; i < 2; i++) {
        assert_ptr_equal(results[i].bytes, asked.bytes);
        view_result_free(&results[i]);
    }
    exchange_end_states(&c.x);
    view_result_free(&asked);
    views_begin(world->service.views, &r, NULL, &ahead[0]);
    views_await(world->service.views, &ahead[0], &turns[0], &found);
    assert_true(found.fd >= 0);
    view_result_free(&found);
    views_make(world->service.views, &r, &turns[0], &found);
    assert_true(found.fd >= 0 || found.bytes != NULL);
    view_result_free(&found);
    turn_end(&turns[0]);
}

TEST_WITH(views_made_here, build, wreck)
{
    struct view_request r = request_for("folded", "");
    struct view_result made;
    struct turn turn;
    unsigned waits;

    turn_init(&turn, world->service.turns, TURN_AHEAD, NULL, NULL);
    views_make(world->service.views, &r, &turn, &made);
    turn_give(&turn);
    struct view_result result = get(&r, &waits);
    assert_int_equal(waits, 0);
    struct buf first = bytes_of(&made), again = bytes_of(&result);
    assert_true(str_eq(buf_view(&first), buf_view(&again)));
    buf_free(&first);
    buf_free(&again);
    r.options.track_ids[0] = 77;
    r.options.n_track_ids = 1;
    views_make(world->service.views, &r, &turn, &made);
    assert_null(made.bytes);
    assert_int_equal(made.diag.kind, DIAG_NOT_FOUND);
    turn_end(&turn);
}

/* Nobody would ever begin it anew, and whoever waits for it gets it all the same. */
TEST_WITH(views_for_an_upload_whose_client_has_left, build, wreck)
{
    struct view_request r = request_for("folded", "");
    struct view_result made;
    struct stop stop = {0};
    struct turn turn;

    stop_ask(&stop, STOP_LEFT);
    turn_init(&turn, world->service.turns, TURN_AHEAD, NULL, &stop);
    views_make(world->service.views, &r, &turn, &made);
    assert_true(turn.stop == &stop);
    view_result_free(&made);
    turn_end(&turn);
}

static void *ask(void *accept_encoding)
{
    struct view_request r = request_for("json", accept_encoding);
    struct buf *b = malloc(sizeof(*b));
    unsigned waits;

    assert_non_null(b);
    for (int i = 0; i < 20; i++) {
        struct view_result result = get(&r, &waits);
        *b = bytes_of(&result);
        if (i < 19)
            buf_free(b);
    }
    return b;
}

TEST_WITH(by_threads, build, wreck)
{
    static const char *const FIELDS[] = {"", "gzip", "zstd", "zstd, gzip"};
    pthread_t threads[8];
    struct buf *b[8];

    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, (void *)(uintptr_t)FIELDS[i % 4]), 0);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_join(threads[i], (void **)&b[i]), 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(str_eq(buf_view(b[i]), buf_view(b[i + 4])));
    assert_true(str_eq(buf_view(b[2]), buf_view(b[3])));
    for (size_t i = 0; i < 8; i++) {
        buf_free(b[i]);
        free(b[i]);
    }
}
