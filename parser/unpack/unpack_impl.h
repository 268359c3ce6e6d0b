/* The inside of unpacking, shared by unpack.c and the packers. A packer is one row in a file of its own, named in the table in
 * unpack.c. There are two kinds:
 *
 *   streams   (gzip, zstd) decode what they are given, and are fed from front to back
 *   archives  (zip, tar) have members, and read the whole file at the places they choose: archive.c
 */
#ifndef PARSER_UNPACK_UNPACK_IMPL_H
#define PARSER_UNPACK_UNPACK_IMPL_H

#include "parser/unpack/unpack.h"

enum { UNPACK_MAGICS_MAX = 17 };

struct archive_format; /* archive.c */

struct packer {
    const char *name;
    const char *noun;
    struct str magics
        [UNPACK_MAGICS_MAX]; /* any of them; at most UNPACK_MAGIC_BYTES each, those of a stream of one length */
    size_t magic_at;       /* where it stands: of a stream 0; magic and place are within UNPACK_HEAD_BYTES */
    struct str codings[2]; /* names of the content coding */
    const struct packer *tar; /* of a stream: the archive that it is if a tar comes out; NULL: it is none */

    /* Of an archive: unpack_open and unpack_pull, of u->file. NULL: a stream. False and -1: u->diag is set. */
    bool (*open)(struct unpack *u);
    ptrdiff_t (*pull)(struct unpack *u, void *to, size_t n);
    const struct archive_format *archive; /* more for archive.c, which only it looks at */

    bool zeros_behind; /* zeros behind a stream fill up a block and mean nothing */
    size_t state_bytes;
    /* The state arrives zeroed. False: diag is set. */
    bool (*begin)(struct unpack *u);
    /* How many bytes `decode` must be given at once: depends on the bytes before only. */
    size_t (*want)(const struct unpack *u);
    /* Decodes these bytes, the first of which stands at u->at, and raises u->at by what it took. That is all n, unless the
     * stream has ended (unpack_stream_ends) or u->stopped is set. Only the last bytes of the file may be fewer than `want`
     * said. So the library's calls, and what it makes of damaged bytes, never depend on how the input was cut. */
    void (*decode)(struct unpack *u, const uint8_t *p, size_t n);
    void (*free)(struct unpack *u); /* may be NULL */
};

struct unpack {
    const struct packer *packer;
    void *state;
    struct unpack_options options;
    struct arena *arena;
    struct diag *diag;
    struct unpack_report report;

    uint64_t at;        /* packed bytes that are done with */
    uint64_t out_bytes; /* that came out, for the limits */
    bool between;       /* the next bytes should begin a stream */
    bool some;          /* a stream has ended */
    bool trails;        /* bytes that begin no stream were found behind one */
    bool stopped;       /* what comes behind is not looked at */
    bool sink_closed;   /* no more blocks are wanted */

    const struct source_input *file; /* of an archive: it, .. */
    uint64_t file_bytes;             /* .. and its length */
    struct source *in;               /* of a stream that is pulled: what it is read from */
    uint8_t *pending;                /* what came out of that and was not taken: from pending_at on */
    size_t pending_bytes, pending_at, pending_capacity;
    bool pulled_all; /* nothing comes behind it */

    size_t charged_bytes; /* to the arena, of an archive's pass under way */

    uint8_t *block; /* UNPACK_BLOCK_BYTES */
    size_t block_bytes;

    uint8_t *head; /* bytes that are fewer than are needed at once */
    size_t head_bytes, head_capacity;
};

/* The stream under way is at its end: at u->at another one may begin. */
void unpack_stream_ends(struct unpack *u);

/* Room for bytes that come out: never 0. */
size_t unpack_room(struct unpack *u, uint8_t **out);
/* So many bytes stand there, of the packed ones before u->at. False: stopped, by a limit or the sink. */
bool unpack_wrote(struct unpack *u, size_t n);
bool unpack_put(struct unpack *u, const uint8_t *p, size_t n);
/* What stands in the block goes to the sink. False: it wants no more. */
bool unpack_hand_out(struct unpack *u);
/* The same for bytes that are not handed out: only the limits count them. */
bool unpack_pass_over(struct unpack *u, size_t n);

/* Records the first damage. */
void unpack_damage(struct unpack *u, enum unpack_state state, uint64_t at);
void unpack_no_memory(struct unpack *u);

#endif
