#include "server/store/record.h"
#include "server/store/record_cache.h"

#include "core/system/digest.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/support/scratch.h"

enum { NOW_S = 1800000000 };

struct world {
    struct scratch scratch;
    struct store *store;
    struct record_cache *recent;
    struct record record;
};

static void build(struct world *w)
{
    struct diag diag = {0};
    char path[512], bytes[RECORD_BYTES_KEY_CHARS + 1];

    *w = (struct world){.scratch = scratch_make()};
    scratch_path(&w->scratch, "store", path, sizeof(path));
    w->store = store_open(path, &diag);
    assert_non_null(w->store);
    w->recent = record_cache_new(w->store);
    assert_non_null(w->recent);
    w->record = (struct record){.format = "folded", .created_s = NOW_S - 10, .expires_s = NOW_S + 2};
    assert_true(record_new_secret(w->record.id));
    digest_hex_of("x", 1, w->record.sha256);
    digest_hex_of("y", 1, w->record.token_sha256);
    record_bytes_key(w->record.id, bytes);
    assert_int_equal(store_put(w->store, bytes, STR("x")), STORE_OK);
    assert_int_equal(record_write(w->store, &w->record, (int64_t)time(NULL)), STORE_OK);
}

static void wreck(struct world *w)
{
    record_cache_free(w->recent);
    store_close(w->store);
    scratch_remove(&w->scratch);
}

static enum record_state read_at(struct world *w, int64_t now_s)
{
    struct record r;
    enum record_state state = record_cache_read(w->recent, str_of(w->record.id), now_s, &r);

    if (state == RECORD_FOUND)
        assert_string_equal(r.sha256, w->record.sha256);
    return state;
}

/* Behind the store's back, so that only memory can know it. */
static void remove_quietly(struct world *w)
{
    char name[100], path[512];

    strcpy(name, "store/uploads/");
    strcat(name, w->record.id);
    strcat(name, ".json");
    scratch_path(&w->scratch, name, path, sizeof(path));
    assert_int_equal(remove(path), 0);
}

TEST(from_memory_within_the_second)
{
    struct world w;

    build(&w);
    assert_int_equal(read_at(&w, NOW_S), RECORD_FOUND);
    remove_quietly(&w);
    assert_int_equal(read_at(&w, NOW_S), RECORD_FOUND);
    assert_int_equal(read_at(&w, NOW_S + 1), RECORD_NONE);
    wreck(&w);
}

TEST(any_change_of_the_store_ends_it)
{
    struct world w;

    build(&w);
    assert_int_equal(read_at(&w, NOW_S), RECORD_FOUND);
    remove_quietly(&w);
    assert_int_equal(local_put(store_local(w.store), "views/aa/x", STR("x"), LOCAL_EVICTABLE), STORE_OK);
    assert_int_equal(read_at(&w, NOW_S), RECORD_FOUND);
    assert_int_equal(store_put(w.store, "gone/x", STR("x")), STORE_OK);
    assert_int_equal(read_at(&w, NOW_S), RECORD_NONE);
    wreck(&w);
}

TEST(deleted_is_gone_at_once)
{
    struct world w;

    build(&w);
    assert_int_equal(read_at(&w, NOW_S), RECORD_FOUND);
    assert_int_equal(record_delete(w.store, &w.record, NOW_S), STORE_OK);
    assert_int_equal(read_at(&w, NOW_S), RECORD_GONE);
    wreck(&w);
}

TEST(expired_is_gone)
{
    struct world w;

    build(&w);
    assert_int_equal(read_at(&w, NOW_S + 1), RECORD_FOUND);
    assert_int_equal(read_at(&w, NOW_S + 2), RECORD_GONE);
    wreck(&w);
}

TEST(what_is_not_there)
{
    struct world w;
    struct record r;

    build(&w);
    assert_int_equal(record_cache_read(w.recent, STR("no id"), NOW_S, &r), RECORD_NONE);
    assert_int_equal(record_cache_read(w.recent, STR("aaaaaaaaaaaaaaaaaaaaaaaaaa"), NOW_S, &r), RECORD_NONE);
    assert_string_equal(r.id, "");
    wreck(&w);
}
