#include "render/digest/profile_digest.h"

#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "render/table/table.h"
#include "runs/run_digest.h"

/* A list of rows of a table, each with the name that it gets in the digest. */
struct named {
    const struct table *t;
    uint32_t n_values;
    uint32_t n;
    uint32_t *rows;     /* [n], the present ones */
    struct str *names;  /* by row */
    uint64_t *heaviest; /* by row: its largest share of a value, in 2^-32 of the total */
};

/* ---- numbers ---- */

static uint64_t share_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint64_t)((double)part / (double)whole * 4294967296.0);
}

static uint64_t heaviest_share(const struct named *l, uint32_t row)
{
    const struct table_sums sums = table_sums(l->t, row);
    uint64_t most = 0;

    for (uint32_t v = 0; v < l->n_values; v++) {
        uint64_t share = share_of(sums.inclusive[v], l->t->total[v]);
        most = share > most ? share : most;
    }
    return most;
}

static void put_net(struct buf *out, struct net n)
{
    buf_char(out, '\t');
    if (n.size > INT64_MAX)
        n.size = INT64_MAX;
    net_put(out, n);
}

/* ---- names ---- */

/* `package.Class.method(signature) [module]`: what tells a method from all others, but for its build. */
static void put_method_name(struct buf *b, const struct table *t, uint32_t row)
{
    const struct profile *p = t->profile;
    const struct profile_frame *frame = &p->frames[t->frame[row]];
    struct str signature = profile_string(p, frame->signature), module = profile_string(p, frame->module);

    clean_text(b, table_name(t, row));
    if (signature.n > 0) {
        buf_z(b, signature.p[0] == '(' ? "" : "(");
        clean_text(b, signature);
        buf_z(b, signature.p[0] == '(' ? "" : ")");
    }
    if (module.n > 0) {
        buf_z(b, " [");
        clean_text(b, module);
        buf_char(b, ']');
    }
}

/* The name of each present row, terminated by a NUL, one behind the other; then the slices of it. */
static bool take_names(struct named *l, struct buf *text, struct arena *arena)
{
    size_t at = 0;

    l->rows = arena_array(arena, (size_t)l->t->n + 1, sizeof(*l->rows));
    l->names = arena_array(arena, (size_t)l->t->n + 1, sizeof(*l->names));
    l->heaviest = arena_array(arena, (size_t)l->t->n + 1, sizeof(*l->heaviest));
    if (l->rows == NULL || l->names == NULL || l->heaviest == NULL)
        return false;
    for (uint32_t row = 0; row < l->t->n; row++) {
        if (!l->t->present[row])
            continue;
        l->rows[l->n++] = row;
        l->heaviest[row] = heaviest_share(l, row);
        if (l->t->frame == NULL)
            clean_text(text, table_name(l->t, row).n > 0 ? table_name(l->t, row) : STR("(no name)"));
        else
            put_method_name(text, l->t, row);
        l->names[row].n = text->n - at;
        buf_char(text, '\0');
        at = text->n;
    }
    at = 0;
    for (uint32_t i = 0; i < l->n && !text->failed; i++) {
        struct str *name = &l->names[l->rows[i]];
        name->p = text->p + at;
        at += name->n + 1;
    }
    return !text->failed;
}

/* ---- which rows, and their order ---- */

static bool is_heavier(const void *context, uint32_t a, uint32_t b)
{
    const struct named *l = context;

    return l->heaviest[a] > l->heaviest[b];
}

/* The heaviest of them, in this order if there are more than `most`. *left: how many there are beside them. */
static bool keep_heaviest(struct named *l, uint32_t most, uint64_t *left, struct arena *arena)
{
    *left = 0;
    if (l->n <= most)
        return true;
    *left = l->n - most;
    bool ok = order_array(l->rows, l->n, is_heavier, l, arena);
    l->n = most;
    return ok;
}

/* ---- lines ---- */

/* Of rows with one name, the sums. */
static void put_numbers(struct buf *out, const struct named *l, const uint32_t *rows, uint32_t n)
{
    for (uint32_t v = 0; v < l->n_values; v++) {
        uint64_t sums[4] = {0};
        for (uint32_t i = 0; i < n; i++) {
            const struct table_sums s = table_sums(l->t, rows[i]);
            uint32_t minus = l->t->minus[v];
            sums[0] = number_add(sums[0], s.inclusive[v]);
            sums[1] = number_add(sums[1], minus > 0 ? s.inclusive[minus] : 0);
            sums[2] = number_add(sums[2], s.exclusive[v]);
            sums[3] = number_add(sums[3], minus > 0 ? s.exclusive[minus] : 0);
        }
        put_net(out, net_of(sums[0], sums[1]));
        if (l->t->frame != NULL)
            put_net(out, net_of(sums[2], sums[3]));
    }
}

static void put_calls(struct buf *out, const struct named *l, const uint32_t *rows, uint32_t n)
{
    uint64_t calls = 0;

    for (uint32_t i = 0; i < n; i++)
        calls = number_add(calls, table_sums(l->t, rows[i]).calls);
    put_net(out, net_of(calls, 0));
}

