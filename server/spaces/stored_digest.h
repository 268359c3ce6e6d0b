/* The digest of an upload in a space (runs/run_digest.h). It is kept in this machine's directory, beside the upload's views, by the
 * upload's entry: names that come later make another entry, and so another digest. If an object store keeps the uploads, it
 * is there, too, so that other machines need not read the upload. To find it no record is read. */
#pragma once

#include "core/system/turns.h"
#include "runs/run_digest.h"
#include "server/store/record_entry.h"
#include "server/views/views.h"

/* Sets the view that a digest is. */
void stored_digest_view(const struct service *service, const struct record *record,
                        struct view_request *view);

/* Which one: that of an entry, of bytes with this digest in hex. */
struct stored_digest_of {
    struct record_entry entry;
    char sha256[RECORD_SHA256_CHARS + 1];
};

struct stored_digest {
    struct run_digest of;
    void *mapped; /* NULL: the bytes are these */
    size_t n;
    struct shared_bytes *bytes;
};

enum stored_digest_state {
    DIGEST_FOUND,
    DIGEST_NOT_MADE, /* it would have to be made, which takes a reading of the upload; or the object store does not answer */
    DIGEST_NONE /* the upload is gone, or cannot be read */
};

/* Fills *d, which stored_digest_close frees. With `makes` it is made if it is not there. Waits without the turn. */
enum stored_digest_state stored_digest_open(struct service *service, struct str space,
                                            const struct stored_digest_of *of, struct turn *turn, bool makes,
                                            struct stored_digest *d) MUST_CHECK;

/* Keeps the view that a digest is, if it was made, as the digest of the record's entry, here and in the object store. */
void stored_digest_keep(struct service *service, const struct record *record, struct view_result *view);
/* The same with what is kept for the record before a change that is none of its names. */
void stored_digest_keep_on(struct service *service, const struct record *before, const struct record *record);

void stored_digest_close(struct stored_digest *d);
