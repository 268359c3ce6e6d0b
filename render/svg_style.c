#include "render/palette.h"
#include "render/svg.h"

#define LIGHT(number, light, dark) ".c" #number "{fill:" light "}"
#define DARK(number, light, dark)  ".c" #number "{fill:" dark "}"

/* Light unless the viewer asks for dark, and on paper. With forced colours the frames are outlines in the
 * system's own. */
/* clang-format off */
static const char STYLE[] =
    ".af{font:12px ui-monospace,Menlo,\"DejaVu Sans Mono\",\"Liberation Mono\",Consolas,monospace}"
    ".af text{fill:" PALETTE_TEXT_LIGHT ";white-space:pre}"
    ".af .t{font-size:16px;font-weight:bold}"
    ".af .s{fill:" PALETTE_SUBTEXT_LIGHT "}"
    ".af .w{fill:" PALETTE_WARN_LIGHT "}"
    ".bg{fill:" PALETTE_PAGE_LIGHT "}"
    ".cr{fill:" PALETTE_TRACK_LIGHT "}"
    PALETTE_COLOURS(LIGHT)
    ".f text{pointer-events:none}"
    ".f rect{stroke:#000;stroke-opacity:.22;stroke-width:.4}"
    ".f g:hover rect{stroke-opacity:1;stroke-width:1}"
    "@media screen and (prefers-color-scheme:dark){"
        ".af text{fill:" PALETTE_TEXT_DARK "}"
        ".af .s{fill:" PALETTE_SUBTEXT_DARK "}"
        ".af .w{fill:" PALETTE_WARN_DARK "}"
        ".bg{fill:" PALETTE_PAGE_DARK "}"
        ".cr{fill:" PALETTE_TRACK_DARK "}"
        PALETTE_COLOURS(DARK)
        ".f g:hover rect{stroke:#fff}"
    "}"
    "@media (forced-colors:active){"
        ".af{forced-color-adjust:none}"
        ".bg{fill:Canvas}"
        ".af text,.af .s,.af .w{fill:CanvasText}"
        ".af .f rect{fill:Canvas;stroke:CanvasText;stroke-opacity:1}"
        ".af .f g:hover rect{fill:Highlight}"
        ".af .f g:hover text{fill:HighlightText}"
    "}";
/* clang-format on */

struct str svg_style(void)
{
    return (struct str){STYLE, sizeof(STYLE) - 1};
}

/* Nothing before it in a picture has a "<" that is not markup. */
struct str svg_style_element(struct str svg)
{
    static const struct str START = STR_INIT("<style>"), END = STR_INIT("</style>");
    size_t at = str_find_str(svg, START), n = START.n + sizeof(STYLE) - 1 + END.n;
    struct str element = {svg.p + at, svg.n - at}, content;

    if (element.n < n)
        return (struct str){svg.p + svg.n, 0};
    element.n = n;
    content = (struct str){element.p + START.n, sizeof(STYLE) - 1};
    if (str_eq(content, svg_style()) && str_ends(element, END))
        return element;
    return (struct str){svg.p + svg.n, 0};
}
