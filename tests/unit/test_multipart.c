/* Multipart bodies: every cut of a body gives the same parts, or the same complaint. */
#include "tests/support/unit.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "server/http/message/multipart.h"

/* ---- what comes out, as text ---- */

enum stop { STOP_NEVER, STOP_BEGIN, STOP_DATA, STOP_END };

struct collector {
    struct buf out; /* "[name|filename|type]data;" per part, "-" for no filename */
    bool open;
    enum stop stop;
    size_t calls;
};

static bool begin(void *context, const struct multipart_part *part)
{
    struct collector *c = context;

    assert_false(c->open);
    c->open = true;
    c->calls++;
    buf_char(&c->out, '[');
    buf_str(&c->out, part->name);
    buf_char(&c->out, '|');
    buf_str(&c->out, part->has_filename ? part->filename : STR("-"));
    buf_char(&c->out, '|');
    buf_str(&c->out, part->content_type);
    buf_char(&c->out, ']');
    return c->stop != STOP_BEGIN;
}

static bool data(void *context, const char *p, size_t n)
{
    struct collector *c = context;

    assert_true(c->open);
    assert_true(n > 0);
    c->calls++;
    buf_bytes(&c->out, p, n);
    return c->stop != STOP_DATA;
}

static bool end(void *context)
{
    struct collector *c = context;

    assert_true(c->open);
    c->open = false;
    c->calls++;
    buf_char(&c->out, ';');
    return c->stop != STOP_END;
}

static struct multipart *new_parser(const char *boundary, struct collector *c)
{
    struct multipart *m = multipart_new(boundary, (struct multipart_handler){begin, data, end, c});

    assert_non_null(m);
    return m;
}

/* Pieces are copied to memory of their own size, so that a read beyond one is seen. */
static bool feed(struct multipart *m, struct str piece, struct diag *diag)
{
    char *own = malloc(piece.n);

    assert_true(own != NULL || piece.n == 0);
    if (piece.n > 0)
        memcpy(own, piece.p, piece.n);
    bool ok = multipart_feed(m, own, piece.n, diag);
    free(own);
    return ok;
}

/* Feeds body cut at first and then every `step` bytes. */
static bool parse(const char *boundary, struct str body, size_t first, size_t step, struct collector *c,
                  struct diag *diag)
{
    struct multipart *m = new_parser(boundary, c);
    bool ok = true;

    for (size_t at = 0, n = first; ok && at < body.n; at += n, n = step) {
        if (n > body.n - at)
            n = body.n - at;
        ok = feed(m, (struct str){body.p + at, n}, diag);
    }
    ok = ok && multipart_finish(m, diag);
    multipart_free(m);
    return ok;
}

/* Every cut of the body gives `expected`; NULL: every cut is refused with `detail` in the diagnostic. */
static void assert_parse(const char *boundary, struct str body, const char *expected, const char *detail)
{
    for (size_t cut = 0; cut <= 2 * body.n; cut++) {
        struct collector c = {0};
        struct diag diag = {0};
        bool steps = cut > body.n;
        bool ok = parse(boundary, body, steps ? cut - body.n : cut, steps ? cut - body.n : body.n, &c, &diag);
        assert_int_equal(ok, expected != NULL);
        if (expected != NULL) {
            assert_false(c.open);
            assert_int_equal(c.out.n, strlen(expected));
            assert_memory_equal(c.out.p, expected, c.out.n);
            assert_int_equal(diag.kind, DIAG_NONE);
        } else {
            assert_int_equal(diag.kind, DIAG_USAGE);
            if (strstr(diag.detail, detail) == NULL)
                fail_msg("cut at %zu: \"%s\" lacks \"%s\"", cut, diag.detail, detail);
            assert_true(diag.hint[0] != '\0');
        }
        buf_free(&c.out);
    }
}

#define PART(headers, content) "--B\r\n" headers "\r\n\r\n" content "\r\n"
#define FIELD(content)         PART("Content-Disposition: form-data; name=\"f\"", content)
#define DISPOSITION(text)      STR(PART("Content-Disposition: " text, "x") "--B--\r\n")

/* ---- bodies ---- */

