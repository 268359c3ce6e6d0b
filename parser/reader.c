/* How the parts work together: the first bytes decide which way the input goes (reader.way). Plain bytes go to feed_plain as
 * they are. Those of a gzip or zstd stream go to parser/unpack, which hands what it makes of them to feed_plain by
 * feed_unpacked. An archive is not fed: it is read when the whole file is there, and its member comes the same way.
 *
 * feed_plain keeps all bytes in the carry until a format says that they are its own. From then on the format takes whole
 * records from the front of what it is offered. What it leaves is the beginning of a record: that is the carry now, and the
 * next bytes are put behind it. */
#include "parser/reader.h"

#include <string.h>

#include "parser/format.h"
#include "parser/refuse/foreign.h"

enum {
    /* A record that straddles two pieces is completed with at most this many bytes of the next one, so that little is
     * copied. */
    CARRY_STEP_BYTES = 4096,
    SIZE_DIGITS = 4
};

const struct reader_limits READER_LIMITS_DEFAULT = {.methods = 4000000,
                                                    .threads = 200000,
                                                    .line_bytes = 1 << 20,
                                                    .name_bytes = 4096,
                                                    .unpacked = {.bytes = UINT64_C(8) << 30, .ratio = 200}};

bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed)
{
    *r = (struct reader){.arena = arena, .limits = *limits};
    r->builder = builder_new(arena, seed);
    return r->builder != NULL;
}

static bool add_carry(struct reader *r, const uint8_t *p, size_t n)
{
    uint8_t *carry = arena_grow(r->arena, r->carry, &r->carry_capacity, r->carry_bytes + n, 1);

    if (carry == NULL)
        return builder_failed(r->builder, &r->diag);
    r->carry = carry;
    if (n > 0)
        memcpy(carry + r->carry_bytes, p, n);
    r->carry_bytes += n;
    return true;
}

/* ---- detection ---- */

static bool refuse(struct reader *r)
{
    return diag_set(&r->diag, DIAG_UNKNOWN, "unknown file format",
                    "Upload an Android method trace (Debug.startMethodTracing, am profile, Android Studio's "
                    "recorded Java "
                    "methods) or folded stacks.",
                    "The file is none of the formats that are read here.");
}

/* Asks the formats in the order of their tables. One that needs more bytes holds up those behind it, so that the answer
 * does not depend on how many bytes have come. */
static bool detect(struct reader *r, bool final)
{
    for (size_t i = 0; i < FORMATS_COUNT + REFUSED_FORMATS_COUNT && r->format == NULL; i++) {
        const struct format *f = i < FORMATS_COUNT ? FORMATS[i] : REFUSED_FORMATS[i - FORMATS_COUNT];
        enum detection answer = f->detect(r->carry, r->carry_bytes, final);
        if (answer == DETECT_MORE && !final)
            return true;
        if (answer == DETECT_YES)
            r->format = f;
    }
    if (r->format == NULL)
        return refuse(r);
    r->state = arena_alloc(r->arena, r->format->state_bytes);
    if (r->state == NULL)
        return builder_failed(r->builder, &r->diag);
    return r->format->begin(r->state, r->builder, &r->limits, &r->diag);
}

/* ---- feeding ---- */

/* What the format leaves, it is offered again only when that is twice as much: it may look at all of it each
 * time, and the pieces may be single bytes. */
static bool feed_format(struct reader *r, const uint8_t *p, size_t n, bool final, size_t *consumed)
{
    bool ok = r->format->feed(r->state, p, n, r->offset, final, consumed);

    r->offset += *consumed;
    r->enough_bytes = 2 * (n - *consumed);
    return ok;
}

/* Completes the carried bytes with the beginning of the piece: a step of it is put behind them, and all of that is offered to
 * the format, until the format has consumed at least what was carried before. The rest of the piece can then be read where
 * it lies, without a copy. */
