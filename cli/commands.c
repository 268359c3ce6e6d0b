/* THE TABLE of commands, and what their rows do with arguments. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/clean.h"

const struct cli_command *const CLI_COMMANDS[] = {&CLI_SERVE,   &CLI_RENDER, &CLI_INFO,
                                                  &CLI_METHODS, &CLI_CALLS,  &CLI_VERDICT,
                                                  &CLI_DIFF,    &CLI_EXPORT, &CLI_DEMO};
const size_t CLI_COMMANDS_COUNT = sizeof(CLI_COMMANDS) / sizeof(CLI_COMMANDS[0]);

const struct cli_command *cli_command_by_name(const char *name)
{
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        if (strcmp(CLI_COMMANDS[i]->name, name) == 0)
            return CLI_COMMANDS[i];
    return NULL;
}

static const struct cli_option *find(const struct cli_command *c, struct str name)
{
    for (size_t i = 0; i < c->n_options; i++) {
        const struct cli_option *o = &c->options[i];
        if (str_eq(name, str_of(o->name)) || (o->short_name != NULL && str_eq(name, str_of(o->short_name))))
            return o;
    }
    return NULL;
}

static bool is_package(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
              (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '_' || s.p[i] == '.' || s.p[i] == ':'))
            return false;
    return s.n > 0;
}

/* [PACKAGE=]FILE */
static bool add_mapping(const struct cli_option *o, struct cli_mappings *m, const struct cli_argument *a,
                        struct diag *diag)
{
    struct str package = {a->value.p, str_find(a->value, '=')};
    bool given = package.n < a->value.n && is_package(package);

    if (m->n == CLI_MAPPINGS_MAX)
        return diag_set(diag, DIAG_USAGE, "too many files", "Name those that are needed.",
                        "%s may be given %d times.", o->name, CLI_MAPPINGS_MAX);
    if (given && package.n + 1 == a->value.n)
        return diag_set(diag, DIAG_USAGE, "option without value", "Name a file behind it.",
                        "%s needs a path.", o->name);
    m->packages[m->n] = given ? package : STR("");
    m->paths[m->n++] = a->value.p + (given ? package.n + 1 : 0);
    return true;
}

static bool add_text(const struct cli_option *o, struct cli_texts *texts, const char *text, struct diag *diag)
{
    if (texts->n == CLI_TEXTS_MAX)
        return diag_set(diag, DIAG_USAGE, "too many options", "Leave some out.", "%s may be given %d times.",
                        o->name, CLI_TEXTS_MAX);
    texts->of[texts->n++] = text;
    return true;
}

/* The hint of what is wrong with an option; in `hint`, which it returns. */
enum { HINT_BYTES = 80 };

static const char *list_options(char hint[HINT_BYTES], const struct cli_command *c)
{
    snprintf(hint, HINT_BYTES, "aflamed %s --help lists the options.", c->name);
    return hint;
}

static bool is_word(const struct cli_command *c, const struct cli_option *o, struct str value,
                    struct diag *diag)
{
    char hint[HINT_BYTES];
    struct buf words = {0};

    for (size_t i = 0; o->word(i).word != NULL; i++) {
        const char *word = o->word(i).word;
        if (str_eq(value, str_of(word))) {
            buf_free(&words);
            return true;
        }
        buf_printf(&words, "%s%s", i == 0 ? "" : ", ", word);
    }
    diag_set(diag, DIAG_USAGE, "option not understood", list_options(hint, c), "%s %.*s: there are %.*s.",
             o->name, (int)clean_cut(value, 60).n, value.p, (int)words.n, words.n > 0 ? words.p : "none");
    buf_free(&words);
    return false;
}

