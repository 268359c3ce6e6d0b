/* The profile table of values that can be below 0, in every format: each number is what went up less what
 * went down. And of values that are estimates. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "render/method/method.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "tests/support/builder_fixture.h"
#include "tests/support/random.h"
#include "tests/support/rendering.h"

static const struct profile_value VALUES[] = {
    {STR_INIT("unreleased"), STR_INIT("Unreleased size"), UNIT_BYTES, ROLE_UNRELEASED},
    {STR_INIT("allocated"), STR_INIT("Total size"), UNIT_BYTES, ROLE_ALLOCATED},
};

static struct builder *signed_builder(struct builder_fixture *f, uint32_t *track)
{
    assert_true(builder_values(f->builder, NULL, 0, VALUES, 2));
    builder_signed(f->builder);
    *track = builder_track(f->builder, 1, STRING_EMPTY);
    return f->builder;
}

/* Frames 0 to 2 are called f0 and so on: 0;1 grew by 7, 0;2 shrank by 9, and 0;1;0 by 3; the root itself
 * grew by 2. */
static const struct profile *few_stacks(struct builder_fixture *f)
{
    static const struct {
        uint32_t n, frames[3];
        int64_t changes[2];
    } STACKS[] = {{2, {0, 1}, {7, 20}}, {2, {0, 2}, {-9, 4}}, {3, {0, 1, 0}, {-3, 0}}, {0, {0}, {2, 0}}};
    uint32_t track;
    struct builder *b = signed_builder(f, &track);

    for (size_t i = 0; i < sizeof(STACKS) / sizeof(*STACKS); i++) {
        frame_id frames[3];
        for (uint32_t k = 0; k < STACKS[i].n; k++)
            frames[k] = builder_frame_numbered(b, STACKS[i].frames[k]);
        const uint64_t values[] = {(uint64_t)STACKS[i].changes[0], (uint64_t)STACKS[i].changes[1]};
        assert_true(
            builder_sample(b, track, builder_stack(b, track, NODE_NONE, frames, STACKS[i].n), values));
    }
    return builder_finished(f);
}

static struct table_request usual_table(void)
{
    struct asked usual;

    asked_defaults(&usual);
    return usual.table;
}

static const char *written(struct rendering *r, const char *format, const char *sort)
{
    struct table_request request;

    request = usual_table();
    snprintf(request.sort, sizeof(request.sort), "%s", sort);
    buf_clear(&r->out);
    assert_true(view_resolve(&r->view, r->input.profile, &r->diag));
    assert_true(table_write(&r->input, &request, table_format_by_name(str_of(format)), &r->out, &r->diag));
    return rendering_text(r);
}

/* The cells of the values of each row, behind its name. */
static void check_tsv(struct rendering *r, const char *sort, const char *const *rows)
{
    struct str rest = str_of(written(r, "tsv", sort)), line;

    assert_true(str_split(&rest, '\n', &line));
    for (; *rows != NULL; rows++) {
        assert_true(str_split(&rest, '\n', &line));
        assert_true(str_ends(line, str_of(*rows)));
    }
}

TEST_WITH(each_format_has_the_sign, builder_set_up, builder_tear_down)
{
    struct rendering r;

    rendering_init(&r, few_stacks(*state));
    r.view.tracks = TRACKS_ALL;
    check_tsv(&r, "", (const char *const[]){"\t4\t7\t20\t20", "\t-5\t-3\t24\t0", "\t-9\t-9\t4\t4", NULL});
    check_tsv(&r, "-unreleased_incl",
              (const char *const[]){"\t-9\t-9\t4\t4", "\t-5\t-3\t24\t0", "\t4\t7\t20\t20", NULL});
    check_tsv(&r, "unreleased_excl", (const char *const[]){"\t4\t7\t20\t20", "\t-5\t-3\t24\t0", NULL});
    assert_non_null(strstr(written(&r, "csv", ""), ",-5,-3,24,0\n"));
    const char *json = written(&r, "json", "");
    assert_non_null(strstr(json, "\"total\":-3,\"toplevel\":2,\"grown\":9,\"shrunk\":12}"));
    assert_non_null(strstr(json, "\"total\":24,\"toplevel\":0}"));
    assert_non_null(strstr(json, ",-9,-9,4,4]"));
    const char *txt = written(&r, "txt", "");
    assert_non_null(
        strstr(txt, "Unreleased size, -3 B (9 B more, which is 100 %, and 12 B less) in 1 track"));
    assert_non_null(strstr(txt, "-55.6 %  -5 B"));
    assert_non_null(strstr(txt, "44.4 %   4 B"));
    rendering_free(&r);
}

/* Where nothing grew there is nothing to have a share of. */
TEST_WITH(a_share_of_nothing_has_no_sign, builder_set_up, builder_tear_down)
{
    struct builder_fixture *f = *state;
    struct rendering r;
    uint32_t track;
    struct builder *b = signed_builder(f, &track);
    const frame_id frame = builder_frame_numbered(b, 0);

    assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &frame, 1),
                               (const uint64_t[]){(uint64_t)-5, 0}));
    rendering_init(&r, builder_finished(f));
    const char *txt = written(&r, "txt", "");
    assert_non_null(strstr(txt, "  0 %  -5 B"));
    assert_null(strstr(txt, "-0 %"));
    rendering_free(&r);
}

