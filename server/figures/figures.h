/* What is counted of the service. A count is an atomic number that only grows: no call here takes a lock or
 * waits, but for the first upload of a format. Any thread. Every call does nothing when `f` is NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/str.h"

struct figures;

/* Why a client did not get what it asked for, where an operator may want to do something about it. */
enum figures_refusal {
    REFUSED_NOT,
    REFUSED_ADDRESS_CONNECTIONS, /* max_connections_per_address */
    REFUSED_CONNECTIONS,         /* max_connections */
    REFUSED_STOPPING,
    REFUSED_BUSY,   /* the client waits for too much, or the service does too much of a kind */
    REFUSED_MEMORY, /* none is left, by our limits or the system's */
    REFUSED_DISK_FULL,
    REFUSED_TOO_LARGE,
    REFUSED_FORMAT,   /* nothing that can be read */
    REFUSED_UNUSABLE, /* a known format, but damaged or empty */
    REFUSED_MALFORMED,
    REFUSED_OTHER_HOST,
    REFUSED_OTHER_SITE, /* sent by a page of another site */
    REFUSED_UNKNOWN,    /* who asks did not say who it is */
    REFUSED_FORBIDDEN,  /* it may not do that */
    REFUSED_TOO_MANY,   /* a limit of requests, uploads or bytes */
    REFUSALS
};
/* The reason that a status alone tells; REFUSED_NOT also of what is simply not there. */
enum figures_refusal refusal_of_status(unsigned status);

enum figures_cache { CACHE_VIEWS_IN_MEMORY, CACHE_VIEWS_ON_DISK, CACHE_PROFILES, CACHES };

/* `n_routes`: rows of the table of routes. NULL: no memory. */
struct figures *figures_new(size_t n_routes);
void figures_free(struct figures *f);

/* A connection was begun, or has ended. */
void figures_connection(struct figures *f, bool begun);

struct figures_request {
    size_t route;                 /* its row; n_routes: none was found */
    unsigned status;              /* 0: the client got no answer */
    uint64_t us;                  /* from its first byte to the last of the answer */
    uint64_t bytes_in, bytes_out; /* of the bodies */
    enum figures_refusal refusal;
};
void figures_request(struct figures *f, const struct figures_request *r);
void figures_refused(struct figures *f, enum figures_refusal why);

/* Something was looked for in a cache. */
void figures_look(struct figures *f, enum figures_cache cache, bool hit);

/* What became of something that webhook_url was to be told of. */
enum figures_webhook { WEBHOOK_SENT, WEBHOOK_FAILED, WEBHOOK_DROPPED, WEBHOOK_RESULTS };
void figures_webhook(struct figures *f, enum figures_webhook result);

/* An upload is durable; a profile was read, with so much time of the processor. `format` is the stable name of a
 * format, never a word of a file. */
void figures_upload(struct figures *f, struct str format);
void figures_reading(struct figures *f, struct str format, uint64_t cpu_us);
