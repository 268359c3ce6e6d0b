/* What the workspace of a comparison has in place of that of one profile: a heading with both names, what changed in words, the
 * fields of the comparison, and the table of changes, from the report's JSON (render/table/table_json.c). Without scripts the
 * table has links; with them it is that of static/methods.js. */
#include <stdio.h>

#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/pages/workspace.h"

enum { PAGE_ROWS = METHODS_PAGE_ROWS, COLUMN_BYTES = 160 };

struct changes {
    const struct workspace *w;
    const json_t *columns, *value; /* the value that is shown */
};

/* ---- links ---- */

static void put_key(void *context, const char *key, struct str value)
{
    const struct workspace *w = context;

    buf_printf(w->b, "&amp;%s=", key);
    buf_percent(w->b, value);
}

void workspace_compared_query(const struct workspace *w)
{
    if (w->of->compared != NULL)
        diff_each(w->of->compared->asked, put_key, (void *)(uintptr_t)w);
}

static void put_field(void *context, const char *key, struct str value)
{
    const struct workspace *w = context;

    workspace_hidden(w->b, key, value);
}

void workspace_compared_hidden(const struct workspace *w)
{
    if (w->of->compared != NULL)
        diff_each(w->of->compared->asked, put_field, (void *)(uintptr_t)w);
}

/* The table of this state, sorted otherwise. */
static void put_table_link(const struct changes *c, const char *sort, uint32_t offset)
{
    const struct workspace *w = c->w;

    page_put(w->b, "{}methods", w->self);
    workspace_query(w, w->of->track);
    if (w->of->rows->grep[0] != '\0')
        put_key((void *)(uintptr_t)w, "grep", str_of(w->of->rows->grep));
    put_key((void *)(uintptr_t)w, "sort", str_of(sort));
    if (offset > 0)
        buf_printf(w->b, "&amp;offset=%u", offset);
}

/* ---- cells ---- */

static const json_t *shown_value(const struct workspace *w)
{
    const json_t *table = w->of->compared->table;

    return page_data_find(json_object_get(table, "values"), "name", page_data_text(table, "value"));
}

/* `_incl_a` is a column of the value that is shown, `calls_a` is called so. */
static void column_of(const struct changes *c, const char *end, char name[COLUMN_BYTES])
{
    struct str value = end[0] == '_' ? page_data_text(c->value, "name") : STR("");

    snprintf(name, COLUMN_BYTES, "%.*s%s", (int)value.n, value.p, end);
}

static const json_t *cell(const struct changes *c, const json_t *row, const char *end)
{
    char name[COLUMN_BYTES];

    column_of(c, end, name);
    return json_array_get(row, page_data_column(c->columns, str_of(name)));
}

static struct str text_cell(const struct changes *c, const json_t *row, const char *column)
{
    return page_data_string(cell(c, row, column));
}

static struct diff_pair pair_cells(const struct changes *c, const json_t *row, const char *a, const char *b)
{
    return (struct diff_pair){page_data_real(cell(c, row, a)), page_data_real(cell(c, row, b)), 0};
}

static void put_amount(const struct changes *c, uint64_t amount)
{
    page_put(c->w->b, "<td>{}</td>", PAGE_AMOUNT(c->value, amount));
}

/* In percent; what is new or gone is said. */
static void put_percent(struct buf *b, struct diff_pair pair)
{
    struct buf percent = {0};

    diff_put_percent(&percent, pair);
    clean_xml(b, buf_view(&percent));
    buf_part_end(b, &percent);
}

static void put_change(struct buf *b, const json_t *value, struct diff_pair pair)
{
    if (pair.a != pair.b)
        buf_char(b, pair.b > pair.a ? '+' : '-');
    page_data_put_value(b, value, diff_size(pair));
}

void workspace_compared_cells(const struct workspace *w, const json_t *value, struct diff_pair pair)
{
    page_put(w->b, "<td>{}</td><td>{}</td><td>", PAGE_AMOUNT(value, pair.a), PAGE_AMOUNT(value, pair.b));
    put_change(w->b, value, pair);
    buf_z(w->b, "</td><td>");
    put_percent(w->b, pair);
    buf_z(w->b, "</td>");
}

static void put_change_cells(const struct changes *c, struct diff_pair pair)
{
    buf_z(c->w->b, "<td>");
    put_change(c->w->b, c->value, pair);
    buf_z(c->w->b, "</td><td>");
    put_percent(c->w->b, pair);
    buf_z(c->w->b, "</td>");
}

