#include "parser/format.h"
#include "server/pages/pages.h"

void page_formats(struct buf *b, const char *separator)
{
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        buf_z(b, i == 0 ? "" : separator);
        buf_z(b, FORMATS[i]->label);
    }
}
