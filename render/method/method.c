#include "render/method/method.h"

#include "core/clean.h"
#include "render/table/methods.h"
#include "render/table/table_id.h"
#include "render/view/fail.h"

enum { FOUND_MAX = 20, NAMED_BYTES_MAX = 500 };

/* The rows that a text names: `package.Class.method`, with or without the signature. As find_by_id. */
static void find_by_text(const struct table *t, struct str name, uint32_t *rows, uint32_t *n)
{
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row] || !str_starts(name, table_name(t, row)))
            continue;
        size_t taken = table_name(t, row).n;
        struct str rest = {name.p + taken, name.n - taken};
        if (rest.n > 0 && !str_eq(rest, names_parts(t->names, t->frame[row]).signature))
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
