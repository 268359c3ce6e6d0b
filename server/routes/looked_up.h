/* Records that a request needs, looked up before it is handled: where the store is an object store, the threads of the
 * connections, which others wait for, do not wait for it. */
#ifndef SERVER_ROUTES_LOOKED_UP_H
#define SERVER_ROUTES_LOOKED_UP_H

#include "server/http/exchange.h"
#include "server/store/record.h"

/* For a handler, which returns what this returns: looks up the records of the ids in x->parameters, on another thread if
 * need be, and then calls then(x, context). */
enum exchange_step looked_up_before(struct exchange *x,
                                    enum exchange_step (*then)(struct exchange *x, void *context),
                                    void *context);

/* As record_cache_read; what was looked up for this request is not looked up again. */
enum record_state looked_up_read(struct exchange *x, struct str id, struct record *r);

#endif
