/* The verdict (render/verdict/verdict.c has the shape of its JSON). Making it takes a replay of the calls, so the
 * page of a picture does not wait for it: it has a link to the page of the verdict, from which the script takes the
 * words. What comes out of that JSON may be missing or of another type. */
#include <string.h>

#include "profile/track.h"
#include "server/pages/workspace.h"

struct verdict_page {
    const struct workspace *w;
    const json_t *sentence;
    struct str track; /* of the sentence; empty: it is about no single one */
};

/* ---- links ---- */

/* The pictures of a sentence show no more than which packages are own, the range, the dump, and what the tracks are: the sentences are
 * about all of it. There are none about what changed between two dumps. Those of a comparison are about what the page shows. */
static void plain_view(const struct workspace *w, struct view_options *view)
{
    struct diag diag = {0};

    if (w->of->compared != NULL) {
        *view = *w->of->options;
        return;
    }
    view_defaults(view);
    (void)view_set(view, KEYS_VIEW, STR("app"), str_of(w->of->options->app), &diag);
    memcpy(view->split, w->of->options->split, sizeof(view->split));
    view->from_ns = w->of->options->from_ns;
    view->to_ns = w->of->options->to_ns;
    if (w->of->options->moment.since == 0 && w->of->options->mode == MODE_CUMULATIVE)
        view->moment = w->of->options->moment;
}

void workspace_verdict_link(const struct workspace *w)
{
    struct view_options view;

    if (w->of->tab == TAB_VERDICT)
        return;
    plain_view(w, &view);
    workspace_link(w, "<p id=\"verdict\"><a class=\"place\" href=\"", "verdict", &view,
                   "\">In words: where the ");
    buf_printf(w->b, "%s went<span class=\"unfiltered\">, without filters</span></a></p>\n",
               page_data_noun(w->of->summary) == track_noun(TRACK_HEAP) ? "memory" : "time");
}

static void begin_link(const struct verdict_page *v, struct str track, const struct view_options *view)
{
    const struct workspace *w = v->w;

    buf_z(w->b, "<a class=\"place\" href=\"");
    workspace_picture(w, w->of->compared != NULL ? w->of->track : track, view);
    buf_z(w->b, "\">");
}

static void put_thread(const struct verdict_page *v, const json_t *id, struct str name)
{
    struct view_options view;

    plain_view(v->w, &view);
    begin_link(v, PAGE_ID(id), &view);
    page_put(v->w->b, "{}</a>", name);
}

/* A method's callers and callees. A name that is too long for a view has no link. */
static void put_method(const struct verdict_page *v, struct str name)
{
    struct view_options view;
    struct diag diag = {0};

    plain_view(v->w, &view);
    view.view = VIEW_SANDWICH;
    if (!view_set(&view, KEYS_VIEW, STR("method"), name, &diag)) {
        page_put(v->w->b, "{}", name);
        return;
    }
    begin_link(v, v->track.n > 0 ? v->track : STR("merged"), &view);
    page_put(v->w->b, "{}</a>", name);
}

/* The query of the table; its own rows are those of the sentence, whatever a comparison's page shows. */
static void put_table_query(const struct verdict_page *v, const struct view_options *view)
{
    const struct page_compared *compared = v->w->of->compared;

    if (compared == NULL) {
        workspace_query_of(v->w, v->track.n > 0 ? v->track : STR("all"), view);
        return;
    }
    struct diff_request asked = *compared->asked;
    struct page_compared of_all = *compared;
    struct page_workspace of = *v->w->of;
    struct workspace w = *v->w;

    asked.only = ONLY_DIFFERENT;
    of_all.asked = &asked;
    of.compared = &of_all;
    w.of = &of;
    workspace_query_of(&w, of.track, view);
}

static void put_table_link(const struct verdict_page *v)
{
    static const struct {
        struct str table;
        const char *words;
    } TABLES[] = {{STR_INIT("group=origin"), "By origin"},      {STR_INIT("group=package"), "By package"},
                  {STR_INIT("sort=calls"), "By calls"},         {STR_INIT("only=new"), "All new ones"},
                  {STR_INIT("only=gone"), "All that are gone"}, {STR_INIT("only=more"), "All with more"},
                  {STR_INIT("only=less"), "All with less"}};
    struct str table = page_data_text(v->sentence, "table");

    for (size_t i = 0; i < sizeof(TABLES) / sizeof(TABLES[0]); i++)
        if (str_eq(TABLES[i].table, table)) {
            struct view_options view;
            plain_view(v->w, &view);
            page_put(v->w->b, " <a class=\"place\" href=\"{}methods", v->w->self);
            put_table_query(v, &view);
            page_put(v->w->b, "&amp;{}\">", table);
            buf_printf(v->w->b, "%s</a>", TABLES[i].words);
        }
}

/* To the form of the heading's menu: see workspace_heading.c. */
static void put_mapping_link(const struct verdict_page *v)
{
    if (str_eq(page_data_text(v->sentence, "rule"), STR("renamed")))
        buf_z(v->w->b, " <a href=\"#mapping\">Apply a mapping.txt</a>");
}

/* ---- sentences ---- */

static void put_text(const struct verdict_page *v)
{
    const json_t *part, *track;
    size_t i;

    json_array_foreach (json_object_get(v->sentence, "parts"), i, part) {
        track = json_object_get(part, "track");
        if (json_is_true(json_object_get(part, "method")))
            put_method(v, page_data_text(part, "text"));
        else if (json_is_number(track))
            put_thread(v, track, page_data_text(part, "text"));
        else
            page_put(v->w->b, "{}", page_data_text(part, "text"));
    }
}

void workspace_sentences(const struct workspace *w, const json_t *sentences)
{
    struct verdict_page v = {.w = w};
    const json_t *track;
    size_t i;

    json_array_foreach (sentences, i, v.sentence) {
        track = json_object_get(v.sentence, "track");
        v.track = json_is_number(track) ? PAGE_ID(track) : STR("");
        buf_z(w->b, "<li>");
        put_text(&v);
        put_table_link(&v);
        put_mapping_link(&v);
        buf_z(w->b, "</li>\n");
    }
}

void workspace_verdict(const struct workspace *w)
{
    const json_t *sentences = json_object_get(w->of->verdict, "sentences"), *sentence;
    size_t i;

    buf_z(w->b, "<div id=\"sentences\" class=\"sentences\">\n");
    buf_z(w->b, json_array_size(sentences) > 0 ? "<ol>\n" : "<p>Nothing stands out.</p>\n");
    workspace_sentences(w, sentences);
    if (json_array_size(sentences) > 0)
        buf_z(w->b, "</ol>\n<details class=\"how\"><summary>How these were found</summary>\n<ol>\n");
    json_array_foreach (sentences, i, sentence)
        page_put(w->b, "<li>{}</li>\n", page_data_text(sentence, "how"));
    buf_z(w->b, json_array_size(sentences) > 0 ? "</ol></details>\n</div>\n" : "</div>\n");
}
