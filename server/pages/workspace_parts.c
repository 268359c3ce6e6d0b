/* What the parts of the workspace share: what is shown, the addresses of its states, menus and choices. It
 * uses none of these parts. */
#include <string.h>

#include "profile/track.h"
#include "render/view/key.h"
#include "server/pages/workspace.h"

bool workspace_has_value(const struct workspace *w, struct str name)
{
    return page_data_find(json_object_get(w->of.summary, "values"), "name", name) != NULL;
}

bool workspace_is_single(const struct workspace *w)
{
    const struct view_options *o = w->of.options;

    return o->tracks == TRACKS_LISTED && o->n_track_ids == 1;
}

size_t workspace_find_shown(const struct workspace *w)
{
    const struct view_options *o = w->of.options;
    size_t n = json_array_size(w->tracks), i = 0;

    if (!workspace_is_single(w))
        return n;
    while (i < n && page_data_number(json_array_get(w->tracks, i), "id") != o->track_ids[0])
        i++;
    return i;
}

/* Calls and derived values are those of tracks that have the first value. */
bool workspace_track_has(const struct workspace *w, const json_t *track, const json_t *value)
{
    const json_t *values = json_object_get(w->of.summary, "values"), *each;
    struct str name = page_data_text(value, "name");
    size_t i;

    json_array_foreach (values, i, each) {
        if (str_eq(page_data_text(each, "name"), name) && !str_eq(name, STR("calls")))
            return page_data_has_total(each, track);
    }
    const json_t *first = json_array_get(values, 0);
    return str_eq(page_data_text(first, "name"), STR("calls")) || page_data_has_total(first, track);
}

void workspace_put_shown(const struct workspace *w, struct buf *b)
{
    const struct view_options *o = w->of.options;
    const json_t *track = json_array_get(w->tracks, workspace_find_shown(w));
    struct str name = page_data_text(track, "name"), part = page_data_text(track, "part");
    const struct track_noun *noun = page_data_noun(w->of.summary);

    if (o->tracks == TRACKS_ALL)
        buf_printf(b, w->of.tab == TAB_FLAME ? "All %s side by side" : "All %s", noun->many);
    else if (o->tracks == TRACKS_MERGED)
        buf_printf(b, "All %s merged", noun->many);
    else if (o->n_track_ids != 1)
        buf_printf(b, "%u %s side by side", o->n_track_ids, noun->many);
    else if (name.n > 0)
        buf_str(b, name);
    else
        buf_printf(b, "%c%s %u", noun->one[0] - 'a' + 'A', noun->one + 1, o->track_ids[0]);
    if (o->tracks == TRACKS_LISTED && o->n_track_ids == 1 && part.n > 0) {
        buf_z(b, ", ");
        buf_str(b, part);
    }
}

void workspace_link(const struct workspace *w, const char *before, const char *path,
                    const struct view_options *query, const char *after)
{
    buf_z(w->b, before);
    page_put(w->b, "{}{}", w->self, str_of(path));
    if (query != NULL)
        view_link(w->b, query, "&amp;");
    buf_z(w->b, after);
}

void workspace_query(const struct workspace *w, struct str track)
{
    workspace_query_of(w, track, w->of.options);
}

void workspace_query_of(const struct workspace *w, struct str track, const struct view_options *options)
{
    struct buf query = {0};

    page_put(w->b, "?track={}", track);
    workspace_compared_query(w);
    view_link(&query, options, "&amp;");
    if (query.n > 0) {
        buf_z(w->b, "&amp;"); /* in place of its question mark */
        buf_bytes(w->b, query.p + 1, query.n - 1);
    }
    buf_part_end(w->b, &query);
}

void workspace_picture(const struct workspace *w, struct str track, const struct view_options *options)
{
    if (w->of.compared != NULL) {
        buf_bytes(w->b, w->self.p, w->self.n - 1);
        workspace_query_of(w, track, options);
        return;
    }
    page_put(w->b, "{}t/{}", w->self, track);
    view_link(w->b, options, "&amp;");
}

void workspace_track_link(const struct workspace *w, struct str track)
{
    if (w->of.tab == TAB_METHODS) {
        workspace_methods_link(w, track);
        return;
    }
    workspace_picture(w, track, w->of.options);
}

void workspace_here(const struct workspace *w, const struct view_options *options)
{
    struct workspace other = *w;

    other.of.options = options;
    if (w->of.tab != TAB_METHOD) {
        workspace_track_link(&other, w->of.track);
        return;
    }
    workspace_method_link(&other, w->of.method);
}

