/* Format "json" of one method:
 *
 * {"format":"aflamed-method", "version":1,
 *  "id", "class", "method", "signature", "file", "module", "origin",
 *  "note",                                                                    where the frame needs words to be understood
 *  "calls", "recursive",                                                      missing where calls are not counted
 *  "values":[{"name":"wall", "unit":"us", "incl":120, "excl":20, "total":500}, ...],            of one below 0 also "grown"
 *  "sampled_bytes":4096,                                                      as in the table
 *  "tracks_are":"thread",                                                     or heap, process, label, whole
 *  "threads":[{"id":1, "name":"main", "calls":3, "wall_incl":120, "wall_total":400, ...}, ...],     where it occurs
 *  "durations":{...},                                                         where asked for
 *  "overloads":[{"id", "signature"}, ...],
 *  "parents":[{"id", "class", "method", "signature", "calls":14, "of_calls":20, "wall":80, ...}, ...],
 *  "children":[...], "self":{"wall":20, ...},
 *  "recursive_parents":[...], "recursive_children":[...], "recursive_self":{...},
 *  "edges":{"parents":12, "children":3, "recursive_parents":2313, "recursive_children":0}}
 *
 * Numbers are integers as in the table (table_formats.c). A parent without "id" is the thread itself.
 * Parents and children: of the outermost occurrences, then of those while the method was open already
 * (method.h); "calls" are those between the two, "of_calls" all of the callee. Each of the four lists has
 * the heaviest first, as many as were asked for; "edges" tells how many there are in all. */
#include "core/clean.h"
#include "core/json.h"
#include "profile/track.h"
#include "render/method/method.h"
#include "render/table/columns.h"
#include "render/table/table.h"

/* ---- JSON ---- */

struct writer {
    const struct method_report *r;
    const struct table_request *request;
    struct sha256 *h;
    struct json j;
    bool failed;
};

static const char *const UNITS[] = {[UNIT_NS] = "us", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

static void put_measure(struct writer *w, uint32_t m, const char *suffix, struct net value)
{
    const struct table *t = w->r->table;
    struct column c = {COLUMN_INCLUSIVE, m};
    struct buf key = {0};

    buf_str(&key, t->measures[m].name);
    buf_z(&key, suffix);
    json_put_key(&w->j, buf_view(&key));
    net_put_json(&w->j, NULL, column_shown(t, c, value));
    w->failed = w->failed || key.failed;
    buf_free(&key);
}

static void put_name(struct writer *w, uint32_t row)
{
    const struct table *t = w->r->table;
    struct frame_parts parts = names_parts(t->names, t->frame[row]);
    char id[TABLE_ID_DIGITS + 1] = "";

    w->failed = w->failed || !table_id(t, row, w->h, id);
    json_put_string(&w->j, "id", str_of(id));
    json_put_string(&w->j, "class", parts.scope);
    json_put_string(&w->j, "method", parts.name);
    json_put_string(&w->j, "signature", parts.signature);
}

static void put_values(struct writer *w)
{
    const struct table *t = w->r->table;

    json_open_array(&w->j, "values");
    for (uint32_t m = 0; m < t->n_measures; m++) {
        struct column c = {COLUMN_INCLUSIVE, m};
        json_open_object(&w->j, NULL);
        json_put_string(&w->j, "name", t->measures[m].name);
        json_put_string(&w->j, "unit", str_of(UNITS[t->measures[m].unit]));
        net_put_json(&w->j, "incl", column_shown(t, c, table_net(t, w->r->sums.inclusive, m)));
        net_put_json(&w->j, "excl", column_shown(t, c, table_net(t, w->r->sums.exclusive, m)));
        net_put_json(&w->j, "total", column_shown(t, c, table_net(t, t->total, m)));
        if (t->minus[m] > 0)
            net_put_json(&w->j, "grown", column_shown(t, c, net_of(t->total[m], 0)));
        json_close(&w->j);
    }
    json_close(&w->j);
}

static bool occurs(const struct method_thread *thread, uint32_t n_counted)
{
    for (uint32_t m = 0; m < n_counted; m++)
        if (thread->inclusive[m] > 0)
            return true;
    return thread->calls > 0;
}

static void put_threads(struct writer *w)
{
    const struct table *t = w->r->table;

    json_open_array(&w->j, "threads");
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        const struct profile_track *track = &t->profile->tracks[t->tracks[i]];
        if (!occurs(&w->r->threads[i], t->n_counted))
            continue;
        json_open_object(&w->j, NULL);
        json_put_u64(&w->j, "id", track->id);
        json_put_string(&w->j, "name", profile_string(t->profile, track->name));
        if (t->has_calls)
            json_put_u64(&w->j, "calls", w->r->threads[i].calls);
        for (uint32_t m = 0; m < t->n_measures; m++) {
            uint32_t value = t->measures[m].value;
            put_measure(w, m, "_incl", table_net(t, w->r->threads[i].inclusive, m));
            if (!t->measures[m].waiting)
                put_measure(w, m, "_total",
                            net_of(profile_total(t->profile, track->first, value),
                                   profile_minus_total(t->profile, track->first, value)));
        }
        json_close(&w->j);
    }
    json_close(&w->j);
}

