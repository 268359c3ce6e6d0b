/* Parts of a representation (RFC 9110, 14) and conditions (13.1) on its tag. Pure. */
#pragma once

#include "core/str.h"

struct range {
    uint64_t first, n; /* bytes */
};

enum range_answer {
    RANGE_WHOLE,   /* no range, several, or none that is understood: all of it, 200 */
    RANGE_PART,    /* *r: 206 */
    RANGE_OUTSIDE, /* nothing of it is there: 416 */
};

/* What of `total` bytes the field asks for: "bytes=a-b", "bytes=a-" or "bytes=-n", cut at the end. */
enum range_answer range_parse(struct str field, uint64_t total, struct range *r);

/* Whether a range may be answered, by the header If-Range: it is not there, or is exactly the strong tag. A date
 * never is, since nothing of ours has one. `etag` without the quotes. */
bool range_if(struct str if_range, struct str etag);

/* If-None-Match (RFC 9110, 13.1.2): a list of tags of which one is the representation's, compared weakly, or *. */
bool range_none_match(struct str if_none_match, struct str etag);

/* If-Match (RFC 9110, 13.1.1): whether one of the tags is the representation's, compared strongly, or the
 * field is *, or not there. */
bool range_match(struct str if_match, struct str etag);