static void put_calls(const struct changes *c, const json_t *row, struct diff_pair inclusive)
{
    struct diff_pair calls = pair_cells(c, row, "calls_a", "calls_b");

    if (!json_is_number(cell(c, row, "calls_a"))) {
        buf_z(c->w->b, "<td></td><td></td><td></td><td></td>");
        return;
    }
    page_put(c->w->b, "<td>{}</td><td>{}</td>", PAGE_COUNT(calls.a), PAGE_COUNT(calls.b));
    put_change_cells(c, (struct diff_pair){calls.a > 0 ? inclusive.a / calls.a : 0,
                                           calls.b > 0 ? inclusive.b / calls.b : 0, 0});
}

/* A method is a link. Of groups there is the name only. */
static void put_row_name(const struct changes *c, const json_t *row)
{
    struct str class = text_cell(c, row, "class");
    enum table_group group = c->w->of->rows->group;
    struct buf *b = c->w->b;

    if (group != GROUP_METHOD) {
        page_put(b, "{}", text_cell(c, row, group == GROUP_THREAD ? "name" : table_group_word(group)));
        return;
    }
    buf_z(b, "<a class=\"place\" href=\"");
    workspace_method_link(c->w, text_cell(c, row, "id"));
    page_put(b, "\" title=\"{}\">{}{}{}</a>", text_cell(c, row, "signature"), class,
             class.n > 0 ? STR(".") : STR(""), text_cell(c, row, "method"));
    if (page_data_real(cell(c, row, "paired")) > 0)
        buf_z(b, " <span class=\"quiet\">(by rule)</span>");
}

static void put_row(const struct changes *c, const json_t *row)
{
    struct diff_pair own = pair_cells(c, row, "_excl_a", "_excl_b"),
                     all = pair_cells(c, row, "_incl_a", "_incl_b");
    struct buf *b = c->w->b;

    buf_z(b, "<tr><th scope=\"row\">");
    put_row_name(c, row);
    buf_z(b, "</th>");
    put_change_cells(c, own);
    put_amount(c, own.a);
    put_amount(c, own.b);
    put_change_cells(c, all);
    put_amount(c, all.a);
    put_amount(c, all.b);
    put_calls(c, row, all);
    buf_z(b, "</tr>\n");
}

/* ---- the table ---- */

static void put_heading(const struct changes *c, const char *end, const char *words)
{
    const json_t *table = c->w->of->compared->table;
    bool reversed = json_is_true(json_object_get(table, "reversed"));
    char column[COLUMN_BYTES], turned[COLUMN_BYTES + 1];

    column_of(c, end, column);
    bool sorted = str_eq(page_data_text(table, "sort"), str_of(column));
    snprintf(turned, sizeof(turned), "%s%s", sorted && !reversed ? "-" : "", column);
    buf_printf(c->w->b, "<th scope=\"col\"%s><a href=\"",
               !sorted    ? ""
               : reversed ? " aria-sort=\"ascending\""
                          : " aria-sort=\"descending\"");
    put_table_link(c, turned, 0);
    buf_printf(c->w->b, "\">%s</a></th>", words);
}

static void put_headings(const struct changes *c)
{
    buf_z(c->w->b, "<thead><tr><th scope=\"col\">Method</th>");
    put_heading(c, "_excl", "Self");
    buf_z(c->w->b, "<th scope=\"col\">%</th>");
    put_heading(c, "_excl_a", "in A");
    put_heading(c, "_excl_b", "in B");
    put_heading(c, "_incl", "Total");
    buf_z(c->w->b, "<th scope=\"col\">%</th>");
    put_heading(c, "_incl_a", "in A");
    put_heading(c, "_incl_b", "in B");
    put_heading(c, "calls_a", "Calls in A");
    put_heading(c, "calls_b", "in B");
    put_heading(c, "_per_call", "Per call");
    buf_z(c->w->b, "<th scope=\"col\">%</th></tr></thead>\n");
}

static void put_pages(const struct changes *c)
{
    const struct workspace *w = c->w;
    const struct table_request *r = w->of->rows;
    uint64_t matching = page_data_real(json_object_get(w->of->compared->table, "matching"));
    size_t shown = json_array_size(json_object_get(w->of->compared->table, "rows"));

    buf_z(w->b, "<p class=\"pages\">");
    for (int next = 0; next < 2; next++) {
        bool there = next ? r->offset + shown < matching : r->offset > 0;
        if (!there)
            continue;
        buf_z(w->b, "<a href=\"");
        put_table_link(c, r->sort,
                       next                    ? r->offset + PAGE_ROWS
                       : r->offset > PAGE_ROWS ? r->offset - PAGE_ROWS
                                               : 0);
        buf_z(w->b, next ? "\" rel=\"next\">More rows</a> " : "\" rel=\"prev\">Rows before</a> ");
    }
    page_put(w->b, "{} {}.</p>\n", PAGE_COUNT(matching),
             w->of->compared->asked->all ? STR("rows") : STR("rows differ"));
}

