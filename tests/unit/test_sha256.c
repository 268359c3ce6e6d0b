/* SHA-256: the standard's own examples, however they are cut into pieces. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/sha256.h"

static void check_end(struct sha256 *h, const char *expected)
{
    uint8_t digest[SHA256_BYTES];
    struct buf b = {0};

    assert_true(sha256_end(h, digest));
    buf_hex_bytes(&b, digest, sizeof(digest));
    assert_buf(&b, expected);
}

/* FIPS 180-2, appendix B. */
TEST(examples)
{
    struct sha256 *h = sha256_new();

    assert_non_null(h);
    check_end(h, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_add(h, STR("a"));
    sha256_add(h, (struct str){NULL, 0});
    sha256_add(h, STR("bc"));
    check_end(h, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_add(h, STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
    check_end(h, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_free(h);
}

TEST(cut_in_pieces)
{
    enum { MILLION = 1000000 };
    static const size_t PIECES[] = {1, 63, 511, 512, 513, 1000, MILLION};
    struct sha256 *h = sha256_new();
    char *text = malloc(MILLION);

    assert_true(h != NULL && text != NULL);
    memset(text, 'a', MILLION);
    for (size_t i = 0; i < sizeof(PIECES) / sizeof(PIECES[0]); i++) {
        for (size_t at = 0, n; at < MILLION; at += n) {
            n = MILLION - at < PIECES[i] ? MILLION - at : PIECES[i];
            sha256_add(h, (struct str){text + at, n});
        }
        check_end(h, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
    free(text);
    sha256_free(h);
}
