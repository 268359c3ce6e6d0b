/* Names of what was refused, and the rules that name our own formats. */
#include "tests/support/unit.h"
#include <magic.h>
#include <pthread.h>
#include <string.h>

#include "server/convert/identify.h"

static const char PNG[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0";
static const char GZIP[] = "\x1f\x8b\x08\x08\0\0\0\0\0\x03secret-name.txt\0\x4b\x04\0";

static void assert_identified(const void *p, size_t n, const char *expected)
{
    char out[64];

    identify(p, n, out, sizeof(out));
    assert_string_equal(out, expected);
}

TEST(names_what_it_knows)
{
    assert_identified(PNG, sizeof(PNG) - 1, "PNG image data");
    assert_identified("%PDF-1.4\n", 9, "PDF document");
    assert_identified("", 0, "empty");
    assert_identified("\x01\x02\xff\xfe\x00\x9c", 6, "data");
}

TEST(tells_nothing_of_the_content)
{
    static const char SCRIPT[] = "#! /opt/secret-name/<b>bash\necho\n";
    char out[256];

    assert_identified(GZIP, sizeof(GZIP) - 1, "gzip compressed data");
    identify(SCRIPT, sizeof(SCRIPT) - 1, out, sizeof(out));
    assert_null(strstr(out, "secret"));
    assert_null(strchr(out, '<'));
    assert_true(out[0] != '\0');
}

TEST(is_cut_to_its_field)
{
    char out[5] = "....";

    identify(PNG, sizeof(PNG) - 1, out, 4);
    assert_string_equal(out, "PNG");
    assert_int_equal(out[4], '\0');
    identify(PNG, sizeof(PNG) - 1, out, 1);
    assert_string_equal(out, "");
    out[0] = '.';
    identify(PNG, sizeof(PNG) - 1, out, 0);
    assert_int_equal(out[0], '.');
}

TEST(looks_at_the_first_bytes_only)
{
    static char large[IDENTIFY_BYTES + 1000];

    memset(large, 'a', IDENTIFY_BYTES);
    memset(large + IDENTIFY_BYTES, '\x01', 1000);
    assert_identified(large, sizeof(large), "ASCII text");
}

TEST(every_byte_is_survived)
{
    unsigned char bytes[256];
    char out[40];

    for (unsigned first = 0; first < 256; first++) {
        for (unsigned i = 0; i < sizeof(bytes); i++)
            bytes[i] = (unsigned char)(first + i * first);
        identify(bytes, sizeof(bytes), out, sizeof(out));
        assert_in_range(strlen(out), 1, sizeof(out) - 1);
        for (const char *c = out; *c != '\0'; c++)
            assert_in_range(*c, ' ', '~');
    }
}

static void *ask(void *out)
{
    for (unsigned i = 0; i < 20; i++)
        identify(PNG, sizeof(PNG) - 1, out, 64);
    return NULL;
}

TEST(each_thread_may_ask)
{
    pthread_t threads[3];
    char out[3][64] = {{0}};

    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, out[i]), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_string_equal(out[i], "PNG image data");
    }
}

TEST(our_rules_name_our_formats)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *words;
    } CASES[] = {
        {"*version\n3\nclock=dual\n", 22, "Android method trace, version 3"},
        {"*version\n1\n", 11, "Android method trace, version 1"},
        {"SLOW\xf1\0\x20\0", 8, "Android method trace, streaming, version 1"},
        {"SLOW\xf2\0\x20\0", 8, "Android method trace, streaming, version 2"},
        {"SLOW\xf3\0\x20\0", 8, "Android method trace, streaming, version 3"},
        {"SLOW\xf4\0\x20\0", 8, "Android method trace, ART format 2, streaming, one clock"},
        {"SLOW\x05\0\x20\0", 8, "Android method trace, ART format 2, two clocks"},
        {"SLOW\xf6\0\x20\0", 8, "Android method trace, long-running methods"},
        {"SLOW\xf7\0\x20\0", 8, "data"},
        {"version\n3\n", 10, "ASCII text"},
    };
    magic_t m = magic_open(MAGIC_NONE);

    assert_non_null(m);
    assert_int_equal(magic_load(m, "config/aflamed.magic"), 0);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_string_equal(magic_buffer(m, CASES[i].bytes, CASES[i].n), CASES[i].words);
    magic_close(m);
}
