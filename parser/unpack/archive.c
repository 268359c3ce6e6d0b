/* Archives, read by libarchive from a whole file: which of their members is meant, and its bytes.
 *
 * The archive is gone through twice. The first time only members are listed; nothing is unpacked for it
 * where the archive says how large they are. If one member is meant, the second time goes to it and hands
 * out its bytes.
 *
 * A member may be an archive itself. libarchive reads that one from the member's bytes as they are unpacked, from front
 * to back. What it holds is found out when the outer archive is listed, as far as the first file that is something. If it
 * is meant, it is gone through twice as well, and so the outer one is begun anew for it.
 *
 * Memory: libarchive takes ARCHIVE_BYTES at most, and of an archive with a directory (zip)
 * ARCHIVE_DIRECTORY_FACTOR times the directory's bytes, which are charged to the arena while the directory
 * is read. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "parser/two_files.h"
#include "parser/unpack/members.h"

/* The smallest entry of a zip's directory has 46 bytes; libarchive keeps less than 184 of each. */
enum { ARCHIVE_BYTES = 512 << 10, ARCHIVE_DIRECTORY_FACTOR = 4, ARCHIVE_METHODS_MAX = 2 };

/* ---- archives ---- */

extern const struct packer PACKER_ZIP, PACKER_TAR;

/* What is known of one kind of archive; a row in its packer. */
struct archive_format {
    int (*enable)(struct archive *a); /* archive_read_support_format_.. */
    /* archive_read_support_filter_..: the stream that all of it is packed in; NULL: none */
    int (*filter)(struct archive *a);
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

/* An archive of one recording has no more files than that, or they stand behind it. */
enum { INNER_MEMBERS_MAX = 64 };

/* Headers with long names and attributes have at most 1 MiB, of which libarchive keeps two copies. */
enum { TAR_BYTES = 4 << 20 };

/* The beginning of a member. */
struct beginning {
    uint8_t bytes[UNPACK_RECOGNISE_BYTES];
    size_t n, at; /* of them, and those that were handed out */
};

/* One way through the archive. */
struct pass {
    struct unpack *u;
    struct archive *a;
    uint8_t *piece; /* PIECE_BYTES; libarchive reads from here */
    uint64_t at;    /* where it reads next */
    /* What is read now may be a directory, of which libarchive keeps an entry for each member. */
    bool in_directory;
    bool at_end;     /* it asked for bytes behind the file's end */
    bool unreadable; /* the file could not be read */
    bool lists;      /* What is wrong with a member's bytes is told when they are handed out, not now. */
    locale_t utf8;

