/* Compressed packets: field 50 has a zlib stream, field 133 a zstd frame, of packets in the form of a trace. What comes out
 * of one stands in memory as a whole, so it is bounded; and so is what comes out of all, by the limit for unpacked bytes.
 * One that cannot be unpacked is counted and left out. */
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "parser/perfetto/perfetto_impl.h"

enum {
    UNPACKED_MAX = 16 << 20, /* of one; producers make less than 1 MiB */
    FIRST_BYTES = 256 << 10,
    WINDOW_LOG_MAX = 24,
    LIBRARY_BYTES = (192 << 10) + (16 << 20) /* that a library takes at most: zstd with its window */
};

/* Makes the room larger, at least for one more byte. *stop: it must not be. */
static bool grow(struct perfetto *t, size_t used, bool *stop)
{
    size_t need = t->unpacked_capacity < FIRST_BYTES ? FIRST_BYTES : t->unpacked_capacity * 2;

    if (used < t->unpacked_capacity)
        return true;
    *stop = used >= UNPACKED_MAX;
    uint8_t *room = *stop ? NULL : arena_grow(t->arena, t->unpacked, &t->unpacked_capacity, need, 1);
    if (room != NULL)
        t->unpacked = room;
    return room != NULL || *stop;
}

/* Of a library. Always false. */
static bool no_memory(struct perfetto *t)
{
    t->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* What came out, if it is good and within the limits. */
static bool hand_out(struct perfetto *t, bool good, size_t n, struct str *packets)
{
    t->unpacked_bytes += n;
    if (t->unpacked_bytes > t->limits->unpacked.bytes)
        return diag_set(
            t->diag, DIAG_LIMIT, "too much to unpack",
            "Record a shorter trace, or ask who runs this service to raise the limit.",
            "The compressed packets of the trace hold more than the limit max_unpacked_bytes of %llu "
            "bytes.",
            (unsigned long long)t->limits->unpacked.bytes);
    if (!good)
        pf_warn(t, WARN_PACKED_PACKET, 1);
    *packets = good ? (struct str){(const char *)t->unpacked, n} : STR("");
    return true;
}

static bool inflate_all(struct perfetto *t, z_stream *z, bool *good, size_t *n)
{
    bool stop = false;
    int code = Z_OK;

    while (code == Z_OK && !stop) {
        if (!grow(t, *n, &stop))
            return false;
        if (stop)
            break;
        z->next_out = t->unpacked + *n;
        z->avail_out = (uInt)(t->unpacked_capacity - *n);
        code = inflate(z, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR)
            return no_memory(t);
        *n = t->unpacked_capacity - z->avail_out;
        stop = code == Z_OK && z->avail_in == 0 && z->avail_out > 0; /* it ends early */
    }
    *good = code == Z_STREAM_END;
    return true;
}

bool pf_unpack_deflate(struct perfetto *t, struct str bytes, struct str *packets)
{
    z_stream z = {0};
    bool good = false;
    size_t n = 0;

    if (!arena_charge(t->arena, LIBRARY_BYTES))
        return false;
    bool ok = inflateInit2(&z, MAX_WBITS) == Z_OK;
    if (!ok)
        t->arena->failure = ARENA_NO_MEMORY;
    z.next_in = (const Bytef *)bytes.p;
    z.avail_in = (uInt)bytes.n; /* a packet is not that large */
    ok = ok && inflate_all(t, &z, &good, &n);
    inflateEnd(&z);
    arena_discharge(t->arena, LIBRARY_BYTES);
    return ok && hand_out(t, good, n, packets);
}

static bool decompress_all(struct perfetto *t, ZSTD_DStream *z, struct str bytes, bool *good, size_t *n)
{
    ZSTD_inBuffer in = {bytes.p, bytes.n, 0};
    bool stop = false;
    size_t left = 1;

    while (left > 0 && !ZSTD_isError(left)) {
        if (!grow(t, *n, &stop))
            return false;
        if (stop)
            break;
        ZSTD_outBuffer out = {t->unpacked, t->unpacked_capacity, *n};
        left = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return no_memory(t);
        *n = out.pos;
        if (in.pos == in.size && out.pos < out.size)
            break; /* all of it is out, or it ends early */
    }
    *good = left == 0;
    return true;
}

bool pf_unpack_zstd(struct perfetto *t, struct str bytes, struct str *packets)
{
    bool good = false;
    size_t n = 0;

    if (!arena_charge(t->arena, LIBRARY_BYTES))
        return false;
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL)
        t->arena->failure = ARENA_NO_MEMORY;
    bool ok = z != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)) &&
              decompress_all(t, z, bytes, &good, &n);
    ZSTD_freeDStream(z);
    arena_discharge(t->arena, LIBRARY_BYTES);
    return ok && hand_out(t, good, n, packets);
}
