/* Work of an answer that takes long, on a thread of its own: the threads of the connections only move bytes. The exchange is
 * suspended meanwhile. */
#ifndef SERVER_HTTP_WORK_H
#define SERVER_HTTP_WORK_H

#include "server/http/exchange.h"

/* What is made from fewer bytes than this is made at once: to hand it over would take longer. */
enum { WORK_SMALL_BYTES = 64 << 10, WORK_ALWAYS = WORK_SMALL_BYTES };

/* For a handler, which returns what this returns. work(x, context) is called, on a thread that may block unless `bytes` is
 * small: it has the exchange to itself, and may do with it what a handler may, but not wait. If `bytes` is not small it has a turn,
 * x->turn, and gives it before what blocks. Then then(x, context) goes on; NULL: the reply is made. The work is done also if the client leaves meanwhile, or the service stops; what goes on is not. */
enum exchange_step exchange_work(struct exchange *x, size_t bytes,
                                 void (*work)(struct exchange *x, void *context),
                                 enum exchange_step (*then)(struct exchange *x, void *context),
                                 void *context);

#endif
