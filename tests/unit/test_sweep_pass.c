/* One sweep: what goes, what stays, in which order. */
#include "tests/support/unit.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/aged_store.h"

/* ---- uploads ---- */

TEST(an_empty_store_has_nothing_to_sweep)
{
    struct aged_store f = aged_store_begin();

    aged_store_assert_nothing_done(aged_store_sweep(&f, 0, false));
    aged_store_assert_nothing_done(aged_store_sweep(&f, 0, true));
    aged_store_end(&f);
}

TEST(what_has_not_expired_stays)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, 5);

    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, false));
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, true));
    assert_true(aged_store_has(&f, u.bytes) && aged_store_has(&f, u.object));
    aged_store_end(&f);
}

TEST(expired_ones_become_tombstones_then_nothing)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, 0);
    struct record r;

    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.expired, 1);
    assert_int_equal(done.blobs, 1);
    assert_int_equal(done.blob_bytes, sweep_on_disk(5));
    assert_int_equal(done.refs + done.failed + done.broken, 0);
    assert_false(aged_store_has(&f, u.bytes) || aged_store_has(&f, u.object));
    assert_int_equal(record_read(f.store, str_of(u.record.id), f.now_s, &r), RECORD_GONE);
    f.now_s += (int64_t)RECORD_GONE_DAYS * DAY_S;
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, false));
    f.now_s++;
    assert_int_equal(aged_store_sweep(&f, MIB, false).forgotten, 1);
    assert_int_equal(record_read(f.store, str_of(u.record.id), f.now_s, &r), RECORD_NONE);
    assert_int_equal(scratch_count(&f.scratch, "gone"), 0);
    aged_store_end(&f);
}

/* Of bytes that are kept once for several uploads, as those of an archive, the last one frees the room. */
TEST(shared_bytes_are_freed_by_the_last)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload first = aged_store_upload(&f, 1, 0), second = aged_store_describe(&f, 1, HOUR_S);

    assert_int_equal(store_copy(f.store, first.bytes, second.bytes), STORE_OK);
    assert_int_equal(record_write(f.store, &second.record, (int64_t)time(NULL)), STORE_OK);
    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.expired, 1);
    assert_int_equal(done.blob_bytes, 0);
    assert_true(aged_store_has(&f, second.bytes) && !aged_store_has(&f, first.bytes));
    f.now_s += HOUR_S;
    assert_int_equal(aged_store_sweep(&f, MIB, false).blob_bytes, sweep_on_disk(5));
    assert_int_equal(scratch_count(&f.scratch, "bytes"), 0);
    aged_store_end(&f);
}

TEST(a_delete_that_was_cut_off_is_finished)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, HOUR_S);

    assert_int_equal(store_put(f.store, u.gone, STR("2026-11-20T10:49:19Z")), STORE_OK);
    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.expired, 1);
    assert_int_equal(done.blobs, 1);
    assert_false(aged_store_has(&f, u.object) || aged_store_has(&f, u.bytes));
    aged_store_end(&f);
}

/* kill -9 between any two steps of an upload: it left bytes, or a file of names and what says that it needs that. */
TEST(what_a_crash_left_goes)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_describe(&f, 1, HOUR_S), v = aged_store_describe(&f, 2, HOUR_S);
    char file[STORE_KEY_BYTES], need[STORE_KEY_BYTES];

    record_names_key(u.record.sha256, record_period(f.now_s), file);
    record_need_key(u.record.sha256, record_period(f.now_s), u.record.id, need);
    aged_store_put(&f, u.bytes, 100, DAY_S - 10);
    aged_store_put(&f, v.bytes, 100, DAY_S + 10);
    aged_store_put(&f, file, 100, 0);
    aged_store_put(&f, need, 0, 0);
    assert_int_equal(aged_store_sweep(&f, MIB, false).blobs, 1);
    assert_true(aged_store_has(&f, u.bytes) && !aged_store_has(&f, v.bytes));
    f.now_s += 20;
    struct sweep_done done = aged_store_sweep(&f, MIB, true);
    assert_int_equal(done.blobs, 1);
    assert_int_equal(done.blob_bytes, sweep_on_disk(100));
    assert_int_equal(scratch_count(&f.scratch, "bytes"), 0);
    f.now_s += RECORD_PERIOD_S;
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, false));
    f.now_s += RECORD_PERIOD_S;
    done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.refs, 1);
    assert_int_equal(done.blobs, 1);
    assert_int_equal(scratch_count(&f.scratch, "names"), 0);
    aged_store_end(&f);
}

TEST(damage_is_counted_and_left)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, HOUR_S), v = aged_store_upload(&f, 2, HOUR_S);

    assert_int_equal(store_delete(f.store, u.bytes), STORE_OK);
    assert_int_equal(store_delete(f.store, v.object), STORE_OK);
    aged_store_put(&f, v.object, 10, DAY_S * 9);
    aged_store_put(&f, "uploads/not-ours.json", 10, DAY_S * 9);
    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.broken, 2);
    done.broken = 0;
    aged_store_assert_nothing_done(done);
    assert_true(aged_store_has(&f, u.object) && aged_store_has(&f, v.object) && aged_store_has(&f, v.bytes));
    aged_store_end(&f);
}

