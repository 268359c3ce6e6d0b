/* /mcp: the Model Context Protocol, by which language models call tools (modelcontextprotocol.io, revisions 2024-11-05 to
 * 2025-11-25, transport "streamable HTTP"). A request is a message of JSON-RPC 2.0 in the body of a POST, and so is its
 * answer; there are no sessions and no streams, since no tool has more to say later. The tools are those of the table:
 * each is a text that a URL answers, too, with the same keys, the same doors and the same words where it fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/json_memory.h"
#include "render/view/key.h"
#include "server/http/exchange.h"
#include "server/routes/admit.h"
#include "server/routes/handle_compare.h"
#include "server/routes/handle_series.h"
#include "server/routes/handle_space.h"
#include "server/routes/handle_upload.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"

/* ---- the tools: each is one text about an upload, about two, or about a space ---- */

enum { MCP_TOOL_KEYS = 12 };

struct mcp_tool {
    const char *name;
    const char *help;        /* sentences */
    const char *subjects[3]; /* the arguments that say what it is about: all are needed; up to a NULL */
    const char *report;      /* of which the text is wanted; NULL: the outline, or the list of a space */
    const char *keys[MCP_TOOL_KEYS]; /* of the table (render/view/key.h) that are arguments; up to a NULL */
    const char *preset[2];           /* a key and its value that are always set; or NULL */
};

#define OF_TIME "from", "to"

