/* What all requests share: configuration, store, workers, caches. Made once by main, before the first request. */
#pragma once

#include <stdatomic.h>

#include "core/stop.h"
#include "core/system/boot_id.h"
#include "core/system/log.h"
#include "core/system/notify.h"
#include "server/config/config.h"
#include "server/store/store.h"

struct clients;
struct doors;
struct figures;
struct jobs;
struct passes;
struct policies;
struct profiles;
struct static_assets;
struct progresses;
struct shares;
struct spaces;
struct readiness;
struct record_cache;
struct sweep;
struct threads;
struct timers;
struct tls;
struct turns;
struct views;
struct webhook;
struct work_limits;

/* The kinds of jobs. Those of one kind take no thread from another. */
enum service_threads {
    THREADS_SHORT,   /* parts of an answer, changes, withdrawals: they wait for the disk at most */
    THREADS_VIEWS,   /* views that somebody waits for */
    THREADS_LISTS,   /* lists of calls: they wait for their clients */
    THREADS_UPLOADS, /* open_jobs of them: half of them may wait for their clients */
    THREADS_AHEAD,   /* views that nobody waits for yet */
    THREADS_LONG,    /* answers about many uploads: they may read each of them */
    THREADS_KEEPERS, /* uploads on their way into the store: bytes of large ones, and small ones that are read */
    THREADS_KINDS
};

struct service {
    const struct config *config;
    struct stop stop; /* STOP_SERVICE: what is being read or drawn is to end, unfinished */
    struct log *log;
    struct store *store;
    struct sweep *sweep;     /* of the store */
    struct spaces *spaces;   /* what they list */
    struct turns *turns;     /* who computes */
    struct threads *threads; /* of jobs, by enum service_threads */
    /* Who asks; NULL: there are none, and whoever reaches the service may upload and read. */
    struct doors *doors;
    struct shares *shares;   /* what each may upload; NULL: without limit */
    struct tls *tls;         /* NULL: plain HTTP */
    struct clients *clients; /* whom requests come from; jobs refer to them */
    struct timers *timers;
    struct jobs *jobs;
    struct work_limits *work;  /* of the jobs */
    struct profiles *profiles; /* folded, in memory */
    struct views *views;
    atomic_uint call_streams;     /* lists of calls that are being read and sent */
    atomic_uint mapping_searches; /* for mappings that fit a profile, that are under way */
    struct progresses *progresses;
    struct record_cache *record_cache;   /* records that were read a moment ago */
    struct static_assets *static_assets; /* files of static/, encoded */
    char boot[BOOT_CHARS + 1];           /* which run of the machine this is */
    char address[300];                   /* what is listened on, as "host:port", for URLs */
    struct policies *policies;           /* of the outputs, for browsers */
    struct passes *passes;               /* of pictures */
    struct readiness *readiness;         /* whether uploads can be taken */
    struct webhook *webhook;             /* told of what happens in spaces; NULL: nobody is */
    struct notify notify;                /* the service manager */
    struct figures *figures;             /* what is counted; NULL counts nothing */
};

/* Before and within what may take long. False: diag, for a client that may still be there. */
bool service_goes_on(const struct service *s, struct diag *diag);

/* Appends "http://host:8192", without slash at the end: external_url, or else with the host that a client says, which may be
 * empty: then with the address listened on. */
void service_base_url(const struct service *s, struct str host, struct buf *b);

extern const char SERVICE_VERSION[];
