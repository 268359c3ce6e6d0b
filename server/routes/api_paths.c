#include "server/routes/api_paths.h"

#include "render/calls/call_format.h"
#include "render/table/table_request.h"
#include "server/http/form_body.h"
#include "server/routes/routes.h"
#include "server/routes/routes_table.h"

static const struct str SUFFIX = STR_INIT("{suffix}");

/* ---- URLs ---- */

/* The report that a route answers with, as the first of its rows: "methods" of "/p/{id}/methods{suffix}", "m" of
 * "/p/{id}/m/{method}". NULL: it has none. */
static const struct report *report_of(const struct route *r)
{
    static const struct str PROFILE = STR_INIT("/p/{id}/"), PAIR = STR_INIT("/d/{pair}");
    static const struct str ANY = {"", 0};
    struct str path = str_of(r->path);

    if (str_starts(path, PAIR))
        return report_by_name(STR("diff"), ANY);
    if (!str_starts(path, PROFILE))
        return NULL;
    struct str rest = {path.p + PROFILE.n, path.n - PROFILE.n};
    size_t slash = str_find(rest, '/'), brace = str_find(rest, '{');
    return report_by_name((struct str){rest.p, slash < brace ? slash : brace}, ANY);
}

/* The URL as buf has it, and with each suffix behind it. */
struct suffixes {
    struct buf *path;
    size_t bare; /* bytes of the path without a suffix */
    bool (*visit)(void *context, const struct api_path *p);
    void *context;
};

static bool visit_suffix(struct suffixes *s, struct api_path *p, const char *suffix, const char *words,
                         const char *media_type)
{
    s->path->n = s->bare;
    if (suffix != NULL)
        buf_printf(s->path, ".%s", suffix);
    p->path = buf_view(s->path);
    p->words = words;
    p->media_type = media_type;
    return !s->path->failed && s->visit(s->context, p);
}

static bool visit_format(struct suffixes *s, struct api_path *p, const struct text_format *f)
{
    return visit_suffix(s, p, f->name, f->help, f->media_type);
}

static bool visit_reports(struct suffixes *s, struct api_path *p)
{
    const struct str name = str_of(p->report->name);

    for (size_t i = 0; i < REPORTS_COUNT; i++)
        if (str_eq(name, str_of(REPORTS[i].name)) && !visit_format(s, p, REPORTS[i].format))
            return false;
    return true;
}

static bool visit_calls(struct suffixes *s, struct api_path *p)
{
    for (size_t i = 0; i < CALL_FORMATS_COUNT; i++)
        if (!visit_format(s, p, &CALL_FORMATS[i].text))
            return false;
    return true;
}

static bool visit_outputs(struct suffixes *s, struct api_path *p)
{
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        p->output = OUTPUTS[i];
        if (!p->output->preview && (p->output->scopes & SCOPE_PIECE) == 0 &&
            !visit_suffix(s, p, p->output->suffix, p->output->label, p->output->media_type))
            return false;
    }
    return true;
}

static bool visit_route(struct suffixes *s, const struct route *r)
{
    struct api_path p = {.route = r, .report = report_of(r)};

    if (!visit_suffix(s, &p, NULL, NULL, NULL))
        return false;
    if (r->handle == handle_track)
        return visit_outputs(s, &p);
    if (r->handle == handle_calls)
        return visit_calls(s, &p);
    return p.report == NULL || r->handle == handle_compare || str_ends(str_of(r->path), STR("/tree")) ||
           visit_reports(s, &p);
}

bool api_paths(bool (*visit)(void *context, const struct api_path *p), void *context)
{
    struct buf path = {0};
    bool going = true;

    for (size_t i = 0; i < ROUTES_COUNT && going; i++) {
        const struct route *r = &ROUTES[i];
        struct str bare = str_of(r->path);
        if (r->help == NULL)
            continue;
        buf_clear(&path);
        buf_bytes(&path, bare.p, str_ends(bare, SUFFIX) ? bare.n - SUFFIX.n : bare.n);
        going = visit_route(&(struct suffixes){&path, path.n, visit, context}, r);
    }
    buf_free(&path);
    return going;
}

/* ---- what they take ---- */

