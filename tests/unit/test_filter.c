/* What a filter may cost: patterns of strangers against names of strangers. What filters make of a profile
 * is tested with the calls that they leave (test_call_rows.c), in cases (tests/data) and against the
 * picture's script. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "profile/filter/filter.h"
#include "profile/frame/own_code.h"
#include "tests/support/fake_profile.h"
#include "tests/support/sanitized.h"

/* A second on a quiet machine. Without a budget it would be hours. */
enum { NAME_BYTES = 1000, METHODS = 30000, ANSWER_MS = 10000, STOP_MS = 100 };

enum { SLOWER = SANITIZED ? 20 : 1 };

/* Time of the processor, so that other programs do not count. */
static int64_t spent_ms(void)
{
    return (int64_t)clock() * 1000 / CLOCKS_PER_SEC;
}

static const char *tail_of(uint32_t i)
{
    static char tail[16];

    snprintf(tail, sizeof(tail), "ab%05u", (unsigned)i);
    return tail;
}

/* A thread with so many methods: their names are `fill`, "ab" and a number, or all alike with different
 * signatures. */
static struct fake *methods(char fill, uint32_t n, bool alike)
{
    struct fake *f = fake_thread(STR("main"));
    char name[NAME_BYTES];
    const uint64_t self[] = {1000, 1000, 1};

    memset(name, fill, sizeof(name));
    for (uint32_t i = 0; i < n; i++) {
        if (!alike)
            memcpy(name + sizeof(name) - 7, tail_of(i), 7);
        frame_id frame =
            fake_frame(f, STR("a.B"), (struct str){name, sizeof(name)}, alike ? str_of(tail_of(i)) : STR(""));
        fake_child(f, 0, frame, self);
    }
    return f;
}

/* Applies hide=pattern once. Returns whether it could be used; then *left is the number of nodes. */
static bool hide(const struct profile *p, const char *pattern, const struct stop *stop, struct diag *diag,
                 uint32_t *left)
{
    const struct filter_step step = {FILTER_HIDE, str_of(pattern)};
    const struct filter_request request = {.steps = &step, .n_steps = 1};
    struct arena arena;

    arena_init(&arena, 512 << 20);
    arena.stop = stop;
    *diag = (struct diag){0};
    const struct profile *filtered = filter_apply(p, &request, &arena, diag);
    if (filtered != NULL)
        *left = filtered->n_nodes;
    else if (arena.failure == ARENA_STOPPED)
        assert_int_equal(stop_asked(stop), STOP_LEFT);
    arena_free(&arena);
    return filtered != NULL;
}

TEST(costly_expressions_are_refused)
{
    /* No character has to be there in the end: PCRE2 would look for that first. */
    static const char *const PATTERNS[] = {
        "/a*a*b[xy]/",          "/.*.*[cd]/",        "/[^a]*[^b]*$/", "/(a|aa)*b[xy]/",   "/(a*)*b[xy]/",
        "/(a?){50}a{50}b[xy]/", "/a?a?a?a?a*b[xy]/", "/(a+)+[xy]/",   "/(.*.*.*)+[cd]$/", "/(.+)+(.+)+[;<]/",
    };
    struct fake *f = methods('a', METHODS, false);
    const struct profile *p = fake_finish(f);
    struct diag diag;
    uint32_t left;

    for (size_t i = 0; i < sizeof(PATTERNS) / sizeof(*PATTERNS); i++) {
        int64_t begin_ms = spent_ms();
        bool used = hide(p, PATTERNS[i], NULL, &diag, &left);
        int64_t took_ms = spent_ms() - begin_ms;
        assert_in_range(took_ms, 0, ANSWER_MS * SLOWER);
        if (used)
            continue;
        assert_int_equal(diag.kind, DIAG_USAGE);
        assert_non_null(strstr(diag.detail, "takes too many steps"));
        assert_true(diag.hint[0] != '\0');
    }
    fake_free(f);
}

