/* Log lines: one write, one line, whatever is in it. */
#include "tests/support/unit.h"
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/system/log.h"
#include "core/system/utc.h"

struct fixture {
    int ends[2];
    struct log *log;
    char line[16384];
};

static struct fixture begin_as(enum log_level level, enum log_format format)
{
    struct fixture f = {.log = NULL};

    assert_int_equal(pipe(f.ends), 0);
    f.log = log_new(level, format, f.ends[1]);
    assert_non_null(f.log);
    return f;
}

static struct fixture begin(enum log_level level)
{
    return begin_as(level, LOG_TEXT);
}

static void end(struct fixture *f)
{
    log_free(f->log);
    close(f->ends[0]);
    close(f->ends[1]);
}

/* What was written, all of it with one read: the writer used one write. */
static const char *written(struct fixture *f)
{
    ssize_t n = read(f->ends[0], f->line, sizeof(f->line) - 1);

    assert_true(n > 0);
    f->line[n] = '\0';
    return f->line;
}

static void assert_matches(const char *text, const char *pattern)
{
    regex_t regex;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    if (regexec(&regex, text, 0, NULL, 0) != 0)
        fail_msg("\"%s\" does not match %s", text, pattern);
    regfree(&regex);
}

TEST(a_line_per_event)
{
    struct fixture f = begin(LOG_INFO);

    LOG(f.log, LOG_INFO, "upload", LOG_STR("name", STR("a.trace")), LOG_U64("bytes", UINT64_MAX));
    assert_matches(
        written(&f),
        "^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9]{3}Z info upload "
        "name=a\\.trace bytes=18446744073709551615\n$");
    log_event(f.log, LOG_ERROR, "plain", NULL, 0);
    assert_matches(written(&f), "Z error plain\n$");
    end(&f);
}

TEST(an_object_per_event)
{
    static const char *const LINE =
        "^\\{\"ts\":\"20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9]{3}Z\",\"level\":\"warn\","
        "\"event\":\"upload\",\"name\":\"a b=\\\\\"c\",\"bytes\":18446744073709551615\\}\n$";
    enum log_format format = LOG_TEXT;
    struct fixture f = begin_as(LOG_WARN, LOG_JSON);

    LOG(f.log, LOG_WARN, "upload", LOG_STR("name", STR("a b=\"c")), LOG_U64("bytes", UINT64_MAX));
    assert_matches(written(&f), LINE);
    LOG(f.log, LOG_WARN, "e", LOG_STR("target", STR("/p/%66ygjb5gwf7n4osea4espyns4fu\n")));
    assert_non_null(strstr(written(&f), ",\"target\":\"/p/fygjb5\xe2\x80\xa6\xe2\x90\x8a\"}\n"));
    log_event(f.log, LOG_ERROR, "plain", NULL, 0);
    assert_matches(written(&f), "\"event\":\"plain\"\\}\n$");
    end(&f);
    assert_true(log_format_parse(STR("json"), &format));
    assert_int_equal(format, LOG_JSON);
    assert_true(log_format_parse(STR("text"), &format));
    assert_int_equal(format, LOG_TEXT);
    assert_false(log_format_parse(STR("JSON"), &format));
}

/* Each `<` is written as six bytes. What has room behind the value that has none is there. */
TEST(a_field_that_has_no_room_is_left_out)
{
    static char hostile[LOG_VALUE_BYTES_MAX];
    struct fixture f = begin_as(LOG_INFO, LOG_JSON);

    memset(hostile, '<', sizeof(hostile));
    LOG(f.log, LOG_INFO, "e", LOG_STR("target", ((struct str){hostile, sizeof(hostile)})),
        LOG_U64("status", 404));
    assert_matches(written(&f), "\"event\":\"e\",\"status\":404,\"cut\":1\\}\n$");
    end(&f);
}

TEST(levels_are_kept_apart)
{
    struct fixture f = begin(LOG_WARN);
    enum log_level level = LOG_DEBUG;

    LOG(f.log, LOG_INFO, "no", LOG_U64("n", 1));
    LOG(f.log, LOG_DEBUG, "no", LOG_U64("n", 2));
    LOG(NULL, LOG_ERROR, "no", LOG_U64("n", 3));
    LOG(f.log, LOG_WARN, "yes", LOG_U64("n", 4));
    assert_matches(written(&f), "^[^ ]* warn yes n=4\n$");
    assert_true(log_level_parse(STR("error"), &level));
    assert_int_equal(level, LOG_ERROR);
    assert_true(log_level_parse(STR("debug"), &level));
    assert_int_equal(level, LOG_DEBUG);
    assert_false(log_level_parse(STR("Error"), &level));
    assert_false(log_level_parse(STR(""), &level));
    end(&f);
    log_free(NULL);
}

