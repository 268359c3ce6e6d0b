/* Which view of a stored profile is asked for. */
#pragma once

#include "server/convert/profile_id.h"
#include "server/convert/report.h"
#include "server/http/message/accept.h"

struct view_request {
    /* The upload that the view is of; window and split are in the options. */
    struct profile_id upload;
    /* The upload that it is compared with (convert_compare): then the view is of the comparison. Zeroed:
     * of the profile. A comparison is never kept in the store, where it would outlive one of the two. */
    struct profile_id other;
    const struct output *output; /* NULL: the report; without one the summary */
    const struct report *report; /* NULL: none */
    /* As asked for, unresolved; of a summary the range and the split alone. */
    union {
        struct asked asked;
        struct view_options options; /* asked.view */
    };
    struct encoding_choice encoding; /* what the client takes; zeroed: identity */
};
