/* The webhook without its thread: what is signed, what is tried again, what its queue holds. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "server/figures/figures.h"
#include "server/figures/figures_table.h"
#include "server/service.h"
#include "server/webhook/webhook_impl.h"

/* ---- signatures ---- */

/* RFC 4231, 4.2, 4.3 and 4.7: a key that is shorter than a block, one of text, and one that is longer. */
TEST(signatures_are_those_of_the_standard)
{
    char short_key[20], long_key[131], signature[WEBHOOK_SIGNATURE_BYTES];

    memset(short_key, 0x0b, sizeof(short_key));
    memset(long_key, 0xaa, sizeof(long_key));
    assert_true(webhook_sign((struct str){short_key, sizeof(short_key)}, STR("Hi There"), signature));
    assert_string_equal(signature, "sha256=b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_true(webhook_sign(STR("Jefe"), STR("what do ya want for nothing?"), signature));
    assert_string_equal(signature, "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_true(webhook_sign((struct str){long_key, sizeof(long_key)},
                             STR("Test Using Larger Than Block-Size Key - Hash Key First"), signature));
    assert_string_equal(signature, "sha256=60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* ---- answers ---- */

TEST(answers_that_may_change_are_asked_for_again)
{
    static const struct {
        long status;
        enum webhook_outcome outcome;
    } CASES[] = {{0, WEBHOOK_AGAIN},     {200, WEBHOOK_TAKEN},   {204, WEBHOOK_TAKEN},
                 {299, WEBHOOK_TAKEN},   {301, WEBHOOK_REFUSED}, {307, WEBHOOK_REFUSED},
                 {400, WEBHOOK_REFUSED}, {410, WEBHOOK_REFUSED}, {429, WEBHOOK_AGAIN},
                 {500, WEBHOOK_AGAIN},   {503, WEBHOOK_AGAIN}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++)
        assert_int_equal(webhook_outcome(CASES[i].status), CASES[i].outcome);
}

/* ---- the queue ---- */

struct world {
    struct service service;
    struct webhook *webhook;
};

static void begin(struct world *world)
{
    *world = (struct world){.service = {.figures = figures_new(0)}};
    assert_non_null(world->service.figures);
    world->webhook = webhook_new(&world->service);
    assert_non_null(world->webhook);
}

static void end(struct world *world)
{
    webhook_free(world->webhook);
    figures_free(world->service.figures);
}

static void assert_dropped(const struct world *world, unsigned n)
{
    const struct figures_now now = {.version = ""};
    struct buf b = {0};
    char line[80];

    figures_put(&b, world->service.figures, &now, false);
    snprintf(line, sizeof(line), "aflamed_webhook_total{result=\"dropped\"} %u\n", n);
    assert_true(!b.failed && str_find_str(buf_view(&b), str_of(line)) < b.n);
    buf_free(&b);
}

static void add(struct world *world, unsigned number)
{
    struct buf body = {0};

    buf_printf(&body, "%u", number);
    webhook_add_body(world->webhook, &body);
    assert_null(body.p);
}

TEST(the_queue_has_an_end)
{
    enum { TOO_MANY = 6 };
    struct world world;
    uint64_t number;

    begin(&world);
    for (unsigned i = 0; i < WEBHOOK_QUEUE + TOO_MANY; i++)
        add(&world, i);
    assert_dropped(&world, TOO_MANY);
    for (unsigned i = 0; i < WEBHOOK_QUEUE; i++) {
        struct webhook_item *item = webhook_take(world.webhook, false);
        assert_non_null(item);
        assert_true(str_to_u64(buf_view(&item->text), 10, &number) && number == i);
        webhook_item_free(item);
    }
    assert_null(webhook_take(world.webhook, false));
    add(&world, 7);
    assert_dropped(&world, TOO_MANY);
    end(&world); /* with one in it */
}

TEST(bodies_that_could_not_be_made_are_counted)
{
    struct world world;
    struct buf body;

    begin(&world);
    buf_init(&body, 3);
    buf_z(&body, "four");
    webhook_add_body(world.webhook, &body);
    assert_null(webhook_take(world.webhook, false));
    assert_dropped(&world, 1);
    end(&world);
}

TEST(what_has_ended_takes_no_more)
{
    struct world world;

    begin(&world);
    stop_ask(&world.service.stop, STOP_SERVICE);
    add(&world, 1);
    assert_null(webhook_take(world.webhook, true));
    assert_dropped(&world, 1);
    end(&world);
}

/* ---- series ---- */

static void list(struct world *world, const char *space, int64_t created_s, const char *id,
                 const char *labels)
{
    struct record r = {.created_s = created_s};
    struct diag diag = {0};

    memcpy(r.space, space, strlen(space));
    memcpy(r.id, id, strlen(id));
    assert_true(labels_set_lines(&r.labels, str_of(labels), &diag));
    webhook_listed(world->webhook, &r);
}

/* Uploads of one series are looked at together, from the first of them on. */
TEST(uploads_of_one_series_are_one_item)
{
    static const struct {
        const char *space, *labels;
        int64_t first_s;
        const char *first;
    } WANTED[] = {{"shop", "branch=main\nscenario=start\n", 5, "b"},
                  {"shop", "branch=main\n", 5, "d"},
                  {"other", "branch=main\nscenario=start\n", 7, "e"}};
    struct world world;

    begin(&world);
    list(&world, "shop", 6, "a", "branch=main\ncommit=1\nscenario=start\n");
    list(&world, "shop", 5, "d", "branch=main\ncommit=1\n");
    list(&world, "shop", 5, "c", "branch=main\ncommit=2\nscenario=start\nrun=4\n");
    list(&world, "shop", 5, "b", "branch=main\nscenario=start\n");
    list(&world, "shop", 9, "f", "branch=main\nscenario=start\n");
    list(&world, "other", 7, "e", "branch=main\nscenario=start\n");
    list(&world, "", 1, "g", "branch=main\n"); /* listed nowhere */
    for (size_t i = 0; i < sizeof(WANTED) / sizeof(*WANTED); i++) {
        struct webhook_item *item = webhook_take(world.webhook, false);
        assert_non_null(item);
        assert_true(item->is_series);
        assert_string_equal(item->space, WANTED[i].space);
        assert_true(str_eq(buf_view(&item->text), str_of(WANTED[i].labels)));
        assert_int_equal(item->upload.created_s, WANTED[i].first_s);
        assert_string_equal(item->upload.id, WANTED[i].first);
        webhook_item_free(item);
    }
    assert_null(webhook_take(world.webhook, false));
    end(&world);
}
