/* How the parts work together: the first bytes decide which way the input goes (reader.way). Plain bytes go to feed_plain as
 * they are. Those of a gzip or zstd stream go to parser/unpack, which hands what it makes of them to feed_plain by
 * feed_unpacked. An archive is not fed: it is read when the whole file is there, and its member comes the same way.
 *
 * feed_plain keeps all bytes in the carry until a format says that they are its own. From then on the format takes whole
 * records from the front of what it is offered. What it leaves is the beginning of a record: that is the carry now, and the
 * next bytes are put behind it. */
#include "parser/reader.h"

#include <stdio.h>
#include <string.h>

#include "parser/format.h"
#include "parser/reader_impl.h"
#include "parser/recognise.h"

enum {
    NAMES_PIECE_BYTES = 64 << 10,
    /* A record that straddles two pieces is completed with at most this many bytes of the next one, so that little is
     * copied. */
    CARRY_STEP_BYTES = 4096
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
    if (!ARENA_ROOM(r->arena, r->carry, r->carry_capacity, r->carry_bytes + n))
        return builder_failed(r->builder, &r->diag);
    if (n > 0)
        memcpy(r->carry + r->carry_bytes, p, n);
    r->carry_bytes += n;
    return true;
}

/* ---- detection ---- */

/* What a format is called, without what tells it from its siblings: "Android method trace (streaming)". */
static struct str family_of(const struct format *f)
{
    struct str label = str_of(f->label);

    label.n = str_find_str(label, STR(" ("));
    return label;
}

static bool refuse(struct reader *r)
{
    char names[300];
    struct str family = {NULL, 0};
    size_t n = 0;

    for (size_t i = 0; i < FORMATS_COUNT && n < sizeof(names); i++) {
        struct str last = family;
        family = family_of(FORMATS[i]);
        if (!str_eq(family, last))
            n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.*s", n == 0 ? "" : ", ", (int)family.n,
                                  family.p);
    }
    char hint[sizeof(names) + 30];
    snprintf(hint, sizeof(hint), "Upload one of these: %s.", names);
    return diag_set(&r->diag, DIAG_UNKNOWN, "unknown file format", hint,
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
    if (builder_split_key(r->builder).n > 0 && !r->format->labels && r->format->written_by != NULL)
        return diag_set(&r->diag, DIAG_USAGE, "no labels in this file", "Leave the option out.",
                        "split: tracks can be made of the labels of samples, and this file has none: %s.",
                        r->format->label);
    r->state = arena_alloc(r->arena, r->format->state_bytes);
    if (r->state == NULL)
        return builder_failed(r->builder, &r->diag);
    if (!r->format->begin(r->state, r->builder, &r->limits, &r->diag))
        return false;
    if (r->hold && r->format->hold != NULL)
        r->format->hold(r->state, true);
    return true;
}

