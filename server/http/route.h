/* What the HTTP side knows of a route. The table of all routes is server/routes/routes.c. */
#pragma once

#include "server/http/exchange.h"

enum body_step {
    BODY_TAKEN, /* all of the piece */
    BODY_WAIT,  /* x waits (exchange_wait); what is left of the piece comes again after the resume */
    BODY_CLOSE  /* the client goes on sending what was refused long ago: end the connection */
};

/* A way to read the body of a request. What it has so far is a state of the exchange, which x->body points to. */
struct route_body {
    const char *types; /* for the documentation: what the body may be */
    /* With the headers, before any of the body. X_DONE refuses: x->reply says why. X_WAIT: go on. */
    enum exchange_step (*begin)(struct exchange *x);
    /* Takes bytes off the front of a piece of *n bytes; *n becomes the number of those left. What is wrong
     * with them is said by the handler, at the end of the body: there can be no answer before. */
    enum body_step (*data)(struct exchange *x, const char *p, size_t *n);
};

/* Who may ask for a route. Of an upload also its own record says so: profile_record and profile_may_change
 * (routes/view_answer.h). */
enum door {
    DOOR_OPEN = 1, /* anybody: it shows nothing of any upload */
    DOOR_UPLOAD,   /* scope upload */
    DOOR_READ,     /* who may read the upload */
    DOOR_SPACE,    /* scope read, for the space that the path names */
    DOOR_CHANGE,   /* its owner, who has its delete token, or scope change */
    DOOR_DELETE,   /* the same with scope delete */
    DOOR_ADMIN     /* scope admin */
};

struct route {
    const char *method; /* "GET": also HEAD; "POST" */
    /* Segments: {name} matches one that is not empty, or the rest of one, which may be. */
    const char *path;
    enum door door;
    /* A sum of enum key_group (render/view/key.h): the keys of the query, or of the form that is the body.
     * Any other is refused by name; where there are those of views, by the handler, since an output may
     * add some. KEYS_ANY: nothing looks at it. */
    unsigned keys;
    const struct route_body *body; /* NULL: none; one that is sent nevertheless is passed over */
    /* After the body. */
    enum exchange_step (*handle)(struct exchange *x);
    const char *help; /* for the documentation: a sentence without its full stop; NULL: not for people */
};
