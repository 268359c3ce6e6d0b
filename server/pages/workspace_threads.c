/* The list of threads. A pool is threads of one process whose names differ in a number at their end: Binder:1234_1,
 * Binder:1234_2. A recording of the whole system has threads of many processes: those of the first thread's process
 * stand first, and each other process is a section behind a line. */
#include <stdlib.h>
#include <string.h>

#include "profile/track.h"
#include "server/pages/workspace.h"

enum {
    IDLE_PART = 1000, /* A thread with less than this part of the whole weight counts as idle. */
    MEMBERS_MIN = 3,  /* a pool of fewer is no group */
    PLAIN_MAX = 12,   /* so few threads need no sections if each is of another process */
    SEVERAL_MAX = VIEW_TRACKS_MAX
};

/* The threads of one process. */
struct section {
    size_t first; /* place of its first entry; 0: the process of the first thread */
    size_t n;
    uint64_t sum;  /* weight of all of them */
    bool is_shown; /* It has the thread that the page shows. */
};

/* A thread in the list, in its order. */
struct entry {
    const json_t *track;
    uint64_t weight;
    struct str process;
    size_t place; /* the main thread first, then by weight */
    struct section section;
    struct str pool; /* empty: it belongs to none */
    size_t lead;     /* index of the first entry of its pool, itself where it stands alone */
    size_t members;  /* of the pool, at its lead */
    uint64_t sum;    /* their weight, at the lead */
    bool is_idle;
    bool has_weight; /* the track can have it */
};

struct list {
    const struct workspace *w;
    struct entry *entries;
    size_t n, n_idle;
    bool has_sections;
    const json_t *weight; /* NULL: the profile has none */
    uint64_t whole;
};

/* ---- sections ---- */