static bool feed_carry(struct reader *r, const uint8_t **p, size_t *n)
{
    while (r->carry_bytes > 0) {
        size_t carried = r->carry_bytes, consumed;
        size_t step = carried > CARRY_STEP_BYTES ? carried : CARRY_STEP_BYTES;
        if (step > *n)
            step = *n;
        if (!add_carry(r, *p, step))
            return false;
        if (r->carry_bytes < r->enough_bytes) {
            *n = 0;
            return true;
        }
        if (!feed_format(r, r->carry, r->carry_bytes, false, &consumed))
            return false;
        if (consumed >= carried) {
            *p += consumed - carried;
            *n -= consumed - carried;
            r->carry_bytes = 0;
            return true;
        }
        memmove(r->carry, r->carry + consumed, r->carry_bytes - consumed);
        r->carry_bytes -= consumed;
        *p += step;
        *n -= step;
        if (*n == 0)
            return true;
    }
    return true;
}

static bool feed_piece(struct reader *r, const uint8_t *p, size_t n)
{
    size_t consumed;

    if (!feed_carry(r, &p, &n))
        return false;
    if (n == 0)
        return true;
    return feed_format(r, p, n, false, &consumed) && add_carry(r, p + consumed, n - consumed);
}

static bool is_whole(const struct reader *r)
{
    return r->format != NULL && r->format->read_whole != NULL;
}

bool reader_wants_whole(const struct reader *r)
{
    return r->diag.kind == DIAG_NONE && (r->way == READER_ARCHIVE || (r->way == READER_PLAIN && is_whole(r)));
}

static bool feed_plain(struct reader *r, const uint8_t *bytes, size_t n)
{
    if (r->diag.kind != DIAG_NONE)
        return false;
    if (r->format == NULL && n > 0) {
        size_t step = DETECT_BYTES_MAX - r->carry_bytes;
        if (step > n)
            step = n;
        if (!add_carry(r, bytes, step) || !detect(r, false))
            return false;
        bytes += step;
        n -= step;
    }
    if (r->format == NULL)
        return true;
    if (!is_whole(r))
        return feed_piece(r, bytes, n);
    /* What is unpacked is nowhere else: it is kept. */
    return r->way != READER_PLAIN && add_carry(r, bytes, n);
}

/* ---- packed input ---- */

static bool put_fact(struct reader *r, const struct unpack_report *report)
{
    struct buf text = {0};

    buf_z(&text, unpack_name(report->packer));
    if (report->member.n > 0) {
        buf_z(&text, " (");
        buf_str(&text, report->member);
        buf_char(&text, ')');
    }
    buf_z(&text, ", ");
    buf_value(&text, UNIT_BYTES, report->packed_bytes, SIZE_DIGITS);
    buf_z(&text, " -> ");
    buf_value(&text, UNIT_BYTES, report->unpacked_bytes, SIZE_DIGITS);
    buf_z(&text, "; places in the file are counted in unpacked bytes");
    bool ok = !text.failed && builder_fact(r->builder, STR("packed"), buf_view(&text));
    buf_free(&text);
    return ok || builder_failed(r->builder, &r->diag);
}

/* What the profile's readers have to know of the packing. */
static bool note_packing(struct reader *r)
{
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    if (report.state == UNPACK_CUT)
        builder_warn(r->builder, WARN_PACKED_CUT, report.at, WARNING_NO_OFFSET);
    if (report.state == UNPACK_DAMAGED)
        builder_warn(r->builder, WARN_PACKED_DAMAGED, report.at, WARNING_NO_OFFSET);
    if (report.wrong_checksum)
        builder_warn(r->builder, WARN_PACKED_CHECKSUM, 1, WARNING_NO_OFFSET);
    if (report.same_names > 0)
        builder_warn(r->builder, WARN_PACKED_SAME_NAME, report.same_names, WARNING_NO_OFFSET);
    if (report.trailing_bytes > 0)
        builder_warn(r->builder, WARN_TRAILING_BYTES, report.trailing_bytes, WARNING_NO_OFFSET);
    return put_fact(r, &report);
}

