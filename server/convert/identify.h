/* Names what was refused: "PNG image data", from the first bytes, by libmagic. It never decides what a file
 * is. */
#ifndef SERVER_CONVERT_IDENTIFY_H
#define SERVER_CONVERT_IDENTIFY_H

#include "core/diag.h"
#include "parser/format.h"
#include "server/config/config.h"

/* Adds to the hint what there is to say about the diag's topic, once. */
void diag_add_words(struct diag *diag);

enum { IDENTIFY_BYTES = 4096 };

/* Writes libmagic's words for the first n <= IDENTIFY_BYTES bytes, without anything of the content in it, cut
 * to the field; "data" if it has none. Each thread keeps a cookie of its own until it ends: any thread, but
 * not a connection's. */
void identify(const void *p, size_t n, char *out, size_t out_bytes);

/* Adds to the detail of an unknown format what the file looks like, or what is packed in it, if libmagic has a word for
 * it. Of archives nothing is said: another member than the first may have been meant. p and n as above; any other diag
 * stays as it is. */
void identify_refused(struct diag *diag, const void *p, size_t n);

/* The members of an uploaded archive that are read here. */

struct archive_member {
    char name[UNPACK_MEMBER_BYTES + 1];   /* as it is shown */
    char choice[UNPACK_MEMBER_BYTES + 1]; /* what chooses it: its name; or #N, of several of one name */
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

/* Reads through the archive behind the descriptor; Ends soon after `stop` was asked, which may be NULL. Takes as long as the archive is large. */
enum archive_found archive_members_list(const struct config *config, int fd, const struct stop *stop,
                                        struct archive_members *members, struct diag *diag)
    __attribute__((warn_unused_result));
void archive_members_free(struct archive_members *members); /* none is fine */

#endif
