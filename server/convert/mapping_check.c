#include "server/convert/mapping_check.h"

#include <stdlib.h>

#include "parser/mapping/mapping_reader.h"

enum { ARENA_BYTES = 1 << 20 }; /* nobody asks for a name */

struct mapping_check {
    struct arena arena;
    struct mapping_reader *reader;
};

struct mapping_check *mapping_check_new(void)
{
    struct mapping_check *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    arena_init(&c->arena, ARENA_BYTES);
    /* No key that comes from outside is put into its tables. */
    struct mapping *m = mapping_new(&c->arena, (struct hash_seed){0, 0});
    c->reader = m != NULL ? mapping_reader_new(m) : NULL;
    if (c->reader != NULL)
        return c;
    mapping_check_free(c);
    return NULL;
}

void mapping_check_free(struct mapping_check *c)
{
    if (c == NULL)
        return;
    mapping_reader_free(c->reader);
    arena_free(&c->arena);
    free(c);
}

static bool answer(const struct mapping_check *c, bool ok, struct diag *diag)
{
    if (ok)
        return true;
    if (mapping_reader_diag(c->reader)->kind == DIAG_NONE)
        return diag_no_memory(diag, "No memory is left to read the mapping.");
    *diag = *mapping_reader_diag(c->reader);
    return false;
}

bool mapping_check_feed(struct mapping_check *c, struct str bytes, struct diag *diag)
{
    return answer(c, mapping_reader_feed(c->reader, bytes.p, bytes.n), diag);
}

bool mapping_check_finish(struct mapping_check *c, struct diag *diag)
{
    return answer(c, mapping_reader_finish(c->reader), diag);
}
