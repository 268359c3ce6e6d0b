/* Deflated data as gzip and zip wrap it; what is around it is theirs. */
#include "parser/unpack/unpack_impl.h"

/* zlib asks for few pieces, and keeps them from stream to stream. */
static voidpf take(voidpf arena, uInt count, uInt bytes)
{
    return arena_array(arena, count, bytes);
}

static void give_back(voidpf arena, voidpf p)
{
    (void)arena;
    (void)p;
}

bool inflater_begin(struct unpack *u, struct inflater *i)
{
    enum { RAW = -15 };
    int code;

    if (i->open) {
        code = inflateReset(&i->z);
    } else {
        i->z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = u->arena};
        code = inflateInit2(&i->z, RAW);
        i->open = code == Z_OK;
    }
    i->crc = 0;
    i->bytes = 0;
    if (code != Z_OK)
        unpack_no_memory(u);
    return code == Z_OK;
}

/* zlib's own call, its answer in our words; what it is asked again with more room for is INFLATED_MORE as well. */
static enum inflated inflate_some(struct unpack *u, struct inflater *i)
{
    uint8_t *out;
    size_t room = unpack_room(u, &out);

    i->z.next_out = out;
    i->z.avail_out = (uInt)room;
    int code = inflate(&i->z, Z_NO_FLUSH);
    size_t wrote = room - i->z.avail_out;
    if (!u->discard)
        i->crc = (uint32_t)crc32(i->crc, out, (uInt)wrote);
    i->bytes += wrote;
    if (code == Z_MEM_ERROR)
        unpack_no_memory(u);
    if (!unpack_wrote(u, wrote) || code == Z_MEM_ERROR)
        return INFLATED_STOPPED;
    if (code == Z_STREAM_END)
        return INFLATED_END;
    return code == Z_OK || code == Z_BUF_ERROR ? INFLATED_MORE : INFLATED_BAD;
}

enum inflated inflater_feed(struct unpack *u, struct inflater *i, const uint8_t *p, size_t n)
{
    enum inflated end;

    i->z.next_in = p;
    i->z.avail_in = (uInt)n;
    do
        end = inflate_some(u, i);
    while (end == INFLATED_MORE && i->z.avail_out == 0);
    u->at += n - i->z.avail_in;
    return end;
}
