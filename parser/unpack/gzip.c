/* gzip (RFC 1952): members one after the other, each
 *
 *   1f 8b, u8 method (8: deflate), u8 flags, u32 time, u8, u8
 *   flag 4: u16 length, so many bytes;  flag 8: a name, up to a NUL;  flag 16: a comment, up to a NUL
 *   flag 2: u16 checksum of the header
 *   deflated data
 *   u32 CRC-32, u32 length, of what was packed
 *
 * Behind the last one zeros may fill up a block. */
#include <string.h>

#include "core/cursor.h"
#include "parser/unpack/unpack_impl.h"

enum { FLAG_CHECKSUM = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAGS_KNOWN = 31 };
enum { HEADER_BYTES = 10, TRAILER_BYTES = 8 };

static const uint8_t MAGIC[] = {0x1f, 0x8b, 8};

struct gzip {
    enum gzip_state {
        GZIP_HEADER,
        GZIP_EXTRA_LENGTH,
        GZIP_EXTRA,
        GZIP_NAME,
        GZIP_COMMENT,
        GZIP_CHECKSUM,
        GZIP_DATA,
        GZIP_TRAILER,
        GZIP_PADDING
    } state;
    uint8_t flags; /* of what is still to come */
    size_t skip;   /* of the extra field */
    bool first;    /* the member under way */
    struct inflater inflater;
};

static bool begin(struct unpack *u)
{
    struct gzip *g = u->state;

    g->first = true;
    return true;
}

/* The next part of the header that the flags announce, or the data. */
static void next_part(struct unpack *u)
{
    static const struct {
        uint8_t flag;
        enum gzip_state state;
    } PARTS[] = {{FLAG_EXTRA, GZIP_EXTRA_LENGTH},
                 {FLAG_NAME, GZIP_NAME},
                 {FLAG_COMMENT, GZIP_COMMENT},
                 {FLAG_CHECKSUM, GZIP_CHECKSUM}};
    struct gzip *g = u->state;

    u->head_bytes = 0;
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(*PARTS); i++)
        if (g->flags & PARTS[i].flag) {
            g->flags &= (uint8_t)~PARTS[i].flag;
            g->state = PARTS[i].state;
            return;
        }
    g->state = GZIP_DATA;
    inflater_begin(u, &g->inflater);
}

/* The header's bytes are no header: behind a whole member they are not gzip's. */
static void no_header(struct unpack *u)
{
    const struct gzip *g = u->state;

    u->stopped = true;
    if (g->first)
        unpack_damage(u, UNPACK_DAMAGED);
    else
        u->report.trailing_bytes = u->head_bytes;
}

static void take_header(struct unpack *u)
{
    struct gzip *g = u->state;

    g->flags = u->head[3];
    if (memcmp(u->head, MAGIC, sizeof(MAGIC)) != 0 || g->flags > FLAGS_KNOWN)
        no_header(u);
    else
        next_part(u);
}

static void take_trailer(struct unpack *u)
{
    struct gzip *g = u->state;
    struct cursor c = cursor_of(u->head, TRAILER_BYTES);
    uint32_t crc = cursor_u32(&c), length = cursor_u32(&c);

    if (crc != g->inflater.crc || length != (uint32_t)g->inflater.bytes)
        u->report.wrong_checksum = true;
    g->first = false;
    g->state = GZIP_PADDING;
    u->head_bytes = 0;
}

static void step_data(struct unpack *u, const uint8_t *p, size_t n)
{
    struct gzip *g = u->state;
    enum inflated end = inflater_feed(u, &g->inflater, p, n);

    if (end == INFLATED_END)
        g->state = GZIP_TRAILER;
    if (end == INFLATED_BAD) {
        unpack_damage(u, UNPACK_DAMAGED);
        u->stopped = true;
    }
}

static void step_text(struct unpack *u, const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, 0, n);

    u->at += end == NULL ? n : (size_t)(end - p) + 1;
    if (end != NULL)
        next_part(u);
}

static void step_padding(struct unpack *u, const uint8_t *p, size_t n)
{
    struct gzip *g = u->state;
    size_t zeros = 0;

    while (zeros < n && p[zeros] == 0)
        zeros++;
    u->at += zeros;
    if (zeros < n)
        g->state = GZIP_HEADER;
}

/* Parts of a fixed length. */
static void step_gathered(struct unpack *u, const uint8_t *p, size_t n)
{
    static const size_t LENGTHS[] = {[GZIP_HEADER] = HEADER_BYTES,
                                     [GZIP_EXTRA_LENGTH] = 2,
                                     [GZIP_CHECKSUM] = 2,
                                     [GZIP_TRAILER] = TRAILER_BYTES};
    struct gzip *g = u->state;

    if (!unpack_gather(u, p, n, LENGTHS[g->state]))
        return;
    if (g->state == GZIP_HEADER) {
        take_header(u);
    } else if (g->state == GZIP_EXTRA_LENGTH) {
        g->skip = (size_t)u->head[0] | (size_t)u->head[1] << 8;
        g->state = GZIP_EXTRA;
    } else if (g->state == GZIP_CHECKSUM) {
        next_part(u);
    } else {
        take_trailer(u);
    }
}

static void step_extra(struct unpack *u, size_t n)
{
    struct gzip *g = u->state;
    size_t part = g->skip < n ? g->skip : n;

    u->at += part;
    g->skip -= part;
    if (g->skip == 0)
        next_part(u);
}

static void step(struct unpack *u, const uint8_t *p, size_t n)
{
    const struct gzip *g = u->state;

    switch (g->state) {
    case GZIP_EXTRA:
        step_extra(u, n);
        break;
    case GZIP_NAME:
    case GZIP_COMMENT:
        step_text(u, p, n);
        break;
    case GZIP_DATA:
        step_data(u, p, n);
        break;
    case GZIP_PADDING:
        step_padding(u, p, n);
        break;
    case GZIP_HEADER:
    case GZIP_EXTRA_LENGTH:
    case GZIP_CHECKSUM:
    case GZIP_TRAILER:
        step_gathered(u, p, n);
    }
}

static void finish(struct unpack *u)
{
    const struct gzip *g = u->state;
    size_t seen = u->head_bytes < sizeof(MAGIC) ? u->head_bytes : sizeof(MAGIC);

    if (g->state == GZIP_HEADER && seen > 0 && memcmp(u->head, MAGIC, seen) != 0)
        no_header(u);
    else if (g->state != GZIP_PADDING)
        unpack_damage(u, UNPACK_CUT);
}

const struct packer PACKER_GZIP = {
    .name = "gzip",
    .noun = "gzip stream",
    .magics = {STR_INIT("\x1f\x8b\x08")},
    .codings = {STR_INIT("gzip"), STR_INIT("x-gzip")},
    .state_bytes = sizeof(struct gzip),
    .begin = begin,
    .step = step,
    .finish = finish,
};
