/* Streams: gzip (RFC 1952), read by zlib, and Zstandard (RFC 8878), read by libzstd. Both are one packed
 * piece after the other: the members of gzip, the frames of zstd.
 *
 * libarchive has filters for both, and is not asked: of a cut or damaged file they lose what came out of
 * the last 64 or 128 KiB, or all of a small one, they do not look at gzip's checksums, and do not say how
 * much memory zstd takes.
 *
 * Each step gives the library as many bytes as it is to have at once, fewer only at the end of the file.
 * So its calls, and what it makes of damaged bytes, do not depend on how the input arrives. */
#define ZLIB_CONST
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/cursor.h"
#include "parser/unpack/unpack_impl.h"

enum {
    TRAILER_BYTES = 8,                 /* of a member: u32 CRC-32 and u32 length of what was packed */
    GZIP_WINDOW_BITS = 16 + MAX_WBITS, /* how zlib is told that it is gzip */
    GZIP_STEP_BYTES = 32 << 10,
    ZSTD_MAGIC_BYTES = 4,
    ZSTD_CONTEXT_BYTES = 192 << 10,                /* of the library, before it knows the window */
    ZSTD_STEP_BYTES_MAX = (128 << 10) + (1 << 10), /* that it asks for, but of a frame that is skipped */
    OUT_BYTES_MAX = 1 << 30
};

struct gzip {
    z_stream z;
    uint32_t crc;                   /* of what came out of the member */
    uint64_t bytes;                 /* that came out of it */
    uint8_t trailer[TRAILER_BYTES]; /* the last bytes that zlib took */
};

struct zstd {
    ZSTD_DStream *stream;
    size_t charged_bytes;
    size_t want; /* by the library's own word */
};

struct stream {
    uint8_t *out; /* What comes out is put here. */
    size_t room;  /* that is left there */
    size_t rest;  /* of the bytes of the last step: those that the library did not take */
    bool full;    /* The room was filled: more may come out without any input. */
    bool between; /* The next bytes should begin a piece. */
    bool some;    /* A piece has ended. */
    struct source *in;

    /* A stream that is pushed uses these. */
    uint8_t *held,
        *block; /* bytes that came and are fewer than are needed at once; UNPACK_BLOCK_BYTES that go to the sink */
    size_t held_bytes, held_capacity;

    union {
        struct gzip gzip;
        struct zstd zstd;
    };
};

static struct stream *new_stream(struct unpack *u)
{
    struct stream *s = u->state = arena_alloc(u->arena, sizeof(*s));

    if (s == NULL)
        unpack_no_memory(u);
    else
        *s = (struct stream){.between = true};
    return s;
}

/* So many bytes were put there, of the packed ones before u->at. False: a limit is passed. */
static bool wrote(struct unpack *u, size_t n)
{
    struct stream *s = u->state;

    s->out += n;
    s->room -= n;
    u->report.unpacked_bytes += n;
    return unpack_pass_over(u, n);
}

static void end_piece(struct unpack *u)
{
    struct stream *s = u->state;

    s->between = s->some = true;
}

static void damage(struct unpack *u, enum unpack_state state, uint64_t at)
{
    u->stopped = true;
    unpack_damage(u, state, at);
}

/* ---- gzip ---- */

/* zlib asks for few pieces of memory, and keeps them from member to member. */
static voidpf take(voidpf arena, uInt count, uInt bytes)
{
    return arena_array(arena, count, bytes);
}

static void give_back(voidpf arena, voidpf p)
{
    (void)arena;
    (void)p;
}

/* zlib is told not to check the sums: it would take a wrong one for damage, where we only warn of it. */
static bool gzip_begin(struct unpack *u)
{
    struct stream *s = new_stream(u);

    if (s == NULL)
        return false;
    s->gzip.z = (z_stream){.zalloc = take, .zfree = give_back, .opaque = u->arena};
    if (inflateInit2(&s->gzip.z, GZIP_WINDOW_BITS) == Z_OK && inflateValidate(&s->gzip.z, 0) == Z_OK)
        return true;
    unpack_no_memory(u);
    return false;
}

