/* The tools of /mcp: each is one text about an upload, about two, or about a space. */
#ifndef SERVER_ROUTES_MCP_TOOLS_H
#define SERVER_ROUTES_MCP_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/json.h"

enum { MCP_TOOL_KEYS = 12 };

struct mcp_tool {
    const char *name;
    const char *help;        /* sentences */
    const char *subjects[3]; /* the arguments that say what it is about: all are needed; up to a NULL */
    const char *report;      /* of which the text is wanted; NULL: the outline, or the list of a space */
    const char *keys[MCP_TOOL_KEYS]; /* of the table (render/view/key.h) that are arguments; up to a NULL */
    const char *preset[2];           /* a key and its value that are always set; or NULL */
};

extern const struct mcp_tool MCP_TOOLS[];
extern const size_t MCP_TOOLS_COUNT;

/* NULL: none of that name. */
const struct mcp_tool *mcp_tool_by_name(const char *name);

/* Appends the list of tools with the schemas of their arguments, which are made from the table of keys. */
void mcp_tools_put(struct json *j);

#endif
