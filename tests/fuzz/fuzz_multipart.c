/* Forms in any pieces: the parts of the whole, or a complaint as well. The boundary is B. */
#include "server/http/message/multipart.h"
#include "tests/support/fuzzing.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool begin(void *context, const struct multipart_part *part)
{
    struct buf *parts = context;

    buf_printf(parts, "[%d|", part->has_filename);
    buf_str(parts, part->name);
    buf_char(parts, '|');
    buf_str(parts, part->filename);
    buf_char(parts, '|');
    buf_str(parts, part->content_type);
    buf_char(parts, ']');
    return true;
}

static bool data_of(void *context, const char *p, size_t n)
{
    fuzzing_check(n > 0);
    buf_bytes(context, p, n);
    return true;
}

static bool end(void *context)
{
    buf_char(context, ';');
    return true;
}

/* Appends the parts, and how it ended. */
static void parse(struct buf *parts, const uint8_t *data, size_t size, const size_t *cuts, size_t n_cuts)
{
    struct multipart *m = multipart_new("B", (struct multipart_handler){begin, data_of, end, parts});
    struct diag diag = {0};
    bool ok = m != NULL;
    size_t at = 0;

    fuzzing_check(ok);
    for (size_t i = 0; ok && i <= n_cuts; i++) {
        size_t to = i < n_cuts ? cuts[i] : size;
        struct str piece = fuzzing_copy(data + at, to - at);
        ok = multipart_feed(m, piece.p, piece.n, &diag);
        free((char *)piece.p);
        at = to;
    }
    ok = ok && multipart_finish(m, &diag);
    fuzzing_check(ok == (diag.kind == DIAG_NONE));
    multipart_free(m);
    /* Data in front of a complaint may come in part. */
    if (!ok)
        buf_clear(parts);
    buf_z(parts, ok ? "." : diag.detail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole = {0}, cut = {0};
    size_t cuts[FUZZING_CUTS];

    fuzzing_cut_points(data, size, cuts);
    parse(&whole, data, size, NULL, 0);
    parse(&cut, data, size, cuts, FUZZING_CUTS);
    fuzzing_check(!whole.failed && !cut.failed && str_eq(buf_view(&whole), buf_view(&cut)));
    buf_free(&whole);
    buf_free(&cut);
    return 0;
}
