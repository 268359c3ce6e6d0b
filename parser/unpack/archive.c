/* Archives, read by libarchive from a whole file: which of their members is meant, and its bytes.
 *
 * The archive is gone through twice. The first time only members are listed; nothing is unpacked for it
 * where the archive says how large they are. If one member is meant, the second time goes to it and hands
 * out its bytes.
 *
 * Memory: libarchive takes ARCHIVE_BYTES at most, and of an archive with a directory (zip)
 * ARCHIVE_DIRECTORY_FACTOR times the directory's bytes, which are charged to the arena while the directory
 * is read. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/hash.h"
#include "parser/two_files.h"
#include "parser/unpack/unpack_impl.h"

/* The smallest entry of a zip's directory has 46 bytes; libarchive keeps less than 184 of each. */
enum { ARCHIVE_BYTES = 512 << 10, ARCHIVE_DIRECTORY_FACTOR = 4, ARCHIVE_METHODS_MAX = 2 };

/* ---- members ----
 *
 * Which member of an archive is meant: the one that was named, of several of that name the first; that whose place was
 * given, #1 being the first usable one; or the only one that is recognised as something that is read; or the only one that is
 * usable; or all that are recognised, where they are parts of one recording. A member is usable if it is a file with bytes in it. Whether there are others is known at the end of the archive
 * only. */

enum { MEMBERS_LISTED_MAX = 20, MEMBERS_LISTED_BYTES = 64 };

struct member {
    uint64_t number;  /* its place among the usable ones, from 1 */
    const char *what; /* it is, in words; NULL: nothing that is read */
    bool cut;
    char name[MEMBERS_LISTED_BYTES + 1]; /* its end, if it is cut */
    char whole[UNPACK_MEMBER_BYTES + 1];
};

struct members {
    uint64_t unseen;                  /* usable ones that could not be looked into */
    uint64_t usable, recognised;      /* so far */
    bool found;                       /* the one that is meant */
    uint64_t place;                   /* of that one, as members_note was told */
    uint64_t halves, half_place;      /* data files of traces in two files; where the last one is */
    uint64_t parts[UNPACK_PARTS_MAX]; /* places of those that may be parts of one recording */
    size_t n_parts, next_part;
    bool more;                                /* there may be others where the archive cannot be read */
    struct member listed[MEMBERS_LISTED_MAX]; /* the first of them, those that are recognised before others */
    size_t n_listed;
    char taken[UNPACK_MEMBER_BYTES + 1]; /* the name of the one that is meant */
    char index[UNPACK_MEMBER_BYTES + 1]; /* that of the list of benchmarks' results */
};

static const char DOTS[] = "...";

static void copy(char *out, struct str s)
{
    if (s.n > 0)
        memcpy(out, s.p, s.n);
    out[s.n] = '\0';
}

void unpack_member_name(struct str name, char out[UNPACK_MEMBER_BYTES + 1])
{
    enum { DIGEST_CHARS = 1 + 16 };
    /* Always the same one: the digest is kept. Nobody gains by two names that have the same. */
    static const struct hash_seed SEED = {0, 0};
    /* At its limit from the beginning: it takes no memory, and nothing more when it is full. */
    struct buf cleaned = {.p = out, .capacity = UNPACK_MEMBER_BYTES, .limit = UNPACK_MEMBER_BYTES};
    struct str rest = name;

    while (rest.n > 0 && !cleaned.failed)
        clean_put(&cleaned, clean_next(&rest));
    out[cleaned.n] = '\0';
    if (cleaned.failed) {
        size_t n = clean_cut((struct str){out, cleaned.n}, UNPACK_MEMBER_BYTES - DIGEST_CHARS).n;
        snprintf(out + n, DIGEST_CHARS + 1, "~%016" PRIx64, hash_bytes(SEED, name.p, name.n));
    }
}

/* The number in `#N`; 0: it is a name. */
static uint64_t place_of(struct str member)
{
    uint64_t place;

    if (member.n < 2 || member.p[0] != '#' ||
        !str_to_u64((struct str){member.p + 1, member.n - 1}, 10, &place))
        return 0;
    return place;
}

static bool is_choice(const struct unpack *u, const char *what)
{
    return what != NULL && what != u->options.beside;
}

