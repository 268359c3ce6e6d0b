/* The tables of commands and options: what is in help is understood, and what is understood is in help. */
#include "tests/support/unit.h"

#include <string.h>

#include "cli/command.h"
#include "render/view/asked.h"
#include "render/view/key.h"
#include "server/config/config_keys.h"
#include "server/config/config_load.h"

struct seen {
    struct buf names; /* each between blanks */
    size_t n;
};

static void note(void *context, const struct cli_entry *e)
{
    struct seen *seen = context;

    assert_true(str_starts(e->name, STR("-")));
    assert_true(e->text.n > 0);
    buf_char(&seen->names, ' ');
    buf_str(&seen->names, e->name);
    buf_char(&seen->names, ' ');
    seen->n++;
}

static struct seen entries(const struct cli_command *c, enum cli_group group)
{
    struct seen seen = {.n = 0};

    assert_true(cli_each_entry(c, group, note, &seen));
    buf_char(&seen.names, '\0');
    return seen;
}

static void count(void *context, const struct key *r, bool of_b)
{
    (void)r;
    (void)of_b;
    ++*(size_t *)context;
}

static size_t count_keys(unsigned groups)
{
    size_t n = 0;

    keys_each(groups, count, &n);
    return n;
}

TEST(every_row_is_an_entry)
{
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++) {
        const struct cli_command *c = CLI_COMMANDS[i];
        struct seen own = entries(c, CLI_OWN), view = entries(c, CLI_VIEW), keys = entries(c, CLI_CONFIG);
        assert_ptr_equal(cli_command_by_name(c->name), c);
        bool shows_views = (c->keys & KEYS_VIEW) != 0;
        assert_int_equal(own.n, c->n_options + (shows_views ? 0 : count_keys(c->keys)));
        assert_int_equal(view.n, shows_views ? count_keys(c->keys) : 0);
        assert_int_equal(keys.n, c->is_service ? CONFIG_KEYS_COUNT : 0);
        buf_free(&own.names);
        buf_free(&view.names);
        buf_free(&keys.names);
    }
    struct seen view = entries(&CLI_RENDER, CLI_VIEW), keys = entries(&CLI_SERVE, CLI_CONFIG);
    assert_non_null(strstr(view.names.p, " --track "));
    assert_non_null(strstr(view.names.p, " --embed-nodes "));
    assert_null(strstr(view.names.p, " --skip "));
    assert_non_null(strstr(keys.names.p, " --max-upload-bytes "));
    buf_free(&view.names);
    buf_free(&keys.names);
}

/* Its own rows are for help only: the configuration reads them. */
TEST(flags_of_serve_are_understood)
{
    for (size_t i = 0; i < CLI_SERVE.n_options; i++) {
        char *arguments[] = {(char *)(uintptr_t)CLI_SERVE.options[i].name,
                             (char *)(uintptr_t) "config/aflamed.json"};
        char *environment[] = {NULL};
        enum config_action action;
        struct config config;
        struct diag diag = {0};
        int n = CLI_SERVE.options[i].metavar != NULL ? 2 : 1;
        assert_true(config_load(&config, n, arguments, environment, &action, &diag));
    }
}

static bool take(const char *first, const char *second, struct diag *diag)
{
    char *arguments[] = {(char *)(uintptr_t)first, (char *)(uintptr_t)second};
    struct cli_arguments all = {arguments, second == NULL ? 1 : 2, false};
    static char fields[1 << 16]; /* more than the options of any command */
    struct cli_argument a;
    struct asked asked;

    *diag = (struct diag){0};
    asked_defaults(&asked);
    for (size_t i = 0; i < CLI_RENDER.n_options; i++)
        assert_in_range(CLI_RENDER.options[i].offset, 0, sizeof(fields) - sizeof(char *));
    assert_true(cli_next(&all, &a));
    return cli_take(&CLI_RENDER, fields, &asked, &all, &a, diag);
}

TEST(arguments_are_taken)
{
    struct diag diag;

    assert_true(take("--quiet", NULL, &diag));
    assert_true(take("-q", NULL, &diag));
    assert_false(take("--quiet=1", NULL, &diag));
    assert_true(take("-o", "x.svg", &diag));
    assert_false(take("-o", "", &diag));
    assert_false(take("-o", NULL, &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    assert_true(take("--member=", NULL, &diag));
    assert_false(take("--width", "1", &diag));
    assert_true(take("--width", "300", &diag));
    assert_false(take("--height", "300", &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
}

TEST(help_is_asked_for_by_itself)
{
    char *asked[] = {(char *)(uintptr_t) "x", (char *)(uintptr_t) "-h"};
    char *named[] = {(char *)(uintptr_t) "--", (char *)(uintptr_t) "-h"};
    char *other[] = {(char *)(uintptr_t) "--help=1"};

    assert_true(cli_asks_help(2, asked));
    assert_false(cli_asks_help(2, named));
    assert_false(cli_asks_help(1, other));
}
