/* The tables of README.md and docs/. */
#include <string.h>

#include "cli/command.h"
#include "parser/format.h"
#include "profile/warning.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/config/config_keys.h"
#include "server/convert/summary.h"
#include "server/figures/figures_table.h"
#include "server/routes/routes.h"
#include "tools/reference/reference.h"

/* A cell in one line; what would end it is escaped. */
static void put_cell(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '|')
            buf_char(b, '\\');
        if (text.p[i] == '<')
            buf_z(b, "&lt;");
        else
            buf_char(b, text.p[i] == '\n' ? ' ' : text.p[i]);
    }
}

static void put_heading(struct buf *b, const char *const *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "| %s ", cells[i]);
    buf_z(b, "|\n");
    for (size_t i = 0; i < n; i++)
        buf_z(b, "|---");
    buf_z(b, "|\n");
}

#define HEADING(b, ...)                                \
    put_heading(b, (const char *const[]){__VA_ARGS__}, \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- what is read and made ---- */

static void put_formats(struct buf *b)
{
    HEADING(b, "format", "written by");
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        buf_z(b, "| ");
        put_cell(b, str_of(FORMATS[i]->label));
        buf_z(b, " | ");
        put_cell(b, str_of(FORMATS[i]->written_by));
        buf_z(b, " |\n");
    }
}

static void put_outputs(struct buf *b)
{
    HEADING(b, "suffix", "`output=`, `--output`", "what it is");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        buf_printf(b, "| `.%s` | `%s` | ", OUTPUTS[i]->suffix, OUTPUTS[i]->name);
        put_cell(b, str_of(OUTPUTS[i]->label));
        buf_z(b, " |\n");
    }
}

static void put_facts(struct buf *b)
{
    HEADING(b, "fact", "on pages");
    for (size_t i = 0; i < FACTS_COUNT; i++)
        buf_printf(b, "| `%s` | %s |\n", FACTS[i].name, FACTS[i].label);
}

static void put_warnings(struct buf *b)
{
    HEADING(b, "code", "what it says when it counts one");
    for (int code = 0; code < WARNING_CODES; code++) {
        struct buf text = {0};
        warning_text(&text, (enum warning_code)code, 1);
        buf_printf(b, "| `%s` | ", warning_name((enum warning_code)code));
        put_cell(b, buf_view(&text));
        buf_z(b, " |\n");
        buf_part_end(b, &text);
    }
}

/* What is not for people has no help. */
static void put_routes(struct buf *b)
{
    HEADING(b, "method", "path", "who may", "what it does");
    for (size_t i = 0; i < ROUTES_COUNT; i++) {
        if (ROUTES[i].help == NULL)
            continue;
        buf_printf(b, "| %s | `%s` | %s | ", ROUTES[i].method, ROUTES[i].path, door_words(ROUTES[i].door));
        put_cell(b, str_of(ROUTES[i].help));
        buf_z(b, " |\n");
    }
}

static void put_figures(struct buf *b)
{
    HEADING(b, "figure", "type", "labels", "what it is");
    for (size_t i = 0; i < FIGURES_COUNT; i++) {
        const struct figure *f = &FIGURES[i];
        buf_printf(b, "| `%s%s` | %s | %s | ", f->name, f->type == FIGURE_COUNTER ? "_total" : "",
                   exposition_type(f->type), f->labels == NULL ? "" : f->labels);
        put_cell(b, str_of(f->help));
        buf_z(b, " |\n");
    }
}

/* ---- options ---- */

static void put_view_options(struct buf *b, unsigned scopes)
{
    HEADING(b, "key", "meaning");
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        struct buf text = {0};
        if (!(KEYS[i].groups & scopes))
            continue;
        key_describe(&KEYS[i], false, &text);
        buf_printf(b, "| `%s` | ", KEYS[i].name);
        put_cell(b, buf_view(&text));
        buf_z(b, " |\n");
        buf_part_end(b, &text);
    }
}

static void put_entry(void *context, const struct cli_entry *e)
{
    struct buf *b = context;

    buf_z(b, "| `");
    if (e->short_name != NULL)
        buf_printf(b, "%s`, `", e->short_name);
    buf_str(b, e->name);
    if (e->metavar != NULL)
        buf_printf(b, " %s", e->metavar);
    buf_z(b, "` | ");
    put_cell(b, e->text);
    buf_z(b, " |\n");
}

static void put_options(struct buf *b, const struct cli_command *c, enum cli_group group)
{
    HEADING(b, "option", "meaning");
    if (!cli_each_entry(c, group, put_entry, b))
        b->failed = true;
}

static void put_commands(struct buf *b)
{
    HEADING(b, "command", "what it does");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++) {
        buf_printf(b, "| `aflamed %s ", CLI_COMMANDS[i]->name);
        buf_z(b, CLI_COMMANDS[i]->synopsis);
        buf_z(b, "` | ");
        put_cell(b, str_of(CLI_COMMANDS[i]->summary));
        buf_z(b, " |\n");
    }
}

static void put_keys(struct buf *b)
{
    HEADING(b, "key", "default", "meaning");
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++) {
        const struct config_key *key = &CONFIG_KEYS[i];
        buf_printf(b, key->value[0] != '\0' ? "| `%.*s` | `%s` | " : "| `%.*s` | %s| ", (int)key->name.n,
                   key->name.p, key->value);
        put_cell(b, str_of(key->help));
        buf_z(b, " |\n");
    }
}

static void put_url_options(struct buf *b)
{
    put_view_options(b, KEYS_VIEW);
}

static void put_cli_options(struct buf *b)
{
    put_options(b, &CLI_RENDER, CLI_VIEW);
}

static const struct table {
    const char *name;
    void (*put)(struct buf *b);
} TABLES[] = {
    {"formats", put_formats},
    {"figures", put_figures},
    {"outputs", put_outputs},
    {"routes", put_routes},
    {"facts", put_facts},
    {"warnings", put_warnings},
    {"view-options", put_url_options},
    {"view-options-cli", put_cli_options},
    {"commands", put_commands},
    {"config-keys", put_keys},
};

bool reference_table(struct buf *b, const char *name)
{
    const struct cli_command *command = cli_command_by_name(name);

    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (strcmp(TABLES[i].name, name) == 0) {
            TABLES[i].put(b);
            return true;
        }
    if (command != NULL)
        put_options(b, command, CLI_OWN);
    return command != NULL;
}
