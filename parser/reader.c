/* How the parts work together: the first bytes tell whether the input is packed. It is a source; so is
 * what a stream unpacks to, what a member of an archive has, and what that unpacks to. The format is known
 * by the first bytes of the last of these, and reads it from front to back. */
#include "parser/reader.h"

#include <stdio.h>
#include <string.h>

#include "parser/recognise.h"
#include "parser/refuse/foreign.h"

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

bool reader_attach(struct reader *r, const struct source_input *names)
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

void reader_parallel(struct reader *r, const struct parallel *parallel)
{
    r->parallel = parallel;
}

void reader_choose(struct reader *r, struct str member)
{
    r->member = member;
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

/* Asks the formats in the order of their tables. */
static bool detect(struct reader *r, struct source *s)
{
    size_t n;
    const uint8_t *p = source_need(s, DETECT_BYTES_MAX, &n);
    bool final = n < DETECT_BYTES_MAX;

    if (n == 0)
        return diag_set(&r->diag, DIAG_EMPTY, "empty file",
                        "Check that the recording was stopped before the file was pulled.",
                        "The file has no bytes.");
    for (size_t i = 0; i < FORMATS_COUNT + REFUSED_FORMATS_COUNT && r->format == NULL; i++) {
        const struct format *f = i < FORMATS_COUNT ? FORMATS[i] : REFUSED_FORMATS[i - FORMATS_COUNT];
        if (f->detect(p, final ? n : DETECT_BYTES_MAX, final) == DETECT_YES)
            r->format = f;
    }
    if (r->format == NULL)
        return refuse(r);
    if (builder_split_key(r->builder).n > 0 && !r->format->labels && r->format->written_by != NULL)
        return diag_set(&r->diag, DIAG_USAGE, "no labels in this file", "Leave the option out.",
                        "split: tracks can be made of the labels of samples, and this file has none: %s.",
                        r->format->label);
    return true;
}

/* ---- packing ---- */

/* A member is named of what is no archive. */
static bool has_no_members(struct reader *r)
{
    if (r->unpack == NULL)
        return diag_set(&r->diag, DIAG_USAGE, "no archive", "Leave the member out.",
                        "A member is named, but the file is no archive.");
    struct unpack_report report;
    unpack_report(r->unpack, &report);
    return diag_set(&r->diag, DIAG_USAGE, "no archive", "Leave the member out.",
                    "A member is named, but a %s has no members.", unpack_noun(report.packer));
}

/* Which member the input names, once it is asked. */
static bool name_member(struct reader *r)
{
    const char *asked =
        r->member.p == NULL && r->input->member != NULL ? r->input->member(r->input->context) : NULL;
    char name[UNPACK_MEMBER_BYTES + 1];

    if (asked == NULL || asked[0] == '\0')
        return true;
    unpack_member_name(str_of(asked), name);
    r->member = (struct str){arena_copy(r->arena, name, strlen(name) + 1), strlen(name)};
    return r->member.p != NULL || builder_failed(r->builder, &r->diag);
}

static bool refuse_packed(struct reader *r, const struct packer *packer)
{
    r->packed_twice = true;
    return diag_set(&r->diag, DIAG_UNUSABLE, "packed twice", "Unpack it once, and upload what comes out.",
                    "What is packed is a %s itself, and only one layer is unpacked here.",
                    unpack_noun(packer));
}

static const struct packer *packer_of(struct source *s)
{
    size_t n;
    const uint8_t *p = source_need(s, UNPACK_HEAD_BYTES, &n);
    bool more;

    return unpack_detect(p, n, &more);
}

static bool title(void *reader, struct str member, struct buf *b)
{
    const struct reader *r = reader;
    const struct benchmark_run *run = benchmarks_find(&r->benchmarks, member);

    if (run != NULL)
        benchmarks_put_title(run, b);
    return run != NULL;
}

/* Whether files that are called this by recognise_format may be parts of one recording. For unpack_options. */
static bool recognise_is_part(const char *what)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        if (FORMATS[i]->is_in_parts && FORMATS[i]->label == what)
            return true;
    return false;
}

static struct unpack *new_unpack(struct reader *r, const struct packer *packer)
{
    const struct unpack_options options = {.limits = r->limits.unpacked,
                                           .member =
                                               unpack_is_archive(packer) ? r->member : (struct str){NULL, 0},
                                           .recognise = recognise_format,
                                           .beside = RECOGNISED_BESIDE,
                                           .is_part = recognise_is_part,
                                           .title = title,
                                           .context = r};

