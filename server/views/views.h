/* Views of stored profiles: from memory or the store if they are there, else made on the pool, once for all who
 * ask meanwhile. Each coding of a view is an object of its own beside the view, made when it is first asked for,
 * and kept in memory when it is asked for often. */
#ifndef SERVER_VIEWS_VIEWS_H
#define SERVER_VIEWS_VIEWS_H

#include "server/convert/convert.h"
#include "server/http/encoding.h"
#include "server/http/exchange.h"
#include "server/store/record.h"

struct view_request {
    char sha256[RECORD_SHA256_CHARS + 1]; /* of the blob */
    char member[RECORD_MEMBER_BYTES + 1]; /* of it, if it is an archive; or "" */
    const struct output *output;          /* NULL: the summary */
    struct view_options options;          /* as asked for, unresolved */
    struct encoding_choice encoding;      /* what the client takes; zeroed: identity */
};

enum {
    VIEW_ETAG_CHARS = RECORD_SHA256_CHARS + ENCODING_SUFFIX_CHARS,
    VIEW_KEY_CHARS = sizeof("views/ab/") - 1 + VIEW_ETAG_CHARS
};

/* Sets whose view it is. */
void view_of(struct view_request *r, const struct record *record);

/* The key in the store of the view in this coding. It is another one after a start of the machine: a view is not synced
 * to the disk. Its name, after the last slash, serves as its ETag. False: no
 * memory. */
bool view_key(const struct service *service, const struct view_request *r, enum encoding e,
              char key[VIEW_KEY_CHARS + 1]) __attribute__((warn_unused_result));
/* The ETag within a view's key. */
struct str view_etag(const char *key);

struct views *views_new(struct service *service); /* NULL: no memory */
void views_free(struct views *v);                 /* after the pool was stopped; NULL is fine */

/* The folded profiles in memory. */
struct profile_cache *views_cache(struct views *v);

struct view_result {
    int fd; /* the caller's own; -1: see bytes */
    uint64_t file_bytes;
    struct shared_bytes *bytes; /* a reference of the caller's own, or NULL: failed, see diag */
    enum encoding encoding;
    struct diag diag;
};

/* For a handler, which returns what this returns. then(x, r, result, context) is called with the view: at once if it is
 * there, else on the connection's thread when it has been made. The descriptor and the bytes of *result are the
 * callee's to free; *r is as it was asked for. */
enum exchange_step views_get(struct exchange *x, const struct view_request *r,
                             enum exchange_step (*then)(struct exchange *x, const struct view_request *r,
                                                        struct view_result *result, void *context),
                             void *context);

/* Whether memory is left for another answer, of which `own` bytes are there already. False: diag; clients have not
 * taken what they asked for. */
bool views_have_room(const struct service *service, uint64_t own, struct diag *diag);

/* Renders a view and puts it into the store unless it is there; for those made ahead. `scratch` is used for
 * the bytes and left with them (empty if the view was there). False: diag. */
bool views_make(struct service *service, const struct view_request *r, const struct folded *f,
                struct buf *scratch, struct diag *diag);

#endif