TEST(times_in_the_future_begin_anew)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_describe(&f, 1, HOUR_S);

    aged_store_put(&f, u.bytes, 100, -1000 * DAY_S);
    aged_store_put(&f, "views/ab/x", 10, -1000 * DAY_S);
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, false));
    f.now_s += DAY_S + 100;
    assert_int_equal(aged_store_sweep(&f, MIB, false).blobs, 1);
    f.now_s += (int64_t)SWEEP_VIEW_DAYS * DAY_S;
    assert_int_equal(aged_store_sweep(&f, MIB, false).views, 1);
    aged_store_end(&f);
}

/* Stopped at every object in turn: the sweeps together do what one does. */
TEST(a_sweep_may_end_anywhere)
{
    struct aged_store f = aged_store_begin();
    struct sweep_done sum = {0};
    unsigned sweeps = 0;

    for (unsigned i = 0; i < 5; i++) {
        char key[STORE_KEY_BYTES];
        snprintf(key, sizeof(key), "views/ab/%u", i);
        aged_store_put(&f, key, 4 * KIB, (SWEEP_VIEW_DAYS + 1) * DAY_S);
        aged_store_upload(&f, i, 0);
    }
    for (; sum.expired + sum.blobs + sum.views < 15; sweeps++) {
        f.steps = sweeps;
        struct sweep_done done = aged_store_sweep(&f, MIB, false);
        sum.expired += done.expired;
        sum.blobs += done.blobs;
        sum.views += done.views;
        assert_int_equal(done.failed, 0);
        assert_in_range(sweeps, 0, 100);
    }
    assert_in_range(sweeps, 3, 100);
    assert_int_equal(scratch_count(&f.scratch, "uploads") + scratch_count(&f.scratch, "bytes"), 0);
    f.steps = UINT32_MAX;
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, false));
    aged_store_end(&f);
}

/* ---- views ---- */

TEST(views_below_the_limit_stay)
{
    struct aged_store f = aged_store_begin();

    aged_store_put_views(&f, 100, 4 * KIB, HOUR_S);
    aged_store_assert_nothing_done(aged_store_sweep(&f, 400 * KIB, false));
    aged_store_put(&f, "views/ab/small", 1, 0); /* has a block of its own */
    assert_int_equal(aged_store_sweep(&f, 400 * KIB, false).views, 11);
    aged_store_end(&f);
}

TEST(the_least_recently_used_ones_go)
{
    struct aged_store f = aged_store_begin();

    aged_store_put_views(&f, 100, 4 * KIB, HOUR_S);
    struct sweep_done done = aged_store_sweep(&f, 200 * KIB, false);
    assert_int_equal(done.views, 55);
    assert_int_equal(done.view_bytes, 55 * 4 * KIB);
    aged_store_assert_views(&f, 45, 100);
    aged_store_assert_nothing_done(aged_store_sweep(&f, 200 * KIB, false));
    aged_store_end(&f);
}

TEST(a_get_saves_a_view)
{
    struct aged_store f = aged_store_begin();
    char key[STORE_KEY_BYTES];
    uint64_t bytes;
    int fd;

    aged_store_put_views(&f, 20, 4 * KIB, 2 * HOUR_S);
    aged_store_view_key(19, key);
    assert_int_equal(local_use(f.local, key, &fd, &bytes), STORE_OK);
    close(fd);
    assert_int_equal(aged_store_sweep(&f, 40 * KIB, false).views, 11);
    assert_true(aged_store_has(&f, key));
    aged_store_view_key(8, key);
    assert_false(aged_store_has(&f, key));
    aged_store_end(&f);
}

/* All in one class of age: any of them may go, but no more than it takes. */
TEST(equally_old_ones_go_only_as_far_as_needed)
{
    struct aged_store f = aged_store_begin();

    aged_store_put_views(&f, 100, 4 * KIB, 0);
    assert_int_equal(aged_store_sweep(&f, 360 * KIB, false).views, 19);
    assert_int_equal(aged_store_sweep(&f, 0, false).views, 81);
    aged_store_end(&f);
}

TEST(a_full_disk_halves_the_views)
{
    struct aged_store f = aged_store_begin();

    aged_store_put_views(&f, 8, 4 * KIB, HOUR_S);
    assert_int_equal(aged_store_sweep(&f, MIB, true).views, 4);
    aged_store_assert_views(&f, 4, 8);
    assert_int_equal(aged_store_sweep(&f, MIB, true).views, 2);
    assert_int_equal(aged_store_sweep(&f, MIB, true).views, 1);
    assert_int_equal(aged_store_sweep(&f, MIB, true).views, 1);
    aged_store_assert_nothing_done(aged_store_sweep(&f, MIB, true));
    aged_store_end(&f);
}

