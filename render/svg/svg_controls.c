#include "core/clean.h"
#include "profile/transform/compare_sides.h"
#include "render/svg/svg_header.h"
#include "render/svg/viewer.h"
#include "render/view/key.h"

static const struct str MARK = STR_INIT("<?"), MARK_END = STR_INIT("?>");

struct controls {
    struct svg_pen *pen;
    const struct measure *measures;
    uint32_t n_measures;
    const struct tree *base;
};

static bool put_warnings(const struct controls *c)
{
    const struct profile *p = c->pen->in->profile;
    struct buf *out = c->pen->out;

    for (uint32_t i = 0; i < p->n_warnings; i++) {
        buf_z(out, "<p>");
        clean_xml(out, p->warnings[i].text);
        buf_z(out, "</p>");
    }
    return true;
}

/* Of one thread, and of times; only a service can draw it. */
static bool put_chart(const struct controls *c)
{
    bool timed = false;

    for (uint32_t i = 0; i < c->n_measures; i++)
        timed = timed || (c->measures[i].unit == UNIT_NS && c->pen->in->profile->compared == NULL);
    if (timed && !c->base->side_by_side && c->pen->in->view->tracks != TRACKS_MERGED)
        buf_z(c->pen->out, "<option class=\"service\">chart</option>");
    return true;
}

static bool put_palettes(const struct controls *c)
{
    bool compares = c->pen->in->profile->compared != NULL;

    for (unsigned i = 0; key_word("palette", i) != NULL; i++)
        if (i != (compares ? COLOURS_ORIGIN : COLOURS_CHANGE))
            buf_printf(c->pen->out, "<option>%s</option>", key_word("palette", i));
    return true;
}

static bool put_values(const struct controls *c)
{
    struct buf *out = c->pen->out;

    /* What is called how often is told of a comparison, and is no width. */
    uint32_t n = c->pen->in->profile->compared != NULL ? COMPARE_CALLS_A : c->n_measures;
    for (uint32_t i = 0; i < n; i++) {
        buf_z(out, "<option value=\"");
        clean_xml(out, measure_key(c->measures[i].name));
        buf_z(out, "\">");
        clean_xml(out, c->measures[i].label);
        buf_z(out, "</option>");
    }
    return true;
}

static bool put_legends(const struct controls *c)
{
    return svg_legends(c->pen, c->base);
}

static const struct part {
    struct str word;
    bool (*put)(const struct controls *c);
} PARTS[] = {
    {STR_INIT("warnings"), put_warnings}, {STR_INIT("chart"), put_chart},
    {STR_INIT("values"), put_values},     {STR_INIT("palettes"), put_palettes},
    {STR_INIT("legends"), put_legends},
};

static bool put_part(const struct controls *c, struct str word)
{
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        if (str_eq(PARTS[i].word, word))
            return PARTS[i].put(c);
    return true;
}

bool svg_controls(struct svg_pen *pen, const struct measure *measures, uint32_t n, const struct tree *base)
{
    const struct controls c = {pen, measures, n, base};
    struct str rest = viewer_controls();
    bool ok = true;

    for (size_t at; ok && (at = str_find_str(rest, MARK)) < rest.n;) {
        buf_bytes(pen->out, rest.p, at);
        rest = (struct str){rest.p + at + MARK.n, rest.n - at - MARK.n};
        size_t n_word = str_find_str(rest, MARK_END);
        ok = put_part(&c, (struct str){rest.p, n_word});
        rest = (struct str){rest.p + n_word + MARK_END.n, rest.n - n_word - MARK_END.n};
    }
    buf_str(pen->out, rest);
    return ok;
}
