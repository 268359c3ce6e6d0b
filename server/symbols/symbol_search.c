#include "server/symbols/symbol_search.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/system/file.h"
#include "server/symbols/symbol_reading.h"

enum { LOOKED_AT_MOST = 100000 /* files of one folder */ };

struct search {
    struct symbols *s;
    const struct symbol_limits *limits;
    struct diag *diag;
    struct symbol_input batch[SYMBOL_FILES_MAX];
    char names[SYMBOL_FILES_MAX][SYMBOL_NAME_BYTES + 1];
    uint32_t n;
};

/* ---- sources ---- */

bool symbol_check(struct str head, struct diag *diag)
{
    struct buf kinds = {0};

    if (symbol_kind_of(head) != NULL)
        return true;
    symbol_kinds_list(&kinds);
    diag_set(diag, DIAG_UNKNOWN, "not symbols",
             "Give the unstripped libraries of the build that was recorded.", "The file is none of: %.*s.",
             (int)kinds.n, kinds.n > 0 ? kinds.p : "");
    buf_free(&kinds);
    return false;
}

bool symbol_check_file(int fd, struct diag *diag)
{
    char head[SYMBOL_HEAD_BYTES];
    struct stat st;

    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        return true;
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, head, sizeof(head), 0));
    if (n < 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    return symbol_check((struct str){head, (size_t)n}, diag);
}

bool symbol_sources_add(struct symbol_sources *sources, int fd, struct str name, struct diag *diag)
{
    struct stat st;

    if (sources->n == SYMBOL_SOURCES_MAX)
        return diag_set(diag, DIAG_USAGE, "too many files", "Name a folder that has them all.",
                        "Symbols are looked for in %d files and folders at most.", SYMBOL_SOURCES_MAX);
    if (fstat(fd, &st) != 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    if (!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        return diag_set(diag, DIAG_USAGE, "no file", "Name a file or a folder.",
                        "Symbols are read from files and folders only.");
    struct symbol_source *source = &sources->of[sources->n];
    *source = (struct symbol_source){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .is_folder = S_ISDIR(st.st_mode)};
    if (source->fd < 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    snprintf(source->name, sizeof(source->name), "%.*s",
             (int)(name.n < SYMBOL_NAME_BYTES ? name.n : SYMBOL_NAME_BYTES), name.n > 0 ? name.p : "");
    sources->n++;
    return true;
}

void symbol_sources_close(struct symbol_sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++)
        close(sources->of[i].fd);
    sources->n = 0;
}

/* ---- files by the dozen ---- */

/* A file that breaks the child must not take the others with it: then each is read by a child of its own. */
static bool read_batch(struct search *w)
{
    enum symbol_result result =
        w->n == 0 ? SYMBOL_RUN_OK : symbol_run(w->s, w->batch, w->n, w->limits, w->diag);

    if (result == SYMBOL_RUN_UNREAD && w->n == 1)
        w->s->failed_files++;
    for (uint32_t i = 0; result == SYMBOL_RUN_UNREAD && w->n > 1 && i < w->n; i++) {
        enum symbol_result one = symbol_run(w->s, &w->batch[i], 1, w->limits, w->diag);
        w->s->failed_files += one == SYMBOL_RUN_UNREAD;
        if (one == SYMBOL_RUN_FAILED)
            result = one;
    }
    for (uint32_t i = 0; i < w->n; i++)
        close(w->batch[i].fd);
    w->n = 0;
    return result != SYMBOL_RUN_FAILED;
}

/* Takes the descriptor over. False: as symbol_search. */
static bool add(struct search *w, int fd, struct str name)
{
    char *copy = w->names[w->n];

    snprintf(copy, SYMBOL_NAME_BYTES + 1, "%.*s",
             (int)(name.n < SYMBOL_NAME_BYTES ? name.n : SYMBOL_NAME_BYTES), name.n > 0 ? name.p : "");
    w->batch[w->n++] = (struct symbol_input){fd, str_of(copy)};
    return w->n < SYMBOL_FILES_MAX || read_batch(w);
}

static bool add_sources(struct search *w, const struct symbol_sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++) {
        const struct symbol_source *source = &sources->of[i];
        if (source->is_folder)
            continue;
        int fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return diag_set(w->diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.",
                            strerror(errno));
        if (!add(w, fd, str_of(source->name)))
            return false;
    }
    return read_batch(w);
}

/* ---- by name, below a folder ---- */

/* Names come from the recording: none may lead out of the folder. */
static bool stays_below(struct str path)
{
    struct str part;

    while (str_split(&path, '/', &part))
        if (str_eq(part, STR("..")))
            return false;
    return true;
}

static bool add_named(struct search *w, int folder, struct str path)
{
    struct buf name = {0};
    struct stat st;
    int fd = -1;

    while (path.n > 0 && path.p[0] == '/')
        path.p++, path.n--;
    buf_str(&name, path);
    buf_char(&name, '\0');
    if (!name.failed && path.n > 0 && stays_below(path) && memchr(path.p, '\0', path.n) == NULL)
        fd = file_open(folder, name.p, O_RDONLY | O_NONBLOCK);
    buf_free(&name);
    if (fd < 0)
        return true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return add(w, fd, str_behind_last(str_behind_last(path, '/'), '!'));
    close(fd);
    return true;
}

static bool add_by_build_id(struct search *w, int folder, struct str build_id)
{
    char path[SYMBOL_ID_CHARS + 32];

    if (build_id.n <= 2 || build_id.n > SYMBOL_ID_CHARS || str_find(build_id, '/') < build_id.n)
        return true;
    int n = snprintf(path, sizeof(path), ".build-id/%.2s/%.*s.debug", build_id.p, (int)build_id.n - 2,
                     build_id.p + 2);
    return add_named(w, folder, (struct str){path, (size_t)n});
}

static struct str without_apk(struct str path)
{
    static const struct str APK = STR_INIT("base.apk!");
    size_t at = str_find_str(path, APK);

    return at == path.n ? STR("") : (struct str){path.p + at + APK.n, path.n - at - APK.n};
}

static bool add_candidates(struct search *w, int folder)
{
    const struct profile *p = w->s->profile;

    for (uint32_t i = 0; i < w->s->n_modules; i++) {
        if (symbols_is_done(w->s, i))
            continue;
        struct str path = profile_string(p, w->s->modules[i].path), base = str_behind_last(path, '/'),
                   inside = without_apk(path);
        if (!add_named(w, folder, path) || !add_named(w, folder, inside) ||
            (!str_eq(base, path) && !add_named(w, folder, base)) ||
            !add_by_build_id(w, folder, profile_string(p, w->s->modules[i].build_id)))
            return false;
    }
    return read_batch(w);
}

/* ---- all files of a folder ---- */

static bool all_done(const struct symbols *s)
{
    for (uint32_t i = 0; i < s->n_modules; i++)
        if (!symbols_is_done(s, i))
            return false;
    return true;
}

static bool is_looked_for(int fd)
{
    char head[SYMBOL_HEAD_BYTES];
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, head, sizeof(head), 0));
    const struct symbol_kind *kind = n > 0 ? symbol_kind_of((struct str){head, (size_t)n}) : NULL;

    return kind != NULL && kind->in_folders;
}

