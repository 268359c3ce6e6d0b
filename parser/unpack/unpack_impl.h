/* The inside of unpacking, shared by unpack.c and the two kinds of packers, whose rows the table in unpack.c names:
 *
 *   streams.c   gzip and zstd: decoded from front to back
 *   archive.c   zip and tar: they have members, and are read at any place of the whole file
 *   members.c   which of the members is meant
 */
#pragma once

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

    const struct archive_format *archive; /* archive.c knows more; NULL: a stream */

    bool (*begin)(struct unpack *u); /* makes u->state. False: diag is set. */
    void (*free)(struct unpack *u);  /* may be NULL */

    /* What a packing of streams has. */
    bool zeros_behind; /* zeros behind a stream fill up a block and mean nothing */
    /* How many bytes `decode` must be given at once: depends on the bytes before only. */
    size_t (*want)(const struct unpack *u);
    /* One call of the library with these bytes, the first of which stands at u->at, which it raises by
     * what it took. */
    void (*decode)(struct unpack *u, const uint8_t *p, size_t n);
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
    bool trails;        /* bytes that begin no stream were found behind one */
    bool stopped;       /* what comes behind is not looked at */
    bool sink_closed;   /* no more blocks are wanted */

    const struct source_input *file; /* the archive; NULL: this is none */
    uint64_t file_bytes;             /* how long the archive is */
    size_t charged_bytes;            /* to the arena, of an archive's pass under way */

    /* Archives within an archive. */
    struct unpack *outer; /* that has this one as a member; NULL: this one is a file of its own */
    struct unpack *inner; /* for the members that are archives, one at a time; NULL: none was met yet */
    bool opened;          /* the inner one is the member that is meant, and is part of the report */
    bool pulls_inner;     /* the bytes of the inner one are handed out */
};

/* Whether these bytes are the packer's first ones; *more: as far as they go. */
bool unpack_begins(const struct packer *packer, const uint8_t *p, size_t n, bool *more);

/* What unpack_open and unpack_pull are for each kind. */
bool archive_open(struct unpack *u);
ptrdiff_t archive_pull(struct unpack *u, void *to, size_t n);
ptrdiff_t stream_pull(struct unpack *u, void *to, size_t n);

/* So many bytes came out: the limits count them. False: stopped, by one of them. */
bool unpack_pass_over(struct unpack *u, size_t n);

/* Records the first damage. */
void unpack_damage(struct unpack *u, enum unpack_state state, uint64_t at);
void unpack_no_memory(struct unpack *u);
