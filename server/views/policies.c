#include "server/views/policies.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct policies {
    struct buf text[OUTPUTS_COUNT];
};

/* `KIND-src 'sha256-...'; ` False: no memory. */
static bool put_source(struct buf *b, const char *kind, struct str code)
{
    unsigned char digest[EVP_MAX_MD_SIZE], base64[EVP_MAX_MD_SIZE * 2];
    unsigned n = 0;

    if (EVP_Digest(code.p, code.n, digest, &n, EVP_sha256(), NULL) != 1)
        return false;
    EVP_EncodeBlock(base64, digest, (int)n);
    buf_printf(b, "%s-src 'sha256-%s'; ", kind, (const char *)base64);
    return true;
}

static bool put_policy(struct buf *b, const struct output *o)
{
    buf_z(b, "default-src 'none'; ");
    if (o->script != NULL && !put_source(b, "script", o->script()))
        return false;
    if (o->style != NULL && !put_source(b, "style", o->style()))
        return false;
    if (o->script != NULL)
        buf_z(b, "connect-src 'self'; img-src 'self'; "); /* the image is the icon */
    if (o->style != NULL)
        buf_z(b, "base-uri 'none'; form-action 'none'; ");
    buf_z(b, o->script != NULL ? "sandbox allow-scripts" : "sandbox");
    buf_char(b, '\0');
    return !b->failed;
}

struct policies *policies_new(void)
{
    struct policies *all = calloc(1, sizeof(*all));
    bool ok = all != NULL;

    for (size_t i = 0; ok && i < OUTPUTS_COUNT; i++)
        ok = put_policy(&all->text[i], OUTPUTS[i]);
    if (ok)
        return all;
    policies_free(all);
    return NULL;
}

void policies_free(struct policies *all)
{
    for (size_t i = 0; all != NULL && i < OUTPUTS_COUNT; i++)
        buf_free(&all->text[i]);
    free(all);
}

const char *policies_of(const struct policies *all, const struct output *output)
{
    size_t i = 0;

    while (OUTPUTS[i] != output)
        i++;
    return all->text[i].p;
}
