/* /s/<space>: a form that searches, and a row for each upload. */
#include "core/json.h"
#include "core/system/json_memory.h"
#include "core/system/utc.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/spaces/query.h"

static void put_search(struct buf *b, const struct page_space *p)
{
    page_put(
        b,
        "<form class=\"space-search\" role=\"search\">\n<p><label for=\"q\">Search</label>\n"
        "<input id=\"q\" name=\"q\" type=\"search\" maxlength=\"1000\" autocomplete=\"off\" spellcheck=\"false\" "
        "aria-describedby=\"q-help\" value=\"{}\">\n<button>Search</button></p>\n"
        "<p id=\"q-help\" class=\"quiet\">Words of the name or the headline, labels, and what the verdict names: "
        "<code>branch:main device:\"Pixel 8\" after:2026-11-01 verdict:binder method:Feed.getView</code></p>\n</form>\n",
        p->query);
}

/* The query that looks for this label alone, as it stands in a URL. */
static void put_query(struct buf *b, struct str key, struct str value)
{
    struct buf query = {0};

    query_put_label(&query, key, value);
    buf_percent(b, buf_view(&query));
    buf_part_end(b, &query);
}

void page_label(struct buf *b, struct str list, const char *kind, struct str key, struct str value)
{
    struct buf query = {0};

    buf_z(b, list.p != NULL ? "<li><a" : "<li><span");
    buf_printf(b, " class=\"label%s\"", kind);
    if (list.p != NULL) {
        put_query(&query, key, value);
        page_put(b, " href=\"{}?q={}\"", list, buf_view(&query));
        buf_part_end(b, &query);
    }
    page_put(b, "><bdi>{}: {}</bdi>", key, value);
    buf_z(b, list.p != NULL ? "</a></li>\n" : "</span></li>\n");
}

static void put_labels(struct buf *b, const json_t *labels, const char *kind)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)labels, key, value)
        page_label(b, STR(""), kind, str_of(key), json_memory_text(value));
}

static void put_picture(struct buf *b, const json_t *row)
{
    if (!json_is_integer(json_object_get(row, "track")))
        return;
    page_put(b,
             "<img src=\"../p/{}/t/{}/thumb.svg\" alt=\"\" loading=\"lazy\" width=\"160\" height=\"64\">\n",
             page_data_text(row, "id"), PAGE_ID(json_object_get(row, "track")));
}

static void put_facts(struct buf *b, const json_t *row)
{
    struct str owner = page_data_text(row, "owner");
    int64_t created_s;

    buf_z(b, "<p class=\"quiet\">");
    if (utc_parse(page_data_text(row, "created"), &created_s))
        page_data_put_time(b, created_s);
    page_put(b, ", {}", PAGE_NUMBER(UNIT_BYTES, page_data_number(row, "size")));
    if (owner.n > 0)
        page_put(b, ", by <bdi>{}</bdi>", owner);
    buf_z(b, "</p>\n");
}

static void put_row(struct buf *b, const json_t *row)
{
    struct str name = page_data_text(row, "name"), headline = page_data_text(row, "headline");

    buf_z(b, "<li>\n");
    put_picture(b, row);
    page_put(b, "<div>\n<h2><a href=\"../p/{}\"><bdi>{}</bdi></a></h2>\n", page_data_text(row, "id"),
             name.n > 0 ? name : STR("without a name"));
    if (headline.n > 0)
        page_put(b, "<p>{}</p>\n", headline);
    buf_z(b, "<ul class=\"labels\" aria-label=\"Labels\">\n");
    put_labels(b, json_object_get(row, "label"), "");
    put_labels(b, json_object_get(row, "known"), " known");
    buf_z(b, "</ul>\n");
    put_facts(b, row);
    buf_z(b, "</div>\n</li>\n");
}

static void put_rows(struct buf *b, struct str rows)
{
    struct str line;

    buf_z(b, "<ol class=\"space-rows\">\n");
    while (rows.n > 0 && str_split(&rows, '\n', &line)) {
        json_t *row = json_memory_load(line, 0, NULL);
        b->failed = b->failed || row == NULL;
        put_row(b, row);
        json_decref(row);
    }
    buf_z(b, "</ol>\n");
}

static void put_next(struct buf *b, const struct page_space *p)
{
    struct buf link = {0};

    if (p->next.n == 0)
        return;
    buf_z(&link, "?next=");
    buf_percent(&link, p->next);
    if (p->query.n > 0) {
        buf_z(&link, "&q=");
        buf_percent(&link, p->query);
    }
    page_put(b, "<p><a class=\"button\" rel=\"next\" href=\"{}\">Earlier ones</a></p>\n", buf_view(&link));
    buf_part_end(b, &link);
}

static void put_series_link(struct buf *b, const struct page_space *p)
{
    struct buf query = {0};

    buf_percent(&query, p->query);
    page_put(b, "<p><a href=\"{}/series?q={}\">Over time</a></p>\n", p->space, buf_view(&query));
    buf_part_end(b, &query);
}

void page_space(struct buf *b, const struct page_space *p)
{
    const struct page_frame frame = {.title = p->space, .root = STR("../"), .visitor = p->visitor};

    page_frame_begin(b, &frame);
    page_put(b, "<h1>{}</h1>\n", p->space);
    put_search(b, p);
    put_series_link(b, p);
    if (p->rows.n > 0)
        put_rows(b, p->rows);
    else
        buf_z(
            b,
            p->query.n > 0 ? "<p class=\"lead\">Nothing that is listed here fits.</p>\n"
            : p->goes_on
                ? "<p class=\"lead\">There are no earlier ones.</p>\n"
                : "<p class=\"lead\">Nothing is listed here yet: an upload that names this space is.</p>\n");
    put_next(b, p);
    page_frame_end(b);
}