static int by_process(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    int order = str_cmp(one->process, other->process);

    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

/* The process of the first thread first, then the heaviest; in each the threads by their places. */
static int by_section(const void *a, const void *b)
{
    const struct entry *one = a, *other = b;
    size_t i = one->section.first, k = other->section.first;

    if (i == k)
        return (one->place > other->place) - (one->place < other->place);
    if (i != 0 && k != 0 && one->section.sum != other->section.sum)
        return one->section.sum < other->section.sum ? 1 : -1;
    return i > k ? 1 : -1;
}

/* The section of the entries of one process, of which this is the first. */
static struct section section_at(const struct list *l, size_t at)
{
    struct section s = {.first = l->entries[at].place};

    for (size_t i = at; i < l->n && str_eq(l->entries[i].process, l->entries[at].process); i++) {
        s.sum = number_add(s.sum, l->entries[i].weight);
        s.is_shown =
            s.is_shown || str_eq(PAGE_ID(json_object_get(l->entries[i].track, "id")), l->w->of.track);
        s.n++;
    }
    return s;
}

/* Sorts the entries by process. All are one section where more would be of no use. */
static void find_sections(struct list *l)
{
    size_t sections = 0, most = 0;

    qsort(l->entries, l->n, sizeof(*l->entries), by_process);
    for (size_t i = 0; i < l->n; sections++) {
        struct section s = section_at(l, i);
        most = s.n > most ? s.n : most;
        for (size_t end = i + s.n; i < end; i++)
            l->entries[i].section = s;
    }
    l->has_sections = sections > 1 && (most > 1 || l->n > PLAIN_MAX);
    for (size_t i = 0; !l->has_sections && i < l->n; i++)
        l->entries[i].section = (struct section){.n = l->n};
    qsort(l->entries, l->n, sizeof(*l->entries), by_section);
}

static bool is_idle_section(const struct list *l, const struct section *s)
{
    return s->first != 0 && l->weight != NULL && s->sum < l->whole / IDLE_PART;
}

/* ---- pools ---- */

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

static int by_pool(const void *a, const void *b, void *context)
{
    const struct entry *entries = context;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = str_cmp(entries[i].pool, entries[k].pool);

    order = order != 0 ? order : str_cmp(entries[i].process, entries[k].process);
    return order != 0 ? order : (i > k) - (i < k);
}

/* Gives each pool its lead and its sums. Sorted by pool, since there may be thousands of threads in as many pools. */
static bool find_pools(struct list *l)
{
    size_t *order = malloc((l->n + 1) * sizeof(*order)), lead = 0;

    if (order == NULL)
        return false;
    for (size_t i = 0; i < l->n; i++)
        order[i] = i;
    qsort_r(order, l->n, sizeof(*order), by_pool, l->entries);
    for (size_t i = 0; i < l->n; i++) {
        struct entry *e = &l->entries[order[i]];
        if (i == 0 || e->pool.n == 0 || !str_eq(e->pool, l->entries[lead].pool) ||
            !str_eq(e->process, l->entries[lead].process))
            lead = order[i];
        e->lead = lead;
        l->entries[lead].members++;
        l->entries[lead].sum = number_add(l->entries[lead].sum, e->weight);
    }
    free(order);
    return true;
}

/* Samples of a thread stand behind it, and are as idle as it is. What cannot have the weight is not idle. */
static bool is_idle_at(const struct list *l, size_t i)
{
    const struct entry *e = &l->entries[i];

    if (i == 0 || l->weight == NULL)
        return false;
    if (page_data_number(e->track, "beside") > 0)
        return l->entries[i - 1].is_idle;
    return e->has_weight && e->weight < l->whole / IDLE_PART;
}

/* How many tracks from that one on are of its thread: itself, and those with its samples. */
static size_t page_data_with_samples(const json_t *tracks, size_t track)
{
    uint64_t id = page_data_number(json_array_get(tracks, track), "id");
    size_t n = 1;

    while (id > 0 && page_data_number(json_array_get(tracks, track + n), "beside") == id)
        n++;
    return n;
}

/* Threads that are shown for themselves or folded as idle are in no pool. */
static bool fill(struct list *l)
{
    size_t main = page_data_main_track(l->w->tracks), n_main = page_data_with_samples(l->w->tracks, main);

    l->n = json_array_size(l->w->tracks);
    l->entries = calloc(l->n + 1, sizeof(*l->entries));
    if (l->entries == NULL)
        return false;
    for (size_t i = 0; i < l->n; i++) {
        /* The main thread comes to the front with its samples; those before it move down. */
        size_t from = i < n_main ? main + i : i < main + n_main ? i - n_main : i;
        struct entry *e = &l->entries[i];
        e->track = json_array_get(l->w->tracks, from);
        e->place = i;
        e->process = page_data_text(e->track, "group");
        e->weight = l->weight == NULL ? 0 : page_data_total(l->weight, e->track);
        e->has_weight = l->weight == NULL || page_data_has_total(l->weight, e->track);
        e->is_idle = is_idle_at(l, i);
        l->n_idle += e->is_idle;
        e->pool = i == 0 || e->is_idle ? STR("") : pool_of(page_data_text(e->track, "name"));
    }
    find_sections(l);
    return find_pools(l);
}

/* ---- the list ---- */

static void put_weight(const struct list *l, uint64_t weight)
{
    char text[NUMBER_BYTES_MAX];

    if (l->whole == 0)
        return;
    page_put(l->w->b, " <span class=\"quiet\">{}, {}</span>", PAGE_AMOUNT(l->weight, weight),
             (struct str){text, (size_t)(number_percent(text, weight, l->whole) - text)});
}

/* Of a track that cannot have the weight: how much it has of its own first value. */
static void put_own_amount(const struct list *l, const json_t *track)
{
    const json_t *value;
    size_t i;

    json_array_foreach (json_object_get(l->w->of.summary, "values"), i, value) {
        if (!page_data_has_total(value, track))
            continue;
        page_put(l->w->b, " <span class=\"quiet\">{} {}</span>",
                 PAGE_AMOUNT(value, page_data_total(value, track)), page_data_text(value, "label"));
        return;
    }
}

/* Opens an element with threads of this process, which the menu's filter looks for. */
static void put_of_process(const struct list *l, const char *tag, struct str process)
{
    buf_z(l->w->b, tag);
    if (l->has_sections && process.n > 0)
        page_put(l->w->b, " data-process=\"{}\"", process);
    buf_z(l->w->b, ">");
}

/* To a track that does not have the value that is shown: it is shown by a value of its own. */
static void put_link_without_value(const struct list *l, struct str id)
{
    struct view_options options = *l->w->of.options;
    struct workspace other = *l->w;

    options.value[0] = '\0';
    other.of.options = &options;
    page_put(l->w->b, "<a data-track=\"{}\" data-own-value href=\"", id);
    workspace_track_link(&other, id);
}

/* Whether the track has the values of what is shown: a profile may have sections, samples and heaps. */
static bool workspace_shares_values(const struct workspace *w, const json_t *track)
{
    const json_t *values = json_object_get(w->of.summary, "values"), *value;
    const json_t *shown = json_array_get(w->tracks, workspace_find_shown(w));
    size_t i;

    if (shown == NULL)
        return workspace_track_has(w, track, page_data_value(values, w->of.options->value));
    json_array_foreach (values, i, value) {
        if (workspace_track_has(w, shown, value) != workspace_track_has(w, track, value))
            return false;
    }
    return true;
}

/* Ends the item. */
static void put_link(const struct list *l, const struct entry *e)
{
    struct str id = PAGE_ID(json_object_get(e->track, "id"));

    if (workspace_shares_values(l->w, e->track)) {
        page_put(l->w->b, "<a data-track=\"{}\" href=\"", id);
        workspace_track_link(l->w, id);
    } else {
        put_link_without_value(l, id);
    }
    buf_z(l->w->b, str_eq(id, l->w->of.track) ? "\" aria-current=\"true\">" : "\">");
    page_data_put_track_name(l->w->b, e->track);
    page_put(l->w->b, " <span class=\"quiet\">{}</span></a>", id);
    if (e->has_weight)
        put_weight(l, e->weight);
    else
        put_own_amount(l, e->track);
    buf_z(l->w->b, "</li>\n");
}

static void put_thread(const struct list *l, const struct entry *e)
{
    buf_z(l->w->b, "<li>");
    put_link(l, e);
}

/* Behind a name in the line of a fold; the fold's list begins. */
static void put_sum(const struct list *l, size_t n, uint64_t sum)
{
    const struct track_noun *noun = page_data_noun(l->w->of.summary);

    page_put(l->w->b, " <span class=\"quiet\">{} {}</span>", PAGE_COUNT(n),
             str_of(n == 1 ? noun->one : noun->many));
    put_weight(l, sum);
    buf_z(l->w->b, "</summary>\n<ul>\n");
}

static void put_pool(const struct list *l, size_t lead, size_t end)
{
    const struct entry *first = &l->entries[lead];

    page_put(l->w->b, "<li><details><summary>{}*", first->pool);
    put_sum(l, first->members, first->sum);
    for (size_t i = lead; i < end; i++)
        if (l->entries[i].lead == lead)
            put_thread(l, &l->entries[i]);
    buf_z(l->w->b, "</ul></details></li>\n");
}

static void put_busy(const struct list *l, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const struct entry *e = &l->entries[i], *lead = &l->entries[e->lead];
        if (e->is_idle || (lead->members >= MEMBERS_MIN && e->lead != i))
            continue;
        if (lead->members >= MEMBERS_MIN)
            put_pool(l, i, end);
        else
            put_thread(l, e);
    }
}

