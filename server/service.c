#include "server/service.h"

bool service_goes_on(const struct service *s, struct diag *diag)
{
    return stop_asked(&s->stop) == STOP_NONE || stop_say(&s->stop, diag);
}

void service_base_url(const struct service *s, struct str host, struct buf *b)
{
    if (s->config->external_url[0] != '\0') {
        buf_z(b, s->config->external_url);
        return;
    }
    buf_z(b, s->tls == NULL ? "http://" : "https://");
    if (host.n > 0)
        buf_str(b, host);
    else if (str_starts(str_of(s->address), STR("unix:")))
        buf_z(b, "localhost");
    else
        buf_z(b, s->address);
}
