#include "tests/support/packing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/support/trace_bytes.h"

enum { FLAG_DESCRIPTOR = 8, METHOD_DEFLATED = 8, RUN_BYTES = 128 << 10, ZSTD_PARTS = 3 };

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void deflate_raw(struct buf *b, struct str bytes)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes.p, .avail_in = (uInt)bytes.n};

    check(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t bound = deflateBound(&z, bytes.n);
    check(buf_reserve(b, bound));
    z.next_out = (Bytef *)b->p + b->n;
    z.avail_out = (uInt)bound;
    check(deflate(&z, Z_FINISH) == Z_STREAM_END);
    b->n += z.total_out;
    deflateEnd(&z);
}

static uint32_t crc_of(struct str bytes)
{
    return (uint32_t)crc32(0, (const Bytef *)bytes.p, (uInt)bytes.n);
}

void packing_gzip(struct buf *b, struct str bytes)
{
    buf_bytes(b, "\x1f\x8b\x08\x1e\1\2\3\4\0\3", 10);
    buf_bytes(b, "\5\0extra", 7);
    buf_bytes(b, "app.trace\0a comment\0\x12\x34", 22);
    deflate_raw(b, bytes);
    trace_bytes_le(b, crc_of(bytes), 4);
    trace_bytes_le(b, bytes.n, 4);
}

/* ---- zstd ---- */

void packing_zstd(struct buf *b, struct str bytes)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t part = bytes.n / ZSTD_PARTS + 1;

    check(c != NULL);
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    check(buf_reserve(b, ZSTD_compressBound(bytes.n) + 64 * ZSTD_PARTS));
    ZSTD_outBuffer out = {b->p + b->n, b->capacity - b->n, 0};
    for (size_t at = 0;; at += part) {
        bool last = bytes.n - at <= part;
        ZSTD_inBuffer in = {bytes.p + at, last ? bytes.n - at : part, 0};
        check(ZSTD_compressStream2(c, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush) == 0);
        if (last)
            break;
    }
    b->n += out.pos;
    ZSTD_freeCCtx(c);
}

void packing_zstd_skipped(struct buf *b, uint32_t n)
{
    trace_bytes_le(b, 0x184d2a5b, 4);
    trace_bytes_le(b, n, 4);
    for (uint32_t i = 0; i < n; i++)
        buf_char(b, 'x');
}

void packing_zstd_runs(struct buf *b, unsigned window_log, uint32_t blocks)
{
    trace_bytes_le(b, 0xfd2fb528, 4);
    buf_char(b, 0);
    buf_char(b, (char)((window_log - 10) << 3));
    trace_bytes_le(b, 6 << 3, 3);
    buf_z(b, "a;b 1\n");
    for (uint32_t i = 1; i <= blocks; i++) {
        trace_bytes_le(b, (i == blocks) | 1 << 1 | RUN_BYTES << 3, 3);
        buf_char(b, '\n');
    }
}

/* ---- zip ---- */

static void put_sizes(struct buf *b, size_t packed, size_t unpacked, unsigned bytes)
{
    trace_bytes_le(b, packed, bytes);
    trace_bytes_le(b, unpacked, bytes);
}

/* What the directory says of a member. */
struct placed {
    uint32_t crc;
    size_t at, packed;
};

static struct placed put_member(struct buf *b, const struct packing_member *m)
{
    bool descriptor = m->flags & FLAG_DESCRIPTOR;
    struct buf data = {0};

    if (m->method == METHOD_DEFLATED)
        deflate_raw(&data, m->bytes);
    else
        buf_str(&data, m->bytes);
    struct placed placed = {crc_of(m->bytes) ^ m->wrong_crc, b->n, data.n};
    buf_bytes(b, "PK\3\4\x2d\0", 6);
    trace_bytes_le(b, m->flags, 2);
    trace_bytes_le(b, m->method, 2);
    trace_bytes_le(b, 0x12345678, 4);
    trace_bytes_le(b, descriptor ? 0 : placed.crc, 4);
    if (m->zip64)
        put_sizes(b, UINT32_MAX, UINT32_MAX, 4);
    else
        put_sizes(b, descriptor ? 0 : data.n, descriptor ? 0 : m->bytes.n, 4);
    trace_bytes_le(b, strlen(m->name), 2);
    trace_bytes_le(b, m->zip64 ? 25 : 0, 2);
    buf_z(b, m->name);
    if (m->zip64) {
        buf_bytes(b, "UT\1\0\0\1\0\x10\0", 9); /* a field of somebody else before it */
        put_sizes(b, descriptor ? 0 : m->bytes.n, descriptor ? 0 : data.n, 8);
    }
    buf_str(b, buf_view(&data));
    if (descriptor) {
        buf_z(b, m->unmarked ? "" : "PK\7\x08");
        trace_bytes_le(b, placed.crc, 4);
        put_sizes(b, data.n, m->bytes.n, m->zip64 ? 8 : 4);
    }
    check(!data.failed);
    buf_free(&data);
    return placed;
}

