#include "server/service.h"

#include "server/convert/diag_words.h"

bool service_goes_on(const struct service *s, struct diag *diag)
{
    return !atomic_load_explicit(&s->stopping, memory_order_relaxed) || convert_stopped(diag);
}