static void put_idle_begin(const struct list *l, size_t n, const char *of, bool is_open)
{
    page_put(l->w->b,
             "<li><details class=\"idle\"{}><summary>{} idle{} <span class=\"quiet\">under 0.1 "
             "%</span></summary>\n<ul>\n",
             str_of(is_open ? " open" : ""), PAGE_COUNT(n), str_of(of));
}

static void put_idle(const struct list *l, size_t begin, size_t end)
{
    size_t n = 0;

    for (size_t i = begin; i < end; i++)
        n += l->entries[i].is_idle;
    if (n == 0)
        return;
    put_idle_begin(l, n, "", false);
    for (size_t i = begin; i < end; i++)
        if (l->entries[i].is_idle)
            put_thread(l, &l->entries[i]);
    buf_z(l->w->b, "</ul></details></li>\n");
}

/* A fold with the name of the process; one whose only thread has the same name is shown as that thread. */
static void put_section(const struct list *l, size_t begin)
{
    const struct entry *first = &l->entries[begin];
    const struct section *s = &first->section;

    put_of_process(l, "<li", first->process);
    if (s->n == 1 && str_eq(first->process, page_data_text(first->track, "name"))) {
        put_link(l, first);
        return;
    }
    page_put(l->w->b, "<details{}><summary>{}", str_of(s->is_shown ? " open" : ""),
             first->process.n > 0 ? first->process : STR("(no process)"));
    put_sum(l, s->n, s->sum);
    if (is_idle_section(l, s)) {
        for (size_t i = begin; i < begin + s->n; i++)
            put_thread(l, &l->entries[i]);
    } else {
        put_busy(l, begin, begin + s->n);
        put_idle(l, begin, begin + s->n);
    }
    buf_z(l->w->b, "</ul></details></li>\n");
}

