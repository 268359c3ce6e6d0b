/* Numbers of the table that may be below 0: what went up less what went down. */
#ifndef RENDER_TABLE_NET_H
#define RENDER_TABLE_NET_H

#include "core/buf.h"
#include "core/json.h"

struct net {
    uint64_t size;
    bool below; /* it is less than 0 by `size`, which is not 0 then */
};

static inline struct net net_of(uint64_t up, uint64_t down)
{
    return down > up ? (struct net){down - up, true} : (struct net){up - down, false};
}

static inline bool net_equal(struct net a, struct net b)
{
    return a.size == b.size && a.below == b.below;
}

static inline bool net_greater(struct net a, struct net b)
{
    if (a.below != b.below)
        return b.below;
    return a.below ? a.size < b.size : a.size > b.size;
}

/* Rounded towards 0. */
static inline struct net net_divided(struct net n, uint64_t by)
{
    return (struct net){n.size / by, n.below && n.size >= by};
}

/* For programs: -12. */
void net_put(struct buf *b, struct net n);
void net_put_json(struct json *j, const char *key, struct net n);
/* For people: -12.5 KiB; and a share of `whole`: -3.1 %. */
void net_put_value(struct buf *b, enum unit unit, struct net n, unsigned digits);
void net_put_percent(struct buf *b, struct net part, uint64_t whole);

#endif