TEST(hostile_values_stay_on_their_line)
{
    struct fixture f = begin(LOG_INFO);

    LOG(f.log, LOG_INFO, "e", LOG_STR("a", STR("x\n2026-01-01 error \"=\\\x1b[31m\xff\0")),
        LOG_STR("b", STR("")), LOG_STR("c", STR("\xe2\x80\xae")));
    const char *line = written(&f);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
    assert_null(strchr(line, '\x1b'));
    assert_non_null(strstr(
        line,
        " a=x\xe2\x90\x8a"
        "2026-01-01\\ error\\ \\\"\\=\\\\\xe2\x90\x9b[31m\xef\xbf\xbd\xe2\x90\x80 b= c=\xef\xbf\xbd\n"));
    end(&f);
}

/* An id opens an upload: it may not be read from a log, in whatever way a URL says it. */
TEST(what_opens_an_upload_is_cut_short)
{
    static const struct {
        struct str value;
        const char *shown;
    } CASES[] = {
        {STR_INIT("/p/fygjb5gwf7n4osea4espyns4fu/t/1.svg"), "/p/fygjb5\xe2\x80\xa6/t/1.svg"},
        {STR_INIT("/d/fygjb5gwf7n4osea4espyns4fu..kv2s2eiqtocn6mduhv24izo6rm"),
         "/d/fygjb5\xe2\x80\xa6..kv2s2e\xe2\x80\xa6"},
        {STR_INIT("/p/%66ygjb5gwf7n4o%73%65a4espyns4fu.html"), "/p/fygjb5\xe2\x80\xa6.html"},
        {STR_INIT("fygjb5gwf7n4osea4espyns4fuandmore"), "fygjb5\xe2\x80\xa6"},
        {STR_INIT("fygjb5gwf7n4osea4espyns4f"), "fygjb5gwf7n4osea4espyns4f"},
        {STR_INIT("91f01284aff0c8be882e7b44aac1e9c5e4a962c3d0c228baa1db95773cb981b0"),
         "91f01284aff0c8be882e7b44aac1e9c5e4a962c3d0c228baa1db95773cb981b0"},
        {STR_INIT("a2222222222222222222222222222222222222222222222222222222222222222"),
         "a2222222222222222222222222222222222222222222222222222222222222222"},
        {STR_INIT("100%25%2"), "100%25%2"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct fixture f = begin(LOG_INFO);
        char expected[200];
        LOG(f.log, LOG_INFO, "e", LOG_STR("target", CASES[i].value));
        snprintf(expected, sizeof(expected), " target=%s\n", CASES[i].shown);
        assert_non_null(strstr(written(&f), expected));
        end(&f);
    }
}

/* The id ends behind the place where a value is cut: what is left of it is still an id's beginning. */
TEST(a_cut_does_not_show_more_of_an_id)
{
    struct fixture f = begin(LOG_INFO);
    char value[LOG_VALUE_BYTES_MAX + 40];

    memset(value, '/', sizeof(value));
    memcpy(value + LOG_VALUE_BYTES_MAX - 20, "fygjb5gwf7n4osea4espyns4fu", 26);
    LOG(f.log, LOG_INFO, "e", LOG_STR("target", ((struct str){value, sizeof(value)})));
    assert_non_null(strstr(written(&f), "/fygjb5\xe2\x80\xa6/"));
    assert_null(strstr(f.line, "gwf7n4"));
    end(&f);
}

TEST(long_values_and_lines_are_cut)
{
    static char hostile[100000];
    struct log_field fields[16];
    struct fixture f = begin(LOG_INFO);

    memset(hostile, '\xff', sizeof(hostile));
    for (size_t i = 0; i < 16; i++)
        fields[i] = LOG_STR("k", ((struct str){hostile, sizeof(hostile)}));
    log_event(f.log, LOG_INFO, "e", fields, 16);
    size_t n = strlen(written(&f));
    assert_in_range(n, 3 * LOG_VALUE_BYTES_MAX, 4096);
    assert_string_equal(f.line + n - 7, " cut=1\n");
    log_event(f.log, LOG_INFO, "e", fields, 1);
    n = strlen(written(&f));
    assert_null(strstr(f.line, "cut=1"));
    assert_in_range(n, 3 * LOG_VALUE_BYTES_MAX, 3 * LOG_VALUE_BYTES_MAX + 60);
    end(&f);
}

TEST(a_closed_log_is_no_error)
{
    struct log *l = log_new(LOG_INFO, LOG_TEXT, -1);

    assert_non_null(l);
    LOG(l, LOG_INFO, "lost", LOG_U64("n", 1));
    log_free(l);
}

/* Reads what is there without waiting, and counts its lines; those that tell of lost ones are added up. */
static void take_all(struct fixture *f, FILE *in, unsigned *lines, unsigned *lost)
{
    struct pollfd p = {.fd = f->ends[0], .events = POLLIN};

    for (log_flush(f->log); poll(&p, 1, 0) > 0; log_flush(f->log)) {
        assert_non_null(fgets(f->line, sizeof(f->line), in));
        const char *n = strstr(f->line, " warn log-lines-lost n=");
        if (n != NULL)
            *lost += (unsigned)atoi(n + strlen(" warn log-lines-lost n="));
        else
            assert_matches(f->line, "^[^ ]* info stalled n=[0-9]+ text=X{1000}\n$");
        *lines += n == NULL;
    }
}

/* A pipe and what is kept hold a few hundred of these lines. */
TEST(nobody_waits_for_a_reader)
{
    enum { LINES = 2000 };
    struct fixture f = begin(LOG_INFO);
    FILE *in = fdopen(f.ends[0], "r");
    char text[1000];
    unsigned lines = 0, lost = 0;

    setvbuf(in, NULL, _IONBF, 0);
    memset(text, 'X', sizeof(text));
    for (unsigned i = 0; i < LINES; i++)
        LOG(f.log, LOG_INFO, "stalled", LOG_U64("n", i), LOG_STR("text", ((struct str){text, sizeof(text)})));
    take_all(&f, in, &lines, &lost);
    assert_true(lost > 0);
    assert_in_range(lines, LOG_PENDING_BYTES / 1100, LINES);
    assert_int_equal(lines + lost, LINES);
    LOG(f.log, LOG_INFO, "stalled", LOG_U64("n", LINES), LOG_STR("text", ((struct str){text, sizeof(text)})));
    take_all(&f, in, &lines, &lost);
    assert_int_equal(lines + lost, LINES + 1);
    log_free(f.log);
    fclose(in);
    close(f.ends[1]);
}

static void *write_lines(void *log)
{
    static char text[1000];

    for (unsigned i = 0; i < 20; i++)
        LOG(log, LOG_INFO, "thread", LOG_STR("text", ((struct str){text, sizeof(text)})), LOG_U64("end", 1));
    return NULL;
}

TEST(threads_write_whole_lines)
{
    struct fixture f = begin(LOG_INFO);
    FILE *in = fdopen(f.ends[0], "r");
    pthread_t threads[3];

    assert_non_null(in);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, f.log), 0);
    for (size_t i = 0; i < 60; i++) {
        log_flush(f.log);
        assert_non_null(fgets(f.line, sizeof(f.line), in));
        assert_matches(f.line, "^[^ ]* info thread text=[^ ]{3000} end=1\n$");
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    log_free(f.log);
    fclose(in);
    close(f.ends[1]);
}

