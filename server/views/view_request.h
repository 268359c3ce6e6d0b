/* Which view of a stored profile is asked for, and by which key it is known. */
#pragma once

#include "server/convert/profile_id.h"
#include "server/convert/report.h"
#include "server/http/message/accept.h"
#include "server/service.h"
#include "server/store/record.h"

enum {
    VIEW_ETAG_CHARS = RECORD_SHA256_CHARS + ENCODING_SUFFIX_CHARS,
    VIEW_KEY_CHARS = RECORD_VIEWS_PREFIX_CHARS + VIEW_ETAG_CHARS
};

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
    bool is_light;                   /* Its uploads are: view_is_light. */
};

/* Whether views of the upload take hardly longer to be made than to be written: it is small, and no names are read with it.
 * They are made when they are asked for, and kept in memory; only what is large itself goes into the store. */
bool view_is_light(const struct record *record);

/* Sets the upload that the view is of. */
void view_of(struct view_request *r, const struct record *record);

/* Sets what it is compared with. After view_of. */
void view_compare_with(struct view_request *r, const struct record *record);

/* The output as which browsers show it; NULL: as none. */
static inline const struct output *view_shown_as(const struct view_request *r)
{
    return r->output == NULL && r->report != NULL ? r->report->as : r->output;
}

/* Of options that are otherwise the defaults: what the upload's owner has said of it. */
void view_of_owner(struct view_options *options, const struct record *record);

/* The key in the store of the view in this coding, if it goes there: views/ab/<sha256 of the bytes>/<digest of its
 * description>, so that all views of them can be removed with it. The digest changes when the machine
 * starts anew, since a view is not synced to the disk. The key's name, after the last slash, serves as the
 * view's ETag. False: no memory. */
bool view_key(const struct service *service, const struct view_request *r, enum encoding e,
              char key[VIEW_KEY_CHARS + 1]) MUST_CHECK;

/* The media type of a view that is no summary. */
const char *view_media_type(const struct view_request *r);

/* The ETag within a view's key. */
struct str view_etag(const char *key);

static inline bool view_compares(const struct view_request *r)
{
    return r->other.sha256[0] != '\0';
}

/* The profile that it is made of: of the upload, with the window and the split that are asked for. */
struct profile_id view_profile(const struct view_request *r);

/* The profile that it is compared with. */
struct profile_id view_other_profile(const struct view_request *r);

/* Whether it is no short work: the upload is read once more for it. */
bool view_is_long(const struct view_request *r);

/* Appends all that the view's bytes depend on: what was uploaded, the output and its revision, the
 * options, the run of the machine (of what machines share: the version). text->failed: no memory. */
void view_describe(const char *run, const struct view_request *r, struct buf *text);
