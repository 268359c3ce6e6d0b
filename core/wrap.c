#include "core/wrap.h"

#include "core/clean.h"

void wrap_text(struct buf *b, struct str text, size_t column, size_t indent, size_t width)
{
    bool line_begins = true;
    struct str word;

    while (str_split(&text, ' ', &word)) {
        size_t n = clean_length(word);
        if (!line_begins && column + 1 + n > width) {
            buf_char(b, '\n');
            for (column = 0; column < indent; column++)
                buf_char(b, ' ');
            line_begins = true;
        }
        if (!line_begins) {
            buf_char(b, ' ');
            column++;
        }
        buf_str(b, word);
        column += n;
        line_begins = false;
    }
    buf_char(b, '\n');
}
