/* The digest of an upload (runs/run_digest.h). It is kept in this machine's directory, beside the upload's views; of an upload in a
 * space also in an object store, if that keeps the uploads: so other machines need not read the upload. */
#ifndef SERVER_SPACES_STORED_DIGEST_H
#define SERVER_SPACES_STORED_DIGEST_H

#include "core/system/turns.h"
#include "runs/run_digest.h"
#include "server/views/views.h"

/* Sets the view that a digest is. */
void stored_digest_view(const struct service *service, const struct record *record,
                        struct view_request *view);

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
enum stored_digest_state stored_digest_open(struct service *service, const char *id, struct turn *turn,
                                            bool makes, struct stored_digest *d)
    __attribute__((warn_unused_result));

/* Puts the digest that this machine has into the object store, if there is one, for the record as it is in its space. */
void stored_digest_share(struct service *service, const struct record *record);

void stored_digest_close(struct stored_digest *d);

#endif
