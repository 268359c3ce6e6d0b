/* Who asks, and what they may do. Pure. */
#ifndef SERVER_DOORS_WHO_H
#define SERVER_DOORS_WHO_H

#include "core/buf.h"

enum scope {
    SCOPE_UPLOAD = 1 << 0, /* new uploads */
    SCOPE_READ = 1 << 1,   /* uploads that are for the team */
    SCOPE_CHANGE = 1 << 2, /* names, expiry and names files of any upload */
    SCOPE_DELETE = 1 << 3, /* any upload */
    SCOPE_ADMIN = 1 << 4   /* figures of the service */
};

/* THE TABLE of scopes. */
struct scope_word {
    enum scope scope;
    const char *word, *help;
};
extern const struct scope_word SCOPES[];
extern const size_t SCOPES_COUNT;

/* "upload,read": words of the table with commas between them, at least one. False: it is not. */
bool scopes_parse(struct str text, unsigned *scopes);
void scopes_put(struct buf *b, unsigned scopes);

enum { WHO_NAME_BYTES = 100 };

/* A name stands in a line of the file of tokens, in a log, in a page: printable ASCII without blanks, quotes,
 * commas, semicolons, '#', '<', '>', '&', of at most WHO_NAME_BYTES. */
bool who_name_valid(struct str name);

enum who_by {
    WHO_NOBODY,
    WHO_BY_TOKEN,   /* sent with the request */
    WHO_BY_SESSION, /* a cookie: the browser sends it by itself */
    WHO_BY_PROXY    /* a trusted proxy says so */
};

/* A name is a person or a program, however it was shown: the user "ann" of a proxy is the owner of what the token
 * "ann" has uploaded. */
struct who {
    enum who_by by;
    unsigned scopes;
    char name[WHO_NAME_BYTES + 1]; /* "" of nobody */
};

/* For the log, which leaves it out of nobody: p == NULL. */
static inline struct str who_logged(const struct who *w)
{
    return w->by == WHO_NOBODY ? (struct str){NULL, 0} : str_of(w->name);
}

#endif