static void put_overloads(struct writer *w)
{
    json_open_array(&w->j, "overloads");
    for (uint32_t i = 0; i < w->r->n_overloads; i++) {
        json_open_object(&w->j, NULL);
        put_name(w, w->r->overloads[i]);
        json_close(&w->j);
    }
    json_close(&w->j);
}

/* The part of a list that is asked for: `limit` edges behind the first `offset` ones, or as many as there are. */
static struct detail_edges method_edges_asked(const struct detail_edges *all, uint32_t offset, uint32_t limit)
{
    uint32_t first = offset < all->n ? offset : all->n, left = all->n - first;

    if (all->n == 0)
        return *all;
    return (struct detail_edges){all->edges + first, limit < left ? limit : left};
}

/* `own`: the callee is the method itself; else the row of the edge. */
static void put_edges(struct writer *w, const char *key, const struct detail_edges *all, bool own)
{
    const struct table *t = w->r->table;
    struct detail_edges edges = method_edges_asked(all, w->request->offset, w->request->limit);

    json_open_array(&w->j, key);
    for (uint32_t i = 0; i < edges.n; i++) {
        const struct detail_edge *e = &edges.edges[i];
        json_open_object(&w->j, NULL);
        if (e->row != TABLE_NO_ROW)
            put_name(w, e->row);
        if (t->has_calls) {
            json_put_u64(&w->j, "calls", e->calls);
            json_put_u64(&w->j, "of_calls", own ? w->r->sums.calls : table_sums(t, e->row).calls);
        }
        for (uint32_t m = 0; m < t->n_measures; m++)
            put_measure(w, m, "", table_net(t, e->value, m));
        json_close(&w->j);
    }
    json_close(&w->j);
}

static void put_self(struct writer *w, const char *key, const uint64_t *self)
{
    json_open_object(&w->j, key);
    for (uint32_t m = 0; m < w->r->table->n_measures; m++)
        put_measure(w, m, "", table_net(w->r->table, self, m));
    json_close(&w->j);
}

static void put_counts(struct writer *w, const struct detail *d)
{
    json_open_object(&w->j, "edges");
    json_put_u64(&w->j, "parents", d->outermost.parents.n);
    json_put_u64(&w->j, "children", d->outermost.children.n);
    json_put_u64(&w->j, "recursive_parents", d->recursive.parents.n);
    json_put_u64(&w->j, "recursive_children", d->recursive.children.n);
    json_close(&w->j);
}

/* What has to be known of the method to understand its numbers; no text: nothing. */
static struct str method_note(const struct method_report *r)
{
    const struct table *t = r->table;

    if (!t->present[r->row])
        return STR(
            "This method did not run in the chosen range, or filters and the choice of threads leave it out. "
            "Leave the range out to see all of its calls.");
    return frame_note(t->profile, &t->profile->frames[t->frame[r->row]]);
}