/* The sink. Its first block holds more than any magic needs, or all there is. */
static bool feed_unpacked(void *context, const uint8_t *p, size_t n)
{
    struct reader *r = context;
    bool more;
    const struct packer *again = r->format == NULL && r->carry_bytes == 0 ? unpack_detect(p, n, &more) : NULL;

    r->packed_twice = again != NULL;
    if (again != NULL)
        return diag_set(&r->diag, DIAG_UNUSABLE, "packed twice", "Unpack it once, and upload what comes out.",
                        "What is packed is a %s itself, and only one layer is unpacked here.",
                        unpack_noun(again));
    return feed_plain(r, p, n);
}

static bool begin_packed(struct reader *r, const struct packer *packer)
{
    const struct unpack_options options = {
        .limits = r->limits.unpacked, .member = r->member, .sink = feed_unpacked, .context = r};

    r->way = unpack_is_archive(packer) ? READER_ARCHIVE : READER_PACKED;
    r->unpack = unpack_new(packer, r->arena, &options, &r->unpack_diag);
    if (r->unpack == NULL)
        r->diag = r->unpack_diag;
    return r->unpack != NULL;
}

static bool begin_plain(struct reader *r)
{
    r->way = READER_PLAIN;
    return r->member.p == NULL || diag_set(&r->diag, DIAG_USAGE, "no archive", "Leave the member out.",
                                           "A member is named, but the file is no zip archive.");
}

static bool feed_packed(struct reader *r, const uint8_t *p, size_t n)
{
    if (r->unpack == NULL)
        return false;
    if (unpack_feed(r->unpack, p, n))
        return true;
    if (r->unpack_diag.kind != DIAG_NONE)
        r->diag = r->unpack_diag;
    return false;
}

/* Nothing usable came out of what is cut or damaged: that is what to say, unless it is clear what it was. */
static void blame_damage(struct reader *r)
{
    const struct diag said = r->diag;
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    const char *noun = unpack_noun(report.packer);
    if (report.state != UNPACK_WHOLE &&
        (said.kind == DIAG_EMPTY || said.kind == DIAG_UNKNOWN || said.kind == DIAG_UNUSABLE)) {
        r->diag = (struct diag){.kind = DIAG_NONE};
        diag_at(&r->diag, DIAG_UNUSABLE, report.at,
                report.state == UNPACK_CUT ? "packed file cut" : "packed file damaged",
                "Copy it again and check that it is whole, or upload it unpacked.",
                "The %s %s there, and what comes out before is of no use: %.300s", noun,
                report.state == UNPACK_CUT ? "ends early" : "is damaged", said.detail);
    } else if (said.kind == DIAG_EMPTY) {
        r->diag = (struct diag){.kind = DIAG_NONE};
        diag_set(&r->diag, DIAG_EMPTY, said.title, said.hint, "What the %s unpacks to has no bytes.", noun);
    }
}

/* An archive of which no member is meant may be something as a whole, like an app. */
static void name_archive(struct reader *r, const struct whole_file *file)
{
    const struct diag said = r->diag;
    char head[DETECT_BYTES_MAX];
    ptrdiff_t n = file->read_at(file->context, 0, head, sizeof(head));
    const struct foreign *kind = n < 0 ? NULL : foreign_find((struct str){head, (size_t)n});

    if (said.kind != DIAG_UNUSABLE || r->member.p != NULL || kind == NULL)
        return;
    r->diag = (struct diag){.kind = DIAG_NONE};
    diag_set(&r->diag, DIAG_FOREIGN, kind->title, kind->hint, "%s %s", kind->detail, said.detail);
}

static bool no_whole_file(struct reader *r)
{
    return diag_set(&r->diag, DIAG_USAGE, "cannot be read as it arrives", "Save it in a file, and name that.",
                    "This kind of file can only be read when all of it is there.");
}

/* A format that reads the whole: from the file, unless all of it stands in the carry. */
static bool read_whole(struct reader *r, const struct whole_file *file, bool carried)
{
    const struct str bytes = {(const char *)r->carry, r->carry_bytes};
    struct whole_file kept = whole_file_of(&bytes);

    if (carried)
        file = &kept;
    return file == NULL ? no_whole_file(r)
                        : r->format->read_whole(r->state, file) && r->format->finish(r->state, file->bytes);
}

