/* Zstandard (RFC 8878): frames one after the other, each
 *
 *   28 b5 2f fd, u8 descriptor: bits 7-6 size of the content's length, 5 single segment, 3 reserved, 2 checksum,
 *   1-0 size of the dictionary's id; window unless single segment; dictionary's id; content's length
 *   blocks: u24 last | type << 1 | size << 3, then so many bytes (one of a run, type 1)
 *   u32 checksum
 *
 * or to be skipped: 5x 2a 4d 18, u32 length, so many bytes. The library is given one whole part at a time: what it has
 * put out in a call that fails is lost, and so must not depend on how the input was cut. Of a block that is not packed it
 * puts out what it gets; what is wrong with the frame shows at the last byte, which comes alone. */
#include <zstd.h>
#include <zstd_errors.h>

#include "core/cursor.h"
#include "parser/unpack/unpack_impl.h"

enum {
    MAGIC_BYTES = 4,
    BLOCK_HEADER_BYTES = 3,
    BLOCK_BYTES_MAX = 128 << 10,
    CONTEXT_BYTES = 192 << 10, /* of the library, beside the window and its buffers */
    BLOCK_RAW = 0,
    BLOCK_RUN = 1
};

#define FRAME_MAGIC UINT32_C(0xfd2fb528)
#define SKIP_MAGIC  UINT32_C(0x184d2a50)

struct zstd {
    ZSTD_DStream *stream;
    uint64_t charged_bytes;
    enum {
        ZSTD_PART_MAGIC,
        ZSTD_PART_SKIP_LENGTH,
        ZSTD_PART_SKIP,
        ZSTD_PART_HEADER,
        ZSTD_PART_BLOCK_HEADER,
        ZSTD_PART_BLOCK,
        ZSTD_PART_CHECKSUM
    } part;
    uint64_t left;            /* of a block, or of what is skipped */
    bool last, raw, checksum; /* `raw`: a block that is not packed */
    bool some;                /* a frame has ended */
};

/* ---- memory ---- */

static bool charge(struct unpack *u, uint64_t bytes)
{
    struct zstd *z = u->state;

    if (bytes <= z->charged_bytes)
        return true;
    if (!arena_charge(u->arena, (size_t)(bytes - z->charged_bytes))) {
        unpack_no_memory(u);
        return false;
    }
    z->charged_bytes = bytes;
    return true;
}

static bool begin(struct unpack *u)
{
    struct zstd *z = u->state;

    if (!charge(u, CONTEXT_BYTES))
        return false;
    z->stream = ZSTD_createDStream();
    if (z->stream != NULL)
        return true;
    arena_discharge(u->arena, (size_t)z->charged_bytes);
    u->arena->failure = ARENA_NO_MEMORY;
    unpack_no_memory(u);
    return false;
}

static void free_stream(struct unpack *u)
{
    struct zstd *z = u->state;

    ZSTD_freeDStream(z->stream);
    z->stream = NULL;
    arena_discharge(u->arena, (size_t)z->charged_bytes);
    z->charged_bytes = 0;
}

/* ---- the library ---- */

/* The next frame has nothing of this one. */
static bool failed(struct unpack *u, size_t code)
{
    struct zstd *z = u->state;

    if (ZSTD_getErrorCode(code) == ZSTD_error_checksum_wrong) {
        u->report.wrong_checksum = true;
        ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
        return true;
    }
    u->stopped = true;
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) {
        u->arena->failure = ARENA_NO_MEMORY;
        unpack_no_memory(u);
    }
    unpack_damage(u, UNPACK_DAMAGED);
    return false;
}

static bool decode(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zstd *z = u->state;
    ZSTD_inBuffer in = {p, n, 0};
    ZSTD_outBuffer out;

    do {
        uint8_t *room;
        out = (ZSTD_outBuffer){NULL, unpack_room(u, &room), 0};
        out.dst = room;
        size_t code = ZSTD_decompressStream(z->stream, &out, &in);
        if (ZSTD_isError(code))
            return failed(u, code);
        if (!unpack_wrote(u, out.pos))
            return false;
    } while (in.pos < in.size || out.pos == out.size);
    return true;
}

/* ---- the parts ---- */

static void next(struct zstd *z)
{
    if (!z->last) {
        z->part = ZSTD_PART_BLOCK_HEADER;
    } else if (z->checksum) {
        z->part = ZSTD_PART_CHECKSUM;
    } else {
        z->part = ZSTD_PART_MAGIC;
        z->some = true;
    }
}

