#include "render/names/cell_text.h"

#include <string.h>

#include "core/clean.h"

static void put_tsv(struct buf *out, struct str text, struct buf *scratch)
{
    (void)scratch;
    clean_text(out, text);
}

static void put_quoted(struct buf *out, struct str text)
{
    struct str rest = text, part;

    buf_char(out, '"');
    for (bool first = true; str_split(&rest, '"', &part); first = false) {
        buf_z(out, first ? "" : "\"\"");
        buf_str(out, part);
    }
    buf_char(out, '"');
}

static void put_csv(struct buf *out, struct str text, struct buf *scratch)
{
    buf_clear(scratch);
    if (text.n > 0 && memchr("=+-@", text.p[0], 4) != NULL)
        buf_char(scratch, '\'');
    clean_text(scratch, text);
    out->failed = out->failed || scratch->failed;
    struct str cleaned = buf_view(scratch);
    if (str_find(cleaned, ',') < cleaned.n || str_find(cleaned, '"') < cleaned.n)
        put_quoted(out, cleaned);
    else
        buf_str(out, cleaned);
}

const struct cell_style CELL_TSV = {'\t', put_tsv}, CELL_CSV = {',', put_csv};