TEST(bodies_of_clients)
{
    assert_parse("------------------------d74496d66958873e",
                 STR("--------------------------d74496d66958873e\r\n"
                     "Content-Disposition: form-data; name=\"trace\"; filename=\"app.trace\"\r\n"
                     "Content-Type: application/octet-stream\r\n\r\n"
                     "*version\n3\r\n\r\n--\r\n"
                     "--------------------------d74496d66958873e--\r\n"),
                 "[trace|app.trace|application/octet-stream]*version\n3\r\n\r\n--;", NULL);
    assert_parse("----WebKitFormBoundary7MA4YWxk",
                 STR("------WebKitFormBoundary7MA4YWxk\r\n"
                     "Content-Disposition: form-data; name=\"expires\"\r\n\r\n7\r\n"
                     "------WebKitFormBoundary7MA4YWxk\r\n"
                     "Content-Disposition: form-data; name=\"mapping\"; filename=\"\"\r\n"
                     "Content-Type: application/octet-stream\r\n\r\n\r\n"
                     "------WebKitFormBoundary7MA4YWxk--\r\n"),
                 "[expires|-|]7;[mapping||application/octet-stream];", NULL);
}

TEST(forms_of_bodies)
{
    /* a preamble, blanks behind delimiters, an epilogue, no line end at the end */
    assert_parse("B", STR("hello\r\n-- B\r\n--C\r\n" FIELD("x") "--B--"), "[f|-|]x;", NULL);
    assert_parse(
        "B", STR("--B \t \r\nContent-Disposition: form-data; name=f\r\n\r\nx\r\n--B-- \r\nbye\r\n--B\r\n"),
        "[f|-|]x;", NULL);
    /* empty parts: with a line end of their own, and with that of the headers */
    assert_parse("B", STR(FIELD("") "--B--\r\n"), "[f|-|];", NULL);
    assert_parse("B", STR("--B\r\nContent-Disposition: form-data; name=f\r\n\r\n--B--\r\n"), "[f|-|];", NULL);
    /* what looks like a delimiter, but is data */
    assert_parse("B", STR(FIELD("\r\n--\r\n-B\r\n\r\n--C--B\n--B\r\r\n-") "--B--\r\n"),
                 "[f|-|]\r\n--\r\n-B\r\n\r\n--C--B\n--B\r\r\n-;", NULL);
    assert_parse("B", STR(FIELD("\r\n\r\r\n-\r") "--B--\r\n"), "[f|-|]\r\n\r\r\n-\r;", NULL);
    assert_parse("B", STR(FIELD("-") FIELD("-\r") FIELD("\r\n-") "--B--\r\n"),
                 "[f|-|]-;[f|-|]-\r;[f|-|]\r\n-;", NULL);
    /* nested multipart is data */
    assert_parse(
        "B",
        STR(PART("Content-Disposition: form-data; name=f\r\nContent-Type: multipart/mixed; boundary=C",
                 "--C\r\n\r\nx\r\n--C--") "--B--\r\n"),
        "[f|-|multipart/mixed; boundary=C]--C\r\n\r\nx\r\n--C--;", NULL);
    assert_parse("B",
                 STR(PART("X-Other: 1\r\ncontent-disposition:form-data;NAME=f\r\nContent-Transfer-Encoding: "
                          "Binary",
                          "x") "--B--"),
                 "[f|-|]x;", NULL);
}

