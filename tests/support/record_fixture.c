#include "tests/support/record_fixture.h"

#include "core/system/digest.h"
#include "tests/support/unit.h"

struct record_fixture record_fixture_begin(void)
{
    struct record_fixture f = {.scratch = scratch_make()};
    struct diag diag = {0};

    f.store = store_open(f.scratch.path, &diag);
    assert_non_null(f.store);
    f.record = (struct record){.id = ID,
                               .name = "app start.trace",
                               .sha256 = SHA,
                               .format = "android-trace",
                               .size = 57472596,
                               .created_s = NOW_S,
                               .expires_s = NOW_S + 30 * DAY_S,
                               .warnings = 2};
    digest_hex_of("token", 5, f.record.token_sha256);
    assert_int_equal(store_put(f.store, BYTES, STR("bytes")), STORE_OK);
    return f;
}

void record_fixture_end(struct record_fixture *f)
{
    assert_int_equal(scratch_count(&f->scratch, "tmp"), 0);
    store_close(f->store);
    scratch_remove(&f->scratch);
}
