/* What all threads did in the order of time, above the tabs: static/workspace-lanes.js draws it from /p/<id>/lanes.json. Without scripts it is a
 * picture that the service makes. */
#include <string.h>

#include "server/pages/workspace.h"

bool workspace_is_timed(const struct workspace *w)
{
    return json_is_true(json_object_get(w->of->summary, "timed"));
}

bool workspace_has_calls(const struct workspace *w)
{
    return workspace_has_value(w, STR("calls")) && workspace_is_timed(w);
}

/* What lanes depend on, of the state of the page: of filters only those do that are opened. */
static void put_address(const struct workspace *w, const char *suffix)
{
    const struct view_options *of = w->of->options;
    struct view_options options;

    view_defaults(&options);
    options.open = of->open;
    memcpy(options.app, of->app, sizeof(options.app));
    options.n_filters = of->n_filters;
    options.filter_bytes = of->filter_bytes;
    memcpy(options.filters, of->filters, sizeof(options.filters));
    memcpy(options.filter_text, of->filter_text, sizeof(options.filter_text));
    page_put(w->b, "{}lanes", w->self);
    buf_z(w->b, suffix);
    view_link(w->b, &options, "&amp;");
}

void workspace_lanes(const struct workspace *w)
{
    if (!workspace_is_timed(w) || json_array_size(w->tracks) == 0)
        return;
    buf_z(w->b, "<details id=\"lanes\" open data-lanes=\"");
    put_address(w, ".json");
    buf_z(w->b, "\">\n<summary>Lanes <span class=\"quiet\"><span class=\"lane-window\"></span><span "
                "class=\"lane-facts\"></span><span class=\"unfiltered\">, activity without "
                "filters</span></span></summary>\n<noscript><img src=\"");
    put_address(w, ".svg");
    buf_z(w->b, "\" alt=\"What each thread did in the order of time\"></noscript>\n</details>\n");
}
