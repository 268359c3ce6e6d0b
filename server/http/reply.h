/* An answer, before it is sent: status, headers, body. Knows nothing of the library that sends it. */
#ifndef SERVER_HTTP_REPLY_H
#define SERVER_HTTP_REPLY_H

#include <stddef.h>

#include "core/buf.h"
#include "core/diag.h"
#include "server/config/config.h"

struct shared_bytes;

enum { REPLY_HEADERS_MAX = 24 };

struct reply {
    unsigned status; /* 0: not made yet */
    struct {
        const char *name; /* static */
        size_t value, n;  /* in `text` */
    } headers[REPLY_HEADERS_MAX];
    size_t n_headers;
    struct buf text; /* header values, each terminated */
    enum { REPLY_BUFFER, REPLY_FILE, REPLY_SHARED, REPLY_AGAIN, REPLY_STATIC, REPLY_STREAM } kind;
    struct buf body;             /* REPLY_BUFFER */
    struct shared_bytes *shared; /* REPLY_SHARED, REPLY_AGAIN: a reference of this reply's own */
    struct str bytes;            /* REPLY_STATIC: lives as long as the program */
    int fd;                      /* REPLY_FILE: this reply's own */
    uint64_t file_offset, file_bytes;
    bool (*stream)(void *context, struct buf *out, bool *ended); /* REPLY_STREAM */
    void *stream_context;
    bool own_headers; /* they are of this request alone: of shared bytes, the next answer is made anew */
    bool encoded;     /* looked at by reply_encode */
    bool close;       /* the connection ends after this answer */
};
void reply_init(struct reply *r);
void reply_free(struct reply *r);

/* Adds a header; the value must not come from outside unless it was checked (no control characters). */
void reply_header(struct reply *r, const char *static_name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Starts an answer whose body goes into r->body. */
struct buf *reply_text(struct reply *r, unsigned status, const char *media_type);
void reply_shared(struct reply *r, unsigned status, const char *media_type,
                  struct shared_bytes *s); /* takes the reference */

/* The answer that the bytes have already: 200, its headers, and none of this reply's; takes the reference. */
void reply_again(struct reply *r, struct shared_bytes *s);
void reply_static(struct reply *r, unsigned status, const char *media_type, struct str bytes);
void reply_file(struct reply *r, unsigned status, const char *media_type, int fd, uint64_t offset,
                uint64_t bytes); /* takes fd */

/* A body that comes in pieces: `stream` appends the next one and says with *ended that it was the last;
 * false: it has made the exchange wait (exchange_wait), and is called again after the resume. */
void reply_stream(struct reply *r, unsigned status, const char *media_type,
                  bool (*stream)(void *context, struct buf *out, bool *ended), void *context);

/* Encodes a body of REPLY_BUFFER for a client with this header Accept-Encoding, if it is a success, has more than
 * REPLY_ENCODE_BYTES, and its Vary names Accept-Encoding; that is how a handler says that it may be encoded. */
enum { REPLY_ENCODE_BYTES = 4096 };
void reply_encode(struct reply *r, struct str accept_encoding);

/* How many bytes that would encode; 0: none, or it was done. */
size_t reply_to_encode(const struct reply *r, struct str accept_encoding);

/* Length of the body in bytes; 0 of a stream. */
uint64_t reply_bytes(const struct reply *r);

/* Value of a header set before, or NULL. */
const char *reply_header_value(const struct reply *r, const char *name);

/* How much memory the answers take that clients have not taken yet, and the views that are kept. Clients
 * that do not read must not fill the memory. One count for the whole program. Any thread. */

void reply_memory_add(size_t bytes);
void reply_memory_take_off(size_t bytes);
uint64_t reply_memory(void);

/* Whether there is room for another answer, of which `own` bytes are counted already. False: diag, for its client. */
bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag);

/* Bytes that several answers may share: counted, and never changed once they are shared. Any thread. */

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
