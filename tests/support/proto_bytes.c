#include "tests/support/proto_bytes.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void proto_put_varint(struct buf *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_char(b, (char)(value | 0x80));
    buf_char(b, (char)value);
}

void proto_put_number(struct buf *b, uint32_t field, uint64_t value)
{
    proto_put_varint(b, (uint64_t)field << 3 | WIRE_VARINT);
    proto_put_varint(b, value);
}

static void put_bytes(struct buf *b, uint32_t field, const char *p, size_t n)
{
    proto_put_varint(b, (uint64_t)field << 3 | WIRE_BYTES);
    proto_put_varint(b, n);
    buf_bytes(b, p, n);
}

void proto_put_text(struct buf *b, uint32_t field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}

void proto_put_message(struct buf *b, uint32_t field, struct buf *body)
{
    put_bytes(b, field, body->p, body->n);
    buf_clear(body);
}