static const uint8_t LENGTHS[] = {0, 2, 4, 8}, IDS[] = {0, 1, 2, 4};

/* With these first bytes. */
static size_t header_bytes(const struct unpack *u)
{
    uint8_t descriptor = u->head_bytes > MAGIC_BYTES ? u->head[MAGIC_BYTES] : 0;
    bool single = descriptor & 0x20;
    size_t length = LENGTHS[descriptor >> 6];

    if (u->head_bytes <= MAGIC_BYTES)
        return MAGIC_BYTES + 1;
    return MAGIC_BYTES + 1 + (size_t)(single ? 0 : 1) + IDS[descriptor & 3] +
           (single && length == 0 ? 1 : length);
}

static uint64_t window_bytes(const struct unpack *u, uint64_t *dictionary)
{
    struct cursor c = cursor_of(u->head + MAGIC_BYTES, u->head_bytes - MAGIC_BYTES);
    uint8_t descriptor = cursor_u8(&c);
    bool single = descriptor & 0x20;
    uint8_t window = single ? 0 : cursor_u8(&c);
    size_t length = LENGTHS[descriptor >> 6];
    uint64_t base = UINT64_C(1) << (10 + (window >> 3));

    *dictionary = cursor_le(&c, IDS[descriptor & 3]);
    if (!single)
        return base + base / 8 * (window & 7);
    uint64_t content = cursor_le(&c, length == 0 ? 1 : length);
    return length == 2 ? content + 256 : content;
}

static uint64_t window_limit(const struct unpack *u)
{
    return u->options.window_bytes > 0 ? u->options.window_bytes : UNPACK_WINDOW_BYTES;
}

static bool refuse_header(struct unpack *u, uint64_t window, uint64_t dictionary)
{
    u->stopped = true;
    if (dictionary != 0)
        return diag_at(u->diag, DIAG_UNUSABLE, u->at, "packed with a dictionary",
                       "Pack it without a dictionary, or upload it unpacked.",
                       "The zstd stream needs the dictionary %llu, which is not in it.",
                       (unsigned long long)dictionary);
    return diag_at(u->diag, DIAG_UNUSABLE, u->at, "window too large",
                   "Pack it with --long=27 at most, or upload it unpacked.",
                   "Unpacking the zstd stream needs a window of %llu bytes; at most %llu are given.",
                   (unsigned long long)window, (unsigned long long)window_limit(u));
}

static void take_header(struct unpack *u)
{
    struct zstd *z = u->state;
    uint64_t dictionary, window = window_bytes(u, &dictionary);

    z->last = false;
    z->checksum = u->head[MAGIC_BYTES] & 4;
    z->part = ZSTD_PART_BLOCK_HEADER;
    if (window > window_limit(u) || dictionary != 0)
        refuse_header(u, window, dictionary);
    else if (charge(u, CONTEXT_BYTES + window + 3 * BLOCK_BYTES_MAX))
        decode(u, u->head, u->head_bytes);
    u->head_bytes = 0;
}

/* The bytes begin no frame: behind a whole one they are not the stream's. */
static void no_frame(struct unpack *u)
{
    const struct zstd *z = u->state;

    u->stopped = true;
    if (z->some)
        u->report.trailing_bytes = u->head_bytes;
    else
        unpack_damage(u, UNPACK_DAMAGED);
}

static void take_magic(struct unpack *u)
{
    struct zstd *z = u->state;
    struct cursor c = cursor_of(u->head, MAGIC_BYTES);
    uint32_t magic = cursor_u32(&c);

    if (magic == FRAME_MAGIC) {
        z->part = ZSTD_PART_HEADER;
        return;
    }
    if ((magic & ~UINT32_C(15)) == SKIP_MAGIC) {
        z->part = ZSTD_PART_SKIP_LENGTH;
        u->head_bytes = 0;
        return;
    }
    no_frame(u);
}

static void take_block_header(struct unpack *u)
{
    struct zstd *z = u->state;
    struct cursor c = cursor_of(u->head, BLOCK_HEADER_BYTES);
    uint32_t header = (uint32_t)cursor_le(&c, BLOCK_HEADER_BYTES);
    uint32_t type = header >> 1 & 3;

    z->last = header & 1;
    z->raw = type == BLOCK_RAW;
    z->left = type == BLOCK_RUN ? 1 : header >> 3;
    if (decode(u, u->head, BLOCK_HEADER_BYTES)) {
        if (z->left > 0)
            z->part = ZSTD_PART_BLOCK;
        else
            next(z);
    }
    u->head_bytes = 0;
}

