#include "server/doors/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "core/system/utc.h"

enum { FILE_BYTES_MAX = 4 << 20 };

static const char TITLE[] = "the file of tokens cannot be used";

/* ---- its text ---- */

/* The next field of a line: what stands up to a blank. */
static struct str next_field(struct str *line)
{
    struct str field = STR("");

    *line = str_trim(*line);
    str_split(line, ' ', &field);
    return field;
}

static bool is_passed_over(struct str line)
{
    return line.n == 0 || line.p[0] == '#';
}

/* Of a line that is not passed over. */
static bool parse_line(struct str line, struct token *t)
{
    struct str name = next_field(&line), scopes = next_field(&line), sha256 = next_field(&line),
               created = next_field(&line);

    if (!who_name_valid(name) || !scopes_parse(scopes, &t->scopes) || !record_sha256_valid(sha256) ||
        !utc_parse(created, &t->created_s) || str_trim(line).n > 0)
        return false;
    memcpy(t->name, name.p, name.n);
    t->name[name.n] = '\0';
    memcpy(t->sha256, sha256.p, sha256.n);
    t->sha256[sha256.n] = '\0';
    return true;
}

/* The next line, without its end and the blanks around it. */
static bool next_line(struct str *text, struct str *line)
{
    if (text->n == 0 || !str_split(text, '\n', line))
        return false;
    if (str_ends(*line, STR("\r")))
        line->n--;
    *line = str_trim(*line);
    return true;
}

static size_t count_lines(struct str text)
{
    struct str line;
    size_t n = 0;

    while (next_line(&text, &line))
        n += !is_passed_over(line);
    return n;
}

static int compare(const void *a, const void *b)
{
    const struct token *const *x = a, *const *y = b;

    return memcmp((*x)->sha256, (*y)->sha256, RECORD_SHA256_CHARS);
}

/* Two lines of one token would say two things of it. */
static bool order(struct token_list *list, struct diag *diag)
{
    for (size_t i = 0; i < list->n; i++)
        list->ordered[i] = &list->of[i];
    qsort(list->ordered, list->n, sizeof(*list->ordered), compare);
    for (size_t i = 1; i < list->n; i++)
        if (compare(&list->ordered[i - 1], &list->ordered[i]) == 0)
            return diag_set(diag, DIAG_USAGE, TITLE, "Take one of the lines out.",
                            "%s and %s have the same token.", list->ordered[i - 1]->name,
                            list->ordered[i]->name);
    return true;
}

/* The message does not show the line: somebody may have put a token itself there. */
bool token_list_parse(struct str text, struct token_list *list, struct diag *diag)
{
    size_t n = count_lines(text), number = 0;
    struct str line;

    *list = (struct token_list){NULL, NULL, 0};
    if (n > TOKENS_MAX)
        return diag_set(diag, DIAG_USAGE, TITLE, "Revoke those that nobody uses: aflamed token list.",
                        "It has %zu tokens; %d are the most.", n, TOKENS_MAX);
    list->of = calloc(n + 1, sizeof(*list->of));
    list->ordered = calloc(n + 1, sizeof(*list->ordered));
    if (list->of == NULL || list->ordered == NULL)
        return diag_no_memory(diag, "No memory is left for the tokens.");
    while (next_line(&text, &line)) {
        number++;
        if (is_passed_over(line))
            continue;
        if (!parse_line(line, &list->of[list->n]))
            return diag_set(diag, DIAG_USAGE, TITLE,
                            "A line is NAME SCOPES SHA256 CREATED, as aflamed token new writes it.",
                            "Line %zu cannot be understood.", number);
        list->n++;
    }
    return order(list, diag);
}

void token_list_free(struct token_list *list)
{
    free(list->of);
    free(list->ordered);
    *list = (struct token_list){NULL, NULL, 0};
}

const struct token *token_list_find(const struct token_list *list, const char sha256[RECORD_SHA256_CHARS + 1])
{
    struct token wanted;
    const struct token *key = &wanted;

    memcpy(wanted.sha256, sha256, RECORD_SHA256_CHARS + 1);
    const struct token *const *found = bsearch(&key, list->ordered, list->n, sizeof(key), compare);
    return found != NULL && CRYPTO_memcmp((*found)->sha256, sha256, RECORD_SHA256_CHARS) == 0 ? *found : NULL;
}

