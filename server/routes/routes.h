/* Which route a request is for. The table is in routes_table.h. */
#pragma once

#include "server/http/route.h"

/* For the documentation: all routes, in the order in which they are looked through. */
extern const struct route ROUTES[];
extern const size_t ROUTES_COUNT;

/* Who may ask, in a few words: "anybody", "scope upload". */
const char *door_words(enum door door);

/* The route of x->method and x->path, with x->parameters filled. NULL: x->reply is 404, 405 with Allow, or 400 for a
 * query that has keys which the route does not know. */
const struct route *route_find(struct exchange *x);

/* Looks up what the request is about, and calls the route's handler. */
enum exchange_step route_handle(struct exchange *x, const struct route *route);

/* Before the body of a request is read: only looks it up. */
enum exchange_step route_prepare(struct exchange *x);

/* The same as route_find for what metrics_listen serves: the figures, and whether the service lives and is ready. */
const struct route *route_find_figures(struct exchange *x);

/* What redirect_listen serves: every request is led on to external_url. NULL. */
const struct route *route_lead_on(struct exchange *x);
