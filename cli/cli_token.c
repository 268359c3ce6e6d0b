/* aflamed token: makes, lists and revokes the tokens of a service. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli_output.h"
#include "cli/command.h"
#include "core/system/utc.h"
#include "server/doors/token_file.h"

static const char HINT[] = "aflamed token --help lists the options.";

struct options {
    const char *file, *scope; /* NULL: not given */
    const char *operands[2];  /* what to do, and the name */
    size_t n_operands;
};

/* ---- one change of the file at a time ---- */

/* Two tokens that are made at the same time are both kept. The lock is on a file beside the file of tokens, because that
 * one is replaced; it stays there, and has the same owner. Links are followed, as they are where the file is written.
 * -1: diag. */
static int lock_file(const char *path, struct diag *diag)
{
    char *real = realpath(path, NULL);
    struct buf name = {0};
    struct stat file;

    buf_printf(&name, "%s.lock", real != NULL ? real : path);
    buf_char(&name, '\0');
    int fd = name.failed ? -1 : open(name.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool root = geteuid() == 0 && real != NULL && stat(real, &file) == 0;
    bool ok = fd >= 0 && (!root || fchown(fd, file.st_uid, file.st_gid) == 0) &&
              TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) == 0;
    if (!ok)
        diag_set(diag, DIAG_IO, "the file of tokens cannot be used", "Look who may write in its folder.",
                 "%s: cannot be locked: %s.", path, strerror(errno));
    if (!ok && fd >= 0)
        close(fd);
    free(real);
    buf_free(&name);
    return ok ? fd : -1;
}

/* What the service would refuse is not written. */
static bool write_list(const char *path, struct buf *text, struct diag *diag)
{
    struct token_list list = {NULL, NULL, 0};
    bool ok = (!text->failed || diag_no_memory(diag, "No memory is left for the tokens.")) &&
              token_list_parse(buf_view(text), &list, diag) && cli_write_lasting(path, buf_view(text), diag);

    token_list_free(&list);
    return ok;
}

/* A file that is not there is an empty one. */
static bool add_line(const char *path, struct str line, struct diag *diag)
{
    struct buf text = {0};
    bool ok = (access(path, F_OK) != 0 && errno == ENOENT) || token_file_read(path, &text, diag);

    if (text.n > 0 && text.p[text.n - 1] != '\n')
        buf_char(&text, '\n');
    buf_str(&text, line);
    buf_char(&text, '\n');
    ok = ok && write_list(path, &text, diag);
    buf_free(&text);
    return ok;
}

/* A service takes a list as a whole or not at all: of a file with a line that it does not understand it would keep the
 * list of before, with the token. */
static bool put_back(const char *path, struct str left, struct diag *diag)
{
    struct token_list list;
    struct diag why = {0};

    bool is_understood = token_list_parse(left, &list, &why);
    token_list_free(&list);
    if (why.kind == DIAG_NO_MEMORY) {
        *diag = why;
        return false;
    }
    return cli_write_lasting(path, left, diag) &&
           (is_understood ||
            diag_set(diag, DIAG_USAGE, "revoked in the file, but not in a service that runs",
                     "Mend that line, and the service takes the file within a second.", "%s", why.detail));
}

static bool take_out(const char *path, struct str name, size_t *n, struct diag *diag)
{
    struct buf text = {0}, left = {0};
    bool ok = token_file_read(path, &text, diag);

    *n = ok ? tokens_take_out(buf_view(&text), name, &left) : 0;
    if (left.failed)
        ok = diag_no_memory(diag, "No memory is left for the tokens.");
    if (ok && *n > 0)
        ok = put_back(path, buf_view(&left), diag);
    buf_free(&text);
    buf_free(&left);
    return ok;
}

/* ---- what to do ---- */

static bool needs_name(const struct options *o, struct diag *diag)
{
    return (o->n_operands == 2 && who_name_valid(str_of(o->operands[1]))) ||
           diag_set(
               diag, DIAG_USAGE, "no name", HINT,
               "Behind %s stands a name of printable letters without blanks, quotes, commas, of at most %d bytes.",
               o->operands[0], WHO_NAME_BYTES);
}

static bool add_token(const struct options *o, unsigned scopes, const char *spaces,
                      char token[TOKEN_CHARS + 1], struct diag *diag)
{
    struct buf line = {0};
    bool ok = token_new(o->operands[1], scopes, spaces, (int64_t)time(NULL), token, &line) ||
              diag_set(diag, DIAG_IO, "no token", "Try again.", "The system gave no random numbers for it.");
    int lock = ok ? lock_file(o->file, diag) : -1;

    ok = lock >= 0 && (!line.failed || diag_no_memory(diag, "No memory is left for the token.")) &&
         add_line(o->file, buf_view(&line), diag);
    if (lock >= 0)
        close(lock);
    buf_free(&line);
    return ok;
}

