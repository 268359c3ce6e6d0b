/* Writes protocol buffer messages. */
#ifndef TESTS_SUPPORT_PROTO_BYTES_H
#define TESTS_SUPPORT_PROTO_BYTES_H

#include "core/buf.h"

void proto_put_varint(struct buf *b, uint64_t value);
void proto_put_number(struct buf *b, uint32_t field, uint64_t value);
void proto_put_text(struct buf *b, uint32_t field, const char *text);
/* The message in `body`, which is emptied. */
void proto_put_message(struct buf *b, uint32_t field, struct buf *body);

#endif
