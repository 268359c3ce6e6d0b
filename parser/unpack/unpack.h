/* What is packed, unpacked. There are two kinds of packing:
 *
 *   streams (gzip, zstd) are unpacked from front to back. Nothing is ever whole in memory, and any cutting of the input gives
 *   the same. They are pulled from a source, or pushed where bytes come by that nobody may wait for, as a request's body.
 *   archives (zip, tar) have members, and need the whole file, at any place of it. A tar that is packed in a stream is known by
 *   what comes out of it first, and is an archive then. A member that is a zip or tar itself is unpacked, too, from front to
 *   back, if it holds one recording; no deeper ones.
 *
 *     const struct packer *packer = unpack_detect(p, n, &more);
 *     struct unpack *u = unpack_new(packer, &arena, &options, &diag);
 *     unpack_from(u, &source);                       or unpack_open(u, &input, bytes) of an archive
 *     source_of_pull(&out, &arena, unpack_pull, u);
 *     ...
 *     unpack_free(u);
 *
 * Pushed: unpack_feed as often as there are bytes, then unpack_finish; blocks go to options.sink.
 *
 * A stream or member that ends early or is damaged is no failure: what was unpacked until there has been
 * handed out, and unpack_report says where it was. Failures are what goes beyond the limits (DIAG_LIMIT),
 * what cannot be unpacked here at all, an archive in which no one file is meant (DIAG_UNUSABLE), and a
 * file that cannot be read (DIAG_IO).
 *
 * Memory comes from the arena; what a library takes by itself is charged to it. One thread at a time. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/str.h"
#include "parser/source.h"

struct packer; /* a row of the table in unpack.c */
struct unpack;

enum {
    UNPACK_MAGIC_BYTES = 4,        /* that many tell every stream */
    UNPACK_HEAD_BYTES = 262,       /* that many tell every packer */
    UNPACK_RECOGNISE_BYTES = 4096, /* are shown of a member, at most */
    UNPACK_BLOCK_BYTES = 64 << 10, /* go to the sink at once, at most */
    UNPACK_BESIDE_MAX = 64,
    UNPACK_PARTS_MAX = 16,
    UNPACK_MEMBER_BYTES = 512 /* of a member's name, as it is compared and shown */
};

struct unpack_limits {
    /* How many bytes may come out. Where a member is an archive itself, what comes out of that counts as well. */
    uint64_t bytes;
    /* How many bytes may come out for each byte in, once UNPACK_RATIO_FROM_BYTES have come out. */
    uint64_t ratio;
};
#define UNPACK_RATIO_FROM_BYTES (UINT64_C(16) << 20)
#define UNPACK_WINDOW_BYTES     (UINT64_C(128) << 20)

/* A file in an archive. */
struct unpack_member {
    const char *name; /* as unpack_member_name gives it */
    uint64_t number;  /* its place, #N, among the usable ones */
    const char *what; /* what it is, in words; NULL: its bytes cannot be had: it is encrypted, for example */
};

struct unpack_options {
    struct unpack_limits limits;
    uint64_t window_bytes; /* of zstd, at most; 0: UNPACK_WINDOW_BYTES */
    size_t step_bytes; /* of gzip, decoded at once: a thousand times as much may come out of one; 0: 32 KiB */

    /* What follows is for archives, up to the sink. Functions that are NULL are not asked. */

    /* The member that is meant: its unpack_member_name, or #N; p NULL: the only one there is. */
    struct str member;
    /* Where no member is named: says in words what a file is that begins with these bytes; NULL: nothing that is
     * read. `whole`: the file has no more bytes. */
    const char *(*recognise)(const uint8_t *p, size_t n, bool whole);
    /* What recognise says of files that cannot be meant, but belong to others (unpack_open_beside). NULL: there are
     * no such files. */
    const char *beside;
    /* Where no member is named: whether files of which recognise says this may be parts of one recording. They are
     * parts if all recognised files are called Name.pb, and are in one folder (unpack_open_part). */
    bool (*is_part)(const char *what);
    /* Where there are several files: appends what the recorder calls this one, beside its name. False: nothing. */
    bool (*title)(void *context, struct str member, struct buf *b);
    /* Is told of each member that is recognised or cannot be looked into, in their order; no bytes are handed out
     * then. False: it wants to hear no more. NULL: one member is meant. */
    bool (*listed)(void *context, const struct unpack_member *member);
    /* Takes a block. False: no more of this are wanted; the sink says why elsewhere. */
    bool (*sink)(void *context, const uint8_t *p, size_t n);
    void *context;
};

