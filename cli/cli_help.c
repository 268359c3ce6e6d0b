/* The texts of --help, from the tables of commands, keys of requests and keys of the configuration. */

#include "cli/command.h"
#include "core/wrap.h"
#include "render/view/key.h"
#include "server/config/config_keys.h"

enum { WIDTH = 110, COLUMN_MAX = 30, GAP = 2 };

const char CLI_EXIT_STATUS[] =
    "Exit status: 0, 1 if a file cannot be used, a result not be written or the service not "
    "start, 2 if the command line makes no sense, 3 if a comparison passes a rule of --fail-if.\n";

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
    buf_z(b,
          "\nWithout a command it serves. `aflamed COMMAND --help` lists the options of a command, `aflamed "
          "--version`\nsays the version.\n\n");
    wrap_text(b, str_without_line_end(str_of(CLI_EXIT_STATUS)), 0, 0, WIDTH);
}
