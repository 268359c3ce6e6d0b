#include "server/routes/api_document.h"

#include <jansson.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/str.h"
#include "core/system/json_memory.h"
#include "render/calls/call_format.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"
#include "server/doors/doors.h"
#include "server/http/route.h"
#include "server/pages/page_frame.h"
#include "server/pages/static_assets.h"
#include "server/routes/routes.h"
#include "server/routes/routes_table.h"
#include "server/service.h"

/* ---- paths ---- */

static const struct str SUFFIX = STR_INIT("{suffix}");

/* ---- URLs ---- */

/* The report that a route answers with, as the first of its rows: "methods" of "/p/{id}/methods{suffix}", "m" of
 * "/p/{id}/m/{method}". NULL: it has none. */
static const struct report *report_of(const struct route *r)
{
    static const struct str PROFILE = STR_INIT("/p/{id}/"), PAIR = STR_INIT("/d/{pair}");
    static const struct str ANY = {"", 0};
    struct str path = str_of(r->path);

    if (r->handle == handle_compare_card) /* it has one form only, which its path names */
        return NULL;
    if (str_starts(path, PAIR))
        return report_by_name(STR("diff"), ANY);
    if (!str_starts(path, PROFILE))
        return NULL;
    struct str rest = str_from(path, PROFILE.n);
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

    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        if (!str_eq(name, str_of(REPORTS[i].name)))
            continue;
        p->report = &REPORTS[i];
        if (!visit_format(s, p, REPORTS[i].format))
            return false;
    }
    return true;
}

