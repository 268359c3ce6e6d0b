/* A check as text, Markdown, JSON, and as part of a page. Numbers have few digits, so that they are the same on all machines. */
#include "core/clean.h"
#include "core/json.h"
#include "runs/check.h"

/* ---- words ---- */

enum { CHECK_SHOWN_MAX = 10, CHECK_LISTED_MAX = 200, CHECK_NAMED_MAX = 5 };

enum { UNSURE_MAX = 5 };

static const double FROM_NOTHING = 1e12; /* a growth as large is one from 0 */

/* "slower" and "faster" of times, "larger" and "smaller" of others. */
static const char *check_slower(const struct check *c)
{
    return c->unit == UNIT_NS ? "slower" : "larger";
}

static const char *check_faster(const struct check *c)
{
    return c->unit == UNIT_NS ? "faster" : "smaller";
}

/* 0.0512 as +5.1 %, to whole percent from 100 on. */
static void check_put_percent(struct buf *b, double share)
{
    if (share >= FROM_NOTHING) {
        buf_z(b, "from 0");
        return;
    }
    uint64_t rounded = (uint64_t)((share < 0 ? -share : share) * 1000 + 0.5);
    buf_z(b, rounded == 0 ? "" : share < 0 ? "-" : "+");
    if (rounded >= 1000)
        buf_u64_grouped(b, (rounded + 5) / 10);
    else
        buf_fixed(b, rounded, 1);
    buf_z(b, " %");
}

static void put_difference(struct buf *b, enum unit unit, double difference)
{
    double size = difference < 0 ? -difference : difference;

    if (size >= 9e18) {
        buf_z(b, "beyond all measure");
        return;
    }
    uint64_t rounded = (uint64_t)(size + 0.5);
    buf_z(b, rounded == 0 ? "" : difference < 0 ? "-" : "+");
    buf_value(b, unit, rounded, CHECK_DIGITS);
}

static void check_put_medians(struct buf *b, enum unit unit, uint64_t before, uint64_t behind)
{
    put_difference(b, unit, behind > before ? (double)(behind - before) : -(double)(before - behind));
}

void check_put_change(struct buf *b, const struct check_rule *r, double change)
{
    if (r->rule.is_percent)
        check_put_percent(b, change - 1);
    else
        put_difference(b, r->unit, change);
}

static void check_put_interval(struct buf *b, const struct check_rule *r)
{
    if (!r->measure.has_interval) {
        buf_z(b, "too few runs");
        return;
    }
    check_put_change(b, r, r->measure.low);
    if (!r->rule.is_percent || r->measure.low < FROM_NOTHING) {
        buf_z(b, " to ");
        check_put_change(b, r, r->measure.high);
    }
}

static void put_more(struct buf *b, struct rank_more more)
{
    if (more.runs > RANK_MORE_MAX)
        buf_printf(b, "more than %d more runs would be needed", RANK_MORE_MAX);
    else
        buf_printf(b, "run %u more%s", more.runs, more.of_each ? " of each side" : "");
}

/* What else is to be said of a rule, behind `before`. */
static void check_put_remark(struct buf *b, const struct check_rule *r, const char *before)
{
    if (r->n_fitting == 0) {
        buf_z(b, r->rule.of == FAIL_RULE_STEP && r->is_there ? "not all runs have this step"
                 : r->is_there ? "nothing that fits has a thousandth of the total"
                               : "nothing fits in any run: is the name right?");
    } else if (r->state == CHECK_INCONCLUSIVE) {
        buf_z(b, before);
        put_more(b, r->more);
    } else if (r->n_fitting > 1) {
        buf_printf(b, "%s%u of %u methods %s", before, r->state == CHECK_FAIL ? r->n_failing : r->n_fitting,
                   r->n_fitting, r->state == CHECK_FAIL ? "fail" : "pass");
    }
}

void check_put_runs(struct buf *b, const struct check *c)
{
    buf_printf(b, "%u %s against %u of the baseline", c->n_b, c->n_b == 1 ? "run" : "runs", c->n_a);
}

static void check_put_tested(struct buf *b, const struct check *c)
{
    if (c->n_tested == 0) {
        buf_z(b, "No method has a thousandth of the total on both sides.");
        return;
    }
    buf_printf(b, "Of %u methods with a thousandth of the total ", c->n_tested);
    if (c->n_sure > 0)
        buf_printf(b, "%u changed; of such findings at most 5 %% are chance.", c->n_sure);
    else
        buf_z(b, "none changed for sure.");
    if (c->can_be_sure || c->n_sure > 0 || (c->state == CHECK_PASS && c->n_changed == 0))
        return;
    buf_z(b, " So few runs cannot tell one of so many from chance: ");
    put_more(b, c->to_be_sure);
    buf_char(b, '.');
}

