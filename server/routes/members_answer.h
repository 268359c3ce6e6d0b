/* The answer to an archive of which every member was read. */
#ifndef SERVER_ROUTES_MEMBERS_ANSWER_H
#define SERVER_ROUTES_MEMBERS_ANSWER_H

#include "server/http/exchange.h"
#include "server/upload/job.h"

/* Fills x->reply: all links, and what was wrong with the other members; as text, JSON or a page. */
void members_answer(struct exchange *x, const struct job_result *result);

#endif
