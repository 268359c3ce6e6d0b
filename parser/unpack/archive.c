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
    int (*filter)(
        struct archive
            *a); /* archive_read_support_filter_..: the stream that all of it is packed in; NULL: none */
    size_t library_bytes; /* what libarchive takes at most, beside a directory */
    bool has_directory;   /* of which it keeps an entry for each member */
    /* Words by which archive_format_name tells how a member is packed; those of a method whose memory is bounded. All empty:
     * any will do. */
    const char *methods[ARCHIVE_METHODS_MAX];
    /* The first bytes of a file that is one of several into which an archive was split; may be empty. */
    struct str split_magic;
    const char *split_hint; /* how to join them */
};

enum { PIECE_BYTES = 64 << 10, SPLIT_MAGIC_BYTES = 4, TAR_MAGIC_AT = 257 };

/* Headers with long names and attributes have at most 1 MiB, of which libarchive keeps two copies. */
enum { TAR_BYTES = 4 << 20 };

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

    const struct archive_format *format = p->u->packer->archive;

    return format->enable(a) == ARCHIVE_OK && (format->filter == NULL || format->filter(a) == ARCHIVE_OK) &&
           archive_read_set_read_callback(a, read_piece) == ARCHIVE_OK &&
           archive_read_set_skip_callback(a, skip) == ARCHIVE_OK &&
           archive_read_set_seek_callback(a, seek) == ARCHIVE_OK &&
           archive_read_set_callback_data(a, p) == ARCHIVE_OK;
}

