/* If-Match, of every answer that has a tag. */
#include "server/http/exchange.h"
#include "server/http/message/range.h"
#include "server/http/problem.h"

/* Without conditions it would have been a success: an error goes before the condition (RFC 9110, 13.2.1), and the
 * condition before If-None-Match (13.2.2). */
static bool succeeded(unsigned status)
{
    return status == 200 || status == 206 || status == 304;
}

void exchange_precondition(struct exchange *x)
{
    struct str field = x->header(x, "If-Match");
    const char *tag = reply_header_value(&x->reply, "ETag");

    if (field.p == NULL || tag == NULL || !exchange_reads(x) || !succeeded(x->reply.status))
        return;
    struct str quoted = str_of(tag);
    if (range_match(field, (struct str){quoted.p + 1, quoted.n - 2}))
        return;
    reply_free(&x->reply);
    exchange_problem(x, 412, "precondition failed", "Leave the header If-Match out to get what is there now.",
                     "What is at this URL has none of the tags in If-Match.");
}
