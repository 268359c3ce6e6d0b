/* How much the store keeps of each person: what fits, what counts once, what a sweep counts anew. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/store/kept.h"
#include "server/store/sweep.h"
#include "tests/support/record_fixture.h"

enum { LIMIT_BYTES = 100 };

/* An upload of `owner`; contents differ by the first digit. */
static struct record upload(const char *owner, char content, uint64_t bytes)
{
    struct record r = {.size = bytes};

    snprintf(r.owner, sizeof(r.owner), "%s", owner);
    memset(r.sha256, '0', RECORD_SHA256_CHARS);
    r.sha256[0] = content;
    return r;
}

static bool fits(struct kept *k, const char *owner, char content, uint64_t bytes)
{
    const struct record r = upload(owner, content, bytes);

    return kept_take(k, &r);
}

static void ends(struct kept *k, const char *owner, char content, uint64_t bytes)
{
    const struct record r = upload(owner, content, bytes);

    kept_give(k, &r);
}

static struct kept *kept(void)
{
    struct kept *k = kept_new(LIMIT_BYTES);

    assert_non_null(k);
    return k;
}

TEST(each_has_as_much)
{
    struct kept *k = kept();

    assert_true(fits(k, "ann", 'a', 60));
    assert_false(fits(k, "ann", 'b', 41));
    assert_false(kept_is_full(k, "ann"));
    assert_true(fits(k, "ann", 'b', 40));
    assert_true(kept_is_full(k, "ann"));
    assert_true(fits(k, "bob", 'a', LIMIT_BYTES));
    assert_false(fits(k, "carl", 'a', LIMIT_BYTES + 1));
    ends(k, "ann", 'b', 40);
    assert_false(kept_is_full(k, "ann"));
    assert_true(fits(k, "ann", 'c', 40));
    kept_free(k);
}

TEST(the_same_bytes_count_once)
{
    struct kept *k = kept();

    for (int i = 0; i < 3; i++)
        assert_true(fits(k, "ann", 'a', 70));
    assert_false(fits(k, "ann", 'b', 70));
    ends(k, "ann", 'a', 70);
    ends(k, "ann", 'a', 70);
    assert_false(fits(k, "ann", 'b', 70));
    ends(k, "ann", 'a', 70);
    assert_true(fits(k, "ann", 'b', 70));
    ends(k, "ann", 'a', 70); /* it is not there */
    assert_false(fits(k, "ann", 'a', 70));
    kept_free(k);
}

TEST(nobody_is_not_counted)
{
    struct kept *k = kept();

    assert_true(fits(k, "", 'a', UINT64_MAX));
    assert_false(kept_is_full(k, ""));
    assert_true(fits(NULL, "ann", 'a', UINT64_MAX));
    assert_false(kept_is_full(NULL, "ann"));
    ends(NULL, "ann", 'a', 1);
    kept_free(k);
}

TEST(a_count_replaces_what_was)
{
    struct kept *k = kept();
    const struct record found = upload("ann", 'a', 30);

    assert_true(fits(k, "ann", 'x', 90));
    kept_count(k, &found); /* no count is under way */
    kept_count_begin(k);
    kept_count(k, &found);
    assert_false(fits(k, "ann", 'b', 20)); /* what was counts until the end */
    assert_true(fits(k, "ann", 'b', 10));  /* and what comes meanwhile counts in both */
    kept_count_end(k, true);
    assert_true(fits(k, "ann", 'c', 60));
    assert_true(kept_is_full(k, "ann"));
    kept_count_begin(k);
    kept_count_end(k, false); /* it was cut off */
    assert_true(kept_is_full(k, "ann"));
    kept_free(k);
}

static bool is_full(struct sweep *w)
{
    for (int i = 0; i < 2000 && !kept_is_full(sweep_kept(w), "ann"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return kept_is_full(sweep_kept(w), "ann");
}

/* The first sweep counts what an earlier process has kept. */
TEST(a_start_counts)
{
    struct record_fixture f = record_fixture_begin();
    const struct config config = {.upload_bytes_kept = 1,
                                  .sweep_interval_s = 3600,
                                  .delete_within_s = 60,
                                  .views_on_disk_bytes = 1 << 20};

    snprintf(f.record.owner, sizeof(f.record.owner), "ann");
    f.record.expires_s = (int64_t)4e9;
    assert_int_equal(record_write(f.store, &f.record, (int64_t)time(NULL)), STORE_OK);
    struct sweep *w = sweep_start(&config, f.store, NULL);
    assert_non_null(w);
    assert_true(is_full(w));
    assert_false(kept_is_full(sweep_kept(w), "bob"));
    sweep_stop(w);
    record_fixture_end(&f);
}
