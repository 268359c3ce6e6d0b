#include "tests/support/builder_fixture.h"

#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>

const struct hash_seed BUILDER_SEED = {11, 12};

const struct profile_value CLOCK_AND_CALLS[2] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

int builder_set_up(void **state)
{
    struct builder_fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    arena_init(&f->arena, (size_t)1 << 30);
    f->builder = builder_new(&f->arena, BUILDER_SEED);
    assert_non_null(f->builder);
    *state = f;
    return 0;
}

int builder_tear_down(void **state)
{
    struct builder_fixture *f = *state;

    arena_free(&f->arena);
    free(f);
    return 0;
}

frame_id builder_frame_numbered(struct builder *b, uint32_t number)
{
    char text[16];

    snprintf(text, sizeof(text), "f%u", (unsigned)number);
    struct profile_frame frame = {.name = builder_string(b, str_of(text))};
    return builder_frame(b, &frame);
}

const struct profile *builder_finished(struct builder_fixture *f)
{
    const struct profile *p = builder_finish(f->builder, STR("format"), STR("Format"));

    assert_non_null(p);
    return p;
}
