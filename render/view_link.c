#include "render/view_link.h"

struct query {
    struct buf *b;
    const char *sign, *ampersand;
};

/* All but letters, digits and -._~ as %XX. */
static void put_encoded(struct buf *b, struct str text)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (size_t i = 0; i < text.n; i++)
        if (str_find(STR(PLAIN), text.p[i]) < sizeof(PLAIN) - 1)
            buf_char(b, text.p[i]);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)text.p[i]);
}

static struct buf *put_key(struct query *q, const char *key)
{
    buf_z(q->b, q->sign);
    buf_z(q->b, key);
    buf_char(q->b, '=');
    q->sign = q->ampersand;
    return q->b;
}

static void put_text(struct query *q, const char *key, const char *value)
{
    if (value[0] != '\0')
        put_encoded(put_key(q, key), str_of(value));
}

static void put_word(struct query *q, const char *key, const char *(*word)(unsigned), unsigned chosen,
                     unsigned usual)
{
    if (chosen != usual)
        buf_z(put_key(q, key), word(chosen));
}

static void put_number(struct query *q, const char *key, uint64_t value, unsigned decimals, uint64_t usual)
{
    if (value != usual)
        buf_fixed(put_key(q, key), value, decimals);
}

void view_link(struct buf *b, const struct view_options *o, const char *ampersand)
{
    struct query q = {b, "?", ampersand};
    struct view_options usual;

    view_defaults(&usual);
    put_text(&q, "value", o->value);
    put_word(&q, "view", view_kind_word, o->view, usual.view);
    put_word(&q, "order", view_order_word, o->order, usual.order);
    put_word(&q, "open", view_open_word, o->open, usual.open);
    put_number(&q, "width", o->width_px, 0, usual.width_px);
    put_number(&q, "min", o->min_milli_px, 3, usual.min_milli_px);
    put_word(&q, "palette", view_palette_word, o->palette, usual.palette);
    put_word(&q, "names", view_names_word, o->names, usual.names);
    put_text(&q, "method", o->method);
    if (o->view != VIEW_CHART)
        return;
    put_number(&q, "from", o->from_ns, 3, usual.from_ns);
    put_number(&q, "to", o->to_ns, 3, usual.to_ns);
}
