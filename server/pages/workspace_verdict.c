/* The verdict (render/verdict/verdict.c has the shape of its JSON). Making it takes a second reading of the file, so the
 * page of a picture does not wait for it: it has a link to the page of the verdict, from which the script takes the
 * words. What comes out of that JSON may be missing or of another type. */
#include "core/clean.h"
#include "server/pages/workspace.h"

struct verdict_page {
    const struct workspace *w;
    const json_t *sentence;
    struct str track, track_name; /* of the sentence; empty: it is about no single one */
    char track_digits[NUMBER_BYTES_MAX];
};

/* ---- links ---- */

/* The pictures of a sentence show no more than which packages are own: the sentences are about the whole profile. */
static void plain_view(const struct workspace *w, struct view_options *view)
{
    struct diag diag = {0};

    view_defaults(view);
    (void)view_set(view, SCOPE_VIEW, STR("app"), str_of(w->of->options->app), &diag);
}

void workspace_verdict_link(const struct workspace *w)
{
    struct view_options view;

    if (w->of->tab == TAB_VERDICT)
        return;
    plain_view(w, &view);
    workspace_link(w, "<p id=\"verdict\"><a class=\"place\" href=\"", "verdict", &view,
                   "\">In words: where the time went</a></p>\n");
}

static void begin_link(const struct verdict_page *v, struct str track, const struct view_options *view)
{
    page_frame_text(v->w->b, "<a class=\"place\" href=\"", v->w->self, "t/");
    page_frame_text(v->w->b, "", track, "");
    view_link(v->w->b, view, "&amp;");
    buf_z(v->w->b, "\">");
}

static void put_thread(const struct verdict_page *v, struct str name)
{
    struct view_options view;

    plain_view(v->w, &view);
    begin_link(v, v->track, &view);
    page_frame_text(v->w->b, "", name, "</a>");
}

/* A method's callers and callees. A name that is too long for a view has no link. */
static void put_method(const struct verdict_page *v, struct str name)
{
    struct view_options view;
    struct diag diag = {0};

    plain_view(v->w, &view);
    view.view = VIEW_SANDWICH;
    if (!view_set(&view, SCOPE_VIEW, STR("method"), name, &diag)) {
        page_frame_text(v->w->b, "", name, "");
        return;
    }
    begin_link(v, v->track.n > 0 ? v->track : STR("merged"), &view);
    page_frame_text(v->w->b, "", name, "</a>");
}

static void put_table_link(const struct verdict_page *v)
{
    static const struct {
        struct str table;
        const char *words;
    } TABLES[] = {{STR_INIT("group=origin"), "By origin"},
                  {STR_INIT("group=package"), "By package"},
                  {STR_INIT("sort=calls"), "By calls"}};
    struct str table = page_data_text(v->sentence, "table");

    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (str_eq(TABLES[i].table, table)) {
            page_frame_text(v->w->b, " <a class=\"place\" href=\"", v->w->self, "methods?");
            page_frame_text(v->w->b, "track=", v->track.n > 0 ? v->track : STR("all"), "&amp;");
            page_frame_text(v->w->b, "", table, "\">");
            buf_printf(v->w->b, "%s</a>", TABLES[i].words);
        }
}

/* ---- names in the text ---- */

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

/* Whether the name stands here, and is not a part of a longer one; the full stop of a sentence is none of it. */
static bool stands_at(struct str text, size_t at, struct str name)
{
    size_t end = at + name.n;

    if (name.n == 0 || !str_starts((struct str){text.p + at, text.n - at}, name) ||
        (at > 0 && is_of_name(text.p[at - 1])))
        return false;
    return end >= text.n || !is_of_name(text.p[end]) ||
           (text.p[end] == '.' && (end + 1 == text.n || !is_of_name(text.p[end + 1])));
}

/* The method whose name stands here; the longest, since a name may be the beginning of another. */
static struct str method_at(const struct verdict_page *v, struct str text, size_t at)
{
    const json_t *method;
    struct str found = STR("");
    size_t i;

    json_array_foreach (json_object_get(v->sentence, "methods"), i, method) {
        struct str name = {json_string_value(method), json_string_length(method)};
        if (name.n > found.n && stands_at(text, at, name))
            found = name;
    }
    return found;
}

static void put_text(const struct verdict_page *v)
{
    struct str text = page_data_text(v->sentence, "text");
    size_t from = 0;

    for (size_t at = 0; at < text.n;) {
        struct str method = method_at(v, text, at);
        bool is_thread = method.n == 0 && stands_at(text, at, v->track_name);
        size_t n = is_thread ? v->track_name.n : method.n;
        if (n == 0) {
            at++;
            continue;
        }
        page_frame_text(v->w->b, "", (struct str){text.p + from, at - from}, "");
        if (is_thread)
            put_thread(v, (struct str){text.p + at, n});
        else
            put_method(v, method);
        at = from = at + n;
    }
    page_frame_text(v->w->b, "", (struct str){text.p + from, text.n - from}, "");
}

/* ---- sentences ---- */

static void find_track(struct verdict_page *v)
{
    const json_t *id = json_object_get(v->sentence, "track"), *track;
    size_t i;

    v->track = v->track_name = STR("");
    if (!json_is_number(id))
        return;
    v->track = (struct str){v->track_digits,
                            (size_t)(number_u64(v->track_digits, page_data_real(id)) - v->track_digits)};
    json_array_foreach (v->w->tracks, i, track) {
        if (page_data_number(track, "id") == page_data_real(id))
            v->track_name = page_data_text(track, "name");
    }
}

void workspace_verdict(const struct workspace *w)
{
    const json_t *sentences = json_object_get(w->of->report, "sentences");
    struct verdict_page v = {.w = w};
    size_t i;

    buf_z(w->b, "<div id=\"sentences\" class=\"sentences\">\n");
    buf_z(w->b, json_array_size(sentences) > 0 ? "<ol>\n" : "<p>Nothing stands out.</p>\n");
    json_array_foreach (sentences, i, v.sentence) {
        find_track(&v);
        buf_z(w->b, "<li>");
        put_text(&v);
        put_table_link(&v);
        buf_z(w->b, "</li>\n");
    }
    if (json_array_size(sentences) > 0)
        buf_z(w->b, "</ol>\n<details class=\"how\"><summary>How these were found</summary>\n<ol>\n");
    json_array_foreach (sentences, i, v.sentence)
        page_frame_text(w->b, "<li>", page_data_text(v.sentence, "how"), "</li>\n");
    buf_z(w->b, json_array_size(sentences) > 0 ? "</ol></details>\n</div>\n" : "</div>\n");
}