static bool set(const struct cli_command *c, const struct cli_option *o, void *field,
                struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    if (o->kind == CLI_SWITCH) {
        *(bool *)field = true;
        return cli_no_value(a, diag);
    }
    if (!cli_value(all, a, diag))
        return false;
    if (o->kind != CLI_TEXT && a->value.n == 0)
        return diag_set(diag, DIAG_USAGE, "option without value", "Name a file or folder behind it.",
                        "%s needs a path.", o->name);
    if (o->kind == CLI_MAPPINGS)
        return add_mapping(o, field, a, diag);
    if (o->kind == CLI_TEXTS)
        return add_text(o, field, a->value.p, diag);
    *(const char **)field = a->value.p; /* the end of an argument: terminated */
    return o->word == NULL || is_word(c, o, a->value, diag);
}

/* ---- keys of requests ---- */

enum { KEY_ROOM = 40 };

/* What the option is called as a key: without dashes in front, of B with `_b` behind it. Empty: no key has such a name. */
static struct str key_name(const struct cli_argument *a, char room[KEY_ROOM])
{
    static const struct str OF_B = STR_INIT("-b"), DASHES = STR_INIT("--");
    size_t n = str_starts(a->name, DASHES) ? a->name.n - DASHES.n : 0;

    if (n == 0 || n >= KEY_ROOM)
        return STR("");
    memcpy(room, a->name.p + DASHES.n, n);
    if (str_ends(a->name, OF_B) && n > OF_B.n)
        room[n - OF_B.n] = '_';
    return (struct str){room, n};
}

const struct key *cli_key(const struct cli_command *c, const struct cli_argument *a)
{
    char room[KEY_ROOM];
    bool of_b;

    return find(c, a->name) != NULL ? NULL : key_find(c->keys, key_name(a, room), &of_b);
}

/* What is a row of the command, but a key all the same, need not be of its groups. */
static enum cli_taken take_key(unsigned groups, struct asked *asked, struct cli_arguments *all,
                               struct cli_argument *a, struct diag *diag)
{
    char room[KEY_ROOM];
    struct str name = key_name(a, room);
    bool of_b;
    const struct key *r = key_find(groups, name, &of_b);

    if (r == NULL)
        return CLI_NOT_OWN;
    bool given = r->kind == KEY_FLAG ? cli_no_value(a, diag) : cli_value(all, a, diag);
    struct str value = r->kind == KEY_FLAG ? STR("1") : a->value;
    return given && asked_set(asked, groups, name, value, diag) ? CLI_TAKEN : CLI_REFUSED;
}

enum cli_taken cli_take(const struct cli_command *c, void *options, struct asked *asked,
                        struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    const struct cli_option *o = find(c, a->name);

    if (o == NULL)
        return take_key(c->keys, asked, all, a, diag);
    if (o->kind == CLI_KEY)
        return take_key(KEYS_OF_VIEWS, asked, all, a, diag);
    return set(c, o, (char *)options + o->offset, all, a, diag) ? CLI_TAKEN : CLI_REFUSED;
}

/* Appends what may be meant. */
static void put_nearest(struct buf *b, const struct cli_command *c, const struct cli_argument *a)
{
    char room[KEY_ROOM];
    struct buf nearest = {0}, known = {0};

    keys_near(c->keys, key_name(a, room), &nearest, &known);
    for (size_t i = 0; i < nearest.n; i++)
        nearest.p[i] = nearest.p[i] == '_' ? '-' : nearest.p[i];
    if (nearest.n > 0)
        buf_printf(b, " Perhaps --%.*s is meant.", (int)nearest.n, nearest.p);
    buf_free(&nearest);
    buf_free(&known);
}

bool cli_unknown(const struct cli_command *c, const struct cli_argument *a, struct diag *diag)
{
    char text[HINT_BYTES];
    struct buf hint = {0};

    buf_z(&hint, list_options(text, c));
    put_nearest(&hint, c, a);
    buf_char(&hint, '\0');
    diag_set(diag, DIAG_USAGE, "unknown option", hint.failed ? "" : hint.p, "There is no option %.*s.",
             (int)clean_cut(a->name, 60).n, a->name.p);
    buf_free(&hint);
    return false;
}

bool cli_asks_help(int n_arguments, char *const *arguments)
{
    for (int i = 0; i < n_arguments && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}
