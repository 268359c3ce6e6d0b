/* An upload and the share of who sends it (server/doors/shares.h): begun, paid for, told of in the answer. */
#pragma once

#include "server/doors/shares.h"
#include "server/http/exchange.h"

/* Whose share it is: "" where nothing is limited. True: the share of work is used up, so that the upload waits behind
 * others. */
bool upload_share_of(const struct exchange *x, char name[SHARES_NAME_BYTES + 1]);
/* Its reading has taken so much of a processor. Any thread; "" pays nothing. */
void upload_share_pay_work(const struct service *service, const char *name, uint64_t us);

struct upload_share {
    char name[SHARES_NAME_BYTES + 1]; /* "": it is not counted */
    bool paid;
};

/* False: x->reply says why this one may not upload now: 429, or 507. Nothing was counted then. */
bool upload_share_begin(struct exchange *x, struct upload_share *s);
/* All its bytes have come, or no more will: once, before the client hears of it. */
void upload_share_pay(const struct service *service, struct upload_share *s, uint64_t bytes);
/* Pays, if that was not done. One that was not begun is fine. */
void upload_share_end(const struct service *service, struct upload_share *s, uint64_t bytes);

/* What is left, into the headers of x->reply. */
void upload_share_headers(struct exchange *x);

/* A person keeps as much as they may. Always false. */
bool upload_keeps_enough(const struct service *service, struct diag *diag);