TEST(malformed_bodies)
{
    static const struct {
        struct str body;
        const char *detail;
    } CASES[] = {
        {STR_INIT(""), "found the end, at byte 0"},
        {STR_INIT("--B--\r\n"), "Expected a part, found none"},
        {STR_INIT("--A\r\n"), "Expected \"--\" and the boundary, found the end"},
        {STR_INIT("--B"), "Expected the closing delimiter"},
        {STR_INIT("--B\r\nContent-Disposition: form-data; name=f\r\n"), "the body is cut"},
        {STR_INIT(FIELD("x")), "the body is cut"},
        {STR_INIT(FIELD("x") "--B-"), "the body is cut"},
        {STR_INIT("--Bx\r\n"), "Expected CR LF or \"--\" behind the delimiter, at byte 3"},
        {STR_INIT("--B-x"), "behind the delimiter, at byte 4"},
        {STR_INIT("--B --"), "behind the delimiter, at byte 4"},
        {STR_INIT("--B\r\r\n"), "behind the delimiter, at byte 4"},
        {STR_INIT("--B\n"), "found LF alone, at byte 3"},
        {STR_INIT("--B\r\nA: b\nC: d\r\n\r\n"),
         "Expected CR LF at the end of a line, found LF alone, at byte 10"},
        {STR_INIT("--B\r\n\n"), "found LF alone"},
        {STR_INIT(PART("A: b", "x") "--B--"), "Expected Content-Disposition, in the headers of part 1"},
        {STR_INIT("--B\r\n\r\nx\r\n--B--"), "Expected Content-Disposition"},
        {STR_INIT(FIELD("x") PART("A", "x")), "Expected \"Name: value\", in the headers of part 2"},
        {STR_INIT(PART(": x", "x")), "Expected \"Name: value\""},
        {STR_INIT(PART("A : x", "x")), "Expected \"Name: value\""},
        {STR_INIT(PART("A: b\r\n c", "x")), "found a folded line"},
        {STR_INIT(PART("A: b\0c", "x")), "found a control character"},
        {STR_INIT(PART("A: b\rc", "x")), "found a control character"},
        {STR_INIT(PART("Content-Type: a\r\ncontent-type: b", "x")), "found one twice"},
        {STR_INIT(PART("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64", "x")),
         "found a Content-Transfer-Encoding"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_parse("B", CASES[i].body, NULL, CASES[i].detail);
}

TEST(dispositions)
{
    assert_parse("B", DISPOSITION("form-data; name=\"a b\"; filename=\"c;d=e.trace\""),
                 "[a b|c;d=e.trace|]x;", NULL);
    assert_parse("B", DISPOSITION("Form-Data;name=a;filename=b.trace;size=3;;"), "[a|b.trace|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data ; name = \"a\" ; filename = b c "), "[a|b c|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; filename=\"\\\"q\\\"%22.trace\"; name=\"\""),
                 "[|\"q\"%22.trace|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename=\"C:\\dir\\x.trace\""), "[a|x.trace|]x;",
                 NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename=\"../../etc/x\\\\y\""), "[a|y|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename=\"/tmp/\""), "[a||]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename=\"\xc3\xa9\xff.trace\""),
                 "[a|\xc3\xa9\xff.trace|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename=\"n\"; filename*=utf-8'en'%C3%a9%2F%41b"),
                 "[a|Ab|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name=a; filename*=UTF-8''only"), "[a|only|]x;", NULL);
    assert_parse("B", DISPOSITION("form-data; name*=UTF-8''b; name=a"), "[a|-|]x;", NULL);
}

