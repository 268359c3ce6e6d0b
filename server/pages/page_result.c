/* The page of one profile: what to know first, the facts, then a card for each thread, by weight. Threads of one
 * pool (Binder:1234_1, Binder:1234_2, ...) share a group. */
#include <stdlib.h>

#include "core/clean.h"
#include "core/system/utc.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

enum {
    THUMB_WIDTH_PX = 300,
    THUMB_HEIGHT_PX = 90,
    OPEN_MEMBERS_MAX = 4, /* a group of so few is open from the start, */
    OPEN_HEAVY_MAX = 16,  /* and so is one of so few */
    OPEN_SHARE = 20,      /* with more than this part of the whole */
    REFRESH_S = 3,
    DAY_S = 86400
};

/* A thread on the page, in the order of weight. */
struct card {
    struct str pool; /* see pool_of */
    size_t lead;     /* the heaviest card of its group; itself where it stands alone */
    size_t members;  /* of the group that it leads */
};

struct page {
    struct buf *b;
    const struct page_result *of;
    const json_t *values, *tracks;
    const json_t *weight; /* NULL: no shares */
    uint64_t whole;       /* of the weight, all tracks */
    size_t n, all;        /* cards; tracks */
};

/* ---- groups ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name up to the hexadecimal number of a Binder thread, as in Binder:1234_1F; else all of it. */
static size_t before_binder_number(struct str name)
{
    size_t n = name.n;

    while (n > 0 && (is_digit(name.p[n - 1]) || (name.p[n - 1] >= 'A' && name.p[n - 1] <= 'F')))
        n--;
    return n < name.n && n > 1 && name.p[n - 1] == '_' && is_digit(name.p[n - 2]) ? n : name.n;
}

/* What the names of a pool's threads have in common: all before the digits (and _ between them) at the end.
 * Empty: the name is not of that form. */
static struct str pool_of(struct str name)
{
    size_t n = before_binder_number(name);

    while (n > 0 && (is_digit(name.p[n - 1]) || name.p[n - 1] == '_'))
        n--;
    if (n == 0 || n == name.n || name.p[name.n - 1] == '_')
        return STR("");
    return (struct str){name.p, n};
}

/* NULL: no memory. */
static struct card *group(const struct page *p)
{
    struct card *cards = calloc(p->n + 1, sizeof(*cards));

    for (size_t i = 0; cards != NULL && i < p->n; i++) {
        size_t lead = 0;
        cards[i].pool = pool_of(page_data_text(json_array_get(p->tracks, i), "name"));
        while (lead < i &&
               (cards[i].pool.n == 0 || cards[lead].lead != lead || !str_eq(cards[lead].pool, cards[i].pool)))
            lead++;
        cards[i].lead = lead;
        cards[lead].members++;
    }
    return cards;
}

/* ---- cards ---- */

static uint64_t weight_of(const struct page *p, size_t i)
{
    return p->weight == NULL ? 0 : page_data_total(p->weight, json_array_get(p->tracks, i));
}

static void put_percent(const struct page *p, uint64_t part)
{
    char text[NUMBER_BYTES_MAX];

    if (p->whole > 0)
        clean_xml(p->b, (struct str){text, (size_t)(number_percent(text, part, p->whole) - text)});
}

/* The bar says no more than the words behind it. */
static void put_share(const struct page *p, uint64_t part)
{
    if (p->whole == 0)
        return;
    buf_z(p->b, "<p class=\"share\"><svg class=\"bar\" viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" "
                "aria-hidden=\"true\"><rect height=\"1\" width=\"");
    buf_u64(p->b, number_ratio(part, p->whole, 1000));
    buf_z(p->b, "\"/></svg> ");
    put_percent(p, part);
    page_frame_text(p->b, " <span class=\"quiet\">of ", page_data_text(p->weight, "label"), "</span></p>\n");
}

