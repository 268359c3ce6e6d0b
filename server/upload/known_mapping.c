#include "server/upload/known_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/system/clock.h"
#include "core/system/folder.h"
#include "server/store/record.h"
#include "server/store/store.h"

/* Where a walk through the folder begins (core/system/folder.h). */
#define KNOWN_MAPPING_TOP "./"

enum {
    KNOWN_MAPPINGS_MAX = 10000, /* files of the folder that are looked at */
    HEADING_BYTES = 4096,
    PIECE_BYTES = 256 << 10,
    FILE_BYTES_MAX = 1 << 30 /* Mappings of the largest apps have some hundred MB; what is larger is none. */
};
/* How much one search costs the machine at most: the next file is not begun behind it. */
static const uint64_t SEARCH_BYTES_MAX = (uint64_t)8 << 30;

struct search {
    int top, found;
    struct str id;   /* that is looked for in headings; empty: `file` is meant */
    struct str file; /* a file of the folder */
    unsigned files;
};

/* Without waiting for who writes into a pipe. */
static int open_file(int top, const char *path)
{
    struct stat st;
    int fd = file_open(top, path, O_RDONLY | O_NONBLOCK);

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static struct str name_of(const char *path)
{
    struct str s = str_of(path);

    return str_starts(s, STR(KNOWN_MAPPING_TOP)) ? (struct str){s.p + 2, s.n - 2} : s;
}

static bool is_mapping(const char *path)
{
    return str_ends(str_of(path), STR(".txt"));
}

/* `# pg_map_id: 1a2b3c4` or `# pg_map_hash: SHA-256 1a2b..`. */
static bool says_id(struct str line, struct str id)
{
    struct str key;

    line = str_trim(str_without_line_end(line));
    if (!str_starts(line, STR("#")) || !str_split(&line, ':', &key))
        return false;
    key = str_trim((struct str){key.p + 1, key.n - 1});
    line = str_trim(line);
    if (str_eq(key, STR("pg_map_hash")) && str_starts(line, STR("SHA-256 ")))
        line = str_trim((struct str){line.p + 8, line.n - 8});
    return (str_eq(key, STR("pg_map_hash")) || str_eq(key, STR("pg_map_id"))) && str_eq(line, id);
}

static bool has_id(int fd, struct str id)
{
    char heading[HEADING_BYTES];
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, heading, sizeof(heading), 0));
    struct str rest = {heading, n > 0 ? (size_t)n : 0}, line;

    while (rest.n > 0 && str_split(&rest, '\n', &line))
        if (says_id(line, id))
            return true;
    return false;
}

/* Files of other kinds do not count: a search by names finds the same ones. */
static bool look_at(void *context, const char *path)
{
    struct search *s = context;
    int fd = -1;

    if (!is_mapping(path))
        return true;
    if (s->id.n > 0 || str_eq(name_of(path), s->file))
        fd = open_file(s->top, path);
    if (fd >= 0 && (s->id.n == 0 || has_id(fd, s->id)))
        s->found = fd;
    else if (fd >= 0)
        close(fd);
    return s->found < 0 && ++s->files < KNOWN_MAPPINGS_MAX;
}

static int open_folder(const struct service *service)
{
    const char *folder = service->config->mappings_dir;

    return *folder == '\0' ? -1 : file_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
}

static int find(const struct service *service, struct str id, struct str file)
{
    struct search s = {.found = -1, .id = id, .file = file};

    s.top = id.n > 0 || file.n > 0 ? open_folder(service) : -1;
    if (s.top < 0)
        return -1;
    if (!folder_walk(s.top, KNOWN_MAPPING_TOP, look_at, &s))
        LOG(service->log, LOG_WARN, "mappings-unreadable",
            LOG_STR("folder", str_of(service->config->mappings_dir)));
    close(s.top);
    return s.found;
}

int known_mapping_open(const struct service *service, struct str id)
{
    return find(service, id, STR(""));
}

