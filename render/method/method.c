#include "render/method/method.h"

#include "core/clean.h"
#include "core/json.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/calls/calls.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/view/input.h"
#include "render/view/view.h"

/* ---- callers and callees ---- */

/* A list in the making. */
struct list {
    struct detail_edge *edges;
    size_t capacity;
    uint64_t *values; /* [n * table.n_counted] */
    size_t values_capacity;
    uint32_t n;
    uint32_t *slot; /* by row, TABLE_NO_ROW as the last: position in edges, plus 1 */
};

struct part {
    struct list parents, children;
    uint64_t *self;
};

struct collector {
    uint32_t row;
    struct part outermost, recursive;
    struct arena *arena;
    bool failed; /* no memory: nothing more is collected */
};

/* False: no memory. */
static bool edge_new(struct collector *c, const struct table *t, struct list *l, uint32_t row)
{
    if (!ARENA_ROOM(c->arena, l->edges, l->capacity, l->n + 1u) ||
        !ARENA_ROOM(c->arena, l->values, l->values_capacity, (l->n + (size_t)1) * t->n_counted))
        return false;
    for (uint32_t m = 0; m < t->n_counted; m++)
        l->values[(size_t)l->n * t->n_counted + m] = 0;
    l->edges[l->n++] = (struct detail_edge){.row = row};
    return true;
}

static struct detail_edge *edge_of(struct collector *c, const struct table *t, struct list *l, uint32_t row)
{
    uint32_t *slot = &l->slot[row == TABLE_NO_ROW ? t->n : row];

    if (*slot == 0) {
        if (!edge_new(c, t, l, row)) {
            c->failed = true;
            return NULL;
        }
        *slot = l->n;
    }
    return &l->edges[*slot - 1];
}

static void add_edge(struct collector *c, const struct table *t, struct list *l, uint32_t row,
                     const struct walk_node *callee)
{
    struct detail_edge *edge = c->failed ? NULL : edge_of(c, t, l, row);

    if (edge == NULL)
        return;
    if (t->has_calls)
        edge->calls = number_add(edge->calls, profile_self(t->profile, callee->node, t->calls_value));
    uint64_t *value = &l->values[(size_t)(edge - l->edges) * t->n_counted];
    for (uint32_t m = 0; m < t->n_counted; m++)
        value[m] = number_add(value[m], m < t->first_calls
                                            ? walk_total(t, callee, m)
                                            : measure_self(t->profile, &t->measures[m], callee->node));
}

static void collect(void *context, const struct table *t, const struct walk_node *node,
                    const struct walk_node *parent)
{
    struct collector *c = context;

    if (parent != NULL && parent->row == c->row) {
        struct part *part = parent->outermost ? &c->outermost : &c->recursive;
        add_edge(c, t, &part->children, node->row, node);
    }
    if (node->row != c->row)
        return;
    struct part *part = node->outermost ? &c->outermost : &c->recursive;
    add_edge(c, t, &part->parents, parent != NULL ? parent->row : TABLE_NO_ROW, node);
    for (uint32_t m = 0; m < t->n_counted; m++)
        part->self[m] = number_add(part->self[m], measure_self(t->profile, &t->measures[m], node->node));
}

/* ---- order ---- */

struct by_value {
    const struct table *table;
    const struct detail_edge *edges;
};

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct by_value *by = context;
    const struct detail_edge *x = &by->edges[a], *y = &by->edges[b];

    if (by->table->n_measures > 0) {
        uint32_t m = by->table->heaviest;
        struct net of_x = table_net(by->table, x->value, m), of_y = table_net(by->table, y->value, m);
        if (!net_equal(of_x, of_y))
            return net_greater(of_x, of_y);
    }
    return x->row < y->row;
}

static bool finish_list(const struct list *l, const struct table *t, struct detail_edges *out,
                        struct arena *arena)
{
    const struct by_value by = {t, l->edges};

    uint32_t *next = arena_array(arena, l->n, sizeof(*next));
    struct detail_edge *sorted = arena_array(arena, l->n, sizeof(*sorted));

    if (next == NULL || sorted == NULL)
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        l->edges[i].value = &l->values[(size_t)i * t->n_counted];
        next[i] = i + 1 < l->n ? i + 1 : ORDER_NONE;
    }
    uint32_t at = order_list(l->n > 0 ? 0 : ORDER_NONE, next, before, &by);
    for (; at != ORDER_NONE; at = next[at])
        sorted[out->n++] = l->edges[at];
    out->edges = sorted;
    return true;
}