size_t token_list_from(const struct token_list *list, struct str mark)
{
    size_t from = 0, to = list->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memcmp(list->ordered[middle]->sha256, mark.p, mark.n) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* ---- the file ---- */

static bool fail(const char *path, const char *what, struct diag *diag)
{
    return diag_set(diag, DIAG_IO, TITLE, "Look whether it is there, and who may read and write it.",
                    "%s: %s: %s.", path, what, strerror(errno));
}

bool token_file_read(const char *path, struct buf *text, struct diag *diag)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
    struct stat st;

    if (fd < 0)
        return fail(path, "cannot be opened", diag);
    errno = EINVAL;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && file_read_all(fd, FILE_BYTES_MAX, text);
    if (!ok)
        fail(path, "cannot be read", diag);
    close(fd);
    return ok;
}

/* Who could read the file can read the new one: also where root takes the place of the service's user. */
static bool look_like(int fd, const struct stat *before)
{
    bool is_own = before->st_uid == geteuid() && before->st_gid == getegid();

    return fchmod(fd, before->st_mode & 0777) == 0 &&
           (is_own || fchown(fd, before->st_uid, before->st_gid) == 0);
}

/* Two that change the file at the same time do so one after the other: the lock is on a file beside it, which stays,
 * since the file itself is replaced. -1: diag. */
static int lock_file(const char *path, struct diag *diag)
{
    struct buf name = {0};
    struct stat file;
    int fd = -1;

    buf_printf(&name, "%s.lock", path);
    buf_char(&name, '\0');
    if (!name.failed)
        fd = open(name.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* Who may write the file may lock it, also where root was the first to do so. */
    if (fd >= 0 && stat(path, &file) == 0 && geteuid() == 0 && !look_like(fd, &file)) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0 && TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) != 0) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        fail(path, "cannot be locked", diag);
    buf_free(&name);
    return fd;
}

/* The name is durable with the folder. */
static bool sync_folder(const char *path)
{
    char *copy = strdup(path), *slash = copy == NULL ? NULL : strrchr(copy, '/');

    if (copy == NULL)
        return false;
    if (slash != NULL)
        slash[slash == copy ? 1 : 0] = '\0';
    int fd = open(slash == NULL ? "." : copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    free(copy);
    return ok;
}

/* Written beside it, and moved there when it is whole. */
static bool replace_file(const char *path, struct str text, struct diag *diag)
{
    struct stat before;
    bool is_there = stat(path, &before) == 0;
    struct buf temp = {0};

    buf_printf(&temp, "%s.new", path);
    buf_char(&temp, '\0');
    if (temp.failed) {
        buf_free(&temp);
        return diag_no_memory(diag, "No memory is left to write the tokens.");
    }
    unlink(temp.p); /* of one that was killed */
    int fd = open(temp.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && (!is_there || look_like(fd, &before)) && file_write_all(fd, text.p, text.n) &&
              fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    ok = ok && rename(temp.p, path) == 0 && sync_folder(path);
    if (!ok) {
        fail(path, "cannot be written", diag);
        unlink(temp.p);
    }
    buf_free(&temp);
    return ok;
}

/* What is there already; nothing is an empty file. False: diag. */
static bool read_if_there(const char *path, struct buf *text, struct diag *diag)
{
    return (access(path, F_OK) != 0 && errno == ENOENT) || token_file_read(path, text, diag);
}

static bool new_token(char token[TOKEN_CHARS + 1], char sha256[RECORD_SHA256_CHARS + 1], struct diag *diag)
{
    char secret[RECORD_ID_CHARS + 1];

    if (record_new_secret(secret)) {
        snprintf(token, TOKEN_CHARS + 1, TOKEN_PREFIX "%s", secret);
        record_sha256_hex(token, TOKEN_CHARS, sha256);
        if (sha256[0] != '\0')
            return true;
    }
    return diag_set(diag, DIAG_IO, "no token", "Try again.", "The system gave no random numbers for it.");
}

static bool add_line(const char *path, const char *line, struct diag *diag)
{
    struct buf text = {0};
    struct token_list list = {NULL, NULL, 0};
    bool ok = read_if_there(path, &text, diag);

    if (ok && text.n > 0 && text.p[text.n - 1] != '\n')
        buf_char(&text, '\n');
    buf_z(&text, line);
    /* What the service would refuse is not written. */
    ok = ok && (!text.failed || diag_no_memory(diag, "No memory is left for the tokens.")) &&
         token_list_parse(buf_view(&text), &list, diag) && replace_file(path, buf_view(&text), diag);
    token_list_free(&list);
    buf_free(&text);
    return ok;
}

/* The file itself, where the path is a symbolic link to it; the caller's to free. NULL: no memory. */
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);

    return real != NULL || errno == ENOMEM ? real : strdup(path);
}

