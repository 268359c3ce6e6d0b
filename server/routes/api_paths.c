#include "server/routes/api_paths.h"

#include "render/calls/call_format.h"
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
        if (!p->output->preview && (p->output->keys & KEYS_PIECE) == 0 &&
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
} PATH_PARTS[] = {
    {"id", "the upload, by the 26 letters and digits of its link"},
    {"track", "a track by its id, several with commas between them, all (side by side), or merged"},
    {"method", "a method, by its id or by its name as package.Class.method"},
    {"pair", "two uploads by their ids, with .. between them: the earlier one first"},
    {"pass", "a pass of the picture's link, which holds for a while"},
    {"name", "what the upload is called"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct str help_of(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(PATH_PARTS); i++)
        if (str_eq(str_of(PATH_PARTS[i].name), name))
            return str_of(PATH_PARTS[i].help);
    return STR("");
}

struct visitor {
    void (*visit)(void *context, const struct api_parameter *parameter);
    void *context;
    enum api_place place; /* of keys */
    struct buf name, help;
};

static void visit_path_parts(struct visitor *v, struct str path)
{
    for (;;) {
        size_t open = str_find(path, '{'), close = str_find(path, '}');
        if (close == path.n)
            return;
        struct str name = {path.p + open + 1, close - open - 1};
        v->visit(v->context, &(struct api_parameter){.name = name, .place = API_PATH, .help = help_of(name)});
        path = (struct str){path.p + close + 1, path.n - close - 1};
    }
}

static void visit_key(void *context, const struct key *r, bool of_b)
{
    struct visitor *v = context;

    buf_clear(&v->name);
    buf_clear(&v->help);
    buf_printf(&v->name, "%s%s", r->name, of_b ? "_b" : "");
    key_describe(r, of_b, &v->help);
    v->visit(v->context, &(struct api_parameter){.name = buf_view(&v->name),
                                                 .place = r->kind == KEY_FILE ? API_FILE : v->place,
                                                 .help = buf_view(&v->help),
                                                 .key = r});
}

unsigned api_keys(const struct api_path *p)
{
    return p->route->keys | (p->output != NULL ? p->output->keys : 0);
}

/* An upload has keys in its query, and fields in its form; other forms have what is said in their bodies. */
static void visit_keys(struct visitor *v, const struct api_path *p)
{
    const struct route *r = p->route;
    bool is_upload = r->body == &UPLOAD_BODY;

    v->place = r->body == NULL || is_upload ? API_QUERY : API_FIELD;
    keys_each(api_keys(p), visit_key, v);
    v->place = API_FIELD;
    if (is_upload && str_eq(str_of(r->method), STR("POST")))
        keys_each(KEYS_FORM, visit_key, v);
}

bool api_parameters(const struct api_path *p,
                    void (*visit)(void *context, const struct api_parameter *parameter), void *context)
{
    static const struct str TOKEN = STR_INIT("X-Delete-Token");
    struct visitor v = {.visit = visit, .context = context};
    bool of_b;

    visit_path_parts(&v, p->path);
    visit_keys(&v, p);
    if (str_eq(str_of(p->route->method), STR("DELETE")))
        visit(context,
              &(struct api_parameter){.name = TOKEN,
                                      .place = API_HEADER,
                                      .help = str_of(key_find(KEYS_DELETE, STR("token"), &of_b)->help)});
    bool made = !v.help.failed && !v.name.failed;
    buf_free(&v.name);
    buf_free(&v.help);
    return made;
}