static void put_report(struct writer *w, const struct calls *calls)
{
    const struct method_report *r = w->r;
    const struct profile *p = r->table->profile;
    const struct profile_frame *frame = &p->frames[r->table->frame[r->row]];

    json_open_object(&w->j, NULL);
    json_put_string(&w->j, "format", STR("aflamed-method"));
    json_put_u64(&w->j, "version", 1);
    put_name(w, r->row);
    json_put_string(&w->j, "file", profile_string(p, frame->file));
    if (method_note(r).n > 0)
        json_put_string(&w->j, "note", method_note(r));
    json_put_string(&w->j, "module", profile_string(p, frame->module));
    json_put_string(&w->j, "origin", column_cell(r->table, (struct column){COLUMN_ORIGIN, 0}, r->row).text);
    if (r->table->has_calls) {
        json_put_u64(&w->j, "calls", r->sums.calls);
        json_put_u64(&w->j, "recursive", r->sums.recursive);
    }
    put_values(w);
    if (profile_sample_bytes(p) > 0)
        json_put_u64(&w->j, "sampled_bytes", profile_sample_bytes(p));
    json_put_string(&w->j, "tracks_are", str_of(track_noun(track_kind_of_all(p))->word));
    put_threads(w);
    if (calls != NULL)
        method_calls_json(&w->j, r->table, calls);
    put_overloads(w);
    put_edges(w, "parents", &r->detail.outermost.parents, true);
    put_edges(w, "children", &r->detail.outermost.children, false);
    put_self(w, "self", r->detail.outermost.self);
    put_edges(w, "recursive_parents", &r->detail.recursive.parents, true);
    put_edges(w, "recursive_children", &r->detail.recursive.children, false);
    put_self(w, "recursive_self", r->detail.recursive.self);
    put_counts(w, &r->detail);
    json_close(&w->j);
}

static bool write(const struct table *t, uint32_t row, const struct calls *calls,
                  const struct table_request *request, struct arena *arena, struct buf *out)
{
    struct method_report r;
    struct writer w = {.r = &r, .request = request, .h = sha256_new(), .j = json_into(out)};

    if (w.h == NULL && arena->failure == ARENA_OK)
        arena->failure = ARENA_NO_MEMORY;
    bool ok = w.h != NULL && method_report_new(&r, t, row, arena);
    if (ok)
        put_report(&w, calls);
    sha256_free(w.h);
    buf_char(out, '\n');
    if (ok && w.failed)
        arena->failure = ARENA_NO_MEMORY;
    return ok && !w.failed;
}

const struct method_format METHOD_JSON = {{"json", "application/json", "for programs", 4}, write};

/* ---- text for people ---- */

/* Format "txt" of one method, for people: what it cost, then its parents and children with their share of it. */

enum { DIGITS = 4, EDGES_USUALLY = 30, VALUE_CELLS = 12 };

struct txt_writer {
    const struct method_report *r;
    const struct table_request *request;
    struct buf *out;
};

static void put_cell(const struct txt_writer *w, struct str text)
{
    for (size_t cells = text.n; cells < VALUE_CELLS; cells++)
        buf_char(w->out, ' ');
    buf_str(w->out, text);
}

static void put_buf(const struct txt_writer *w, struct buf *b)
{
    /* µ is two bytes in one cell */
    if (str_find(buf_view(b), '\xc2') < b->n)
        buf_char(w->out, ' ');
    put_cell(w, buf_view(b));
    w->out->failed = w->out->failed || b->failed;
    buf_free(b);
}

static void put_value(const struct txt_writer *w, uint32_t m, struct net value)
{
    struct buf b = {0};

    net_put_value(&b, w->r->table->measures[m].unit, value, DIGITS);
    put_buf(w, &b);
}

static void put_share(const struct txt_writer *w, struct net part, uint64_t whole)
{
    struct buf b = {0};

    net_put_percent(&b, part, whole);
    put_buf(w, &b);
}

static void put_method(const struct txt_writer *w, uint32_t row)
{
    const struct table *t = w->r->table;

    if (row == TABLE_NO_ROW) {
        buf_printf(w->out, "(the %s)", track_word(t->profile, 1));
        return;
    }
    clean_text(w->out, table_name(t, row));
    clean_text(w->out, names_parts(t->names, t->frame[row]).signature);
}

static void put_note(const struct txt_writer *w)
{
    struct str note = method_note(w->r);

    buf_str(w->out, note);
    buf_z(w->out, note.n > 0 ? "\n" : "");
}