static bool read_rest(struct reader *r)
{
    uint64_t file_bytes = r->offset + r->carry_bytes;
    size_t consumed;

    return feed_format(r, r->carry, r->carry_bytes, true, &consumed) &&
           r->format->finish(r->state, file_bytes);
}

static const struct profile *finish_plain(struct reader *r, const struct whole_file *file)
{
    const struct profile *profile;
    /* All bytes of the input stand in the carry, if they were unpacked, or too few to be any format for sure. */
    bool carried = r->way != READER_PLAIN || r->format == NULL;

    if (r->diag.kind == DIAG_NONE && r->format == NULL) {
        if (r->carry_bytes == 0)
            diag_set(&r->diag, DIAG_EMPTY, "empty file",
                     "Check that the recording was stopped before the file was pulled.",
                     "The file has no bytes.");
        else
            detect(r, true);
    }
    if (r->diag.kind != DIAG_NONE || !(is_whole(r) ? read_whole(r, file, carried) : read_rest(r)) ||
        (r->unpack != NULL && !note_packing(r)))
        return NULL;
    profile = builder_finish(r->builder, str_of(r->format->name), str_of(r->format->label));
    if (profile == NULL)
        builder_failed(r->builder, &r->diag);
    return profile;
}

static const struct profile *finish_packed(struct reader *r, const struct whole_file *file)
{
    bool archive = r->way == READER_ARCHIVE;
    const struct profile *profile = NULL;

    if (r->unpack == NULL || (archive && file == NULL && !no_whole_file(r)))
        return NULL;
    bool ok = archive ? unpack_whole(r->unpack, file) : unpack_finish(r->unpack);
    if (r->unpack_diag.kind != DIAG_NONE)
        r->diag = r->unpack_diag;
    else if (ok)
        profile = finish_plain(r, NULL);
    bool of_packing = r->unpack_diag.kind != DIAG_NONE || r->packed_twice;
    if (profile == NULL && archive && of_packing && file != NULL)
        name_archive(r, file);
    else if (profile == NULL && !of_packing)
        blame_damage(r);
    return profile;
}

/* ---- the whole ---- */

void reader_choose(struct reader *r, struct str member)
{
    r->member = member;
}

static bool feed_on(struct reader *r, const uint8_t *p, size_t n)
{
    return r->way == READER_PLAIN    ? feed_plain(r, p, n)
           : r->way == READER_PACKED ? feed_packed(r, p, n)
                                     : false;
}

/* Decides by the bytes in the head, or by those of a piece that has enough of them. False: not yet, or diag. */
static bool begin(struct reader *r, const uint8_t *p, size_t n, bool final)
{
    bool more;
    const struct packer *packer = unpack_detect(p, n, &more);

    if (packer != NULL)
        return begin_packed(r, packer);
    return (final || !more) && begin_plain(r);
}

bool reader_feed(struct reader *r, const void *p, size_t n)
{
    const uint8_t *bytes = p;

    if (r->way == READER_BEGINS && r->diag.kind != DIAG_NONE)
        return false;
    while (r->way == READER_BEGINS && n > 0) {
        if (r->head_bytes == 0 && n >= UNPACK_MAGIC_BYTES) {
            if (!begin(r, bytes, n, false))
                return false;
            break;
        }
        r->head[r->head_bytes++] = *bytes++;
        n--;
        if (begin(r, r->head, r->head_bytes, false) && !feed_on(r, r->head, r->head_bytes))
            return false;
        if (r->diag.kind != DIAG_NONE)
            return false;
    }
    return r->way == READER_BEGINS || feed_on(r, bytes, n);
}

const struct profile *reader_finish(struct reader *r, const struct whole_file *file)
{
    const struct profile *profile = NULL;

    if (r->way == READER_BEGINS && r->diag.kind == DIAG_NONE && begin(r, r->head, r->head_bytes, true))
        feed_plain(r, r->head, r->head_bytes);
    bool packed = r->way == READER_PACKED || r->way == READER_ARCHIVE;
    profile = packed ? finish_packed(r, file) : finish_plain(r, file);
    reader_free(r);
    return profile;
}

void reader_free(struct reader *r)
{
    unpack_free(r->unpack);
    r->unpack = NULL;
}
