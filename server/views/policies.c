#include "server/views/policies.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/str.h"
#include "core/system/digest.h"
#include "core/system/random_bytes.h"
#include "render/output.h"
#include "server/http/exchange.h"
#include "server/http/message/form.h"
#include "server/service.h"

/* ---- passes ---- */

struct passes {
    uint8_t key[DIGEST_KEY_BYTES];
};

struct passes *passes_new(const uint8_t *key)
{
    struct passes *p = calloc(1, sizeof(*p));

    if (p != NULL && key != NULL) {
        memcpy(p->key, key, sizeof(p->key));
    } else if (p != NULL && !random_bytes(p->key, sizeof(p->key))) {
        free(p);
        return NULL;
    }
    return p;
}

void passes_free(struct passes *p)
{
    free(p);
}

static const char DIGITS[] = "abcdefghijklmnopqrstuvwxyz234567";

/* For what, and when: an hour, or the last day; 5 bits of the digest's bytes each. */
static bool make(const struct passes *p, const char *what, int64_t when, struct str id,
                 char pass[PASS_CHARS + 1])
{
    uint8_t digest[SHA256_BYTES];
    struct buf text = {0};

    buf_printf(&text, "%s %lld ", what, (long long)when);
    buf_str(&text, id);
    bool made = !text.failed && digest_hmac(p->key, buf_view(&text), digest);
    for (size_t i = 0; i < PASS_CHARS; i++)
        pass[i] = made ? DIGITS[digest[i] & 31] : '\0';
    pass[PASS_CHARS] = '\0';
    buf_free(&text);
    return made;
}

bool pass_make(const struct passes *p, struct str id, int64_t now_s, char pass[PASS_CHARS + 1])
{
    return make(p, "tree", now_s / PASS_S, id, pass);
}

bool pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass)
{
    char right[PASS_CHARS + 1];
    bool holds = false;

    for (int64_t hour = now_s / PASS_S; hour >= now_s / PASS_S - 1 && !holds; hour--)
        holds = pass.n == PASS_CHARS && make(p, "tree", hour, id, right) &&
                CRYPTO_memcmp(right, pass.p, PASS_CHARS) == 0;
    return holds;
}

enum { DAY_S = 86400, DAY_CHARS = CARD_PASS_CHARS - PASS_CHARS };

bool card_pass_make(const struct passes *p, struct str id, int64_t now_s, char pass[CARD_PASS_CHARS + 1])
{
    int64_t day = now_s / DAY_S + CARD_PASS_DAYS;

    for (size_t i = DAY_CHARS; i-- > 0; day /= 32)
        pass[i] = DIGITS[day % 32];
    return make(p, "card", now_s / DAY_S + CARD_PASS_DAYS, id, pass + DAY_CHARS);
}

bool card_pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass)
{
    char right[PASS_CHARS + 1];
    int64_t day = 0;

    if (pass.n != CARD_PASS_CHARS)
        return false;
    for (size_t i = 0; i < DAY_CHARS; i++) {
        size_t digit = str_find((struct str){DIGITS, sizeof(DIGITS) - 1}, pass.p[i]);
        if (digit == sizeof(DIGITS) - 1)
            return false;
        day = day * 32 + (int64_t)digit;
    }
    return now_s / DAY_S <= day && make(p, "card", day, id, right) &&
           CRYPTO_memcmp(right, pass.p + DAY_CHARS, PASS_CHARS) == 0;
}

/* ---- pages of other tools ---- */

/* Pages of other tools, in which the service's own pages offer to open an export: only those that the
 * configuration names. Nothing goes there but by the click of a person, in the browser of whom it happens:
 * the service itself asks nobody. */

const struct viewer VIEWERS[] = {
    {"perfetto", "Perfetto", false, offsetof(struct config, perfetto_url)},
    {"firefox", "the Firefox Profiler", false, offsetof(struct config, firefox_profiler_url)},
    {"speedscope", "speedscope", true, offsetof(struct config, speedscope_url)},
};

const size_t VIEWERS_COUNT = sizeof(VIEWERS) / sizeof(VIEWERS[0]);

struct str viewer_url(const struct viewer *v, const struct config *config)
{
    return str_of((const char *)config + v->url);
}

const struct viewer *viewer_of(const struct config *config, const char *name)
{
    for (size_t i = 0; i < VIEWERS_COUNT; i++)
        if (str_eq(str_of(VIEWERS[i].name), str_of(name)) && viewer_url(&VIEWERS[i], config).n > 0)
            return &VIEWERS[i];
    return NULL;
}

void viewer_allow(struct reply *r, const struct config *config, const char *name)
{
    const struct viewer *v = viewer_of(config, name);

    if (v == NULL || !v->fetches)
        return;
    struct str origin = url_origin(viewer_url(v, config));
    reply_header(r, "Access-Control-Allow-Origin", "%.*s", (int)origin.n, origin.p);
}

/* ---- what a browser may do ---- */

struct policies {
    struct buf text[OUTPUTS_COUNT];
};

bool policy_put_digest(struct buf *b, struct str code)
{
    uint8_t digest[SHA256_BYTES], base64[2 * SHA256_BYTES];

    if (!digest_of(code.p, code.n, digest))
        return false;
    EVP_EncodeBlock(base64, digest, SHA256_BYTES);
    buf_printf(b, "'sha256-%s'", (const char *)base64);
    return true;
}

/* `KIND-src 'sha256-...'; ` False: no memory. */
static bool put_source(struct buf *b, const char *kind, struct str code)
{
    buf_printf(b, "%s-src ", kind);
    bool made = policy_put_digest(b, code);
    buf_z(b, "; ");
    return made;
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