/* What people look for is found in many long names. */
TEST(usual_expressions_are_used)
{
    static const struct {
        const char *pattern;
        uint32_t left; /* nodes, the root among them */
    } CASES[] = {
        {"/^a\\.B\\.x+ab00007$/", METHODS},
        {"/[0-9]*5$/", METHODS - METHODS / 10 + 1},
        {"/Foo.*Bar|Baz/", METHODS + 1},
        {"class:/^a\\./", 1},
        {"package:/a+b*$/", 1},
        {"xab00010", METHODS},
    };
    struct fake *f = methods('x', METHODS, false);
    const struct profile *p = fake_finish(f);
    struct diag diag;
    uint32_t left;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        int64_t begin_ms = spent_ms();
        if (!hide(p, CASES[i].pattern, NULL, &diag, &left))
            fail_msg("%s: %s", CASES[i].pattern, diag.detail);
        assert_int_equal(left, CASES[i].left);
        assert_in_range(spent_ms() - begin_ms, 0, ANSWER_MS * SLOWER);
    }
    fake_free(f);
}

/* Links of version 0.2 call libraries "third party". */
TEST(old_word_of_libraries_is_understood)
{
    static const char *const SAME[] = {"origin:library", "origin:third party",
                                       "origin:/^(third party|idle)$/"};
    static const uint8_t ORIGINS_OF[] = {ORIGIN_LIBRARY, ORIGIN_ANDROID};

    for (size_t i = 0; i < sizeof(SAME) / sizeof(*SAME); i++) {
        struct fake *f = fake_thread(STR("main"));
        const uint64_t self[] = {1000, 1000, 1};
        const struct filter_step step = {FILTER_HIDE, str_of(SAME[i])};
        struct filter_request request = {.steps = &step, .n_steps = 1, .origins = ORIGINS_OF};
        struct arena arena;
        struct diag diag = {0};
        fake_child(f, 0, fake_frame(f, STR("okio.Buffer"), STR("read"), STR("")), self);
        fake_child(f, 0, fake_frame(f, STR("android.view.View"), STR("draw"), STR("")), self);
        arena_init(&arena, 64 << 20);
        const struct profile *filtered = filter_apply(fake_finish(f), &request, &arena, &diag);
        assert_non_null(filtered);
        assert_int_equal(filtered->n_nodes, 2); /* the root, and what is Android's */
        arena_free(&arena);
        fake_free(f);
    }
}

/* A text that begins nearly everywhere in each name. */
TEST(long_texts_are_looked_for_in_a_row)
{
    struct fake *f = methods('a', METHODS, false);
    const struct profile *p = fake_finish(f);
    char text[FILTER_TEXT_BYTES_MAX + 1] = {0};
    struct diag diag;
    uint32_t left;
    int64_t begin_ms = spent_ms();

    memset(text, 'A', FILTER_TEXT_BYTES_MAX - 1);
    text[FILTER_TEXT_BYTES_MAX - 1] = 'c';
    assert_true(hide(p, text, NULL, &diag, &left));
    assert_int_equal(left, METHODS + 1);
    assert_in_range(spent_ms() - begin_ms, 0, ANSWER_MS * SLOWER);
    fake_free(f);
}

/* An expression that is too much for many names is not for one name of many methods. */
TEST(equal_texts_are_looked_at_once)
{
    struct fake *f = methods('a', METHODS, true);
    struct diag diag;
    uint32_t left;

    assert_true(hide(fake_finish(f), "/a*a*b[xy]/", NULL, &diag, &left));
    fake_free(f);
}

TEST(ends_when_told_to)
{
    struct fake *f = methods('a', METHODS, false);
    const struct profile *p = fake_finish(f);
    struct stop stop = {0};
    struct diag diag;
    uint32_t left;

    stop_ask(&stop, STOP_LEFT);
    int64_t begin_ms = spent_ms();
    assert_false(hide(p, "/a*a*b[xy]/", &stop, &diag, &left));
    assert_in_range(spent_ms() - begin_ms, 0, STOP_MS * SLOWER);
    fake_free(f);
}
