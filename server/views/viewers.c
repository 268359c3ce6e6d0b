#include "server/views/viewers.h"

#include <stddef.h>

#include "server/http/message/form.h"

const struct viewer VIEWERS[] = {
    {"perfetto", "Perfetto", false, offsetof(struct config, perfetto_url)},
    {"firefox", "the Firefox Profiler", false, offsetof(struct config, firefox_profiler_url)},
    {"speedscope", "speedscope", true, offsetof(struct config, speedscope_url)},
};
const size_t VIEWERS_COUNT = sizeof(VIEWERS) / sizeof(VIEWERS[0]);

struct str viewer_url(const struct viewer *v, const struct config *config)
{
    return str_of((const char *)config + v->url);
}

const struct viewer *viewer_of(const struct config *config, const char *name)
{
    for (size_t i = 0; i < VIEWERS_COUNT; i++)
        if (str_eq(str_of(VIEWERS[i].name), str_of(name)) && viewer_url(&VIEWERS[i], config).n > 0)
            return &VIEWERS[i];
    return NULL;
}

void viewer_allow(struct reply *r, const struct config *config, const char *name)
{
    const struct viewer *v = viewer_of(config, name);

    if (v == NULL || !v->fetches)
        return;
    struct str origin = url_origin(viewer_url(v, config));
    reply_header(r, "Access-Control-Allow-Origin", "%.*s", (int)origin.n, origin.p);
}
