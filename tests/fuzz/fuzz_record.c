/* What may stand in the place of an upload's record: whatever is accepted has the form of one. */
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "server/store/record.h"
#include "tests/support/fuzzing.h"
#include "tests/support/scratch.h"

#define ID "abcdefghijklmnopqrstuvwxyz"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store *store;
static struct scratch scratch;

static void end(void)
{
    store_close(store);
    scratch_remove(&scratch);
}

static void begin(void)
{
    struct diag diag = {0};

    scratch = scratch_make();
    store = store_open(scratch.path, &diag);
    fuzzing_check(store != NULL && atexit(end) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct record r;

    if (store == NULL)
        begin();
    store_delete(store, "uploads/" ID ".json");
    fuzzing_check(local_put(store_local(store), "uploads/" ID ".json", text, LOCAL_EVICTABLE) == STORE_OK);
    enum record_state state = record_read(store, STR(ID), 1700000000, &r);
    fuzzing_check(state != RECORD_NONE);
    if (state == RECORD_FOUND || (state == RECORD_GONE && r.id[0] != '\0')) {
        struct buf name = {0};
        clean_text(&name, str_of(r.name));
        fuzzing_check(str_eq(buf_view(&name), str_of(r.name)));
        buf_free(&name);
        fuzzing_check(strcmp(r.id, ID) == 0 && strspn(r.sha256, "0123456789abcdef") == RECORD_SHA256_CHARS);
        fuzzing_check((state == RECORD_FOUND) == (r.expires_s > 1700000000));
    }
    return 0;
}
