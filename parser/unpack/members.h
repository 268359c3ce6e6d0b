/* Which member of an archive is meant: the one that was named, of several of that name the first; that whose place was
 * given, #1 being the first usable one; or the only one that is usable. Whether there are others is known at the end of
 * the archive only. */
#ifndef PARSER_UNPACK_MEMBERS_H
#define PARSER_UNPACK_MEMBERS_H

#include "parser/unpack/unpack_impl.h"

enum { MEMBERS_LISTED_MAX = 20, MEMBERS_LISTED_BYTES = 64 };

struct member {
    bool cut;
    char name[MEMBERS_LISTED_BYTES + 1]; /* its end, if it is cut */
};

struct members {
    uint64_t usable;   /* so far */
    bool named, found; /* one of that name is there; the one that is meant was usable */
    bool more;         /* may be behind what could be looked through */
    struct member listed[MEMBERS_LISTED_MAX]; /* the first of them */
    char taken[UNPACK_MEMBER_BYTES + 1];      /* the one that was handed out */
};

/* Whether this one is to be handed out, as far as is known. */
bool members_meant(const struct unpack *u, struct members *m, const char *name);
/* This one is usable; `meant` is what members_meant said. */
void members_note(struct unpack *u, struct members *m, const char *name, bool meant);
/* At the end: sets the diag unless one member was meant. */
void members_judge(struct unpack *u, const struct members *m);

#endif