TEST(times_as_text)
{
    static const struct {
        int64_t unix_s;
        const char *text;
    } CASES[] = {{0, "1970-01-01T00:00:00Z"},
                 {951782400, "2000-02-29T00:00:00Z"},
                 {1795171759, "2026-11-20T10:49:19Z"},
                 {UTC_LAST_S, "9999-12-31T23:59:59Z"}};
    static const char *const WRONG[] = {"",
                                        "2026-11-20T10:49:19",
                                        "2026-11-20T10:49:19Zx",
                                        "2026-11-20 10:49:19Z",
                                        "2026-11-31T10:49:19Z",
                                        "2026-13-20T10:49:19Z",
                                        "2026-11-20T24:49:19Z",
                                        "2026-11-20T10:60:19Z",
                                        "2026-11-20T10:49:60Z",
                                        "1969-11-20T10:49:19Z",
                                        "+026-11-20T10:49:19Z",
                                        "2026-1a-20T10:49:19Z",
                                        "2026-11-20T10:49:-9Z"};
    char text[UTC_CHARS + 1];
    int64_t back = -1;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        utc_format(CASES[i].unix_s, text);
        assert_string_equal(text, CASES[i].text);
        assert_true(utc_parse(str_of(text), &back));
        assert_true(back == CASES[i].unix_s);
    }
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++)
        assert_false(utc_parse(str_of(WRONG[i]), &back));
    utc_format(INT64_MIN, text);
    assert_string_equal(text, CASES[0].text);
    utc_format(INT64_MAX, text);
    assert_string_equal(text, CASES[3].text);
}