static bool copy(struct names_file *f, const struct service *service, int fd, struct diag *diag)
{
    char *piece = malloc(PIECE_BYTES);
    bool ok = piece != NULL || diag_no_memory(diag, "No memory to take the mapping.");

    for (off_t at = 0; ok;) {
        ssize_t n = TEMP_FAILURE_RETRY(pread(fd, piece, PIECE_BYTES, at));
        if (n == 0)
            break;
        ok = n > 0 ? names_file_data(f, service, (struct str){piece, (size_t)n}, diag)
                   : diag_set(diag, DIAG_IO, "cannot read the mapping", "Tell the operator.",
                              "The mapping that is known here cannot be read.");
        at += n;
    }
    free(piece);
    return ok && names_file_end(f, diag);
}

/* Closes the descriptor. */
static bool take(struct names_file *f, const struct service *service, int fd, struct diag *diag)
{
    bool ok = names_file_begin(f, RECORD_MAPPING, service, diag) && copy(f, service, fd, diag);

    close(fd);
    return ok;
}

static bool take_found(struct names_file *f, const struct service *service, int fd, const char *detail,
                       struct diag *diag)
{
    if (fd < 0)
        return diag_set(diag, DIAG_NOT_FOUND, "no such mapping", "Send the mapping.txt itself.", "%s",
                        detail);
    return take(f, service, fd, diag);
}

bool known_mapping_take(struct names_file *f, const struct service *service, struct str id, struct diag *diag)
{
    return take_found(f, service, find(service, id, STR("")), "No mapping of that id is known here.", diag);
}

bool known_mapping_take_file(struct names_file *f, const struct service *service, struct str file,
                             struct diag *diag)
{
    return take_found(f, service, find(service, STR(""), file), "No such file is among the mappings here.",
                      diag);
}

/* As bytes that come anew: so it stays, whatever becomes of the other upload meanwhile. */
bool known_mapping_take_stored(struct names_file *f, const struct service *service,
                               const struct record_names *names, struct diag *diag)
{
    uint64_t bytes;
    int fd = store_access_names(service->store, service->log, names, RECORD_MAPPING, &bytes, diag);

    return fd >= 0 && take(f, service, fd, diag);
}

/* ---- the search by names ---- */

struct candidate {
    struct timespec changed;
    size_t path; /* where it begins in paths */
};

struct mapping_search {
    const struct service *service;
    struct str names;
    int64_t begun_ms;
    char *piece; /* PIECE_BYTES of the file that is read */

    /* The folder, as it was at the beginning. */
    int top;
    struct candidate *files; /* the newest first */
    uint32_t n_files;
    struct buf paths; /* a NUL behind each */

    /* The reading. */
    uint32_t next;           /* of files */
    uint64_t bytes;          /* that were gone through: of files, and of the names once for each */
    struct mapping_fit *fit; /* of files[next - 1]; NULL: none is being read */
    int fd;
    off_t offset;

    /* What was found. */
    uint32_t mappings, unread, alike, best; /* best: of files, if mappings > 0 */
    struct mapping_share share;
};

static const char *path_of(const struct mapping_search *s, uint32_t file)
{
    return s->paths.p + s->files[file].path;
}

static bool add_file(void *context, const char *path)
{
    struct mapping_search *s = context;
    struct stat st;

    /* What cannot be shown as it is cannot be asked for either. */
    if (!is_mapping(path) || !clean_is_text(str_of(path)) || fstatat(s->top, path, &st, 0) != 0 ||
        !S_ISREG(st.st_mode))
        return true;
    s->files[s->n_files++] = (struct candidate){st.st_mtim, s->paths.n};
    buf_bytes(&s->paths, path, strlen(path) + 1);
    return !s->paths.failed && s->n_files < KNOWN_MAPPINGS_MAX;
}

/* Of files of one time the one that was found first, so that a pair is never unordered. */
static int newest_first(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;

    if (one->changed.tv_sec != other->changed.tv_sec)
        return one->changed.tv_sec > other->changed.tv_sec ? -1 : 1;
    if (one->changed.tv_nsec != other->changed.tv_nsec)
        return one->changed.tv_nsec > other->changed.tv_nsec ? -1 : 1;
    return (one->path > other->path) - (one->path < other->path);
}

