#include "server/service.h"

bool service_goes_on(const struct service *s, struct diag *diag)
{
    return stop_asked(&s->stop) == STOP_NONE || stop_say(&s->stop, diag);
}
