/* The manual pages. Roff gives a meaning to a full stop or an apostrophe at the start of a line, and to
 * backslashes. */
#include "cli/command.h"
#include "server/config/config_keys.h"
#include "server/service.h"
#include "tools/reference/reference.h"

static void put_text(struct buf *b, struct str text)
{
    bool line_begins = true;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (line_begins && (c == '.' || c == '\''))
            buf_z(b, "\\&");
        line_begins = c == '\n';
        if (c == '\\')
            buf_z(b, "\\e");
        else if (c == '-')
            buf_z(b, "\\-");
        else
            buf_char(b, c);
    }
}

static void put_z(struct buf *b, const char *text)
{
    put_text(b, str_of(text));
}

static void put_title(struct buf *b, const char *name, unsigned section)
{
    buf_printf(b, ".TH \"%s\" \"%u\" \"\" \"aflamed %s\" \"aflamed\"\n", name, section, SERVICE_VERSION);
}

static void put_paragraphs(struct buf *b, const char *text)
{
    struct str rest = str_of(text), paragraph;

    while (str_split(&rest, '\n', &paragraph)) {
        if (paragraph.n == 0)
            continue;
        buf_z(b, ".PP\n");
        put_text(b, paragraph);
        buf_char(b, '\n');
    }
}

static void put_entry(void *context, const struct cli_entry *e)
{
    struct buf *b = context;

    buf_z(b, ".TP\n\\fB");
    if (e->short_name != NULL) {
        put_z(b, e->short_name);
        buf_z(b, "\\fR, \\fB");
    }
    put_text(b, e->name);
    buf_z(b, "\\fR");
    if (e->metavar != NULL)
        buf_printf(b, " \\fI%s\\fR", e->metavar);
    buf_char(b, '\n');
    put_text(b, e->text);
    buf_char(b, '\n');
}

static void put_command(struct buf *b, const struct cli_command *c)
{
    buf_printf(b, ".SS aflamed %s\n.B aflamed %s\n", c->name, c->name);
    put_z(b, c->synopsis);
    buf_char(b, '\n');
    put_paragraphs(b, c->description);
    bool ok = cli_each_entry(c, CLI_OWN, put_entry, b) && cli_each_entry(c, CLI_VIEW, put_entry, b);
    b->failed = b->failed || !ok;
    if (c->is_service)
        buf_z(b, ".PP\nEvery key of\n.BR aflamed.json (5)\nis an option as well: max_upload_bytes is "
                 "\\fB\\-\\-max\\-upload\\-bytes\\fR.\n");
}

void reference_man1(struct buf *b)
{
    put_title(b, "AFLAMED", 1);
    buf_z(b, ".SH NAME\naflamed \\- interactive flame graphs of Android profiles\n.SH SYNOPSIS\n");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++) {
        buf_printf(b, "%s.B aflamed %s\n", i == 0 ? "" : ".br\n", CLI_COMMANDS[i]->name);
        put_z(b, CLI_COMMANDS[i]->synopsis);
        buf_char(b, '\n');
    }
    buf_z(b, ".SH DESCRIPTION\n"
             "aflamed reads Android method traces and folded stacks, and draws one flame graph (SVG) for "
             "each thread. "
             "As a service it takes uploads by a browser or by\n.BR curl (1),\nand answers with a link.\n"
             "Without a command it serves.\n.SH COMMANDS\n");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        put_command(b, CLI_COMMANDS[i]);
    buf_z(b, ".SH \"EXIT STATUS\"\n");
    put_z(b, CLI_EXIT_STATUS);
    buf_z(b, ".SH ENVIRONMENT\n.TP\n.B AFLAMED_CONFIG\nnames the configuration file.\n"
             ".TP\n.BI AFLAMED_ KEY\nsets a key of the configuration, as in AFLAMED_EXPIRES_DAYS=14.\n"
             ".SH \"SEE ALSO\"\n.BR aflamed.json (5)\n");
}

static void put_key(struct buf *b, const struct config_key *key)
{
    struct buf allowed = {0};

    config_keys_allowed(&allowed, key);
    buf_printf(b, ".TP\n.B %.*s\n", (int)key->name.n, key->name.p);
    put_z(b, key->help);
    buf_z(b, ".\n.br\nAllowed: ");
    put_text(b, buf_view(&allowed));
    if (key->value[0] != '\0') {
        buf_z(b, ". Default: ");
        put_z(b, key->value);
    }
    buf_z(b, ".\n");
    buf_part_end(b, &allowed);
}

void reference_man5(struct buf *b)
{
    put_title(b, "AFLAMED.JSON", 5);
    buf_z(
        b,
        ".SH NAME\naflamed.json \\- configuration of the service aflamed\n.SH DESCRIPTION\n"
        "One JSON object with any of the keys below. A size is a number of bytes, or a text with K, M or G "
        "behind the number (powers of 1024). An unknown key or a bad value is an error.\n"
        ".PP\n"
        "The file is named by \\fB\\-\\-config\\fR or by AFLAMED_CONFIG; without either no file is read. The "
        "environment (AFLAMED_MAX_UPLOAD_BYTES) goes before the file, a flag "
        "(\\fB\\-\\-max\\-upload\\-bytes\\fR) before both. \\fBaflamed serve \\-\\-print\\-config\\fR prints "
        "what is in effect, in the form of the file.\n"
        ".SH KEYS\n");
    for (size_t i = 0; i < CONFIG_KEYS_COUNT; i++)
        put_key(b, &CONFIG_KEYS[i]);
    buf_z(b, ".SH EXAMPLE\n.nf\n{\n    \"listen\": \"127.0.0.1:8192\",\n    \"expires_days\": 14,\n"
             "    \"max_upload_bytes\": \"500M\"\n}\n.fi\n.SH \"SEE ALSO\"\n.BR aflamed (1)\n");
}