static void put_titles(const struct txt_writer *w)
{
    const struct table *t = w->r->table;

    buf_z(w->out, "\n          ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_cell(w, t->measures[m].name);
    buf_char(w->out, '\n');
}

/* `by`: what each is divided by. */
static void put_line(const struct txt_writer *w, const char *title, const uint64_t *values, uint64_t by)
{
    buf_printf(w->out, "%-10s", title);
    for (uint32_t m = 0; m < w->r->table->n_measures; m++)
        put_value(w, m, net_divided(table_net(w->r->table, values, m), by));
    buf_char(w->out, '\n');
}

static void put_sums(const struct txt_writer *w)
{
    const struct method_report *r = w->r;
    const struct table *t = r->table;
    uint64_t outermost = r->sums.calls - r->sums.recursive;

    put_titles(w);
    put_line(w, "inclusive", r->sums.inclusive, 1);
    put_line(w, "exclusive", r->sums.exclusive, 1);
    if (outermost > 0)
        put_line(w, "mean", r->sums.inclusive, outermost);
    buf_z(w->out, "of all    ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_share(w, table_net(t, r->sums.inclusive, m), table_whole(t, m));
    buf_char(w->out, '\n');
    if (t->has_calls) {
        buf_z(w->out, "calls     ");
        buf_u64_grouped(w->out, outermost);
        buf_z(w->out, ", and ");
        buf_u64_grouped(w->out, r->sums.recursive);
        buf_z(w->out, " recursive\n");
    }
}

/* Its share and its amount by the first value. Of a comparison, whose first values are those of A, B and
 * the larger of both, the share by the larger, and the amounts of A and B. */
static void put_edge(const struct txt_writer *w, const struct detail_edge *e, bool own)
{
    const struct table *t = w->r->table;
    uint32_t by = t->heaviest;

    if (t->n_measures > 0) {
        put_share(w, table_net(t, e->value, by), w->r->sums.inclusive[by]);
        for (uint32_t m = 0; m < (by > 0 ? by : 1); m++)
            put_value(w, m, table_net(t, e->value, m));
    }
    if (t->has_calls) {
        struct buf calls = {0};
        buf_u64_grouped(&calls, e->calls);
        buf_char(&calls, '/');
        buf_u64_grouped(&calls, own ? w->r->sums.calls : table_sums(t, e->row).calls);
        put_cell(w, buf_view(&calls));
        buf_part_end(w->out, &calls);
    }
    buf_z(w->out, "  ");
    put_method(w, e->row);
    buf_char(w->out, '\n');
}

static void txt_put_edges(const struct txt_writer *w, const char *title, const struct detail_edges *all,
                          bool own)
{
    uint32_t limit = w->request->limit == UINT32_MAX ? EDGES_USUALLY : w->request->limit;
    struct detail_edges edges = method_edges_asked(all, w->request->offset, limit);

    if (all->n == 0)
        return;
    buf_printf(w->out, "\n%s\n", title);
    for (uint32_t i = 0; i < edges.n; i++)
        put_edge(w, &edges.edges[i], own);
    uint32_t behind = (uint32_t)(&all->edges[all->n] - &edges.edges[edges.n]);
    if (behind > 0)
        buf_printf(w->out, "  and %u more\n", behind);
}

static bool txt_write(const struct table *t, uint32_t row, const struct calls *calls,
                      const struct table_request *request, struct arena *arena, struct buf *out)
{
    struct method_report r;
    struct txt_writer w = {&r, request, out};

    if (!method_report_new(&r, t, row, arena))
        return false;
    put_method(&w, row);
    buf_char(out, '\n');
    put_note(&w);
    put_sums(&w);
    if (calls != NULL)
        method_calls_txt(out, t, calls);
    txt_put_edges(&w, "called by", &r.detail.outermost.parents, true);
    txt_put_edges(&w, "calls", &r.detail.outermost.children, false);
    txt_put_edges(&w, "called by, while it was running already", &r.detail.recursive.parents, true);
    txt_put_edges(&w, "calls, while it was running already", &r.detail.recursive.children, false);
    return true;
}

const struct method_format METHOD_TXT = {{"txt", "text/plain; charset=utf-8", "for people", 4}, txt_write};
