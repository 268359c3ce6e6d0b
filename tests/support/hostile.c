#include "tests/support/hostile.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/profile_dump.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_input.h"

enum { RANDOM_CUTTINGS = 100, CUTS_MAX = 12, ARENA_BYTES = 80 << 20 };

/* ---- cuttings ---- */

static void check_cut(const char *name, const struct buf *bytes, const struct buf *expected,
                      const size_t *cuts, size_t n_cuts)
{
    struct buf answer = {0};

    profile_dump_cut(&answer, &READER_LIMITS_DEFAULT, bytes->p, bytes->n, cuts, n_cuts);
    if (answer.failed || !str_eq(buf_view(&answer), buf_view(expected)))
        fail_msg("%s cut into %zu pieces, at %zu first, gives another answer:\n%.*s\nuncut:\n%.*s", name,
                 n_cuts + 1, cuts[0], (int)answer.n, answer.p, (int)expected->n, expected->p);
    buf_free(&answer);
}

static size_t random_cuts(uint64_t *state, size_t *cuts, size_t n)
{
    size_t n_cuts = 0;

    do {
        cuts[n_cuts++] = random_below(state, (uint32_t)n + 1);
    } while (n_cuts < CUTS_MAX && random_below(state, 8) != 0);
    test_input_sort_cuts(cuts, n_cuts);
    return n_cuts;
}

void hostile_cuttings(const char *name, const struct buf *bytes)
{
    struct buf expected = {0};
    size_t *each = calloc(bytes->n + 1, sizeof(*each)), cuts[CUTS_MAX];
    uint64_t state = 1;

    assert_non_null(each);
    profile_dump_cut(&expected, &READER_LIMITS_DEFAULT, bytes->p, bytes->n, NULL, 0);
    for (size_t i = 0; i <= bytes->n; i++)
        each[i] = i;
    check_cut(name, bytes, &expected, each, bytes->n + 1);
    for (size_t i = 0; i <= bytes->n; i += PLACES_STEP)
        check_cut(name, bytes, &expected, &each[i], 1);
    for (unsigned i = 0; i < RANDOM_CUTTINGS; i++)
        check_cut(name, bytes, &expected, cuts, random_cuts(&state, cuts, bytes->n));
    free(each);
    buf_free(&expected);
}

/* ---- damage ---- */

const struct profile *hostile_read(struct arena *arena, const void *p, size_t n, struct diag *diag)
{
    struct reader r;

    arena_init(arena, ARENA_BYTES);
    assert_true(reader_init(&r, arena, &READER_LIMITS_DEFAULT, (struct hash_seed){7, 8}));
    const struct profile *profile = test_input_read(&r, (struct str){p, n});
    assert_int_equal(profile == NULL, r.diag.kind != DIAG_NONE);
    if (profile == NULL)
        assert_true(r.diag.title[0] != '\0' && r.diag.detail[0] != '\0' && r.diag.hint[0] != '\0');
    *diag = r.diag;
    return profile;
}

/* Reads a copy that ends with its memory, so that a read too far is seen. */
static void answer(const char *name, const struct buf *bytes, size_t n, size_t bit)
{
    struct arena arena;
    struct diag diag;
    clock_t start = clock();
    char *copy = malloc(n);

    assert_true(copy != NULL || n == 0);
    if (n > 0)
        memcpy(copy, bytes->p, n);
    if (bit < 8 * n)
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
    hostile_read(&arena, copy, n, &diag);
    if (clock() - start > CLOCKS_PER_SEC)
        fail_msg("%s, %zu bytes, bit %zu flipped: more than a second", name, n, bit);
    arena_free(&arena);
    free(copy);
}

void hostile_truncations(const char *name, const struct buf *bytes)
{
    for (size_t n = 0; n <= bytes->n; n++)
        answer(name, bytes, n, SIZE_MAX);
}

void hostile_bit_flips(const char *name, const struct buf *bytes)
{
    for (size_t bit = 0; bit < 8 * bytes->n; bit++)
        answer(name, bytes, bytes->n, bit);
}

void hostile_damage(const char *name, const struct buf *bytes)
{
    hostile_cuttings(name, bytes);
    hostile_truncations(name, bytes);
    hostile_bit_flips(name, bytes);
}

const struct profile *hostile_read_good(struct arena *arena, const struct buf *bytes)
{
    struct diag diag = {0};

    assert_false(bytes->failed);
    const struct profile *p = hostile_read(arena, bytes->p, bytes->n, &diag);
    if (p == NULL)
        fail_msg("%s: %s", diag.title, diag.detail);
    return p;
}

const struct profile *hostile_read_well(struct arena *arena, struct buf *bytes)
{
    const struct profile *p = hostile_read_good(arena, bytes);

    buf_free(bytes);
    return p;
}

void hostile_refused(struct buf *bytes, enum diag_kind kind, const char *words)
{
    struct diag diag = {0};
    struct arena arena;

    assert_false(bytes->failed);
    assert_null(hostile_read(&arena, bytes->p, bytes->n, &diag));
    assert_int_equal(diag.kind, kind);
    if (strstr(diag.title, words) == NULL && strstr(diag.detail, words) == NULL)
        fail_msg("%s: %s", diag.title, diag.detail);
    buf_free(bytes);
    arena_free(&arena);
}

/* ---- description ---- */

void hostile_put_stacks(struct buf *b, const struct profile *p, uint32_t track)
{
    const struct profile_track *t = &p->tracks[track];

    for (node_id i = t->first + 1; i < t->first + t->count; i++) {
        const struct profile_frame *f = &p->frames[p->node_frame[i]];
        for (node_id up = p->node_parent[i]; up != t->first; up = p->node_parent[up])
            buf_char(b, '-');
        buf_str(b, profile_string(p, f->name));
        buf_printf(b, " %s", frame_kind_word(f->kind));
        for (uint32_t v = 0; v < p->n_values; v++)
            buf_printf(b, " %lld", (long long)profile_self(p, i, v) - (long long)profile_minus_self(p, i, v));
        buf_char(b, '\n');
    }
}

static void put_value(struct buf *b, const struct profile *p, node_id node, enum profile_role role)
{
    uint32_t value = profile_value_by_role(p, role);

    buf_char(b, ' ');
    if (value < p->n_values)
        buf_u64(b, profile_self(p, node, value));
    else
        buf_char(b, '-');
}

static void put_node(struct buf *b, const struct profile *p, node_id node)
{
    if (p->node_frame[node] == FRAME_NONE) {
        buf_z(b, "  .");
    } else {
        const struct profile_frame *f = &p->frames[p->node_frame[node]];
        buf_z(b, "  ");
        for (node_id up = p->node_parent[node]; p->node_parent[up] != NODE_NONE; up = p->node_parent[up])
            buf_char(b, '>');
        buf_str(b, profile_string(p, f->scope));
        buf_char(b, '.');
        buf_str(b, profile_string(p, f->name));
    }
    put_value(b, p, node, ROLE_WALL);
    put_value(b, p, node, ROLE_CPU);
    put_value(b, p, node, ROLE_CALLS);
    buf_char(b, '\n');
}

void hostile_describe(struct buf *b, const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        buf_u64(b, t->id);
        buf_char(b, ' ');
        buf_str(b, profile_string(p, t->name));
        buf_char(b, '\n');
        for (uint32_t k = 0; k < t->count; k++)
            put_node(b, p, t->first + k);
    }
}
