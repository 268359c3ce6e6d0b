#include "render/svg.h"
#include "render/viewer.h"

static const struct str STYLE_START = STR_INIT("<style><![CDATA["), STYLE_END = STR_INIT("]]></style>\n");
static const struct str SCRIPT_START = STR_INIT("<script><![CDATA["), SCRIPT_END = STR_INIT("]]></script>\n");
static const struct str PICTURE_END = STR_INIT("</svg>\n");

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

/* Takes the part off the end of *s. */
static bool take_end(struct str *s, struct str part)
{
    if (!str_ends(*s, part))
        return false;
    s->n -= part.n;
    return true;
}

/* Nothing before the style has a "<" that is not markup, and behind the script is only the end. */
struct svg_parts svg_without_code(struct str svg)
{
    size_t at = str_find_str(svg, STYLE_START);
    struct str rest = behind(svg, at);

    if (take(&rest, STYLE_START) && take(&rest, viewer_style()) && take(&rest, STYLE_END) &&
        take_end(&rest, PICTURE_END) && take_end(&rest, SCRIPT_END) && take_end(&rest, viewer_script()) &&
        take_end(&rest, SCRIPT_START))
        return (struct svg_parts){{{svg.p, at}, rest, PICTURE_END}};
    return (struct svg_parts){{svg, {NULL, 0}, {NULL, 0}}};
}