static size_t gzip_want(const struct unpack *u)
{
    size_t step = u->options.step_bytes > 0 ? u->options.step_bytes : GZIP_STEP_BYTES;

    return step - (size_t)(u->at % step);
}

/* A trailer may be spread over several steps. The last bytes are kept across them. */
static void keep_trailer(struct gzip *g, const uint8_t *p, size_t n)
{
    size_t fresh = n < TRAILER_BYTES ? n : TRAILER_BYTES;

    memmove(g->trailer, g->trailer + fresh, TRAILER_BYTES - fresh);
    memcpy(g->trailer + TRAILER_BYTES - fresh, p + n - fresh, fresh);
}

static void end_member(struct unpack *u, struct gzip *g)
{
    struct cursor c = cursor_of(g->trailer, TRAILER_BYTES);
    uint32_t crc = cursor_u32(&c), length = cursor_u32(&c);

    /* RFC 1952 has the length modulo 2^32 (ISIZE), so larger members are compared by their low 32 bits. */
    if (crc != g->crc || length != (uint32_t)g->bytes)
        u->report.wrong_checksum = true;
    g->crc = 0;
    g->bytes = 0;
    inflateReset(&g->z);
    end_piece(u);
}

static void gzip_decode(struct unpack *u, const uint8_t *p, size_t n)
{
    struct stream *s = u->state;
    struct gzip *g = &s->gzip;
    uint8_t *out = s->out;

    g->z.next_in = p;
    g->z.avail_in = (uInt)n;
    g->z.next_out = out;
    g->z.avail_out = (uInt)s->room;
    int code = inflate(&g->z, Z_NO_FLUSH);
    size_t taken = n - g->z.avail_in, came = s->room - g->z.avail_out;
    u->at += taken;
    keep_trailer(g, p, taken);
    g->crc = (uint32_t)crc32(g->crc, out, (uInt)came);
    g->bytes += came;
    if (!wrote(u, came) || code == Z_OK || code == Z_BUF_ERROR)
        return;
    if (code == Z_STREAM_END)
        end_member(u, g);
    else if (code == Z_MEM_ERROR)
        unpack_no_memory(u);
    else
        damage(u, UNPACK_DAMAGED, u->at);
}

/* ---- zstd ----
 *
 * What a call that fails has put out is lost. Each call is given as many bytes as the library asked for: a block and the header of the
 * next one, or the checksum alone. A damaged block so takes one whole block before it along at most. */

static uint64_t window_limit(const struct unpack *u)
{
    return u->options.window_bytes > 0 ? u->options.window_bytes : UNPACK_WINDOW_BYTES;
}

/* Rounded down, so that the library's window stays within a limit that is no power of two. */
static int log2_of(uint64_t bytes)
{
    return 63 - __builtin_clzll(bytes);
}

static bool charge(struct unpack *u, struct zstd *z, size_t bytes)
{
    if (bytes <= z->charged_bytes)
        return true;
    if (!arena_charge(u->arena, bytes - z->charged_bytes)) {
        unpack_no_memory(u);
        return false;
    }
    z->charged_bytes = bytes;
    return true;
}

static void zstd_free(struct unpack *u)
{
    struct stream *s = u->state;

    ZSTD_freeDStream(s->zstd.stream);
    s->zstd.stream = NULL;
    arena_discharge(u->arena, s->zstd.charged_bytes);
    s->zstd.charged_bytes = 0;
}

static bool zstd_begin(struct unpack *u)
{
    struct stream *s = new_stream(u);

    if (s == NULL || !charge(u, &s->zstd, ZSTD_CONTEXT_BYTES))
        return false;
    s->zstd.want = ZSTD_MAGIC_BYTES;
    s->zstd.stream = ZSTD_createDStream();
    if (s->zstd.stream != NULL &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(s->zstd.stream, ZSTD_d_windowLogMax, log2_of(window_limit(u)))))
        return true;
    zstd_free(u);
    u->arena->failure = ARENA_NO_MEMORY;
    unpack_no_memory(u);
    return false;
}