static bool is_meant(const struct unpack *u, const struct members *m, struct str name, const char *what)
{
    uint64_t place = place_of(u->options.member);

    if (u->options.member.p == NULL)
        return is_choice(u, what) ? m->recognised == 0 : m->usable == 0;
    if (m->found)
        return false;
    return place > 0 ? m->usable + 1 == place : str_eq(name, u->options.member);
}

static void list_one(struct member *listed, struct str name)
{
    copy(listed->whole, name);
    listed->cut = name.n > MEMBERS_LISTED_BYTES;
    if (!listed->cut) {
        copy(listed->name, name);
        return;
    }
    /* Of a long path the end says most. */
    size_t from = name.n - (MEMBERS_LISTED_BYTES - (sizeof(DOTS) - 1));
    while (from < name.n && (name.p[from] & 0xc0) == 0x80)
        from++;
    memcpy(listed->name, DOTS, sizeof(DOTS));
    copy(listed->name + sizeof(DOTS) - 1, (struct str){name.p + from, name.n - from});
}

/* Room in the list; if there is none, and it is worth it, that of the last one that is not recognised. NULL: none. */
static struct member *room_for(struct members *m, const char *what)
{
    size_t at = m->n_listed;

    if (at < MEMBERS_LISTED_MAX)
        return &m->listed[m->n_listed++];
    while (at > 0 && m->listed[at - 1].what != NULL)
        at--;
    if (what == NULL || at == 0)
        return NULL;
    memmove(&m->listed[at - 1], &m->listed[at], (MEMBERS_LISTED_MAX - at) * sizeof(m->listed[0]));
    return &m->listed[MEMBERS_LISTED_MAX - 1];
}

static void take(struct unpack *u, struct members *m, struct str name, uint64_t place)
{
    m->found = true;
    m->place = place;
    copy(m->taken, name);
    u->report.member = str_of(m->taken);
}

/* The folder of a name, with its slash. */
static struct str folder_of(struct str name)
{
    while (name.n > 0 && name.p[name.n - 1] != '/')
        name.n--;
    return name;
}

/* AndroidX's benchmarks write a zip of Trace.pb, InMemoryTrace.pb and MethodTrace.pb: one recording. Recordings that have
 * nothing to do with each other are called otherwise, or are in folders of their own. (androidx.benchmark,
 * PerfettoOutput.kt) */
static bool is_part_name(struct str name)
{
    struct str folder = folder_of(name);

    return str_ends(name, STR(".pb")) && name.p[folder.n] >= 'A' && name.p[folder.n] <= 'Z';
}

static void note_part(struct unpack *u, struct members *m, struct str name, uint64_t place, const char *what)
{
    bool beside_others = !m->found || str_eq(folder_of(name), folder_of(str_of(m->taken)));

    if (u->options.is_part != NULL && u->options.member.p == NULL && is_choice(u, what) &&
        u->options.is_part(what) && is_part_name(name) && beside_others && m->n_parts < UNPACK_PARTS_MAX)
        m->parts[m->n_parts++] = place;
}

/* All that can be used belong together. */
static bool are_parts(const struct members *m)
{
    return m->n_parts > 1 && m->n_parts == m->recognised && m->unseen == 0;
}

/* This one, the `place`th of all members, is usable; `what` it is, or NULL. Takes it if it is meant, and
 * counts others of that name. */
static bool is_index(struct str name)
{
    return str_ends(name, STR("benchmarkData.json"));
}

static void members_note(struct unpack *u, struct members *m, const char *name, uint64_t place,
                         const char *what)
{
    struct str whole = str_of(name);
    bool meant = is_meant(u, m, whole, what);
    struct member *listed = room_for(m, what);

    if (listed != NULL) {
        list_one(listed, whole);
        listed->number = m->usable + 1;
        listed->what = what;
    }
    m->usable++;
    if (m->index[0] == '\0' && is_index(whole)) {
        copy(m->index, whole);
        u->report.index = str_of(m->index);
    }
    note_part(u, m, whole, place, what);
    m->recognised += is_choice(u, what);
    u->report.recognised = m->recognised;
    if (meant)
        take(u, m, whole, place);
    else if (m->found && u->options.member.p != NULL && str_eq(whole, str_of(m->taken)))
        u->report.same_names++;
}

