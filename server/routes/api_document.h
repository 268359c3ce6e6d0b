/* The interface as a list, for its description: every URL with what may be said to it. The list is made of
 * the tables of routes, reports, outputs, formats of calls and keys, so that a new row is described
 * without more. */
#pragma once

#include "core/str.h"
#include "render/output.h"
#include "render/view/key.h"
#include "server/convert/report.h"
#include "server/http/route.h"

/* One URL of a route. A route that takes suffixes has a URL for each, behind the one that has none. */
struct api_path {
    const struct route *route;
    struct str path;             /* "/p/{id}/methods.json" */
    const struct report *report; /* that it answers with; else NULL */
    const struct output *output; /* of that suffix; else NULL */
    /* What the suffix means, and the media type of the answer; NULL: the path does not tell. */
    const char *words, *media_type;
};

/* The list ends where visit returns false. False then, and when no memory is left. */
bool api_paths(bool (*visit)(void *context, const struct api_path *p), void *context);

enum api_place {
    API_PATH, /* in braces in the path */
    API_QUERY,
    API_HEADER,
    API_FIELD, /* of the form that is the body */
    API_FILE   /* the same, a file */
};

/* One thing that may be said. */
struct api_parameter {
    struct str name;
    enum api_place place;
    struct str help;       /* without capital and full stop */
    const struct key *key; /* its row; else NULL */
};

/* The groups of keys that the path takes. */
unsigned api_keys(const struct api_path *p);

/* All that the path takes, in the order of the tables. False: no memory is left. */
bool api_parameters(const struct api_path *p,
                    void (*visit)(void *context, const struct api_parameter *parameter), void *context);