/* All from `begin` on: sections are sorted by weight. */
static void put_idle_sections(const struct list *l, size_t begin)
{
    bool is_shown = false;
    size_t n = 0;

    for (size_t i = begin; i < l->n; i += l->entries[i].section.n, n++)
        is_shown = is_shown || l->entries[i].section.is_shown;
    if (n == 0)
        return;
    put_idle_begin(l, n, n == 1 ? " process" : " processes", is_shown);
    for (size_t i = begin; i < l->n; i += l->entries[i].section.n)
        put_section(l, i);
    buf_z(l->w->b, "</ul></details></li>\n");
}

static void put_sections(const struct list *l)
{
    size_t i = l->n > 0 ? l->entries[0].section.n : 0;

    put_busy(l, 0, i);
    put_idle(l, 0, i);
    for (; i < l->n && !is_idle_section(l, &l->entries[i].section); i += l->entries[i].section.n)
        put_section(l, i);
    put_idle_sections(l, i);
}

static void put_set(const struct list *l, const char *name, struct str tracks, const char *words)
{
    buf_printf(l->w->b, "<li><a data-track=\"%s\" href=\"", name);
    workspace_track_link(l->w, tracks);
    buf_printf(l->w->b, "\">%s</a></li>\n", words);
}

/* All that are not idle, as far as a link can name them. */
static void put_busy_set(const struct list *l)
{
    struct buf tracks = {0};

    for (size_t i = 0; i < l->n; i++)
        if (!l->entries[i].is_idle) {
            buf_z(&tracks, tracks.n > 0 ? "," : "");
            buf_str(&tracks, PAGE_ID(json_object_get(l->entries[i].track, "id")));
        }
    put_set(l, "busy", buf_view(&tracks), "All but the idle ones, side by side");
    buf_part_end(l->w->b, &tracks);
}

/* Several threads at once, of which there is no chart. Methods are counted over all, side by side or merged. */
static void put_sets(const struct list *l)
{
    size_t busy = l->n - l->n_idle;

    if (l->n < 2 || l->w->of.options->view == VIEW_CHART)
        return;
    if (l->w->of.tab != TAB_FLAME) {
        put_set(l, "all", STR("all"), "All of them");
        return;
    }
    if (l->n_idle > 0 && busy > 1 && busy <= SEVERAL_MAX)
        put_busy_set(l);
    put_set(l, "all", STR("all"), "All, side by side");
    put_set(l, "merged", STR("merged"), "All, merged");
}

/* ---- labels ---- */

