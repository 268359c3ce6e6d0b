#include "render/card/card.h"

#include <string.h>

#include "core/number.h"
#include "profile/frame/short_name.h"
#include "render/card/canvas.h"
#include "render/names/names.h"
#include "render/names/palette.h"
#include "render/svg/data_nodes.h"
#include "render/svg/layout.h"
#include "render/svg/svg_header.h"
#include "render/tree/tree.h"

enum {
    PAD_PX = 40,
    INNER_PX = CARD_WIDTH_PX - 2 * PAD_PX,
    NAME_Y_PX = 76,
    HEADLINE_Y_PX = 134, /* the base line of its first line */
    HEADLINE_STEP_PX = 42,
    HEADLINE_LINES = 3,
    CAPTION_PX = 48, /* from the last line above to the base line of the caption */
    GRAPH_GAP_PX = 18,
    GRAPH_END_PX = CARD_HEIGHT_PX - 28,
    LEVEL_MOST_PX = 30,
    LEVEL_LEAST_PX = 20,
    LEVEL_TEXT_PX = 16, /* lower frames have no text */
    FRAMES_MOST = 3000,
    FRAME_LEAST_MILLI_PX = 700,
    LADDER_PERCENT = 95, /* a child that has so much of its parent tells nothing new */
    FRAME_PAD_PX = 5,
    GAP_DPX = 8, /* between frames that are not as narrow as this */
    GAP_DPX_LEAST = 12,
    BRAND_PX = 8,
    AMOUNT_DIGITS = 4
};

enum { PAGE = 0xffffff, TEXT = 0x1a1a1a, QUIET = 0x595959, BRAND = 0xa83a00 };

static const struct canvas_font NAME_FONT = {50, true, TEXT};
static const struct canvas_font HEADLINE_FONT = {33, false, TEXT};
static const struct canvas_font CAPTION_FONT = {24, false, QUIET};
static const struct canvas_font BRAND_FONT = {24, true, BRAND};

/* ---- colours ---- */

#define COLOUR(letter, number, light) {#letter #number, light},
#define COLOUR_C(number, light, dark) COLOUR(c, number, light)
#define COLOUR_O(number, light, dark) COLOUR(o, number, light)
#define COLOUR_H(number, light, dark) COLOUR(h, number, light)
#define COLOUR_Y(number, light, dark) COLOUR(y, number, light)
#define COLOUR_D(number, light, dark) COLOUR(d, number, light)

/* The fills of the pictures' style (render/names/palette.h), by class. */
static const struct {
    const char *class, *fill;
} COLOURS[] = {{"cr", PALETTE_TRACK_LIGHT},
               /* clang-format off */
               PALETTE_COLOURS(COLOUR_C) PALETTE_ORIGINS(COLOUR_O) PALETTE_SELF(COLOUR_H)
               PALETTE_CLASSIC(COLOUR_Y) PALETTE_CHANGE(COLOUR_D)
               /* clang-format on */};

static uint32_t colour_of(const char *class)
{
    uint64_t colour = 0;

    for (size_t i = 0; i < sizeof(COLOURS) / sizeof(*COLOURS); i++)
        if (strcmp(COLOURS[i].class, class) == 0)
            (void)str_to_u64(str_of(COLOURS[i].fill + 1), 16, &colour);
    return (uint32_t)colour;
}

/* ---- the graph ---- */

struct card {
    const struct render_input *in;
    struct data_tree data;
    const struct tree *tree;
    struct frame_colours palette;
    struct canvas canvas;
    uint32_t top_px;        /* of the graph */
    struct buf name, least; /* of the frame that is being drawn: profile/frame/short_name.h */
};

/* What of the tree is drawn, and how high its levels are. */
struct graph {
    const struct layout *layout;
    const struct layout_box *root; /* box of the lowest frame, which is as wide as the card */
    uint32_t level_px;
};

/* The widest child of a node that has nearly all of it; else 0. */
static uint32_t ladder_child(const struct tree *t, uint32_t place)
{
    uint32_t end = place + t->size[place];

    for (uint32_t child = place + 1; child < end; child += t->size[child])
        if (number_multiply(tree_total(t, child, 0), 100) >=
            number_multiply(tree_total(t, place, 0), LADDER_PERCENT))
            return child;
    return 0;
}

