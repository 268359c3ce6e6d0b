/* The members of an uploaded archive that are read here. */
#pragma once

#include "core/diag.h"
#include "parser/format.h"
#include "server/config/config.h"

struct archive_member {
    char name[UNPACK_MEMBER_BYTES + 1];   /* as it is shown */
    char choice[UNPACK_MEMBER_BYTES + 1]; /* what chooses it: its name; or #N, of several of one name */
    char title[UNPACK_MEMBER_BYTES + 1];  /* what its recorder calls it; "": nothing is known */
    const struct format *format;          /* as its beginning tells; NULL: it cannot be looked into */
};

struct archive_members {
    struct archive_member *list; /* the first max_members of them, in their order */
    size_t n;
    uint64_t left_out; /* others */
    bool cut;          /* the archive cannot be read to its end: there may be more */
};

enum archive_found {
    ARCHIVE_NONE,   /* the file is no archive */
    ARCHIVE_LISTED, /* *members is to be freed; it may be empty */
    ARCHIVE_FAILED  /* diag */
};

/* Reads through the archive behind the descriptor; Ends soon after `stop` was asked, which may be NULL.
 * Takes as long as the archive is large. */
enum archive_found archive_members_list(const struct config *config, int fd, const struct stop *stop,
                                        struct archive_members *members, struct diag *diag) MUST_CHECK;
void archive_members_free(struct archive_members *members); /* none is fine */
