/* Writes protocol buffer messages. */
#pragma once

#include "core/buf.h"

void proto_put_varint(struct buf *b, uint64_t value);
void proto_put_number(struct buf *b, uint32_t field, uint64_t value);
void proto_put_text(struct buf *b, uint32_t field, const char *text);
/* The message in `body`, which is emptied. */
void proto_put_message(struct buf *b, uint32_t field, struct buf *body);