static const struct named {
    const char *name, *help;
} PATH_PARTS[] =
    {
        {"id", "the upload, by the 26 letters and digits of its link"},
        {"track", "a track by its id, several with commas between them, all (side by side), or merged"},
        {"method", "a method, by its id or by its name as package.Class.method"},
        {"pair", "two uploads by their ids, with .. between them: the earlier one first"},
        {"pass", "a pass of the picture's link, which holds for a while"},
        {"name", "what the upload is called"},
},
  KEYS[] =
      {
          {"wait", "how many seconds to wait for news, at most"},
          {"made", "how many views the client knows to be made"},
          {"name", "what the upload is called"},
          {"expires", "how long it is kept: days as 7, or hours as 12h"},
          {"app", "which packages are the app's own code; empty: guessed"},
          {"member", "of an archive with several files, the one to read: its name, or its place as #2; all: "
                     "each that is read here"},
          {"output", "the answer is this output instead of the link"},
          {"stacks", "threads whose calls are wanted, by their ids with commas between them"},
          {"mark", "a method whose calls are looked for, by its id or its name"},
          {"a", "the earlier upload, by its link or its id"},
          {"b", "the later one"},
          {"from_b", "where the range of time begins in B, if not as in A"},
          {"to_b", "where it ends in B"},
          {"moment_b", "which dump of B is compared, if not the same as of A"},
          {"all", "1: also rows that do not differ"},
          {"normalise", "scale B to as much as A has: total, time, or calls:METHOD"},
          {"wide", "what is wide in the picture: b (what B has; default), a, or larger (of the two)"},
          {"known",
           "in place of the file, the id of a mapping that the service has; by-names: none is taken, and the "
           "answer names the one that fits the names of the profile best"},
          {"known_file",
           "in place of the file, one that the service has, by the name that by-names answered"},
          {"from", "in place of the file, another upload that has a mapping, by its id"},
          {"from_token", "the token of that upload"},
          {"token", "the token that allows to change and to delete the upload"},
},
  FILES[] = {
      {"trace", "the profile"},
      {"mapping", "a mapping.txt of ProGuard or R8, which tells the names of a release build"},
      {"symbols", "unstripped libraries (ELF) or Breakpad symbols, one file or an archive of several, or "
                  "what traceconv makes for a Perfetto trace, which "
                  "name the addresses of "
                  "native code"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct str help_of(const struct named *rows, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(str_of(rows[i].name), name))
            return str_of(rows[i].help);
    return (struct str){.p = "", .n = 0};
}

struct visitor {
    void (*visit)(void *context, const struct api_parameter *parameter);
    void *context;
    struct buf help; /* for those that are described by their row */
};

static void visit_named(struct visitor *v, enum api_place place, struct str name, struct str help)
{
    v->visit(v->context, &(struct api_parameter){.name = name, .place = place, .help = help});
}

static void visit_path_parts(struct visitor *v, struct str path)
{
    for (;;) {
        size_t open = str_find(path, '{'), close = str_find(path, '}');
        if (close == path.n)
            return;
        struct str name = {path.p + open + 1, close - open - 1};
        visit_named(v, API_PATH, name, help_of(PATH_PARTS, COUNT_OF(PATH_PARTS), name));
        path = (struct str){path.p + close + 1, path.n - close - 1};
    }
}

static void visit_options(struct visitor *v, unsigned scopes)
{
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++) {
        const struct view_option *o = &VIEW_OPTIONS[i];
        if ((o->scope & scopes) == 0)
            continue;
        buf_clear(&v->help);
        view_option_describe(o, &v->help);
        v->visit(v->context,
                 &(struct api_parameter){
                     .name = str_of(o->key), .place = API_QUERY, .help = buf_view(&v->help), .option = o});
    }
}

static void visit_table_keys(struct visitor *v, const struct api_path *p)
{
    for (size_t i = 0; i < TABLE_OPTIONS_COUNT && p->report != NULL; i++) {
        const struct table_option *o = &TABLE_OPTIONS[i];
        if (report_takes(p->report, str_of(o->key)))
            visit_named(v, API_QUERY, str_of(o->key), str_of(o->help));
    }
}

/* Keys of the query or of a form, with blanks between their names. */
static void visit_keys(struct visitor *v, enum api_place place, struct str names)
{
    struct str name;

    while (str_split(&names, ' ', &name))
        visit_named(v, place, name, help_of(KEYS, COUNT_OF(KEYS), name));
}

/* The keys of the query, one after the other, as the route's row has them. */
static void visit_query(struct visitor *v, const struct api_path *p)
{
    struct str rest = str_of(p->route->query != NULL ? p->route->query : ""), word;
    unsigned scopes = p->output != NULL ? p->output->scopes & SCOPE_BUDGET : 0u;

    while (str_split(&rest, ' ', &word)) {
        if (str_eq(word, STR("<view>")))
            visit_options(v, SCOPE_VIEW | scopes);
        else if (str_eq(word, STR("<track>")))
            visit_options(v, SCOPE_PLACE);
        else if (str_eq(word, STR("<piece>")))
            visit_options(v, SCOPE_PIECE);
        else if (str_eq(word, STR("<table>")))
            visit_table_keys(v, p);
        else if (str_eq(word, STR("<upload>")))
            visit_keys(v, API_QUERY, STR("name expires member output"));
        else if (word.n > 0)
            visit_named(v, p->route->body == &FORM_BODY ? API_FIELD : API_QUERY, word,
                        help_of(KEYS, COUNT_OF(KEYS), word));
    }
}

static void visit_body(struct visitor *v, const struct route *r)
{
    static const struct str MAPPING = STR_INIT("mapping"), SYMBOLS = STR_INIT("symbols");

    if (r->body == &FORM_BODY || r->body == &MAPPING_BODY || r->body == &SYMBOLS_BODY)
        visit_keys(v, API_FIELD, STR("token"));
    if (r->body == &MAPPING_BODY) {
        visit_named(v, API_FILE, MAPPING, help_of(FILES, COUNT_OF(FILES), MAPPING));
        visit_keys(v, API_FIELD, STR("known known_file from from_token"));
    }
    if (r->body == &SYMBOLS_BODY)
        visit_named(v, API_FILE, SYMBOLS, help_of(FILES, COUNT_OF(FILES), SYMBOLS));
    if (r->body != &UPLOAD_BODY || !str_eq(str_of(r->method), STR("POST")))
        return;
    for (size_t i = 0; i < COUNT_OF(FILES); i++)
        visit_named(v, API_FILE, str_of(FILES[i].name), str_of(FILES[i].help));
    visit_keys(v, API_FIELD, STR("name expires member"));
}

bool api_parameters(const struct api_path *p,
                    void (*visit)(void *context, const struct api_parameter *parameter), void *context)
{
    struct visitor v = {visit, context, {0}};

    visit_path_parts(&v, p->path);
    visit_query(&v, p);
    if (str_eq(str_of(p->route->method), STR("DELETE")))
        visit_named(&v, API_HEADER, STR("X-Delete-Token"), help_of(KEYS, COUNT_OF(KEYS), STR("token")));
    visit_body(&v, p->route);
    bool made = !v.help.failed;
    buf_free(&v.help);
    return made;
}
