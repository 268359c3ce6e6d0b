/* Writes fields of protocol buffer messages, as protobuf.h reads them. A message within another one is
 * made in a buffer of its own, since its length stands in front of it. */
#pragma once

#include "core/buf.h"
#include "core/protobuf.h"

/* Into room for PROTOBUF_VARINT_MAX bytes; returns the end. */
static inline char *protobuf_write(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(0x80 | (value & 0x7f));
    *to++ = (char)value;
    return to;
}

static inline void protobuf_put_varint(struct buf *b, uint64_t value)
{
    char bytes[PROTOBUF_VARINT_MAX];

    if (b->capacity - b->n >= sizeof(bytes) && !b->failed) {
        b->n = (size_t)(protobuf_write(b->p + b->n, value) - b->p);
        return;
    }
    buf_bytes(b, bytes, (size_t)(protobuf_write(bytes, value) - bytes));
}

static inline void protobuf_put_u64(struct buf *b, uint32_t field, uint64_t value)
{
    protobuf_put_varint(b, (uint64_t)field << 3 | PROTOBUF_VARINT);
    protobuf_put_varint(b, value);
}

static inline void protobuf_put_bytes(struct buf *b, uint32_t field, struct str bytes)
{
    protobuf_put_varint(b, (uint64_t)field << 3 | PROTOBUF_BYTES);
    protobuf_put_varint(b, bytes.n);
    buf_str(b, bytes);
}