static const struct mcp_tool MCP_TOOLS[] = {
    {"find",
     "The uploads of a space, the newest first: link, time, name, labels, and the first sentence of the words of each.",
     {"space"},
     NULL,
     {"q", "rows", "next", NULL},
     {NULL, NULL}},
    {"series",
     "One value of the uploads of a space over time, commit by commit, for each set of labels; and where it changed by more "
     "than noise.",
     {"space"},
     NULL,
     {"q", "of", "value", "part", "over", NULL},
     {NULL, NULL}},
    {"check",
     "Whether uploads of a space (q) became slower than others (baseline): PASS, FAIL or INCONCLUSIVE, and which methods "
     "changed.",
     {"space"},
     NULL,
     {"q", "baseline", "fail-if", NULL},
     {NULL, NULL}},
    {"verdict",
     "In words where the time went, the most important first: begin here. Each sentence names threads, methods and their "
     "share.",
     {"profile"},
     "verdict",
     {"track", "app", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"threads",
     "All threads with what they used, the busiest first. Their ids are what the argument track of other tools takes.",
     {"profile"},
     "methods",
     {"value", "limit", OF_TIME, "budget", NULL},
     {"group", "thread"}},
    {"tree",
     "The heaviest part of the call tree as indented text, of the busiest thread unless track says another; "
     "view=inverted shows callers below the methods that used the most by themselves.",
     {"profile"},
     NULL,
     {"track", "value", "view", "focus", "ignore", "hide", "show-from", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"methods",
     "The profile table: inclusive and exclusive values and calls of each method, the heaviest first; group it by class, "
     "package or origin.",
     {"profile"},
     "methods",
     {"track", "value", "group", "sort", "grep", "limit", "focus", "ignore", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"method",
     "One method: what it cost, on which threads, its callers and callees; with longest=1 how long its calls were.",
     {"profile", "method"},
     "m",
     {"track", "value", "limit", "longest", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"frames",
     "Frames of the display that came too late, with the cause of each, of a system trace that has them.",
     {"profile"},
     "frames",
     {"app", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"diff",
     "Two uploads compared, a before and b after: the methods whose cost changed most.",
     {"a", "b"},
     "diff",
     {"track", "value", "group", "sort", "grep", "only", "limit", "budget", NULL},
     {NULL, NULL}},
};

static const size_t MCP_TOOLS_COUNT = sizeof(MCP_TOOLS) / sizeof(MCP_TOOLS[0]);

/* NULL: none of that name. */
static const struct mcp_tool *mcp_tool_by_name(const char *name)
{
    for (size_t i = 0; i < MCP_TOOLS_COUNT; i++)
        if (strcmp(name, MCP_TOOLS[i].name) == 0)
            return &MCP_TOOLS[i];
    return NULL;
}

/* ---- schemas ---- */

static void put_property(struct json *j, const char *name, const char *type, struct str help)
{
    json_open_object(j, name);
    json_put_string(j, "type", str_of(type));
    json_put_string(j, "description", help);
    json_close(j);
}

enum {
    KEYS_OF_TOOLS = KEYS_OF_VIEWS | KEYS_TABLE | KEYS_METHOD | KEYS_LONGEST | KEYS_COMPARED | KEYS_SPACE |
                    KEYS_SERIES | KEYS_CHECK
};

static void put_key(struct json *j, const char *name)
{
    bool of_b;
    const struct key *key = key_find(KEYS_OF_TOOLS, str_of(name), &of_b);
    struct buf help = {0};

    key_describe(key, false, &help);
    put_property(j, name, key->kind == KEY_NUMBER ? "integer" : "string", buf_view(&help));
    buf_free(&help);
}

static void put_subject(struct json *j, const char *name)
{
    static const char *const HELP[][2] = {
        {"space", "The name under which uploads are listed."},
        {"profile", "The upload: its id or its link."},
        {"method", "package.Class.method, as other tools write it."},
        {"a", "The upload before the change: its id or its link."},
        {"b", "The upload after it."},
    };

    for (size_t i = 0; i < sizeof(HELP) / sizeof(HELP[0]); i++)
        if (strcmp(name, HELP[i][0]) == 0)
            put_property(j, name, "string", str_of(HELP[i][1]));
}

static void put_schema(struct json *j, const struct mcp_tool *tool)
{
    json_open_object(j, "inputSchema");
    json_put_string(j, "type", STR("object"));
    json_open_object(j, "properties");
    for (size_t i = 0; tool->subjects[i] != NULL; i++)
        put_subject(j, tool->subjects[i]);
    for (size_t i = 0; tool->keys[i] != NULL; i++)
        put_key(j, tool->keys[i]);
    json_close(j);
    json_open_array(j, "required");
    for (size_t i = 0; tool->subjects[i] != NULL; i++)
        json_put_string(j, NULL, str_of(tool->subjects[i]));
    json_close(j);
    json_close(j);
}

/* Appends the list of tools with the schemas of their arguments, which are made from the table of keys. */
static void mcp_tools_put(struct json *j)
{
    json_open_array(j, "tools");
    for (size_t i = 0; i < MCP_TOOLS_COUNT; i++) {
        json_open_object(j, NULL);
        json_put_string(j, "name", str_of(MCP_TOOLS[i].name));
        json_put_string(j, "description", str_of(MCP_TOOLS[i].help));
        put_schema(j, &MCP_TOOLS[i]);
        json_open_object(j, "annotations");
        json_put_bool(j, "readOnlyHint", true);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

enum {
    BODY_BYTES_MAX = 64 << 10,
    DRAIN_BYTES = 1 << 20,
    USUAL_TOKENS = 4000,  /* of an answer, where no budget is given */
    PARSE_ERROR = -32700, /* JSON-RPC 2.0, 5.1 */
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602
};

/* A state of the exchange. */
struct mcp {
    struct buf body;
    uint64_t sent_bytes; /* with those that had no room */
    json_t *message;
    const json_t *arguments; /* of the tool; NULL: none */
    const struct mcp_tool *tool;
    char numbers[MCP_TOOL_KEYS][32];               /* those of its keys, as text */
    char pair[2 * RECORD_ID_CHARS + sizeof("..")]; /* x->parameters[0] */
    struct view_request request;
};

/* ---- the body ---- */

static void end(void *state)
{
    struct mcp *m = state;

    buf_free(&m->body);
    json_decref(m->message);
}

static enum exchange_step begin(struct exchange *x)
{
    struct str type = x->header(x, "Content-Type");

    if (type.p == NULL || !str_starts(type, STR("application/json")))
        return exchange_problem(x, 415, "not a message that is read here",
                                "Send it with Content-Type: application/json.",
                                "The body has to be a message of JSON-RPC.");
    struct mcp *m = exchange_state(x, sizeof(*m), end);
    if (m == NULL)
        return exchange_no_memory(x, "the message");
    buf_init(&m->body, BODY_BYTES_MAX);
    x->body = m;
    return X_WAIT;
}

static enum body_step data(struct exchange *x, const char *p, size_t *n)
{
    struct mcp *m = x->body;

    m->sent_bytes += *n;
    buf_bytes(&m->body, p, *n);
    *n = 0;
    return m->sent_bytes > DRAIN_BYTES ? BODY_CLOSE : BODY_TAKEN;
}

const struct route_body MCP_BODY = {"application/json", begin, data};

/* ---- answers ---- */

static void put_id(struct json *j, const json_t *id)
{
    char *text = json_memory_dumps(id, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

    if (text != NULL)
        json_put_raw(j, "id", str_of(text));
    else
        j->b->failed = true;
    free(text);
}

/* Opens the answer to the message's id, which comes back as it was. */
static struct json open_answer(struct exchange *x, unsigned status)
{
    const struct mcp *m = x->body;
    const json_t *id = json_object_get(m->message, "id");
    struct json j = json_into(reply_text(&x->reply, status, "application/json"));

    reply_header(&x->reply, "Cache-Control", "no-store");
    json_open_object(&j, NULL);
    json_put_string(&j, "jsonrpc", STR("2.0"));
    if (json_is_string(id) || json_is_number(id))
        put_id(&j, id);
    else
        json_put_null(&j, "id");
    return j;
}

static enum exchange_step fail(struct exchange *x, unsigned status, int code, const char *words)
{
    struct json j = open_answer(x, status);

    json_open_object(&j, "error");
    json_put_i64(&j, "code", code);
    json_put_string(&j, "message", str_of(words));
    json_close(&j);
    json_close(&j);
    return X_DONE;
}

/* Lines stay lines. */
static void put_lines(struct buf *b, struct str text)
{
    struct str line;

    buf_char(b, '"');
    while (text.n > 0) {
        bool ends = str_find(text, '\n') < text.n;
        str_split(&text, '\n', &line);
        clean_json(b, line);
        buf_z(b, ends ? "\\n" : "");
    }
    buf_char(b, '"');
}

static void put_text(struct exchange *x, struct str text, bool is_error)
{
    struct json j = open_answer(x, 200);
    struct buf lines = {0};

    put_lines(&lines, text);
    json_open_object(&j, "result");
    json_open_array(&j, "content");
    json_open_object(&j, NULL);
    json_put_string(&j, "type", STR("text"));
    json_put_raw(&j, "text", buf_view(&lines));
    json_close(&j);
    json_close(&j);
    json_put_bool(&j, "isError", is_error);
    json_close(&j);
    json_close(&j);
    buf_part_end(&x->reply.body, &lines);
}

/* x->reply is a problem: the model reads it and may do better. But who has to say who they are is told so by HTTP. */
static enum exchange_step tell_problem(struct exchange *x)
{
    if (x->reply.status == 401 || x->reply.kind != REPLY_BUFFER)
        return X_DONE;
    struct buf words = x->reply.body;
    x->reply.body = (struct buf){0};
    reply_free(&x->reply);
    reply_init(&x->reply);
    put_text(x, buf_view(&words), true);
    x->reply.body.failed = x->reply.body.failed || words.failed;
    buf_free(&words);
    return X_DONE;
}

/* ---- a tool ---- */

static bool is_among(const char *const *names, const char *name)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static struct str argument_text(const json_t *value, char number[32])
{
    if (json_is_string(value))
        return json_memory_text(value);
    if (json_is_integer(value))
        return (struct str){number,
                            (size_t)snprintf(number, 32, "%lld", (long long)json_integer_value(value))};
    return json_is_true(value) ? STR("1") : STR("");
}

/* NULL, null and false are as if the argument were left out. */
static bool is_said(const json_t *value)
{
    return value != NULL && !json_is_null(value) && !json_is_false(value);
}

/* In the place of a query: the arguments. */
static struct str argument_query(const struct exchange *x, const char *name)
{
    struct mcp *m = x->body;
    const json_t *value = json_object_get(m->arguments, name);

    for (size_t i = 0; m->tool->keys[i] != NULL; i++)
        if (strcmp(m->tool->keys[i], name) == 0 && is_said(value))
            return argument_text(value, m->numbers[i]);
    return (struct str){NULL, 0};
}

static void each_argument(const struct exchange *x,
                          bool (*each)(void *context, struct str key, struct str value), void *context)
{
    const struct mcp *m = x->body;
    const char *const *preset = m->tool->preset;
    const char *name;
    json_t *value;
    char number[32];

    if (preset[0] != NULL && !each(context, str_of(preset[0]), str_of(preset[1])))
        return;
    json_object_foreach ((json_t *)(uintptr_t)m->arguments, name, value)
        if (!is_among(m->tool->subjects, name) && is_said(value) &&
            !each(context, str_of(name), argument_text(value, number)))
            return;
}

static struct str text_of(const struct mcp *m, const char *name)
{
    const char *text = json_string_value(json_object_get(m->arguments, name));

    return str_of(text != NULL ? text : "");
}

/* False: an argument is unknown, or of a type that none has; *words says which. */
static bool arguments_fit(const struct mcp *m, char words[200])
{
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)m->arguments, name, value) {
        if (!is_among(m->tool->subjects, name) && !is_among(m->tool->keys, name))
            snprintf(words, 200, "%s has no argument %.60s; tools/list says which it has.", m->tool->name,
                     name);
        else if (json_is_array(value) || json_is_object(value) || json_is_real(value))
            snprintf(words, 200, "The argument %.60s has to be a text or a whole number.", name);
        else
            continue;
        return false;
    }
    return true;
}

/* False: words names the one that is missing. */
static bool has_subjects(const struct mcp *m, char words[200])
{
    for (const char *const *name = m->tool->subjects; *name != NULL; name++)
        if (text_of(m, *name).n == 0) {
            snprintf(words, 200, "%s needs the argument %s, a text.", m->tool->name, *name);
            return false;
        }
    return true;
}

static enum exchange_step text_ready(struct exchange *x, const struct view_request *r,
                                     struct view_result *result, void *context)
{
    struct buf text = {0};

    (void)r;
    (void)context;
    if (!view_take(x, result, &text))
        tell_problem(x);
    else
        put_text(x, buf_view(&text), false);
    buf_free(&text);
    return X_DONE;
}

/* The ids of the arguments stand in the place of those of an address. */
static void name_uploads(struct exchange *x, struct mcp *m, bool pair)
{
    struct str a = upload_id_in(text_of(m, pair ? "a" : "profile")), b = upload_id_in(text_of(m, "b"));

    if (pair)
        snprintf(m->pair, sizeof(m->pair), "%.*s..%.*s", (int)a.n, a.p, (int)b.n, b.p);
    else
        snprintf(m->pair, sizeof(m->pair), "%.*s", (int)a.n, a.p);
    x->parameters[0] = str_of(m->pair);
}

static bool find_one(struct exchange *x, struct mcp *m)
{
    struct str method = text_of(m, "method");
    struct record record;

    if (m->tool->report == NULL) {
        m->request.output = &OUTPUT_OUTLINE;
        return view_of_url(x, (struct str){NULL, 0}, &record, &m->request);
    }
    if (method.n > ASKED_METHOD_BYTES_MAX) {
        exchange_problem(x, 404, "no such method", "The tool methods lists them.",
                         "No method has so long a name.");
        return false;
    }
    memcpy(m->request.asked.method, method.p, method.n);
    return report_of_url(x, &record, &m->request);
}

static bool find_pair(struct exchange *x, struct mcp *m)
{
    struct record of_a, of_b;

    return compare_of_url(x, &of_a, &of_b, &m->request);
}

/* ---- tools that are about a space ---- */

static void *ask_find(struct exchange *x, struct str space)
{
    struct space_list *l;
    struct diag diag = {0};

    if (!admits_space(x, space))
        return NULL;
    l = exchange_state(x, sizeof(*l), space_list_end);
    if (l == NULL)
        exchange_no_memory(x, "the list");
    else if (!space_name_is_one(space, &diag) ||
             !space_asked(l, space, x->query(x, "q"), x->query(x, "next"), x->query(x, "rows"), &diag))
        exchange_diag(x, &diag);
    else
        return l;
    return NULL;
}

static bool tell_find(struct exchange *x, void *list, struct buf *text, struct diag *diag)
{
    struct space_list *l = list;

    if (!space_rows(x->service, l, diag))
        return false;
    space_put_text(x, l, text);
    return true;
}

static void *ask_series(struct exchange *x, struct str space)
{
    return series_ask(x, space);
}

static bool tell_series(struct exchange *x, void *series, struct buf *text, struct diag *diag)
{
    if (!series_make(x, series, diag))
        return false;
    series_put_text(series, text);
    return true;
}

static void *ask_check(struct exchange *x, struct str space)
{
    return check_ask(x, space);
}

static bool tell_check(struct exchange *x, void *check, struct buf *text, struct diag *diag)
{
    return check_put_text(x, check, text, diag);
}

/* THE TABLE of them. */
static const struct space_tool {
    const char *name;
    /* NULL: x->reply says why not. */
    void *(*ask)(struct exchange *x, struct str space);
    /* On a thread that may block. False: diag. */
    bool (*tell)(struct exchange *x, void *asked, struct buf *text, struct diag *diag);
    size_t bytes; /* for exchange_work */
} SPACE_TOOLS[] = {{"find", ask_find, tell_find, WORK_ALWAYS},
                   {"series", ask_series, tell_series, WORK_LONG},
                   {"check", ask_check, tell_check, WORK_LONG}};

static const struct space_tool *space_tool_of(const struct mcp *m)
{
    size_t i = 0;

    while (strcmp(SPACE_TOOLS[i].name, m->tool->name) != 0)
        i++;
    return &SPACE_TOOLS[i];
}

static void put_space(struct exchange *x, void *asked)
{
    const struct mcp *m = x->body;
    struct buf text = {0};
    struct diag diag = {0};

    if (space_tool_of(m)->tell(x, asked, &text, &diag)) {
        put_text(x, buf_view(&text), false);
        x->reply.body.failed = x->reply.body.failed || text.failed;
    } else {
        exchange_diag(x, &diag);
        tell_problem(x);
    }
    buf_free(&text);
}

static enum exchange_step call_about_space(struct exchange *x, const struct mcp *m)
{
    const struct space_tool *tool = space_tool_of(m);
    void *asked = tool->ask(x, text_of(m, "space"));

    if (asked == NULL)
        return tell_problem(x);
    return exchange_work(x, tool->bytes, put_space, NULL, asked);
}

static enum exchange_step get_view(struct exchange *x, void *mcp)
{
    struct mcp *m = mcp;
    struct view_request *r = &m->request;

    if (!(is_among(m->tool->subjects, "b") ? find_pair(x, m) : find_one(x, m)))
        return tell_problem(x);
    if (r->asked.view.budget == UINT32_MAX && r->report != NULL)
        r->asked.view.budget = USUAL_TOKENS;
    r->encoding = (struct encoding_choice){0};
    return views_get(x, r, text_ready, NULL);
}

/* From here on the exchange asks as a URL would: its query is what the arguments are. */
static enum exchange_step call(struct exchange *x, struct mcp *m)
{
    bool pair = is_among(m->tool->subjects, "b");
    char words[200];

    if (!arguments_fit(m, words) || !has_subjects(m, words))
        return fail(x, 200, INVALID_PARAMS, words);
    x->accepts = AS_TEXT;
    x->query = argument_query;
    x->each_query = each_argument;
    if (is_among(m->tool->subjects, "space"))
        return call_about_space(x, m);
    x->keys = KEYS_TRACK | KEYS_VIEW | KEYS_TABLE | (pair ? KEYS_COMPARED : KEYS_METHOD | KEYS_LONGEST);
    if (m->tool->report != NULL)
        m->request.report = report_by_name(str_of(m->tool->report), STR("txt"));
    name_uploads(x, m, pair);
    return looked_up_before(x, get_view, m);
}

static enum exchange_step call_tool(struct exchange *x, struct mcp *m, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));

    m->tool = name == NULL ? NULL : mcp_tool_by_name(name);
    m->arguments = json_object_get(params, "arguments");
    if (m->tool == NULL)
        return fail(x, 200, INVALID_PARAMS, "There is no such tool; tools/list says which there are.");
    if (m->arguments != NULL && !json_is_object(m->arguments))
        return fail(x, 200, INVALID_PARAMS, "The arguments have to be an object.");
    return call(x, m);
}

/* ---- messages ---- */

static enum exchange_step initialize(struct exchange *x, const json_t *params)
{
    static const char *const REVISIONS[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
    const char *asked = json_string_value(json_object_get(params, "protocolVersion")), *chosen = REVISIONS[0];
    struct json j = open_answer(x, 200);
    struct buf words = {0};

    for (size_t i = 0; asked != NULL && i < sizeof(REVISIONS) / sizeof(REVISIONS[0]); i++)
        if (strcmp(asked, REVISIONS[i]) == 0)
            chosen = REVISIONS[i];
    json_open_object(&j, "result");
    json_put_string(&j, "protocolVersion", str_of(chosen));
    json_open_object(&j, "capabilities");
    json_open_object(&j, "tools");
    json_close(&j);
    json_close(&j);
    json_open_object(&j, "serverInfo");
    json_put_string(&j, "name", STR("aflamed"));
    json_put_string(&j, "version", str_of(SERVICE_VERSION));
    json_close(&j);
    buf_z(&words, "Reads profiles of Android apps. Upload one by curl -F trace=@FILE ");
    exchange_base_url(x, &words);
    buf_z(&words,
          "/ and take its link or id as the argument profile. Begin with verdict, then tree or methods.");
    json_put_string(&j, "instructions", buf_view(&words));
    json_close(&j);
    json_close(&j);
    x->reply.body.failed = x->reply.body.failed || words.failed;
    buf_free(&words);
    return X_DONE;
}

static enum exchange_step list_tools(struct exchange *x)
{
    struct json j = open_answer(x, 200);

    json_open_object(&j, "result");
    mcp_tools_put(&j);
    json_close(&j);
    json_close(&j);
    return X_DONE;
}

static enum exchange_step ping(struct exchange *x)
{
    struct json j = open_answer(x, 200);

    json_open_object(&j, "result");
    json_close(&j);
    json_close(&j);
    return X_DONE;
}

static enum exchange_step answer(struct exchange *x, struct mcp *m, const char *method)
{
    const json_t *params = json_object_get(m->message, "params");

    if (strcmp(method, "initialize") == 0)
        return initialize(x, params);
    if (strcmp(method, "ping") == 0)
        return ping(x);
    if (strcmp(method, "tools/list") == 0)
        return list_tools(x);
    if (strcmp(method, "tools/call") == 0)
        return call_tool(x, m, params);
    return fail(x, 200, METHOD_NOT_FOUND, "There is no such method here: only tools.");
}

enum exchange_step handle_mcp(struct exchange *x)
{
    struct mcp *m = x->body;

    if (m->body.failed)
        return fail(x, 413, INVALID_REQUEST, "The message is longer than 64 KiB.");
    m->message = json_memory_load(buf_view(&m->body), JSON_REJECT_DUPLICATES, NULL);
    if (m->message == NULL)
        return fail(x, 400, PARSE_ERROR, "The body is no JSON.");
    const char *method = json_string_value(json_object_get(m->message, "method"));
    bool asks = json_object_get(m->message, "id") != NULL;
    if (!json_is_object(m->message) ||
        (method == NULL && asks && json_object_get(m->message, "result") == NULL))
        return fail(x, 400, INVALID_REQUEST, "One message is sent at a time: an object with method and id.");
    if (method != NULL && asks)
        return answer(x, m, method);
    reply_static(&x->reply, 202, "text/plain; charset=utf-8",
                 STR("")); /* a notification, or an answer to nothing */
    return X_DONE;
}
