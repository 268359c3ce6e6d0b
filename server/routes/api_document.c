#include "server/routes/api_document.h"

#include <jansson.h>

#include "core/json.h"
#include "core/system/json_memory.h"
#include "server/convert/recording_facts.h"
#include "server/pages/static_assets.h"
#include "server/routes/api_paths.h"
#include "server/routes/routes_table.h"
#include "server/service.h"

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
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
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
    json_close(j);
    return made;
}

void api_document(struct buf *b, struct str base)
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
