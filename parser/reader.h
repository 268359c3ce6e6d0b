/* Bytes in, profile out: unpack -> detect -> feed -> finish, for every format of parser/formats.c, plain or packed in
 * one of the ways of parser/unpack/unpack.c. In an archive a member may be packed as a stream once more.
 *
 *     reader_init(&r, &arena, &limits, seed);
 *     while (more && reader_feed(&r, p, n))
 *         read on into p;
 *     const struct profile *profile = reader_finish(&r, &file);
 *     reader_free(&r);
 *
 * Pieces may have any size; their memory may be reused at once. NULL at the end: r.diag says why. Any cutting
 * of the input gives the same profile. All memory comes from the arena, which must outlive the profile.
 *
 * Archives, and formats that say so in their row, are not read as they come by: reader_feed ends early, reader_wants_whole is
 * true, and reader_finish reads the file that it is given. */
#ifndef PARSER_READER_H
#define PARSER_READER_H

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "parser/format.h"
#include "parser/unpack/unpack.h"
#include "parser/whole_file.h"
#include "profile/profile.h"

/* Those of parser/format.h, where nothing else is configured. */
extern const struct reader_limits READER_LIMITS_DEFAULT;

enum { READER_NAMES_MAX = 8 };

struct reader {
    struct arena *arena;
    struct reader_limits limits;
    struct diag diag;
    const struct format *format; /* NULL until detected */
    struct builder *builder;
    void *state;     /* the format's own */
    uint64_t offset; /* of the first byte that is not consumed */
    uint8_t *carry;  /* bytes that were fed but not consumed: the beginning of a record or line */
    size_t carry_bytes, carry_capacity;
    bool hold;           /* see reader_hold */
    size_t enough_bytes; /* the format is asked again when this many are carried, or at the end */

    enum { READER_BEGINS, READER_PLAIN, READER_PACKED, READER_ARCHIVE } way;
    uint8_t head[UNPACK_HEAD_BYTES]; /* while it begins: bytes that do not tell yet whether it is packed */
    size_t head_bytes;
    struct str member;
    const struct packer *packer; /* of `unpack` */
    struct unpack *unpack;
    struct unpack *inner; /* of an archive's member that is a stream itself, what it unpacks to; else NULL */
    bool packed_twice;    /* what came out first is packed itself */
    const struct packer *inside; /* the archive that the stream turned out to be, until it is read as such */
    struct diag unpack_diag;
    const struct whole_file *names[READER_NAMES_MAX]; /* that are attached */
    size_t n_names;
    bool in_names; /* they, or those of the archive, are being read */
    bool begins;   /* the next bytes that come out of a packed file, or of one of names, are its first */
    const struct whole_file *archive; /* once its member was read */
    struct str tar;                   /* a small one that came out of a stream, */
    struct whole_file tar_file;       /* and as a file */
};

/* False when the arena gives not even the beginning. */
bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed) __attribute__((warn_unused_result));

/* Nameless frames of different addresses are different ones (builder_keep_addresses). Before the first byte. */
void reader_keep_addresses(struct reader *r);

/* Tracks are to be the values of the label with this key (builder_split). Before the first byte. DIAG_USAGE later if the input has
 * no labels, or not this one. */
void reader_split(struct reader *r, struct str key);

/* Of an archive, this member is meant: a name as unpack_member_name gives it, which must stay; p NULL: the only one.
 * Before the first byte, or before reader_finish. DIAG_USAGE later if the input is no archive. */
void reader_choose(struct reader *r, struct str member);

/* A file of names beside the input, as format.h says: it must stay until reader_finish, which reads it, with a warning if the input
 * takes none. Before that; false: there are READER_NAMES_MAX already. */
bool reader_attach(struct reader *r, const struct whole_file *names) __attribute__((warn_unused_result));
/* Whether a file that begins with these bytes is one. */
bool reader_is_names(const void *p, size_t n);

/* False once no more bytes are taken: the input is known to be unusable, and r->diag is set; or reader_wants_whole. */
bool reader_feed(struct reader *r, const void *p, size_t n);
/* Whether what was fed so far is the beginning of a file that is read as a whole. */
bool reader_wants_whole(const struct reader *r);

/* After the last byte. `file`: what reader_feed was given the beginning of, or all; what is read as a whole is read from it now.
 * NULL: there is no file, and what is read as a whole is refused. NULL on failure (r->diag). */
const struct profile *reader_finish(struct reader *r, const struct whole_file *file)
    __attribute__((warn_unused_result));

/* Reading a part of a file whose format lets that be done (format.h): reader_hold before the first byte; then bytes from the beginning
 * until reader_is_held; then, behind reader_go_on, those from that offset on, where a record begins; then reader_end_part, since
 * the last records may be kept until more bytes come. reader_may_hold: of a profile's format, whether it lets that be done; plain
 * files only. */
bool reader_may_hold(struct str format);
void reader_hold(struct reader *r);
bool reader_is_held(const struct reader *r);
void reader_go_on(struct reader *r, uint64_t offset);
/* Gives the format back its state, before or between the bytes. False: as reader_feed. */
bool reader_resume(struct reader *r, const void *state, size_t bytes) __attribute__((warn_unused_result));
/* False: as reader_feed. */
bool reader_end_part(struct reader *r) __attribute__((warn_unused_result));

/* Without reader_finish before it, or behind it; at any time, and again. */
void reader_free(struct reader *r);

#endif