void workspace_compared_methods(const struct workspace *w)
{
    const json_t *table = w->of->compared->table, *rows = json_object_get(table, "rows"), *row;
    const struct changes c = {w, json_object_get(table, "columns"), shown_value(w)};
    size_t i;

    page_put(w->b,
             "<div id=\"methods\" class=\"methods compared\" tabindex=\"0\" role=\"region\" "
             "aria-label=\"Methods\" data-json=\"{}methods.json",
             w->self);
    workspace_query(w, w->of->track);
    if (w->of->rows->sort[0] != '\0')
        put_key((void *)(uintptr_t)w, "sort", str_of(w->of->rows->sort));
    buf_z(w->b, "\">\n<table>\n");
    put_headings(&c);
    buf_z(w->b, "<tbody>\n");
    json_array_foreach (rows, i, row)
        put_row(&c, row);
    buf_z(w->b, "</tbody>\n</table>\n");
    put_pages(&c);
    buf_z(w->b, "</div>\n");
}

/* ---- the fields ---- */

void workspace_compared_values(const struct workspace *w)
{
    static const char *const WIDTHS[] = {
        [WIDE_B] = "width: B", [WIDE_A] = "width: A", [WIDE_LARGER] = "width: larger"};
    const json_t *values = json_object_get(w->of->compared->table, "values"), *value;
    size_t i;

    workspace_choice(w->b, "value", "Value");
    json_array_foreach (values, i, value)
        workspace_choice_word(w->b, page_data_text(value, "name"), value == shown_value(w),
                              page_data_text(value, "label"));
    workspace_choice_end(w->b);
    const struct diff_request *asked = w->of->compared->asked;
    if (w->of->tab != TAB_FLAME) {
        if (asked->wide != WIDE_B)
            workspace_hidden(w->b, "wide", str_of(diff_wide_word(asked->wide)));
        return;
    }
    if (asked->all)
        workspace_hidden(w->b, "all", STR("1"));
    if (asked->only != ONLY_DIFFERENT)
        workspace_hidden(w->b, "only", str_of(diff_only_word(asked->only)));
    workspace_choice(w->b, "wide", "Width");
    for (unsigned k = 0; k < sizeof(WIDTHS) / sizeof(*WIDTHS); k++)
        workspace_choice_word(w->b, str_of(diff_wide_word(k)), k == (unsigned)asked->wide, str_of(WIDTHS[k]));
    workspace_choice_end(w->b);
}

static void put_input(const struct workspace *w, const char *key, const char *label, struct str value)
{
    buf_printf(
        w->b,
        "<p><label for=\"%s\">%s</label> <input id=\"%s\" name=\"%s\" inputmode=\"decimal\" size=\"10\" "
        "autocomplete=\"off\"",
        key, label, key, key);
    page_put(w->b, " value=\"{}\"></p>\n", value);
}

static void put_view_input(const struct workspace *w, const char *key, const char *label)
{
    const struct view_option *option = view_option_by_key(str_of(key));
    struct buf text = {0};

    if (view_option_differs(option, w->of->options))
        view_option_text(option, w->of->options, &text);
    put_input(w, key, label, buf_view(&text));
    buf_part_end(w->b, &text);
}

static void put_scale(const struct workspace *w)
{
    const struct diff_request *r = w->of->compared->asked;
    struct buf text = {0};

    buf_z(&text, diff_normalise_word(r->normalise));
    buf_str(&text, str_of(r->method));
    page_put(w->b,
             "<p><label for=\"normalise\">Scale B to A by: total, time, or calls:METHOD</label> "
             "<input id=\"normalise\" name=\"normalise\" list=\"scales\" autocomplete=\"off\" "
             "spellcheck=\"false\" placeholder=\"absolute\" value=\"{}\"><datalist "
             "id=\"scales\"><option value=\"total\"><option value=\"time\"></datalist></p>\n",
             buf_view(&text));
    buf_part_end(w->b, &text);
}

/* What is compared of either side, and how. */
void workspace_compared_sides(const struct workspace *w)
{
    const struct diff_request *r = w->of->compared->asked;

    workspace_menu(w->b, "class=\"menu\" id=\"sides\"", "What is compared");
    put_scale(w);
    put_view_input(w, "from", "From, in µs since the start");
    put_view_input(w, "to", "Up to, in µs");
    put_input(w, "from_b", "From of B, if it is another time", str_of(r->from_b));
    put_input(w, "to_b", "Up to of B", str_of(r->to_b));
    put_view_input(w, "moment", "Dump of a series, from 1");
    put_input(w, "moment_b", "Dump of B, if it is another one", str_of(r->moment_b));
    buf_z(w->b, "<p><button>Compare</button></p>\n");
    workspace_menu_end(w->b);
}