    /* The member under way. */
    char name[UNPACK_MEMBER_BYTES + 1];
    struct beginning beginning; /* empty where nobody asked for it */
    bool in_member;             /* there may be more of its bytes; these came last: */
    const uint8_t *block;
    size_t block_bytes;
    bool some;    /* it has bytes */
    bool ended;   /* and no more of them */
    uint64_t out; /* what was read of it as the file that an archive is */
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
    bool half_begun;          /* The data half of the trace whose key half that member is comes behind it. */
    struct source_input file; /* the member under way, as the file that the archive in it is read from */
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
           (p->u->outer != NULL || archive_read_set_seek_callback(a, seek) == ARCHIVE_OK) &&
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
        p->in_directory = u->packer->archive->has_directory && u->outer == NULL;
        /* Libarchive says at once of too few bytes that they are no archive. */
        if (archive_read_open1(p->a) == ARCHIVE_OK ||
            (archive_errno(p->a) != ENOMEM && !p->unreadable && !u->stopped))
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
    p->in_directory = p->some = p->ended = false;
    p->in_member = code == ARCHIVE_OK || code == ARCHIVE_WARN;
    p->block_bytes = p->beginning.n = p->beginning.at = 0;
    p->out = 0;
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

/* ---- the bytes of a member ---- */

/* The next block of the member under way. The limits count it. */
static void next_block(struct pass *p)
{
    const void *block = NULL;
    la_int64_t offset;
    size_t n = 0;
    int code = archive_read_data_block(p->a, &block, &n, &offset);

    if (code == ARCHIVE_WARN && !p->lists) /* at its end: its bytes are not those that were packed */
        p->u->report.wrong_checksum = true;
    else if (code != ARCHIVE_OK && code != ARCHIVE_WARN && code != ARCHIVE_EOF && !p->lists)
        note_damage(p);
    p->in_member = code == ARCHIVE_OK || code == ARCHIVE_WARN;
    p->ended = code == ARCHIVE_EOF;
    p->some = p->some || n > 0 || code == ARCHIVE_FAILED; /* what cannot be unpacked is not empty */
    if (!p->in_member || n == 0)
        return;
    p->in_member = unpack_pass_over(p->u, n);
    p->u->report.unpacked_bytes += p->lists ? 0 : n;
    p->block = block;
    p->block_bytes = p->in_member ? n : 0;
}

/* Reads the beginning of the member under way; what follows it is still to come. */
static void read_beginning(struct pass *p)
{
    struct beginning *b = &p->beginning;

    while (b->n < sizeof(b->bytes) && (p->block_bytes > 0 || p->in_member)) {
        if (p->block_bytes == 0) {
            next_block(p);
            continue;
        }
        size_t room = sizeof(b->bytes) - b->n, part = p->block_bytes < room ? p->block_bytes : room;
        memcpy(b->bytes + b->n, p->block, part);
        b->n += part;
        p->block += part;
        p->block_bytes -= part;
    }
}

/* Up to n of the next bytes of the member under way, in *bytes. Returns how many; 0: there are no more, or they cannot be
 * had. */
static size_t take_bytes(struct pass *p, size_t n, const uint8_t **bytes)
{
    struct beginning *b = &p->beginning;
    size_t kept = b->n - b->at;

    while (kept == 0 && p->block_bytes == 0 && p->in_member)
        next_block(p);
    size_t there = kept > 0 ? kept : p->block_bytes, part = n < there ? n : there;
    if (part == 0)
        return 0;
    *bytes = kept > 0 ? b->bytes + b->at : p->block;
    if (kept > 0) {
        b->at += part;
    } else {
        p->block += part;
        p->block_bytes -= part;
    }
    p->out += part;
    return part;
}

/* So that the limits count what has to be unpacked to come to the next member. */
static void pass_rest(struct pass *p)
{
    while (p->in_member)
        next_block(p);
}

/* ---- the first way: which members there are ---- */

/* A folder, and what macOS adds, are of no use. */
static bool is_file(struct pass *p, struct archive_entry *entry)
{
    struct str name = str_of(p->name);

    return archive_entry_filetype(entry) == AE_IFREG && name.n > 0 && !str_starts(name, STR("__MACOSX/"));
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

static const char *look_inside(struct pass *p);

/* Whether the entry is a file with bytes in it, and what its beginning tells. */
static bool is_usable(struct pass *p, struct archive_entry *entry, struct look *look)
{
    struct unpack *u = p->u;
    const struct archive_state *s = u->state;
    const struct beginning *b = &p->beginning;
    bool file = is_file(p, entry), streamed = u->packer->archive->filter != NULL;
    bool sized = archive_entry_size_is_set(entry) && !streamed;
    bool looked_at = file && u->options.member.p == NULL && u->options.recognise != NULL &&
                     !archive_entry_is_encrypted(entry) && is_known_method(p);

    *look = (struct look){.seen = looked_at};
    if (looked_at)
        read_beginning(p);
    if (looked_at && b->n > 0)
        look->what = u->options.recognise(b->bytes, b->n, p->ended && b->n < sizeof(b->bytes));
    if (b->n > 0 && look->what == NULL && u->outer == NULL && !s->beside_found) {
        look->what = look_inside(p);
        look->inside = look->what != NULL;
    }
    if (streamed || (file && !sized))
        pass_rest(p);
    return file && (sized ? archive_entry_size(entry) > 0 : p->some);
}

/* Who wants to know of all members hears of this one. */
static bool tell(struct unpack *u, const struct members *m, const char *name, const char *what)
{
    const struct unpack_member member = {name, m->usable, what};

    u->sink_closed = u->options.listed != NULL && !u->options.listed(u->options.context, &member);
    return !u->sink_closed;
}

/* This member, at its place, is usable. False: nobody wants to hear of more. */
static bool note_member(struct pass *p, struct members *m, uint64_t place, const struct look *look)
{
    const struct beginning *b = &p->beginning;

    members_note(p->u, m, p->name, place, look);
    if (b->n > 0 && two_files_kind(b->bytes, b->n) == TWO_FILES_DATA) {
        m->halves++;
        m->half_place = place;
    }
    m->unseen += !look->seen;
    bool opaque = !look->seen || b->n == 0; /* nobody can tell what it is */
    return (!opaque && !members_is_choice(p->u, look->what)) || tell(p->u, m, p->name, look->what);
}

/* False: a limit was passed, the file could not be read, or nobody wants to hear more. */
static bool list_members(struct pass *p, struct members *m)
{
    struct archive_entry *entry;
    struct look look;
    int code;

    for (uint64_t i = 0; (code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN; i++) {
        bool usable = is_usable(p, entry, &look);
        if (members_is_index(str_of(p->name)))
            look.what = NULL; /* It tells of the recordings beside it, and is none. */
        if (p->u->stopped || p->unreadable || (usable && !note_member(p, m, i, &look)))
            return false;
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

/* Each pass has the limits for itself, because all passes read the same bytes. */
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
    struct pass *p = &s->pass;
    struct archive_entry *entry;
    bool streamed = u->packer->archive->filter != NULL;
    int code = ARCHIVE_OK;

    p->lists = true;
    while (!u->stopped && ((code = next_member(p, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN)) {
        if (s->next_place++ == place) {
            p->lists = false;
            p->in_member = may_read(p, entry);
            return p->in_member;
        }
        if (streamed)
            pass_rest(p);
    }
    return false;
}

/* ---- an archive within the archive ---- */

/* source_input.read_at, of the member under way. What lies before the one that is asked for is passed over. */
static ptrdiff_t read_member(void *outer, uint64_t at, void *to, size_t n)
{
    struct unpack *u = outer;
    struct archive_state *s = u->state;
    struct pass *p = &s->pass;
    const uint8_t *bytes;
    size_t came = 1;

    if (at < p->out && (p->lists || !open_pass(u) || !go_to(u, s->members.place)))
        return -1;
    while (p->out < at && came > 0)
        came = take_bytes(p, at - p->out, &bytes);
    came = p->out == at ? take_bytes(p, n, &bytes) : 0;
    if (!is_sound(u, p))
        return -1;
    if (came == 0)
        u->inner->file_bytes = p->out;
    else
        memcpy(to, bytes, came);
    return (ptrdiff_t)came;
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

/* Of the archive that the member under way is; the memory is that of the one before it. False: u->diag. */
static bool begin_inner(struct unpack *u, const struct packer *packer)
{
    struct archive_state *s = u->state;
    struct unpack fresh = {.packer = packer,
                           .options = u->options,
                           .arena = u->arena,
                           .diag = u->diag,
                           .report.packer = packer,
                           .file = &s->file,
                           .file_bytes = UINT64_MAX, /* until its end was met */
                           .outer = u};

    s->file = (struct source_input){.read_at = read_member, .context = u};
    fresh.options.member = (struct str){NULL, 0};
    fresh.options.title = NULL;
    fresh.options.listed = NULL;
    if (u->inner == NULL) {
        struct unpack *inner = new_archive(&fresh) ? arena_alloc(u->arena, sizeof(*inner)) : NULL;
        if (inner == NULL) {
            unpack_no_memory(u);
            return false;
        }
        u->inner = inner;
    } else {
        fresh.state = u->inner->state;
        memset(fresh.state, 0, sizeof(*s));
    }
    *u->inner = fresh;
    return true;
}

/* NULL: it is none. */
static const struct packer *archive_of(const struct beginning *b)
{
    bool more;

    return unpack_begins(&PACKER_ZIP, b->bytes, b->n, &more)   ? &PACKER_ZIP
           : unpack_begins(&PACKER_TAR, b->bytes, b->n, &more) ? &PACKER_TAR
                                                               : NULL;
}

/* What the first file of the archive is that is something. What is wrong with it is told when it is read. */
static const char *find_recording(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct archive_entry *entry;
    struct look look = {.what = NULL};
    bool found = false;
    int code = ARCHIVE_OK;

    if (!open_pass(u))
        return NULL;
    s->pass.lists = true;
    for (unsigned i = 0; i < INNER_MEMBERS_MAX && !found && !u->stopped &&
                         ((code = next_member(&s->pass, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN);
         i++)
        found = is_usable(&s->pass, entry, &look) && members_is_choice(u, look.what) &&
                !members_is_index(str_of(s->pass.name));
    close_pass(s);
    return found ? look.what : NULL;
}

static const char *look_inside(struct pass *p)
{
    struct unpack *u = p->u;
    const struct packer *packer = archive_of(&p->beginning);

    if (packer == NULL || !begin_inner(u, packer))
        return NULL;
    const char *what = find_recording(u->inner);
    u->stopped = u->stopped || u->inner->stopped;
    return what;
}

/* The member that is meant may be an archive itself. False: u->diag. */
static bool open_inner(struct unpack *u)
{
    struct archive_state *s = u->state;

    if (u->options.recognise == NULL)
        return true;
    read_beginning(&s->pass);
    const struct packer *packer = archive_of(&s->pass.beginning);
    if (packer == NULL)
        return true;
    if (u->outer != NULL)
        return refuse(&s->pass, "is an archive itself, the third one, and two are unpacked");
    if (!begin_inner(u, packer))
        return false;
    u->opened = u->pulls_inner = true;
    return archive_open(u->inner);
}

bool archive_open(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct members *m = &s->members;

    u->report.packed_bytes = u->file_bytes;
    if ((u->outer == NULL && refuse_split(u)) || !open_pass(u))
        return false;
    s->pass.lists = true;
    list_members(&s->pass, m);
    if (!is_sound(u, &s->pass))
        return false;
    if (u->options.listed != NULL)
        return true;
    if (!members_judge(u, m) || (m->found && !open_pass(u)))
        return false;
    m->next_part = 1; /* the first one comes by itself */
    u->report.parts = members_are_parts(m) ? m->n_parts : 0;
    bool there = m->found && go_to(u, m->place);
    if (m->found && !there && !u->stopped)
        note_damage(&s->pass);
    return is_sound(u, &s->pass) && (!there || open_inner(u));
}

static void keep_tail(struct archive_state *s, const uint8_t *p, size_t n)
{
    size_t fresh = n < TWO_FILES_TAIL_BYTES ? n : TWO_FILES_TAIL_BYTES;

    memmove(s->tail, s->tail + fresh, TWO_FILES_TAIL_BYTES - fresh);
    memcpy(s->tail + TWO_FILES_TAIL_BYTES - fresh, p + n - fresh, fresh);
}

/* Hands out one more member, in another way through the archive if it stands before the last one. The limits count on.
 * False: go_to. */
static bool open_another(struct unpack *u, uint64_t place)
{
    struct archive_state *s = u->state;
    uint64_t at = u->at, out_bytes = u->out_bytes;

    if (place < s->next_place) {
        if (!open_pass(u))
            return false;
        u->at = at;
        u->out_bytes = out_bytes;
    }
    bool there = go_to(u, place);
    if (!there && !u->stopped)
        note_damage(&s->pass);
    return there;
}

bool unpack_open_part(struct unpack *u)
{
    if (u->pulls_inner)
        u = u->inner;
    struct archive_state *s = u->state;
    struct members *m = &s->members;

    if (!members_are_parts(m) || m->next_part == m->n_parts)
        return false;
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
    const uint8_t *bytes;
    size_t came = take_bytes(p, n, &bytes);

    if (came == 0 && !u->stopped && begin_half(u))
        came = take_bytes(p, n, &bytes);
    if (!is_sound(u, p))
        return -1;
    if (came == 0)
        return 0;
    memcpy(to, bytes, came);
    keep_tail(s, bytes, came);
    return (ptrdiff_t)came;
}

static void free_archive(struct unpack *u)
{
    if (u->inner != NULL)
        close_pass(u->inner->state);
    close_pass(u->state);
}

/* ---- what belongs to others ---- */

/* Goes through the archive until it ends, or cannot be read on: that was told when its members were listed. */
static void find_beside(struct unpack *u)
{
    struct archive_state *s = u->state;
    struct places *found = &s->beside;
    struct archive_entry *entry;
    struct look look;
    int code;

    for (uint64_t i = 0; ((code = next_member(&s->pass, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) &&
                         !u->stopped && found->n < UNPACK_BESIDE_MAX;
         i++)
        if (is_usable(&s->pass, entry, &look) && look.what != NULL && look.what == u->options.beside)
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
    s->pass.lists = true;
    u->options.member = (struct str){NULL, 0}; /* all are looked into */
    find_beside(u);
    u->options.member = member;
    return is_sound(u, &s->pass) && s->beside.n > 0 && open_pass(u);
}

static bool open_beside(struct unpack *u)
{
    struct archive_state *s = u->state;

    return (s->beside_found || begin_beside(u)) && s->beside.at < s->beside.n &&
           go_to(u, s->beside.list[s->beside.at++]) && is_sound(u, &s->pass);
}

/* Files in an archive within the archive come first. The inner archive is closed when the outer one goes on. */
bool unpack_open_beside(struct unpack *u)
{
    if (u->pulls_inner && open_beside(u->inner))
        return true;
    u->pulls_inner = false;
    return u->diag->kind == DIAG_NONE && open_beside(u);
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