static bool slots_new(struct part *part, const struct table *t, struct arena *arena)
{
    part->parents.slot = arena_array(arena, t->n + 1u, sizeof(*part->parents.slot));
    part->children.slot = arena_array(arena, t->n + 1u, sizeof(*part->children.slot));
    return part->parents.slot != NULL && part->children.slot != NULL;
}

static bool finish_part(const struct part *part, const struct table *t, struct detail_part *out,
                        struct arena *arena)
{
    return finish_list(&part->parents, t, &out->parents, arena) &&
           finish_list(&part->children, t, &out->children, arena);
}

bool detail_new(struct detail *d, const struct table *t, uint32_t row, struct arena *arena)
{
    struct collector c = {.row = row, .arena = arena};

    *d = (struct detail){0};
    c.outermost.self = d->outermost.self;
    c.recursive.self = d->recursive.self;
    return slots_new(&c.outermost, t, arena) && slots_new(&c.recursive, t, arena) &&
           walk_nodes(t, collect, &c, arena) && !c.failed &&
           finish_part(&c.outermost, t, &d->outermost, arena) &&
           finish_part(&c.recursive, t, &d->recursive, arena);
}

/* ---- how long its calls were ---- */

enum { DIGITS = 4, VALUE_CELLS = 12, BAR_CELLS = 40 };

static const struct {
    const char *name;
    unsigned permille;
} PERCENTILES[] = {{"median", 500}, {"p95", 950}, {"p99", 990}};

enum { PERCENTILES_COUNT = sizeof(PERCENTILES) / sizeof(PERCENTILES[0]) };

static uint64_t mean_of(const struct call_durations *d)
{
    return d->n > 0 ? d->sum_ns / d->n : 0;
}

/* Under the name and "_ns". */
static void put_ns_of(struct json *j, struct str name, uint64_t ns)
{
    struct buf key = {0};

    buf_str(&key, name);
    buf_z(&key, "_ns");
    json_put_key(j, buf_view(&key));
    json_put_u64(j, NULL, ns);
    buf_part_end(j->b, &key);
}

/* From the first bar with calls to behind the last one. */
static void find_bars(const struct call_durations *d, uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = CALLS_BARS;
    while (*end > 0 && d->bars[*end - 1] == 0)
        --*end;
    while (*first < *end && d->bars[*first] == 0)
        ++*first;
}

/* ---- json ---- */

static void put_bars(struct json *j, const struct call_durations *d)
{
    uint32_t first, end;

    find_bars(d, &first, &end);
    json_open_array(j, "bars");
    for (uint32_t i = first; i < end; i++) {
        json_open_object(j, NULL);
        json_put_u64(j, "from_ns", calls_bar_from_ns(i));
        json_put_u64(j, "to_ns", calls_bar_from_ns(i + 1));
        json_put_u64(j, "calls", d->bars[i]);
        json_close(j);
    }
    json_close(j);
}

static void put_longest(struct json *j, const struct profile *p, const struct calls *calls,
                        const struct call_durations *d)
{
    json_open_array(j, "longest");
    for (uint32_t i = 0; i < d->n_longest; i++) {
        const struct profile_track *track = &p->tracks[d->longest[i].track];
        json_open_object(j, NULL);
        json_put_u64(j, "track", track->id);
        json_put_string(j, "thread", profile_string(p, track->name));
        json_put_u64(j, "begin_ns", d->longest[i].begin_ns);
        for (uint32_t c = 0; c < calls->n_clocks; c++)
            put_ns_of(j, p->values[c].name, d->longest[i].duration_ns[c]);
        json_close(j);
    }
    json_close(j);
}