/* A frame that is skipped can be read in parts of any size. */
static size_t zstd_want(const struct unpack *u)
{
    const struct stream *s = u->state;

    return s->zstd.want < ZSTD_STEP_BYTES_MAX ? s->zstd.want : ZSTD_STEP_BYTES_MAX;
}

static void end_frame(struct unpack *u, struct zstd *z)
{
    z->want = ZSTD_MAGIC_BYTES;
    end_piece(u);
}

/* The last call, of n bytes, failed. A wrong checksum is the frame's last word, and only warned of. */
static void zstd_failed(struct unpack *u, struct zstd *z, size_t code, size_t n)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_checksum_wrong:
        u->report.wrong_checksum = true;
        u->at += n;
        ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
        end_frame(u, z);
        return;
    case ZSTD_error_memory_allocation:
        u->arena->failure = ARENA_NO_MEMORY;
        unpack_no_memory(u);
        break;
    case ZSTD_error_frameParameter_windowTooLarge:
        diag_set(u->diag, DIAG_UNUSABLE, "window too large",
                 "Pack it with a smaller window (zstd --long=27 at most), or send it unpacked.",
                 "Unpacking the zstd stream needs a larger window than the %llu bytes that are given.",
                 (unsigned long long)window_limit(u));
        break;
    case ZSTD_error_dictionary_wrong:
        diag_set(u->diag, DIAG_UNUSABLE, "packed with a dictionary",
                 "Pack it without a dictionary, or send it unpacked.",
                 "The zstd stream needs a dictionary, which is not in it.");
        break;
    default:
        damage(u, UNPACK_DAMAGED, u->at);
    }
    u->stopped = true;
}

static void zstd_decode(struct unpack *u, const uint8_t *p, size_t n)
{
    struct stream *s = u->state;
    struct zstd *z = &s->zstd;
    ZSTD_inBuffer in = {p, n, 0};
    ZSTD_outBuffer out = {s->out, s->room, 0};
    size_t code = ZSTD_decompressStream(z->stream, &out, &in);

    if (ZSTD_isError(code)) {
        zstd_failed(u, z, code, n);
        return;
    }
    u->at += in.pos;
    /* The library takes its window before it uses it, and says how large it is afterwards: never more than
     * window_limit, which is the most that is taken and not charged yet. */
    if (!wrote(u, out.pos) || !charge(u, z, ZSTD_sizeof_DStream(z->stream)))
        return;
    z->want = code;
    if (code == 0)
        end_frame(u, z);
}

/* ---- both ---- */

/* How many bytes the next step must have. */
static size_t needed(const struct unpack *u)
{
    const struct stream *s = u->state;

    if (s->between)
        return u->packer->magics[0].n;
    return s->full || s->rest > 0 ? s->rest : u->packer->want(u);
}

/* These bytes should begin a piece. Behind the last one there may be zeros, which fill up a block, and
 * bytes of no meaning. */
static void begin_piece(struct unpack *u, const uint8_t *p, size_t n)
{
    struct stream *s = u->state;
    bool more = n == 0;

    if (s->some && n > 0 && p[0] == 0 && u->packer->zeros_behind)
        u->at++;
    else if (unpack_begins(u->packer, p, n, &more))
        s->between = false;
    else if (s->some && (n == 0 || !more))
        u->stopped = u->trails = true;
    else
        damage(u, more ? UNPACK_CUT : UNPACK_DAMAGED, more ? u->at + n : u->at);
}

/* Takes a step with these bytes: as many as are needed, or the last ones. Returns how many are done with. */
static size_t step(struct unpack *u, const uint8_t *p, size_t n)
{
    struct stream *s = u->state;
    uint64_t from = u->at;

    if (s->between) {
        begin_piece(u, p, n);
    } else if (n == 0 && !s->full) {
        damage(u, UNPACK_CUT, u->at);
    } else {
        u->packer->decode(u, p, n);
        s->full = !s->between && s->room == 0;
        s->rest = s->between ? 0 : n - (size_t)(u->at - from);
    }
    return (size_t)(u->at - from);
}

