#include "server/convert/symbol_names.h"

#include "profile/transform/transform.h"

const struct profile *symbol_names(const struct profile *p, const struct symbol_sources *sources,
                                   struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                   struct diag *diag)
{
    const struct symbol_limits limits = {.program = SYMBOL_RUN_PROGRAM,
                                         .memory_bytes = arena->limit_bytes,
                                         .seconds = SYMBOL_NAMES_SECONDS,
                                         .stop = stop};
    struct arena scratch;

    if (sources->n == 0)
        return p;
    arena_init(&scratch, arena->limit_bytes);
    struct symbols *s = symbols_new(p, &scratch, seed);
    struct transform_request request = {.symbols = s};
    const struct profile *named = s != NULL && symbol_search(s, sources, &limits, diag)
                                      ? transform_apply(p, &request, arena, diag)
                                      : NULL;
    if (named == NULL && arena->failure == ARENA_OK)
        arena->failure = scratch.failure;
    arena_free(&scratch);
    return named;
}
