#include "server/convert/identify.h"

#include <magic.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/str.h"
#include "parser/unpack/unpack.h"

/* ---- refusals in words ---- */

static const char *const WORDS[] = {
    [DIAG_ABOUT_MEMORY] = "The service's operator may raise job_memory_bytes.",
    [DIAG_ABOUT_UNPACKED_BYTES] = "The service's operator may raise max_unpacked_bytes.",
    [DIAG_ABOUT_UNPACKED_RATIO] = "The service's operator may raise max_unpacked_ratio.",
    [DIAG_ABOUT_METHODS] = "The service's operator may raise max_methods.",
    [DIAG_ABOUT_THREADS] = "The service's operator may raise max_threads.",
    [DIAG_ABOUT_MEMBER] =
        "That is: curl -F member=NAME -F trace=@FILE, or member=all for each that is read here; "
        "?member=NAME in the URL, where # is written %23; or --member NAME on the command line.",
    [DIAG_ABOUT_TWO_FILES] =
        "Both as one: cat x.key x.data | curl -T - URL/x.trace; or drop both onto the page; or aflamed render "
        "x.key x.data.",
};

void diag_add_words(struct diag *diag)
{
    size_t said = strlen(diag->hint);
    const char *words = (size_t)diag->topic < sizeof(WORDS) / sizeof(*WORDS) ? WORDS[diag->topic] : NULL;

    diag->topic = DIAG_ABOUT_NOTHING;
    if (words != NULL)
        snprintf(diag->hint + said, sizeof(diag->hint) - said, "%s%s", said > 0 ? " " : "", words);
}

/* ---- what a file is ---- */

enum { WORDS_BYTES_MAX = 120 };

/* libmagic's cookies must not be shared, and opening one maps a database of megabytes: each thread keeps its
 * own, from its first question to its end. The key is all that is common. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static pthread_key_t cookie_key;

static bool have_key;

static void close_cookie(void *cookie)
{
    magic_close(cookie);
}

static void make_key(void)
{
    have_key = pthread_key_create(&cookie_key, close_cookie) == 0;
}

/* Names need no look inside: nothing is unpacked, and no ELF or OLE structure followed. NULL if there is no
 * database. */
static magic_t cookie(void)
{
    enum {
        FLAGS = MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF | MAGIC_NO_COMPRESS_FORK
    };

    pthread_once(&once, make_key);
    if (!have_key)
        return NULL;
    magic_t m = pthread_getspecific(cookie_key);
    if (m != NULL)
        return m;
    m = magic_open(FLAGS);
    if (m == NULL)
        return NULL;
    if (magic_load(m, NULL) == 0 && pthread_setspecific(cookie_key, m) == 0)
        return m;
    magic_close(m);
    return NULL;
}

/* What stands before the first punctuation names the format; behind it come details, with words of the
 * content. */
static struct str without_content(struct str words)
{
    size_t n = 0;

    while (n < words.n && n < WORDS_BYTES_MAX && words.p[n] >= ' ' && words.p[n] <= '~' &&
           strchr(",;:\"'<>&\\", words.p[n]) == NULL)
        n++;
    words.n = n;
    /* "a /usr/bin/env perl script": the interpreter is the file's word. */
    if (str_starts(words, STR("a ")))
        return STR("script");
    return str_trim(words);
}

void identify(const void *p, size_t n, char *out, size_t out_bytes)
{
    magic_t m = cookie();
    const char *words = m == NULL ? NULL : magic_buffer(m, p, n < IDENTIFY_BYTES ? n : IDENTIFY_BYTES);
    struct str name = words == NULL ? STR("data") : without_content(str_of(words));

    if (out_bytes == 0)
        return;
    if (name.n == 0)
        name = STR("data");
    if (name.n >= out_bytes)
        name.n = out_bytes - 1;
    memcpy(out, name.p, name.n);
    out[name.n] = '\0';
}

void identify_refused(struct diag *diag, const void *p, size_t n)
{
    uint8_t unpacked[IDENTIFY_BYTES];
    size_t said = strlen(diag->detail);
    char words[128];
    bool more;

    if (diag->kind != DIAG_UNKNOWN)
        return;
    if (unpack_detect(p, n, &more) != NULL) {
        n = unpack_beginning(p, n, unpacked, sizeof(unpacked));
        p = unpacked;
    }
    if (n == 0)
        return;
    identify(p, n, words, sizeof(words));
    if (strcmp(words, "data") == 0)
        return;
    snprintf(diag->detail + said, sizeof(diag->detail) - said, " It looks like: %s.", words);
}