TEST(malformed_dispositions)
{
    assert_parse("B", DISPOSITION("attachment; name=a"), NULL, "Expected \"Content-Disposition: form-data\"");
    assert_parse("B", DISPOSITION(""), NULL, "Expected \"Content-Disposition: form-data\"");
    assert_parse("B", DISPOSITION("form-data"), NULL, "Expected the name of the field");
    assert_parse("B", DISPOSITION("form-data; filename=a"), NULL, "Expected the name of the field");
    assert_parse("B", DISPOSITION("form-data; name"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name="), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; =a"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name=\"a"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name=\"a\\\""), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name=\"a\"b"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name=a\"b"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; x; name=b"), NULL, "Expected parameters");
    assert_parse("B", DISPOSITION("form-data; name=a; NAME=b"), NULL, "Expected each parameter once");
    assert_parse("B", DISPOSITION("form-data; name=a; filename*=latin1''b"), NULL, "Expected filename*");
    assert_parse("B", DISPOSITION("form-data; name=a; filename*=UTF-8''%4"), NULL, "Expected filename*");
    assert_parse("B", DISPOSITION("form-data; name=a; filename*=UTF-8''%zz"), NULL, "Expected filename*");
    assert_parse("B", DISPOSITION("form-data; name=a; filename*=plain"), NULL, "Expected filename*");
}

TEST(extended_text_ends_where_it_ends)
{
    char whole[] = "UTF-8''%41%4142";
    struct str text;

    assert_true(mime_decode_extended(whole, 13, &text));
    assert_true(str_eq(text, STR("AA")));
    memcpy(whole, "UTF-8''%41%4142", sizeof(whole));
    assert_false(mime_decode_extended(whole, 12, &text)); /* what follows would make it a byte */
    assert_false(mime_decode_extended(whole, 6, &text));
}

TEST(boundaries)
{
    static const struct {
        struct str type;
        const char *boundary; /* NULL: refused */
    } CASES[] = {
        {STR_INIT("multipart/form-data; boundary=----WebKitFormBoundaryX"), "----WebKitFormBoundaryX"},
        {STR_INIT("multipart/form-data;boundary=a"), "a"},
        {STR_INIT("Multipart/Form-Data ; Boundary=\"a b:c\""), "a b:c"},
        {STR_INIT("multipart/form-data; charset=utf-8; boundary=abc"), "abc"},
        {STR_INIT("multipart/form-data; boundary=abc ; charset=utf-8"), "abc"},
        {STR_INIT("multipart/form-data; boundary=\"abc\"; charset=\"utf-8\""), "abc"},
        {STR_INIT("multipart/form-data; boundary=a=b'()+_,-./:=?"), "a=b'()+_,-./:=?"},
        {STR_INIT("multipart/form-data; boundary="
                  "0123456789012345678901234567890123456789012345678901234567890123456789"),
         "0123456789012345678901234567890123456789012345678901234567890123456789"},
        {STR_INIT("multipart/form-data; boundary="
                  "01234567890123456789012345678901234567890123456789012345678901234567890"),
         NULL},
        {STR_INIT(""), NULL},
        {STR_INIT("multipart/form-data"), NULL},
        {STR_INIT("multipart/form-data; boundary"), NULL},
        {STR_INIT("multipart/form-data; boundary="), NULL},
        {STR_INIT("multipart/form-data; boundary=\"\""), NULL},
        {STR_INIT("multipart/form-data; boundary=\"a"), NULL},
        {STR_INIT("multipart/form-data; boundary=\"a \""), NULL},
        {STR_INIT("multipart/form-data; boundary=a\rb"), NULL},
        {STR_INIT("multipart/form-data; boundary=a\0b"), NULL},
        {STR_INIT("multipart/form-data; boundary=\xc3\xa9"), NULL},
        {STR_INIT("multipart/form-data; boundary=a; boundary=b"), NULL},
        {STR_INIT("multipart/mixed; boundary=a"), NULL},
        {STR_INIT("multipart/form-datax; boundary=a"), NULL},
        {STR_INIT("application/x-www-form-urlencoded"), NULL},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char boundary[MULTIPART_BOUNDARY_MAX + 1];
        struct diag diag = {0};
        bool ok = multipart_boundary(CASES[i].type, boundary, &diag);
        assert_int_equal(ok, CASES[i].boundary != NULL);
        assert_int_equal(diag.kind, ok ? DIAG_NONE : DIAG_USAGE);
        if (ok)
            assert_string_equal(boundary, CASES[i].boundary);
    }
}

/* Data of the bytes that delimiters are made of, in every cut. The reference is a search in the whole. */
TEST(random_data_in_random_cuts)
{
    static const char BYTES[] = "\r\n-B";
    static const struct str HEAD = STR_INIT("--BB\r\nContent-Disposition: form-data; name=f\r\n\r\n");
    static const struct str TAIL = STR_INIT("\r\n--BB--\r\n");
    uint32_t seed = 1;

    for (unsigned round = 0; round < 3000; round++) {
        struct buf line = {0}, body = {0}, expected = {0};
        struct collector c = {0};
        struct diag diag = {0};
        size_t n = round % 40;
        buf_z(&line, "\r\n"); /* data begins at the beginning of a line */
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            buf_char(&line, BYTES[seed >> 24 & 3]);
        }
        if (str_find_str(buf_view(&line), STR("\r\n--BB")) == line.n) {
            buf_str(&body, HEAD);
            buf_bytes(&body, line.p + 2, n);
            buf_str(&body, TAIL);
            buf_z(&expected, "[f|-|]");
            buf_bytes(&expected, line.p + 2, n);
            buf_z(&expected, ";");
            assert_true(parse("BB", buf_view(&body), HEAD.n + seed % (n + 1), 1 + seed % 7, &c, &diag));
            assert_true(str_eq(buf_view(&c.out), buf_view(&expected)));
        }
        buf_free(&line);
        buf_free(&body);
        buf_free(&expected);
        buf_free(&c.out);
    }
}

static bool count(void *context, const char *p, size_t n)
{
    (void)p;
    *(size_t *)context += n;
    return true;
}

static bool nothing_begin(void *context, const struct multipart_part *part)
{
    (void)context, (void)part;
    return true;
}

static bool nothing_end(void *context)
{
    (void)context;
    return true;
}

