/* The configuration, as those who obey it read it: immutable once loaded. How it comes about is said in
 * config_load.h; the keys, their ranges and defaults are the rows of config_keys.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct config {
    char listen[256]; /* "127.0.0.1:8192", "[::1]:8192", ":0" forms, or "unix:/path" */
    char store
        [4096]; /* directory, or "s3://BUCKET/PREFIX"; empty or not given: $XDG_DATA_HOME/aflamed, ~/.local/share/aflamed,
                               or /var/lib/aflamed without a home; never empty after loading */
    char
        cache[4096]; /* directory for views and copies where the store is an object store; never empty then */
    char s3_endpoints[2048], s3_region[64], s3_keys_file[4096]; /* of that: server/s3/s3.h */
    uint64_t s3_stalled_s;
    bool share_views;         /* views/shared_views.h */
    char durability[8];       /* "store" or "local": where an upload is durable when it is acknowledged */
    uint64_t waiting_bytes;   /* of uploads that are durable on this machine alone */
    bool open;                /* may listen on other than loopback without authentication */
    char external_url[512];   /* what clients see, without slash at the end; empty: from the request's Host */
    bool link_previews;       /* pages say what chat programs show below a link */
    char hosts[2048];         /* further names of the service, with commas between them: site.h */
    char log_level[16];       /* error, warn, info, debug */
    char log_format[8];       /* text, json */
    char metrics_listen[256]; /* where figures alone are served, as `listen`; empty: nowhere */
    uint64_t workers;         /* 0: one per core */
    uint64_t open_jobs; /* uploads that fold at a time, at most half while they arrive; 0: 2 x workers */
    uint64_t job_memory_bytes;  /* ceiling of one profile while it is built */
    uint64_t job_file_bytes;    /* of the records of all jobs in files, beyond that ceiling; 0: none */
    uint64_t view_memory_bytes; /* ceiling of one view while it is rendered, and of its bytes */
    uint64_t queue_bytes;       /* without effect; read so that older configurations stay good */
    uint64_t max_upload_bytes;
    uint64_t max_unpacked_bytes; /* that a packed upload unpacks to, */
    uint64_t max_unpacked_ratio; /* and for each of its bytes, once they are many */
    uint64_t max_members;        /* of an archive, that become results when all are asked for */
    uint64_t max_connections;
    uint64_t idle_timeout_s;                                       /* a connection that sends nothing */
    uint64_t max_connections_per_address, max_waiting_per_address; /* an IPv6 /64 is one address */
    char trusted_proxies[2048]; /* networks with commas between them: network.h */
    uint64_t header_timeout_s;  /* from the first byte of a header to its last */
    uint64_t
        request_timeout_s; /* of a client for a body or an answer, beside one for each MB; our own work has no such limit */
    uint64_t answer_within_ms; /* a durable upload is answered then, though its views are still being made */
    uint64_t expires_days;     /* of an upload, unless it asks for another time */
    uint64_t max_expires_days;
    char keep_labels[1000];   /* see server/spaces/expiry.h */
    uint64_t render_tracks;   /* previews made at upload, of the heaviest tracks */
    uint64_t svg_embed_nodes; /* nodes, and bytes of them, that a picture carries */
    uint64_t svg_embed_bytes;
    uint64_t profile_cache_bytes;              /* folded profiles kept in memory */
    uint64_t views_in_memory_bytes;            /* views kept in memory as they are sent */
    uint64_t answer_memory_bytes;              /* of answers that clients are taking, beside cached views */
    uint64_t views_on_disk_bytes;              /* rendered views kept in the store */
    uint64_t store_bytes;                      /* uploaded files kept; 0: no limit */
    uint64_t sweep_interval_s;                 /* from one removal of what nobody needs to the next */
    uint64_t delete_within_s;                  /* until what belonged to an upload that has expired is gone */
    char tls_certificate[4096], tls_key[4096]; /* files, PEM; empty: no TLS */
    char redirect_listen[256];                 /* a plain socket that leads on to external_url; empty: none */
    char tokens_file[4096];                    /* server/doors/token_file.h; empty: nobody has a token */
    char user_header[128],
        user_scopes[128]; /* a trusted proxy says who asks, who may do this; empty: none does */
    char readers[8];      /* link, team: of an upload that does not say */
    uint64_t uploads_per_minute, uploads_at_once, upload_bytes_per_day,
        work_seconds_per_minute;                /* of each who uploads: shares.h; 0: no limit */
    uint64_t upload_bytes_kept;                 /* of each person who is known: kept.h; 0: no limit */
    uint64_t work_seconds, work_seconds_per_mb; /* of one upload: work_limit.h; work_seconds 0: no limit */
    uint64_t session_hours;                     /* that a browser stays logged in */
    char filter_presets[2048];                  /* profile/filter/filter_pattern.h */
    char mappings_dir[4096];                    /* of mapping.txt files; empty: none */
    char webhook_url[2048], webhook_secret_file[4096]; /* server/webhook/webhook.h; empty: none */
    char perfetto_url[512], firefox_profiler_url[512],
        speedscope_url[512]; /* pages of other tools; empty: not offered */
    uint64_t max_methods, max_threads, max_line_bytes, max_name_bytes;

    /* No keys. */
    uint64_t
        given[2]; /* bit i of all: somebody has chosen key i of the table; else it has its built-in value */
    uint64_t old_names; /* bit i: the configuration has old name i of config_keys.h */
    uint64_t folds; /* profiles of stored uploads that are folded at a time: config_load.h; 0 before that */
};