/* Which changed methods are shown: the first n of the list, those that grew and the others apart. */
static bool check_grew(const struct check_method *m)
{
    return m->measure.change > 1;
}

/* How many methods the lists are taken from: the sure ones, else the first that may have changed. */
static uint32_t check_n_shown(const struct check *c)
{
    uint32_t unsure = c->n_changed < UNSURE_MAX ? c->n_changed : UNSURE_MAX;

    return c->n_sure > 0 ? c->n_sure : unsure;
}

static uint32_t check_count_shown(const struct check *c, bool of_growth)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < check_n_shown(c); i++)
        n += check_grew(&c->changed[i]) == of_growth;
    return n;
}

const struct check_rule *check_decisive(const struct check *c)
{
    uint32_t i = 0;

    while (i + 1 < c->n_rules && c->rules[i].state != c->state)
        i++;
    return &c->rules[i];
}

static uint32_t check_count_rules(const struct check *c, enum check_state state)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_rules; i++)
        n += c->rules[i].state == state;
    return n;
}

/* ---- lists of methods ---- */

/* How methods are listed that became slower or faster. */
struct markup {
    const char *sure, *perhaps, *heading_end; /* around "slower" and the like */
    /* In front of change, percent, baseline, now, change by itself and name; the last is behind the name. */
    const char *cells[7];
    const char *end; /* behind the last method */
    /* Around how many are not shown, and "slower"; without the third that word is not said. */
    const char *more[3];
    void (*name)(struct buf *b, const struct check_links *links, struct str name);
};

static void put_changed_method(struct buf *b, const struct check *c, const struct check_links *links,
                               const struct check_method *m, const struct markup *as)
{
    buf_z(b, as->cells[0]);
    check_put_medians(b, c->unit, m->measure.median_a, m->measure.median_b);
    buf_z(b, as->cells[1]);
    check_put_percent(b, m->measure.change - 1);
    buf_z(b, as->cells[2]);
    buf_value(b, c->unit, m->measure.median_a, CHECK_DIGITS);
    buf_z(b, as->cells[3]);
    buf_value(b, c->unit, m->measure.median_b, CHECK_DIGITS);
    buf_z(b, as->cells[4]);
    check_put_medians(b, c->unit, m->self_a, m->self_b);
    buf_z(b, as->cells[5]);
    as->name(b, links, m->name);
    buf_z(b, as->cells[6]);
}

static void put_changed(struct buf *b, const struct check *c, const struct check_links *links, bool of_growth,
                        const struct markup *as)
{
    uint32_t n = check_count_shown(c, of_growth), shown = 0;
    const char *word = of_growth ? check_slower(c) : check_faster(c);

    if (n == 0)
        return;
    buf_z(b, c->n_sure > 0 ? as->sure : as->perhaps);
    buf_z(b, word);
    buf_z(b, as->heading_end);
    for (uint32_t i = 0; i < check_n_shown(c) && shown < CHECK_SHOWN_MAX; i++)
        if (check_grew(&c->changed[i]) == of_growth) {
            put_changed_method(b, c, links, &c->changed[i], as);
            shown++;
        }
    buf_z(b, as->end);
    if (n == shown)
        return;
    buf_z(b, as->more[0]);
    buf_u64(b, n - shown);
    buf_z(b, as->more[1]);
    if (as->more[2] != NULL) {
        buf_z(b, word);
        buf_z(b, as->more[2]);
    }
}

/* "New: a, b, and 3 more." */
static void put_names(struct buf *b, const struct check_links *links, const struct check_method *list,
                      uint32_t n, const char *title, const struct markup *as)
{
    if (n == 0)
        return;
    buf_z(b, as->more[0]);
    buf_printf(b, "%s: ", title);
    for (uint32_t i = 0; i < n && i < CHECK_NAMED_MAX; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        as->name(b, links, list[i].name);
    }
    if (n > CHECK_NAMED_MAX)
        buf_printf(b, ", and %u more", n - CHECK_NAMED_MAX);
    buf_z(b, as->more[2]);
}

/* ---- as part of a page ---- */

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