void packing_zip_member(struct buf *b, const struct packing_member *m)
{
    put_member(b, m);
}

static void put_entry(struct buf *b, const struct packing_member *m, const struct placed *placed)
{
    buf_bytes(b, "PK\1\2\x14\0\x2d\0", 8);
    trace_bytes_le(b, m->flags, 2);
    trace_bytes_le(b, m->method, 2);
    trace_bytes_le(b, 0x12345678, 4);
    trace_bytes_le(b, placed->crc, 4);
    put_sizes(b, placed->packed, m->bytes.n, 4);
    trace_bytes_le(b, strlen(m->name), 2);
    buf_bytes(b, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    trace_bytes_le(b, placed->at, 4);
    buf_z(b, m->name);
}

void packing_zip_archive(struct buf *b, const struct packing_member *members, size_t n)
{
    struct buf directory = {0};
    size_t from = b->n;

    for (size_t i = 0; i < n; i++) {
        struct placed placed = put_member(b, &members[i]);
        placed.at -= from;
        put_entry(&directory, &members[i], &placed);
    }
    size_t at = b->n - from;
    buf_str(b, buf_view(&directory));
    buf_bytes(b, "PK\5\6\0\0\0\0", 8);
    trace_bytes_le(b, n, 2);
    trace_bytes_le(b, n, 2);
    trace_bytes_le(b, directory.n, 4);
    trace_bytes_le(b, at, 4);
    trace_bytes_le(b, 0, 2);
    check(!directory.failed);
    buf_free(&directory);
}

void packing_zip_end(struct buf *b)
{
    buf_bytes(b, "PK\1\2", 4);
    for (size_t i = 0; i < 42; i++)
        buf_char(b, 0);
}

void packing_zip(struct buf *b, const char *name, struct str bytes)
{
    packing_zip_archive(b, &(struct packing_member){.name = name, .bytes = bytes, .method = METHOD_DEFLATED},
                        1);
}

/* ---- tar ---- */

enum {
    TAR_BLOCK = 512,
    TAR_MODE_AT = 100,
    TAR_SIZE_AT = 124,
    TAR_SUM_AT = 148,
    TAR_TYPE_AT = 156,
    TAR_MAGIC_AT = 257
};

static void put_tar_header(struct buf *b, const struct packing_member *m)
{
    char header[TAR_BLOCK] = {0};
    unsigned sum = 0;
    bool folder = m->name[strlen(m->name) - 1] == '/';

    snprintf(header, TAR_MODE_AT, "%s", m->name);
    snprintf(header + TAR_MODE_AT, 8, "%07o", 0644);
    snprintf(header + TAR_SIZE_AT, 12, "%011llo", (unsigned long long)m->bytes.n);
    memset(header + TAR_SUM_AT, ' ', 8);
    header[TAR_TYPE_AT] = folder ? '5' : '0';
    memcpy(header + TAR_MAGIC_AT, "ustar\00000", 8);
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + TAR_SUM_AT, 8, "%06o", sum);
    buf_bytes(b, header, TAR_BLOCK);
}

void packing_tar(struct buf *b, const struct packing_member *members, size_t n)
{
    static const char ZEROS[2 * TAR_BLOCK];

    for (size_t i = 0; i < n; i++) {
        put_tar_header(b, &members[i]);
        buf_str(b, members[i].bytes);
        buf_bytes(b, ZEROS, (TAR_BLOCK - members[i].bytes.n % TAR_BLOCK) % TAR_BLOCK);
    }
    buf_bytes(b, ZEROS, sizeof(ZEROS));
}