void method_calls_json(struct json *j, const struct table *t, const struct calls *calls)
{
    const struct profile *p = t->profile;

    json_open_object(j, "durations");
    json_put_u64(j, "calls", calls->looked_at[0].n);
    json_open_array(j, "clocks");
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        const struct call_durations *d = &calls->looked_at[c];
        json_open_object(j, NULL);
        json_put_string(j, "name", p->values[c].name);
        json_put_u64(j, "min_ns", d->min_ns);
        for (size_t i = 0; i < PERCENTILES_COUNT; i++)
            put_ns_of(j, str_of(PERCENTILES[i].name), calls_percentile_ns(d, PERCENTILES[i].permille));
        json_put_u64(j, "max_ns", d->max_ns);
        json_put_u64(j, "mean_ns", mean_of(d));
        put_bars(j, d);
        put_longest(j, p, calls, d);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

/* ---- txt ---- */

/* Right-aligned; µ is two bytes in one cell. */
static void put_ns(struct buf *out, uint64_t ns)
{
    char text[NUMBER_BYTES_MAX];
    struct str s = {text, (size_t)(number_value(text, UNIT_NS, ns, DIGITS) - text)};
    size_t cells = s.n - (str_find(s, '\xc2') < s.n);

    for (; cells < VALUE_CELLS; cells++)
        buf_char(out, ' ');
    buf_str(out, s);
}

static void put_line(struct buf *out, const char *title, uint64_t ns)
{
    buf_printf(out, "%-10s", title);
    put_ns(out, ns);
    buf_char(out, '\n');
}

static void put_histogram(struct buf *out, const struct call_durations *d)
{
    uint32_t first, end;
    uint64_t most = 1;

    find_bars(d, &first, &end);
    for (uint32_t i = first; i < end; i++)
        most = d->bars[i] > most ? d->bars[i] : most;
    for (uint32_t i = first; i < end; i++) {
        put_ns(out, calls_bar_from_ns(i));
        buf_z(out, " and more  ");
        for (uint64_t cell = 0; cell < number_ratio(d->bars[i], most, BAR_CELLS); cell++)
            buf_char(out, '#');
        buf_z(out, d->bars[i] > 0 ? " " : "");
        buf_u64_grouped(out, d->bars[i]);
        buf_char(out, '\n');
    }
}

static void put_calls(struct buf *out, const struct profile *p, const struct calls *calls,
                      const struct call_durations *d)
{
    buf_z(out, "longest:   begins at");
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        for (size_t cells = p->values[c].name.n; cells < VALUE_CELLS; cells++)
            buf_char(out, ' ');
        clean_text(out, p->values[c].name);
    }
    buf_char(out, '\n');
    for (uint32_t i = 0; i < d->n_longest; i++) {
        buf_z(out, "        ");
        put_ns(out, d->longest[i].begin_ns);
        for (uint32_t c = 0; c < calls->n_clocks; c++)
            put_ns(out, d->longest[i].duration_ns[c]);
        buf_z(out, "  ");
        clean_text(out, profile_string(p, p->tracks[d->longest[i].track].name));
        buf_printf(out, " (%u)\n", p->tracks[d->longest[i].track].id);
    }
}

void method_calls_txt(struct buf *out, const struct table *t, const struct calls *calls)
{
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        const struct call_durations *d = &calls->looked_at[c];
        buf_z(out, "\ncalls, without those within others, by ");
        clean_text(out, t->profile->values[c].label);
        buf_char(out, '\n');
        put_line(out, "shortest", d->min_ns);
        for (size_t i = 0; i < PERCENTILES_COUNT; i++)
            put_line(out, PERCENTILES[i].name, calls_percentile_ns(d, PERCENTILES[i].permille));
        put_line(out, "longest", d->max_ns);
        put_line(out, "mean", mean_of(d));
        put_histogram(out, d);
        put_calls(out, t->profile, calls, d);
    }
}

/* ---- which method ---- */

enum { FOUND_MAX = 20, NAMED_BYTES_MAX = 500 };

/* In an address a name is one segment of the path, which cannot hold a slash: there a point stands for it. */
static bool is_signature(struct str said, struct str signature)
{
    if (said.n != signature.n)
        return false;
    for (size_t i = 0; i < said.n; i++)
        if (said.p[i] != signature.p[i] && !(said.p[i] == '.' && signature.p[i] == '/'))
            return false;
    return true;
}

/* The rows that a text names: `package.Class.method`, with or without the signature. As find_by_id. */
static void find_by_text(const struct table *t, struct str name, uint32_t *rows, uint32_t *n)
{
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row] || !str_starts(name, table_name(t, row)))
            continue;
        size_t taken = table_name(t, row).n;
        struct str rest = str_from(name, taken);
        if (rest.n > 0 && !is_signature(rest, names_parts(t->names, t->frame[row]).signature))
            continue;
        if (*n < FOUND_MAX)
            rows[*n] = row;
        ++*n;
    }
}

static bool find(const struct table *t, struct str name, uint32_t *rows, uint32_t *n, struct diag *diag)
{
    struct sha256 *h = sha256_new();
    bool ok = h != NULL && table_by_id(t, name, h, rows, FOUND_MAX, n);

    sha256_free(h);
    if (!ok)
        return diag_no_memory(diag, "No memory is left to find the method.");
    if (*n == 0)
        find_by_text(t, name, rows, n);
    return true;
}

static bool refuse_unknown(struct str name, struct diag *diag)
{
    struct buf b = {0};

    clean_text(&b, clean_cut(name, NAMED_BYTES_MAX));
    diag_set(diag, DIAG_NOT_FOUND, "no such method",
             "The table of methods lists names and ids; filters and the choice of threads may leave it out.",
             "No method is called %.*s.", (int)b.n, b.n > 0 ? b.p : "");
    buf_free(&b);
    return false;
}