static void put_numbers(const struct page *p, const json_t *track, struct str id)
{
    const json_t *value;
    size_t i;

    page_frame_text(p->b, "<dl class=\"numbers\"><div><dt>id</dt><dd>", id, "</dd></div>");
    json_array_foreach(p->values, i, value)
    {
        if (!page_data_has_total(value, track))
            continue;
        page_frame_text(p->b, "<div><dt>", page_data_text(value, "label"), "</dt><dd>");
        page_data_put_value(p->b, value, page_data_total(value, track));
        buf_z(p->b, "</dd></div>");
    }
    buf_z(p->b, "<div><dt>calls</dt><dd>");
    page_data_put_number(p->b, UNIT_COUNT, page_data_number(track, "calls"));
    buf_z(p->b, "</dd></div></dl>\n");
}

static void put_card(const struct page *p, size_t i)
{
    const json_t *track = json_array_get(p->tracks, i);
    const char *id = p->of->record->id;
    char text[NUMBER_BYTES_MAX];
    struct str number = page_data_track_id(track, text);

    page_frame_text(p->b, "<li class=\"card\" data-track=\"", number, "\">\n");
    page_frame_text(p->b, "<h3><a href=\"", str_of(id), "/t/");
    page_frame_text(p->b, "", number, "\">");
    page_data_put_track_name(p->b, track);
    buf_printf(p->b,
               "</a></h3>\n<img class=\"thumb\" loading=\"lazy\" decoding=\"async\" width=\"%d\" "
               "height=\"%d\" src=\"",
               THUMB_WIDTH_PX, THUMB_HEIGHT_PX);
    page_frame_text(p->b, "", str_of(id), "/t/");
    page_frame_text(p->b, "", number, "/thumb.svg\" alt=\"\">\n");
    put_share(p, weight_of(p, i));
    put_numbers(p, track, number);
    buf_z(p->b, "</li>\n");
}

static void put_group(const struct page *p, const struct card *cards, size_t lead)
{
    uint64_t weight = 0;

    for (size_t i = lead; i < p->n; i++)
        if (cards[i].lead == lead)
            weight = number_add(weight, weight_of(p, i));
    size_t few = weight > p->whole / OPEN_SHARE ? OPEN_HEAVY_MAX : OPEN_MEMBERS_MAX;
    bool open = cards[lead].members <= few;
    buf_z(p->b, open ? "<details class=\"pool\" open>" : "<details class=\"pool\">");
    page_frame_text(p->b, "<summary><span class=\"pool-name\">", cards[lead].pool,
                    "*</span> <span class=\"quiet\">");
    page_data_put_number(p->b, UNIT_COUNT, cards[lead].members);
    buf_z(p->b, " threads");
    if (p->whole > 0) {
        buf_z(p->b, ", ");
        page_data_put_value(p->b, p->weight, weight);
        buf_z(p->b, ", ");
        put_percent(p, weight);
    }
    buf_z(p->b, "</span></summary>\n<ul class=\"cards\">\n");
    for (size_t i = lead; i < p->n; i++)
        if (cards[i].lead == lead)
            put_card(p, i);
    buf_z(p->b, "</ul>\n</details>\n");
}

/* Threads that stand alone share a list until the next group. */
static void put_cards(const struct page *p)
{
    struct card *cards = group(p);
    bool in_list = false;

    p->b->failed = p->b->failed || cards == NULL;
    for (size_t i = 0; cards != NULL && i < p->n; i++) {
        if (cards[i].lead != i) /* shown with its group */
            continue;
        bool alone = cards[i].members == 1;
        if (in_list != alone)
            buf_z(p->b, in_list ? "</ul>\n" : "<ul class=\"cards\">\n");
        in_list = alone;
        if (alone)
            put_card(p, i);
        else
            put_group(p, cards, i);
    }
    if (in_list)
        buf_z(p->b, "</ul>\n");
    free(cards);
}

/* ---- what is around them ---- */

