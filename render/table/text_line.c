#include "render/table/text_line.h"

#include "render/names/names.h"

enum { GAP = 2 };

/* What has failed stays so: buf_clear would forget it. */
void text_line_begin(struct text_line *l)
{
    l->text.n = 0;
    l->cells = 0;
}

void text_line_end_cell(struct text_line *l)
{
    l->ends[l->cells++] = l->text.n;
}

void text_line_add(struct text_line *l, const char *text)
{
    buf_z(&l->text, text);
    text_line_end_cell(l);
}

struct str text_line_cell(const struct text_line *l, unsigned i)
{
    size_t begin = i > 0 ? l->ends[i - 1] : 0;

    return (struct str){l->text.p + begin, l->ends[i] - begin};
}

void text_line_widen(struct text_line *l)
{
    for (unsigned i = 0; i < l->cells && !l->text.failed; i++) {
        size_t cells = fit_cells(text_line_cell(l, i));
        l->widths[i] = cells > l->widths[i] ? cells : l->widths[i];
    }
}

/* Once the text has failed a cell may be wider than its column, which was measured without it. */
void text_line_put(const struct text_line *l, struct buf *out)
{
    out->failed = out->failed || l->text.failed;
    for (unsigned i = 0; i < l->cells && !out->failed; i++) {
        struct str text = text_line_cell(l, i);
        for (size_t blanks = GAP + l->widths[i] - fit_cells(text); blanks > 0; blanks--)
            buf_char(out, ' ');
        buf_str(out, text);
    }
    buf_z(out, "  ");
}

void text_line_free(struct text_line *l)
{
    buf_free(&l->text);
}
