/* What a browser may do with an output: its Content-Security-Policy, made from the output's row. */
#pragma once

#include "core/str.h"
#include "render/output.h"
#include "server/http/exchange.h"
#include "server/service.h"

struct policies;
struct passes;

/* Of all outputs, made once: digests of script and style let these through policies that let nothing else
 * through. NULL: no memory. */
struct policies *policies_new(void) MUST_CHECK;
void policies_free(struct policies *all);

/* Terminated; of any thread, as long as `all` is there. */
const char *policies_of(const struct policies *all, const struct output *output);

/* Appends `'sha256-...'` of a script or a style, by which a policy lets it through. False: no memory. */
bool policy_put_digest(struct buf *b, struct str code) MUST_CHECK;

/* Passes: what lets a picture fetch the rest of its tree where a proxy wants a password. A picture that
 * stands alone is sandboxed into an origin of its own, for which a browser sends no password. So the page
 * that links to it, which was read with the password, gives it a pass in the link's fragment; the
 * picture's script puts that into the path that it fetches from, which the proxy lets through
 * (deploy/nginx).
 *
 * A pass is a digest of an id and the hour, keyed by a number of the store, so that each machine that serves it knows the
 * passes of the others. The id is that of an upload, or the two of a comparison as its URL has them. It is good for the
 * trees of that upload, or of that comparison, only, for one hour to two. Any thread. */

enum { PASS_CHARS = 26, PASS_S = 3600 };
/* `key`: doors_key; NULL: a random one, of this start of the service. NULL: no memory or no randomness. */
struct passes *passes_new(const uint8_t *key);
void passes_free(struct passes *p);

/* False: libcrypto failed; then there is none. */
bool pass_make(const struct passes *p, struct str id, int64_t now_s, char pass[PASS_CHARS + 1]) MUST_CHECK;
bool pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass);

/* A pass of the same kind, which begins with its last day: good for the card of an upload, and for what chat programs are told
 * of it, whoever asks. Nothing has to be kept for it. It ends by its day, with the upload, or with the key. */
enum { CARD_PASS_CHARS = PASS_CHARS + 4, CARD_PASS_DAYS = 30 };
bool card_pass_make(const struct passes *p, struct str id, int64_t now_s,
                    char pass[CARD_PASS_CHARS + 1]) MUST_CHECK;
bool card_pass_holds(const struct passes *p, struct str id, int64_t now_s, struct str pass);

/* Pages of other tools, in which the service's own pages offer to open an export: only those that the
 * configuration names. Nothing goes there but by the click of a person, in the browser of whom it happens:
 * the service itself asks nobody. */

struct viewer {
    /* The name of the output, or of the format of calls, that it reads; static/open-in.js knows by it how to hand this
     * over. */
    const char *name;
    const char *label; /* for people */
    bool fetches;      /* it gets the export by its URL. The others are given it by the page. */
    size_t url;        /* in struct config */
};

/* THE TABLE. */
extern const struct viewer VIEWERS[];
extern const size_t VIEWERS_COUNT;

/* Which one reads that, if it is configured; else NULL. */
const struct viewer *viewer_of(const struct config *config, const char *name);

/* Where it is, as configured; empty: it is not offered. */
struct str viewer_url(const struct viewer *v, const struct config *config);

/* Lets the page of the viewer, and no other one, read the answer, an export of that name, if that is how
 * it gets it. */
void viewer_allow(struct reply *r, const struct config *config, const char *name);
