/* Reads protocol buffer messages, the wire format of which is five rules: a field is a varint `number << 3
 * | wire`, and behind it, by the wire type, a varint, 8 bytes, 4 bytes, or a length and so many bytes
 * (protobuf.dev: "Encoding").
 *
 *     struct protobuf m = protobuf_of(p, n);
 *     struct protobuf_field f;
 *     while (protobuf_next(&m, &f))
 *         if (f.number == 1 && f.wire == PROTOBUF_BYTES)
 *             ...                              f.bytes is a string or another message: protobuf_of_bytes(f.bytes)
 *     if (m.state != PROTOBUF_GOOD)
 *         ...
 *
 * One message stands in one piece of memory. Nothing is copied, and nothing recurses: a message within a
 * message is read by another struct protobuf, as deep as the reader of a format has written it, never as
 * deep as the input says. The state is sticky. What is no message ends it with PROTOBUF_BAD: a varint of
 * more than 10 bytes, field 0, a number of more than 29 bits, and the wire types 3, 4 (groups, which
 * proto3 does not have), 6 and 7. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/str.h"

enum protobuf_wire { PROTOBUF_VARINT = 0, PROTOBUF_8_BYTES = 1, PROTOBUF_BYTES = 2, PROTOBUF_4_BYTES = 5 };

enum {
    PROTOBUF_VARINT_MAX = 10, /* bytes */
    PROTOBUF_NUMBER_MAX = (1 << 29) - 1
};

enum protobuf_state {
    PROTOBUF_GOOD,
    PROTOBUF_CUT, /* the bytes end within a field */
    PROTOBUF_BAD  /* no field can stand here */
};

struct protobuf {
    const uint8_t *p, *end;
    enum protobuf_state state;
};

struct protobuf_field {
    uint32_t number;
    enum protobuf_wire wire;
    uint64_t value;   /* of PROTOBUF_VARINT, PROTOBUF_8_BYTES, PROTOBUF_4_BYTES */
    struct str bytes; /* of PROTOBUF_BYTES */
};

static inline struct protobuf protobuf_of(const void *p, size_t n)
{
    return (struct protobuf){p, p == NULL ? NULL : (const uint8_t *)p + n, PROTOBUF_GOOD};
}

static inline struct protobuf protobuf_of_bytes(struct str s)
{
    return protobuf_of(s.p, s.n);
}

