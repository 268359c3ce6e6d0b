#include "server/demo/demo.h"

#define ZLIB_CONST
#include <zlib.h>

#include "static/static_files.h"

enum { WINDOW_BITS = 15, GZIP = 16 };

static struct str packed_trace(void)
{
    for (size_t i = 0; i < STATIC_FILES_COUNT; i++)
        if (str_eq(STATIC_FILES[i].name, STR(DEMO_FILE_NAME ".gz")))
            return STATIC_FILES[i].bytes;
    return (struct str){NULL, 0};
}

/* The last four bytes of a gzip file (RFC 1952) are the length of what it unpacks to. */
static size_t unpacked_bytes(struct str packed)
{
    size_t n = 0;

    for (size_t i = 0; i < 4 && i < packed.n; i++)
        n = n << 8 | (uint8_t)packed.p[packed.n - 1 - i];
    return n;
}

bool demo_write(struct buf *out)
{
    struct str packed = packed_trace();
    size_t n = unpacked_bytes(packed);
    z_stream z = {.next_in = (z_const Bytef *)packed.p, .avail_in = (uInt)packed.n, .avail_out = (uInt)n};

    if (!buf_reserve(out, n) || inflateInit2(&z, WINDOW_BITS + GZIP) != Z_OK)
        return false;
    z.next_out = (Bytef *)out->p + out->n;
    bool ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    out->n += ok ? n : 0;
    return ok;
}
