/* The table of commands, and the texts of --help that are made from it. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/clean.h"
#include "core/wrap.h"
#include "render/view/key.h"
#include "server/config/config_keys.h"

/* ---- help ---- */

/* The texts of --help, from the tables of commands, keys of requests and keys of the configuration. */

enum { WIDTH = 110, COLUMN_MAX = 30, GAP = 2 };

const char CLI_EXIT_STATUS[] =
    "Exit status: 0, 1 if a file cannot be used, a result not be written or the service not "
    "start, 2 if the command line makes no sense, 3 if a comparison passes a rule of --fail-if or a check fails, 4 if a check with --strict decides nothing.\n";

/* ---- options as entries ---- */

struct entries {
    void (*put)(void *context, const struct cli_entry *e);
    void *context;
    struct buf name, text; /* of the entry that is made */
    bool failed;
};

static void end_entry(struct entries *all, const char *short_name, const char *metavar)
{
    struct cli_entry e = {short_name, buf_view(&all->name), metavar, buf_view(&all->text)};

    all->failed = all->failed || all->name.failed || all->text.failed;
    if (!all->failed)
        all->put(all->context, &e);
    buf_clear(&all->name);
    buf_clear(&all->text);
}

static void describe_key(struct entries *all, const struct key *r, bool of_b)
{
    key_describe(r, of_b, &all->text);
    /* Only the command line has names for tracks, and files for each of them. */
    if (r->kind == KEY_TRACKS)
        buf_z(&all->text, "; with --out-dir each track by itself. A thread's name may stand for its id");
}

static void own_entry(struct entries *all, const struct cli_option *o)
{
    const char *metavar = o->metavar;

    buf_z(&all->name, o->name);
    if (o->help != NULL) {
        buf_z(&all->text, o->help);
    } else { /* CLI_KEY_ROW */
        const struct key *r = key_by_name(str_of(o->name + 2));
        describe_key(all, r, false);
        metavar = r->metavar;
    }
    for (size_t i = 0; o->word != NULL && o->word(i).word != NULL; i++)
        buf_printf(&all->text, "%s%s (%s%s)", i == 0 ? ": " : ", ", o->word(i).word, o->word(i).meaning,
                   i == 0 ? "; default" : "");
    end_entry(all, o->short_name, metavar);
}

static void request_entry(void *context, const struct key *r, bool of_b)
{
    struct entries *all = context;

    buf_printf(&all->name, "--%s%s", r->name, of_b ? "-b" : "");
    describe_key(all, r, of_b);
    end_entry(all, NULL, r->metavar);
}

static void config_entry(struct entries *all, const struct config_key *key)
{
    buf_z(&all->name, "--");
    for (size_t i = 0; i < key->name.n; i++)
        buf_char(&all->name, key->name.p[i] == '_' ? '-' : key->name.p[i]);
    buf_z(&all->text, key->help);
    if (key->value[0] != '\0')
        buf_printf(&all->text, "; default: %s", key->value);
    end_entry(all, NULL, config_keys_metavar(key));
}

bool cli_each_entry(const struct cli_command *c, enum cli_group group,
                    void (*put)(void *context, const struct cli_entry *e), void *context)
{
    struct entries all = {.put = put, .context = context};

    for (size_t i = 0; group == CLI_OWN && i < c->n_options; i++)
        own_entry(&all, &c->options[i]);
    if (group == ((c->keys & KEYS_VIEW) != 0 ? CLI_VIEW : CLI_OWN))
        keys_each(c->keys, request_entry, &all);
    for (size_t i = 0; group == CLI_CONFIG && c->is_service && i < CONFIG_KEYS_COUNT; i++)
        config_entry(&all, &CONFIG_KEYS[i]);
    buf_free(&all.name);
    buf_free(&all.text);
    return !all.failed;
}

/* ---- entries as lines ---- */

struct lines {
    struct buf *b;
    size_t column;  /* where texts begin; while measuring, as far as is known */
    bool measuring; /* only the column is wanted */
};

static void put_left(struct buf *b, const struct cli_entry *e)
{
    buf_z(b, "  ");
    if (e->short_name != NULL)
        buf_printf(b, "%s, ", e->short_name);
    buf_str(b, e->name);
    if (e->metavar != NULL)
        buf_printf(b, " %s", e->metavar);
}

static void put_line(void *context, const struct cli_entry *e)
{
    struct lines *lines = context;
    struct buf left = {0};

    put_left(&left, e);
    if (lines->measuring) {
        size_t wanted = left.n + GAP;
        if (wanted > lines->column && wanted <= COLUMN_MAX)
            lines->column = wanted;
    } else {
        size_t at = left.n;
        buf_str(lines->b, buf_view(&left));
        if (at + GAP > lines->column) {
            buf_char(lines->b, '\n');
            at = 0;
        }
        for (; at < lines->column; at++)
            buf_char(lines->b, ' ');
        wrap_text(lines->b, e->text, lines->column, lines->column, WIDTH);
    }
    buf_part_end(lines->b, &left);
}