/* The token goes to standard output, alone on the last line. */
static bool make_token(const struct options *o, struct diag *diag)
{
    char token[TOKEN_CHARS + 1], spaces[WHO_SPACES_BYTES + 1];
    unsigned scopes;
    struct buf text = {0};

    if (!needs_name(o, diag))
        return false;
    if (!scopes_parse(str_of(o->scope == NULL ? "upload,read" : o->scope), &scopes, spaces))
        return diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                        "--scope takes words with commas between them: upload, read, change, delete, "
                        "admin; and spaces:NAME, as often as there are spaces that it is for.");
    if (!add_token(o, scopes, spaces, token, diag))
        return false;
    buf_printf(&text, "Token of %s, who may: ", o->operands[1]);
    scopes_put(&text, scopes, spaces);
    buf_printf(&text, ". It is shown this once.\n%s\n", token);
    bool ok = text.failed ? diag_no_memory(diag, "No memory is left for the answer.")
                          : cli_write("-", buf_view(&text), diag);
    buf_free(&text);
    return ok;
}

static void put_token(struct buf *b, const struct token *t)
{
    buf_printf(b, "%s\t", t->name);
    scopes_put(b, t->scopes, t->spaces);
    buf_printf(b, "\t%s\t%.8s\n", UTC_TEXT(t->created_s), t->sha256);
}

static bool list_tokens(const struct options *o, struct diag *diag)
{
    struct buf text = {0}, out = {0};
    struct token_list tokens = {NULL, NULL, 0};
    bool ok = token_file_read(o->file, &text, diag) && token_list_parse(buf_view(&text), &tokens, diag);

    buf_z(&out, "name\tscopes\tcreated\tsha256\n");
    for (size_t i = 0; ok && i < tokens.n; i++)
        put_token(&out, &tokens.of[i]);
    ok = ok && (!out.failed || diag_no_memory(diag, "No memory is left for the answer.")) &&
         cli_write("-", buf_view(&out), diag);
    token_list_free(&tokens);
    buf_free(&text);
    buf_free(&out);
    return ok;
}

static bool revoke_tokens(const struct options *o, struct diag *diag)
{
    char line[80];
    size_t n = 0;
    int lock = needs_name(o, diag) ? lock_file(o->file, diag) : -1;
    bool ok = lock >= 0 && take_out(o->file, str_of(o->operands[1]), &n, diag);

    if (lock >= 0)
        close(lock);
    if (!ok)
        return false;
    if (n == 0)
        return diag_set(diag, DIAG_NOT_FOUND, "no such token", "aflamed token list names them.",
                        "%s has no token in this file.", o->operands[1]);
    snprintf(line, sizeof(line), "%zu token%s revoked.\n", n, n == 1 ? "" : "s");
    return cli_write("-", str_of(line), diag);
}

static const struct {
    const char *word;
    bool (*run)(const struct options *o, struct diag *diag);
} ACTIONS[] = {{"new", make_token}, {"list", list_tokens}, {"revoke", revoke_tokens}};

static bool act(const struct options *o, struct diag *diag)
{
    for (size_t i = 0; o->n_operands > 0 && i < sizeof(ACTIONS) / sizeof(ACTIONS[0]); i++)
        if (strcmp(o->operands[0], ACTIONS[i].word) == 0)
            return ACTIONS[i].run(o, diag);
    return diag_set(diag, DIAG_USAGE, "nothing to do", HINT, "Say new, list or revoke.");
}

/* ---- arguments ---- */

static bool take_operand(struct options *o, const char *operand, struct diag *diag)
{
    if (o->n_operands == 2)
        return diag_set(diag, DIAG_USAGE, "too many names", HINT, "One token is made or revoked at a time.");
    o->operands[o->n_operands++] = operand;
    return true;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.file = NULL};
    while (cli_next(&all, &a))
        if (!(a.name.n > 0 ? cli_take(&CLI_TOKEN, o, NULL, &all, &a, diag)
                           : take_operand(o, a.value.p, diag)))
            return false;
    return o->file != NULL ||
           diag_set(diag, DIAG_USAGE, "no file of tokens", HINT,
                    "Name it by --tokens-file, as the key tokens_file of the service does.");
}

static int token(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) && act(&o, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

static const struct cli_option OPTIONS[] = {
    {"--tokens-file", NULL, CLI_PATH, offsetof(struct options, file), "FILE",
     "the file of tokens; new makes it if there is none", NULL},
    {"--scope", NULL, CLI_TEXT, offsetof(struct options, scope), "SCOPES",
     "of a new token, with commas between them: upload, read (uploads of the team), change and delete (of others), "
     "admin; with spaces:NAME only for uploads in that space; default: upload,read",
     NULL},
};

const struct cli_command CLI_TOKEN = {
    .name = "token",
    .synopsis = "new NAME | list | revoke NAME --tokens-file FILE [--scope SCOPES]",
    .summary = "make, list and revoke the tokens of a service",
    .description =
        "Changes the file of tokens that the service's key tokens_file names. The service takes a change within a "
        "second.\n"
        "A new token is printed once, alone on the last line; the file keeps its SHA-256. A name may have several; "
        "revoke takes out all of them.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .run = token,
};
