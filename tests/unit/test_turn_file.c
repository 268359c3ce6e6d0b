/* Long traces in the service: read by as many threads as turns are free, as by one; and turns are given back. */
#include "server/views/profiles.h"

#include "tests/support/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/system/folder.h"
#include "parser/reader.h"
#include "tests/support/profile_dump.h"
#include "tests/support/replayed.h"
#include "tests/support/trace_bytes.h"

enum { RECORDS = 800000 /* of 14 bytes: two pieces and a half */, WORKERS = 4, READERS = 6 };

struct world {
    int fd;
    struct turns *turns;
    char *alone; /* what comes of it, by one thread */
};

/* One reading, which may be of a thread of its own. */
struct user {
    const struct world *world;
    pthread_t thread;
    struct stop stop;
    unsigned jobs; /* that the reading was worth */
    struct buf dump;
};

static void write_trace(int fd)
{
    static const unsigned DEEP = 9;
    struct buf b = {0};

    trace_bytes_keys(&b, 3, "dual");
    trace_bytes_header(&b, 3, 32, 14);
    for (unsigned i = 0; i < RECORDS; i++) {
        unsigned at = i % (2 * DEEP);
        bool enters = at < DEEP;
        trace_bytes_record(&b, 14,
                           (struct trace_record){.thread = i / 7776 % 2 == 0 ? 1 : 9,
                                                 .method = 4 * ((enters ? at : 2 * DEEP - 1 - at) * 7 % 3),
                                                 .action = enters ? EVENT_ENTER : EVENT_EXIT,
                                                 .times = {i * 2, i * 3}});
    }
    assert_false(b.failed);
    assert_true(file_write_all(fd, b.p, b.n));
    buf_free(&b);
}

/* With the log of calls. `parallel`: by turns that are free. */
static void read_into(struct user *u, struct turn *turn, bool parallel)
{
    struct reader_limits limits = READER_LIMITS_DEFAULT;
    struct turn_file file;
    struct replayed log;
    struct reader r;
    struct arena arena;

    arena_init(&arena, 256 << 20);
    arena.stop = &u->stop;
    turn_file_open(&file, u->world->fd, turn, &u->stop);
    u->jobs = file.threads.parallel.jobs;
    if (!reader_init(&r, &arena, &limits, (struct hash_seed){3, 4})) { /* the stop was asked already */
        arena_free(&arena);
        return;
    }
    if (parallel)
        reader_parallel(&r, &file.threads.parallel);
    replayed_begin(&log, r.builder);
    const struct profile *p = reader_read(&r, &file.in);
    if (p != NULL) {
        profile_dump(&u->dump, p);
        replayed_end(&log, p);
        buf_printf(&u->dump, "tracks of the log %llu\n", (unsigned long long)log.log.trailer.n_tracks);
    } else {
        profile_dump_diag(&u->dump, &r.diag);
    }
    replayed_close(&log);
    buf_char(&u->dump, '\0');
    assert_false(u->dump.failed);
    arena_free(&arena);
}

static void *read_in_turn(void *user)
{
    struct user *u = user;
    struct turn turn;

    turn_init(&turn, u->world->turns, TURN_INPUT, u, &u->stop);
    turn_take(&turn);
    read_into(u, &turn, true);
    turn_end(&turn);
    return NULL;
}

static int build(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    char path[] = "/tmp/turn-file-XXXXXX";
    struct user u = {.world = w};
    struct turn turn;

    assert_non_null(w);
    *state = w;
    w->fd = mkstemp(path);
    assert_true(w->fd >= 0);
    unlink(path);
    write_trace(w->fd);
    w->turns = turns_new(WORKERS, true);
    assert_non_null(w->turns);
    turn_init(&turn, w->turns, TURN_INPUT, NULL, NULL);
    read_into(&u, &turn, false);
    turn_end(&turn);
    w->alone = u.dump.p;
    return 0;
}

static int wreck(void **state)
{
    struct world *w = *state;

    assert_int_equal(turns_busy(w->turns), 0);
    turns_free(w->turns);
    close(w->fd);
    free(w->alone);
    free(w);
    return 0;
}

static void check_same(struct user *u)
{
    assert_string_equal(u->dump.p, u->world->alone);
    buf_free(&u->dump);
}

TEST_WITH(turns_that_are_free_read_beside, build, wreck)
{
    struct user u = {.world = *state};

    read_in_turn(&u);
    assert_int_equal(u.jobs, WORKERS);
    check_same(&u);
}

TEST_WITH(turns_that_others_have_are_theirs, build, wreck)
{
    const struct world *w = *state;
    struct turn others[WORKERS - 1];
    struct user u = {.world = w};

    for (unsigned i = 0; i < WORKERS - 1; i++) {
        turn_init(&others[i], w->turns, TURN_INPUT, &others[i], NULL);
        turn_take(&others[i]);
    }
    read_in_turn(&u);
    assert_int_equal(u.jobs, 1);
    check_same(&u);
    for (unsigned i = 0; i < WORKERS - 1; i++)
        turn_end(&others[i]);
}

/* More threads than turns: each waits for its own, and nobody for ever. */
TEST_WITH(many_readers_share_the_turns, build, wreck)
{
    struct user users[READERS];

    for (unsigned i = 0; i < READERS; i++) {
        users[i] = (struct user){.world = *state};
        assert_int_equal(pthread_create(&users[i].thread, NULL, read_in_turn, &users[i]), 0);
    }
    for (unsigned i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
        check_same(&users[i]);
    }
}

/* Asked at any of its looks, by whichever thread looks then. */
TEST_WITH(who_is_told_to_end_ends, build, wreck)
{
    for (unsigned left_at = 1; left_at < 400; left_at += 23) {
        _Atomic unsigned asked = 0;
        struct user u = {.world = *state, .stop = {.asked = &asked, .left_at = left_at}};
        read_in_turn(&u);
        buf_free(&u.dump);
    }
}