static void put_links(const struct page *p)
{
    const char *id = p->of->record->id;

    buf_z(p->b, "<p class=\"links\">");
    if (p->all > 1) {
        page_frame_text(p->b, "<a class=\"button\" href=\"", str_of(id),
                        "/t/all\">All threads side by side</a> ");
        page_frame_text(p->b, "<a class=\"button\" href=\"", str_of(id),
                        "/t/merged\">All threads merged</a> ");
    }
    page_frame_text(p->b, "<a class=\"button\" href=\"", str_of(id), ".json\">JSON</a> ");
    page_frame_text(p->b, "<a class=\"button\" href=\"", str_of(id), "/raw\">The uploaded file</a></p>\n");
}

static void put_threads(const struct page *p)
{
    buf_z(p->b, "<section aria-labelledby=\"threads\">\n<div class=\"heading\"><h2 id=\"threads\">Threads "
                "<span class=\"quiet\">");
    page_data_put_number(p->b, UNIT_COUNT, p->all);
    buf_z(p->b, ", busiest first</span></h2>\n");
    if (p->n > 1)
        buf_z(
            p->b,
            "<p class=\"filter\" id=\"filter\" hidden><label for=\"filter-text\">Filter by name or "
            "id</label> <input id=\"filter-text\" type=\"search\" autocomplete=\"off\" "
            "spellcheck=\"false\"> <span class=\"quiet\" id=\"filter-count\" role=\"status\"></span></p>\n");
    buf_z(p->b, "</div>\n");
    put_cards(p);
    if (p->n < p->all) {
        buf_z(p->b, "<p>And ");
        page_data_put_number(p->b, UNIT_COUNT, p->all - p->n);
        page_frame_text(p->b, " more, which <a href=\"", str_of(p->of->record->id),
                        ".json\">the JSON form of this page</a> names.</p>\n");
    }
    buf_z(p->b, "</section>\n");
}

static void put_token_field(struct buf *b, const char *id)
{
    buf_printf(b,
               "<p><label for=\"%s\">Delete token <span class=\"quiet\">(the upload's answer had it)</span>"
               "</label>\n<input id=\"%s\" name=\"token\" class=\"token\" autocomplete=\"off\" "
               "spellcheck=\"false\" required></p>\n",
               id, id);
}

/* For who has the token: the browser that uploaded fills it in by itself. */
static void put_manage(const struct page *p)
{
    const struct record *r = p->of->record;
    int64_t last_s = r->created_s + (int64_t)p->of->max_days * DAY_S;
    int64_t most = (last_s - p->of->now_s) / DAY_S, left = (r->expires_s - p->of->now_s + DAY_S - 1) / DAY_S;

    buf_z(p->b,
          "<details class=\"manage\">\n<summary>Rename, keep for another time, delete</summary>\n"
          "<p id=\"manage-token\">This takes the delete token of the upload. The browser that uploaded the "
          "file fills it in by itself.</p>\n"
          "<noscript><p>Without scripts: right after an upload the address of this page ends in "
          "<code>#token=</code> and the token. Note it; it is shown nowhere else.</p></noscript>\n");
    page_frame_text(p->b, "<div class=\"forms\">\n<form method=\"post\" action=\"", str_of(r->id),
                    "/rename\">\n");
    put_token_field(p->b, "token-rename");
    page_frame_text(p->b,
                    "<p><label for=\"name\">Name</label>\n<input id=\"name\" name=\"name\" maxlength=\"255\" "
                    "autocomplete=\"off\" value=\"",
                    str_of(r->name), "\"></p>\n");
    if (most >= 1)
        buf_printf(p->b,
                   "<p><label for=\"expires\">Keep it for how many more days</label>\n<input id=\"expires\" "
                   "name=\"expires\" type=\"number\" min=\"1\" max=\"%lld\" placeholder=\"%lld\"></p>\n",
                   (long long)most, (long long)(left > 0 ? left : 1));
    page_frame_text(p->b, "<p><button>Change</button></p>\n</form>\n<form method=\"get\" action=\"",
                    str_of(r->id), "/delete\">\n");
    put_token_field(p->b, "token-delete");
    buf_z(p->b, "<p><button class=\"danger\">Delete ...</button></p>\n</form>\n</div>\n</details>\n");
}