    return unpack_new(packer, r->arena, &options, &r->unpack_diag);
}

/* Where the layer's packed bytes are a stream, what they unpack to. NULL: r->diag or r->unpack_diag. */
static struct source *open_layer(struct reader *r, struct reader_layer *l, struct source *packed)
{
    const struct packer *packer = packer_of(packed);

    if (packer == NULL || unpack_is_archive(packer))
        return packed;
    l->unpack = new_unpack(r, packer);
    if (l->unpack == NULL)
        return NULL;
    unpack_from(l->unpack, packed);
    source_of_pull(&l->unpacked, r->arena, unpack_pull, l->unpack);
    packer = packer_of(&l->unpacked);
    if (packer == NULL)
        return &l->unpacked;
    refuse_packed(r, packer);
    return NULL;
}

static void close_layer(struct reader_layer *l)
{
    unpack_free(l->unpack);
    l->unpack = NULL;
    source_free(&l->unpacked);
    source_free(&l->packed);
}

/* ---- what is said of packing: facts, warnings and errors ---- */

enum { SIZE_DIGITS = 4 };

static void put_packing(struct buf *text, const struct unpack_report *report)
{
    buf_z(text, unpack_name(report->packer));
    if (report->member.n > 0) {
        buf_z(text, " (");
        buf_str(text, report->member);
        if (report->parts > 1)
            buf_printf(text, " and %zu more of the same recording", report->parts - 1);
        buf_char(text, ')');
    }
    buf_z(text, ", ");
}

static bool put_fact(struct reader *r, const struct unpack_report *report)
{
    struct buf text = {0};

    put_packing(&text, report);
    if (report->inner != NULL)
        put_packing(&text, report->inner);
    buf_value(&text, UNIT_BYTES, report->packed_bytes, SIZE_DIGITS);
    buf_z(&text, " -> ");
    buf_value(&text, UNIT_BYTES, report->unpacked_bytes, SIZE_DIGITS);
    buf_z(&text, "; places in the file are counted in unpacked bytes");
    bool ok = !text.failed && builder_fact(r->builder, STR("packed"), buf_view(&text));
    buf_free(&text);
    return ok || builder_failed(r->builder, &r->diag);
}

/* Of which benchmark the archive's member is. */
static bool put_benchmark(struct reader *r, const struct unpack_report *report)
{
    const struct benchmark_run *run = benchmarks_find(&r->benchmarks, report->member);
    struct builder *b = r->builder;

    return run == NULL ||
           (builder_fact(b, STR("benchmark"), run->benchmark) &&
            (run->iteration.n == 0 || builder_fact(b, STR("benchmark_iteration"), run->iteration)) &&
            (run->metrics.n == 0 || builder_fact(b, STR("benchmark_metrics"), run->metrics))) ||
           builder_failed(b, &r->diag);
}

static void warn_of_packing(struct reader *r, const struct unpack_report *report)
{
    if (report->state == UNPACK_CUT)
        builder_warn(r->builder, WARN_PACKED_CUT, report->at, WARNING_NO_OFFSET);
    if (report->state == UNPACK_DAMAGED)
        builder_warn(r->builder, WARN_PACKED_DAMAGED, report->at, WARNING_NO_OFFSET);
    if (report->wrong_checksum)
        builder_warn(r->builder, WARN_PACKED_CHECKSUM, 1, WARNING_NO_OFFSET);
    if (report->same_names > 0)
        builder_warn(r->builder, WARN_PACKED_SAME_NAME, report->same_names, WARNING_NO_OFFSET);
    if (report->trailing_bytes > 0)
        builder_warn(r->builder, WARN_TRAILING_BYTES, report->trailing_bytes, WARNING_NO_OFFSET);
}

/* What the profile's readers have to know of the packing. False: diag. */
static bool note_packing(struct reader *r)
{
    struct unpack_report report, inner;

    unpack_report(r->unpack, &report);
    warn_of_packing(r, &report);
    if (report.inner != NULL) {
        report.unpacked_bytes = report.inner->unpacked_bytes;
        if (report.state == UNPACK_WHOLE) /* else it ends because the outer one does */
            warn_of_packing(r, report.inner);
    }
    if (r->inner.unpack != NULL) {
        unpack_report(r->inner.unpack, &inner);
        warn_of_packing(r, &inner);
        report.unpacked_bytes = inner.unpacked_bytes;
    }
    return put_fact(r, &report) && put_benchmark(r, &report);
}

