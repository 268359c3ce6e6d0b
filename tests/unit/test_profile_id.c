/* Which profile is meant: each part tells two of them apart, in the comparison and in the canonical text. */
#include <stdio.h>
#include <string.h>

#include "server/convert/profile_id.h"
#include "tests/support/unit.h"

static const char DIGEST[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct profile_id plain(void)
{
    struct profile_id id = {0};

    memcpy(id.sha256, DIGEST, sizeof(id.sha256));
    return id;
}

static void assert_canonical(const struct profile_id *id, const char *text)
{
    struct buf b = {0};

    profile_id_canonical(id, &b);
    assert_false(b.failed);
    assert_int_equal(b.n, strlen(text));
    assert_memory_equal(b.p, text, b.n);
    buf_free(&b);
}

static bool same_text(const struct profile_id *a, const struct profile_id *b)
{
    struct buf text[2] = {{0}, {0}};

    profile_id_canonical(a, &text[0]);
    profile_id_canonical(b, &text[1]);
    bool same = str_eq(buf_view(&text[0]), buf_view(&text[1]));
    buf_free(&text[0]);
    buf_free(&text[1]);
    return same;
}

enum { VARIANTS = 12 };

/* Each differs from all others in one part, or has the same text in another part. */
static void make_variants(struct profile_id v[VARIANTS])
{
    for (size_t i = 0; i < VARIANTS; i++)
        v[i] = plain();
    v[1].sha256[0] = 'f';
    snprintf(v[2].member, sizeof(v[2].member), "a.trace");
    snprintf(v[3].member, sizeof(v[3].member), "b.trace");
    memcpy(v[4].names.of[RECORD_MAPPING], DIGEST, sizeof(DIGEST));
    memcpy(v[5].names.of[RECORD_SYMBOLS], DIGEST, sizeof(DIGEST));
    snprintf(v[6].split, sizeof(v[6].split), "endpoint");
    snprintf(v[7].split, sizeof(v[7].split), "@1-2");
    v[8].window = (struct window){1, 2};
    v[9].window = (struct window){1, WINDOW_NO_END};
    v[10].window = (struct window){0, 2};
    snprintf(v[11].member, sizeof(v[11].member), "#8:endpoint");
}

TEST(each_part_counts)
{
    struct profile_id v[VARIANTS];

    make_variants(v);
    for (size_t i = 0; i < VARIANTS; i++)
        for (size_t k = 0; k < VARIANTS; k++)
            assert_int_equal(same_text(&v[i], &v[k]), i == k);
}

/* What stood in a field before is not part of its text. */
TEST(what_stands_behind_a_text_does_not_count)
{
    struct profile_id a = plain(), b = plain();

    snprintf(a.split, sizeof(a.split), "label");
    a.split[0] = '\0';
    snprintf(b.member, sizeof(b.member), "member");
    b.member[0] = '\0';
    assert_true(same_text(&a, &b));
}

TEST(canonical_texts)
{
    struct profile_id id = plain();

    assert_canonical(&id, DIGEST);
    snprintf(id.split, sizeof(id.split), "endpoint");
    id.window = (struct window){5, 7000};
    assert_canonical(&id,
                     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef@5-7000#8:endpoint");
    struct profile_id whole = profile_id_whole(&id);
    assert_true(profile_id_has_window(&id));
    assert_false(profile_id_has_window(&whole));
    assert_canonical(&whole, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef#8:endpoint");
}

TEST(of_a_record)
{
    struct record record = {.member = "x/y.pb"};
    struct profile_id id;
    char source[RECORD_SHA256_CHARS + 1];

    memcpy(record.sha256, DIGEST, sizeof(DIGEST));
    memcpy(record.names.of[RECORD_MAPPING], DIGEST, sizeof(DIGEST));
    id = profile_id_of(&record);
    assert_string_equal(id.member, "x/y.pb");
    assert_string_equal(id.names.of[RECORD_MAPPING], DIGEST);
    assert_string_equal(id.split, "");
    profile_id_source(&id, source);
    assert_true(record_sha256_valid(str_of(source)));
    assert_string_not_equal(source, DIGEST);
}