/* Whether its name, as it is listed, does not tell it from the others. */
static bool needs_place(const struct members *m, uint64_t at, uint64_t listed)
{
    for (uint64_t i = 0; i < listed; i++)
        if (i != at && strcmp(m->listed[i].name, m->listed[at].name) == 0)
            return true;
    return m->listed[at].cut;
}

/* "a (folded stacks), b (#2), c and 3 more" */
static void list(const struct unpack *u, const struct members *m, struct buf *b)
{
    const struct unpack_options *o = &u->options;

    for (size_t i = 0; i < m->n_listed; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        bool titled = o->title != NULL && o->title(o->context, str_of(m->listed[i].whole), b);
        if (!titled)
            buf_z(b, m->listed[i].name);
        if (titled || needs_place(m, i, m->n_listed))
            buf_printf(b, " (#%llu)", (unsigned long long)m->listed[i].number);
        if (m->listed[i].what != NULL)
            buf_printf(b, " (%s)", m->listed[i].what);
    }
    if (m->n_listed < m->usable)
        buf_printf(b, " and %llu more", (unsigned long long)(m->usable - m->n_listed));
    if (m->n_listed == 0)
        buf_z(b, "nothing usable");
    if (m->more)
        buf_z(b, ", as far as it can be read");
}

/* After the last one. False: u->diag says why no one member is meant. True without one that was found: the
 * archive is cut or damaged, and nothing of it can be used. */
static bool members_judge(struct unpack *u, const struct members *m)
{
    static const char HINT[] = "Choose one by its name, or by its place in this list, as #2.";
    bool named = u->options.member.p != NULL;
    struct buf names = {0};

    list(u, m, &names);
    struct str shown = names.failed ? STR("") : buf_view(&names);
    if (!named && m->usable > 1 && m->recognised == 0 && m->unseen == 0 && !m->more) {
        diag_set(
            u->diag, DIAG_UNUSABLE, "nothing to read in the archive",
            "Pack the recording itself: no archive within an archive. A file that is chosen by its name says what it is.",
            "The %s has %llu files, none of which is read here: %.*s.", u->packer->noun,
            (unsigned long long)m->usable, (int)shown.n, shown.p);
    } else if (!named && m->usable > 1 && !are_parts(m) && (m->recognised != 1 || m->unseen > 0)) {
        diag_set(u->diag, DIAG_UNUSABLE, "several files in the archive", HINT, "The %s has %llu files: %.*s.",
                 u->packer->noun, (unsigned long long)m->usable, (int)shown.n, shown.p);
        u->diag->topic = DIAG_ABOUT_MEMBER;
    } else if (named && !m->found) {
        diag_set(u->diag, DIAG_UNUSABLE, "no such file in the archive", HINT,
                 "The %s has no file of the name that was given. It has: %.*s.", u->packer->noun,
                 (int)shown.n, shown.p);
        u->diag->topic = DIAG_ABOUT_MEMBER;
    } else if (m->usable == 0 && u->report.state == UNPACK_WHOLE) {
        diag_set(u->diag, DIAG_UNUSABLE, "no file in the archive",
                 "Pack the trace again, or send it unpacked.", "The %s has no file with anything in it.",
                 u->packer->noun);
    }
    buf_free(&names);
    return u->diag->kind == DIAG_NONE;
}

/* ---- archives ---- */

/* What is known of one kind of archive; a row in its packer. */
struct archive_format {
    int (*enable)(struct archive *a); /* archive_read_support_format_.. */
    int (*filter)(
        struct archive
            *a); /* archive_read_support_filter_..: the stream that all of it is packed in; NULL: none */
    size_t library_bytes; /* what libarchive takes at most, beside a directory */
    bool has_directory;   /* of which it keeps an entry for each member */
    /* Words by which archive_format_name tells how a member is packed; those of a method whose memory is
     * bounded. All empty: any will do. */
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
    uint8_t *piece; /* PIECE_BYTES; libarchive reads from here */
    uint64_t at;    /* where it reads next */
    bool
        in_directory; /* what is read now may be a directory, of which libarchive keeps an entry for each member */
    bool at_end;      /* it asked for bytes behind the file's end */
    bool unreadable; /* the file could not be read */
    locale_t utf8;
    char name[UNPACK_MEMBER_BYTES + 1]; /* of the member under way */
    bool in_member;                     /* its bytes are being handed out; these came last: */
    const uint8_t *block;
    size_t block_bytes;
};