/* How many rows from here on have one name. */
static uint32_t alike(const struct named *l, uint32_t from)
{
    uint32_t n = 1;

    while (from + n < l->n && str_eq(l->names[l->rows[from]], l->names[l->rows[from + n]]))
        n++;
    return n;
}

static void put_values(struct buf *out, const struct named *l)
{
    buf_z(out, "aflamed-digest\t1\n");
    for (uint32_t v = 0; v < l->n_values; v++) {
        buf_z(out, "value\t");
        clean_text(out, l->t->measures[v].name);
        buf_printf(out, "\t%s", unit_word(l->t->measures[v].unit));
        put_net(out, table_net(l->t, l->t->total, v));
        buf_char(out, '\n');
    }
}

/* Whether one of the threads is the main one. */
static bool has_main(const struct named *l, const uint32_t *rows, uint32_t n)
{
    const struct profile *p = l->t->profile;

    for (uint32_t i = 0; i < n; i++)
        if (l->t->tracks[rows[i]] == profile_first_shown(p) && str_eq(l->names[rows[i]], STR("main")))
            return true;
    return false;
}

static void put_rows(struct buf *out, const struct named *l)
{
    for (uint32_t i = 0, n; i < l->n; i += n) {
        const uint32_t *rows = &l->rows[i];
        n = alike(l, i);
        buf_z(out, l->t->frame == NULL ? "thread\t" : "");
        buf_str(out, l->names[rows[0]]);
        if (l->t->frame == NULL)
            buf_z(out, has_main(l, rows, n) ? "\tmain" : "\t-");
        else
            put_calls(out, l, rows, n);
        put_numbers(out, l, rows, n);
        buf_char(out, '\n');
    }
}

static uint32_t names_apart(const struct named *l)
{
    uint32_t apart = 0;

    for (uint32_t i = 0; i < l->n; i += alike(l, i))
        apart++;
    return apart;
}

/* ---- all of it ---- */

/* The rows of the table that have a place, in the order of their names, which lie in `text`. False: diag. */
static bool choose(struct named *l, uint32_t most, struct buf *text, uint64_t *left, struct arena *arena,
                   struct diag *diag)
{
    bool ok = take_names(l, text, arena) && keep_heaviest(l, most, left, arena) &&
              order_strings(l->rows, l->n, l->names, arena);

    if (ok)
        return true;
    return text->failed ? fail_buf(text, diag) : fail_arena(arena, diag);
}

static bool write_part(const struct render_input *in, enum table_group group, struct buf *out,
                       struct diag *diag)
{
    struct named l = {.t = methods_of_value(in->profile, in->names, in->view, group, in->scratch)};
    struct buf text = {0};
    uint64_t left = 0;

    if (l.t == NULL)
        return fail_arena(in->scratch, diag);
    l.n_values = l.t->n_measures < RUN_DIGEST_VALUES_MAX ? l.t->n_measures : RUN_DIGEST_VALUES_MAX;
    bool ok = choose(&l, group == GROUP_THREAD ? RUN_DIGEST_THREADS_MAX : RUN_DIGEST_METHODS_MAX, &text,
                     &left, in->scratch, diag);
    if (ok && group == GROUP_THREAD)
        put_values(out, &l);
    else if (ok)
        buf_printf(out, "methods\t%u\t%llu\n", names_apart(&l), (unsigned long long)left);
    if (ok)
        put_rows(out, &l);
    buf_free(&text);
    return ok;
}

static void put_step(struct buf *out, const char *name, enum unit unit, uint64_t number)
{
    buf_printf(out, "step\t%s\t%s", name, unit_word(unit));
    put_net(out, net_of(number, 0));
    buf_char(out, '\n');
}

static void put_range(struct buf *out, const char *name, struct system_range range)
{
    if (range.to_ns > range.from_ns)
        put_step(out, name, UNIT_NS, range.to_ns - range.from_ns);
}

/* How long the app took to start, by the three moments at which it may be said to have, and how it drew. */
static void put_steps(const struct profile *p, const struct system_log *log, struct buf *out)
{
    uint64_t frames = p->n_screen_frames > 0 ? p->n_screen_frames : log->frames;

    put_range(out, "start", log->start);
    put_range(out, "launching", log->launch);
    if (log->start.to_ns > 0)
        put_range(out, "fully-drawn", (struct system_range){log->start.from_ns, log->drawn_ns});
    if (frames == 0)
        return;
    put_step(out, "frames", UNIT_COUNT, frames);
    put_step(out, "late-frames", UNIT_COUNT, p->n_screen_frames > 0 ? profile_late_frames(p) : log->late);
    put_range(out, "longest-frame", log->longest_frame);
}

bool digest_write(const struct render_input *in, const struct system_log *log, struct buf *out,
                  struct diag *diag)
{
    if (!write_part(in, GROUP_THREAD, out, diag))
        return false;
    if (log != NULL)
        put_steps(in->profile, log, out);
    return write_part(in, GROUP_METHOD, out, diag) && (!out->failed || fail_buf(out, diag));
}
