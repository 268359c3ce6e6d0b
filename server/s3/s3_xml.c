/* The few elements of the store's answers that are needed: XML without attributes, written by a program. */

#include "server/s3/s3_impl.h"

static struct str behind(struct str s, size_t n)
{
    return (struct str){s.p + n, s.n - n};
}

bool s3_xml_next(struct str *rest, struct str name, struct str *text)
{
    for (struct str at = *rest;;) {
        size_t open = str_find(at, '<');
        if (open + 1 + name.n >= at.n)
            return false;
        at = behind(at, open + 1);
        if (!str_starts(at, name) || at.p[name.n] != '>')
            continue;
        at = behind(at, name.n + 1);
        size_t end = str_find(at, '<');
        *text = (struct str){at.p, end};
        *rest = behind(at, end);
        return end < at.n;
    }
}

void s3_xml_text(struct buf *b, struct str text)
{
    static const struct {
        struct str entity;
        char c;
    } ENTITIES[] = {{STR_INIT("&amp;"), '&'},
                    {STR_INIT("&lt;"), '<'},
                    {STR_INIT("&gt;"), '>'},
                    {STR_INIT("&quot;"), '"'},
                    {STR_INIT("&apos;"), '\''}};

    while (text.n > 0) {
        size_t n = 1;
        char c = text.p[0];
        for (size_t i = 0; i < sizeof(ENTITIES) / sizeof(ENTITIES[0]); i++)
            if (str_starts(text, ENTITIES[i].entity)) {
                c = ENTITIES[i].c;
                n = ENTITIES[i].entity.n;
            }
        buf_char(b, c);
        text = behind(text, n);
    }
}