TEST_WITH(callers_and_callees_have_the_sign, builder_set_up, builder_tear_down)
{
    struct rendering r;
    struct table_request request;
    struct buf out = {0};

    request = usual_table();
    rendering_init(&r, few_stacks(*state));
    assert_true(view_resolve(&r.view, r.input.profile, &r.diag));
    const struct table *t = methods_new(r.input.profile, r.input.names, &r.view, GROUP_METHOD, &r.arena);
    assert_non_null(t);
    assert_true(METHOD_JSON.write(t, t->row_of_frame[0], NULL, &request, &r.arena, &out));
    buf_char(&out, '\0');
    assert_non_null(strstr(out.p, "\"incl\":-5,\"excl\":-3,\"total\":-3,\"grown\":9}"));
    assert_non_null(strstr(out.p, "\"unreleased_incl\":-5,\"unreleased_total\":-3"));
    assert_non_null(strstr(out.p, "\"unreleased\":4,\"allocated\":20")); /* callee 1 */
    assert_non_null(strstr(out.p, "\"unreleased\":-9,\"allocated\":4")); /* callee 2 */
    assert_non_null(strstr(out.p, "\"recursive_self\":{\"unreleased\":-3,"));
    buf_clear(&out);
    assert_true(METHOD_TXT.write(t, t->row_of_frame[0], NULL, &request, &r.arena, &out));
    buf_char(&out, '\0');
    assert_non_null(strstr(out.p, "-5 B"));
    assert_non_null(strstr(out.p, "-9 B"));
    buf_free(&out);
    rendering_free(&r);
}

/* How many samples are behind sizes: one for each so many bytes, or for each allocation, if these are larger. */
TEST_WITH(estimates_tell_their_samples, builder_set_up, builder_tear_down)
{
    static const struct profile_value SIZES[] = {
        {STR_INIT("unreleased"), STR_INIT("Unreleased size"), UNIT_BYTES, ROLE_UNRELEASED},
        {STR_INIT("unreleased-count"), STR_INIT("Unreleased count"), UNIT_COUNT, ROLE_OBJECTS}};
    struct builder_fixture *f = *state;
    struct builder *b = f->builder;
    struct rendering r;

    assert_true(builder_values(b, NULL, 0, SIZES, 2));
    builder_sampled(b, 4096);
    uint32_t track = builder_track(b, 1, STRING_EMPTY);
    const frame_id small = builder_frame_numbered(b, 0), large = builder_frame_numbered(b, 1);
    assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &small, 1),
                               (const uint64_t[]){40961, 2000}));
    assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, &large, 1),
                               (const uint64_t[]){1000000, 3}));
    rendering_init(&r, builder_finished(f));
    const char *txt = written(&r, "txt", "");
    assert_non_null(strstr(txt, "~samples  method\n"));
    assert_non_null(strstr(txt, "      11  f0"));
    assert_non_null(strstr(txt, "       3  f1"));
    assert_non_null(strstr(written(&r, "json", ""), ",\"sampled_bytes\":4096,"));
    rendering_free(&r);
}

/* Of random profiles, what all rows have of their own, and the root, is the total. */
TEST(rows_add_up)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        void *fixture = NULL;
        uint64_t random = seed;
        int64_t total = 0;
        uint32_t track;
        assert_int_equal(builder_set_up(&fixture), 0);
        struct builder_fixture *f = fixture;
        struct builder *b = signed_builder(f, &track);
        for (int i = 0; i < 50; i++) {
            frame_id frames[6];
            uint32_t n = (uint32_t)random_below(&random, 7);
            int64_t change = (int64_t)random_below(&random, 200) - 100;
            for (uint32_t k = 0; k < n; k++)
                frames[k] = builder_frame_numbered(b, (uint32_t)random_below(&random, 4));
            assert_true(builder_sample(b, track, builder_stack(b, track, NODE_NONE, frames, n),
                                       (const uint64_t[]){(uint64_t)change, 1}));
            total += change;
        }
        struct rendering r;
        rendering_init(&r, builder_finished(f));
        assert_true(view_resolve(&r.view, r.input.profile, &r.diag));
        const struct table *t = methods_new(r.input.profile, r.input.names, &r.view, GROUP_METHOD, &r.arena);
        assert_non_null(t);
        struct net top = table_net(t, t->top, 0), whole = table_net(t, t->total, 0);
        int64_t sum = top.below ? -(int64_t)top.size : (int64_t)top.size;
        for (uint32_t row = 0; row < t->n; row++) {
            struct net own = table_net(t, table_sums(t, row).exclusive, 0);
            sum += own.below ? -(int64_t)own.size : (int64_t)own.size;
        }
        assert_true(sum == total);
        assert_true(whole.below ? total == -(int64_t)whole.size : total == (int64_t)whole.size);
        rendering_free(&r);
        builder_tear_down(&fixture);
    }
}