/* The beginning of a member that is looked at. */
struct beginning {
    uint8_t bytes[UNPACK_RECOGNISE_BYTES];
    size_t n;
};

/* Members by their places in the archive, ascending. */
struct places {
    uint64_t list[UNPACK_BESIDE_MAX];
    size_t n, at;
};

/* The state of an archive that is unpacked. */
struct archive_state {
    struct pass pass;
    bool open;           /* the pass is under way */
    uint64_t next_place; /* of the member that the pass comes to next */
    struct members members;
    struct places beside;
    bool beside_found;                  /* they were looked for */
    uint8_t tail[TWO_FILES_TAIL_BYTES]; /* the last bytes of the member that was handed out */
    bool half_begun; /* The data half of the trace whose key half that member is comes behind it. */
    struct beginning beginning;
    uint8_t piece[PIECE_BYTES];
};

/* ---- what libarchive reads ---- */

static la_ssize_t read_piece(struct archive *a, void *context, const void **piece)
{
    struct pass *p = context;
    struct unpack *u = p->u;
    ptrdiff_t n = source_input_read(u->file, p->at, p->piece, PIECE_BYTES);

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
    uint64_t left = p->u->file_bytes > p->at ? p->u->file_bytes - p->at : 0;
    uint64_t part = n < 0 ? 0 : (uint64_t)n < left ? (uint64_t)n : left;

    (void)a;
    p->at += part;
    return (la_int64_t)part;
}

