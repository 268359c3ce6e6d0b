/* THE TABLE of URLs: method and path -> handler. */
#ifndef SERVER_ROUTES_ROUTES_H
#define SERVER_ROUTES_ROUTES_H

#include "server/http/exchange.h"

enum route_body {
    BODY_NONE,
    BODY_FORM,  /* a small form, into x->form before the handler is called */
    BODY_UPLOAD /* the upload's way: route.begin, the body through upload.h, then the handler */
};

struct route {
    const char *methods; /* "GET": also HEAD; "POST" */
    const char *path;    /* segments; {} matches one segment that is not empty */
    enum route_body body;
    enum exchange_step (*begin)(struct exchange *x); /* before the body: X_DONE refuses; NULL: none */
    enum exchange_step (*handle)(struct exchange *x);
};

/* The route of x->method and x->path, with x->parameters filled. NULL: x->reply is 404, or 405 with Allow. */
const struct route *route_find(struct exchange *x);

#endif