static bool add_entry(struct search *w, const FTSENT *entry)
{
    int fd = entry->fts_info == FTS_F ? file_open(AT_FDCWD, entry->fts_accpath, O_RDONLY | O_NONBLOCK) : -1;

    if (fd < 0)
        return true;
    if (is_looked_for(fd))
        return add(w, fd, (struct str){entry->fts_name, entry->fts_namelen});
    close(fd);
    return true;
}

static bool add_all(struct search *w, int folder)
{
    char path[64];
    char *const roots[] = {path, NULL};
    unsigned looked_at = 0;
    bool ok = true;

    /* The walk follows no links, and this path is one: the dot behind it is in the folder. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d/.", folder);
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (walk == NULL)
        return diag_set(w->diag, DIAG_IO, "cannot read the folder", "Check that you may read it.", "%s.",
                        strerror(errno));
    for (FTSENT *entry; ok && looked_at < LOOKED_AT_MOST && (entry = fts_read(walk)) != NULL; looked_at++)
        ok = add_entry(w, entry);
    fts_close(walk);
    return ok && read_batch(w);
}

/* ---- the whole ---- */

static bool search_all(struct search *w, const struct symbol_sources *sources)
{
    if (!add_sources(w, sources))
        return false;
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->of[i].is_folder && !add_candidates(w, sources->of[i].fd))
            return false;
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->of[i].is_folder && !all_done(w->s) && !add_all(w, sources->of[i].fd))
            return false;
    return true;
}

bool symbol_search(struct symbols *s, const struct symbol_sources *sources,
                   const struct symbol_limits *limits, struct diag *diag)
{
    struct search w = {.s = s, .limits = limits, .diag = diag};
    bool ok = s->n_questions == 0 || search_all(&w, sources);

    for (uint32_t i = 0; i < w.n; i++)
        close(w.batch[i].fd);
    return ok;
}
