#include "server/routes/profile_access.h"

#include <time.h>

#include "core/system/log.h"
#include "server/http/problem.h"
#include "server/service.h"
#include "server/store/record_cache.h"
#include "server/views/pass.h"

static const char NOT_HERE_HINT[] = "Check the link, or upload the profile again.";

void profile_gone(struct exchange *x)
{
    exchange_problem(x, 410, "gone", "Upload the profile again if you still have it.",
                     "This upload was deleted or has expired.");
}

bool profile_record(struct exchange *x, struct str id, struct record *r)
{
    enum record_state state = record_cache_read(x->service->record_cache, id, (int64_t)time(NULL), r);

    x->profile = state == RECORD_FOUND ? id : STR("");
    switch (state) {
    case RECORD_FOUND:
        return true;
    case RECORD_GONE:
        profile_gone(x);
        break;
    case RECORD_NONE:
        exchange_problem(x, 404, "not found", NOT_HERE_HINT, "There is no upload with this id.");
        break;
    case RECORD_BROKEN:
        exchange_problem(x, 500, "upload not readable",
                         "Tell the operator: the service's log has the details.",
                         "The upload's record could not be read.");
        LOG(x->service->log, LOG_ERROR, "record-broken", LOG_STR("id", id));
        break;
    }
    return false;
}

bool profile_pass(struct exchange *x, struct str id, struct str pass)
{
    if (pass_holds(x->service->passes, id, (int64_t)time(NULL), pass))
        return true;
    exchange_problem(x, 403, "no pass, or one of the past", "Open the picture from its page again.",
                     "The pass in the URL does not let this picture in.");
    reply_header(&x->reply, "Access-Control-Allow-Origin", "*");
    return false;
}

bool profile_may_change(struct exchange *x, const struct record *r, struct str token)
{
    if (token.p == NULL)
        token = x->header(x, "X-Delete-Token");
    if (token.p == NULL) {
        exchange_problem(
            x, 403, "delete token missing",
            "Send it in the header X-Delete-Token, or in the form's field; the upload's answer had "
            "it in X-Delete-URL.",
            "Only who has the upload's delete token can change or delete it.");
        return false;
    }
    enum record_match match = record_token_matches(r, token);
    if (match == RECORD_MATCHES)
        return true;
    if (match == RECORD_NO_MEMORY)
        exchange_no_memory(x, "the form");
    else
        exchange_problem(x, 403, "wrong delete token", "The upload's answer had it in X-Delete-URL.",
                         "This is not the delete token of this upload.");
    return false;
}
