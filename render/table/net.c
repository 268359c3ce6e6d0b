#include "render/table/net.h"

#include "core/number.h"

static char *put_sign(char *to, struct net n)
{
    if (n.below)
        *to++ = '-';
    return to;
}

static char *as_text(char *to, struct net n)
{
    return number_u64(put_sign(to, n), n.size);
}

void net_put(struct buf *b, struct net n)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text, (size_t)(as_text(text, n) - text));
}

void net_put_json(struct json *j, const char *key, struct net n)
{
    char text[NUMBER_BYTES_MAX + 1];

    json_put_raw(j, key, (struct str){text, (size_t)(as_text(text, n) - text)});
}

void net_put_value(struct buf *b, enum unit unit, struct net n, unsigned digits)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text, (size_t)(number_value(put_sign(text, n), unit, n.size, digits) - text));
}

void net_put_percent(struct buf *b, struct net part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX + 1];

    buf_bytes(b, text,
              (size_t)(number_percent(whole > 0 ? put_sign(text, part) : text, part.size, whole) - text));
}