static const struct layout_box *box_of(const struct layout *l, uint32_t place)
{
    for (uint32_t i = 0; i < l->n_boxes; i++)
        if (l->boxes[i].place == place)
            return &l->boxes[i];
    return NULL;
}

/* Levels at the bottom that are one frame, as those by which every main thread begins, are left out where there is no
 * room for all. */
static void choose_root(const struct card *c, struct graph *g)
{
    uint32_t room = (GRAPH_END_PX - c->top_px) / LEVEL_LEAST_PX, place = 0, left = g->layout->levels;

    while (left > room) {
        uint32_t child = ladder_child(c->tree, place);
        const struct layout_box *box = child > 0 ? box_of(g->layout, child) : NULL;
        if (box == NULL)
            break;
        g->root = box;
        place = child;
        left--;
    }
    uint32_t px = (GRAPH_END_PX - c->top_px) / (left > 0 ? left : 1);
    g->level_px = px > LEVEL_MOST_PX ? LEVEL_MOST_PX : px < LEVEL_LEAST_PX ? LEVEL_LEAST_PX : px;
}

/* The longest form of the frame's name that there is room for: with its package, with its class, alone; or as a person calls
 * it. Until the next one. */
static struct str frame_text(struct card *c, frame_id frame, const struct canvas_font *font, float room_px)
{
    const struct tree *t = c->tree;

    if (frame >= t->n_frames)
        return tree_is_track(t, frame) ? names_track(c->in->names, frame - t->n_frames) : STR("");
    struct str text = names_frame(c->in->names, frame);
    struct frame_parts parts = names_parts(c->in->names, frame);
    size_t simple = str_behind_last(parts.scope, '.').n + 1 + parts.name.n;
    if (canvas_width(font, text) <= room_px)
        return text;
    buf_clear(&c->name);
    buf_clear(&c->least);
    if (short_name_put(&parts, &c->name, &c->least))
        return canvas_width(font, buf_view(&c->name)) <= room_px ? buf_view(&c->name) : buf_view(&c->least);
    if (parts.scope.n == 0 || parts.name.n == 0 || simple >= text.n)
        return text;
    text = (struct str){text.p + text.n - simple, simple};
    return canvas_width(font, text) <= room_px ? text : parts.name;
}

static void put_frame(struct card *c, const struct canvas_box *box, uint32_t place)
{
    struct canvas_font font = {box->height_px * 2 / 3, false, TEXT};
    frame_id frame = tree_frame(c->tree, place);
    bool compared = c->in->profile->compared != NULL;
    struct frame_colours_node node = {
        frame, tree_self(c->tree, place, 0),
        compared ? tree_total(c->tree, place, c->data.column[COMPARE_SIDE_A]) : 0,
        compared ? tree_total(c->tree, place, c->data.column[COMPARE_SIDE_B]) : 0};
    float room_px = (float)box->width_dpx / 10 - 2 * FRAME_PAD_PX;

    canvas_fill(&c->canvas, box, colour_of(frame_colours_class(&c->palette, c->tree, node).text));
    if (box->height_px < LEVEL_TEXT_PX || room_px < (float)font.px * 2)
        return;
    canvas_text(&c->canvas, &font, box->x_dpx / 10 + FRAME_PAD_PX, box->y_px + box->height_px * 7 / 10,
                room_px, frame_text(c, frame, &font, room_px));
}

/* Where the box stands on the card. False: it is left or right of what is shown, or above the graph. */
static bool place_box(const struct card *c, const struct graph *g, const struct layout_box *box,
                      struct canvas_box *to)
{
    uint32_t root = g->root->place, wide = g->root->width_dpx;

    if (box->place < root || box->place >= root + c->tree->size[root])
        return false;
    uint32_t level = c->tree->depth[box->place] - c->tree->depth[root];
    if ((level + 1) * g->level_px > GRAPH_END_PX - c->top_px)
        return false;
    uint64_t from = (uint64_t)(box->x_dpx - g->root->x_dpx) * INNER_PX * 10 / wide;
    uint64_t end = (uint64_t)(box->x_dpx - g->root->x_dpx + box->width_dpx) * INNER_PX * 10 / wide;
    bool down = c->in->view->view == VIEW_ICICLE;
    *to = (struct canvas_box){.x_dpx = PAD_PX * 10 + (uint32_t)from,
                              .width_dpx = (uint32_t)(end - from),
                              .y_px = down ? c->top_px + level * g->level_px
                                           : GRAPH_END_PX - (level + 1) * g->level_px,
                              .height_px = g->level_px - 1};
    if (to->width_dpx > 2 * GAP_DPX_LEAST) /* neighbours of one colour are told apart */
        to->width_dpx -= GAP_DPX;
    return true;
}

