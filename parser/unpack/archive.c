/* Archives, read by libarchive from a whole file: which of their members is meant, and its bytes.
 *
 * The archive is gone through twice. The first time only members are listed; nothing is unpacked for it where the archive
 * says how large they are. If one member is meant, the second time goes to it and hands out its bytes.
 *
 * Memory: libarchive takes ARCHIVE_BYTES at most, and of an archive with a directory (zip) ARCHIVE_DIRECTORY_FACTOR times
 * the directory's bytes, which are charged to the arena while the directory is read. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "parser/unpack/members.h"
#include "parser/unpack/unpack_impl.h"
#include "parser/whole_file.h"

/* The smallest entry of a zip's directory has 46 bytes; libarchive keeps less than 184 of each. */
enum { ARCHIVE_BYTES = 512 << 10, ARCHIVE_DIRECTORY_FACTOR = 4, ARCHIVE_METHODS_MAX = 2 };

/* What is known of one kind of archive; a row in its packer. */
struct archive_format {
    int (*enable)(struct archive *a); /* archive_read_support_format_.. */
    /* Words by which archive_format_name tells how a member is packed; those of a method whose memory is bounded. All empty:
     * any will do. */
    const char *methods[ARCHIVE_METHODS_MAX];
    /* The first bytes of a file that is one of several into which an archive was split; may be empty. */
    struct str split_magic;
    const char *split_hint; /* how to join them */
};

enum { PIECE_BYTES = 64 << 10, SPLIT_MAGIC_BYTES = 4 };

/* One way through the archive. */
struct pass {
    struct unpack *u;
    struct archive *a;
    const struct whole_file *file;
    uint8_t *piece; /* PIECE_BYTES; libarchive reads from here */
    uint64_t at;    /* where it reads next */
    bool
        in_directory; /* what is read now may be a directory, of which libarchive keeps an entry for each member */
    bool at_end;      /* it asked for bytes behind the file's end */
    bool unreadable; /* the file could not be read */
    locale_t utf8;
    char name[UNPACK_MEMBER_BYTES + 1]; /* of the member under way */
};

/* ---- what libarchive reads ---- */

static la_ssize_t read_piece(struct archive *a, void *context, const void **piece)
{
    struct pass *p = context;
    struct unpack *u = p->u;
    ptrdiff_t n = p->file->read_at(p->file->context, p->at, p->piece, PIECE_BYTES);

    *piece = p->piece;
    if (n < 0)
        p->unreadable = true;
    else if (p->in_directory && !arena_charge(u->arena, ARCHIVE_DIRECTORY_FACTOR * (size_t)n))
        unpack_no_memory(u);
    if (p->unreadable || u->stopped) {
        archive_set_error(a, EIO, "stopped");
        return ARCHIVE_FATAL;
    }
    if (p->in_directory)
        u->charged_bytes += ARCHIVE_DIRECTORY_FACTOR * (size_t)n;
    p->at_end = n == 0;
    p->at += (uint64_t)n;
    u->at += (uint64_t)n;
    return n;
}

static la_int64_t skip(struct archive *a, void *context, la_int64_t n)
{
    struct pass *p = context;
    uint64_t left = p->file->bytes > p->at ? p->file->bytes - p->at : 0;
    uint64_t part = n < 0 ? 0 : (uint64_t)n < left ? (uint64_t)n : left;

    (void)a;
    p->at += part;
    return (la_int64_t)part;
}

static la_int64_t seek(struct archive *a, void *context, la_int64_t offset, int whence)
{
    struct pass *p = context;
    uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? p->at : p->file->bytes;
    int64_t to;

    (void)a;
    if (__builtin_add_overflow((int64_t)from, offset, &to) || to < 0)
        return ARCHIVE_FATAL;
    p->at = (uint64_t)to;
    p->at_end = false;
    return to;
}

/* ---- one way through it ---- */

static void end_pass(struct pass *p)
{
    archive_read_free(p->a);
    if (p->utf8 != (locale_t)0)
        freelocale(p->utf8);
    arena_discharge(p->u->arena, p->u->charged_bytes);
    p->u->charged_bytes = 0;
}

static bool open_archive(struct pass *p)
{
    struct archive *a = p->a;

    return p->u->packer->archive->enable(a) == ARCHIVE_OK &&
           archive_read_set_read_callback(a, read_piece) == ARCHIVE_OK &&
           archive_read_set_skip_callback(a, skip) == ARCHIVE_OK &&
           archive_read_set_seek_callback(a, seek) == ARCHIVE_OK &&
           archive_read_set_callback_data(a, p) == ARCHIVE_OK;
}

