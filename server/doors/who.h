/* Who asks, and what they may do. Pure. */
#pragma once

#include "core/buf.h"
#include "server/spaces/labels.h"

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

enum { WHO_SPACES_BYTES = 520 }; /* eight of the longest names */

/* "upload,read": words of the table with commas between them, at least one. "spaces:NAME" among them, as often as there
 * are such: only for uploads in these spaces; `spaces` is their names with commas between them, "" is all uploads. False:
 * it is no such text, or there are too many spaces. */
bool scopes_parse(struct str text, unsigned *scopes, char spaces[WHO_SPACES_BYTES + 1]);
void scopes_put(struct buf *b, unsigned scopes, const char *spaces);

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
    /* Scopes are for uploads in these spaces alone; "": for all uploads. */
    char spaces[WHO_SPACES_BYTES + 1];
};

/* Whether the scopes are for uploads in this space; "" is no space. */
bool who_is_for(const struct who *w, struct str space);

/* For the log, which leaves it out of nobody: p == NULL. */
static inline struct str who_logged(const struct who *w)
{
    return w->by == WHO_NOBODY ? (struct str){NULL, 0} : str_of(w->name);
}
