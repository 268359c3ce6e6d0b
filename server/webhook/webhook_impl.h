/* The inside of the webhook, for webhook.c and its tests. */
#pragma once

#include <pthread.h>

#include "core/system/digest.h"
#include "server/s3/curl_library.h"
#include "server/webhook/webhook.h"

enum {
    WEBHOOK_SECRET_BYTES = 1024,
    WEBHOOK_SIGNATURE_BYTES = sizeof("sha256=") + DIGEST_CHARS,
    WEBHOOK_REMEMBERED = 256 /* changes that were told lately */
};

/* What is to be told. */
struct webhook_item {
    struct webhook_item *next;
    struct buf text; /* the body; of a series its labels, lines KEY=VALUE */
    bool is_series;  /* Its changes are to be looked for. */
    char space[SPACE_NAME_BYTES + 1];
    struct record_entry upload; /* of a series, the first upload since it was looked at */
};

struct webhook {
    struct service *service; /* constant, as what follows up to the lock */
    const struct curl_library *curl;
    char secret[WEBHOOK_SECRET_BYTES];
    size_t secret_bytes;
    pthread_t thread;
    bool has_thread;
    struct stop stop;

    pthread_mutex_t lock;
    pthread_cond_t changed; /* of what follows */
    struct webhook_item *first, *last;
    unsigned n;
    bool said_full; /* in the log, since there was room */
    bool ended;     /* the thread */

    /* used by the thread only */
    CURL *handle;
    char remembered[WEBHOOK_REMEMBERED][DIGEST_CHARS + 1]; /* a ring of changes */
    size_t n_remembered;
};

/* Without secret and thread. NULL: no memory. */
struct webhook *webhook_new(struct service *service);
/* The oldest item, the caller's to free. NULL: there is none, and the webhook ends, or `waits` is false. */
struct webhook_item *webhook_take(struct webhook *w, bool waits);
void webhook_item_free(struct webhook_item *item); /* NULL is fine */
/* Takes the body for the queue. A body that could not be made counts as dropped. */
void webhook_add_body(struct webhook *w, struct buf *body);
/* The value of the header; false: no memory. */
bool webhook_sign(struct str secret, struct str body, char signature[WEBHOOK_SIGNATURE_BYTES]) MUST_CHECK;
enum webhook_outcome { WEBHOOK_TAKEN, WEBHOOK_REFUSED, WEBHOOK_AGAIN };
/* What an answer of this status means; 0: there was none. */
enum webhook_outcome webhook_outcome(long status);
