#include "render/svg/svg_code.h"

#include "render/svg/viewer.h"

static const struct str STYLE_START = STR_INIT("<style><![CDATA["), STYLE_END = STR_INIT("]]></style>\n");
static const struct str SCRIPT_START = STR_INIT("<script><![CDATA["), SCRIPT_END = STR_INIT("]]></script>\n");

void svg_put_style(struct buf *out, struct str style)
{
    buf_str(out, STYLE_START);
    buf_str(out, style);
    buf_str(out, STYLE_END);
}

void svg_put_script(struct buf *out, struct str script)
{
    buf_str(out, SCRIPT_START);
    buf_str(out, script);
    buf_str(out, SCRIPT_END);
}

static struct str behind(struct str s, size_t n)
{
    return (struct str){s.p + n, s.n - n};
}

/* Takes the part off the front of *s. */
static bool take(struct str *s, struct str part)
{
    if (!str_starts(*s, part))
        return false;
    *s = behind(*s, part.n);
    return true;
}

/* Cuts *s at an element: what stands before it is returned, what stands behind it is left. Without it all of *s is
 * returned, and nothing is left: outside of style and script no "<" is anything but markup. */
static struct str cut(struct str *s, struct str start, struct str inner, struct str end)
{
    size_t at = str_find_str(*s, start);
    struct str all = *s, rest = behind(*s, at);

    *s = (struct str){NULL, 0};
    if (!take(&rest, start) || !take(&rest, inner) || !take(&rest, end))
        return all;
    *s = rest;
    return (struct str){all.p, at};
}

struct svg_parts svg_without_code(struct str svg)
{
    struct svg_parts parts;

    parts.pieces[0] = cut(&svg, STYLE_START, viewer_style(), STYLE_END);
    parts.pieces[1] = cut(&svg, SCRIPT_START, viewer_script(), SCRIPT_END);
    parts.pieces[2] = svg;
    return parts;
}

bool svg_emptied_by(struct str svg, uint32_t *step)
{
    static const struct str NAME = STR_INIT(" data-emptied-by=\"");
    struct str head = {svg.p,
                       str_find(svg, '\n')}; /* the tags of the element: no value has a quote or a new line */
    size_t at = str_find_str(head, NAME);
    uint64_t value = 0;

    if (at == head.n)
        return false;
    struct str rest = behind(head, at + NAME.n);
    bool found = str_to_u64((struct str){rest.p, str_find(rest, '"')}, 10, &value) && value <= UINT32_MAX;
    *step = (uint32_t)value;
    return found;
}
