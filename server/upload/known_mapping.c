#include "server/upload/known_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "server/store/record.h"
#include "server/store/store.h"

enum { HEADING_BYTES = 4096, PIECE_BYTES = 256 << 10 };

struct search {
    int top, found;
    struct str id;   /* that is looked for in headings .. */
    struct str file; /* .. or, if it is empty, this file of the folder */
    unsigned files;
};

/* Without waiting for who writes into a pipe. */
int known_mapping_open_file(int top, const char *path)
{
    struct stat st;
    int fd = file_open(top, path, O_RDONLY | O_NONBLOCK);

    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

struct str known_mapping_name(const char *path)
{
    struct str s = str_of(path);

    return str_starts(s, STR(KNOWN_MAPPING_TOP)) ? (struct str){s.p + 2, s.n - 2} : s;
}

bool known_mapping_is(const char *path)
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

/* Files of other kinds do not count: a search by names (mapping_search.h) finds the same ones. */
static bool look_at(void *context, const char *path)
{
    struct search *s = context;
    int fd = -1;

    if (!known_mapping_is(path))
        return true;
    if (s->id.n > 0 || str_eq(known_mapping_name(path), s->file))
        fd = known_mapping_open_file(s->top, path);
    if (fd >= 0 && (s->id.n == 0 || has_id(fd, s->id)))
        s->found = fd;
    else if (fd >= 0)
        close(fd);
    return s->found < 0 && ++s->files < KNOWN_MAPPINGS_MAX;
}

int known_mappings_open(const struct service *service)
{
    const char *folder = service->config->mappings_dir;

    return *folder == '\0' ? -1 : file_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
}

static int find(const struct service *service, struct str id, struct str file)
{
    struct search s = {.found = -1, .id = id, .file = file};

    s.top = id.n > 0 || file.n > 0 ? known_mappings_open(service) : -1;
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
bool known_mapping_take_stored(struct names_file *f, const struct service *service, const char *sha256,
                               struct diag *diag)
{
    uint64_t bytes;
    int fd = store_access_blob(service->store, service->log, sha256, &bytes, diag);

    return fd >= 0 && take(f, service, fd, diag);
}
