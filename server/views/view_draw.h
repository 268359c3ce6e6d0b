/* Draws one view of a profile, and puts it into the store. Knows nothing of who waits for it. Any thread
 * that may block. */
#ifndef SERVER_VIEWS_VIEW_DRAW_H
#define SERVER_VIEWS_VIEW_DRAW_H

#include "core/system/turns.h"
#include "server/convert/profile_id.h"
#include "server/convert/report.h"
#include "server/http/message/accept.h"
#include "server/http/reply.h"
#include "server/service.h"
#include "server/store/record.h"

struct view_request {
    /* The upload that the view is of; window and split are in the options. */
    struct profile_id upload;
    /* The upload that it is compared with (convert_compare): then the view is of the comparison. Zeroed:
     * of the profile. A comparison is never kept in the store, where it would outlive one of the two. */
    struct profile_id other;
    const struct output *output; /* NULL: the report; without one the summary */
    const struct report *report; /* NULL: none */
    /* As asked for, unresolved; of a summary the range and the split alone. */
    union {
        struct asked asked;
        struct view_options options; /* asked.view */
    };
    struct encoding_choice encoding; /* what the client takes; zeroed: identity */
};

enum {
    VIEW_ETAG_CHARS = RECORD_SHA256_CHARS + ENCODING_SUFFIX_CHARS,
    VIEW_KEY_CHARS = RECORD_VIEWS_PREFIX_CHARS + VIEW_ETAG_CHARS
};

/* Sets the upload that the view is of. */
void view_of(struct view_request *r, const struct record *record);

/* Sets what it is compared with. */
void view_compare_with(struct view_request *r, const struct record *record);

/* The output as which browsers show it; NULL: as none. */
static inline const struct output *view_shown_as(const struct view_request *r)
{
    return r->output == NULL && r->report != NULL ? r->report->as : r->output;
}

/* Of options that are otherwise the defaults: what the upload's owner has said of it. */
void view_of_owner(struct view_options *options, const struct record *record);

/* Appends all that the view's bytes depend on: what was uploaded, the output and its revision, the
 * options, the run of the machine. text->failed: no memory. */
void view_describe(const struct service *service, const struct view_request *r, struct buf *text);

/* The key in the store of the view in this coding: views/ab/<sha256 of the bytes>/<digest of its
 * description>, so that all views of them can be removed with it. The digest changes when the machine
 * starts anew, since a view is not synced to the disk. The key's name, after the last slash, serves as the
 * view's ETag. False: no memory. */
bool view_key(const struct service *service, const struct view_request *r, enum encoding e,
              char key[VIEW_KEY_CHARS + 1]) __attribute__((warn_unused_result));

/* Of a view that is no summary. */
const char *view_media_type(const struct view_request *r);

/* The ETag within a view's key. */
struct str view_etag(const char *key);

/* The view without coding, kept in the store; of two profiles, where it compares. Gets them from the
 * profiles of the service. Ends soon after turn->stop was asked. NULL: diag. */
struct shared_bytes *view_draw(struct service *s, const struct view_request *r, struct turn *turn,
                               struct diag *diag);

/* The view in this coding, kept in the store under its key; NULL: it cannot be coded. */
struct shared_bytes *view_encode(struct service *s, const struct view_request *r, enum encoding e,
                                 struct shared_bytes *plain);

/* Whether it is no short work: the upload is read once more for it. */
bool view_is_long(const struct view_request *r);

/* The whole object behind the descriptor. NULL: not readable, or no memory. */
struct shared_bytes *view_read_object(int fd, uint64_t bytes);

#endif