/* Runs the change on the file itself, while nobody else does. False: diag. */
static bool change(const char *path, bool (*run)(const char *path, void *context, struct diag *diag),
                   void *context, struct diag *diag)
{
    char *real = real_path(path);
    int lock = real != NULL ? lock_file(real, diag) : -1;
    bool ok = real != NULL || diag_no_memory(diag, "No memory is left for the tokens.");

    ok = ok && lock >= 0 && run(real, context, diag);
    if (lock >= 0)
        close(lock);
    free(real);
    return ok;
}

static bool add(const char *path, void *line, struct diag *diag)
{
    return add_line(path, line, diag);
}

bool token_file_add(const char *path, const char *name, unsigned scopes, int64_t now_s,
                    char token[TOKEN_CHARS + 1], struct diag *diag)
{
    char sha256[RECORD_SHA256_CHARS + 1], created[UTC_CHARS + 1];
    struct buf line = {0};

    if (!new_token(token, sha256, diag))
        return false;
    utc_format(now_s, created);
    buf_printf(&line, "%s ", name);
    scopes_put(&line, scopes);
    buf_printf(&line, " %s %s\n", sha256, created);
    buf_char(&line, '\0');
    bool ok = line.failed ? diag_no_memory(diag, "No memory is left for the token.")
                          : change(path, add, line.p, diag);
    buf_free(&line);
    return ok;
}

struct revoking {
    struct str name;
    size_t n;
};

/* All lines but those of the name. Also lines that cannot be parsed: to take a token out must work. */
static size_t take_out(struct str text, struct str name, struct buf *left)
{
    size_t n = 0;

    while (text.n > 0) {
        struct str line, rest;
        str_split(&text, '\n', &line);
        rest = str_trim(line);
        if (!is_passed_over(rest) && str_eq(next_field(&rest), name)) {
            n++;
            continue;
        }
        buf_str(left, line);
        buf_char(left, '\n');
    }
    return n;
}

/* A service takes a list as a whole or not at all: of a file with a line that it does not understand it would keep the
 * list of before, with the token. */
static bool is_understood(struct str left, struct diag *diag)
{
    struct token_list list;
    struct diag why = {0};
    bool ok = token_list_parse(left, &list, &why);

    token_list_free(&list);
    return ok ||
           diag_set(diag, DIAG_USAGE, "revoked in the file, but not in a service that runs",
                    "Mend that line, and the service takes the file within a second.", "%s", why.detail);
}

static bool revoke_in(const char *path, void *revoking, struct diag *diag)
{
    struct revoking *r = revoking;
    struct buf text = {0}, left = {0};
    bool ok = token_file_read(path, &text, diag);

    if (ok)
        r->n = take_out(buf_view(&text), r->name, &left);
    if (ok && left.failed)
        ok = diag_no_memory(diag, "No memory is left for the tokens.");
    if (ok && r->n > 0)
        ok = replace_file(path, buf_view(&left), diag) && is_understood(buf_view(&left), diag);
    buf_free(&text);
    buf_free(&left);
    return ok;
}

bool token_file_revoke(const char *path, struct str name, size_t *n, struct diag *diag)
{
    struct revoking r = {name, 0};
    bool ok = change(path, revoke_in, &r, diag);

    *n = r.n;
    return ok;
}
