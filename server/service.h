/* What all requests share: configuration, store, workers, caches. Made once by main, before the first request. */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "server/config.h"
#include "server/log.h"
#include "server/pool.h"
#include "server/store.h"

struct jobs;
struct keepsakes;
struct progresses;
struct recent;
struct sweep;
struct views;

struct service {
    const struct config *config;
    struct log *log;
    struct store *store;
    struct sweep *sweep; /* of the store */
    struct pool *pool;
    struct jobs *jobs;
    struct views *views;
    struct progresses *progresses;
    struct recent *recent;       /* records that were read a moment ago */
    struct keepsakes *keepsakes; /* files of static/, encoded */
    char address[300];           /* what is listened on, as "host:port", for URLs */
    char svg_policy[400];        /* Content-Security-Policy of pictures, */
    char thumb_policy[300];      /* of their previews */
};

extern const char SERVICE_VERSION[];

#endif
