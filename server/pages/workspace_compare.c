/* What the workspace of a comparison has in place of that of one profile: a heading with both names, what
 * changed in words, and the fields of the comparison. */
#include "render/view/key.h"
#include "server/pages/workspace.h"

/* ---- links ---- */

static const json_t *shown_value(const struct workspace *w)
{
    const json_t *table = w->of.compared->table;

    return page_data_find(json_object_get(table, "values"), "name", page_data_text(table, "value"));
}

struct str workspace_compared_value(const struct workspace *w)
{
    return page_data_text(shown_value(w), "name");
}

/* ---- the fields ---- */

void workspace_compared_values(const struct workspace *w)
{
    static const char *const WIDTHS[] = {
        [WIDE_B] = "width: B", [WIDE_A] = "width: A", [WIDE_LARGER] = "width: larger"};
    const json_t *values = json_object_get(w->of.compared->table, "values"), *value;
    size_t i;

    workspace_choice(w->b, "value", "Value");
    json_array_foreach (values, i, value)
        workspace_choice_word(w->b, page_data_text(value, "name"), value == shown_value(w),
                              page_data_text(value, "label"));
    workspace_choice_end(w->b);
    const struct diff_request *asked = w->of.compared->asked;
    if (w->of.tab != TAB_FLAME) {
        if (asked->wide != WIDE_B)
            workspace_hidden(w->b, "wide", str_of(key_word("wide", asked->wide)));
        return;
    }
    if (asked->all)
        workspace_hidden(w->b, "all", STR("1"));
    if (asked->only != ONLY_DIFFERENT)
        workspace_hidden(w->b, "only", str_of(key_word("only", asked->only)));
    workspace_choice(w->b, "wide", "Width");
    for (unsigned k = 0; k < sizeof(WIDTHS) / sizeof(*WIDTHS); k++)
        workspace_choice_word(w->b, str_of(key_word("wide", k)), k == (unsigned)asked->wide,
                              str_of(WIDTHS[k]));
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
    const struct key *option = key_by_name(str_of(key));
    struct buf text = {0};

    if (key_differs(option, w->of.options))
        key_text(option, w->of.options, &text);
    put_input(w, key, label, buf_view(&text));
    buf_part_end(w->b, &text);
}

static void put_scale(const struct workspace *w)
{
    const struct diff_request *r = w->of.compared->asked;

    page_put(w->b,
             "<p><label for=\"normalise\">Scale B to A by: total, time, or calls:METHOD</label> "
             "<input id=\"normalise\" name=\"normalise\" list=\"scales\" autocomplete=\"off\" "
             "spellcheck=\"false\" placeholder=\"absolute\" value=\"{}\"><datalist "
             "id=\"scales\"><option value=\"total\"><option value=\"time\"></datalist></p>\n",
             str_of(r->normalise));
}

/* What is compared of either side, and how. */
void workspace_compared_sides(const struct workspace *w)
{
    const struct diff_request *r = w->of.compared->asked;

    workspace_menu(w->b, "class=\"menu\" id=\"sides\"", "What is compared");
    put_scale(w);
    put_view_input(w, "from", "From, in µs since the start");
    put_view_input(w, "to", "Up to, in µs");
    put_input(w, "from_b", "From in B, if different", str_of(diff_text_of_b(r, "from")));
    put_input(w, "to_b", "Up to in B", str_of(diff_text_of_b(r, "to")));
    put_view_input(w, "moment", "Dump of a series, from 1");
    put_input(w, "moment_b", "Dump of B, if different", str_of(diff_text_of_b(r, "moment")));
    buf_z(w->b, "<p><button>Compare</button></p>\n");
    workspace_menu_end(w->b);
}

/* ---- the heading ---- */

/* "wall time: 100 ms in A, 120 ms in B: +20 ms (+20 %)" */
void workspace_compared_whole(const struct workspace *w)
{
    const json_t *value = shown_value(w);
    struct diff_pair total = {page_data_number(value, "total_a"), page_data_number(value, "total_b"), 0};
    struct buf percent = {0};

    diff_put_percent(&percent, total);
    page_put(w->b, "{}: {} in A, {} in B: {}{} ({})", page_data_text(value, "label"),
             PAGE_AMOUNT(value, total.a), PAGE_AMOUNT(value, total.b),
             total.a == total.b  ? STR("")
             : total.b > total.a ? STR("+")
                                 : STR("-"),
             PAGE_AMOUNT(value, diff_size(total)), buf_view(&percent));
    buf_part_end(w->b, &percent);
}
