/* The inside of unpacking, shared by unpack.c and the packers: a packer is one file that fills a `struct packer`,
 * and one line in unpack.c. */
#ifndef PARSER_UNPACK_UNPACK_IMPL_H
#define PARSER_UNPACK_UNPACK_IMPL_H

#define ZLIB_CONST
#include <zlib.h>

#include "parser/unpack/unpack.h"

enum { UNPACK_MAGICS_MAX = 17 };

struct packer {
    const char *name;
    const char *noun;
    struct str magics[UNPACK_MAGICS_MAX]; /* any of them; at most UNPACK_MAGIC_BYTES each */
    struct str codings[2];                /* names of the content coding */
    bool archive;                         /* has members; what is refused is said at the end */
    size_t state_bytes;

    /* The state arrives zeroed. False: diag is set. */
    bool (*begin)(struct unpack *u);
    /* Takes bytes off the front of the n > 0, and counts them in u->at. Must take some or change its state, and
     * depend on the bytes only. Not called again once u->stopped is set. */
    void (*step)(struct unpack *u, const uint8_t *p, size_t n);
    /* There are no more bytes. */
    void (*finish)(struct unpack *u);
    void (*free)(struct unpack *u); /* may be NULL */
};

struct unpack {
    const struct packer *packer;
    void *state;
    struct unpack_options options;
    struct arena *arena;
    struct diag *diag;
    struct unpack_report report;

    uint64_t at;        /* of the first byte that is not taken */
    uint64_t out_bytes; /* that came out, for the limits */
    bool stopped;       /* what comes behind is not looked at */
    bool sink_closed;   /* no more blocks are wanted */
    bool discard;       /* what comes out is counted for the limits, and dropped */

    uint8_t *block; /* UNPACK_BLOCK_BYTES */
    size_t block_bytes;

    uint8_t *head; /* a header in the making */
    size_t head_bytes, head_capacity;
};

/* Takes bytes until `need` stand in u->head. False: not yet, or stopped. More than `need` may stand there if they were
 * left by unpack_drop_head. */
bool unpack_gather(struct unpack *u, const uint8_t *p, size_t n, size_t need);
/* The first n bytes of u->head are done with. */
void unpack_drop_head(struct unpack *u, size_t n);

/* Room for bytes that come out: never 0. */
size_t unpack_room(struct unpack *u, uint8_t **out);
/* So many bytes stand there. False: stopped, by a limit or the sink. */
bool unpack_wrote(struct unpack *u, size_t n);
bool unpack_put(struct unpack *u, const uint8_t *p, size_t n);
/* Stops if too much came out of what was taken. To be called where any cutting of the input comes by with the same
 * counts. */
void unpack_check_ratio(struct unpack *u);

/* Records the first damage, at u->at. */
void unpack_damage(struct unpack *u, enum unpack_state state);
void unpack_no_memory(struct unpack *u);

/* ---- deflate (RFC 1951), without any wrapping ---- */

struct inflater {
    z_stream z;
    bool open;
    uint32_t crc;   /* of what came out, unless it is discarded */
    uint64_t bytes; /* that came out */
};

enum inflated {
    INFLATED_MORE,    /* all n bytes were taken */
    INFLATED_END,     /* the stream ends here */
    INFLATED_BAD,     /* it is damaged here */
    INFLATED_STOPPED, /* u->stopped */
};

/* Before each stream. False: no memory, and stopped. */
bool inflater_begin(struct unpack *u, struct inflater *i);
/* Takes bytes off the front of the n. */
enum inflated inflater_feed(struct unpack *u, struct inflater *i, const uint8_t *p, size_t n);

#endif