static bool visit_calls(struct suffixes *s, struct api_path *p)
{
    for (size_t i = 0; i < CALL_FORMATS_COUNT; i++)
        if (!visit_format(s, p, &CALL_FORMATS[i]->text))
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

/* Of an answer that has one form only, which its path names; else NULL. */
static const char *type_of(struct str path)
{
    return str_ends(path, STR(".png")) ? "image/png" : str_ends(path, STR(".html")) ? "text/html" : NULL;
}

static bool visit_route(struct suffixes *s, const struct route *r)
{
    struct api_path p = {.route = r, .report = report_of(r)};

    if (!visit_suffix(s, &p, NULL, NULL, type_of(str_of(r->path))))
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
    {"space", "the name of a space"},
    {"pass", "a pass of the picture's link, or of the owner's link with a preview; it holds for a while"},
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
        path = str_from(path, close + 1);
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
    return p->route->keys | (p->output != NULL ? p->output->keys : 0) |
           (p->report != NULL ? p->report->keys & KEYS_OUTLINE : 0);
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

/* ---- the document ---- */

struct document {
    struct json j;
    const json_t *answers;     /* "GET /p/{id}": the name of a schema */
    const struct route *route; /* of the last path */
    bool failed;
};

static bool in_body(const struct api_parameter *p)
{
    return p->place == API_FIELD || p->place == API_FILE;
}

/* ---- what may be said ---- */

static void put_words(struct json *j, const struct key *o)
{
    json_open_array(j, "enum");
    for (unsigned i = 0; i < o->n_words; i++)
        json_put_string(j, NULL, str_of(o->words[i].word));
    json_close(j);
}

static void put_type(struct json *j, const struct key *o)
{
    bool number = o->kind == KEY_NUMBER || o->kind == KEY_TIME;

    json_put_string(j, "type", number ? o->decimals == 0 ? STR("integer") : STR("number") : STR("string"));
    if (o->n_words > 0)
        put_words(j, o);
    if (number) {
        json_put_fixed(j, "minimum", o->least, o->decimals);
        json_put_fixed(j, "maximum", o->most, o->decimals);
    }
    if (o->kind == KEY_FLAG) {
        json_open_array(j, "enum");
        json_put_string(j, NULL, STR("0"));
        json_put_string(j, NULL, STR("1"));
        json_close(j);
    }
}

static void put_schema(struct json *j, const struct api_parameter *p)
{
    json_open_object(j, "schema");
    if (p->key == NULL) {
        json_put_string(j, "type", STR("string"));
    } else if (p->key->kind == KEY_STEP) {
        json_put_string(j, "type", STR("array"));
        json_open_object(j, "items");
        put_type(j, p->key);
        json_close(j);
    } else {
        put_type(j, p->key);
    }
    json_close(j);
}

/* Whether it is described once for all who take it: by its name, of which there must be one. */
static bool is_component(const struct api_parameter *p)
{
    return p->key != NULL && (p->key->groups & KEYS_OF_VIEWS) != 0 && str_eq(p->name, str_of(p->key->name));
}

static void put_described(struct json *j, const struct api_parameter *p)
{
    static const char *const PLACES[] = {[API_PATH] = "path", [API_QUERY] = "query", [API_HEADER] = "header"};

    json_open_object(j, NULL);
    json_put_string(j, "name", p->name);
    json_put_string(j, "in", str_of(PLACES[p->place]));
    if (p->place != API_QUERY)
        json_put_bool(j, "required", true);
    json_put_string(j, "description", p->help);
    put_schema(j, p);
    json_close(j);
}

static void put_reference(struct document *d, const char *kind, struct str name)
{
    struct buf ref = {0};

    buf_printf(&ref, "#/components/%s/%.*s", kind, (int)name.n, name.p);
    json_put_string(&d->j, "$ref", buf_view(&ref));
    d->failed = d->failed || ref.failed;
    buf_free(&ref);
}

/* A key of views is described once, in the components. */
static void put_parameter(void *context, const struct api_parameter *p)
{
    struct document *d = context;

    if (in_body(p))
        return;
    if (!is_component(p)) {
        put_described(&d->j, p);
        return;
    }
    json_open_object(&d->j, NULL);
    put_reference(d, "parameters", p->name);
    json_close(&d->j);
}

static void put_component(void *context, const struct key *r, bool of_b)
{
    struct document *d = context;
    struct buf help = {0};

    key_describe(r, of_b, &help);
    json_line(&d->j);
    json_put_key(&d->j, str_of(r->name));
    put_described(&d->j, &(struct api_parameter){str_of(r->name), API_QUERY, buf_view(&help), r});
    d->failed = d->failed || help.failed;
    buf_free(&help);
}

static void put_options(struct document *d)
{
    json_open_object(&d->j, "parameters");
    keys_each(KEYS_OF_VIEWS, put_component, d);
    json_close(&d->j);
}

static void put_field(void *context, const struct api_parameter *p)
{
    struct document *d = context;

    if (!in_body(p))
        return;
    json_put_key(&d->j, p->name);
    json_open_object(&d->j, NULL);
    json_put_string(&d->j, "type", STR("string"));
    if (p->place == API_FILE)
        json_put_string(&d->j, "format", STR("binary"));
    json_put_string(&d->j, "description", p->help);
    json_close(&d->j);
}

static void put_form(struct document *d, const struct api_path *p, const char *type)
{
    json_open_object(&d->j, type);
    json_open_object(&d->j, "schema");
    json_put_string(&d->j, "type", STR("object"));
    json_open_object(&d->j, "properties");
    d->failed = !api_parameters(p, put_field, d) || d->failed;
    json_close(&d->j);
    json_close(&d->j);
    json_close(&d->j);
}

static void put_body(struct document *d, const struct api_path *p)
{
    bool upload = p->route->body == &UPLOAD_BODY;

    json_open_object(&d->j, "requestBody");
    json_put_string(&d->j, "description", str_of(p->route->body->types));
    json_open_object(&d->j, "content");
    if (upload) {
        json_open_object(&d->j, "application/octet-stream");
        json_close(&d->j);
    } else {
        put_form(d, p, "application/x-www-form-urlencoded");
    }
    if (!upload || str_eq(str_of(p->route->method), STR("POST")))
        put_form(d, p, "multipart/form-data");
    json_close(&d->j);
    json_close(&d->j);
}

/* ---- answers ---- */

/* The name of the schema of the JSON answer, or NULL. */
static const char *schema_of(const struct document *d, const struct api_path *p)
{
    struct buf key = {0};

    buf_printf(&key, "%s ", p->route->method);
    buf_str(&key, p->path);
    const json_t *name = key.failed ? NULL : json_object_getn(d->answers, key.p, key.n);
    buf_free(&key);
    return json_string_value(name);
}

static void put_content(struct document *d, const char *media_type, const char *schema)
{
    struct json *j = &d->j;
    struct str type = str_of(media_type);

    /* Without its charset: the key is compared with what is asked for. */
    json_put_key(j, (struct str){type.p, str_find(type, ';')});
    json_open_object(j, NULL);
    if (schema != NULL) {
        json_open_object(j, "schema");
        put_reference(d, "schemas", str_of(schema));
        json_close(j);
    }
    json_close(j);
}

static void put_answers(struct document *d, const struct api_path *p)
{
    const char *schema = schema_of(d, p);
    const char *type = p->media_type == NULL && schema != NULL ? "application/json" : p->media_type;

    json_open_object(&d->j, "responses");
    json_open_object(&d->j, "2XX");
    json_put_string(&d->j, "description", p->words != NULL ? str_of(p->words) : STR("It was done."));
    if (type != NULL) {
        json_open_object(&d->j, "content");
        put_content(d, type, schema);
        json_close(&d->j);
    }
    json_close(&d->j);
    json_open_object(&d->j, "default");
    json_put_string(&d->j, "$ref", STR("#/components/responses/Problem"));
    json_close(&d->j);
    json_close(&d->j);
}

/* ---- URLs ---- */

/* "get_p_id_methods_json": one of its kind, for the names of functions that programs make of it. */
static void put_operation_id(struct document *d, const struct api_path *p)
{
    struct buf id = {0};

    for (const char *c = p->route->method; *c != '\0'; c++)
        buf_char(&id, (char)(*c | 0x20));
    for (size_t i = 0; i < p->path.n; i++) {
        char c = p->path.p[i];
        if ((c >= 'a' && c <= 'z') || is_digit(c))
            buf_char(&id, c);
        else if (c != '}')
            buf_char(&id, '_');
    }
    json_put_string(&d->j, "operationId", buf_view(&id));
    d->failed = d->failed || id.failed;
    buf_free(&id);
}

static void put_method(struct document *d, const char *method)
{
    char lower[8] = "";

    for (size_t i = 0; i < sizeof(lower) - 1 && method[i] != '\0'; i++)
        lower[i] = (char)(method[i] | 0x20);
    json_put_key(&d->j, str_of(lower));
    json_open_object(&d->j, NULL);
}

/* What a service with tokens wants. Where an upload's readers may ask, its link may be enough. */
static void put_security(struct document *d, enum door door)
{
    static const char *const SCHEMES[] = {"bearer", "basic", "session"};

    json_put_string(&d->j, "x-who-may", str_of(door_words(door)));
    json_open_array(&d->j, "security");
    for (size_t i = 0; door != DOOR_OPEN && i < sizeof(SCHEMES) / sizeof(*SCHEMES); i++) {
        json_open_object(&d->j, NULL);
        json_open_array(&d->j, SCHEMES[i]);
        json_close(&d->j);
        json_close(&d->j);
    }
    if (door != DOOR_UPLOAD && door != DOOR_ADMIN) {
        json_open_object(&d->j, NULL);
        json_close(&d->j);
    }
    json_close(&d->j);
}

/* Routes of one path stand together in their table, and so do their methods here. */
static bool put_path(void *context, const struct api_path *p)
{
    struct document *d = context;
    bool same =
        p->words == NULL && d->route != NULL && str_eq(str_of(d->route->path), str_of(p->route->path));

    if (!same) {
        if (d->route != NULL)
            json_close(&d->j);
        json_line(&d->j);
        json_put_key(&d->j, p->path);
        json_open_object(&d->j, NULL);
    }
    d->route = p->route;
    put_method(d, p->route->method);
    put_operation_id(d, p);
    json_put_string(&d->j, "summary", str_of(p->route->help));
    put_security(d, p->route->door);
    json_open_array(&d->j, "parameters");
    d->failed = !api_parameters(p, put_parameter, d) || d->failed;
    json_close(&d->j);
    if (p->route->body != NULL)
        put_body(d, p);
    put_answers(d, p);
    json_close(&d->j);
    return !d->failed;
}

/* ---- the whole ---- */

static void put_facts(struct json *j)
{
    static const char *const TYPES[] = {
        [FACT_TEXT] = "string",   [FACT_NUMBER] = "integer",  [FACT_YES_NO] = "boolean",
        [FACT_COUNT] = "integer", [FACT_BYTES] = "integer",   [FACT_NS] = "integer",
        [FACT_US] = "integer",    [FACT_TIME_NS] = "integer", [FACT_TIME_US] = "integer",
        [FACT_UNIT] = "string"};

    json_open_object(j, "Facts");
    json_put_string(j, "type", STR("object"));
    json_put_string(
        j, "description",
        STR("What the file says about its recording. Formats have some of these, and may have others."));
    json_open_object(j, "properties");
    for (size_t i = 0; i < FACTS_COUNT; i++) {
        json_open_object(j, FACTS[i].name);
        json_put_string(j, "type", str_of(TYPES[FACTS[i].kind]));
        json_put_string(j, "description", str_of(FACTS[i].label));
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static bool put_components(struct document *d, const json_t *schemas)
{
    struct json *j = &d->j;
    const char *name;
    json_t *schema;
    bool made = true;

    json_open_object(j, "components");
    put_options(d);
    json_open_object(j, "schemas");
    put_facts(j);
    json_object_foreach ((json_t *)schemas, name, schema) {
        char *text = json_memory_dumps(schema, JSON_COMPACT);
        made = made && text != NULL;
        json_line(j);
        json_put_key(j, str_of(name));
        json_put_raw(j, NULL, str_of(text != NULL ? text : "null"));
        free(text);
    }
    json_close(j);
    json_put_raw(
        j, "responses",
        STR("{\"Problem\":{\"description\":\"What is wrong, and what to do (RFC 9457).\",\"content\":"
            "{\"application/problem+json\":{\"schema\":{\"$ref\":\"#/components/schemas/Problem\"}}}}}"));
    json_put_raw(
        j, "securitySchemes",
        STR("{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},\"basic\":{\"type\":\"http\","
            "\"scheme\":\"basic\",\"description\":\"the token is the password\"},\"session\":{\"type\":"
            "\"apiKey\",\"in\":\"cookie\",\"name\":\"" DOOR_COOKIE "\"}}"));
    json_close(j);
    return made;
}

/* Appends the document; `base` is the service's own URL. */
static void api_document(struct buf *b, struct str base)
{
    struct static_file file = {0};
    struct document d = {.j = json_into(b)};
    struct json *j = &d.j;

    static_by_name(STR("api-answers.json"), &file);
    json_t *answers = json_loadb(file.bytes.p, file.bytes.n, 0, NULL);
    d.failed = answers == NULL;
    d.answers = json_object_get(answers, "answers");
    json_open_object(j, NULL);
    json_put_string(j, "openapi", STR("3.1.0"));
    json_open_object(j, "info");
    json_put_string(j, "title", STR("aflamed"));
    json_put_string(j, "version", str_of(SERVICE_VERSION));
    json_put_string(j, "summary", STR("Flame graphs, tables and words for profiles that are uploaded"));
    json_open_object(j, "license");
    json_put_string(j, "name", STR("Apache-2.0"));
    json_put_string(j, "identifier", STR("Apache-2.0"));
    json_close(j);
    json_close(j);
    json_open_array(j, "servers");
    json_open_object(j, NULL);
    json_put_string(j, "url", base);
    json_close(j);
    json_close(j);
    json_open_object(j, "paths");
    d.failed = !api_paths(put_path, &d) || d.failed;
    json_close(j);
    json_close(j);
    d.failed = !put_components(&d, json_object_get(answers, "schemas")) || d.failed;
    json_close(j);
    buf_char(b, '\n');
    b->failed = b->failed || d.failed;
    json_decref(answers);
}

/* ---- answers ---- */

/* /api: the interface described, for programs and as a page. */

/* ---- the page ---- */

static void put_row(void *page, const struct api_parameter *p)
{
    static const char *const PLACES[] = {[API_PATH] = "path",
                                         [API_QUERY] = "query",
                                         [API_HEADER] = "header",
                                         [API_FIELD] = "form",
                                         [API_FILE] = "form, a file"};

    page_put(page, "<tr><th scope=\"row\"><code>{}</code></th><td>", p->name);
    buf_z(page, PLACES[p->place]);
    page_put(page, "</td><td>{}</td></tr>\n", p->help);
}

static bool put_api_path(void *context, const struct api_path *p)
{
    struct buf *page = context;

    buf_printf(page, "<details class=\"api\">\n<summary><code>%s ", p->route->method);
    page_put(page,
             "{}</code> <span class=\"quiet\">{}</span></summary>\n<table>\n<thead><tr><th "
             "scope=\"col\">Name</th><th scope=\"col\">Where</th><th "
             "scope=\"col\">Meaning</th></tr></thead>\n<tbody>\n",
             p->path, str_of(p->words != NULL ? p->words : p->route->help));
    bool made = api_parameters(p, put_row, page);
    buf_z(page, "</tbody>\n</table>\n</details>\n");
    return made && !page->failed;
}

static void put_page(struct buf *b)
{
    const struct page_frame frame = {.title = STR("Interface for programs"), .root = STR("./")};

    page_frame_begin(b, &frame);
    buf_z(b, "<h1 tabindex=\"-1\">Interface for programs</h1>\n"
             "<p class=\"lead\">Every URL of this service, and what it takes. Programs get the same as an "
             "<a href=\"api.json\">OpenAPI 3.1 document</a>, with JSON schemas of the answers.</p>\n"
             "<p>Uploading is one line: <code>curl -F trace=@app.trace URL</code>. "
             "Errors are JSON for who accepts it (RFC 9457), with a hint what to do.</p>\n");
    if (!api_paths(put_api_path, b))
        b->failed = true;
    page_frame_end(b);
}

static enum exchange_step answer(struct exchange *x, bool page)
{
    struct buf *b = reply_text(&x->reply, 200, page ? "text/html; charset=utf-8" : "application/json");
    struct buf base = {0};

    exchange_base_url(x, &base);
    if (page)
        put_page(b);
    else
        api_document(b, buf_view(&base));
    b->failed = b->failed || base.failed;
    page_headers(&x->reply);
    buf_free(&base);
    return X_DONE;
}

enum exchange_step handle_api(struct exchange *x)
{
    return answer(x, x->accepts == AS_HTML);
}

enum exchange_step handle_api_json(struct exchange *x)
{
    return answer(x, false);
}