static const struct markup HTML = {
    .sure = "<h3>Became ",
    .perhaps = "<h3>Perhaps became ",
    .heading_end =
        "</h3>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>Change</th><th></th><th>Baseline</th>"
        "<th>Now</th><th>By itself</th><th>Method</th></tr></thead>\n<tbody>\n",
    .cells = {"<tr><td class=\"number\">", "</td><td class=\"number\">", "</td><td class=\"number\">",
              "</td><td class=\"number\">", "</td><td class=\"number\">", "</td><td>", "</td></tr>\n"},
    .end = "</tbody></table></div>\n",
    .more = {"<p>", " more are ", ".</p>\n"},
    .name = put_method,
};

static void check_write_html(const struct check *c, const struct check_links *links, struct buf *b)
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
    put_changed(b, c, links, true, &HTML);
    put_changed(b, c, links, false, &HTML);
    put_names(b, links, c->added, c->n_added, "New", &HTML);
    put_names(b, links, c->gone, c->n_gone, "Gone", &HTML);
}

static const double TOLD_MAX = 1e15; /* of what JSON has numbers for */

/* ---- text ---- */

static void text_rule(struct buf *b, const struct check_rule *r)
{
    buf_printf(b, "%-14s", CHECK_STATES[r->state]);
    clean_text(b, r->rule.text);
    buf_z(b, ": ");
    if (r->n_fitting > 0) {
        clean_text(b, r->subject);
        buf_char(b, ' ');
        check_put_change(b, r, r->measure.change);
        buf_z(b, " (95 %: ");
        check_put_interval(b, r);
        buf_z(b, "), ");
        buf_value(b, r->unit, r->measure.median_a, CHECK_DIGITS);
        buf_z(b, " -> ");
        buf_value(b, r->unit, r->measure.median_b, CHECK_DIGITS);
    }
    check_put_remark(b, r, "; ");
    buf_char(b, '\n');
}

static void text_name(struct buf *b, const struct check_links *links, struct str name)
{
    (void)links;
    clean_text(b, name);
}

static const struct markup PLAIN = {
    .sure = "\n",
    .perhaps = "\nperhaps ",
    .heading_end = ":\n",
    .cells = {"  ", ", ", ", ", " -> ", ", by itself ", ": ", "\n"},
    .end = "",
    .more = {"  and ", " more\n"},
    .name = text_name,
};

static void text_names(struct buf *b, const struct check *c, const struct check_method *list, uint32_t n,
                       const char *title)
{
    if (n == 0)
        return;
    buf_printf(b, "\n%s:\n", title);
    for (uint32_t i = 0; i < n && i < CHECK_NAMED_MAX; i++) {
        const struct check_measure *m = &list[i].measure;
        buf_z(b, "  ");
        buf_value(b, c->unit, m->median_a > m->median_b ? m->median_a : m->median_b, CHECK_DIGITS);
        buf_z(b, ": ");
        clean_text(b, list[i].name);
        buf_char(b, '\n');
    }
    if (n > CHECK_NAMED_MAX)
        buf_printf(b, "  and %u more\n", n - CHECK_NAMED_MAX);
}

static void write_text(const struct check *c, const struct check_links *links, struct buf *b)
{
    buf_z(b, CHECK_STATES[c->state]);
    buf_z(b, ": ");
    check_put_runs(b, c);
    buf_z(b, "\n\n");
    for (uint32_t i = 0; i < c->n_rules; i++)
        text_rule(b, &c->rules[i]);
    buf_char(b, '\n');
    check_put_tested(b, c);
    buf_char(b, '\n');
    put_changed(b, c, links, true, &PLAIN);
    put_changed(b, c, links, false, &PLAIN);
    text_names(b, c, c->added, c->n_added, "new");
    text_names(b, c, c->gone, c->n_gone, "gone");
    if (links->page.n > 0) {
        buf_char(b, '\n');
        clean_text(b, links->page);
        buf_char(b, '\n');
    }
}

/* ---- Markdown ---- */

/* Names are hostile: as code, between more ticks than stand in a row in them. Cells end at a bar, in code as well. */
static void md_code(struct buf *b, struct str text)
{
    struct buf cleaned = {0};
    size_t longest = 0, run = 0;

    clean_text(&cleaned, text);
    for (size_t i = 0; i < cleaned.n; i++) {
        run = cleaned.p[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        buf_char(b, '`');
    buf_z(b, longest > 0 ? " " : "");
    for (size_t i = 0; i < cleaned.n; i++) {
        buf_z(b, cleaned.p[i] == '|' ? "\\" : "");
        buf_char(b, cleaned.p[i]);
    }
    buf_z(b, longest > 0 ? " " : "");
    for (size_t i = 0; i <= longest; i++)
        buf_char(b, '`');
    buf_part_end(b, &cleaned);
}

/* An address between < and >, where no blank, bracket or line ends it. */
static void md_address(struct buf *b, struct str address)
{
    static const char SPECIAL[] = "<>()[] |\\`";

    for (size_t i = 0; i < address.n; i++)
        if (str_find(STR(SPECIAL), address.p[i]) < sizeof(SPECIAL) - 1 || (unsigned char)address.p[i] < ' ')
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)address.p[i]);
        else
            buf_char(b, address.p[i]);
}