static bool list_files(struct mapping_search *s, struct diag *diag)
{
    s->top = open_folder(s->service);
    bool ok = s->top >= 0 && folder_walk(s->top, KNOWN_MAPPING_TOP, add_file, s);

    if (s->paths.failed)
        return diag_no_memory(diag, "No memory is left to list the mappings.");
    if (!ok) {
        LOG(s->service->log, LOG_WARN, "mappings-unreadable",
            LOG_STR("folder", str_of(s->service->config->mappings_dir)));
        return diag_set(diag, DIAG_IO, "cannot read the mappings", "Tell the operator.",
                        "The folder of the mappings that are known here cannot be read.");
    }
    if (s->n_files > 0)
        qsort(s->files, s->n_files, sizeof(*s->files), newest_first);
    return true;
}

struct mapping_search *mapping_search_new(const struct service *service, struct str names, struct diag *diag)
{
    struct mapping_search *s = NULL;

    if (names.n == 0) {
        diag_set(diag, DIAG_NOT_FOUND, "no mapping fits", "",
                 "The profile has no names of Java or Kotlin that are not Android's.");
        return NULL;
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL) {
        diag_no_memory(diag, "No memory is left to look for a mapping.");
        return NULL;
    }
    s->service = service;
    s->names = names;
    s->begun_ms = clock_ms();
    s->top = s->fd = -1;
    s->piece = malloc(PIECE_BYTES);
    s->files = calloc(KNOWN_MAPPINGS_MAX, sizeof(*s->files));
    bool ok = (s->piece != NULL && s->files != NULL) ||
              diag_no_memory(diag, "No memory is left to look for a mapping.");
    if (ok && list_files(s, diag))
        return s;
    mapping_search_free(s);
    return NULL;
}