void workspace_menu(struct buf *b, const char *attributes, const char *summary)
{
    buf_printf(b, "<details name=\"menus\" %s>\n<summary>%s</summary>\n<div class=\"sheet\">\n", attributes,
               summary);
}

void workspace_inner_menu(struct buf *b, const char *class, const char *icon, const char *summary)
{
    buf_printf(b, "<details name=\"inner-menus\" class=\"menu %s\">\n<summary>", class);
    page_icon(b, icon);
    buf_printf(b, "%s</summary>\n<div class=\"sheet\">\n", summary);
}

void workspace_menu_item(struct buf *b, const char *icon, struct str link, const char *words)
{
    page_put(b, "<a class=\"item\" href=\"{}\">", link);
    page_icon(b, icon);
    buf_printf(b, "%s</a>\n", words);
}

void workspace_menu_site(const struct workspace *w)
{
    struct buf uploads = {0};

    buf_str(&uploads, w->up);
    buf_z(&uploads, "uploads");
    workspace_menu_item(w->b, "list", buf_view(&uploads), "My uploads");
    workspace_menu_item(w->b, "upload", w->up, "Upload");
    buf_part_end(w->b, &uploads);
}

void workspace_menu_end(struct buf *b)
{
    buf_z(b, "</div>\n</details>\n");
}

void workspace_hidden(struct buf *b, const char *key, struct str text)
{
    page_put(b, "<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", str_of(key), text);
}

void workspace_choice(struct buf *b, const char *name, const char *label)
{
    buf_printf(b, "<p><label for=\"%s\" class=\"out-of-sight\">%s</label> <select id=\"%s\" name=\"%s\">\n",
               name, label, name, name);
}

void workspace_choice_begin(struct buf *b, struct str word, bool chosen)
{
    page_put(b, "<option value=\"{}\"", word);
    buf_z(b, chosen ? " selected>" : ">");
}

void workspace_choice_word(struct buf *b, struct str word, bool chosen, struct str label)
{
    workspace_choice_begin(b, word, chosen);
    page_put(b, "{}</option>\n", label);
}

void workspace_choice_end(struct buf *b)
{
    buf_z(b, "</select></p>\n");
}

void workspace_place(const struct workspace *w, const char *name, struct str sort, struct str grep,
                     enum table_group group, uint32_t offset)
{
    page_put(w->b, "{}{}", w->self, str_of(name));
    workspace_query(w, w->of.track);
    if (group != GROUP_METHOD)
        buf_printf(w->b, "&amp;group=%s", table_group_word(group));
    if (w->of.rows->longest && w->of.tab == TAB_METHODS)
        buf_z(w->b, "&amp;longest=1");
    if (sort.n > 0) {
        buf_z(w->b, "&amp;sort=");
        buf_percent(w->b, sort);
    }
    if (grep.n > 0) {
        buf_z(w->b, "&amp;grep=");
        buf_percent(w->b, grep);
    }
    if (offset > 0)
        buf_printf(w->b, "&amp;offset=%u", offset);
}

void workspace_methods_link(const struct workspace *w, struct str track)
{
    const struct table_request *r = w->of.rows;
    struct workspace other = *w;

    other.of.track = track;
    workspace_place(&other, "methods", str_of(r->sort), str_of(r->grep), r->group, 0);
}

void workspace_method_link(const struct workspace *w, struct str method)
{
    page_put(w->b, "{}m/", w->self);
    buf_percent(w->b, method);
    workspace_query(w, w->of.track);
}

static void put_key(void *context, const char *key, struct str value)
{
    const struct workspace *w = context;

    buf_printf(w->b, "&amp;%s=", key);
    buf_percent(w->b, value);
}

void workspace_compared_query(const struct workspace *w)
{
    if (w->of.compared != NULL)
        diff_each(w->of.compared->asked, put_key, (void *)(uintptr_t)w, w->b);
}

static void put_field(void *context, const char *key, struct str value)
{
    const struct workspace *w = context;

    workspace_hidden(w->b, key, value);
}

void workspace_compared_hidden(const struct workspace *w)
{
    if (w->of.compared != NULL)
        diff_each(w->of.compared->asked, put_field, (void *)(uintptr_t)w, w->b);
}

bool workspace_is_timed(const struct workspace *w)
{
    return json_is_true(json_object_get(w->of.summary, "timed"));
}