bool reader_resume(struct reader *r, const void *state, size_t bytes)
{
    return r->format->resume == NULL || r->format->resume(r->state, state, bytes);
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

bool reader_end_part(struct reader *r)
{
    size_t consumed;
    bool ok = r->carry_bytes == 0 || feed_format(r, r->carry, r->carry_bytes, false, &consumed);

    r->carry_bytes = 0;
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

/* A member is named of what is no archive. */
static bool may_have_no_members(struct reader *r)
{
    return r->member.p == NULL ||
           diag_set(&r->diag, DIAG_USAGE, "no archive", "Leave the member out.",
                    "A member is named, but a %s has no members.", unpack_noun(r->packer));
}

static bool refuse_packed(struct reader *r, const struct packer *packer)
{
    r->packed_twice = true;
    return diag_set(&r->diag, DIAG_UNUSABLE, "packed twice", "Unpack it once, and upload what comes out.",
                    "What is packed is a %s itself, and only one layer is unpacked here.",
                    unpack_noun(packer));
}

/* The sink of a member that is packed once more. */
static bool feed_inside(void *context, const uint8_t *p, size_t n)
{
    struct reader *r = context;
    bool more;
    const struct packer *again = r->format == NULL && r->carry_bytes == 0 ? unpack_detect(p, n, &more) : NULL;

    return again != NULL ? refuse_packed(r, again) : feed_plain(r, p, n);
}

/* A member of an archive may be a stream itself, as pprof's files always are. */
static bool begin_inside(struct reader *r, const struct packer *packer)
{
    const struct unpack_options options = {.limits = r->limits.unpacked, .sink = feed_inside, .context = r};

    r->inner = unpack_new(packer, r->arena, &options, &r->unpack_diag);
    return r->inner != NULL;
}

static bool feed_names(struct reader *r, const uint8_t *p, size_t n)
{
    bool more;
    const struct packer *packer = r->begins ? unpack_detect(p, n, &more) : NULL;

    r->begins = false;
    if (packer != NULL && !unpack_is_archive(packer) && !begin_inside(r, packer))
        return false;
    return r->inner != NULL ? unpack_feed(r->inner, p, n) : feed_plain(r, p, n);
}

/* The sink. Its first block holds more than any magic needs, or all there is. */
static bool feed_unpacked(void *context, const uint8_t *p, size_t n)
{
    struct reader *r = context;

    if (r->in_names)
        return feed_names(r, p, n);
    bool more, first = r->begins;
    const struct packer *again = first ? unpack_detect(p, n, &more) : NULL;

    r->begins = false;
    if (first && r->way == READER_PACKED) {
        r->inside = unpack_archive_in(r->packer, p, n);
        if (r->inside != NULL)
            return add_carry(r, p, n) && false; /* all of it, if it ends here: see finish_packed */
        if (!may_have_no_members(r))
            return false;
    }
    if (again != NULL && r->way == READER_ARCHIVE && !unpack_is_archive(again) && !begin_inside(r, again))
        return false;
    if (r->inner != NULL)
        return unpack_feed(r->inner, p, n);
    return again != NULL ? refuse_packed(r, again) : feed_plain(r, p, n);
}

static bool begin_packed(struct reader *r, const struct packer *packer)
{
    bool archive = unpack_is_archive(packer);
    const struct unpack_options options = {.limits = r->limits.unpacked,
                                           .member = archive ? r->member : (struct str){NULL, 0},
                                           .recognise = recognise_format,
                                           .beside = RECOGNISED_BESIDE,
                                           .sink = feed_unpacked,
                                           .context = r};

    r->begins = true;
    r->packer = packer;
    r->way = archive ? READER_ARCHIVE : READER_PACKED;
    r->unpack = unpack_new(packer, r->arena, &options, &r->unpack_diag);
    if (r->unpack == NULL)
        r->diag = r->unpack_diag;
    return r->unpack != NULL;
}

static bool begin_plain(struct reader *r)
{
    r->way = READER_PLAIN;
    return r->member.p == NULL || diag_set(&r->diag, DIAG_USAGE, "no archive", "Leave the member out.",
                                           "A member is named, but the file is no archive.");
}

/* The stream turned out to be an archive, which is read when all of it is there. */
static void turn_to_archive(struct reader *r)
{
    const struct packer *archive = r->inside;

    r->inside = NULL;
    r->carry_bytes = 0;
    unpack_free(r->unpack);
    begin_packed(r, archive);
}

/* A small tar in a stream, of which no file was kept because nothing had come out of it yet: it stands in the carry. */
static bool read_small_tar(struct reader *r)
{
    bool more;

    r->tar = (struct str){r->carry_bytes > 0 ? arena_copy(r->arena, r->carry, r->carry_bytes) : NULL,
                          r->carry_bytes};
    r->tar_file = whole_file_of(&r->tar);
    if (r->tar.p == NULL)
        return builder_failed(r->builder, &r->diag);
    r->inside = unpack_detect(r->tar.p, r->tar.n, &more);
    turn_to_archive(r);
    r->archive = &r->tar_file;
    return r->unpack != NULL && unpack_whole(r->unpack, r->archive);
}

static bool feed_packed(struct reader *r, const uint8_t *p, size_t n)
{
    if (r->unpack == NULL)
        return false;
    if (unpack_feed(r->unpack, p, n))
        return true;
    if (r->inside != NULL) {
        turn_to_archive(r);
        return false;
    }
    if (r->unpack_diag.kind != DIAG_NONE)
        r->diag = r->unpack_diag;
    return false;
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

/* ---- names in files beside the input ---- */

/* The last record of what was fed. */
static bool end_feed(struct reader *r)
{
    size_t consumed;

    if (r->inner != NULL && !unpack_finish(r->inner))
        return false;
    bool ok = feed_format(r, r->carry, r->carry_bytes, true, &consumed);
    r->carry_bytes = 0;
    return ok;
}

static bool begin_names(void *context)
{
    struct reader *r = context;

    if (!end_feed(r))
        return false;
    unpack_free(r->inner);
    r->inner = NULL;
    r->begins = true;
    r->format->beside(r->state);
    return true;
}

static bool read_attached(struct reader *r, const struct whole_file *file)
{
    uint8_t *piece = arena_alloc(r->arena, NAMES_PIECE_BYTES);
    ptrdiff_t n = 0;

    if (piece == NULL)
        return builder_failed(r->builder, &r->diag);
    if (!begin_names(r))
        return false;
    for (uint64_t at = 0; (n = file->read_at(file->context, at, piece, NAMES_PIECE_BYTES)) > 0;
         at += (uint64_t)n)
        if (!feed_names(r, piece, (size_t)n))
            return false;
    return n == 0 || diag_set(&r->diag, DIAG_IO, "cannot read the file", "Try again later.",
                              "The file of symbols could not be read again after it had arrived.");
}

/* Those in the archive, and those that are attached. */
static bool read_names(struct reader *r)
{
    struct unpack *inner = r->inner; /* of the input: for what is said of its packing */
    bool ok = end_feed(r);

    r->inner = NULL;
    r->in_names = true;
    ok = ok && (r->archive == NULL || unpack_beside(r->unpack, r->archive, begin_names));
    for (size_t i = 0; ok && i < r->n_names; i++)
        ok = read_attached(r, r->names[i]);
    ok = ok && end_feed(r);
    unpack_free(r->inner);
    r->inner = inner;
    if (!ok && r->diag.kind == DIAG_NONE)
        r->diag = r->unpack_diag;
    return ok;
}

static bool take_names(struct reader *r)
{
    if (r->format->beside != NULL)
        return read_names(r);
    if (r->n_names > 0)
        builder_warn(r->builder, WARN_SYMBOLS_OTHER_KIND, r->n_names, WARNING_NO_OFFSET);
    return true;
}

static const struct profile *finish_plain(struct reader *r, const struct whole_file *file)
{
    const struct profile *profile = NULL;
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
    if (r->diag.kind != DIAG_NONE || !take_names(r) ||
        !(is_whole(r) ? read_whole(r, file, carried) : read_rest(r)) ||
        (r->unpack != NULL && !reader_note_packing(r)))
        return NULL;
    if (builder_find_build(r->builder))
        profile = builder_finish(r->builder, str_of(r->format->name), str_of(r->format->label));
    if (profile == NULL)
        builder_failed(r->builder, &r->diag);
    return profile;
}

static const struct profile *finish_packed(struct reader *r, const struct whole_file *file)
{
    const struct profile *profile = NULL;
    bool ok = true, streamed = r->way == READER_PACKED && r->unpack != NULL;

    if (streamed)
        ok = unpack_finish(r->unpack);
    bool small = r->inside != NULL && file == NULL;
    if (r->inside != NULL && !small)
        turn_to_archive(r);
    bool archive = r->way == READER_ARCHIVE;
    if (r->unpack == NULL || (archive && file == NULL && !no_whole_file(r)))
        return NULL;
    if (small)
        ok = read_small_tar(r);
    else if (archive) {
        r->archive = file;
        ok = unpack_whole(r->unpack, file);
    }
    if (ok && r->inner != NULL)
        ok = unpack_finish(r->inner);
    if (r->unpack_diag.kind != DIAG_NONE)
        r->diag = r->unpack_diag;
    else if (ok)
        profile = finish_plain(r, NULL);
    bool of_packing = r->unpack_diag.kind != DIAG_NONE || r->packed_twice;
    if (profile == NULL && archive && of_packing && file != NULL)
        reader_name_archive(r, file);
    else if (profile == NULL && !of_packing)
        reader_blame_damage(r);
    return profile;
}

/* ---- the whole ---- */

bool reader_attach(struct reader *r, const struct whole_file *names)
{
    if (r->n_names == READER_NAMES_MAX)
        return false;
    r->names[r->n_names++] = names;
    return true;
}

bool reader_is_names(const void *p, size_t n)
{
    return recognise_format(p, n, false) == RECOGNISED_BESIDE;
}

void reader_split(struct reader *r, struct str key)
{
    if (!builder_split(r->builder, key))
        builder_failed(r->builder, &r->diag);
}

void reader_keep_addresses(struct reader *r)
{
    builder_keep_addresses(r->builder);
}

void reader_choose(struct reader *r, struct str member)
{
    r->member = member;
    if (r->way == READER_ARCHIVE && r->unpack != NULL)
        unpack_choose(r->unpack, member);
    else if (r->diag.kind == DIAG_NONE && r->way != READER_BEGINS && r->inside == NULL)
        r->way == READER_PLAIN ? begin_plain(r) : may_have_no_members(r);
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
        if (r->head_bytes == 0 && n >= UNPACK_HEAD_BYTES) {
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
    unpack_free(r->inner);
    r->unpack = r->inner = NULL;
}