static bool refuse_several(const struct table *t, const uint32_t *rows, uint32_t n, struct diag *diag)
{
    struct sha256 *h = sha256_new();
    char id[TABLE_ID_DIGITS + 1];
    struct buf b = {0};

    for (uint32_t i = 0; h != NULL && i < n && i < FOUND_MAX; i++) {
        if (!table_id(t, rows[i], h, id))
            continue;
        buf_printf(&b, "%s%s ", i == 0 ? "" : ", ", id);
        clean_text(&b, clean_cut(names_parts(t->names, t->frame[rows[i]]).signature, 100));
    }
    diag_set(diag, DIAG_AMBIGUOUS, "several methods have this name", "Name one by its id.",
             "%u methods have this name: %.*s%s.", n, (int)b.n, b.n > 0 ? b.p : "",
             n > FOUND_MAX ? ", and more" : "");
    buf_free(&b);
    sha256_free(h);
    return false;
}

/* As find, of what ran at all. */
static bool find_outside(const struct table *t, const struct profile *whole, struct str name, uint32_t *rows,
                         uint32_t *n, struct arena *arena, struct diag *diag)
{
    bool *ran = arena_array(arena, t->n, sizeof(*ran));
    struct table all = *t;

    if (ran == NULL)
        return fail_arena(arena, diag);
    for (node_id i = 0; i < whole->n_nodes; i++)
        if (whole->node_frame[i] != FRAME_NONE)
            ran[t->row_of_frame[whole->node_frame[i]]] = true;
    all.present = ran;
    return find(&all, name, rows, n, diag);
}

bool method_find(const struct render_input *in, const struct profile *whole, struct str name,
                 const struct table **t, uint32_t *row, struct diag *diag)
{
    uint32_t rows[FOUND_MAX] = {0}, n = 0;

    *t = methods_new(in->profile, in->names, in->view, GROUP_METHOD, in->scratch);
    if (*t == NULL)
        return fail_arena(in->scratch, diag);
    if (!find(*t, name, rows, &n, diag) ||
        (n == 0 && whole != NULL && !find_outside(*t, whole, name, rows, &n, in->scratch, diag)))
        return false;
    *row = rows[0];
    if (n != 1)
        return n == 0 ? refuse_unknown(name, diag) : refuse_several(*t, rows, n, diag);
    return true;
}

bool method_write(const struct render_input *in, const struct table *t, uint32_t row,
                  const struct method_format *format, const struct table_request *request, struct buf *out,
                  struct diag *diag)
{
    if (!format->write(t, row, in->calls, request, in->scratch, out))
        return fail_arena(in->scratch, diag);
    return !out->failed || fail_buf(out, diag);
}

/* ---- the report ---- */

struct report_collector {
    uint32_t row;
    const struct table *table;
    struct method_thread *threads;
    uint32_t at; /* of table.tracks: nodes come track after track */
};

static void report_collect(void *context, const struct table *t, const struct walk_node *node,
                           const struct walk_node *parent)
{
    struct report_collector *c = context;
    struct method_thread *thread = &c->threads[c->at];

    if (node->row == c->row && t->has_calls)
        thread->calls = number_add(thread->calls, profile_self(t->profile, node->node, t->calls_value));
    for (uint32_t m = 0; node->row == c->row && node->outermost && m < t->n_counted; m++)
        thread->inclusive[m] = number_add(thread->inclusive[m], walk_total(t, node, m));
    if (parent == NULL)
        c->at++;
}

/* Rows are numbered by their names, so that overloads stand together. */
static bool find_overloads(struct method_report *r, struct arena *arena)
{
    const struct table *t = r->table;
    struct str name = table_name(t, r->row);
    uint32_t first = r->row, end = r->row + 1;

    while (first > 0 && str_eq(table_name(t, first - 1), name))
        first--;
    while (end < t->n && str_eq(table_name(t, end), name))
        end++;
    uint32_t *rows = arena_array(arena, end - first, sizeof(*rows));
    for (uint32_t row = first; rows != NULL && row < end; row++)
        if (row != r->row && t->present[row])
            rows[r->n_overloads++] = row;
    r->overloads = rows;
    return rows != NULL;
}

bool method_report_new(struct method_report *r, const struct table *t, uint32_t row, struct arena *arena)
{
    struct report_collector c = {.row = row, .table = t};

    *r = (struct method_report){.table = t, .row = row, .sums = table_sums(t, row)};
    c.threads = arena_array(arena, t->n_tracks, sizeof(*c.threads));
    r->threads = c.threads;
    return c.threads != NULL && detail_new(&r->detail, t, row, arena) &&
           walk_nodes(t, report_collect, &c, arena) && find_overloads(r, arena);
}