static void md_method(struct buf *b, const struct check_links *links, struct str name)
{
    if (links->method.n == 0) {
        md_code(b, name);
        return;
    }
    buf_char(b, '[');
    md_code(b, name);
    buf_z(b, "](");
    md_address(b, links->method);
    buf_percent(b, name);
    buf_char(b, ')');
}

static void md_headline(struct buf *b, const struct check *c)
{
    const struct check_rule *r = check_decisive(c);
    uint32_t more = check_count_rules(c, c->state) - 1;

    buf_z(b, "### ");
    buf_z(b, CHECK_STATES[c->state]);
    buf_z(b, ": ");
    md_code(b, r->rule.text);
    if (r->n_fitting > 0) {
        buf_z(b, ", ");
        check_put_change(b, r, r->measure.change);
    }
    if (more > 0)
        buf_printf(b, ", and %u more %s", more, more == 1 ? "rule" : "rules");
    buf_z(b, "\n\n");
}

static void md_rule(struct buf *b, const struct check_links *links, const struct check_rule *r)
{
    buf_z(b, r->state == CHECK_FAIL ? "| **FAIL** | " : "| ");
    buf_z(b, r->state == CHECK_FAIL ? "" : CHECK_STATES[r->state]);
    buf_z(b, r->state == CHECK_FAIL ? "" : " | ");
    md_code(b, r->rule.text);
    if (r->n_fitting > 0) {
        buf_z(b, " | ");
        check_put_change(b, r, r->measure.change);
        buf_z(b, " | ");
        check_put_interval(b, r);
        buf_z(b, " | ");
        buf_value(b, r->unit, r->measure.median_a, CHECK_DIGITS);
        buf_z(b, " | ");
        buf_value(b, r->unit, r->measure.median_b, CHECK_DIGITS);
        buf_z(b, " | ");
    } else {
        buf_z(b, " | | | | | ");
    }
    if (r->rule.of == FAIL_RULE_METHODS && r->n_fitting > 0) {
        md_method(b, links, r->subject);
        check_put_remark(b, r, "; ");
    } else {
        check_put_remark(b, r, "");
    }
    buf_z(b, " |\n");
}

static const struct markup MARKDOWN = {
    .sure = "\n| ",
    .perhaps = "\n| perhaps ",
    .heading_end = " | | baseline | now | by itself | method |\n|--:|--:|--:|--:|--:|---|\n",
    .cells = {"| ", " | ", " | ", " | ", " | ", " | ", " |\n"},
    .end = "",
    .more = {"\n", " more are ", ".\n"},
    .name = md_method,
};

static void write_markdown(const struct check *c, const struct check_links *links, struct buf *b)
{
    static const struct check_links NONE = {.page = {NULL, 0}};

    md_headline(b, c);
    check_put_runs(b, c);
    buf_z(b, ".\n\n| | rule | change | 95 % interval | baseline | now | |\n|---|---|--:|---|--:|--:|---|\n");
    for (uint32_t i = 0; i < c->n_rules; i++)
        md_rule(b, links, &c->rules[i]);
    buf_char(b, '\n');
    check_put_tested(b, c);
    buf_char(b, '\n');
    put_changed(b, c, links, true, &MARKDOWN);
    put_changed(b, c, links, false, &MARKDOWN);
    put_names(b, links, c->added, c->n_added, "New", &MARKDOWN);
    /* The run that is linked does not have those that are gone. */
    put_names(b, &NONE, c->gone, c->n_gone, "Gone", &MARKDOWN);
    if (links->image.n > 0) {
        buf_z(b, "\n![what the time went to](");
        md_address(b, links->image);
        buf_z(b, ")\n");
    }
    if (links->page.n > 0) {
        buf_z(b, "\n[all runs](");
        md_address(b, links->page);
        buf_z(b, ")\n");
    }
}

/* ---- JSON ---- */

