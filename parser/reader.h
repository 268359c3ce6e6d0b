/* Bytes in, profile out, for every format of parser/formats.c, plain or packed in one of the ways of
 * parser/unpack/unpack.c. In an archive a member may be packed as a stream once more.
 *
 *     reader_init(&r, &arena, &limits, seed);
 *     const struct profile *profile = reader_read(&r, &input);
 *
 * NULL: r.diag says why. How the input's bytes arrive makes no difference. All memory comes from the
 * arena, which must outlive the profile; its stop ends the reading. */
#pragma once

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "parser/benchmarks.h"
#include "parser/format.h"
#include "parser/source.h"
#include "parser/unpack/unpack.h"
#include "profile/profile.h"

/* The limits of parser/format.h, as they are where nothing else is configured. */
extern const struct reader_limits READER_LIMITS_DEFAULT;

enum { READER_NAMES_MAX = 8 };

/* Bytes, and what they unpack to if they are a stream. */
struct reader_layer {
    struct source packed, unpacked;
    struct unpack *unpack; /* NULL: they are no stream */
};

struct reader {
    struct arena *arena;
    struct reader_limits limits;
    struct diag diag;
    const struct format *format; /* NULL until detected */
    struct builder *builder;
    const struct source_input *input;
    const struct parallel *parallel; /* NULL: all is done by one thread */
    struct str member;               /* that is meant; p NULL: none is named */
    struct diag unpack_diag;

    struct source raw;      /* the input */
    struct source unpacked; /* of a stream, or of an archive's member */
    struct unpack *unpack;  /* that makes it; NULL: the input is not packed */
    bool is_archive;
    bool packed_twice;         /* what came out first is packed itself */
    struct reader_layer inner; /* of an archive's member that may be a stream itself */

    struct benchmarks benchmarks; /* that the archive lists */

    const struct source_input *names[READER_NAMES_MAX]; /* that are attached */
    size_t n_names, next_name;
    struct reader_layer
        beside; /* the one of them, or of the other parts of a recording, that is being read */
};

/* False when the arena gives not even the beginning. */
bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed) MUST_CHECK;

/* Nameless frames of different addresses are different ones (builder_keep_addresses). */
void reader_keep_addresses(struct reader *r);

/* Tracks are to be the values of the label with this key (builder_split). DIAG_USAGE later if the input
 * has no labels, or not this one. */
void reader_split(struct reader *r, struct str key);

/* Of an archive, this member is meant: a name as unpack_member_name gives it, which must stay; p NULL: the
 * only one, or the one that the input names late. DIAG_USAGE later if the input is no archive. */
void reader_choose(struct reader *r, struct str member);

/* What can be done side by side is done so: see source_input.beside. `parallel` must stay. */
void reader_parallel(struct reader *r, const struct parallel *parallel);

/* A file of names beside the input, as format.h says: it must stay until it is read, with a warning if the
 * input takes none. False: there are READER_NAMES_MAX already. */
bool reader_attach(struct reader *r, const struct source_input *names) MUST_CHECK;
/* Whether a file that begins with these bytes is one. */
bool reader_is_names(const void *p, size_t n);

/* Once. NULL: r->diag. */
const struct profile *reader_read(struct reader *r, const struct source_input *in) MUST_CHECK;