static void close_file(struct mapping_search *s)
{
    mapping_fit_free(s->fit);
    s->fit = NULL;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

void mapping_search_free(struct mapping_search *s)
{
    if (s == NULL)
        return;
    close_file(s);
    if (s->top >= 0)
        close(s->top);
    buf_free(&s->paths);
    free(s->files);
    free(s->piece);
    free(s);
}

/* Whatever is wrong with one file is of no matter for the others. */
static bool pass_over(struct mapping_search *s, struct diag *diag)
{
    bool is_unread = diag->kind == DIAG_IO || diag->kind == DIAG_LIMIT;

    close_file(s);
    if (diag->kind == DIAG_NO_MEMORY)
        return false;
    s->unread += is_unread;
    LOG(s->service->log, is_unread ? LOG_WARN : LOG_DEBUG, "mapping-passed-over",
        LOG_STR("file", str_of(path_of(s, s->next - 1))), LOG_STR("why", str_of(diag->title)));
    *diag = (struct diag){0};
    return true;
}

/* False: diag. */
static bool open_next(struct mapping_search *s, struct diag *diag)
{
    s->fd = open_file(s->top, path_of(s, s->next++));
    s->offset = 0;
    if (s->fd < 0) {
        diag_set(diag, DIAG_IO, "cannot be opened", "", "%s.", strerror(errno));
        return pass_over(s, diag);
    }
    s->fit = mapping_fit_new(s->names, (size_t)s->service->config->view_memory_bytes, diag);
    s->bytes += s->names.n; /* a file may be small, and they many */
    return s->fit != NULL;
}

/* How the share compares with the best one: below 0, 0 or above. Of names without a class of their own
 * only those are asked for that a mapping has: a small mapping knows all of few. So it counts how many are
 * known. */
static int compare(const struct mapping_share *a, const struct mapping_share *b)
{
    return a->known != b->known ? (a->known > b->known ? 1 : -1)
                                : (a->asked < b->asked) - (a->asked > b->asked);
}

static void note_share(struct mapping_search *s, const struct mapping_share *share)
{
    int order = s->mappings == 0 ? 1 : compare(share, &s->share);

    s->mappings++;
    s->alike += order == 0;
    if (order <= 0)
        return;
    s->best = s->next - 1;
    s->share = *share;
    s->alike = 1;
}

/* Reads a piece of the file. False: diag. */
static bool read_piece(struct mapping_search *s, struct diag *diag)
{
    struct mapping_share share;
    ssize_t n = TEMP_FAILURE_RETRY(pread(s->fd, s->piece, PIECE_BYTES, s->offset));

    if (n > 0 && s->offset >= FILE_BYTES_MAX) {
        diag_set(diag, DIAG_LIMIT, "too large", "", "It is larger than any mapping.");
        return pass_over(s, diag);
    }
    if (n > 0) {
        s->offset += n;
        s->bytes += (uint64_t)n;
        return mapping_fit_feed(s->fit, (struct str){s->piece, (size_t)n}, diag) || pass_over(s, diag);
    }
    if (n < 0)
        diag_set(diag, DIAG_IO, "cannot be read", "", "%s.", strerror(errno));
    if (n < 0 || !mapping_fit_finish(s->fit, &share, diag))
        return pass_over(s, diag);
    note_share(s, &share);
    close_file(s);
    return true;
}

static bool is_at_end(const struct mapping_search *s)
{
    return s->fit == NULL && (s->next == s->n_files || s->bytes >= SEARCH_BYTES_MAX);
}

static void put_number(struct buf *b, uint64_t n, const char *one, const char *several)
{
    buf_u64_grouped(b, n);
    buf_z(b, n == 1 ? one : several);
}

static void put_known(struct buf *b, const struct mapping_share *share)
{
    buf_u64_grouped(b, share->known);
    buf_z(b, " of ");
    put_number(b, share->asked, " name that is not Android's", " names that are not Android's");
}

static void put_looked_at(struct buf *b, const struct mapping_offer *o)
{
    if (o->mappings == 0)
        buf_z(b, "No mapping was found");
    else
        put_number(b, o->mappings, " mapping was looked at", " mappings were looked at");
    if (o->unread > 0) {
        buf_z(b, ", and ");
        put_number(b, o->unread, " file could not be read", " files could not be read");
    }
    if (o->left > 0) {
        buf_z(b, ", and ");
        put_number(b, o->left, " older file was not", " older files were not");
    }
}

void mapping_offer_words(const struct mapping_offer *o, struct buf *b)
{
    buf_z(b, "knows ");
    put_known(b, &o->share);
    buf_z(b, ". ");
    put_looked_at(b, o);
    if (o->alike > 1) {
        buf_z(b, "; ");
        buf_u64_grouped(b, o->alike);
        buf_z(b, " of them fit alike, and this is the newest of these");
    }
    buf_char(b, '.');
}

struct mapping_offer mapping_search_offer(const struct mapping_search *s)
{
    struct mapping_offer o = {.share = s->share,
                              .mappings = s->mappings,
                              .alike = s->alike,
                              .unread = s->unread,
                              .left = s->n_files - s->next};

    o.file = s->mappings > 0 ? name_of(path_of(s, s->best)) : STR("");
    return o;
}

static bool none_fits(const struct mapping_search *s, struct diag *diag)
{
    struct mapping_offer o = mapping_search_offer(s);
    struct buf words = {0};

    put_looked_at(&words, &o);
    if (o.mappings > 0) {
        buf_z(&words, ". The one that fits best knows only ");
        put_known(&words, &o.share);
    }
    if (words.failed)
        diag_no_memory(diag, "No memory is left to answer.");
    else
        diag_set(diag, DIAG_NOT_FOUND, "no mapping fits", "Send the mapping.txt of the very build itself.",
                 "%.*s.", (int)words.n, words.p);
    buf_free(&words);
    return false;
}

bool mapping_search_run(struct mapping_search *s, struct turn *turn, struct diag *diag)
{
    while (!is_at_end(s)) {
        turn_next(turn);
        if (stop_asked(turn->stop) != STOP_NONE)
            return stop_say(turn->stop, diag);
        if (!(s->fit != NULL ? read_piece(s, diag) : open_next(s, diag)))
            return false;
    }
    LOG(s->service->log, LOG_INFO, "mapping-search", LOG_U64("mappings", s->mappings),
        LOG_U64("left", s->n_files - s->next), LOG_U64("bytes", s->bytes),
        LOG_U64("ms", (uint64_t)(clock_ms() - s->begun_ms)));
    return !mapping_share_is_few(&s->share) || none_fits(s, diag);
}