static void put_split(const struct workspace *w, struct str key, const char *words, uint64_t values)
{
    struct view_options options = *w->of.options;

    memcpy(options.split, key.p, key.n);
    options.split[key.n] = '\0';
    options.method[0] = '\0';
    buf_z(w->b, "<li><a class=\"follows\" href=\"");
    if (w->of.tab == TAB_METHODS)
        page_put(w->b, "{}methods", w->self);
    else
        buf_bytes(w->b, w->self.p, w->self.n - 1);
    view_link(w->b, &options, "&amp;");
    buf_z(w->b, str_eq(key, str_of(w->of.options->split)) ? "\" aria-current=\"true\">" : "\">");
    page_put(w->b, "{}{}", str_of(words), key);
    if (values > 0)
        page_put(w->b, " <span class=\"quiet\">{} {}</span>", PAGE_COUNT(values),
                 values == 1 ? STR("value") : STR("values"));
    buf_z(w->b, "</a></li>\n");
}

/* What else tracks can be made of, as links to the first of them. */
static void put_labels(const struct workspace *w)
{
    const json_t *labels = json_object_get(w->of.summary, "labels"), *label;
    size_t i;

    if (json_array_size(labels) == 0 || w->of.compared != NULL)
        return;
    buf_z(w->b, "<p class=\"quiet\" id=\"split-words\">Split by</p>\n<ul id=\"split\" "
                "aria-labelledby=\"split-words\">\n");
    put_split(w, STR(""), "thread", 0);
    json_array_foreach (labels, i, label) {
        struct str key = page_data_text(label, "key");
        if (key.n <= VIEW_SPLIT_BYTES_MAX)
            put_split(w, key, "label ", page_data_number(label, "values"));
    }
    buf_z(w->b, "</ul>\n");
}

void workspace_threads(const struct workspace *w)
{
    const json_t *summary = w->of.summary, *whole = json_object_get(summary, "whole");
    struct list l = {.w = w, .weight = page_data_weight(summary)};
    uint64_t all = page_data_number(whole, "tracks");

    l.whole = l.weight == NULL ? 0 : page_data_total(l.weight, whole);
    struct buf shown = {0};
    workspace_put_shown(w, &shown);
    const struct track_noun *noun = page_data_noun(summary);
    buf_printf(w->b,
               "<details name=\"menus\" class=\"menu\" id=\"threads\">\n<summary title=\"%c%s\"><span "
               "class=\"out-of-sight\">%c%s: ",
               noun->many[0] - 'a' + 'A', noun->many + 1, noun->one[0] - 'a' + 'A', noun->one + 1);
    page_put(w->b, "</span><span class=\"shown\">{}</span></summary>\n<div class=\"sheet\">\n",
             buf_view(&shown));
    w->b->failed = w->b->failed || shown.failed || !fill(&l);
    buf_free(&shown);
    buf_z(
        w->b,
        "<p id=\"thread-filter\" hidden><label for=\"thread-text\" class=\"out-of-sight\">Filter by name or "
        "id</label> <input id=\"thread-text\" type=\"search\" placeholder=\"name or id\" autocomplete=\"off\" "
        "spellcheck=\"false\"> <span class=\"quiet\" id=\"thread-count\" role=\"status\"></span></p>\n");
    if (!w->b->failed) {
        put_of_process(&l, "<ul", l.n > 0 ? l.entries[0].process : STR(""));
        buf_char(w->b, '\n');
        put_sections(&l);
        put_sets(&l);
        buf_z(w->b, "</ul>\n");
    }
    if (l.n < all) {
        page_put(w->b, "<p>And {} more, which <a href=\"{}p/{}.json", PAGE_COUNT(all - l.n), w->up,
                 str_of(w->of.record->id));
        struct view_options split;
        view_defaults(&split);
        memcpy(split.split, w->of.options->split, sizeof(split.split));
        view_link(w->b, &split, "&amp;");
        buf_z(w->b, "\">the JSON form of this page</a> names.</p>\n");
    }
    put_labels(w);
    buf_z(w->b, "</div>\n</details>\n");
    free(l.entries);
}
