#include "parser/refuse/foreign_proto.h"

#include "core/cursor.h"

enum { WIRE_VARINT = 0, WIRE_8_BYTES = 1, WIRE_BYTES = 2, WIRE_4_BYTES = 5 };

enum {
    FIELD_HEAD_MAX = 20, /* bytes of a field's tag and of the number behind it */
    VARINT_BITS_MAX = 70,
    PERFETTO_FIELD_MAX = 10000, /* no packet has a field with a larger number */
    PPROF_FIELDS_MIN = 3        /* fewer fields could be chance */
};

struct field {
    uint64_t number;
    unsigned wire;
    struct str body; /* of WIRE_BYTES; as much of it as is there */
};

static uint64_t varint(struct cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < VARINT_BITS_MAX; shift += 7) {
        uint8_t byte = cursor_u8(c);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return value;
    }
    c->failed = true;
    return 0;
}

/* Reads the next field. Returns false at the end of the bytes, and where no field can stand; *sound is false then. A
 * field that the end of the bytes cuts is sound. */
static bool next_field(struct cursor *c, struct field *f, bool *sound)
{
    size_t left = cursor_left(c);
    uint64_t tag = left > 0 ? varint(c) : 0, n = 0;

    if (left == 0)
        return false;
    *f = (struct field){.number = tag >> 3, .wire = tag & 7};
    switch (f->wire) {
    case WIRE_VARINT:
        varint(c);
        break;
    case WIRE_BYTES:
        n = varint(c);
        break;
    case WIRE_8_BYTES:
    case WIRE_4_BYTES:
        cursor_take(c, f->wire == WIRE_8_BYTES ? 8 : 4);
        break;
    default:
        *sound = false;
        return false;
    }
    *sound = c->failed ? left < FIELD_HEAD_MAX : f->number > 0;
    if (c->failed || !*sound)
        return false;
    f->body = (struct str){(const char *)c->p, n < cursor_left(c) ? (size_t)n : cursor_left(c)};
    c->p += f->body.n;
    return true;
}

/* Whether the bytes are at least `least` fields, and `known` says yes to each. */
static bool is_message(struct str bytes, size_t least, bool (*known)(const struct field *f))
{
    struct cursor c = cursor_of(bytes.p, bytes.n);
    struct field f;
    bool sound = true;
    size_t n = 0;

    for (; next_field(&c, &f, &sound); n++)
        if (!known(&f))
            return false;
    return sound && n >= least;
}

static bool any_field(const struct field *f)
{
    return f->number < PERFETTO_FIELD_MAX;
}

static bool is_packet(const struct field *f)
{
    return f->number == 1 && f->wire == WIRE_BYTES && is_message(f->body, 1, any_field);
}

static bool has_control_bytes(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < '\t')
            return true;
    return false;
}

bool foreign_is_perfetto(struct str head)
{
    return has_control_bytes(head) && is_message(head, 1, is_packet);
}

static bool is_number(const struct field *f)
{
    return f->wire == WIRE_VARINT;
}

/* The numbers of the fields are those of profile.proto: 1 to 5, 6, 11 are messages and strings, the others numbers. */
static bool is_profile_field(const struct field *f)
{
    enum { SAMPLE_TYPE = 1, FUNCTION = 5, STRING_TABLE, PERIOD_TYPE = 11, COMMENT = 13, LAST = 14 };

    if (f->number == SAMPLE_TYPE || f->number == PERIOD_TYPE)
        return f->wire == WIRE_BYTES && is_message(f->body, 1, is_number);
    if (f->number <= FUNCTION)
        return f->wire == WIRE_BYTES && is_message(f->body, 1, any_field);
    if (f->number == STRING_TABLE)
        return f->wire == WIRE_BYTES;
    return f->number <= LAST && (is_number(f) || (f->number == COMMENT && f->wire == WIRE_BYTES));
}

bool foreign_is_pprof(struct str head)
{
    return is_message(head, PPROF_FIELDS_MIN, is_profile_field);
}
