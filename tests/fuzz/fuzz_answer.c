/* What a child says of symbols, which is hostile: it is taken as a whole or not at all, and names can be
 * given by what was taken. */
#include <stdlib.h>

#include "server/symbols/symbol_search.h"
#include "tests/support/fuzzing.h"
#include "tests/support/symbols_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = fuzzing_copy(data, size);
    struct symbols_fixture f;

    symbols_fixture_begin(&f);
    bool taken = symbol_take(f.symbols, 1, bytes);
    free((void *)(uintptr_t)bytes.p);
    fuzzing_check(taken || f.symbols->n_names == 0);
    fuzzing_check(symbols_apply(f.profile, f.symbols, &f.arena) != NULL);
    symbols_fixture_end(&f);
    return 0;
}