/* False: no memory, or the file cannot be read. What is wrong with the archive shows at its first member. */
static bool begin_pass(struct pass *p, struct unpack *u, const struct whole_file *file, uint8_t *piece)
{
    *p = (struct pass){.u = u, .file = file, .piece = piece};
    if (!arena_charge(u->arena, u->packer->archive->library_bytes)) {
        unpack_no_memory(u);
        return false;
    }
    u->charged_bytes = u->packer->archive->library_bytes;
    p->a = archive_read_new();
    if (p->a != NULL && open_archive(p)) {
        p->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        p->in_directory = u->packer->archive->has_directory;
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

/* The beginning of a member that is looked at. */
struct beginning {
    uint8_t bytes[UNPACK_RECOGNISE_BYTES];
    size_t n;
};

/* Goes through a member's bytes and keeps the first ones, if `b` is not NULL; all of them if `all`, so that the limits count
 * what has to be unpacked to come to the next member. *whole: the kept ones are all. Returns whether there is anything in it. */
static bool look_into(struct pass *p, struct beginning *b, bool all, bool *whole)
{
    const void *block;
    la_int64_t offset;
    bool some = false;

    *whole = false;
    while (all || (b != NULL && b->n < UNPACK_RECOGNISE_BYTES)) {
        size_t n = 0;
        int code = archive_read_data_block(p->a, &block, &n, &offset);
        size_t part = b == NULL ? 0 : UNPACK_RECOGNISE_BYTES - b->n < n ? UNPACK_RECOGNISE_BYTES - b->n : n;
        some = some || n > 0;
        if (part > 0) {
            memcpy(b->bytes + b->n, block, part);
            b->n += part;
        }
        if (code == ARCHIVE_EOF)
            *whole = b != NULL && b->n < UNPACK_RECOGNISE_BYTES;
        if (code == ARCHIVE_FAILED) /* it cannot be unpacked, and so is not empty */
            return true;
        if (code == ARCHIVE_EOF || code < ARCHIVE_WARN || !unpack_pass_over(p->u, n))
            return some;
    }
    return some;
}

/* Whether the method is one whose memory is bounded. */
static bool is_known_method(const struct pass *p)
{
    const char *const *methods = p->u->packer->archive->methods;
    const char *said = archive_format_name(p->a);
    bool known = methods[0] == NULL;

    for (size_t i = 0; i < ARCHIVE_METHODS_MAX && methods[i] != NULL; i++)
        known = known || (said != NULL && strstr(said, methods[i]) != NULL);
    return known;
}

/* Whether the entry is a file with bytes in it; *what it is; *seen: whether that could be told. */
static bool is_usable(struct pass *p, struct archive_entry *entry, struct beginning *b, const char **what,
                      bool *seen)
{
    bool file = is_file(p, entry), streamed = p->u->packer->archive->filter != NULL, whole;
    bool sized = archive_entry_size_is_set(entry) && !streamed;
    bool looked_at = file && p->u->options.member.p == NULL && p->u->options.recognise != NULL &&
                     !archive_entry_is_encrypted(entry) && is_known_method(p);

    *what = NULL;
    *seen = looked_at;
    b->n = 0;
    bool some = look_into(p, looked_at ? b : NULL, streamed || (file && !sized), &whole);
    if (looked_at && b->n > 0)
        *what = p->u->options.recognise(b->bytes, b->n, whole);
    return file && (sized ? archive_entry_size(entry) > 0 : some);
}

/* Who wants to know of all members hears of this one. */
static bool tell(struct unpack *u, const struct members *m, const char *name, const char *what)
{
    const struct unpack_member member = {name, m->usable, what};

    u->sink_closed = u->options.listed != NULL && !u->options.listed(u->options.context, &member);
    return !u->sink_closed;
}

/* False: a limit was passed, the file could not be read, or nobody wants to hear more. */
static bool list_members(struct pass *p, struct members *m, struct beginning *b)
{
    struct archive_entry *entry;
    const char *what;
    bool seen;
    int code;

    for (uint64_t i = 0; (code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN; i++) {
        bool usable = is_usable(p, entry, b, &what, &seen);
        if (p->u->stopped || p->unreadable)
            return false;
        if (usable)
            members_note(p->u, m, p->name, i, what);
        bool opaque = !seen || b->n == 0; /* nobody can tell what it is */
        if (usable && (opaque || (what != NULL && what != p->u->options.beside)) &&
            !tell(p->u, m, p->name, what))
            return false;
        m->unseen += usable && !seen;
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
    if (archive_entry_is_encrypted(entry))
        return refuse(p, "is encrypted");
    return is_known_method(p) || refuse(p, "is packed by a method that is not read here");
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
    bool whole;
    int code;

    for (uint64_t i = 0; (code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN; i++)
        if (i == place) {
            if (may_read(p, entry))
                hand_out(p);
            return;
        } else if (p->u->packer->archive->filter != NULL) {
            look_into(p, NULL, true, &whole);
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
                       struct beginning *listing)
{
    struct pass p;

    u->at = u->out_bytes = 0;
    bool begun = begin_pass(&p, u, file, piece);
    if (begun && listing != NULL)
        list_members(&p, m, listing);
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
    struct beginning *b = arena_alloc(u->arena, sizeof(*b));

    u->report.packed_bytes = file->bytes;
    if (m == NULL || piece == NULL || b == NULL) {
        unpack_no_memory(u);
        return false;
    }
    if (refuse_split(u, file) || !go_through(u, file, m, piece, b))
        return false;
    return u->options.listed != NULL ||
           (members_judge(u, m) && (!m->found || go_through(u, file, m, piece, NULL)));
}

/* ---- what belongs to others ---- */

/* Places of members, ascending. */
struct places {
    uint64_t list[UNPACK_BESIDE_MAX];
    size_t n;
};

/* Both go through the archive until it ends, or cannot be read on: that was told when its members were listed. */
static void find_beside(struct pass *p, struct beginning *b, struct places *found)
{
    struct archive_entry *entry;
    const char *what;
    bool seen;
    int code;

    for (uint64_t i = 0; ((code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) &&
                         !p->u->stopped && found->n < UNPACK_BESIDE_MAX;
         i++)
        if (is_usable(p, entry, b, &what, &seen) && what != NULL && what == p->u->options.beside)
            found->list[found->n++] = i;
}

static void hand_out_beside(struct pass *p, const struct places *found, bool (*begin)(void *context))
{
    struct archive_entry *entry;
    bool whole;
    size_t at = 0;
    int code;

    for (uint64_t i = 0; at < found->n && !p->u->stopped &&
                         ((code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN);
         i++)
        if (i != found->list[at]) {
            look_into(p, NULL, p->u->packer->archive->filter != NULL, &whole);
        } else {
            at++;
            p->u->sink_closed = !begin(p->u->options.context);
            p->u->stopped = p->u->sink_closed;
            if (!p->u->stopped && may_read(p, entry))
                hand_out(p);
            unpack_hand_out(p->u);
        }
}

bool unpack_beside(struct unpack *u, const struct whole_file *file, bool (*begin)(void *context))
{
    struct places *found = arena_alloc(u->arena, sizeof(*found));
    struct beginning *b = arena_alloc(u->arena, sizeof(*b));
    uint8_t *piece = arena_alloc(u->arena, PIECE_BYTES);
    struct str member = u->options.member;
    struct pass p;

    if (found == NULL || b == NULL || piece == NULL) {
        unpack_no_memory(u);
        return false;
    }
    u->options.member = (struct str){NULL, 0}; /* all are looked into */
    for (int handing_out = 0; handing_out < 2 && u->diag->kind == DIAG_NONE && !u->stopped; handing_out++) {
        u->at = u->out_bytes = 0;
        if ((handing_out && found->n == 0) || !begin_pass(&p, u, file, piece))
            break;
        if (handing_out)
            hand_out_beside(&p, found, begin);
        else
            find_beside(&p, b, found);
        if (p.unreadable)
            unreadable(u);
        end_pass(&p);
    }
    u->options.member = member;
    return u->diag->kind == DIAG_NONE && !u->sink_closed;
}

const struct packer PACKER_ZIP = {
    .name = "zip",
    .noun = "zip archive",
    .magics = {STR_INIT("PK\3\4"), STR_INIT("PK\5\6"), STR_INIT("PK\7\x08"), STR_INIT("PK00")},
    .read_whole = read_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_zip,
                                              .library_bytes = ARCHIVE_BYTES,
                                              .has_directory = true,
                                              .methods = {"(uncompressed)", "(deflation)"},
                                              .split_magic = STR_INIT("PK\7\x08"),
                                              .split_hint = "Join them: zip -s 0 FILE.zip --out whole.zip"},
};

/* POSIX 1003.1, pax and GNU: the magic stands behind the name and numbers of the first header. Older ones have none. */
const struct packer PACKER_TAR = {
    .name = "tar",
    .noun = "tar archive",
    .magics = {STR_INIT("ustar")},
    .magic_at = TAR_MAGIC_AT,
    .read_whole = read_archive,
    .archive =
        &(const struct archive_format){.enable = archive_read_support_format_tar, .library_bytes = TAR_BYTES},
};

const struct packer PACKER_TAR_GZIP = {
    .name = "tar.gz",
    .noun = "tar.gz archive",
    .read_whole = read_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_tar,
                                              .filter = archive_read_support_filter_gzip,
                                              .library_bytes = TAR_BYTES},
};

const struct packer PACKER_TAR_ZSTD = {
    .name = "tar.zst",
    .noun = "tar.zst archive",
    .read_whole = read_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_tar,
                                              .filter = archive_read_support_filter_zstd,
                                              .library_bytes = TAR_BYTES + UNPACK_WINDOW_BYTES},
};