/* How the file is packed, by its first bytes. NULL: it is not; or, if *more is set, these are too few bytes to tell. */
const struct packer *unpack_detect(const void *p, size_t n, bool *more);
/* The packing with this name of a content coding (RFC 9110, 8.4.1); NULL: it is none of ours. */
const struct packer *unpack_by_coding(struct str coding);
const char *unpack_name(const struct packer *packer); /* "gzip" */
const char *unpack_noun(const struct packer *packer); /* "gzip stream" */
bool unpack_is_archive(const struct packer *packer);
/* Which archive is in a stream, by the first bytes that come out of it; NULL: none. */
const struct packer *unpack_archive_in(const struct packer *stream, const void *p, size_t n);

/* A member's name as it is compared and shown: cleaned (core/clean.h). A longer one ends in a digest of
 * all of it, so that names that begin alike stay apart. What is so already stays as it is. */
void unpack_member_name(struct str name, char out[UNPACK_MEMBER_BYTES + 1]);

/* NULL (diag) when the arena gives no more, or if a member is named of what has none. The slices of the options
 * must stay. */
struct unpack *unpack_new(const struct packer *packer, struct arena *arena,
                          const struct unpack_options *options, struct diag *diag) MUST_CHECK;
/* Takes the next bytes of a stream. False: no more are needed, because diag is set, or the sink wants no more. */
bool unpack_feed(struct unpack *u, const void *p, size_t n);
/* After the last byte: hands out the last block. False: diag is set, or the sink wanted no more. */
bool unpack_finish(struct unpack *u) MUST_CHECK;

/* Pulls a stream from `in`, in place of being fed: unpack_pull gives what comes out. */
void unpack_from(struct unpack *u, struct source *in);
/* Opens an archive of so many bytes. Finds the member that is meant, whose bytes unpack_pull then gives; or
 * tells options.listed of all members, and gives no bytes. False: diag. */
bool unpack_open(struct unpack *u, const struct source_input *file, uint64_t bytes) MUST_CHECK;
/* The next bytes, as source.pull: 0 at the end, -1 with a diag. */
ptrdiff_t unpack_pull(void *unpack, void *to, size_t n);
/* Goes on to the next file of the archive that recognise calls `beside`: unpack_pull gives its bytes. At most
 * UNPACK_BESIDE_MAX of them are looked at. Damage of the archive is not told again. False: no other, or diag. */
bool unpack_open_beside(struct unpack *u) MUST_CHECK;

/* Goes on to the next part of a recording whose parts are files of the archive: unpack_pull gives its bytes.
 * unpack_open has found the first part. False: there is no other, or diag. */
bool unpack_open_part(struct unpack *u) MUST_CHECK;

/* Gives back what is not the arena's. NULL is fine. */
void unpack_free(struct unpack *u);

enum unpack_state {
    UNPACK_WHOLE,
    UNPACK_CUT,    /* it ends early */
    UNPACK_DAMAGED /* it makes no sense behind a place */
};

struct unpack_report {
    const struct packer *packer;
    const struct unpack_report
        *inner;        /* of an archive whose member is an archive itself: that one; else NULL */
    struct str member; /* of an archive: which one was unpacked, cleaned; may be empty */
    struct str
        index; /* of an archive: its first list of benchmarks' results (..benchmarkData.json); empty: it has none */
    size_t parts;            /* of one recording: how many files; else 0 */
    uint64_t packed_bytes;   /* all that was fed, or the size of the archive */
    uint64_t unpacked_bytes; /* that were handed out */
    uint64_t trailing_bytes; /* behind the end, and of no meaning */
    enum unpack_state state;
    uint64_t at;         /* where it ends or is damaged, in packed bytes */
    bool wrong_checksum; /* of what came out */
    uint64_t same_names; /* of an archive: members behind that one, of its name, as far as was looked */
    uint64_t recognised; /* of an archive in which no member is named: those that are */
};
/* After unpack_finish, or when unpack_pull has come to the end. */
void unpack_report(const struct unpack *u, struct unpack_report *report);

/* The first bytes that come out of a file that begins with these n: at most out_bytes, and fewer where the
 * n end; 0 if it is not packed, or an archive. For naming what is in it. */
size_t unpack_beginning(const void *p, size_t n, void *out, size_t out_bytes);
