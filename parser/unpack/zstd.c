/* Zstandard (RFC 8878): frames one after the other, some of them to be skipped. libzstd reads them.
 *
 * What a call that fails has put out is lost. So that this does not depend on how the input was cut, each call is given as
 * many bytes as the library asked for: a block and the header of the next one, or the checksum alone. A damaged block so
 * takes one whole block before it along at most. */
#include <zstd.h>
#include <zstd_errors.h>

#include "parser/unpack/unpack_impl.h"

enum {
    MAGIC_BYTES = 4,
    CONTEXT_BYTES = 192 << 10,                /* of the library, before it knows the window */
    ASKED_BYTES_MAX = (128 << 10) + (1 << 10) /* at most, but of a frame that is skipped */
};

struct zstd {
    ZSTD_DStream *stream;
    size_t charged_bytes;
    size_t want; /* by the library's own word */
};

static uint64_t window_limit(const struct unpack *u)
{
    return u->options.window_bytes > 0 ? u->options.window_bytes : UNPACK_WINDOW_BYTES;
}

/* Rounded down, so that the library's window stays within a limit that is no power of two. */
static int log2_of(uint64_t bytes)
{
    return 63 - __builtin_clzll(bytes);
}

static bool charge(struct unpack *u, size_t bytes)
{
    struct zstd *z = u->state;

    if (bytes <= z->charged_bytes)
        return true;
    if (!arena_charge(u->arena, bytes - z->charged_bytes)) {
        unpack_no_memory(u);
        return false;
    }
    z->charged_bytes = bytes;
    return true;
}

static void free_stream(struct unpack *u)
{
    struct zstd *z = u->state;

    ZSTD_freeDStream(z->stream);
    z->stream = NULL;
    arena_discharge(u->arena, z->charged_bytes);
    z->charged_bytes = 0;
}

static bool begin(struct unpack *u)
{
    struct zstd *z = u->state;

    z->want = MAGIC_BYTES;
    if (!charge(u, CONTEXT_BYTES))
        return false;
    z->stream = ZSTD_createDStream();
    if (z->stream != NULL &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, log2_of(window_limit(u)))))
        return true;
    free_stream(u);
    u->arena->failure = ARENA_NO_MEMORY;
    unpack_no_memory(u);
    return false;
}

/* Of a frame that is skipped any part will do. */
static size_t want(const struct unpack *u)
{
    const struct zstd *z = u->state;

    return z->want < ASKED_BYTES_MAX ? z->want : ASKED_BYTES_MAX;
}

static void end_frame(struct unpack *u)
{
    struct zstd *z = u->state;

    z->want = MAGIC_BYTES;
    unpack_stream_ends(u);
}

static void refuse_window(struct unpack *u)
{
    diag_set(u->diag, DIAG_UNUSABLE, "window too large",
             "Pack it with a smaller window (zstd --long=27 at most), or send it unpacked.",
             "Unpacking the zstd stream needs a larger window than the %llu bytes that are given.",
             (unsigned long long)window_limit(u));
}

/* A wrong checksum is the frame's last word, and only warned of. */
static void failed(struct unpack *u, size_t code)
{
    const struct zstd *z = u->state;

    u->stopped = true;
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_checksum_wrong:
        u->report.wrong_checksum = true;
        u->stopped = false;
        u->at += z->want;
        ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
        end_frame(u);
        break;
    case ZSTD_error_memory_allocation:
        u->arena->failure = ARENA_NO_MEMORY;
        unpack_no_memory(u);
        break;
    case ZSTD_error_frameParameter_windowTooLarge:
        refuse_window(u);
        break;
    case ZSTD_error_dictionary_wrong:
        diag_set(u->diag, DIAG_UNUSABLE, "packed with a dictionary",
                 "Pack it without a dictionary, or send it unpacked.",
                 "The zstd stream needs a dictionary, which is not in it.");
        break;
    default:
        unpack_damage(u, UNPACK_DAMAGED, u->at);
    }
}

static void decode(struct unpack *u, const uint8_t *p, size_t n)
{
    struct zstd *z = u->state;
    ZSTD_inBuffer in = {p, n, 0};
    ZSTD_outBuffer out;

    do {
        uint8_t *room;
        size_t from = in.pos;
        out = (ZSTD_outBuffer){NULL, unpack_room(u, &room), 0};
        out.dst = room;
        size_t code = ZSTD_decompressStream(z->stream, &out, &in);
        if (ZSTD_isError(code)) {
            failed(u, code);
            return;
        }
        u->at += in.pos - from;
        /* The library takes its window before it uses it, and says how large it is afterwards: never more than
         * window_limit, which is the most that is taken and not charged yet. */
        if (!unpack_wrote(u, out.pos) || !charge(u, ZSTD_sizeof_DStream(z->stream)))
            return;
        z->want = code;
    } while (z->want > 0 && (in.pos < in.size || out.pos == out.size));
    if (z->want == 0)
        end_frame(u);
}

#define SKIP(first) STR_INIT(first "*M\x18")

extern const struct packer PACKER_TAR_ZSTD;

const struct packer PACKER_ZSTD = {
    .name = "zstd",
    .noun = "zstd stream",
    .magics = {STR_INIT("\x28\xb5\x2f\xfd"), SKIP("P"), SKIP("Q"), SKIP("R"), SKIP("S"), SKIP("T"), SKIP("U"),
               SKIP("V"), SKIP("W"), SKIP("X"), SKIP("Y"), SKIP("Z"), SKIP("["), SKIP("\\"), SKIP("]"),
               SKIP("^"), SKIP("_")},
    .codings = {STR_INIT("zstd")},
    .tar = &PACKER_TAR_ZSTD,
    .state_bytes = sizeof(struct zstd),
    .begin = begin,
    .want = want,
    .decode = decode,
    .free = free_stream,
};
