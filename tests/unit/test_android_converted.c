/* Method traces that were passed through a conversion of text, or whose lists are not those of their records. */
#include "tests/support/unit.h"

#include <string.h>

#include "tests/support/art_file.h"
#include "tests/support/trace_bytes.h"

enum { REGULARS = 4, METHODS = 60, CALLS = 400 };

static const struct regular {
    unsigned version, record_bytes;
    const char *clock;
} REGULAR[REGULARS] = {{1, 9, "thread-cpu"}, {2, 10, "wall"}, {3, 14, "dual"}, {3, 10, "wall"}};

/* Threads and methods that a file lists, and those that its records are of. */
struct lists {
    uint32_t threads, methods;     /* listed: threads 1, 2, ..; methods 4, 8, .. */
    uint32_t of_thread, of_method; /* of each second call; each first one is of thread 1 and method 4 */
};

static void put(struct buf *b, const struct regular *r, const struct lists *l, unsigned calls)
{
    buf_clear(b);
    buf_printf(b, "*version\n%u\nclock=%s\n*threads\n", r->version, r->clock);
    for (uint32_t i = 1; i <= l->threads; i++)
        buf_printf(b, "%u\tthread\n", (unsigned)i);
    buf_z(b, "*methods\n");
    for (uint32_t i = 1; i <= l->methods; i++)
        buf_printf(b, "0x%x\ta/B%u\trun\t()V\tB.java\n", 4 * i, (unsigned)i);
    buf_z(b, "*end\n");
    trace_bytes_header(b, r->version, 32, r->record_bytes);
    for (unsigned i = 0; i < 2 * calls; i++) {
        bool second = i / 2 % 2 == 1;
        trace_bytes_record(b, r->record_bytes,
                           (struct trace_record){(uint16_t)(second ? l->of_thread : 1),
                                                 second ? l->of_method : 4,
                                                 i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT,
                                                 {i * 37, i * 37}});
    }
    assert_false(b->failed);
}

static const struct lists GOOD = {.threads = 2, .methods = METHODS, .of_thread = 2, .of_method = 4 * METHODS};

enum conversion { LF_TO_CR_LF, REPLACEMENTS };

/* A conversion as if the bytes were text: of line ends, or of bytes that are no UTF-8 (all above 7F here). */
static void convert(struct buf *b, enum conversion how)
{
    struct buf from = *b;

    *b = (struct buf){0};
    for (size_t i = 0; i < from.n; i++) {
        unsigned char c = (unsigned char)from.p[i];
        if (how == LF_TO_CR_LF && c == '\n')
            buf_char(b, '\r');
        if (how == REPLACEMENTS && c >= 0x80)
            buf_z(b, "\xef\xbf\xbd");
        else
            buf_char(b, (char)c);
    }
    buf_free(&from);
    assert_false(b->failed);
}

static const struct profile *profile_of(struct art_file *f)
{
    arena_free(&f->arena);
    return hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag);
}

static void check_converted(struct art_file *f, const char *what)
{
    assert_null(profile_of(f));
    assert_string_equal(f->diag.title, "damaged by a text conversion");
    assert_int_equal(f->diag.kind, DIAG_UNUSABLE);
    if (strstr(f->diag.detail, what) == NULL)
        fail_msg("%s: %s", what, f->diag.detail);
    assert_non_null(strstr(f->diag.hint, "adb pull"));
}

ART_FILE_TEST(regular_files)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++) {
        put(&f->bytes, &REGULAR[i], &GOOD, CALLS);
        assert_non_null(profile_of(f));
        convert(&f->bytes, LF_TO_CR_LF);
        check_converted(f, "a CR before every LF");
        put(&f->bytes, &REGULAR[i], &GOOD, CALLS);
        convert(&f->bytes, REPLACEMENTS);
        check_converted(f, "EF BF BD");
    }
    put(&f->bytes, &REGULAR[0], &GOOD, 20);
    convert(&f->bytes, LF_TO_CR_LF);
    hostile_cuttings("CR LF", &f->bytes);
}

ART_FILE_TEST(other_layouts)
{
    struct art_file *f = *state;

    for (enum variant v = VARIANT_S1; v < VARIANTS; v++)
        for (enum conversion how = LF_TO_CR_LF; how <= REPLACEMENTS; how++) {
            art_file_put(f, v, &(struct variant_options){0});
            assert_non_null(profile_of(f));
            convert(&f->bytes, how);
            assert_null(profile_of(f));
            assert_string_equal(f->diag.title, "damaged by a text conversion");
        }
}

/* Somebody edited the lines and left the records alone; or there was nothing to convert in these. */
ART_FILE_TEST(lines_alone)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (unsigned lf = 0; lf < 3; lf++) {
            struct buf records = {0};
            put(&f->bytes, &REGULAR[i], &GOOD, 5);
            size_t n = 10 * REGULAR[i].record_bytes + 32;
            buf_bytes(&records, f->bytes.p + f->bytes.n - n, n);
            for (unsigned at = 0; at < lf; at++) /* in the highest byte of a time */
                records.p[n - at * REGULAR[i].record_bytes - 1] = '\n';
            f->bytes.n -= n;
            convert(&f->bytes, LF_TO_CR_LF);
            buf_bytes(&f->bytes, records.p, records.n);
            buf_free(&records);
            const struct profile *p = profile_of(f);
            assert_non_null(p);
            assert_non_null(profile_warned(p, WARN_CRLF));
        }
}

static void check_mostly_unlisted(struct art_file *f, const struct lists *l, uint64_t records)
{
    for (size_t i = 0; i < REGULARS; i++) {
        put(&f->bytes, &REGULAR[i], l, CALLS);
        const struct profile *p = profile_of(f);
        assert_non_null(p);
        const struct profile_warning *w = profile_warned(p, WARN_MOSTLY_UNLISTED);
        assert_int_equal(w != NULL, records > 0);
        if (w == NULL)
            continue;
        assert_ptr_equal(w, &p->warnings[0]);
        assert_int_equal(w->count, records);
        assert_true(str_starts(w->text, STR("The file is damaged")));
    }
}

/* A key file of another recording, bytes that were lost: however it came about. */
ART_FILE_TEST(mostly_unlisted)
{
    struct art_file *f = *state;
    struct lists none = {.threads = 2, .methods = 0, .of_thread = 1, .of_method = 8};
    struct lists half = {.threads = 2, .methods = 1, .of_thread = 1, .of_method = 8};
    struct lists no_thread = {.threads = 0, .methods = 2, .of_thread = 2, .of_method = 8};
    struct lists one_thread = {.threads = 1, .methods = 2, .of_thread = 2, .of_method = 8};

    check_mostly_unlisted(f, &none, (uint64_t)2 * CALLS);
    check_mostly_unlisted(f, &half, 0);
    check_mostly_unlisted(f, &no_thread, (uint64_t)2 * CALLS);
    check_mostly_unlisted(f, &one_thread, 0);
}
