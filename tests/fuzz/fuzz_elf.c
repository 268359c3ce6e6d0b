/* A file of symbols, as the child reads it, in this process: whatever it is, the answer is one that the
 * service takes, and names can be given by it. */
#include <stdlib.h>
#include <string.h>

#include "server/symbols/symbol_search.h"
#include "tests/support/fuzzing.h"
#include "tests/support/symbols_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct symbols_fixture f;
    char *bytes = malloc(size > 0 ? size : 1);

    fuzzing_check(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    symbols_fixture_begin(&f);
    symbols_fixture_read(&f, bytes, size);
    fuzzing_check(!f.out.failed && symbol_take(f.symbols, 1, buf_view(&f.out)));
    fuzzing_check(symbols_apply(f.profile, f.symbols, &f.arena) != NULL);
    symbols_fixture_end(&f);
    free(bytes);
    return 0;
}