/* Nothing usable came out of what is cut or damaged: that is what to say, unless it is clear what it was. */
static void blame_damage(struct reader *r)
{
    const struct diag said = r->diag;
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    if (report.state == UNPACK_WHOLE && report.inner != NULL)
        report = *report.inner;
    if (report.state == UNPACK_WHOLE && r->inner.unpack != NULL)
        unpack_report(r->inner.unpack, &report);
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

/* An archive that has nothing to read may be something as a whole, like an app. */
static void name_archive(struct reader *r, const struct source_input *file)
{
    const struct diag said = r->diag;
    char head[DETECT_BYTES_MAX];
    ptrdiff_t n = source_input_read(file, 0, head, sizeof(head));
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    const struct foreign *kind =
        n < 0 || report.recognised > 0 ? NULL : foreign_find((struct str){head, (size_t)n});

    if ((said.kind != DIAG_UNUSABLE && said.kind != DIAG_UNKNOWN) || r->member.p != NULL || kind == NULL)
        return;
    r->diag = (struct diag){.kind = DIAG_NONE};
    diag_set(&r->diag, DIAG_FOREIGN, kind->title, kind->hint, "%s %s", kind->detail, said.detail);
}

/* ---- reading ---- */

/* What could not be had comes before what was made of it. */
static bool bytes_failed(struct reader *r)
{
    if (r->unpack_diag.kind == DIAG_NONE && !r->raw.failed && !r->unpacked.failed &&
        !r->inner.unpacked.failed && !r->beside.packed.failed && !r->beside.unpacked.failed)
        return false;
    r->diag = (struct diag){.kind = DIAG_NONE};
    if (r->unpack_diag.kind != DIAG_NONE && !r->raw.failed)
        r->diag = r->unpack_diag;
    else if (r->arena->failure != ARENA_OK)
        builder_failed(r->builder, &r->diag);
    else
        diag_set(&r->diag, DIAG_IO, "cannot read the file", "Try again later.",
                 "Its bytes could not be read to the end.");
    return true;
}

/* Those in the archive, and those that are attached. */
static struct source *next_names(struct reading *reading)
{
    struct reader *r = reading->context;

    close_layer(&r->beside);
    if (r->is_archive && unpack_open_beside(r->unpack))
        source_of_pull(&r->beside.packed, r->arena, unpack_pull, r->unpack);
    else if (r->unpack_diag.kind == DIAG_NONE && r->next_name < r->n_names)
        source_of_input(&r->beside.packed, r->arena, r->names[r->next_name++]);
    else
        return NULL;
    return open_layer(r, &r->beside, &r->beside.packed);
}

static struct source *next_part(struct reading *reading)
{
    struct reader *r = reading->context;

    close_layer(&r->beside);
    if (!r->is_archive || !unpack_open_part(r->unpack))
        return NULL;
    source_of_pull(&r->beside.packed, r->arena, unpack_pull, r->unpack);
    return open_layer(r, &r->beside, &r->beside.packed);
}

/* By its format, to the last byte: also what the format does not want is looked at by the packing. */
static bool read_format(struct reader *r, struct source *s)
{
    struct reading reading = {.source = s,
                              .builder = r->builder,
                              .limits = &r->limits,
                              .diag = &r->diag,
                              .next_names = next_names,
                              .next_part = next_part,
                              .context = r,
                              .parallel = r->parallel};

    if (!detect(r, s) || !r->format->read(&reading))
        return false;
    if (r->format->is_beside == NULL && r->n_names > 0)
        builder_warn(r->builder, WARN_SYMBOLS_OTHER_KIND, r->n_names, WARNING_NO_OFFSET);
    source_pass(s, UINT64_MAX);
    return true;
}

static const struct profile *end_profile(struct reader *r)
{
    const struct profile *profile = NULL;

    if (r->unpack != NULL && !note_packing(r))
        return NULL;
    if (builder_find_build(r->builder))
        profile = builder_finish(r->builder, str_of(r->format->name), str_of(r->format->label));
    if (profile == NULL)
        builder_failed(r->builder, &r->diag);
    return profile;
}

/* What is no archive. */
static const struct profile *read_file(struct reader *r, struct source *s)
{
    bool read = (r->member.p == NULL || has_no_members(r)) && read_format(r, s);

    if (bytes_failed(r) || !read)
        return NULL;
    if (!name_member(r) || (r->member.p != NULL && !has_no_members(r)))
        return NULL;
    return end_profile(r);
}

static bool no_whole_file(struct reader *r)
{
    return diag_set(&r->diag, DIAG_USAGE, "cannot be read as it arrives", "Save it in a file, and name that.",
                    "This kind of file can only be read when all of it is there.");
}

/* Whether the archive lists benchmarks. */
static bool read_benchmarks(struct reader *r, const struct packer *packer, const struct source_input *file)
{
    struct unpack_report report;

    unpack_report(r->unpack, &report);
    if (report.index.n > 0)
        benchmarks_read(&r->benchmarks, packer, file, report.index, &r->limits.unpacked, r->arena);
    return r->benchmarks.n > 0;
}

static bool open_archive(struct reader *r, const struct packer *packer, const struct source_input *file)
{
    uint64_t bytes;

    r->is_archive = true;
    if (file->size == NULL)
        return no_whole_file(r);
    if (!file->size(file->context, &bytes)) {
        r->raw.failed = true;
        return false;
    }
    if (!name_member(r))
        return false;
    r->unpack = new_unpack(r, packer);
    bool open = r->unpack != NULL && unpack_open(r->unpack, file, bytes);
    if (r->unpack == NULL || !read_benchmarks(r, packer, file) || open ||
        r->unpack_diag.topic != DIAG_ABOUT_MEMBER)
        return open;
    /* Once more, since the members have names by which they are told apart. */
    unpack_free(r->unpack);
    r->unpack_diag = (struct diag){.kind = DIAG_NONE};
    r->unpack = new_unpack(r, packer);
    return r->unpack != NULL && unpack_open(r->unpack, file, bytes);
}

static const struct profile *read_archive(struct reader *r, const struct packer *packer,
                                          const struct source_input *file)
{
    const struct profile *profile = NULL;
    struct source *s = NULL;
    bool open = open_archive(r, packer, file);

    if (open) {
        source_of_pull(&r->unpacked, r->arena, unpack_pull, r->unpack);
        s = open_layer(r, &r->inner, &r->unpacked);
    }
    bool read = s != NULL && read_format(r, s);
    if (!bytes_failed(r) && read)
        profile = end_profile(r);
    bool of_packing = r->unpack_diag.kind != DIAG_NONE || r->packed_twice;
    if (profile == NULL && r->unpack != NULL)
        name_archive(r, file);
    if (profile == NULL && open && !of_packing)
        blame_damage(r);
    return profile;
}

static void close_unpacked(struct reader *r)
{
    unpack_free(r->unpack);
    r->unpack = NULL;
    source_free(&r->unpacked);
}

static const struct profile *read_stream(struct reader *r, const struct packer *packer)
{
    const struct profile *profile = NULL;
    size_t n;

    r->unpack = new_unpack(r, packer);
    if (r->unpack == NULL)
        return NULL;
    unpack_from(r->unpack, &r->raw);
    source_of_pull(&r->unpacked, r->arena, unpack_pull, r->unpack);
    const uint8_t *p = source_need(&r->unpacked, UNPACK_HEAD_BYTES, &n);
    const struct packer *archive = unpack_archive_in(packer, p, n), *again = packer_of(&r->unpacked);
    if (archive != NULL) {
        /* An archive of its own, which is read from the whole file. */
        close_unpacked(r);
        return read_archive(r, archive, r->input);
    }
    if (again != NULL && r->member.p == NULL)
        refuse_packed(r, again);
    else
        profile = read_file(r, &r->unpacked);
    if (profile == NULL && !r->packed_twice && r->unpack_diag.kind == DIAG_NONE)
        blame_damage(r);
    return profile;
}

static void end(struct reader *r)
{
    close_layer(&r->beside);
    close_layer(&r->inner);
    close_unpacked(r);
    source_free(&r->raw);
    benchmarks_free(&r->benchmarks);
}

const struct profile *reader_read(struct reader *r, const struct source_input *in)
{
    const struct profile *profile = NULL;

    if (r->diag.kind != DIAG_NONE)
        return NULL;
    r->input = in;
    source_of_input(&r->raw, r->arena, in);
    const struct packer *packer = packer_of(&r->raw);
    if (packer == NULL)
        profile = read_file(r, &r->raw);
    else if (unpack_is_archive(packer))
        profile = read_archive(r, packer, in);
    else
        profile = read_stream(r, packer);
    if (profile == NULL && r->diag.kind == DIAG_NONE)
        bytes_failed(r);
    end(r);
    return profile;
}
