/* libcrypto of OpenSSL, opened when the first digest is made (library.h): to load it takes a third of the start of a command, and
 * most commands make none. The functions that are used stand here under their own names, so that the other files include
 * <openssl/...> and know nothing of this. Where the library is not there they all fail: nothing equals anything. */
#include "core/system/crypto_library.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/system/library.h"

/* Result, name, parameters, arguments, result where there is no library. */
#define FUNCTIONS(F)                                                                                        \
    F(int, CRYPTO_memcmp, (const void *a, const void *b, size_t n), (a, b, n), 1)                           \
    F(const EVP_MD *, EVP_sha256, (void), (), NULL)                                                         \
    F(int, EVP_DecodeBlock, (unsigned char *to, const unsigned char *from, int n), (to, from, n), -1)       \
    F(int, EVP_EncodeBlock, (unsigned char *to, const unsigned char *from, int n), (to, from, n), 0)        \
    F(int, EVP_Digest,                                                                                      \
      (const void *p, size_t n, unsigned char *to, unsigned *to_n, const EVP_MD *kind, ENGINE *engine),     \
      (p, n, to, to_n, kind, engine), 0)                                                                    \
    F(int, EVP_DigestInit_ex, (EVP_MD_CTX * c, const EVP_MD *kind, ENGINE *engine), (c, kind, engine), 0)   \
    F(int, EVP_DigestUpdate, (EVP_MD_CTX * c, const void *p, size_t n), (c, p, n), 0)                       \
    F(int, EVP_DigestFinal_ex, (EVP_MD_CTX * c, unsigned char *to, unsigned *to_n), (c, to, to_n), 0)       \
    F(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * context, const char *name, const char *wanted),               \
      (context, name, wanted), NULL)                                                                        \
    F(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL)                                                       \
    F(unsigned char *, HMAC,                                                                                \
      (const EVP_MD *kind, const void *key, int key_n, const unsigned char *p, size_t n, unsigned char *to, \
       unsigned *to_n),                                                                                     \
      (kind, key, key_n, p, n, to, to_n), NULL)

#define FORWARD(type, name, parameters, arguments, failed)                    \
    type name parameters                                                      \
    {                                                                         \
        return library_ready(&libcrypto) ? library.name arguments : (failed); \
    }

struct functions {
    __typeof__(EVP_MD_CTX_free) *EVP_MD_CTX_free;
    __typeof__(OPENSSL_init_crypto) *OPENSSL_init_crypto;
    FUNCTIONS(LIBRARY_MEMBER)
};

static const struct library_function NAMES[] = {
    {"EVP_MD_CTX_free", offsetof(struct functions, EVP_MD_CTX_free)},
    {"OPENSSL_init_crypto", offsetof(struct functions, OPENSSL_init_crypto)},
    FUNCTIONS(LIBRARY_ENTRY)};

static struct functions library;

/* Hashing needs nothing of the library's own configuration, which may load more code. */
static bool begin(void)
{
    return library.OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) == 1;
}

static struct library libcrypto = LIBRARY_INIT("libcrypto.so.3", NAMES, library, begin);

bool crypto_library_open(void)
{
    return library_ready(&libcrypto);
}

FUNCTIONS(FORWARD)

void EVP_MD_CTX_free(EVP_MD_CTX *c)
{
    if (c != NULL)
        library.EVP_MD_CTX_free(c);
}