/* Whole, or what there is of it. */
static bool decode_block(struct unpack *u)
{
    const struct zstd *z = u->state;
    size_t n = u->head_bytes, first = z->raw && n == z->left && n > 1 ? n - 1 : n;
    bool ok = decode(u, u->head, first) && (first == n || decode(u, u->head + first, n - first));

    u->head_bytes = 0;
    return ok;
}

static void take_block(struct unpack *u)
{
    if (!decode_block(u))
        return;
    next(u->state);
    unpack_check_ratio(u);
}

static void take_checksum(struct unpack *u)
{
    struct zstd *z = u->state;

    decode(u, u->head, u->head_bytes);
    u->head_bytes = 0;
    z->part = ZSTD_PART_MAGIC;
    z->some = true;
}

static void step_gathered(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zstd *z = u->state;
    size_t need = z->part == ZSTD_PART_HEADER         ? header_bytes(u)
                  : z->part == ZSTD_PART_BLOCK_HEADER ? BLOCK_HEADER_BYTES
                  : z->part == ZSTD_PART_BLOCK        ? (size_t)z->left
                                                      : MAGIC_BYTES;

    if (!unpack_gather(u, p, n, need))
        return;
    if (z->part == ZSTD_PART_MAGIC) {
        take_magic(u);
    } else if (z->part == ZSTD_PART_SKIP_LENGTH) {
        struct cursor c = cursor_of(u->head, MAGIC_BYTES);
        z->left = cursor_u32(&c);
        z->part = z->left > 0 ? ZSTD_PART_SKIP : ZSTD_PART_MAGIC;
        z->some = true;
        u->head_bytes = 0;
    } else if (z->part == ZSTD_PART_BLOCK_HEADER) {
        take_block_header(u);
    } else if (z->part == ZSTD_PART_BLOCK) {
        take_block(u);
    } else if (z->part == ZSTD_PART_CHECKSUM) {
        take_checksum(u);
    } else if (need == header_bytes(u)) { /* the descriptor is there, and all that it announces */
        take_header(u);
    }
}

static void step(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zstd *z = u->state;

    if (z->part != ZSTD_PART_SKIP) {
        step_gathered(u, p, n);
        return;
    }
    if (n > z->left)
        n = (size_t)z->left;
    z->left -= n;
    u->at += n;
    z->part = z->left > 0 ? ZSTD_PART_SKIP : ZSTD_PART_MAGIC;
}

/* Whether the bytes, fewer than a magic has, are the beginning of a frame's. */
static bool begins_frame(const struct unpack *u)
{
    struct cursor c = cursor_of(u->head, u->head_bytes);
    uint32_t known = FRAME_MAGIC & ((UINT32_C(1) << 8 * (u->head_bytes & 3)) - 1);

    return cursor_le(&c, u->head_bytes) == known;
}

static void finish(struct unpack *u)
{
    const struct zstd *z = u->state;

    if (z->part == ZSTD_PART_BLOCK && u->head_bytes > 0 && !decode_block(u))
        return;
    if (z->part == ZSTD_PART_MAGIC && u->head_bytes > 0 && !begins_frame(u))
        no_frame(u);
    else if (z->part != ZSTD_PART_MAGIC || u->head_bytes > 0 || !z->some)
        unpack_damage(u, UNPACK_CUT);
}

#define SKIP(first) STR_INIT(first "*M\x18")

const struct packer PACKER_ZSTD = {
    .name = "zstd",
    .noun = "zstd stream",
    .magics = {STR_INIT("\x28\xb5\x2f\xfd"), SKIP("P"), SKIP("Q"), SKIP("R"), SKIP("S"), SKIP("T"), SKIP("U"),
               SKIP("V"), SKIP("W"), SKIP("X"), SKIP("Y"), SKIP("Z"), SKIP("["), SKIP("\\"), SKIP("]"),
               SKIP("^"), SKIP("_")},
    .codings = {STR_INIT("zstd")},
    .state_bytes = sizeof(struct zstd),
    .begin = begin,
    .step = step,
    .finish = finish,
    .free = free_stream,
};