/* ---- pulled ---- */

void unpack_from(struct unpack *u, struct source *in)
{
    struct stream *s = u->state;

    s->in = in;
}

ptrdiff_t stream_pull(struct unpack *u, void *to, size_t n)
{
    struct stream *s = u->state;
    const size_t room = n < OUT_BYTES_MAX ? n : OUT_BYTES_MAX;

    s->out = to;
    s->room = room;
    while (s->room == room && !u->stopped) {
        size_t need = needed(u), there;
        const uint8_t *p = source_need(s->in, need, &there);
        source_consume(s->in, step(u, p, there < need ? there : need));
    }
    if (u->diag->kind != DIAG_NONE)
        return -1;
    if (s->room == room)
        source_pass(s->in, UINT64_MAX);
    u->report.packed_bytes = source_offset(s->in);
    return (ptrdiff_t)(room - s->room);
}

/* ---- pushed ---- */

/* A step with what is held; what comes out goes to the sink. */
static void step_on(struct unpack *u, size_t need)
{
    struct stream *s = u->state;

    s->out = s->block;
    s->room = UNPACK_BLOCK_BYTES;
    size_t taken = step(u, s->held, s->held_bytes < need ? s->held_bytes : need);
    s->held_bytes -= taken;
    memmove(s->held, s->held + taken, s->held_bytes);
    if (s->room < UNPACK_BLOCK_BYTES &&
        !u->options.sink(u->options.context, s->block, UNPACK_BLOCK_BYTES - s->room))
        u->stopped = u->sink_closed = true;
}

static bool may_go_on(const struct unpack *u)
{
    return u->diag->kind == DIAG_NONE && !u->sink_closed;
}

bool unpack_feed(struct unpack *u, const void *p, size_t n)
{
    struct stream *s = u->state;

    if (s->block == NULL)
        s->block = arena_alloc(u->arena, UNPACK_BLOCK_BYTES);
    if (s->block == NULL || !ARENA_ROOM(u->arena, s->held, s->held_capacity, s->held_bytes + n + 1)) {
        unpack_no_memory(u);
        return false;
    }
    if (n > 0)
        memcpy(s->held + s->held_bytes, p, n);
    s->held_bytes += n;
    u->report.packed_bytes += n;
    while (!u->stopped && s->held_bytes >= needed(u))
        step_on(u, needed(u));
    return may_go_on(u);
}

bool unpack_finish(struct unpack *u)
{
    while (unpack_feed(u, NULL, 0) && !u->stopped)
        step_on(u, needed(u));
    return may_go_on(u);
}

extern const struct packer PACKER_TAR_GZIP, PACKER_TAR_ZSTD;

const struct packer PACKER_GZIP = {
    .name = "gzip",
    .noun = "gzip stream",
    .magics = {STR_INIT("\x1f\x8b\x08")},
    .codings = {STR_INIT("gzip"), STR_INIT("x-gzip")},
    .tar = &PACKER_TAR_GZIP,
    .zeros_behind = true,
    .begin = gzip_begin,
    .want = gzip_want,
    .decode = gzip_decode,
};

#define SKIP(first) STR_INIT(first "*M\x18")

const struct packer PACKER_ZSTD = {
    .name = "zstd",
    .noun = "zstd stream",
    .magics = {STR_INIT("\x28\xb5\x2f\xfd"), SKIP("P"), SKIP("Q"), SKIP("R"), SKIP("S"), SKIP("T"), SKIP("U"),
               SKIP("V"), SKIP("W"), SKIP("X"), SKIP("Y"), SKIP("Z"), SKIP("["), SKIP("\\"), SKIP("]"),
               SKIP("^"), SKIP("_")},
    .codings = {STR_INIT("zstd")},
    .tar = &PACKER_TAR_ZSTD,
    .begin = zstd_begin,
    .want = zstd_want,
    .decode = zstd_decode,
    .free = zstd_free,
};