static la_int64_t seek(struct archive *a, void *context, la_int64_t offset, int whence)
{
    struct pass *p = context;
    uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? p->at : p->u->file_bytes;
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
static bool begin_pass(struct pass *p, struct unpack *u, uint8_t *piece)
{
    *p = (struct pass){.u = u, .piece = piece};
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

/* The next member, its name in p->name. libarchive turns names that are marked as UTF-8 into the charset
 * of the locale, and loses what that does not have: so the thread has a locale of UTF-8 meanwhile,
 * whatever the program's is. Names without a mark stay the bytes that they are. */
static int next_member(struct pass *p, struct archive_entry **entry)
{
    if (arena_stopped(p->u->arena)) {
        unpack_no_memory(p->u);
        return ARCHIVE_FATAL;
    }
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
        unpack_damage(p->u, UNPACK_CUT, p->u->file_bytes);
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

/* Goes through a member's bytes and keeps the first ones, if `b` is not NULL; all of them if `all`, so
 * that the limits count what has to be unpacked to come to the next member. *whole: the kept ones are all.
 * Returns whether there is anything in it. */
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
        if (is_index(str_of(p->name)))
            what = NULL; /* It tells of the recordings beside it, and is none. */
        if (p->u->stopped || p->unreadable)
            return false;
        if (usable)
            members_note(p->u, m, p->name, i, what);
        if (usable && b->n > 0 && two_files_kind(b->bytes, b->n) == TWO_FILES_DATA) {
            m->halves++;
            m->half_place = i;
        }
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

/* The next bytes of the member under way. */
static void next_block(struct pass *p)
{
    const void *block = NULL;
    la_int64_t offset;
    size_t n = 0;
    int code = archive_read_data_block(p->a, &block, &n, &offset);

    if (code == ARCHIVE_WARN) /* at its end: its bytes are not those that were packed */
        p->u->report.wrong_checksum = true;
    else if (code != ARCHIVE_OK && code != ARCHIVE_EOF)
        note_damage(p);
    p->in_member = code == ARCHIVE_OK || code == ARCHIVE_WARN;
    if (!p->in_member || n == 0 || !unpack_pass_over(p->u, n))
        return;
    p->u->report.unpacked_bytes += n;
    p->block = block;
    p->block_bytes = n;
}

/* ---- both ---- */

static bool refuse_split(struct unpack *u)
{
    const struct archive_format *format = u->packer->archive;
    char head[SPLIT_MAGIC_BYTES];
    ptrdiff_t n = source_input_read(u->file, 0, head, sizeof(head));

    if (format->split_magic.n == 0 || n < 0 || !str_eq((struct str){head, (size_t)n}, format->split_magic))
        return false;
    diag_at(u->diag, DIAG_UNUSABLE, 0, "part of an archive", format->split_hint,
            "The %s is spread over several files.", u->packer->noun);
    return true;
}

/* Whether all went well so far. */
static bool is_sound(struct unpack *u, const struct pass *p)
{
    if (p->unreadable)
        diag_set(u->diag, DIAG_IO, "cannot read the file", "Try again later.",
                 "The %s could not be read again after it had arrived.", u->packer->noun);
    return u->diag->kind == DIAG_NONE && !u->stopped;
}

static void close_pass(struct archive_state *s)
{
    if (s->open)
        end_pass(&s->pass);
    s->open = false;
}

/* Of each pass the limits count for themselves: all take the same bytes. */
static bool open_pass(struct unpack *u)
{
    struct archive_state *s = u->state;

    close_pass(s);
    u->at = u->out_bytes = 0;
    s->next_place = 0;
    s->open = begin_pass(&s->pass, u, s->piece);
    return is_sound(u, &s->pass) && s->open;
}

/* Goes on to the member at this place, which is handed out then. False: there is none, or u->diag. */
static bool go_to(struct unpack *u, uint64_t place)
{
    struct archive_state *s = u->state;
    struct archive_entry *entry;
    bool streamed = u->packer->archive->filter != NULL, whole;
    int code = ARCHIVE_OK;

    while (!u->stopped && ((code = next_member(&s->pass, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN)) {
        if (s->next_place++ == place) {
            s->pass.in_member = may_read(&s->pass, entry);
            return s->pass.in_member;
        }
        if (streamed)
            look_into(&s->pass, NULL, true, &whole);
    }
    return false;
}

bool archive_open(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct members *m = &s->members;

    u->report.packed_bytes = u->file_bytes;
    if (refuse_split(u) || !open_pass(u))
        return false;
    list_members(&s->pass, m, &s->beginning);
    if (!is_sound(u, &s->pass))
        return false;
    if (u->options.listed != NULL)
        return true;
    if (!members_judge(u, m) || (m->found && !open_pass(u)))
        return false;
    m->next_part = 1; /* the first one comes by itself */
    u->report.parts = are_parts(m) ? m->n_parts : 0;
    if (m->found && !go_to(u, m->place) && !u->stopped)
        note_damage(&s->pass);
    return is_sound(u, &s->pass);
}

static void keep_tail(struct archive_state *s, const uint8_t *p, size_t n)
{
    size_t fresh = n < TWO_FILES_TAIL_BYTES ? n : TWO_FILES_TAIL_BYTES;

    memmove(s->tail, s->tail + fresh, TWO_FILES_TAIL_BYTES - fresh);
    memcpy(s->tail + TWO_FILES_TAIL_BYTES - fresh, p + n - fresh, fresh);
}

/* Hands out one more member, in another way through the archive. The limits count on. False: go_to. */
static bool open_another(struct unpack *u, uint64_t place)
{
    struct archive_state *s = u->state;
    uint64_t at = u->at, out_bytes = u->out_bytes;

    if (!open_pass(u))
        return false;
    u->at = at;
    u->out_bytes = out_bytes;
    bool there = go_to(u, place);
    if (!there && !u->stopped)
        note_damage(&s->pass);
    return there;
}

bool unpack_open_part(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct members *m = &s->members;

    if (!are_parts(m) || m->next_part == m->n_parts)
        return false;
    s->pass.block_bytes = 0;
    return open_another(u, m->parts[m->next_part++]) && is_sound(u, &s->pass);
}

/* The member is at its end. If it is the key half of a trace in two files, the only data half in the
 * archive follows: one file, as parser/two_files.h has it. */
static bool begin_half(struct unpack *u)
{
    struct archive_state *s = u->state;

    if (s->members.halves != 1 || s->half_begun || s->beside_found || u->report.state != UNPACK_WHOLE ||
        !two_files_key_ends(s->tail, sizeof(s->tail)))
        return false;
    s->half_begun = true;
    return open_another(u, s->members.half_place);
}

ptrdiff_t archive_pull(struct unpack *u, void *to, size_t n)
{
    struct archive_state *s = u->state;
    struct pass *p = &s->pass;

    while (p->block_bytes == 0 && !u->stopped && (p->in_member || begin_half(u)))
        next_block(p);
    if (!is_sound(u, p))
        return -1;
    if (n > p->block_bytes)
        n = p->block_bytes;
    if (n == 0)
        return 0;
    memcpy(to, p->block, n);
    keep_tail(s, p->block, n);
    p->block += n;
    p->block_bytes -= n;
    return (ptrdiff_t)n;
}

static bool new_archive(struct unpack *u)
{
    struct archive_state *s = u->state = arena_alloc(u->arena, sizeof(*s));

    if (s == NULL)
        unpack_no_memory(u);
    else
        memset(s, 0, sizeof(*s));
    return s != NULL;
}

static void free_archive(struct unpack *u)
{
    close_pass(u->state);
}

/* ---- what belongs to others ---- */

/* Goes through the archive until it ends, or cannot be read on: that was told when its members were listed. */
static void find_beside(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct places *found = &s->beside;
    struct archive_entry *entry;
    const char *what;
    bool seen;
    int code;

    for (uint64_t i = 0; ((code = next_member(&s->pass, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) &&
                         !u->stopped && found->n < UNPACK_BESIDE_MAX;
         i++)
        if (is_usable(&s->pass, entry, &s->beginning, &what, &seen) && what != NULL &&
            what == u->options.beside)
            found->list[found->n++] = i;
}

/* False: there is none, or u->diag. */
static bool begin_beside(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct str member = u->options.member;

    s->beside_found = true;
    if (!open_pass(u))
        return false;
    u->options.member = (struct str){NULL, 0}; /* all are looked into */
    find_beside(u);
    u->options.member = member;
    return is_sound(u, &s->pass) && s->beside.n > 0 && open_pass(u);
}

bool unpack_open_beside(struct unpack *u)
{
    struct archive_state *s = u->state;

    if (!s->beside_found && !begin_beside(u))
        return false;
    s->pass.block_bytes = 0;
    return s->beside.at < s->beside.n && go_to(u, s->beside.list[s->beside.at++]) && is_sound(u, &s->pass);
}

const struct packer PACKER_ZIP = {
    .name = "zip",
    .noun = "zip archive",
    .magics = {STR_INIT("PK\3\4"), STR_INIT("PK\5\6"), STR_INIT("PK\7\x08"), STR_INIT("PK00")},
    .begin = new_archive,
    .free = free_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_zip,
                                              .library_bytes = ARCHIVE_BYTES,
                                              .has_directory = true,
                                              .methods = {"(uncompressed)", "(deflation)"},
                                              .split_magic = STR_INIT("PK\7\x08"),
                                              .split_hint = "Join them: zip -s 0 FILE.zip --out whole.zip"},
};

/* POSIX 1003.1, pax and GNU: the magic stands behind the name and numbers of the first header. Older ones
 * have none. */
const struct packer PACKER_TAR = {
    .name = "tar",
    .noun = "tar archive",
    .magics = {STR_INIT("ustar")},
    .magic_at = TAR_MAGIC_AT,
    .begin = new_archive,
    .free = free_archive,
    .archive =
        &(const struct archive_format){.enable = archive_read_support_format_tar, .library_bytes = TAR_BYTES},
};

const struct packer PACKER_TAR_GZIP = {
    .name = "tar.gz",
    .noun = "tar.gz archive",
    .begin = new_archive,
    .free = free_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_tar,
                                              .filter = archive_read_support_filter_gzip,
                                              .library_bytes = TAR_BYTES},
};

const struct packer PACKER_TAR_ZSTD = {
    .name = "tar.zst",
    .noun = "tar.zst archive",
    .begin = new_archive,
    .free = free_archive,
    .archive = &(const struct archive_format){.enable = archive_read_support_format_tar,
                                              .filter = archive_read_support_filter_zstd,
                                              .library_bytes = TAR_BYTES + UNPACK_WINDOW_BYTES},
};