/* The lower 7 bits of each byte side by side, the first byte lowest. */
static inline uint64_t protobuf_join_bits(uint64_t bytes)
{
    bytes &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
    bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (bytes & UINT64_C(0x0fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* A number, and where it ends. NULL: the bytes end within it, or it has more bytes than a varint may have. */
struct protobuf_number {
    uint64_t value;
    const uint8_t *behind;
};

/* One of more than two bytes. Apart, and by values alone, so that a struct protobuf may stay in registers. */
static __attribute__((noinline, unused)) struct protobuf_number protobuf_long(const uint8_t *p,
                                                                              const uint8_t *end)
{
    const size_t left = (size_t)(end - p);
    const unsigned n = left < PROTOBUF_VARINT_MAX ? (unsigned)left : PROTOBUF_VARINT_MAX;
    uint64_t value = 0;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && n >= sizeof(value)) {
        memcpy(&value, p, sizeof(value));
        uint64_t last = ~value & UINT64_C(0x8080808080808080); /* bytes that end a varint */
        if (last != 0)
            return (struct protobuf_number){protobuf_join_bits(value & (last ^ (last - 1))),
                                            p + __builtin_ctzll(last) / 8 + 1};
        value = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        value |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80)
            return (struct protobuf_number){value, p + i + 1};
    }
    return (struct protobuf_number){0, NULL};
}

/* 0 in another state than PROTOBUF_GOOD. */
static inline __attribute__((always_inline)) uint64_t protobuf_varint(struct protobuf *m)
{
    const size_t left = (size_t)(m->end - m->p);

    if (m->state != PROTOBUF_GOOD)
        return 0;
    if (left > 0 && m->p[0] < 0x80) /* as most tags and lengths */
        return *m->p++;
    if (left > 1 && m->p[1] < 0x80) { /* as most numbers of threads */
        m->p += 2;
        return (uint64_t)(m->p[-2] & 0x7f) | (uint64_t)m->p[-1] << 7;
    }
    const struct protobuf_number number = protobuf_long(m->p, m->end);
    if (number.behind == NULL)
        m->state = left < PROTOBUF_VARINT_MAX ? PROTOBUF_CUT : PROTOBUF_BAD;
    else
        m->p = number.behind;
    return number.value;
}

static inline uint64_t protobuf_fixed(struct protobuf *m, unsigned n)
{
    uint64_t value = 0;

    if ((size_t)(m->end - m->p) < n) {
        m->state = PROTOBUF_CUT;
        return 0;
    }
    for (unsigned i = n; i > 0; i--)
        value = value << 8 | m->p[i - 1];
    m->p += n;
    return value;
}

/* The next field. False at the end and in another state than PROTOBUF_GOOD. Where the end cuts the bytes of a
 * PROTOBUF_BYTES, the field has all but them: its `bytes` are as many as are there. */
static inline bool protobuf_next(struct protobuf *m, struct protobuf_field *f)
{
    if (m->state != PROTOBUF_GOOD || m->p == m->end)
        return false;
    uint64_t tag = protobuf_varint(m), number = tag >> 3;
    *f = (struct protobuf_field){.number = (uint32_t)number, .wire = (enum protobuf_wire)(tag & 7)};
    if (m->state != PROTOBUF_GOOD)
        return false;
    if (number == 0 || number > PROTOBUF_NUMBER_MAX) {
        m->state = PROTOBUF_BAD;
        return false;
    }
    switch (f->wire) {
    case PROTOBUF_VARINT:
        f->value = protobuf_varint(m);
        break;
    case PROTOBUF_8_BYTES:
        f->value = protobuf_fixed(m, 8);
        break;
    case PROTOBUF_4_BYTES:
        f->value = protobuf_fixed(m, 4);
        break;
    case PROTOBUF_BYTES: {
        uint64_t n = protobuf_varint(m);
        size_t left = (size_t)(m->end - m->p);
        if (m->state != PROTOBUF_GOOD)
            return false;
        f->bytes = (struct str){(const char *)m->p, n < left ? (size_t)n : left};
        m->p += f->bytes.n;
        m->state = n > left ? PROTOBUF_CUT : PROTOBUF_GOOD;
        break;
    }
    default:
        m->state = PROTOBUF_BAD;
    }
    return m->state == PROTOBUF_GOOD;
}

/* The first byte of a field of this number, which is below 16, and wire type. */
#define PROTOBUF_TAG(number, wire) ((uint8_t)((number) << 3 | (wire)))

/* For fields that nearly always come in the same order: takes the next one, if its tag is this byte. False: it is
 * another field, or a cut one. Then nothing is taken, and protobuf_next tells what stands there. */
static inline __attribute__((always_inline)) bool protobuf_take_varint(struct protobuf *m, uint8_t tag,
                                                                       uint64_t *value)
{
    struct protobuf at = *m;

    if (at.p == at.end || *at.p++ != tag)
        return false;
    *value = protobuf_varint(&at);
    if (at.state != PROTOBUF_GOOD)
        return false;
    m->p = at.p;
    return true;
}

static inline __attribute__((always_inline)) bool protobuf_take_bytes(struct protobuf *m, uint8_t tag,
                                                                      struct str *bytes)
{
    struct protobuf at = *m;
    uint64_t n;

    if (!protobuf_take_varint(&at, tag, &n) || n > (size_t)(at.end - at.p))
        return false;
    *bytes = (struct str){(const char *)at.p, (size_t)n};
    m->p = at.p + n;
    return true;
}

/* The last field of each number below n: fields[i] is that of number i, and its number is 0 where the
 * message has none. */
static inline void protobuf_fields(struct str message, struct protobuf_field *fields, size_t n)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    for (size_t i = 0; i < n; i++)
        fields[i] = (struct protobuf_field){.bytes = STR("")};
    while (protobuf_next(&m, &f))
        if (f.number < n)
            fields[f.number] = f;
}

/* A repeated number comes as one field each or packed into PROTOBUF_BYTES: both are read alike.
 *
 *     for (struct protobuf list = protobuf_list(&f); protobuf_list_next(&f, &list, &value);)
 */
static inline struct protobuf protobuf_list(const struct protobuf_field *f)
{
    return protobuf_of_bytes(f->bytes);
}

static inline bool protobuf_list_next(struct protobuf_field *f, struct protobuf *list, uint64_t *value)
{
    if (f->wire == PROTOBUF_VARINT) {
        *value = f->value;
        f->wire = PROTOBUF_BYTES; /* of no bytes: the list ends */
        return true;
    }
    if (f->wire != PROTOBUF_BYTES || list->p == list->end || list->state != PROTOBUF_GOOD)
        return false;
    *value = protobuf_varint(list);
    return list->state == PROTOBUF_GOOD;
}
