/* A check as part of a page. */
#include "core/clean.h"
#include "runs/check_words.h"

static void put_value_cell(struct buf *b, enum unit unit, uint64_t value)
{
    buf_z(b, "<td class=\"number\">");
    buf_value(b, unit, value, CHECK_DIGITS);
    buf_z(b, "</td>");
}

static void put_method(struct buf *b, const struct check_links *links, struct str name)
{
    buf_z(b, "<a href=\"");
    clean_xml(b, links->method);
    buf_percent(b, name);
    buf_z(b, "\"><code>");
    clean_xml(b, name);
    buf_z(b, "</code></a>");
}

static void put_rule(struct buf *b, const struct check_links *links, const struct check_rule *r)
{
    bool is_judged = r->n_fitting > 0;

    buf_printf(b, "<tr class=\"%s\"><td>%s</td><td><code>", CHECK_STATES[r->state], CHECK_STATES[r->state]);
    clean_xml(b, r->rule.text);
    buf_z(b, "</code></td><td class=\"number\">");
    if (is_judged)
        check_put_change(b, r, r->measure.change);
    buf_z(b, "</td><td class=\"number\">");
    if (is_judged)
        check_put_interval(b, r);
    buf_z(b, "</td>");
    if (is_judged) {
        put_value_cell(b, r->unit, r->measure.median_a);
        put_value_cell(b, r->unit, r->measure.median_b);
    } else {
        buf_z(b, "<td></td><td></td>");
    }
    buf_z(b, "<td>");
    if (is_judged && r->rule.of == FAIL_RULE_METHODS)
        put_method(b, links, r->subject);
    check_put_remark(b, r, is_judged && r->rule.of == FAIL_RULE_METHODS ? "; " : "");
    buf_z(b, "</td></tr>\n");
}

static void put_changed_method(struct buf *b, const struct check *c, const struct check_links *links,
                               const struct check_method *m)
{
    buf_z(b, "<tr><td class=\"number\">");
    check_put_medians(b, c->unit, m->measure.median_a, m->measure.median_b);
    buf_z(b, "</td><td class=\"number\">");
    check_put_percent(b, m->measure.change - 1);
    buf_z(b, "</td>");
    put_value_cell(b, c->unit, m->measure.median_a);
    put_value_cell(b, c->unit, m->measure.median_b);
    buf_z(b, "<td class=\"number\">");
    check_put_medians(b, c->unit, m->self_a, m->self_b);
    buf_z(b, "</td><td>");
    put_method(b, links, m->name);
    buf_z(b, "</td></tr>\n");
}

static void put_changed(struct buf *b, const struct check *c, const struct check_links *links, bool of_growth)
{
    uint32_t n = check_count_shown(c, of_growth), shown = 0;
    const char *word = of_growth ? check_slower(c) : check_faster(c);

    if (n == 0)
        return;
    buf_printf(
        b,
        "<h3>%s %s</h3>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>Change</th><th></th><th>Baseline</th>"
        "<th>Now</th><th>By itself</th><th>Method</th></tr></thead>\n<tbody>\n",
        c->n_sure > 0 ? "Became" : "Perhaps became", word);
    for (uint32_t i = 0; i < check_n_shown(c) && shown < CHECK_SHOWN_MAX; i++)
        if (check_grew(&c->changed[i]) == of_growth) {
            put_changed_method(b, c, links, &c->changed[i]);
            shown++;
        }
    buf_z(b, "</tbody></table></div>\n");
    if (n > shown)
        buf_printf(b, "<p>%u more are %s.</p>\n", n - shown, word);
}

static void put_names(struct buf *b, const struct check_links *links, const struct check_method *list,
                      uint32_t n, const char *title)
{
    if (n == 0)
        return;
    buf_printf(b, "<p>%s: ", title);
    for (uint32_t i = 0; i < n && i < CHECK_NAMED_MAX; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        put_method(b, links, list[i].name);
    }
    if (n > CHECK_NAMED_MAX)
        buf_printf(b, ", and %u more", n - CHECK_NAMED_MAX);
    buf_z(b, ".</p>\n");
}

void check_write_html(const struct check *c, const struct check_links *links, struct buf *b)
{
    buf_z(b, "<p>");
    check_put_runs(b, c);
    buf_z(
        b,
        ".</p>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"rules\">\n<thead><tr><th></th><th>Rule</th><th>Change</th>"
        "<th>95 % interval</th><th>Baseline</th><th>Now</th><th></th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < c->n_rules; i++)
        put_rule(b, links, &c->rules[i]);
    buf_z(b, "</tbody></table></div>\n<p>");
    check_put_tested(b, c);
    buf_z(b, "</p>\n");
    put_changed(b, c, links, true);
    put_changed(b, c, links, false);
    put_names(b, links, c->added, c->n_added, "New");
    put_names(b, links, c->gone, c->n_gone, "Gone");
}
