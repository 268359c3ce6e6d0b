#include "server/convert/identify.h"

#include <magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "core/str.h"
#include "parser/archive_list.h"
#include "parser/format.h"
#include "parser/unpack/unpack.h"
#include "server/config/config.h"
#include "server/convert/convert.h"
#include "server/convert/convert_impl.h"

/* ---- refusals in words ---- */

static const char *const WORDS[] = {
    [DIAG_ABOUT_MEMORY] = "The service's operator may raise job_memory_bytes.",
    [DIAG_ABOUT_UNPACKED_BYTES] = "The service's operator may raise max_unpacked_bytes.",
    [DIAG_ABOUT_UNPACKED_RATIO] = "The service's operator may raise max_unpacked_ratio.",
    [DIAG_ABOUT_METHODS] = "The service's operator may raise max_methods.",
    [DIAG_ABOUT_THREADS] = "The service's operator may raise max_threads.",
    [DIAG_ABOUT_MEMBER] = "That is: curl -F member=NAME -F trace=@FILE, or member=all for each that is read "
                          "here; ?member=NAME in the "
                          "URL, where # is written %23; or --member NAME on the command line.",
    [DIAG_ABOUT_TWO_FILES] =
        "Both as one: cat x.key x.data | curl -T - URL; or drop both onto the page; or aflamed render "
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

/* ---- what an archive holds ---- */

/* The members of an uploaded archive that are read here. */

struct listing {
    struct archive_members *members;
    size_t most;
    bool no_memory;
};

/* The first of a name is chosen by it, those behind it by their place. So is one whose name looks like a place. */
static bool is_chosen_by_name(const struct archive_members *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->list[i].name, name) == 0)
            return false;
    return name[0] != '#';
}

/* By its label, which is what the list has in words. */
static const struct format *format_of(const char *label)
{
    for (size_t i = 0; label != NULL && i < FORMATS_COUNT; i++)
        if (strcmp(FORMATS[i]->label, label) == 0)
            return FORMATS[i];
    return NULL;
}

static bool add(void *context, const struct unpack_member *member)
{
    struct listing *l = context;
    struct archive_members *m = l->members;

    if (m->n == l->most) {
        m->left_out++;
        return true;
    }
    struct archive_member *list = realloc(m->list, (m->n + 1) * sizeof(*list));
    if (list == NULL) {
        l->no_memory = true;
        return false;
    }
    m->list = list;
    struct archive_member *one = &list[m->n];
    snprintf(one->name, sizeof(one->name), "%s", member->name);
    if (is_chosen_by_name(m, member->name))
        memcpy(one->choice, one->name, sizeof(one->choice));
    else
        snprintf(one->choice, sizeof(one->choice), "#%llu", (unsigned long long)member->number);
    one->format = format_of(member->what);
    m->n++;
    return true;
}

void archive_members_free(struct archive_members *members)
{
    free(members->list);
    *members = (struct archive_members){.list = NULL};
}

static bool list(const struct packer *archive, const struct config *config, const struct source_input *whole,
                 struct archive_members *members, struct diag *diag)
{
    struct listing l = {.members = members, .most = (size_t)config->max_members};
    struct reader_limits limits = conversion_limits(config);
    struct unpack_report report = {.state = UNPACK_WHOLE};
    struct arena arena;

    arena_init(&arena, (size_t)config->job_memory_bytes);
    bool ok = archive_list(archive, whole, &arena, &limits.unpacked, add, &l, &report, diag);
    arena_free(&arena);
    members->cut = report.state != UNPACK_WHOLE;
    return l.no_memory ? conversion_no_memory(diag) : ok;
}

enum archive_found archive_members_list(const struct config *config, int fd, const struct stop *stop,
                                        struct archive_members *members, struct diag *diag)
{
    struct readable file = {.fd = fd, .stop = stop};
    const struct source_input whole = readable_input(&file);
    const struct packer *archive = archive_list_packer(&whole);

    *members = (struct archive_members){.list = NULL};
    if (archive == NULL && file.diag.kind == DIAG_NONE)
        return ARCHIVE_NONE;
    if (archive != NULL && list(archive, config, &whole, members, diag))
        return ARCHIVE_LISTED;
    if (file.diag.kind != DIAG_NONE)
        *diag = file.diag; /* knows more than that it could not be read */
    diag_add_words(diag);
    archive_members_free(members);
    return ARCHIVE_FAILED;
}
