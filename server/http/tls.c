#include "server/http/tls.h"

#include <fcntl.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/system/folder.h"

enum { CHAIN_MAX = 16, FILE_BYTES_MAX = 1 << 20 };

static const char TITLE[] = "the certificate cannot be used";

/* One certificate with those that vouch for it, the service's own first, and its key. It never changes: connections
 * refer to it for as long as they last. */
struct shown {
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned n;
    gnutls_privkey_t key;
    struct shown *before; /* the one that it has replaced */
};

struct tls {
    const struct config *config;
    pthread_mutex_t lock; /* of `now` */
    struct shown *now;    /* and all of before, which old connections may still use: one for each renewal */
};

/* ---- reading ---- */

static bool read_file(const char *path, struct buf *out, struct diag *diag)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
    bool ok =
        (fd >= 0 && file_read_all(fd, FILE_BYTES_MAX, out)) ||
        diag_set(diag, DIAG_USAGE, TITLE, "Look whether it is there, and whether the service may read it.",
                 "%s cannot be read: %m.", path);

    if (fd >= 0)
        close(fd);
    return ok;
}

static gnutls_datum_t datum(const struct buf *b)
{
    return (gnutls_datum_t){(unsigned char *)b->p, (unsigned)b->n};
}

/* Whether they are PEM, and of each other. */
static bool fits(const struct buf *certificate, const struct buf *key, const struct config *config,
                 struct diag *diag)
{
    gnutls_certificate_credentials_t both;
    gnutls_datum_t c = datum(certificate), k = datum(key);

    if (gnutls_certificate_allocate_credentials(&both) != GNUTLS_E_SUCCESS)
        return diag_no_memory(diag, "No memory is left for the certificate.");
    int result = gnutls_certificate_set_x509_key_mem(both, &c, &k, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(both);
    return result >= 0 ||
           diag_set(diag, DIAG_USAGE, TITLE, "Both are PEM, and the key is that of the first certificate.",
                    "%s with %s: %s", config->tls_certificate, config->tls_key, gnutls_strerror(result));
}

static void shown_free(struct shown *s)
{
    for (unsigned i = 0; i < s->n; i++)
        gnutls_pcert_deinit(&s->chain[i]);
    if (s->key != NULL)
        gnutls_privkey_deinit(s->key);
    free(s);
}

static struct shown *import(const struct buf *certificate, const struct buf *key, struct diag *diag)
{
    struct shown *s = calloc(1, sizeof(*s));
    gnutls_datum_t c = datum(certificate), k = datum(key);
    unsigned n = CHAIN_MAX;

    if (s != NULL &&
        gnutls_pcert_list_import_x509_raw(s->chain, &n, &c, GNUTLS_X509_FMT_PEM,
                                          GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED) == GNUTLS_E_SUCCESS) {
        s->n = n;
        if (gnutls_privkey_init(&s->key) == GNUTLS_E_SUCCESS &&
            gnutls_privkey_import_x509_raw(s->key, &k, GNUTLS_X509_FMT_PEM, NULL, 0) == GNUTLS_E_SUCCESS)
            return s;
    }
    if (s != NULL)
        shown_free(s);
    diag_set(diag, DIAG_USAGE, TITLE, "A chain has at most 16 certificates.",
             "The certificate or its key cannot be read.");
    return NULL;
}

static struct shown *read_both(const struct config *config, struct diag *diag)
{
    struct buf certificate = {0}, key = {0};
    struct shown *s = NULL;

    if (read_file(config->tls_certificate, &certificate, diag) && read_file(config->tls_key, &key, diag) &&
        fits(&certificate, &key, config, diag))
        s = import(&certificate, &key, diag);
    buf_free(&certificate);
    if (key.p != NULL)
        explicit_bzero(key.p, key.n);
    buf_free(&key);
    return s;
}

/* ---- showing ---- */

struct tls *tls_new(const struct config *config, struct diag *diag)
{
    struct tls *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        diag_no_memory(diag, "No memory is left for the certificate.");
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    t->config = config;
    if (tls_reload(t, diag))
        return t;
    tls_free(t);
    return NULL;
}

void tls_free(struct tls *t)
{
    if (t == NULL)
        return;
    while (t->now != NULL) {
        struct shown *s = t->now;
        t->now = s->before;
        shown_free(s);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static bool is_same(const struct shown *a, const struct shown *b)
{
    bool same = a->n == b->n;

    for (unsigned i = 0; i < a->n && same; i++)
        same = a->chain[i].cert.size == b->chain[i].cert.size &&
               memcmp(a->chain[i].cert.data, b->chain[i].cert.data, a->chain[i].cert.size) == 0;
    return same;
}

/* What was not renewed is not kept twice. */
bool tls_reload(struct tls *t, struct diag *diag)
{
    struct shown *s = read_both(t->config, diag);

    if (s == NULL)
        return false;
    pthread_mutex_lock(&t->lock);
    bool renewed = t->now == NULL || !is_same(t->now, s);
    if (renewed) {
        s->before = t->now;
        t->now = s;
    }
    pthread_mutex_unlock(&t->lock);
    if (!renewed)
        shown_free(s);
    return true;
}

int tls_show(struct tls *t, struct gnutls_pcert_st **chain, unsigned *chain_n, struct gnutls_privkey_st **key)
{
    pthread_mutex_lock(&t->lock);
    struct shown *s = t->now;
    pthread_mutex_unlock(&t->lock);
    *chain = s->chain;
    *chain_n = s->n;
    *key = s->key;
    return 0;
}