/* A number with four decimals, or null. */
static void json_number(struct json *j, const char *key, double value)
{
    enum { DECIMALS = 4 };
    double scaled = (value < 0 ? -value : value) * 10000 + 0.5;

    if (scaled >= TOLD_MAX) {
        json_put_null(j, key);
    } else if (value < 0 && scaled >= 1) {
        struct buf b = {0};
        buf_char(&b, '-');
        buf_fixed(&b, (uint64_t)scaled, DECIMALS);
        json_put_raw(j, key, buf_view(&b));
        buf_part_end(j->b, &b);
    } else {
        json_put_fixed(j, key, (uint64_t)scaled, DECIMALS);
    }
}

/* Ratios are told as changes: 0.05 is 5 % more. */
static void json_measure(struct json *j, const struct check_measure *m, bool is_ratio)
{
    static const double P_PARTS = 1e9;
    double none = is_ratio ? 1 : 0;

    json_put_u64(j, "baseline", m->median_a);
    json_put_u64(j, "now", m->median_b);
    json_number(j, is_ratio ? "change" : "difference", m->change - none);
    if (m->has_interval) {
        json_open_array(j, "interval");
        json_number(j, NULL, m->low - none);
        json_number(j, NULL, m->high - none);
        json_close(j);
    } else {
        json_put_null(j, "interval");
    }
    json_put_fixed(j, "p", (uint64_t)(m->p * P_PARTS + 0.5), 9);
}

/* "run": null is more than RANK_MORE_MAX. */
static void json_more(struct json *j, struct rank_more more)
{
    json_open_object(j, "more");
    if (more.runs > RANK_MORE_MAX)
        json_put_null(j, "runs");
    else
        json_put_u64(j, "runs", more.runs);
    json_put_string(j, "of", more.of_each ? STR("each") : STR("now"));
    json_close(j);
}

static void json_rule(struct json *j, const struct check_rule *r)
{
    json_open_object(j, NULL);
    json_put_string(j, "rule", r->rule.text);
    json_put_string(j, "state", str_of(CHECK_STATES[r->state]));
    json_put_string(j, "value", r->value);
    json_put_string(j, "unit", str_of(unit_word(r->unit)));
    json_put_u64(j, "fitting", r->n_fitting);
    json_put_u64(j, "failing", r->n_failing);
    if (r->n_fitting > 0) {
        json_put_string(j, "subject", r->subject);
        json_measure(j, &r->measure, r->rule.is_percent);
        if (r->state == CHECK_INCONCLUSIVE)
            json_more(j, r->more);
    }
    json_close(j);
}

static void json_methods(struct json *j, const char *key, const struct check_method *list, uint32_t n)
{
    json_open_array(j, key);
    for (uint32_t i = 0; i < n && i < CHECK_LISTED_MAX; i++) {
        const struct check_method *m = &list[i];
        json_open_object(j, NULL);
        json_put_string(j, "method", m->name);
        json_put_bool(j, "sure", m->is_sure);
        json_measure(j, &m->measure, true);
        json_put_u64(j, "self_baseline", m->self_a);
        json_put_u64(j, "self_now", m->self_b);
        json_close(j);
    }
    json_close(j);
}

static void write_json(const struct check *c, const struct check_links *links, struct buf *b)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "state", str_of(CHECK_STATES[c->state]));
    json_open_object(&j, "runs");
    json_put_u64(&j, "baseline", c->n_a);
    json_put_u64(&j, "now", c->n_b);
    json_close(&j);
    json_open_array(&j, "rules");
    for (uint32_t i = 0; i < c->n_rules; i++)
        json_rule(&j, &c->rules[i]);
    json_close(&j);
    json_put_string(&j, "value", c->value);
    json_put_string(&j, "unit", str_of(unit_word(c->unit)));
    json_put_u64(&j, "tested", c->n_tested);
    json_put_u64(&j, "sure", c->n_sure);
    if (!c->can_be_sure)
        json_more(&j, c->to_be_sure);
    json_methods(&j, "changed", c->changed, c->n_changed);
    json_methods(&j, "new", c->added, c->n_added);
    json_methods(&j, "gone", c->gone, c->n_gone);
    if (links->page.n > 0)
        json_put_string(&j, "page", links->page);
    if (links->image.n > 0)
        json_put_string(&j, "image", links->image);
    json_close(&j);
    buf_char(b, '\n');
}

void check_write(const struct check *c, enum check_format format, const struct check_links *links,
                 struct buf *out)
{
    static void (*const WRITE[])(const struct check *c, const struct check_links *links,
                                 struct buf *b) = {[CHECK_TEXT] = write_text,
                                                   [CHECK_MARKDOWN] = write_markdown,
                                                   [CHECK_JSON] = write_json,
                                                   [CHECK_HTML] = check_write_html};

    WRITE[format](c, links, out);
}