/* False: no memory, or the file cannot be read. What is wrong with the archive shows at its first member. */
static bool begin_pass(struct pass *p, struct unpack *u, const struct whole_file *file, uint8_t *piece)
{
    *p = (struct pass){.u = u, .file = file, .piece = piece};
    if (!arena_charge(u->arena, ARCHIVE_BYTES)) {
        unpack_no_memory(u);
        return false;
    }
    u->charged_bytes = ARCHIVE_BYTES;
    p->a = archive_read_new();
    if (p->a != NULL && open_archive(p)) {
        p->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        p->in_directory = true;
        if (archive_read_open1(p->a) == ARCHIVE_OK)
            return true;
    }
    if (p->unreadable || u->stopped) {
        end_pass(p);
        return false;
    }
    u->arena->failure = ARENA_NO_MEMORY;
    unpack_no_memory(u);
    end_pass(p);
    return false;
}

/* The next member, its name in p->name. libarchive turns names that are marked as UTF-8 into the charset of the locale, and
 * loses what that does not have: so the thread has a locale of UTF-8 meanwhile, whatever the program's is. Names without a
 * mark stay the bytes that they are. */
static int next_member(struct pass *p, struct archive_entry **entry)
{
    locale_t before = p->utf8 != (locale_t)0 ? uselocale(p->utf8) : (locale_t)0;

    int code = archive_read_next_header(p->a, entry);
    const char *name = code == ARCHIVE_OK || code == ARCHIVE_WARN ? archive_entry_pathname(*entry) : NULL;
    p->in_directory = false;
    if (before != (locale_t)0)
        uselocale(before);
    unpack_member_name(name == NULL ? STR("") : str_of(name), p->name);
    return code;
}

/* Says that the archive ends or is damaged here, unless it was we who stopped, or libarchive had no memory. */
static void note_damage(struct pass *p)
{
    la_int64_t at = archive_filter_bytes(p->a, 0);

    if (p->u->stopped || p->unreadable)
        return;
    if (archive_errno(p->a) == ENOMEM) {
        p->u->arena->failure = ARENA_NO_MEMORY;
        unpack_no_memory(p->u);
        return;
    }
    if (p->at_end)
        unpack_damage(p->u, UNPACK_CUT, p->file->bytes);
    else
        unpack_damage(p->u, UNPACK_DAMAGED, at > 0 ? (uint64_t)at : 0);
}

/* ---- the first way: which members there are ---- */

/* A folder, and what macOS adds, are of no use. */
static bool is_file(struct pass *p, struct archive_entry *entry)
{
    struct str name = str_of(p->name);

    return archive_entry_filetype(entry) == AE_IFREG && name.n > 0 && !str_starts(name, STR("__MACOSX/"));
}

/* Whether there is anything in a member of which the archive does not say how large it is. All of it has to be unpacked to
 * come to the next one, so the limits count it. */
static bool has_bytes(struct pass *p)
{
    const void *block;
    la_int64_t offset;
    bool some = false;

    for (;;) {
        size_t n = 0;
        int code = archive_read_data_block(p->a, &block, &n, &offset);
        some = some || n > 0;
        if (code == ARCHIVE_EOF)
            return some;
        if (code == ARCHIVE_FAILED) /* it cannot be unpacked, and so is not empty */
            return true;
        if (code < ARCHIVE_WARN || !unpack_pass_over(p->u, n))
            return some;
    }
}

