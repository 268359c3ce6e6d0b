/* Tells another service, whose address the operator has chosen (webhook_url), what happened in a space:
 *
 *     check-failed    The check that an upload asked for says FAIL.
 *     change-point    An upload made a change visible in the series of the total of its labels.
 *
 * Each is a POST of one JSON object of at most WEBHOOK_BODY_BYTES:
 *
 *     {"event": "change-point", "space": "shop", "labels": {"branch": "main"}, "commit": "4f2a", "url": "https://..",
 *      "sentence": "At commit 4f2a the total wall grew ..", ..}
 *
 * with the headers X-Aflamed-Signature: sha256=HEX, the HMAC-SHA-256 of the body by the secret, if there is one; and
 * X-Aflamed-Delivery, which is the same for all attempts. 2xx is success. No answer, 429 and 5xx are tried again, twice,
 * after a second and after four; all else is a failure at once. Redirects are not followed.
 *
 * Nobody waits for it: a thread of its own takes what is to be told from a queue of WEBHOOK_QUEUE places. What finds no
 * place, or is still there when the service ends, is lost. Any thread; w == NULL is fine: nobody is told. */
#pragma once

#include "server/spaces/space_check.h"

enum { WEBHOOK_QUEUE = 64, WEBHOOK_BODY_BYTES = 16 << 10 };

struct webhook;

/* Reads the secret and starts the thread; the configuration has a webhook_url. NULL: diag. */
struct webhook *webhook_open(struct service *service, struct diag *diag);
/* Ends the thread; what is told from then on is dropped. False: it does not end in time, and w stays in use. */
bool webhook_stop(struct webhook *w) MUST_CHECK;
/* After webhook_stop, or if that was never needed. */
void webhook_free(struct webhook *w);

/* A check of uploads that says FAIL. */
struct webhook_check {
    struct str space, commit; /* the uploads' label; empty: they have none */
    struct str baseline;      /* the query */
    struct str uploads;       /* ids, RECORD_ID_CHARS each */
    const struct fail_rule *rules;
    uint32_t n_rules;
    const struct space_check *check;
};
void webhook_check_failed(struct webhook *w, const struct webhook_check *c);

/* The upload is listed, and its digest is there: its series may show a change now. */
void webhook_listed(struct webhook *w, const struct record *record);
