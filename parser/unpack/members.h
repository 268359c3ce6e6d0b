/* Which member of an archive is meant: the one that was named, of several of that name the first; that whose place was
 * given, #1 being the first usable one; or the only one that is recognised as something that is read; or the only one
 * that is usable; or all that are recognised, where they are parts of one recording. A member is usable if it is a file
 * with bytes in it. Whether there are others is known at the end of the archive only. */
#pragma once

#include "parser/unpack/unpack_impl.h"

enum { MEMBERS_LISTED_MAX = 20, MEMBERS_LISTED_BYTES = 64 };

struct member {
    uint64_t number;  /* its place among the usable ones, from 1 */
    const char *what; /* it is, in words; NULL: nothing that is read */
    bool cut;
    char name[MEMBERS_LISTED_BYTES + 1]; /* its end, if it is cut */
    char whole[UNPACK_MEMBER_BYTES + 1];
};

struct members {
    uint64_t unseen;                  /* usable ones that could not be looked into */
    uint64_t usable, recognised;      /* so far */
    bool found;                       /* the one that is meant */
    uint64_t place;                   /* of that one, as members_note was told */
    uint64_t halves, half_place;      /* data files of traces in two files; where the last one is */
    uint64_t parts[UNPACK_PARTS_MAX]; /* places of those that may be parts of one recording */
    size_t n_parts, next_part;
    bool more;                                /* there may be others where the archive cannot be read */
    struct member listed[MEMBERS_LISTED_MAX]; /* the first of them, those that are recognised before others */
    size_t n_listed;
    char taken[UNPACK_MEMBER_BYTES + 1]; /* the name of the one that is meant */
    char index[UNPACK_MEMBER_BYTES + 1]; /* that of the list of benchmarks' results */
};

/* What the beginning of a member tells. */
struct look {
    const char *what; /* it is, in words; NULL: nothing that is read */
    bool seen;        /* its beginning could be had */
    bool inside;      /* it is an archive itself, and has a file that is that */
};

/* Whether a file that is this can be chosen. */
bool members_is_choice(const struct unpack *u, const char *what);
/* Whether this is a list of benchmarks' results. */
bool members_is_index(struct str name);
/* The next one is usable, and the `place`th of all members. Takes it if it is meant, and counts others of that name. */
void members_note(struct unpack *u, struct members *m, const char *name, uint64_t place,
                  const struct look *look);
/* After the last one. False: u->diag says why no one member is meant. True without one that was found: the
 * archive is cut or damaged, and nothing of it can be used. */
bool members_judge(struct unpack *u, const struct members *m);
/* All that can be used belong together. */
bool members_are_parts(const struct members *m);