/* False: a limit was passed, or the file could not be read. */
static bool list_members(struct pass *p, struct members *m)
{
    struct archive_entry *entry;
    int code;

    for (uint64_t i = 0; (code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN; i++) {
        bool usable = is_file(p, entry) &&
                      (archive_entry_size_is_set(entry) ? archive_entry_size(entry) > 0 : has_bytes(p));
        if (p->u->stopped || p->unreadable)
            return false;
        if (usable)
            members_note(p->u, m, p->name, i);
    }
    if (code == ARCHIVE_EOF)
        return true;
    m->more = true;
    if (!m->found || p->u->options.member.p == NULL)
        note_damage(p); /* else it is behind the member that was chosen, and of no interest */
    return !p->u->stopped && !p->unreadable;
}

/* ---- the second way: its bytes ---- */

static bool refuse(struct pass *p, const char *why)
{
    p->u->stopped = true;
    return diag_set(p->u->diag, DIAG_UNUSABLE, "cannot be unpacked", "Send the trace itself, unpacked.",
                    "The file %.120s in the %s %s.", p->name, p->u->packer->noun, why);
}

static bool may_read(struct pass *p, struct archive_entry *entry)
{
    const char *const *methods = p->u->packer->archive->methods;
    const char *said = archive_format_name(p->a);
    bool known = methods[0] == NULL;

    if (archive_entry_is_encrypted(entry))
        return refuse(p, "is encrypted");
    for (size_t i = 0; i < ARCHIVE_METHODS_MAX && methods[i] != NULL; i++)
        known = known || (said != NULL && strstr(said, methods[i]) != NULL);
    return known || refuse(p, "is packed by a method that is not read here");
}

static void hand_out(struct pass *p)
{
    const void *block;
    la_int64_t offset;
    int code;

    do {
        size_t n = 0;
        code = archive_read_data_block(p->a, &block, &n, &offset);
        if (code == ARCHIVE_WARN) /* at its end: its bytes are not those that were packed */
            p->u->report.wrong_checksum = true;
        else if (code != ARCHIVE_OK && code != ARCHIVE_EOF)
            note_damage(p);
        if ((code == ARCHIVE_OK || code == ARCHIVE_WARN) && n > 0 && !unpack_put(p->u, block, n))
            return;
    } while (code == ARCHIVE_OK || code == ARCHIVE_WARN);
}

static void unpack_member(struct pass *p, uint64_t place)
{
    struct archive_entry *entry;
    int code;

    for (uint64_t i = 0; (code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN; i++)
        if (i == place) {
            if (may_read(p, entry))
                hand_out(p);
            return;
        }
    note_damage(p);
}

/* ---- both ---- */

static bool refuse_split(struct unpack *u, const struct whole_file *file)
{
    const struct archive_format *format = u->packer->archive;
    char head[SPLIT_MAGIC_BYTES];
    ptrdiff_t n = file->read_at(file->context, 0, head, sizeof(head));

    if (format->split_magic.n == 0 || n < 0 || !str_eq((struct str){head, (size_t)n}, format->split_magic))
        return false;
    diag_at(u->diag, DIAG_UNUSABLE, 0, "part of an archive", format->split_hint,
            "The %s is spread over several files.", u->packer->noun);
    return true;
}

static bool unreadable(struct unpack *u)
{
    return diag_set(u->diag, DIAG_IO, "cannot read the file", "Try again later.",
                    "The %s could not be read again after it had arrived.", u->packer->noun);
}

/* Of each pass the limits count for themselves: both take the same bytes. */
static bool go_through(struct unpack *u, const struct whole_file *file, struct members *m, uint8_t *piece,
                       bool listing)
{
    struct pass p;

    u->at = u->out_bytes = 0;
    bool begun = begin_pass(&p, u, file, piece);
    if (begun && listing)
        list_members(&p, m);
    else if (begun)
        unpack_member(&p, m->place);
    if (p.unreadable)
        unreadable(u);
    if (begun)
        end_pass(&p);
    return begun && u->diag->kind == DIAG_NONE && !u->stopped;
}

static bool read_archive(struct unpack *u, const struct whole_file *file)
{
    struct members *m = arena_alloc(u->arena, sizeof(*m));
    uint8_t *piece = arena_alloc(u->arena, PIECE_BYTES);

    u->report.packed_bytes = file->bytes;
    if (m == NULL || piece == NULL) {
        unpack_no_memory(u);
        return false;
    }
    return !refuse_split(u, file) && go_through(u, file, m, piece, true) && members_judge(u, m) &&
           (!m->found || go_through(u, file, m, piece, false));
}

const struct packer PACKER_ZIP = {
    .name = "zip",
    .noun = "zip archive",
    .magics = {STR_INIT("PK\3\4"), STR_INIT("PK\5\6"), STR_INIT("PK\7\x08"), STR_INIT("PK00")},
    .read_whole = read_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_zip,
                                              .methods = {"(uncompressed)", "(deflation)"},
                                              .split_magic = STR_INIT("PK\7\x08"),
                                              .split_hint = "Join them: zip -s 0 FILE.zip --out whole.zip"},
};
