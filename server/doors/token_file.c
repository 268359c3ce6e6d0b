#include "server/doors/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/digest.h"
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

/* Reads a line that has a token. False: it is not understood. */
static bool parse_line(struct str line, struct token *t)
{
    struct str name = next_field(&line), scopes = next_field(&line), sha256 = next_field(&line),
               created = next_field(&line);

    if (!who_name_valid(name) || !scopes_parse(scopes, &t->scopes, t->spaces) ||
        !record_sha256_valid(sha256) || !utc_parse(created, &t->created_s) || str_trim(line).n > 0)
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

/* ---- what `aflamed token` changes of it ---- */

bool token_new(const char *name, unsigned scopes, const char *spaces, int64_t now_s,
               char token[TOKEN_CHARS + 1], struct buf *line)
{
    char secret[RECORD_ID_CHARS + 1], sha256[RECORD_SHA256_CHARS + 1] = "";

    if (record_new_secret(secret)) {
        snprintf(token, TOKEN_CHARS + 1, TOKEN_PREFIX "%s", secret);
        digest_hex_of(token, TOKEN_CHARS, sha256);
    }
    buf_printf(line, "%s ", name);
    scopes_put(line, scopes, spaces);
    buf_printf(line, " %s %s", sha256, UTC_TEXT(now_s));
    return sha256[0] != '\0';
}

size_t tokens_take_out(struct str text, struct str name, struct buf *left)
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