/* 32 MiB of beginnings of delimiters, in pieces of many sizes: at quadratic cost this would take hours. */
TEST(beginnings_of_delimiters_cost_linear_time)
{
    enum { CHUNK = 64 << 10, TOTAL = 32 << 20 };
    static const char BEGIN[] = "\r\n----------------------------------------------------------------------";
    static const size_t PIECES[] = {CHUNK, 4093, 71, 1};
    char *chunk = malloc(CHUNK);
    assert_non_null(chunk);

    for (size_t k = 0; k < sizeof(PIECES) / sizeof(PIECES[0]); k++) {
        size_t got = 0, sent = 0;
        struct multipart *m =
            multipart_new("--------------------------------------------------------------------x",
                          (struct multipart_handler){nothing_begin, count, nothing_end, &got});
        struct diag diag = {0};
        struct str head = STR("----------------------------------------------------------------------x\r\n"
                              "Content-Disposition: form-data; name=f\r\n\r\n");
        size_t total = PIECES[k] == 1 ? TOTAL / 16 : TOTAL;
        assert_non_null(m);
        for (size_t i = 0; i < CHUNK; i++)
            chunk[i] = BEGIN[i % (sizeof(BEGIN) - 1 - k)];
        clock_t before = clock();
        assert_true(multipart_feed(m, head.p, head.n, &diag));
        for (; sent < total; sent += PIECES[k])
            assert_true(multipart_feed(m, chunk + sent % (CHUNK - PIECES[k] + 1), PIECES[k], &diag));
        assert_true(clock() - before < 60 * CLOCKS_PER_SEC);
        assert_true(got <= sent && sent - got < 80); /* what may still become a delimiter is held */
        multipart_free(m);
    }
    free(chunk);
}

TEST(handler_stops_it)
{
    static const struct str BODY = STR_INIT(FIELD("x") FIELD("y") "--B--");
    static const size_t CALLS[] = {[STOP_NEVER] = 6, [STOP_BEGIN] = 1, [STOP_DATA] = 2, [STOP_END] = 3};

    for (enum stop stop = STOP_NEVER; stop <= STOP_END; stop++) {
        struct collector c = {.stop = stop};
        struct diag diag = {0};
        struct multipart *m = new_parser("B", &c);
        assert_int_equal(feed(m, BODY, &diag), stop == STOP_NEVER);
        assert_int_equal(diag.kind, DIAG_NONE); /* it is the handler's to set */
        assert_int_equal(c.calls, CALLS[stop]);
        if (stop != STOP_NEVER) {
            assert_false(feed(m, BODY, &diag));
            assert_int_equal(diag.kind, DIAG_USAGE);
            assert_false(multipart_finish(m, &diag));
            assert_int_equal(c.calls, CALLS[stop]);
        }
        multipart_free(m);
        buf_free(&c.out);
    }
    multipart_free(NULL);
}

/* n copies of `text` between head and tail, in one piece and in small ones. */
static bool parse_repeated(const char *head, const char *text, size_t n, const char *tail, struct diag *diag)
{
    struct buf body = {0};
    bool ok[2];

    buf_z(&body, head);
    for (size_t i = 0; i < n; i++)
        buf_z(&body, text);
    buf_z(&body, tail);
    for (size_t k = 0; k < 2; k++) {
        struct collector c = {0};
        ok[k] = parse("B", buf_view(&body), 1, k == 0 ? body.n : 5, &c, diag);
        buf_free(&c.out);
    }
    assert_int_equal(ok[0], ok[1]);
    buf_free(&body);
    return ok[0];
}

TEST(limits)
{
    static const char HEAD[] = "--B\r\nContent-Disposition: form-data; name=f\r\nA: ";
    size_t header_room = MULTIPART_HEADER_BYTES_MAX - (sizeof(HEAD) - 1 - 5) - 4;
    struct diag diag = {0};

    assert_true(parse_repeated("", FIELD("x"), MULTIPART_PARTS_MAX, "--B--", &diag));
    assert_true(parse_repeated(HEAD, "x", header_room, "\r\n\r\n\r\n--B--", &diag));
    assert_true(parse_repeated("", "p", MULTIPART_PREAMBLE_BYTES_MAX, "\r\n" FIELD("x") "--B--", &diag));
    assert_int_equal(diag.kind, DIAG_NONE);

    assert_false(parse_repeated("", FIELD("x"), MULTIPART_PARTS_MAX + 1, "--B--", &diag));
    assert_non_null(strstr(diag.detail, "more than 64 parts"));
    diag = (struct diag){0};
    assert_false(parse_repeated(HEAD, "x", header_room + 1, "\r\n\r\n\r\n--B--", &diag));
    assert_non_null(strstr(diag.detail, "at most 8 KiB of headers"));
    diag = (struct diag){0};
    assert_false(parse_repeated("", "p", MULTIPART_PREAMBLE_BYTES_MAX + 1, "\r\n" FIELD("x") "--B--", &diag));
    assert_non_null(strstr(diag.detail, "in its first 8192 bytes"));
}
