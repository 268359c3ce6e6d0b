#include "server/routes/mcp_tools.h"

#include <string.h>

#include "render/view/key.h"

#define OF_TIME "from", "to"

const struct mcp_tool MCP_TOOLS[] = {
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

const size_t MCP_TOOLS_COUNT = sizeof(MCP_TOOLS) / sizeof(MCP_TOOLS[0]);

const struct mcp_tool *mcp_tool_by_name(const char *name)
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

void mcp_tools_put(struct json *j)
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
