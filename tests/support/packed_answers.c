#include "tests/support/packed_answers.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/profile_dump.h"
#include "tests/support/sanitized.h"
#include "tests/support/trace_bytes.h"

const struct reader_limits PACKED_LIMITS = {.methods = 1000,
                                            .threads = 1000,
                                            .line_bytes = 1000,
                                            .name_bytes = 100,
                                            .unpacked = {.bytes = 64 << 20, .ratio = 200}};

struct buf packed_plain_input(const char *name)
{
    struct buf b = {0};

    for (size_t i = 0; i < TRACE_INPUTS_COUNT; i++)
        if (strcmp(TRACE_INPUTS[i].name, name) == 0)
            TRACE_INPUTS[i].put(&b);
    assert_true(b.n > 0 && !b.failed);
    return b;
}

static struct buf answer_cut(struct str bytes, const size_t *cuts, size_t n_cuts)
{
    struct buf answer = {0};

    profile_dump_cut(&answer, &PACKED_LIMITS, bytes.p, bytes.n, cuts, n_cuts);
    assert_false(answer.failed);
    return answer;
}

struct buf packed_answer_to(struct str bytes)
{
    return answer_cut(bytes, NULL, 0);
}

bool packed_contains(const struct buf *b, const char *text)
{
    return str_find_str(buf_view(b), str_of(text)) < b->n;
}

void packed_assert_answer(struct str bytes, const char *text)
{
    size_t cuts[] = {bytes.n / 3, bytes.n / 2, bytes.n - bytes.n / 7};
    struct buf answer = packed_answer_to(bytes), again = answer_cut(bytes, cuts, 3);

    if (!packed_contains(&answer, text))
        fail_msg("no \"%s\" in: %.*s", text, (int)answer.n, answer.p);
    assert_true(str_eq(buf_view(&answer), buf_view(&again)));
    buf_free(&answer);
    buf_free(&again);
}

void packed_assert_every_cut(struct str bytes)
{
    struct buf whole = packed_answer_to(bytes), answer;
    size_t *each = calloc(bytes.n, sizeof(*each));

    assert_non_null(each);
    for (size_t cut = 0; cut < bytes.n; cut++)
        each[cut] = cut;
    for (size_t cut = 0; cut < bytes.n; cut += PLACES_STEP) {
        answer = answer_cut(bytes, &cut, 1);
        if (!str_eq(buf_view(&answer), buf_view(&whole)))
            fail_msg("cut at %zu: %.*s", cut, (int)answer.n, answer.p);
        buf_free(&answer);
    }
    answer = answer_cut(bytes, each, bytes.n);
    assert_true(str_eq(buf_view(&answer), buf_view(&whole)));
    free(each);
    buf_free(&answer);
    buf_free(&whole);
}

struct str packed_without_fact(struct buf *b)
{
    size_t at = str_find_str(buf_view(b), STR("\nfact 6:packed"));

    assert_true(at < b->n);
    b->n = at;
    buf_char(b, '\n');
    return buf_view(b);
}

static struct buf answer_within(struct str bytes, const struct reader_limits *limits, size_t memory_bytes,
                                const char *member)
{
    struct buf answer = {0};
    struct arena arena;
    struct reader r;

    arena_init(&arena, memory_bytes);
    assert_true(reader_init(&r, &arena, limits, (struct hash_seed){1, 2}));
    if (member != NULL)
        reader_choose(&r, str_of(member));
    profile_dump_read(&answer, &r, bytes);
    arena_free(&arena);
    assert_false(answer.failed);
    return answer;
}

struct buf packed_answer_within(struct str bytes, struct unpack_limits unpacked, size_t memory_bytes)
{
    struct reader_limits limits = PACKED_LIMITS;

    limits.unpacked = unpacked;
    return answer_within(bytes, &limits, memory_bytes, NULL);
}

struct buf packed_member_answer(struct str bytes, const char *member)
{
    return answer_within(bytes, &PACKED_LIMITS, 64 << 20, member);
}

void packed_assert_member_answer(struct str bytes, const char *member, const char *text)
{
    struct buf answer = packed_member_answer(bytes, member);

    if (!packed_contains(&answer, text))
        fail_msg("no \"%s\" in: %.*s", text, (int)answer.n, answer.p);
    buf_free(&answer);
}

void packed_assert_same_as_plain(const struct buf *packed, const char *name)
{
    struct buf plain = packed_plain_input(name), expected = packed_answer_to(buf_view(&plain)),
               answer = packed_answer_to(buf_view(packed));

    if (!str_eq(packed_without_fact(&answer), buf_view(&expected)))
        fail_msg("%.*s", (int)answer.n, answer.p);
    packed_assert_answer(buf_view(packed), "");
    buf_free(&answer);
    buf_free(&expected);
    buf_free(&plain);
}
