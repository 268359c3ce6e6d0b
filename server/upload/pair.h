/* An upload of one trace in two fields, key and data, in either order: what arrives goes on into the job as soon as its
 * place in the whole is known, and the half that has to wait lies in a temporary file of the store. See
 * parser/two_files.h for what the whole is. One field alone goes on as it is.
 *
 *     pair_begin -> pair_data .. -> pair_end, once or twice; pair_finish at the end of the form
 *
 * Before more of the form is fed pair_go_on, until it says that what waited has gone on; and behind pair_finish. One
 * thread. */
#ifndef SERVER_UPLOAD_PAIR_H
#define SERVER_UPLOAD_PAIR_H

#include "parser/two_files.h"
#include "server/upload/job.h"

enum pair_half { PAIR_KEY, PAIR_DATA, PAIR_HALVES };

struct pair {
    struct job *job;
    const struct service *service;
    enum pair_half at; /* the half that arrives */
    struct pair_file {
        bool seen;
        uint64_t bytes;
        uint8_t head[TWO_FILES_HEAD_BYTES], tail[TWO_FILES_TAIL_BYTES];
        size_t head_bytes, tail_bytes;
        enum { PAIR_UNDECIDED, PAIR_HELD, PAIR_PASSED } way;
    } file[PAIR_HALVES];
    bool matched;           /* both were seen, and belong together */
    struct store_temp held; /* the half that waits */
    uint64_t held_sent;     /* bytes of it that have gone on */
    bool sending, joined;   /* the held half goes on; the joint has */
    struct buf next;        /* of the half that arrives: goes on behind the held one */
    struct buf unheld;      /* behind the held bytes, while .. */
    struct pair_room {      /* .. room for them is made on a full disk */
        struct task task;   /* first */
        struct task_queue queue;
        struct sweep *sweep;
        struct exchange_wait wait;
        unsigned tries;
        bool made;
    } room;
};

/* `p` zeroed; job and service are the caller's. */
void pair_init(struct pair *p, struct job *job, const struct service *service);
void pair_free(struct pair *p); /* zeroed is fine */

/* A field begins. False (diag) if it was there already. */
bool pair_begin(struct pair *p, enum pair_half half, struct diag *diag) __attribute__((warn_unused_result));
/* False: diag, or the job's own. */
bool pair_data(struct pair *p, const char *bytes, size_t n, struct diag *diag)
    __attribute__((warn_unused_result));
/* The field ends. `named`: it counts though it is empty. False as above. */
bool pair_end(struct pair *p, bool named, struct diag *diag) __attribute__((warn_unused_result));

/* Whether any half was seen. */
bool pair_seen(const struct pair *p);
/* Bytes that have not gone on. */
uint64_t pair_waiting_bytes(const struct pair *p);

/* No more fields. False: diag. What waits has to go on behind it. */
bool pair_finish(struct pair *p, struct diag *diag) __attribute__((warn_unused_result));

enum pair_step {
    PAIR_DONE,
    PAIR_WAIT,  /* x waits, and is resumed when the job or the disk has room */
    PAIR_FAILED /* diag, or the job's own */
};
enum pair_step pair_go_on(struct pair *p, struct exchange *x, struct diag *diag);

#endif