static void put_group(struct buf *b, const struct cli_command *c, enum cli_group group, const char *title)
{
    struct lines lines = {.b = b, .measuring = true};
    bool ok = cli_each_entry(c, group, put_line, &lines);

    if (lines.column > 0)
        buf_printf(b, "\n%s\n", title);
    lines.measuring = false;
    ok = cli_each_entry(c, group, put_line, &lines) && ok;
    b->failed = b->failed || !ok;
}

void cli_help_command(struct buf *b, const struct cli_command *c)
{
    struct str rest = str_of(c->description), paragraph;

    buf_printf(b, "usage: aflamed %s %s\n\n", c->name, c->synopsis);
    while (str_split(&rest, '\n', &paragraph))
        if (paragraph.n > 0)
            wrap_text(b, paragraph, 0, 0, WIDTH);
    put_group(b, c, CLI_OWN, "options:");
    put_group(b, c, CLI_VIEW, "options of the view:");
    put_group(b, c, CLI_CONFIG,
              "keys of the configuration, also as AFLAMED_<KEY> in the environment and in the file:");
    buf_char(b, '\n');
    wrap_text(b, str_without_line_end(str_of(CLI_EXIT_STATUS)), 0, 0, WIDTH);
}

void cli_help_all(struct buf *b)
{
    buf_z(b, "aflamed: interactive flame graphs of Android profiles\n\n"
             "usage: aflamed [COMMAND] [OPTION...]\n\n");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        buf_printf(b, "  %-8s %s\n", CLI_COMMANDS[i]->name, CLI_COMMANDS[i]->summary);
    buf_z(
        b,
        "\nWithout a command it serves. `aflamed COMMAND --help` lists options, `aflamed --version` says the "
        "version.\n\n");
    wrap_text(b, str_without_line_end(str_of(CLI_EXIT_STATUS)), 0, 0, WIDTH);
}

/* ---- the table ---- */

/* THE TABLE of commands, and what their rows do with arguments. */

const struct cli_command *const CLI_COMMANDS[] = {
    &CLI_SERVE, &CLI_RENDER, &CLI_INFO,   &CLI_METHODS, &CLI_CALLS, &CLI_VERDICT, &CLI_DIFF,
    &CLI_CHECK, &CLI_EXPORT, &CLI_RECORD, &CLI_TOKEN,   &CLI_STORE, &CLI_DEMO};

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
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') || is_digit(s.p[i]) ||
              s.p[i] == '_' || s.p[i] == '.' || s.p[i] == ':'))
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

/* False (diag) if a switch was given a value. */
static bool cli_no_value(const struct cli_argument *argument, struct diag *diag)
{
    return argument->value.p == NULL ||
           diag_set(diag, DIAG_USAGE, "option with a value", "aflamed COMMAND --help lists the options.",
                    "%.*s takes no value.", (int)argument->name.n, argument->name.p);
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

/* What the option is called as a key: without dashes in front, of B with `_b` behind it. Empty: no key has
 * such a name. */
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

/* Says that the command has no such option, and which one may be meant. Always false. */
static bool unknown(const struct cli_command *c, const struct cli_argument *a, struct diag *diag)
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

/* What is a row of the command, but a key all the same, need not be of its groups. */
static bool take_key(const struct cli_command *c, unsigned groups, struct asked *asked,
                     struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    char room[KEY_ROOM];
    struct str name = key_name(a, room);
    bool of_b;
    const struct key *r = key_find(groups, name, &of_b);

    if (r == NULL)
        return unknown(c, a, diag);
    bool given = r->kind == KEY_FLAG ? cli_no_value(a, diag) : cli_value(all, a, diag);
    struct str value = r->kind == KEY_FLAG ? STR("1") : a->value;
    return given && asked_set(asked, groups, name, value, diag);
}

bool cli_take(const struct cli_command *c, void *options, struct asked *asked, struct cli_arguments *all,
              struct cli_argument *a, struct diag *diag)
{
    const struct cli_option *o = find(c, a->name);

    if (o == NULL)
        return take_key(c, c->keys, asked, all, a, diag);
    if (o->kind == CLI_KEY)
        return take_key(c, KEYS_OF_VIEWS, asked, all, a, diag);
    return set(c, o, (char *)options + o->offset, all, a, diag);
}

bool cli_asks_help(int n_arguments, char *const *arguments)
{
    for (int i = 0; i < n_arguments && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}
