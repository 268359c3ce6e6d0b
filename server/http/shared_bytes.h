/* Bytes that several answers may share: counted, and never changed once they are shared. Any thread. */
#ifndef SERVER_HTTP_SHARED_BYTES_H
#define SERVER_HTTP_SHARED_BYTES_H

#include "core/buf.h"

struct shared_bytes;
/* Takes the buffer's memory over. NULL: no memory, and the buffer is freed. */
struct shared_bytes *shared_bytes_new(struct buf *taken);
struct shared_bytes *shared_bytes_ref(struct shared_bytes *s);
void shared_bytes_unref(struct shared_bytes *s); /* NULL is fine */
struct str shared_bytes_view(const struct shared_bytes *s);

/* The sender's own form of an answer of these bytes, status 200 and all headers, so that the next one need not be
 * made again. NULL: none yet. Ends with the bytes. */
void *shared_bytes_answer(struct shared_bytes *s);
/* False: there is one already; the caller keeps what it made. */
bool shared_bytes_set_answer(struct shared_bytes *s, void *answer, void (*end)(void *answer))
    __attribute__((warn_unused_result));

#endif