/* What the scripts need to know stands in the attributes. */
static void put_start(const struct page *p)
{
    const struct record *r = p->of->record;
    char created[UTC_CHARS + 1], expires[UTC_CHARS + 1];

    utc_format(r->created_s, created);
    utc_format(r->expires_s, expires);
    page_frame_text(p->b, "<article id=\"profile\" data-id=\"", str_of(r->id), "\"");
    page_frame_text(p->b, " data-name=\"", str_of(r->name), "\"");
    struct str format =
        p->of->summary != NULL ? page_data_text(p->of->summary, "format_label") : str_of(r->format);
    page_frame_text(p->b, " data-format=\"", format, "\"");
    buf_printf(p->b, " data-size=\"%llu\" data-created=\"%s\" data-expires=\"%s\"",
               (unsigned long long)r->size, created, expires);
    buf_z(p->b, p->of->summary == NULL ? " data-waiting>\n" : ">\n");
    page_frame_text(p->b, "<h1 class=\"name\">", page_data_name(r->name), "</h1>\n");
}

static void put_progress(const struct page *p)
{
    const struct page_progress *made = &p->of->progress;

    if (made->n_views == 0 && p->of->summary != NULL)
        return;
    page_frame_text(p->b, "<section class=\"progress\" id=\"progress\" data-events=\"",
                    str_of(p->of->record->id), "/events\" aria-labelledby=\"progress-words\">\n");
    buf_printf(p->b, "<p id=\"progress-words\" role=\"status\">Drawing: %u of %u graphs are ready.</p>\n",
               made->n_made, made->n_views);
    buf_printf(p->b,
               "<progress max=\"%u\" value=\"%u\" aria-labelledby=\"progress-words\"></progress>\n<p "
               "class=\"quiet\">",
               made->n_views > 0 ? made->n_views : 1, made->n_made);
    clean_xml(p->b, made->format);
    buf_z(p->b, made->format.n > 0 ? ", " : "");
    page_data_put_number(p->b, UNIT_BYTES, made->bytes);
    buf_z(p->b, ", ");
    page_data_put_number(p->b, UNIT_COUNT, made->records);
    /* What refreshes a page by itself stays on one whose address has a fragment, as an uploader's has. */
    buf_z(p->b,
          " records</p>\n<noscript><p>Reload the page to see how far it is.</p></noscript>\n</section>\n");
}

void page_result(struct buf *b, const struct page_result *of)
{
    struct page p = {.b = b, .of = of};
    const json_t *whole = json_object_get(of->summary, "whole");
    bool busy = of->progress.n_views > 0 || of->summary == NULL;

    p.values = json_object_get(of->summary, "values");
    p.tracks = json_object_get(of->summary, "tracks");
    p.weight = page_data_weight(of->summary);
    p.n = json_array_size(p.tracks) < PAGE_TRACKS_MAX ? json_array_size(p.tracks) : PAGE_TRACKS_MAX;
    p.all = page_data_number(whole, "tracks");
    p.whole = p.weight == NULL ? 0 : page_data_total(p.weight, whole);
    page_frame_begin(b, &(struct page_frame){.title = page_data_name(of->record->name),
                                             .root = STR("../"),
                                             .script = "result.js",
                                             .refresh_s = busy ? REFRESH_S : 0});
    put_start(&p);
    put_progress(&p);
    page_warnings(b, json_object_get(of->summary, "warnings"));
    if (of->summary != NULL) {
        page_facts(b, of->record, of->summary);
        put_links(&p);
        put_threads(&p);
        put_manage(&p);
    }
    buf_z(b, "</article>\n");
    page_frame_end(b);
}
