#include "tests/support/fold_fixture.h"

#include "tests/support/unit.h"

#include <stdio.h>

const struct profile_value FOLD_VALUES[3] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU},
    {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS},
};

void fold_fixture_open(struct fold_fixture *f, const struct profile_value *times, uint32_t n_times,
                       uint32_t n_frames, uint32_t n_tracks)
{
    arena_init(&f->arena, 256 << 20);
    f->builder = builder_new(&f->arena, (struct hash_seed){9, 10});
    assert_non_null(f->builder);
    assert_true(builder_values(f->builder, times, n_times, &FOLD_VALUES[2], 1));
    builder_clocks(f->builder, 1, true);
    for (uint32_t i = 0; i < n_frames; i++) {
        char name[16];
        snprintf(name, sizeof(name), i < 26 ? "%c" : "f%u", i < 26 ? (int)(i + 'a') : (int)i);
        struct profile_frame frame = {.name = builder_string(f->builder, str_of(name))};
        assert_int_equal(builder_frame(f->builder, &frame), i);
    }
    for (uint32_t i = 0; i < n_tracks; i++)
        assert_int_equal(builder_track(f->builder, i + 1, STRING_EMPTY), i);
}

void fold_fixture_finish(struct fold_fixture *f)
{
    f->profile = builder_finish(f->builder, STR("format"), STR("Format"));
    assert_non_null(f->profile);
}
