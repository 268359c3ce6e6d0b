/* Views as answers: which one a URL asks for, and its headers. */
#ifndef SERVER_ROUTES_HANDLE_VIEW_H
#define SERVER_ROUTES_HANDLE_VIEW_H

#include "server/views/views.h"

/* What the query asks for, by the keys of the route and those that the output adds. False: diag. */
bool view_query(struct exchange *x, struct view_request *r, struct diag *diag);

/* Answers with a view, or 304. Waits if it has to be made first. */
enum exchange_step view_answer(struct exchange *x, const struct view_request *r);

/* The same with a view that is there (views_get): takes over what the result holds. */
void view_answer_result(struct exchange *x, unsigned status, const struct view_request *r,
                        struct view_result *result);

/* How many bytes the result has; 0 where there is none. */
size_t view_bytes(const struct view_result *result);

/* Appends a view's bytes, wherever they are, and frees the result. False: x->reply says why not. */
bool view_take(struct exchange *x, struct view_result *result, struct buf *bytes);

#endif