bool workspace_compared_has(const struct view_option *r)
{
    return str_eq(str_of(r->key), STR("from")) || str_eq(str_of(r->key), STR("to")) ||
           str_eq(str_of(r->key), STR("moment"));
}

void workspace_compared_fields(const struct workspace *w)
{
    static const char *const ROWS[] = {[ONLY_DIFFERENT] = "all changes",
                                       [ONLY_NEW] = "new",
                                       [ONLY_GONE] = "gone",
                                       [ONLY_MORE] = "more",
                                       [ONLY_LESS] = "less"};

    workspace_choice(w->b, "only", "Rows");
    for (unsigned k = 0; k < sizeof(ROWS) / sizeof(*ROWS); k++)
        workspace_choice_word(w->b, str_of(diff_only_word(k)), k == (unsigned)w->of->compared->asked->only,
                              str_of(ROWS[k]));
    workspace_choice_end(w->b);
    buf_printf(w->b,
               "<p class=\"check\"><input id=\"all\" name=\"all\" type=\"checkbox\" value=\"1\"%s> "
               "<label for=\"all\">also what does not differ</label></p>\n",
               w->of->compared->asked->all ? " checked" : "");
}

/* ---- the heading ---- */

static void put_downloads(const struct workspace *w)
{
    workspace_menu(w->b, "class=\"menu downloads\"", "Download");
    buf_z(w->b, "<ul>\n");
    for (size_t i = 0; i < DIFF_FORMATS_COUNT; i++) {
        const struct text_format *f = &DIFF_FORMATS[i]->text;
        page_put(w->b, "<li><a class=\"follows\" href=\"{}methods.{}", w->self, str_of(f->name));
        workspace_query(w, w->of->track);
        if (DIFF_FORMATS[i] == &DIFF_SVG)
            page_put(w->b, "#pass={}\" data-pass=\"{}", w->of->pass, w->of->pass);
        buf_printf(w->b, "\">%s: %s</a></li>\n", f->name, f->help);
    }
    buf_z(w->b, "<li id=\"png\" hidden><button type=\"button\" class=\"button\" data-do=\"png\">Save as "
                "PNG</button></li>\n</ul>\n");
    workspace_menu_end(w->b);
}

void workspace_compared_heading(const struct workspace *w)
{
    const struct record *sides[] = {w->of->record, w->of->compared->b};

    page_put(w->b,
             "<header class=\"top\">\n<a class=\"brand\" href=\"{}\">aflamed</a>\n<h1 class=\"name "
             "sides\">",
             w->up);
    for (int i = 0; i < 2; i++) {
        buf_printf(w->b, "%s<b>%c</b> ", i == 0 ? "" : " ", 'A' + i);
        page_put(w->b, "<a href=\"{}p/{}\">{}</a>", w->up, str_of(sides[i]->id),
                 page_data_name(sides[i]->name));
    }
    buf_z(w->b, "</h1>\n");
    workspace_warnings(w);
    buf_z(w->b, "<nav aria-label=\"This comparison\">\n<a class=\"share follows\" href=\"");
    workspace_track_link(w, w->of->track);
    buf_z(w->b, "\">Share</a>\n");
    put_downloads(w);
    page_put(w->b,
             "<a href=\"{}d/{}..{}\">The other way round</a>\n<a href=\"{}uploads\">My uploads</a>\n"
             "<a href=\"{}\">Upload</a>\n</nav>\n</header>\n",
             w->up, str_of(w->of->compared->b->id), str_of(w->of->record->id), w->up, w->up);
}

void workspace_compared_verdict(const struct workspace *w)
{
    buf_z(w->b, "<details id=\"verdict\" open>\n<summary>What changed</summary>\n<div id=\"sentences\" "
                "class=\"sentences\"><ol>\n");
    workspace_sentences(w, json_object_get(w->of->compared->table, "verdict"));
    buf_z(w->b, "</ol></div>\n</details>\n");
}

/* "wall time: 100 ms in A, 120 ms in B: +20 ms (+20 %)" */
void workspace_compared_whole(const struct workspace *w)
{
    const json_t *value = shown_value(w);
    struct diff_pair total = {page_data_real(json_object_get(value, "total_a")),
                              page_data_real(json_object_get(value, "total_b")), 0};

    page_put(w->b, "{}: {} in A, {} in B: ", page_data_text(value, "label"), PAGE_AMOUNT(value, total.a),
             PAGE_AMOUNT(value, total.b));
    put_change(w->b, value, total);
    buf_z(w->b, " (");
    put_percent(w->b, total);
    buf_char(w->b, ')');
}
