#include "core/gzip.h"

#include <zlib.h>

enum { STEP_BYTES = 64 << 10 };

bool gzip_put(struct buf *out, struct str bytes, int level)
{
    z_stream z = {0};
    int state = deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY);

    if (state != Z_OK)
        return false;
    z.next_in = (z_const Bytef *)(uintptr_t)bytes.p;
    while (state == Z_OK && buf_reserve(out, STEP_BYTES)) {
        size_t left = bytes.n - z.total_in;
        z.avail_in = (uInt)(left < STEP_BYTES ? left : STEP_BYTES);
        z.next_out = (Bytef *)(out->p + out->n);
        z.avail_out = STEP_BYTES;
        state = deflate(&z, left <= STEP_BYTES ? Z_FINISH : Z_NO_FLUSH);
        out->n += STEP_BYTES - z.avail_out;
    }
    deflateEnd(&z);
    return state == Z_STREAM_END;
}
