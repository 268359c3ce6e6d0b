#include "server/routes/mcp_tools.h"

#include <string.h>

#include "render/view/key.h"

#define OF_TIME "from", "to"

const struct mcp_tool MCP_TOOLS[] = {
    {"verdict",
     "In words where the time went, the most important first: begin here. Each sentence names threads, methods and their "
     "share.",
     MCP_PROFILE,
     "verdict",
     {"track", "app", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"threads",
     "All threads with what they used, the busiest first. Their ids are what the argument track of other tools takes.",
     MCP_PROFILE,
     "methods",
     {"value", "limit", OF_TIME, "budget", NULL},
     {"group", "thread"}},
    {"tree",
     "The heaviest part of the call tree as indented text, of the busiest thread unless track says another; "
     "view=inverted shows callers below the methods that used the most by themselves.",
     MCP_PROFILE,
     NULL,
     {"track", "value", "view", "focus", "ignore", "hide", "show-from", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"methods",
     "The profile table: inclusive and exclusive values and calls of each method, the heaviest first; group it by class, "
     "package or origin.",
     MCP_PROFILE,
     "methods",
     {"track", "value", "group", "sort", "grep", "limit", "focus", "ignore", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"method",
     "One method: what it cost, on which threads, its callers and callees; with longest=1 how long its calls were.",
     MCP_METHOD,
     "m",
     {"track", "value", "limit", "longest", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"frames",
     "Frames of the display that came too late, with the cause of each, of a system trace that has them.",
     MCP_PROFILE,
     "frames",
     {"app", OF_TIME, "budget", NULL},
     {NULL, NULL}},
    {"diff",
     "Two uploads compared, a before and b after: the methods whose cost changed most.",
     MCP_PAIR,
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

enum { KEYS_OF_TOOLS = KEYS_OF_VIEWS | KEYS_TABLE | KEYS_METHOD | KEYS_LONGEST | KEYS_COMPARED };

static void put_key(struct json *j, const char *name)
{
    bool of_b;
    const struct key *key = key_find(KEYS_OF_TOOLS, str_of(name), &of_b);
    struct buf help = {0};

    key_describe(key, false, &help);
    put_property(j, name, key->kind == KEY_NUMBER ? "integer" : "string", buf_view(&help));
    buf_free(&help);
}

static const char PROFILE[] = "profile", A[] = "a", B[] = "b", METHOD[] = "method";

static void put_schema(struct json *j, const struct mcp_tool *tool)
{
    bool pair = tool->subject == MCP_PAIR;

    json_open_object(j, "inputSchema");
    json_put_string(j, "type", STR("object"));
    json_open_object(j, "properties");
    if (pair) {
        put_property(j, A, "string", STR("The upload before the change: its id or its link."));
        put_property(j, B, "string", STR("The upload after it."));
    } else {
        put_property(j, PROFILE, "string", STR("The upload: its id or its link."));
    }
    if (tool->subject == MCP_METHOD)
        put_property(j, METHOD, "string", STR("package.Class.method, as other tools write it."));
    for (size_t i = 0; tool->keys[i] != NULL; i++)
        put_key(j, tool->keys[i]);
    json_close(j);
    json_open_array(j, "required");
    json_put_string(j, NULL, str_of(pair ? A : PROFILE));
    if (tool->subject != MCP_PROFILE)
        json_put_string(j, NULL, str_of(pair ? B : METHOD));
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