/* Unless they were used just now: an upload draws its first views beside the keeping of its bytes. */
TEST(views_of_bytes_that_are_gone_go)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload kept = aged_store_upload(&f, 1, HOUR_S), gone = aged_store_describe(&f, 2, HOUR_S);
    char prefix[RECORD_VIEWS_PREFIX_CHARS + 1], views[3][STORE_KEY_BYTES];

    record_views_prefix(kept.record.sha256, prefix);
    snprintf(views[0], STORE_KEY_BYTES, "%sold", prefix);
    record_views_prefix(gone.record.sha256, prefix);
    snprintf(views[1], STORE_KEY_BYTES, "%sold", prefix);
    snprintf(views[2], STORE_KEY_BYTES, "%syoung", prefix);
    aged_store_put(&f, views[0], 10, 2 * DAY_S);
    aged_store_put(&f, views[1], 10, 2 * DAY_S);
    aged_store_put(&f, views[2], 10, HOUR_S);
    struct sweep_done done = aged_store_sweep(&f, MIB, false);
    assert_int_equal(done.views, 1);
    assert_true(aged_store_has(&f, views[0]));
    assert_false(aged_store_has(&f, views[1]));
    assert_true(aged_store_has(&f, views[2]));
    aged_store_end(&f);
}

TEST(an_upload_goes_with_its_views)
{
    struct aged_store f = aged_store_begin();
    struct aged_upload u = aged_store_upload(&f, 1, HOUR_S);
    char prefix[RECORD_VIEWS_PREFIX_CHARS + 1], view[STORE_KEY_BYTES];

    record_views_prefix(u.record.sha256, prefix);
    snprintf(view, sizeof(view), "%sone", prefix);
    aged_store_put(&f, view, 10, 0);
    assert_false(record_is_gone(f.store, u.record.id));
    assert_int_equal(record_bytes_alone(f.store, u.record.id), 5);
    assert_int_equal(record_delete(f.store, &u.record, f.now_s), STORE_OK);
    assert_true(record_is_gone(f.store, u.record.id));
    assert_int_equal(record_bytes_alone(f.store, u.record.id), 0);
    assert_false(aged_store_has(&f, u.bytes) || aged_store_has(&f, view));
    aged_store_end(&f);
}

TEST(what_nobody_looks_at_goes)
{
    struct aged_store f = aged_store_begin();

    aged_store_put(&f, "views/ab/old", 10, (int64_t)SWEEP_VIEW_DAYS * DAY_S);
    aged_store_put(&f, "views/ab/less", 10, (int64_t)SWEEP_VIEW_DAYS * DAY_S - 1);
    assert_int_equal(aged_store_sweep(&f, MIB, false).views, 1);
    assert_true(aged_store_has(&f, "views/ab/less"));
    aged_store_end(&f);
}

static bool go_on_always(void *context)
{
    (void)context;
    return true;
}

static struct sweep_done sweep_again(struct aged_store *f, struct sweep_index *index, enum sweep_what what)
{
    struct sweep_plan plan = {.what = what,
                              .now_s = f->now_s,
                              .clock_s = f->now_s,
                              .unneeded_before_s = f->now_s - DAY_S,
                              .view_bytes_most = MIB,
                              .believes_index = true,
                              .go_on = go_on_always};

    return sweep_pass(f->store, index, NULL, &plan);
}

/* What an earlier sweep has read is believed as long as the record has the same number, and no longer. */
TEST(an_index_is_believed_until_something_changes)
{
    struct aged_store f = aged_store_begin();
    struct sweep_index *index = sweep_index_new();
    struct aged_upload kept = aged_store_upload(&f, 1, 10 * DAY_S), expires = aged_store_upload(&f, 2, DAY_S),
                       changed = aged_store_upload(&f, 3, 2 * DAY_S),
                       deleted = aged_store_upload(&f, 4, 3 * DAY_S);
    struct record r;

    assert_non_null(index);
    struct sweep_done done = sweep_again(&f, index, SWEEP_ALL);
    assert_int_equal(done.next_expires_s, f.now_s + DAY_S);
    assert_int_equal(sweep_index_count(index), 4);
    assert_true(sweep_index_is_whole(index));
    /* A damaged record of the same number is not looked at. */
    scratch_write(&f.scratch, kept.object, "damaged", 7);
    assert_int_equal(sweep_again(&f, index, SWEEP_ALL).broken, 0);
    changed.record.expires_s = f.now_s + 5 * DAY_S;
    assert_int_equal(record_change(f.store, &changed.record, RECORD_EXPIRY, f.now_s), STORE_OK);
    assert_int_equal(record_delete(f.store, &deleted.record, f.now_s), STORE_OK);
    f.now_s += 3 * (int64_t)DAY_S + 1;
    done = sweep_again(&f, index, SWEEP_UPLOADS);
    assert_int_equal(done.expired, 1);
    assert_int_equal(done.next_expires_s, changed.record.expires_s);
    assert_false(aged_store_has(&f, expires.bytes));
    done = sweep_again(&f, index, SWEEP_ALL);
    assert_int_equal(done.broken + done.failed + done.expired + done.blobs, 0);
    assert_int_equal(sweep_index_count(index), 2);
    assert_int_equal(record_read(f.store, str_of(changed.record.id), f.now_s, &r), RECORD_FOUND);
    sweep_index_free(index);
    aged_store_end(&f);
}