static bool put_graph(struct card *c)
{
    const struct layout_limits limits = {INNER_PX + 2 * LAYOUT_PAD_PX, FRAME_LEAST_MILLI_PX, FRAMES_MOST};
    struct graph g = {.layout = layout_new(c->tree, &limits, c->in->scratch)};
    struct canvas_box box;

    if (g.layout == NULL)
        return false;
    if (g.layout->n_boxes == 0)
        return true;
    g.root = g.layout->boxes;
    choose_root(c, &g);
    for (uint32_t i = 0; i < g.layout->n_boxes; i++)
        if (place_box(c, &g, &g.layout->boxes[i], &box))
            put_frame(c, &box, g.layout->boxes[i].place);
    return true;
}

/* ---- words ---- */

/* Returns the base line of the last line. */
static uint32_t put_words(struct card *c, const struct card_words *words)
{
    struct str rest = words->headline;
    uint32_t y_px = NAME_Y_PX;

    canvas_text(&c->canvas, &NAME_FONT, PAD_PX, NAME_Y_PX, INNER_PX, words->name);
    for (uint32_t i = 0; i < HEADLINE_LINES && rest.n > 0; i++) {
        y_px = HEADLINE_Y_PX + i * HEADLINE_STEP_PX;
        bool is_last = i + 1 == HEADLINE_LINES; /* that is cut */
        struct str line = is_last ? rest : canvas_line(&HEADLINE_FONT, INNER_PX, &rest);
        canvas_text(&c->canvas, &HEADLINE_FONT, PAD_PX, y_px, INNER_PX, line);
    }
    return y_px;
}

/* "main (21491) · wall time · 2.5 s", and whose picture it is. False: no memory. */
static bool put_caption(struct card *c, uint32_t y_px)
{
    static const struct str SELF = STR_INIT("aflamed");
    const struct measure *m = &c->data.measures[c->data.value];
    float brand_px = canvas_width(&BRAND_FONT, SELF);
    struct buf text = {0};

    heading_root(&text, c->in, c->tree, SIZE_MAX / 8);
    buf_z(&text, " \u00b7 ");
    heading_value(&text, c->in, m);
    buf_z(&text, " \u00b7 ");
    buf_value(&text, m->unit, tree_total(c->tree, 0, 0), AMOUNT_DIGITS);
    canvas_text(&c->canvas, &CAPTION_FONT, PAD_PX, y_px, INNER_PX - 2 * brand_px, buf_view(&text));
    canvas_text(&c->canvas, &BRAND_FONT, CARD_WIDTH_PX - PAD_PX - (uint32_t)brand_px, y_px, brand_px + 1,
                SELF);
    bool ok = !text.failed;
    buf_free(&text);
    return ok;
}

/* ---- the whole ---- */

/* Of a profile without anything to draw there are the words alone. False: diag, or the arena gives no more. */
static bool draw(struct card *c, const struct card_words *words, struct diag *diag)
{
    const struct canvas_box brand = {0, CARD_WIDTH_PX * 10, 0, BRAND_PX};

    if (!canvas_new(&c->canvas, CARD_WIDTH_PX, CARD_HEIGHT_PX, PAGE, c->in->scratch))
        return false;
    canvas_fill(&c->canvas, &brand, BRAND);
    uint32_t caption_px = put_words(c, words) + CAPTION_PX;
    if (!data_tree_open(&c->data, c->in, diag))
        return false;
    c->tree = c->data.tree;
    c->top_px = caption_px + GRAPH_GAP_PX;
    return frame_colours_find(&c->palette, c->in->names, c->in->view->palette, c->tree, c->in->scratch) &&
           put_caption(c, caption_px) && put_graph(c);
}

bool card_render(const struct card_words *words, const struct render_input *in, struct buf *out,
                 struct diag *diag)
{
    struct card c = {.in = in};

    bool drawn = draw(&c, words, diag);
    buf_free(&c.name);
    buf_free(&c.least);
    if (!drawn)
        return diag->kind == DIAG_NONE ? fail_arena(in->scratch, diag) : false;
    return canvas_png(&c.canvas, out) || fail_buf(out, diag);
}
