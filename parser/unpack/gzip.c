/* gzip (RFC 1952): members one after the other, each a header, deflated data, u32 CRC-32 and u32 length of what was packed.
 * zlib reads them. It is told not to check the sums: it would take a wrong one for damage, where we only warn of it. */
#define ZLIB_CONST
#include <zlib.h>

#include <string.h>

#include "core/cursor.h"
#include "parser/unpack/unpack_impl.h"

enum {
    TRAILER_BYTES = 8,
    GZIP_WINDOW_BITS = 16 + MAX_WBITS, /* how zlib is told that it is gzip */
    STEP_BYTES = 32 << 10
};

struct gzip {
    z_stream z;
    uint32_t crc;                   /* of what came out of the member */
    uint64_t bytes;                 /* that came out of it */
    uint8_t trailer[TRAILER_BYTES]; /* the last bytes that zlib took */
};

/* zlib asks for few pieces, and keeps them from member to member. */
static voidpf take(voidpf arena, uInt count, uInt bytes)
{
    return arena_array(arena, count, bytes);
}

static void give_back(voidpf arena, voidpf p)
{
    (void)arena;
    (void)p;
}

static bool begin(struct unpack *u)
{
    struct gzip *g = u->state;

    g->z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = u->arena};
    if (inflateInit2(&g->z, GZIP_WINDOW_BITS) == Z_OK && inflateValidate(&g->z, 0) == Z_OK)
        return true;
    unpack_no_memory(u);
    return false;
}

static size_t want(const struct unpack *u)
{
    size_t step = u->options.step_bytes > 0 ? u->options.step_bytes : STEP_BYTES;

    return step - (size_t)(u->at % step);
}

/* A trailer may be spread over several pieces of input. The last bytes are kept across them. */
static void keep_trailer(struct gzip *g, const uint8_t *p, size_t n)
{
    size_t fresh = n < TRAILER_BYTES ? n : TRAILER_BYTES;

    memmove(g->trailer, g->trailer + fresh, TRAILER_BYTES - fresh);
    memcpy(g->trailer + TRAILER_BYTES - fresh, p + n - fresh, fresh);
}

static void end_member(struct unpack *u)
{
    struct gzip *g = u->state;
    struct cursor c = cursor_of(g->trailer, TRAILER_BYTES);
    uint32_t crc = cursor_u32(&c), length = cursor_u32(&c);

    /* RFC 1952 has the length modulo 2^32 (ISIZE), so larger members are compared by their low 32 bits. */
    if (crc != g->crc || length != (uint32_t)g->bytes)
        u->report.wrong_checksum = true;
    g->crc = 0;
    g->bytes = 0;
    inflateReset(&g->z);
    unpack_stream_ends(u);
}

/* zlib's next call. Z_OK: it may have more to give. */
static int inflate_some(struct unpack *u)
{
    struct gzip *g = u->state;
    size_t left = g->z.avail_in;
    uint8_t *out;
    size_t room = unpack_room(u, &out);

    g->z.next_out = out;
    g->z.avail_out = (uInt)room;
    int code = inflate(&g->z, Z_NO_FLUSH);
    size_t wrote = room - g->z.avail_out;
    u->at += left - g->z.avail_in;
    g->crc = (uint32_t)crc32(g->crc, out, (uInt)wrote);
    g->bytes += wrote;
    unpack_wrote(u, wrote);
    return code;
}

static void decode(struct unpack *u, const uint8_t *p, size_t n)
{
    struct gzip *g = u->state;
    int code;

    g->z.next_in = p;
    g->z.avail_in = (uInt)n;
    do
        code = inflate_some(u);
    while (code == Z_OK && !u->stopped && (g->z.avail_in > 0 || g->z.avail_out == 0));
    keep_trailer(g, p, n - g->z.avail_in);
    if (u->stopped || code == Z_OK || code == Z_BUF_ERROR)
        return;
    if (code == Z_STREAM_END) {
        end_member(u);
    } else if (code == Z_MEM_ERROR) {
        unpack_no_memory(u);
    } else {
        unpack_damage(u, UNPACK_DAMAGED, u->at);
        u->stopped = true;
    }
}

extern const struct packer PACKER_TAR_GZIP;

const struct packer PACKER_GZIP = {
    .name = "gzip",
    .noun = "gzip stream",
    .magics = {STR_INIT("\x1f\x8b\x08")},
    .codings = {STR_INIT("gzip"), STR_INIT("x-gzip")},
    .tar = &PACKER_TAR_GZIP,
    .zeros_behind = true,
    .state_bytes = sizeof(struct gzip),
    .begin = begin,
    .want = want,
    .decode = decode,
};
